/**
 * Failures: error messages and exit codes.
 *
 *     0    done
 *     1    a bug, a broken conservation law, a system failure (full disk, out of memory), or the end of simulated time
 *     2    bad input: one line per mistake, never a stack trace
 *     3    findings at or above the severity that --fail-on names
 *     130  interrupted (143 on SIGTERM, 129 on SIGHUP)
 */
import { BrokenLaw } from '../core/base/assert.ts'
import { formatIssue, InputError, type Issue } from '../core/base/issue.ts'
import { isAtLeast, type Severity } from '../core/findings/index.ts'
import { humanDuration } from '../show/index.ts'
import type { Context } from './context.ts'
import { asOutOfMemory } from './heap-room.ts'

export const EXIT_BUG = 1
export const EXIT_INPUT = 2
export const EXIT_FINDINGS = 3

/** An error with a message for the user and an exit code. */
export class Failure extends Error {
  readonly exitCode: number
  readonly text: string
  /** @param text as printed; that of a worker is whole already */
  constructor(message: string, exitCode: number, text = `rocelab: ${message}`) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
    this.text = text
  }
}

/** State of a run when an error occurred in it. */
interface RunState {
  readonly name: string
  readonly seed: number
  readonly nowPs: number
  readonly events: number
}

/** An error thrown while a scenario ran. */
export class BrokenRun extends Error {
  readonly where: RunState
  constructor(where: RunState, cause: unknown) {
    super('a run broke', { cause })
    this.name = 'BrokenRun'
    this.where = where
  }
}

/** Wraps a command: errors become a message on standard error and an exit code. */
export function guarded<F, A extends readonly unknown[]>(
  body: (this: Context, flags: F, ...args: A) => Promise<void> | void,
): (this: Context, flags: F, ...args: A) => Promise<void> {
  return async function run(this: Context, flags: F, ...args: A): Promise<void> {
    if (this.isTrial === true) return
    try {
      await body.call(this, flags, ...args)
    } catch (error) {
      // Programs that read JSON get an object for bad input too.
      if ((flags as { json?: boolean }).json === true && error instanceof InputError) {
        this.process.stdout.write(mistakesJson(error.issues))
      }
      this.process.stderr.write(`${failureText(error, this.env['ROCELAB_DEBUG'] !== undefined)}\n`)
      this.process.exitCode = exitCodeOf(error)
    }
  }
}

/** Ends with exit code 3 if a finding is at least that severe; undefined: never. */
export function endOnFindings(
  { process }: Context,
  least: Severity | undefined,
  findings: readonly { readonly severity: Severity }[],
): void {
  if (least !== undefined && findings.some(({ severity }) => isAtLeast(severity, least)))
    process.exitCode = EXIT_FINDINGS
}

/** Mistakes for other programs: one line of JSON, `{ "mistakes": [...] }`, each with its message as `text`. */
export function mistakesJson(issues: readonly (Issue | string)[]): string {
  const mistakes = issues.map((issue) =>
    typeof issue === 'string' ? { text: issue } : { ...issue, text: formatIssue(issue) },
  )
  return `${JSON.stringify({ mistakes })}\n`
}

/** The exit code of an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) return error.exitCode
  return error instanceof InputError ? EXIT_INPUT : EXIT_BUG
}

/** The message of an error. @param withStack adds the stack trace of a bug. */
export function failureText(error: unknown, withStack = false): string {
  if (error instanceof InputError) return error.issues.map(formatIssue).join('\n')
  if (error instanceof Failure) return error.text
  const cause = error instanceof BrokenRun ? error.cause : error
  const full = asOutOfMemory(cause)
  const message = full?.message ?? (cause instanceof Error ? cause.message : String(cause))
  const lines = [`rocelab: ${cause instanceof BrokenLaw || full !== undefined ? '' : 'bug: '}${message}`]
  if (error instanceof BrokenRun) {
    const { name, seed, nowPs, events } = error.where
    lines.push(
      `  scenario ${name}, seed ${seed}, simulated time ${humanDuration(nowPs, 6)} (${nowPs} ps), event ${events}`,
    )
  }
  if (withStack && cause instanceof Error) lines.push(cause.stack ?? '')
  else if (full === undefined) lines.push('  set ROCELAB_DEBUG=1 to see the stack trace')
  return lines.join('\n')
}
