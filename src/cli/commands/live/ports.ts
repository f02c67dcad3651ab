/** Ports of live commands: those that cannot be had are mistakes of the input, all of them at once. */
import type { Issue } from '../../../base/issue.ts'
import { EXIT_BUG, Failure } from '../../failure.ts'
import { codeOf } from '../../files/system-error.ts'

const RECEIVED: Readonly<Record<string, string>> = {
  EADDRINUSE: 'a port that another program has',
  EACCES: 'a port that needs rights',
  EADDRNOTAVAIL: 'an address that this machine does not have',
  ENOTFOUND: 'a host name that is not known',
}

/** A port that could not be had. @throws Failure for other errors of the system */
export function portIssue(path: string, expected: string, error: unknown): Issue {
  const received = RECEIVED[codeOf(error) ?? '']
  if (received !== undefined) return { path, expected, received, hint: 'name another' }
  throw error instanceof Error && 'syscall' in error ? new Failure(error.message, EXIT_BUG) : error
}
