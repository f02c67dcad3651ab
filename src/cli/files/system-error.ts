/**
 * System errors: what the operating system says, by its names.
 */

/** The system's name of an error: "ENOENT". */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
