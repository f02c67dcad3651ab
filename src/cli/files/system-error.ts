/**
 * System errors: their codes.
 */

/** Code of a system error, such as "ENOENT"; undefined for other errors. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
