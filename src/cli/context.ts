/**
 * Context: all that a command sees of the process around it.
 */
import type { CommandContext, StricliProcess } from '@stricli/core'
import type { TextOptions } from '../report/index.ts'

export interface Context extends CommandContext {
  /** Where text goes, and the exit code; a command that ends in its own way sets the code itself. */
  readonly process: StricliProcess
  /** Where the user stands; relative paths start here. */
  readonly directory: string
  readonly env: Readonly<Partial<Record<string, string>>>
  /** How tables are set on standard output. */
  readonly text: TextOptions
  /** The terminal on standard error, if it is one. */
  readonly terminal: Terminal | undefined
  /** Words are only read: no command does anything. */
  readonly isTrial?: boolean
  /** What the last of these words of a command line could be; main.ts gives it. */
  readonly propose?: (words: readonly string[]) => Promise<readonly string[]>
}

/** Of a command without options. */
export type NoFlags = object

/** A terminal that a line can be redrawn on. */
export interface Terminal {
  readonly write: (text: string) => void
  /** Columns now; it may be resized. */
  readonly width: () => number
}

/** The context of this process, but for proposals: they come from the application, and that from the commands. */
export function processContext(): Context {
  const { stdout, stderr, env } = process
  return {
    process: {
      stdout: { write: (text) => void stdout.write(text), getColorDepth: colorDepthOf(stdout) },
      stderr: { write: (text) => void stderr.write(text), getColorDepth: colorDepthOf(stderr) },
      env,
    },
    directory: process.cwd(),
    env,
    text: { ascii: !isUnicode(env), ...(stdout.isTTY ? { width: Math.max(40, stdout.columns || 80) } : {}) },
    terminal:
      stderr.isTTY && env['TERM'] !== 'dumb'
        ? { write: (text) => void stderr.write(text), width: () => stderr.columns || 80 }
        : undefined,
  }
}

function colorDepthOf(stream: NodeJS.WriteStream): () => number {
  return () => (stream.isTTY ? stream.getColorDepth() : 1)
}

/** The first of the three variables that is set and not empty counts; on Windows terminals are Unicode anyway. */
function isUnicode(env: Readonly<Partial<Record<string, string>>>): boolean {
  const name = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return /utf-?8/i.test(name) || process.platform === 'win32' || process.platform === 'darwin'
}
