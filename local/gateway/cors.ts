// Browsers on other origins: a console under development, for example. Tokens are sent by hand, never by cookie.
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { REQUEST_HEADERS } from '../../shared/names.ts';

const ANSWER: OutgoingHttpHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'location, retry-after',
};

export const corsHeaders = (request: IncomingMessage): OutgoingHttpHeaders =>
  request.headers.origin === undefined ? {} : ANSWER;

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && 'access-control-request-method' in headers;

export const PREFLIGHT: OutgoingHttpHeaders = {
  ...ANSWER,
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': REQUEST_HEADERS.join(', '),
  'access-control-max-age': '600',
};
