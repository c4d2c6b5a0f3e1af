// A table for a terminal: columns as wide as what is in them, the last one as long as it likes.
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]): string =>
    widths
      .map((width, i) => (row[i] ?? '').padEnd(width))
      .join('  ')
      .trimEnd();
  return [heads, widths.map((width) => '─'.repeat(width)), ...rows].map(line).join('\n');
}
