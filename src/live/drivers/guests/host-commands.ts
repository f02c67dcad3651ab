/** Commands of this machine that guests are built with, and what their failures mean for the user. */
import { execFile, execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { inputError, InputError, type Issue } from '../../../core/base/issue.ts'

const OUTPUT_BYTES_MAX = 2 ** 29

export interface CommandOptions {
  readonly cwd?: string
  readonly input?: string
  readonly signal?: AbortSignal | undefined
}

/** depmod is in a folder that ordinary users do not have on their PATH. */
const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
  LC_ALL: 'C',
})

/** Path of a program; undefined if there is none. */
export function findProgram(name: string): string | undefined {
  const folders = environment()['PATH'] ?? ''
  const files = folders.split(path.delimiter).map((folder) => path.join(folder, name))
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Runs a short command, and gives what it prints. @throws InputError if it fails */
export function query(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { env: environment(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    throw commandFailure(program, error)
  }
}

/** Runs a command, and gives what it prints. @throws InputError if it fails, the signal's reason if it was aborted */
export async function run(program: string, args: readonly string[], options: CommandOptions = {}): Promise<Buffer> {
  const { cwd, input, signal } = options
  return new Promise((resolve, reject) => {
    const settings = { cwd, signal, env: environment(), encoding: 'buffer', maxBuffer: OUTPUT_BYTES_MAX } as const
    const child = execFile(program, args, settings, (error, output) => {
      if (error === null) resolve(output)
      else if (signal?.aborted === true) reject(signal.reason as Error)
      else reject(commandFailure(program, error))
    })
    // A program that ends before it has read its input says why itself.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** Failures whose cause is known by words of apt, dpkg, tar, cpio or the system. */
const CAUSES: readonly (readonly [RegExp, Omit<Issue, 'path'>])[] = [
  [
    /ENOSPC|EDQUOT|No space left|[Qq]uota exceeded|enough free space/,
    {
      expected: 'about 1 GB of free space while guests are built',
      received: 'no space left on the disk',
      hint: 'make room, or name another folder for the cache',
    },
  ],
  [
    /resolving|resolve|Network is unreachable|Connection (?:failed|refused|timed out)|Could not connect|Unable to connect/,
    {
      expected: 'packages from the apt sources of this machine',
      received: 'no network',
      hint: 'the build needs it once, guests in the cache do not',
    },
  ],
  [
    /404 |Hash Sum mismatch|Unable to locate|find a source|No packages found/,
    {
      expected: 'lists of apt that name packages which are there',
      received: 'other lists',
      hint: 'sudo apt-get update gets new ones',
    },
  ],
  [
    /EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EEXIST|Permission denied|Read-only/,
    {
      expected: 'a folder for the cache of guests that can be written',
      received: 'one that cannot',
      hint: 'name another folder for the cache',
    },
  ],
]

/** An error of a build whose cause the user can remove, as a mistake of the input; others as they are. */
export function explained(error: unknown, cache: string): unknown {
  if (error instanceof InputError || !(error instanceof Error)) return error
  const cause = CAUSES.find(([pattern]) => pattern.test(error.message))
  return cause === undefined ? error : new InputError([{ path: cache, ...cause[1] }])
}

function commandFailure(program: string, error: unknown): InputError {
  const { message, stderr = '' } = error as Error & { stderr?: string | Buffer }
  const words = stderr.toString().trim()
  const cause = CAUSES.find(([pattern]) => pattern.test(words === '' ? message : words))
  if (cause !== undefined) return new InputError([{ path: program, ...cause[1] }])
  const received = (words === '' ? message : words).split('\n').slice(-3).join(' ')
  return inputError(program, 'a command that ends well', received)
}
