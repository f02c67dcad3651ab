/** Logs of measurements beside what the hardware they name can do: the whole answer, as data. */
import { InputError, type Issue } from '../../core/base/issue.ts'
import type { Answer, Reason, RowAnswer, Simulated } from './answer.ts'
import { type FactName, type Facts, factNamed, factsIn, NIC_NAMES } from './fabric-line.ts'
import { readLog } from './forms/index.ts'
import { expectedTable, jobOf, jobOfFabric, judgeTable } from './judge-collectives.ts'
import { judgeRoundTrips, judgeStorage } from './judge-others.ts'
import { judgeRuns } from './judge-runs.ts'
import { simulationOf, type SimulationPlan } from './simulation.ts'
import type { CounterReading, Log, PerftestReading, Reading, Unread } from './readings.ts'

export interface LogText {
  readonly file: string
  readonly text: string
}

export interface Question {
  /** Logs of a group were taken at the same time. */
  readonly groups: readonly (readonly LogText[])[]
  /** Lines about the fabric, as people write them. */
  readonly fabric: string
  /** Facts that were set by name. */
  readonly set?: Facts
  /** Facts that files of devices say. */
  readonly files?: Facts
}

/** A fact, and where it comes from. */
export interface Understood {
  readonly name: FactName
  readonly value: unknown
  readonly from: 'given' | 'files' | 'log' | 'assumed'
}

export interface Expectation {
  readonly understood: readonly Understood[]
  /** Phrases about the fabric that say nothing to this program. */
  readonly notUnderstood: readonly string[]
  readonly answers: readonly Answer[]
  readonly unread: readonly Unread[]
  /** Files in which nothing was recognised. */
  readonly unknownFiles: readonly string[]
  /** Forms of which no real log has been seen. */
  readonly untested: readonly string[]
}

export function expectationOf({ groups, fabric, set = {}, files = {} }: Question): Expectation {
  const { said, facts, left } = factsOf(fabric, set, files)
  const logs = groups.map((group) => group.map(({ file, text }) => readLog(file, text)))
  const flat = logs.flat()
  const readings = flat.flatMap((log) => log.readings)
  const answers = answersOf(facts, logs, readings)
  return {
    understood: understoodOf(facts, readings, said),
    notUnderstood: left,
    answers,
    unread: flat.flatMap(({ unread }) => unread),
    unknownFiles: flat.filter((log) => log.readings.length + log.unread.length === 0).map(({ file }) => file),
    untested: [...new Set(flat.flatMap(({ untested }) => untested))],
  }
}

/** By answer: the plan of an all-reduce of known GPUs; null: there is none, or the answer is of another measurement. */
export function simulationsOf({ groups, fabric, set = {}, files = {} }: Question): (SimulationPlan | null)[] {
  const { facts } = factsOf(fabric, set, files)
  const readings = groups.flat().flatMap(({ file, text }) => readLog(file, text).readings)
  return readings.flatMap((reading) => {
    if (reading.kind !== 'collective') return []
    const job = jobOf(facts, reading)
    const sizes = reading.rows.map(({ sizeBytes }) => sizeBytes)
    return [typeof job === 'string' ? null : simulationOf(facts, job, sizes)]
  })
}

/** Facts on which simulated rows rest, too. */
export function simulatedOn(understood: readonly Understood[]): readonly Understood[] {
  const assumed: readonly Understood[] = [
    { name: 'spines', value: 0, from: 'assumed' },
    { name: 'hasPfc', value: true, from: 'assumed' },
  ]
  return [...understood, ...assumed.filter(({ name }) => understood.every((each) => each.name !== name))]
}

export const withSimulated = (rows: readonly RowAnswer[], simulated: readonly Simulated[] = []): readonly RowAnswer[] =>
  simulated.length === 0 ? rows : rows.map((row, i) => ({ ...row, simulated: simulated[i]! }))

function factsOf(fabric: string, set: Facts, files: Facts) {
  const { facts: given, left } = factsIn(fabric)
  const said: Facts = { ...given, ...set }
  return { said, facts: { ...files, ...said }, left }
}

function answersOf(facts: Facts, logs: readonly (readonly Log[])[], readings: readonly Reading[]): Answer[] {
  const of = <K extends Reading['kind']>(all: readonly Reading[], kind: K) =>
    all.filter((reading): reading is Extract<Reading, { kind: K }> => reading.kind === kind)
  // Runs of one file follow each other; those of files of a group ran together.
  const runs = logs.flatMap((group): PerftestReading[][] => {
    const perFile = group.map((log) =>
      of(log.readings, 'perftest').filter(({ rows }) => rows.some(({ rateBps }) => rateBps !== null)),
    )
    return perFile.length === 1
      ? perFile[0]!.map((reading) => [reading])
      : [perFile.flat()].filter(({ length }) => length > 0)
  })
  const trips = [...of(readings, 'round-trip'), ...latenciesOf(of(readings, 'perftest'))]
  return [
    ...of(readings, 'collective').map((reading) => judgeTable(facts, reading)),
    ...judgeRuns(facts, runs, pairedCounters(of(readings, 'counter'))),
    ...(trips.length === 0 ? [] : [judgeRoundTrips(facts, trips)]),
    ...of(readings, 'storage').map((reading) => judgeStorage(facts, reading)),
  ]
}

/** Runs of ib_write_lat and its kin: the tool prints half of a round trip. */
const latenciesOf = (runs: readonly PerftestReading[]) =>
  runs.flatMap(({ file, operation, rows }) => {
    const [first] = rows
    return first?.latencyUs == null
      ? []
      : [
          {
            kind: 'round-trip' as const,
            file,
            line: first.line,
            label: operation,
            roundTripNs: first.latencyUs * 2e3,
            nic: null,
            switches: null,
          },
        ]
  })

/** A counter that stands once in each of two files is before in the first and after in the second. */
function pairedCounters(readings: readonly CounterReading[]): CounterReading[] {
  return [...new Set(readings.map(({ name }) => name))].map((counter) => {
    const all = readings.filter(({ name }) => name === counter)
    const [first, last] = [all[0]!, all.at(-1)!]
    return all.length < 2 || last.before !== null ? last : { ...last, before: first.before ?? first.after }
  })
}

/** Facts on which the answer rests. */
function understoodOf(facts: Facts, readings: readonly Reading[], said: Facts = facts): Understood[] {
  const given = Object.entries(facts).map(([name, value]): Understood => ({
    name: name as FactName,
    value: value as unknown,
    from: name in said ? 'given' : 'files',
  }))
  const found = new Map<FactName, Understood>()
  const note = (name: FactName, value: unknown, from: Understood['from']): void => {
    if (facts[name] === undefined && value !== null) found.set(name, { name, value, from })
  }
  for (const reading of readings) {
    if (reading.kind === 'collective') {
      note('servers', reading.servers, 'log')
      if (facts.nics === undefined && facts.rateBps !== undefined) note('nics', 1, 'assumed')
    }
    if (reading.kind === 'perftest') {
      note('mtuBytes', reading.mtuBytes, 'log')
      note('link', reading.link, 'log')
    }
  }
  const hasLink = facts.link !== undefined || found.has('link')
  if (facts.rateBps !== undefined && !hasLink) note('link', 'roce', 'assumed')
  if (facts.rateBps !== undefined && facts.mtuBytes === undefined && !found.has('mtuBytes'))
    note('mtuBytes', 4096, 'assumed')
  return [...given, ...found.values()]
}

/** Most tables of eight NICs of 400 Gb/s are of these. */
const ASSUMED_GPU = 'H100'
const DEFAULT_SIZES: readonly number[] = Array.from({ length: 12 }, (_, i) => 2 ** (12 + 2 * i))

/** The rates to expect of a fabric that nobody has measured yet. */
export function expectationOfFabric(
  fabric: string,
  set: Facts = {},
  sizes = DEFAULT_SIZES,
): {
  readonly understood: readonly Understood[]
  readonly notUnderstood: readonly string[]
  readonly rows: readonly RowAnswer[] | Reason
} {
  const { facts, left } = factsOf(fabric, set, {})
  const rows = expectedTable({ gpu: ASSUMED_GPU, ...facts }, sizes)
  const assumed: Understood[] = facts.gpu === undefined ? [{ name: 'gpu', value: ASSUMED_GPU, from: 'assumed' }] : []
  return { understood: [...understoodOf(facts, []), ...assumed], notUnderstood: left, rows }
}

/** The same rows by simulation. */
export function simulationOfFabric(fabric: string, set: Facts = {}, sizes = DEFAULT_SIZES): SimulationPlan | null {
  const facts = { gpu: ASSUMED_GPU, ...factsOf(fabric, set, {}).facts }
  const job = jobOfFabric(facts)
  return typeof job === 'string' ? null : simulationOf(facts, job, sizes)
}

const RATE = /^(\d+(?:\.\d+)?)\s*G(?:bps|b\/s)?$/i
type FactParser = (text: string) => unknown
const count: FactParser = (text) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined)
const some: FactParser = (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined)
const rate: FactParser = (text) => (RATE.test(text) ? Number(RATE.exec(text)![1]) * 1e9 : undefined)
const flag: FactParser = (text) =>
  new Map([
    ['true', true],
    ['on', true],
    ['false', false],
    ['off', false],
  ]).get(text)
const among =
  (...words: readonly string[]): FactParser =>
  (text) =>
    words.includes(text) ? text : undefined

/** Facts that can be set, each with what it takes. */
const SETTABLE: Readonly<Record<string, { readonly parse: FactParser; readonly expected: string }>> = {
  servers: { parse: some, expected: 'a number of servers' },
  nics: { parse: some, expected: 'NICs of a server' },
  gpus: { parse: some, expected: 'GPUs of a server' },
  rate: { parse: rate, expected: 'a rate such as 400G' },
  gpu: { parse: (text) => (/^[A-Z]{1,2}\d{2,3}$/.test(text) ? text : undefined), expected: 'H100, A100 or another' },
  link: { parse: among('ib', 'roce'), expected: 'ib or roce' },
  mtu: { parse: count, expected: 'bytes of payload, such as 4096' },
  nic: { parse: among(...NIC_NAMES), expected: NIC_NAMES.join(', ') },
  'pcie.generation': { parse: count, expected: '3, 4 or 5' },
  'pcie.lanes': { parse: count, expected: 'a number of lanes' },
  'pcie.maxPayload': { parse: count, expected: '128, 256 or 512' },
  host: { parse: rate, expected: 'a rate such as 112G' },
  spines: { parse: count, expected: 'switches above the leaves' },
  switches: { parse: count, expected: 'switches between two hosts' },
  trunk: { parse: rate, expected: 'a rate such as 200G' },
  pfc: { parse: flag, expected: 'on or off' },
  ecn: { parse: flag, expected: 'on or off' },
  slowRestart: { parse: flag, expected: 'on or off' },
}
/** Facts of "FACT=VALUE" texts. @throws InputError with all that is wrong */
export function factsOfSettings(settings: readonly string[]): Facts {
  const facts: Record<string, unknown> = {}
  const issues: Issue[] = []
  for (const setting of settings) {
    const at = setting.indexOf('=')
    const [key, text] = [setting.slice(0, at < 0 ? undefined : at), at < 0 ? '' : setting.slice(at + 1)]
    const fact = Object.hasOwn(SETTABLE, key) ? SETTABLE[key] : undefined
    const value = fact?.parse(text)
    if (value !== undefined) facts[factNamed(key)] = value
    else {
      const [path, expected] =
        fact === undefined ? ['--set', `one of ${Object.keys(SETTABLE).join(', ')}`] : [`--set ${key}`, fact.expected]
      const received = fact === undefined ? key : text
      issues.push({ path, expected, received: received === '' ? 'nothing' : received, hint: '' })
    }
  }
  if (issues.length > 0) throw new InputError(issues)
  return facts
}
