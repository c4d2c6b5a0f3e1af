// Headers as an HTTP API gives them: names in lower case, several of one name joined by commas, cookies apart.

export interface ReadHeaders {
  readonly headers: Record<string, string>;
  readonly cookies: string[];
}

/** `raw` is Node's list of name, value, name, value … */
export function readHeaders(raw: readonly string[]): ReadHeaders {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (const [name, value] of pairs(raw)) {
    const lower = name.toLowerCase();
    if (lower === 'cookie') cookies.push(...value.split(/;\s*/).filter(Boolean));
    else headers[lower] = headers[lower] === undefined ? value : `${headers[lower]},${value}`;
  }
  return { headers, cookies };
}

/** As a WebSocket API gives them: names as they were sent, the last value of each, and all values. */
export function readSentHeaders(raw: readonly string[]): {
  readonly headers: Record<string, string>;
  readonly multiValueHeaders: Record<string, string[]>;
} {
  const headers: Record<string, string> = {};
  const multiValueHeaders: Record<string, string[]> = {};
  for (const [name, value] of pairs(raw)) {
    headers[name] = value;
    multiValueHeaders[name] = [...(multiValueHeaders[name] ?? []), value];
  }
  return { headers, multiValueHeaders };
}

function* pairs(raw: readonly string[]): Iterable<readonly [string, string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at] ?? '', raw[at + 1] ?? ''];
}
