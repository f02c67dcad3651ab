/**
 * Failures: how a command ends when it cannot do what was asked.
 *
 *     0    done
 *     1    a bug, a broken law, a machine that gave out (full disk, no room for packets), or simulated time at its end
 *     2    bad input: every mistake in a line of its own, never a stack trace
 *     130  interrupted (143 when terminated, 129 when the terminal went away)
 */
import { Bug } from '../base/assert.ts'
import { formatIssue, InputError, type Issue } from '../base/issue.ts'
import { humanDuration } from '../report/index.ts'
import type { Context } from './context.ts'
import { asOutOfMemory } from './heap-room.ts'

export const EXIT_BUG = 1
export const EXIT_INPUT = 2

/** An end with a message for people and an exit code. */
export class Failure extends Error {
  readonly exitCode: number
  constructor(message: string, exitCode: number) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
  }
}

/** Where a run stood when something in it broke. */
interface Whereabouts {
  readonly name: string
  readonly seed: number
  readonly nowPs: number
  readonly events: number
}

/** A bug met while a scenario ran. */
export class BrokenRun extends Error {
  readonly where: Whereabouts
  constructor(where: Whereabouts, cause: unknown) {
    super('a run broke', { cause })
    this.name = 'BrokenRun'
    this.where = where
  }
}

/** A command's body made safe: what it throws becomes a message on standard error and an exit code. */
export function guarded<F, A extends readonly unknown[]>(
  body: (this: Context, flags: F, ...args: A) => Promise<void> | void,
): (this: Context, flags: F, ...args: A) => Promise<void> {
  return async function run(this: Context, flags: F, ...args: A): Promise<void> {
    if (this.isTrial === true) return
    try {
      await body.call(this, flags, ...args)
    } catch (error) {
      // Whoever reads JSON gets an object whatever happens to the input.
      if ((flags as { json?: boolean }).json === true && error instanceof InputError) {
        this.process.stdout.write(mistakesJson(error.issues))
      }
      this.process.stderr.write(`${failureText(error, this.env['ROCELAB_DEBUG'] !== undefined)}\n`)
      this.process.exitCode = exitCodeOf(error)
    }
  }
}

/** What is wrong with an input for other programs: one line of JSON, `{ "mistakes": [...] }`, each also in words. */
export function mistakesJson(issues: readonly (Issue | string)[]): string {
  const mistakes = issues.map((issue) =>
    typeof issue === 'string' ? { text: issue } : { ...issue, text: formatIssue(issue) },
  )
  return `${JSON.stringify({ mistakes })}\n`
}

/** The exit code that an error stands for. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) return error.exitCode
  return error instanceof InputError ? EXIT_INPUT : EXIT_BUG
}

/** An error in words; its stack only where it is a bug and somebody asked for it. */
export function failureText(error: unknown, withStack = false): string {
  if (error instanceof InputError) return error.issues.map(formatIssue).join('\n')
  if (error instanceof Failure) return `rocelab: ${error.message}`
  const cause = error instanceof BrokenRun ? error.cause : error
  const full = asOutOfMemory(cause)
  const message = full?.message ?? (cause instanceof Error ? cause.message : String(cause))
  // A broken law says so itself.
  const isLaw = cause instanceof Bug && message.startsWith('broken law')
  const lines = [`rocelab: ${isLaw || full !== undefined ? '' : 'bug: '}${message}`]
  if (error instanceof BrokenRun) {
    const { name, seed, nowPs, events } = error.where
    lines.push(
      `  scenario ${name}, seed ${seed}, simulated time ${humanDuration(nowPs, 6)} (${nowPs} ps), event ${events}`,
    )
  }
  if (withStack && cause instanceof Error) lines.push(cause.stack ?? '')
  else if (full === undefined) lines.push('  ROCELAB_DEBUG=1 shows where in the program')
  return lines.join('\n')
}
