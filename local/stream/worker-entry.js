// Starts the stream's thread: the sources are TypeScript, so tsx is registered first.
import { register } from 'tsx/esm/api';

register();
await import('./worker.ts');
