/**
 * doctor --collect: the commands to collect.
 */
import {
  COLLECTED_FROM,
  COLLECTED_LANGUAGES,
  type CollectedLanguage,
  collectScript,
  collectText,
  commandsToCollect,
} from '../../doctor/answers/commands-to-collect.ts'
import { inputError } from '../../core/base/issue.ts'
import type { Context } from '../context.ts'

/** @param languages none: all. Throws InputError for one that is not known, or a form that commands do not have. */
export function printCommands({ process, text }: Context, format: string, languages: readonly string[]): void {
  const isLanguage = (name: string): name is CollectedLanguage => Object.hasOwn(COLLECTED_FROM, name)
  const other = languages.find((name) => !isLanguage(name))
  if (other !== undefined) throw inputError('--collect', COLLECTED_LANGUAGES.join(', '), other)
  const commands = commandsToCollect(languages.length === 0 ? COLLECTED_LANGUAGES : languages.filter(isLanguage))
  if (format === 'json') process.stdout.write(`${JSON.stringify({ commands })}\n`)
  else if (format === 'sh') process.stdout.write(collectScript(commands))
  else if (format === 'text') process.stdout.write(collectText(commands, text))
  else throw inputError('--format', 'text, json or sh with --collect', format)
}
