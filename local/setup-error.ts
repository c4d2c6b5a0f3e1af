// What keeps the laptop cloud from starting, in a sentence with a way out. Printed without a stack, exit code 1.
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `ENOENT`, `EADDRINUSE` …, if it is an error of the system. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
