/**
 * Command line: its mistakes, all at once. The library stops at the first option that it does not know, before it looks
 * at the values of others; so such words are taken out one after the other and the rest is tried without being obeyed.
 */
import { type Application, run } from '@stricli/core'
import type { Context } from './context.ts'
import { UNKNOWN_OPTION } from './application.ts'

/** Of words that are no options: there may be too few or too many of them by what was taken out. */
const OF_WORDS = /^$|^rocelab: (Too many arguments|Expected argument)/

/** Every mistake, where there is an option among them that nobody knows; else none, and the library tells the others. */
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
      if (mistakes.length > 0) mistakes.push(...lines.filter((line) => !OF_WORDS.test(line)))
      return mistakes
    }
    mistakes.push(unknown)
    const hasValue = left[at] === option && !(left[at + 1] ?? '-').startsWith('-')
    left = left.toSpliced(at, hasValue ? 2 : 1)
  }
}

/** What the library has to say of these words. */
async function trial(application: Application<Context>, words: readonly string[], context: Context): Promise<string[]> {
  let text = ''
  const stream = { write: (part: string): void => void (text += part) }
  await run(application, words, { ...context, isTrial: true, process: { stdout: { write() {} }, stderr: stream } })
  return text.split('\n')
}
