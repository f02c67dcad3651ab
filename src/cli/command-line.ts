/**
 * Command line: finds all its mistakes at once. The library stops at the first unknown option, before it checks the values
 * of the others; so unknown options are removed one by one and the rest is parsed again without executing the command.
 */
import { type Application, ExitCode, run, type StricliProcess } from '@stricli/core'
import type { Context } from './context.ts'
import { MISTAKES } from './application.ts'

/** Options whose value is options of another program. */
const OF_OTHERS: readonly string[] = ['--sbatch']

/** Joins options to their value where it begins with a dash as an option does: `--sbatch "--mem=4G"`. */
export function joinedOptions(words: readonly string[]): readonly string[] {
  const joined: string[] = []
  for (let i = 0; i < words.length; i++) {
    const next = words[i + 1] ?? ''
    if (OF_OTHERS.includes(words[i]!) && next.startsWith('-')) joined.push(`${words[i++]}=${next}`)
    else joined.push(words[i]!)
  }
  return joined
}

/** All mistakes, one or more lines of text each; empty if the command can be executed. */
export async function mistakesOf(
  application: Application<Context>,
  words: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const mistakes: string[] = []
  let left = words
  for (;;) {
    const lines = await trial(application, left, context)
    const unknown = lines.find((line) => typeof MISTAKES.get(line) === 'object')
    const mistake = unknown === undefined ? undefined : MISTAKES.get(unknown)
    const option = typeof mistake === 'object' ? mistake.unknownOption : undefined
    const at = left.findIndex((word) => word === option || word.startsWith(`${option}=`))
    if (unknown === undefined || at < 0) {
      // An argument may have been removed as the value of an unknown option.
      const isSure = (line: string): boolean => mistakes.length === 0 || MISTAKES.get(line) !== 'number of arguments'
      return [...mistakes, ...lines.filter((line) => line !== '' && isSure(line))]
    }
    mistakes.push(unknown)
    const hasValue = left[at] === option && !(left[at + 1] ?? '-').startsWith('-')
    left = left.toSpliced(at, hasValue ? 2 : 1)
  }
}

/** The library's error messages for these words; empty if there are none. */
async function trial(application: Application<Context>, words: readonly string[], context: Context): Promise<string[]> {
  let text = ''
  const stream = { write: (part: string): void => void (text += part) }
  const process: StricliProcess = { stdout: { write() {} }, stderr: stream }
  await run(application, words, { ...context, isTrial: true, process })
  return isMistaken(process) ? text.split(/\n(?! )/) : []
}

/** Whether the library rejected the command line. Its other negative codes are internal errors. */
function isMistaken({ exitCode }: StricliProcess): boolean {
  return exitCode === ExitCode.InvalidArgument || exitCode === ExitCode.UnknownCommand
}
