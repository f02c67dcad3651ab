/**
 * Program: what the command `rocelab` does. Exit codes: failure.ts.
 */
import { proposeCompletions, run } from '@stricli/core'
import { inputError } from '../core/base/issue.ts'
import { importers } from '../importers/index.ts'
import { application } from './application.ts'
import { joinedOptions, mistakesOf } from './command-line.ts'
import { type Context, processContext } from './context.ts'
import { EXIT_BUG, EXIT_INPUT, failureText, mistakesJson } from './failure.ts'
import { diskFailure } from './files/files.ts'
import { widenInlining } from './inlining.ts'

/** A closed pipe (`rocelab list | head`) is not an error. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
process.on('uncaughtException', (error) => {
  const failure = diskFailure(error, 'standard output') ?? error
  process.stderr.write(`${failureText(failure, process.env['ROCELAB_DEBUG'] !== undefined)}\n`)
  process.exit(EXIT_BUG)
})

try {
  process.cwd()
} catch {
  process.stderr.write('rocelab: the current directory was deleted; cd to another one\n')
  process.exit(EXIT_INPUT)
}
widenInlining()
const context: Context = {
  ...processContext(),
  propose: async (words) => (await proposeCompletions(application, words, context)).map(({ completion }) => completion),
}
const words = joinedOptions(argumentsOf(process.argv.slice(2)))
const mistakes = await mistakesOf(application, words, context)
if (words.length === 1 && words[0] === 'import') {
  // The library prints no error for a command group without a command.
  const expected = `one of ${importers.map(({ name }) => name).join(', ')}`
  const mistake = inputError('import', expected, 'nothing', 'rocelab import --help describes them')
  process.stderr.write(`${failureText(mistake)}\n`)
  process.exitCode = EXIT_INPUT
} else if (mistakes.length > 0) {
  process.stderr.write(`${mistakes.join('\n')}\n`)
  if (words.includes('--json')) process.stdout.write(mistakesJson(mistakes))
  process.exitCode = EXIT_INPUT
} else {
  await run(application, words, context)
  // The library's own codes are negative; at this point they are internal errors.
  if (Number(context.process.exitCode ?? 0) < 0) context.process.exitCode = EXIT_BUG
  process.exitCode = Number(context.process.exitCode ?? 0)
}

/**
 * Without arguments, help is printed. `help COMMAND` is `COMMAND --help`. A -- before a command, which npm run needs, is
 * ignored.
 */
function argumentsOf(given: readonly string[]): readonly string[] {
  const [first, ...rest] = given
  if (first === undefined) return ['--help']
  if (first === '--') return argumentsOf(rest)
  if (first === 'import' && rest[0] === '--') return argumentsOf([first, ...rest.slice(1)])
  return first === 'help' ? [...rest, '--help'] : given
}
