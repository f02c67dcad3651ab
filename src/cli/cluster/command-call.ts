/**
 * One call of a command, without a shell and with a time limit.
 * The command has a process group of its own: Ctrl-C at the terminal does not interrupt it halfway, and at the time limit it
 * is killed with its children, which may hold its output open.
 */
import { spawn } from 'node:child_process'
import { codeOf } from '../files/system-error.ts'

export interface Call {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly timeLimitMs: number
  /** Standard input; none by default. */
  readonly input?: string
}

/** How a call went. */
export type Outcome =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  /** It was killed from outside. */
  | { readonly kind: 'killed'; readonly signal: string }
  /** It was killed at its time limit. */
  | { readonly kind: 'timeout' }
  /** There is no such command. */
  | { readonly kind: 'missing' }
  /** It could not be started; the system's code, such as "EACCES". */
  | { readonly kind: 'unstarted'; readonly reason: string }

/** Calls a command. Never rejects. */
export async function callCommand(call: Call): Promise<Outcome> {
  return new Promise((resolve) => {
    try {
      follow(call, resolve)
    } catch (error) {
      // Some errors of a start are thrown, others are events: too long an environment, no process left.
      resolve(unstarted(error))
    }
  })
}

function follow(call: Call, resolve: (outcome: Outcome) => void): void {
  const child = spawn(call.command, call.args, { env: call.environment, detached: true, stdio: 'pipe' })
  const end = (outcome: Outcome): void => {
    clearTimeout(timer)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    resolve(outcome)
  }
  child.on('error', (error) => end(unstarted(error)))
  const timer = setTimeout(() => {
    killGroup(child.pid)
    end({ kind: 'timeout' })
  }, call.timeLimitMs)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.on('close', (code, signal) => {
    if (code === null) end({ kind: 'killed', signal: String(signal) })
    else end({ kind: 'exited', code, stdout, stderr })
  })
  // A command that ends before it has read its input is judged by its exit code.
  child.stdin.on('error', () => {})
  child.stdin.end(call.input ?? '')
}

function unstarted(error: unknown): Outcome {
  const reason = codeOf(error) ?? String(error)
  return reason === 'ENOENT' ? { kind: 'missing' } : { kind: 'unstarted', reason }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
