/**
 * expect LOG...: measurements beside what hardware and fabric can do; expect LINE: what to expect before anybody has measured.
 */
import path from 'node:path'
import { statSync } from 'node:fs'
import { InputError, inputError, type Issue } from '../../../core/base/issue.ts'
import { expectedText, expectText, understoodText } from '../../../doctor/answers/expect-text.ts'
import {
  doublingSizes,
  type Expectation,
  expectationOf,
  expectationOfFabric,
  type Facts,
  factsIn,
  factsOfFabric,
  factsOfSettings,
  FORM_NAMES,
  type LogText,
  type Question,
  simulatedOn,
  simulationOfFabric,
  simulationsOf,
  withSimulated,
} from '../../../doctor/expect/index.ts'
import { collectedFabric } from '../../doctor/collected-fabric.ts'
import { collectedInput } from '../../doctor/collected-folder.ts'
import { isPacked } from '../../doctor/found.ts'
import { command, type FlagsOf } from '../../command.ts'
import { EXIT_FINDINGS } from '../../failure.ts'
import { choiceFlag, givenFlag, repeatedFlag, valueFlag } from '../../flags.ts'
import { collectedText, readBytesIfThere } from '../../files/input-file.ts'
import type { Context } from '../../context.ts'
import { anyText, sizesOfTable } from '../../parsers.ts'
import { simulatedTables } from '../../instruments/simulated-tables.ts'

const FLAGS = {
  fabric: valueFlag(
    'LINE|FILE|FOLDER',
    anyText,
    'The fabric: a line such as "8x400G RoCE x 2 servers", a file of such lines, or a folder as doctor reads it',
  ),
  set: repeatedFlag('FACT=VALUE', anyText, 'Set a fact by its name: servers=4, nic=connectx-7; may be repeated'),
  simulate: givenFlag('All-reduces also by simulation, packet by packet as far as that takes about a minute'),
  sizes: valueFlag('FROM..TO', sizesOfTable, 'Sizes of the table of a LINE, by factors of 2: 8..16G'),
  failOn: choiceFlag(['below'] as const, 'Exit with 3 if a measurement is below what is expected'),
  json: givenFlag('Print JSON'),
}
type ExpectFlags = FlagsOf<typeof FLAGS>

export const expectCommand = command({
  brief: 'Say whether a measured number is good: logs of nccl-tests, perftest and others beside what can be expected',
  about: [
    'LOG is the output of nccl-tests or rccl-tests, perftest (text or JSON), fio (JSON), ping, or counters before and after;',
    '- reads standard input. Logs of runs at the same time are joined by +: a.log+b.log. In place of logs a LINE about a',
    'fabric gives the bandwidth to expect of it. Prints each measurement beside its range, the limits of all parts of the',
    'path from the lowest, "?" where nothing is known, the part that limits first, and what would confirm it. Where no',
    'limit explains a number it says so. Nothing is simulated without --simulate: docs/models/expect.md.',
    '',
    'Examples:',
    '  rocelab expect nccl.log --fabric "8x400G RoCE x 2 servers"',
    '  rocelab expect alone.log a.log+b.log --fabric "3 hosts with 25G BlueField-2, one switch, no PFC"',
    '  rocelab expect "8x400G RoCE x 16 servers"',
    '  rocelab expect "8x400G RoCE x 16 servers" --simulate --sizes 8..16G',
  ],
  manyArgs: {
    brief: 'Log, logs joined by +, or a line about a fabric',
    placeholder: 'LOG|LINE',
    parse: anyText,
    minimum: 1,
  },
  flags: FLAGS,
  run: printExpected,
})

async function printExpected(this: Context, flags: ExpectFlags, ...args: string[]): Promise<void> {
  const { stdout } = this.process
  const [only] = args
  if (args.length === 1 && only !== undefined && isLine(this.directory, only)) return printLine(this, flags, only)
  if (flags.sizes !== undefined) throw inputError('--sizes', 'a line about a fabric', 'logs, which have their sizes')
  const set = factsOfSettings(flags.set ?? [])
  const names = args.map((group) => namesOf(this.directory, group))
  const missing = names.flat().filter((name) => name !== '-' && !isThere(this.directory, name))
  if (missing.length > 0) throw new InputError(missing.map((file) => ({ ...NO_LOG, file, received: 'no such file' })))
  const groups = names.map((group) => group.map((name) => logOf(this.directory, name)))
  const question = { groups, ...(await fabricGiven(this.directory, flags.fabric ?? '')), set }
  const plain = expectationOf(question)
  // Counters alone are evidence, and no rate.
  if (plain.answers.length + plain.unread.length === 0)
    throw new InputError(groups.flat().map(({ file }) => ({ ...NO_LOG, file, received: 'no rate and no time in it' })))
  const expectation = flags.simulate === true ? await simulatedToo(this, question, plain) : plain
  if (flags.json === true) stdout.write(`${JSON.stringify({ schemaVersion: 1, ...expectation })}\n`)
  else stdout.write(expectText(expectation, this.text))
  const isBelow = plain.answers.some(({ verdict }) => verdict === 'below' || verdict === 'far-below')
  if (flags.failOn === 'below' && isBelow) this.process.exitCode = EXIT_FINDINGS
}

async function printLine(context: Context, flags: ExpectFlags, line: string): Promise<void> {
  const { stdout } = context.process
  if (flags.fabric !== undefined) throw inputError('--fabric', 'logs, or a line about a fabric', 'both')
  const set = factsOfSettings(flags.set ?? [])
  const sizes = flags.sizes === undefined ? undefined : doublingSizes(...flags.sizes)
  const plain = expectationOfFabric(line, set, sizes)
  const plan = flags.simulate === true ? simulationOfFabric(line, set, sizes) : null
  const [simulated] = plan === null ? [] : await simulatedTables(context, [plan])
  const rows = typeof plain.rows === 'string' ? plain.rows : withSimulated(plain.rows, simulated)
  const understood = plan === null ? plain.understood : simulatedOn(plain.understood)
  if (flags.simulate === true && plan === null) context.process.stderr.write(NOT_SIMULATED)
  if (flags.json === true)
    stdout.write(`${JSON.stringify({ schemaVersion: 1, understood, notUnderstood: plain.notUnderstood, rows })}\n`)
  else
    stdout.write(
      `${understoodText(understood, plain.notUnderstood, context.text)}\n${expectedText(rows, context.text)}`,
    )
}

async function simulatedToo(context: Context, question: Question, plain: Expectation): Promise<Expectation> {
  const plans = simulationsOf(question)
  const tables = await simulatedTables(context, plans)
  if (plans.every((plan) => plan === null)) context.process.stderr.write(NOT_SIMULATED)
  return {
    ...plain,
    understood: simulatedOn(plain.understood),
    answers: plain.answers.map((answer, i) => ({ ...answer, rows: withSimulated(answer.rows, tables[i]) })),
  }
}

const NOT_SIMULATED =
  'rocelab: nothing is simulated: that takes an all-reduce of known GPUs over several servers of known NICs\n'

/** A file that is no log of a form that is read. */
const NO_LOG: Omit<Issue, 'received'> = {
  path: '',
  expected: `output of ${FORM_NAMES}`,
  hint: 'or in place of logs a line about a fabric, such as "8x400G RoCE x 2 servers"',
}

const isThere = (directory: string, name: string): boolean =>
  statSync(path.resolve(directory, name), { throwIfNoEntry: false }) !== undefined

/** A rate stands in every line about a fabric, and no file has the name. */
function isLine(directory: string, text: string): boolean {
  return text !== '-' && !isThere(directory, text) && factsIn(text).facts.rateBps !== undefined
}

/** Names joined by +, unless a file has the whole name. */
const namesOf = (directory: string, group: string): string[] => (isThere(directory, group) ? [group] : group.split('+'))

function logOf(directory: string, name: string): LogText {
  const file = name === '-' ? 'standard input' : name
  const bytes = readBytesIfThere(directory, name === '-' ? '/dev/stdin' : name, 'a log')
  return { file, text: collectedText(file, bytes ?? new Uint8Array()) }
}

async function fabricGiven(directory: string, given: string): Promise<{ fabric: string; files?: Facts }> {
  if (given === '' || given.length > NAME_MAX || !isThere(directory, given)) return { fabric: given }
  if (isPacked(given) || statSync(path.resolve(directory, given)).isDirectory()) {
    const collected = await collectedInput(directory, given)
    return { fabric: '', files: factsOfFabric(collectedFabric(collected, given)) }
  }
  const bytes = readBytesIfThere(directory, given, 'lines about a fabric') ?? new Uint8Array()
  return { fabric: collectedText(given, bytes) }
}
/** Longer texts are no names of files. */
const NAME_MAX = 255
