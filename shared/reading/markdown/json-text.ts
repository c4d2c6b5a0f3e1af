// Reads a value written as JSON, or as a programmer would write it ('single quotes', True, None).
export function parseJson(text: string): { value: unknown } | undefined {
  for (const candidate of [
    text,
    text
      .replace(/'/g, '"')
      .replace(/\bTrue\b/g, 'true')
      .replace(/\bFalse\b/g, 'false'),
  ]) {
    try {
      const value: unknown = JSON.parse(candidate);
      return value === null ? undefined : { value };
    } catch {
      // not JSON: the next spelling, or no value at all
    }
  }
  return undefined;
}
