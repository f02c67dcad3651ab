#!/usr/bin/env node
/**
 * The command `rocelab`. Exit codes are told in failure.ts.
 */
import { proposeCompletions, run } from '@stricli/core'
import { inputError } from '../base/issue.ts'
import { importers } from '../importers/index.ts'
import { application } from './application.ts'
import { mistakesOf } from './command-line.ts'
import { type Context, processContext } from './context.ts'
import { EXIT_BUG, EXIT_INPUT, failureText, mistakesJson } from './failure.ts'
import { diskFailure } from './files/files.ts'
import { widenInlining } from './inlining.ts'

/** What is read by nobody any more (`rocelab list | head`) is no reason to stop or to complain. */
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
  process.stderr.write('rocelab: expected to be started in a folder, received one that was deleted (cd elsewhere)\n')
  process.exit(EXIT_INPUT)
}
widenInlining()
const context: Context = {
  ...processContext(),
  propose: async (words) => (await proposeCompletions(application, words, context)).map(({ completion }) => completion),
}
const words = argumentsOf(process.argv.slice(2))
const mistakes = await mistakesOf(application, words, context)
if (words.length === 1 && words[0] === 'import') {
  // The library says nothing of a group of commands without the name of one.
  const expected = `one of ${importers.map(({ name }) => name).join(', ')}`
  const mistake = inputError('import', expected, 'nothing', 'rocelab import --help says what each is')
  process.stderr.write(`${failureText(mistake)}\n`)
  process.exitCode = EXIT_INPUT
} else if (mistakes.length > 0) {
  process.stderr.write(`${mistakes.join('\n')}\n`)
  if (words.includes('--json')) process.stdout.write(mistakesJson(mistakes))
  process.exitCode = EXIT_INPUT
} else {
  await run(application, words, context)
  // The library's own codes are negative: here, a fault of its own.
  if (Number(context.process.exitCode ?? 0) < 0) context.process.exitCode = EXIT_BUG
  process.exitCode = Number(context.process.exitCode ?? 0)
}

/**
 * Nothing at all is the main job; `help COMMAND` is `COMMAND --help`. A -- before a command, as npm needs one, says
 * nothing.
 */
function argumentsOf(given: readonly string[]): readonly string[] {
  const [first, ...rest] = given
  if (first === undefined) return ['reproduce', 'pfc-roce', '--size', 'small']
  if (first === '--') return argumentsOf(rest)
  if (first === 'import' && rest[0] === '--') return argumentsOf([first, ...rest.slice(1)])
  return first === 'help' ? [...rest, '--help'] : given
}
