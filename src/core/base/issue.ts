/**
 * Issues: mistakes in an input.
 * An input error never shows a stack trace; it shows the place, what was expected, what was found and what to do.
 */
import { escapeControls } from './control-characters.ts'

/** A mistake in an input: where it is, what was expected there and what was found. */
export interface Issue {
  /** Where in the input's own terms: "switch.buffer.headroom", "flow 17". Empty for the whole input. */
  readonly path: string
  /** File as the user named it, and 1-based position, where known. */
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly expected: string
  readonly received: string
  /** Advice for the user; may be empty. */
  readonly hint: string
}

/** Thrown (or returned) with every issue of one input. Exit code 2. */
export class InputError extends Error {
  readonly issues: readonly Issue[]
  constructor(issues: readonly Issue[]) {
    super(issues.map(formatIssue).join('\n'))
    this.name = 'InputError'
    this.issues = issues
  }
}

/** An InputError with one issue. */
export function inputError(path: string, expected: string, received: string, hint = ''): InputError {
  return new InputError([{ path, expected, received, hint }])
}

/** An InputError about a whole file or folder. */
export function fileError(file: string, expected: string, received: string, hint = ''): InputError {
  return new InputError([{ path: '', file, expected, received, hint }])
}

/** The issues of an error, with this file where they name none. Anything but an InputError is thrown again. */
export function issuesIn(error: unknown, file: string): Issue[] {
  if (!(error instanceof InputError)) throw error
  return error.issues.map((issue) => (issue.file === undefined ? { ...issue, file } : issue))
}

/** One line: where: expected ..., received ... (hint). */
export function formatIssue(issue: Issue): string {
  const position = issue.line === undefined ? '' : `:${issue.line}:${issue.column ?? 1}`
  const location = issue.file === undefined ? '' : `${issue.file}${position}: `
  const path = issue.path === '' ? '' : `${issue.path}: `
  const hint = issue.hint === '' ? '' : ` (${issue.hint})`
  return escapeControls(`${location}${path}expected ${issue.expected}, received ${issue.received}${hint}`)
}
