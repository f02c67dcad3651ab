/**
 * Command line: its mistakes, all at once. The library stops at the first option that it does not know, before it looks
 * at the values of others; so such words are taken out one after the other and the rest is tried without being obeyed.
 */
import { type Application, ExitCode, run, type StricliProcess } from '@stricli/core'
import type { Context } from './context.ts'
import { UNKNOWN_OPTION } from './application.ts'

/** Of words that are no options: there may be too few or too many of them by what was taken out. */
const OF_WORDS = /^rocelab: (Too many arguments|Expected argument)/

/** Every mistake, one or more lines of text each; none: the words can be obeyed. */
export async function mistakesOf(
  application: Application<Context>,
  words: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const mistakes: string[] = []
  let left = words
  for (;;) {
    const lines = await trial(application, left, context)
    const unknown = lines.find((line) => UNKNOWN_OPTION.test(line))
    const option = UNKNOWN_OPTION.exec(unknown ?? '')?.[1]
    const at = left.findIndex((word) => word === option || word.startsWith(`${option}=`))
    if (unknown === undefined || at < 0) {
      const isFirst = mistakes.length === 0
      return [...mistakes, ...lines.filter((line) => line !== '' && (isFirst || !OF_WORDS.test(line)))]
    }
    mistakes.push(unknown)
    const hasValue = left[at] === option && !(left[at + 1] ?? '-').startsWith('-')
    left = left.toSpliced(at, hasValue ? 2 : 1)
  }
}

/** What the library has to say of these words; nothing where it would obey them. */
async function trial(application: Application<Context>, words: readonly string[], context: Context): Promise<string[]> {
  let text = ''
  const stream = { write: (part: string): void => void (text += part) }
  const process: StricliProcess = { stdout: { write() {} }, stderr: stream }
  await run(application, words, { ...context, isTrial: true, process })
  return isMistaken(process) ? text.split(/\n(?! )/) : []
}

/** The library could not read a command line; its other codes below 0 are faults of its own. */
function isMistaken({ exitCode }: StricliProcess): boolean {
  return exitCode === ExitCode.InvalidArgument || exitCode === ExitCode.UnknownCommand
}
