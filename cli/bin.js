#!/usr/bin/env node
// Starts the stepgate command from a checkout: the sources are TypeScript, so tsx is registered first.
import { register } from 'tsx/esm/api';

register();
await import('./main.ts');
