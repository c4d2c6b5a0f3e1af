// Ids that nobody else makes: 128 random bits. Works on plain http pages too, where randomUUID does not exist.

export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
