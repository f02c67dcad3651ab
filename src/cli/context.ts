/**
 * Context: everything that a command sees of the process it runs in.
 */
import type { CommandContext, StricliProcess } from '@stricli/core'
import type { TextOptions } from '../show/index.ts'

export interface Context extends CommandContext {
  /** Output streams and exit code; a command sets the code unless it is 0. */
  readonly process: StricliProcess
  /** Current directory; relative paths start here. */
  readonly directory: string
  readonly env: Readonly<Partial<Record<string, string>>>
  /** Layout of tables on standard output. */
  readonly text: TextOptions
  /** Standard error, if it is a terminal. */
  readonly terminal: Terminal | undefined
  /** True while the command line is only checked: commands return at once. */
  readonly isTrial?: boolean
  /** Completions of the last word of a command line; set by main.ts. */
  readonly propose?: (words: readonly string[]) => Promise<readonly string[]>
}

/** Flags of a command without options. */
export type NoFlags = object

/** A terminal on which a line can be redrawn. */
export interface Terminal {
  readonly write: (text: string) => void
  /** Current number of columns. */
  readonly width: () => number
}

/** The context of this process without `propose`, which needs the application and so would close an import cycle. */
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

/** Decided by the first of the three variables that is set and not empty; Windows and macOS terminals are Unicode. */
function isUnicode(env: Readonly<Partial<Record<string, string>>>): boolean {
  const name = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return /utf-?8/i.test(name) || process.platform === 'win32' || process.platform === 'darwin'
}
