/** Answers of `expect` as text: each measurement beside what is expected, the limits of its path, and what to look at next. */
import { exactCount, humanNumber, humanRate, humanShare, unitOf } from '../../core/base/format.ts'
import { factsTable, right, textTable, type TextOptions } from '../../show/index.ts'
import {
  type Answer,
  type Expectation,
  type FactName,
  FORM_NAMES,
  keyOf,
  PARTS,
  type Reason,
  type RowAnswer,
  type Seen,
  type Simulated,
  type Understood,
} from '../expect/index.ts'

const REASONS: Readonly<Record<Reason, string>> = {
  'no-rate-of-the-link': 'the rate of the links is not known: give --fabric, such as "8x400G RoCE x 2 servers"',
  'small-message': 'messages this small are limited by what is not published of this NIC',
  'fixed-times-rule': 'fixed times rule here, of which NCCL has only a model',
  'values-are-wrong': 'the results are wrong: a rate of wrong results says nothing',
  'no-servers': 'the number of servers is not known: give --set servers=N',
  'operation-unknown': 'the log does not say which collective this is, or of how many ranks',
  'model-unknown': 'below 1 GiB only an all-reduce of known GPUs has a model',
  'trees-of-two-servers':
    'trees between two servers send half of what a ring sends; otherwise the fabric is not the one given',
  'inside-one-server': 'one server: no NIC takes part',
  'storage-unknown': 'what the drives can do stands in no log',
  'nic-unknown': 'the NIC is not known: give --set nic=NAME',
  'no-ceiling-explains': 'no limit known here explains it',
  'unequal-paths': 'runs over unequal paths at the same time: no limit known here explains it',
}

/** Sentences of the things seen. */
const SEEN: Readonly<Record<Seen['id'], (values: Seen['values']) => string>> = {
  collapse: (v) =>
    `from ${size(v['fromBytes'])} to ${size(v['toBytes'])} the time grows ${numberOf(v['timeRatio'])} times`,
  dip: (v) =>
    v['fromBytes'] === v['toBytes']
      ? `the rate falls at ${size(v['fromBytes'])} and comes back behind it`
      : `the rate falls from ${size(v['fromBytes'])} to ${size(v['toBytes'])} and comes back behind`,
  flat: (v) =>
    `the rate is the same from ${size(v['fromBytes'])} to ${size(v['toBytes'])}: a rate limits and no latency`,
  'fixed-time': (v) => `each call costs about ${numberOf(v['fixedUs'])} us beside its bytes`,
  'mean-of-other-rows': (v) =>
    `the mean printed below the table, ${bytesRate(v['printedBps'])}, is not that of these rows`,
  'wrong-values': (v) => `rows with wrong values: ${numberOf(v['rows'])}`,
  'counter-grew': (v) => `${text(v['name'])} grew by ${exactCount(v['grewBy'] as number)}`,
  'counter-still': (v) => `${text(v['name'])} did not grow`,
  passed: (v) => `${text(v['file'])} carried ${humanRate(v['rateBps'] as number)} with the same NIC`,
  'no-fabric': () => 'no switch stands between the hosts',
  'seconds-counted': (v) =>
    `${numberOf(v['countedSeconds'])} s were counted: with -D the tool leaves out a quarter at each end`,
  'unit-inferred': (v) => `the log names no unit: size and message rate make it ${text(v['unit'])}`,
  'switch-time': (v) =>
    `a switch with its cable adds ${numberOf(v['addedNs'])} ns each way; the NICs take ${humanShare(v['nicShare'] as number, 2)} of the time`,
  'one-nic-alone': (v) =>
    `one NIC alone carried ${humanRate(v['rateBps'] as number)}, ${humanShare(v['share'] as number, 2)} of its link`,
  'share-of-nic': (v) =>
    `that is ${humanShare(v['share'] as number, 2)} of ${v['count'] === 1 ? 'one NIC' : `${numberOf(v['count'])} NICs`}`,
}
type Value = Seen['values'][string] | undefined
const text = (value: Value): string => (typeof value === 'string' ? value : JSON.stringify(value))
const numberOf = (value: Value): string => humanNumber(value as number)
const size = (value: Value): string => binarySize(value as number)
const bytesRate = (value: Value): string => `${humanNumber((value as number) / 8e9)} GB/s`

/** "64 MiB", as the tools count; other sizes in bytes. */
export function binarySize(bytes: number): string {
  const unit = [30, 20, 10].find((shift) => bytes >= 2 ** shift && bytes % 2 ** (shift - 3) === 0)
  if (unit === undefined) return `${exactCount(bytes)} B`
  return `${bytes / 2 ** unit} ${{ 10: 'KiB', 20: 'MiB', 30: 'GiB' }[unit]!}`
}

const VERDICTS: Readonly<Record<Answer['verdict'], string>> = {
  'above-link': 'above the link',
  'as-expected': 'as expected',
  below: 'below',
  'far-below': 'far below',
  'cannot-tell': 'cannot tell',
}

export function expectText(expectation: Expectation, options: TextOptions): string {
  const { answers, understood, notUnderstood, unread, unknownFiles, untested } = expectation
  const parts = [
    understoodText(understood, notUnderstood, options),
    ...answers.map((answer) => answerText(answer, options)),
    unread.length === 0
      ? ''
      : factsTable(
          [
            ['not read', ''],
            ...unread.slice(0, 10).map((each) => [`${each.file}:${each.line}`, `${each.reason}: ${each.text}`]),
          ],
          options,
        ) + (unread.length > 10 ? `and ${unread.length - 10} more lines\n` : ''),
    unknownFiles.map((file) => `${file}: no measurement in it (known: ${FORM_NAMES})\n`).join(''),
    untested
      .map((form) => `${form}: this form was written from its documentation, no real log has been seen\n`)
      .join(''),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

export function understoodText(
  understood: readonly Understood[],
  left: readonly string[],
  options: TextOptions,
): string {
  const rows = understood.map(({ name, value, from }) => [keyOf(name), valueText(name, value), from])
  const known = rows.length === 0 ? 'of the fabric nothing is known\n' : textTable(['fabric', '', ''], rows, options)
  return known + (left.length === 0 ? '' : `not understood: ${left.map((phrase) => `"${phrase}"`).join(', ')}\n`)
}

function valueText(name: string, value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, each]) => `${key}=${each as string}`)
      .join(' ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'number' && unitOf(name) === 'Bps' ? humanRate(value) : String(value)
}

/** Rates of collectives are bytes, as nccl-tests prints them; those of perftest are bits; a round trip is a time. */
function rateText({ kind }: Pick<Answer, 'kind'>, value: number | null): string {
  if (value === null) return '?'
  if (kind === 'round-trip') return `${exactCount(Math.round(value))} ns`
  return kind === 'perftest' ? humanRate(value, 4) : `${humanNumber(value / 8e9)} GB/s`
}

/** A part of a number that is too low is suspected, and shown by no run of this program. */
const isSuspect = (verdict: Answer['verdict']): boolean => verdict !== 'as-expected' && verdict !== 'above-link'

function answerText(answer: Answer, options: TextOptions): string {
  const { files, operation, rows, ceilings, verdict, part, reason, seen, confirm } = answer
  const isSimulated = rows.some(({ simulated }) => simulated !== undefined)
  const cells = rows.map((row) => [
    ...(files.length === 1 ? [] : [row.file]),
    row.sizeBytes === 0 ? '' : binarySize(row.sizeBytes),
    rateText(answer, row.measuredBps),
    rangeText(answer, row),
    row.ratio === null ? '' : humanNumber(row.ratio),
    VERDICTS[row.verdict],
    row.part === null ? '' : PARTS[row.part].name,
    ...(isSimulated ? simulatedCells(row) : []),
  ])
  const table = textTable(
    [
      ...(files.length === 1 ? [] : ['log']),
      right('size'),
      right('measured'),
      right('expected'),
      right('ratio'),
      '',
      'limit',
      ...(isSimulated ? SIMULATED_HEAD : []),
    ],
    cells,
    options,
  )
  const limits = ceilings.map((each) => [
    PARTS[each.part].name,
    each.toBps === null ? '?' : limitText(answer, each.fromBps!, each.toBps),
    each.form,
    each.status === 'guess'
      ? needsText(each.needs)
      : `${each.status}${each.status === 'exact' ? '' : `: ${each.source}`}`,
  ])
  const because =
    part === null
      ? reason === null
        ? ''
        : `: ${REASONS[reason]}`
      : `: ${isSuspect(verdict) ? 'look first at ' : ''}${PARTS[part].name}${reason === null ? '' : ` (${REASONS[reason]})`}`
  return [
    `${files.join(', ')}, ${operation ?? 'times'}: ${VERDICTS[verdict]}${because}\n`,
    ...seen.map((each) => `  ${SEEN[each.id](each.values)}\n`),
    `\n${table}${isSimulated ? simulatedNote(rows) : ''}`,
    limits.length === 0 ? '' : `\n${textTable(['limits, the lowest first', '', '', ''], limits, options)}`,
    confirm.length === 0
      ? ''
      : `\n${textTable(
          ['to confirm', 'its answer means'],
          confirm.map(({ command, means }) => [command, means]),
          options,
        )}`,
  ].join('')
}

const needsText = (needs: readonly FactName[]): string =>
  needs.length === 0 ? 'not known' : `not known: ${needs.map(keyOf).join(', ')}`

function rangeText(answer: Answer, { fromBps, toBps }: RowAnswer): string {
  if (toBps === null) return '?'
  return fromBps === null ? `up to ${rateText(answer, toBps)}` : limitText(answer, fromBps, toBps)
}

function limitText(answer: Answer, from: number, to: number): string {
  return fromTo(rateText(answer, from), rateText(answer, to))
}

const fromTo = (low: string, high: string): string => (low === high ? high : `${low.split(' ')[0]!} to ${high}`)

/** The rates to expect of a fabric that nobody has measured yet. */
export function expectedText(rows: readonly RowAnswer[] | Reason, options: TextOptions): string {
  if (typeof rows === 'string') return `cannot tell: ${REASONS[rows]}\n`
  const kind = 'collective'
  const isSimulated = rows.some(({ simulated }) => simulated !== undefined)
  const cells = rows.map((row) => [
    binarySize(row.sizeBytes),
    limitText({ kind } as Answer, row.fromBps!, row.toBps!),
    PARTS[row.part!].name,
    ...(isSimulated ? simulatedCells(row) : []),
  ])
  const head = [right('size'), right('expected'), 'by', ...(isSimulated ? SIMULATED_HEAD : [])]
  return `all-reduce, bus bandwidth\n${textTable(head, cells, options)}${isSimulated ? simulatedNote(rows) : ''}`
}

const SIMULATED_HEAD = [right('simulated'), right('time'), 'how']
const simulatedNote = (rows: readonly RowAnswer[]): string =>
  "simulated: one NIC of each server for all; launch, steps inside servers and limits of a channel are those of NCCL's model;\n" +
  'what NVLink carries, and reductions in its switches (NVLS), are not in it: large sizes may be faster\n' +
  (rows.some(({ simulated }) => (simulated?.seeds ?? 1) > 1)
    ? 'from the slowest to the fastest seed, each a hash of ECMP for these NICs; a run is as slow as the slowest of its NICs\n'
    : '')

function simulatedCells({ simulated }: RowAnswer): string[] {
  if (simulated === undefined) return ['', '', '']
  const { timeUs, busBps, algorithm, protocol, by } = simulated
  if (timeUs === null || busBps === null)
    return ['?', '?', by === 'stopped' ? 'packets, lost without end' : 'too large to simulate']
  const rates = busBps.map((bps) => bytesRate(bps)) as [string, string]
  const times = timeUs.map((us) => `${humanNumber(us)} us`) as [string, string]
  return [fromTo(...rates), fromTo(...times), `${algorithm} ${protocol}, ${howText(simulated)}`]
}

function howText({ by, missedBy, seeds }: Simulated): string {
  if (by === 'packets') return seeds === 1 ? 'packets' : `packets, ${seeds} seeds`
  return missedBy === null ? 'line' : `line (missed a run by ${(100 * missedBy).toFixed(1)} %)`
}
