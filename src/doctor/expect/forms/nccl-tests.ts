/**
 * Tables of nccl-tests and rccl-tests. Rows are found by their shape and not by the start of a line, since launchers glue lines
 * of several ranks. Values are taken from time and size: bandwidths are printed with two decimals.
 * Source: nccl-tests, src/common.cu and src/*.cu (a0b82b2).
 */
import { busFactor, type CollectiveName } from '../../../core/workload/collective-names.ts'
import {
  type CollectiveReading,
  type CollectiveRow,
  linesOf,
  type Log,
  type LogLine,
  type Unread,
} from '../readings.ts'

/** Sizes of elements by the names of their types. */
const TYPES: Readonly<Record<string, number>> = {
  int8: 1,
  uint8: 1,
  f8e4m3: 1,
  f8e5m2: 1,
  fp8_e4m3: 1,
  fp8_e5m2: 1,
  half: 2,
  bfloat16: 2,
  int32: 4,
  uint32: 4,
  float: 4,
  int64: 8,
  uint64: 8,
  double: 8,
}
const REDUCTIONS = new Set(['sum', 'prod', 'min', 'max', 'avg', 'mulsum', 'none'])

const OPERATIONS: Readonly<Record<string, CollectiveName>> = {
  allreduce: 'all-reduce',
  allgather: 'all-gather',
  reducescatter: 'reduce-scatter',
  alltoall: 'all-to-all',
  broadcast: 'broadcast',
  reduce: 'reduce',
  gather: 'gather',
  scatter: 'scatter',
}
const TITLE =
  /\b(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|reduce|gather|scatter)(?:_perf\b|\.cu\b)/i
const NAMED = /Collective test starting: *(\w+?)(?:_perf)?\b/
const RANK = /# +Rank +\d+ [^#]*? on +(\S+) +device +\d+ +\[[\da-fx:. ]+\] *([^#]*)/i
const MEAN = /# Avg bus bandwidth *: *(\d+(?:\.\d+)?)/
const WHOLE = /^\d+$/
const DECIMAL = /^\d+(?:\.\d+)?$/
const WRONG = /^(?:\d+|N\/A|\d(?:\.\d+)?e[+-]\d+)$/

/** A table as far as it is read. */
interface Draft {
  readonly rows: CollectiveRow[]
  readonly groups: Group[]
  readonly hosts: Map<string, number>
  gpu: string | null
  named: CollectiveName | null
  meanBps: number | null
  reduces: boolean
}
const newDraft = (): Draft => ({
  rows: [],
  groups: [],
  hosts: new Map(),
  gpu: null,
  named: null,
  meanBps: null,
  reduces: false,
})
/** Each test of a log begins with its options. */
const BEGIN = /# nThread +\d/

export function readNcclTests(file: string, text: string): Log | undefined {
  const drafts = [newDraft()]
  const unread: Unread[] = []
  for (const line of linesOf(text)) {
    if (BEGIN.test(line.text) && drafts.at(-1)!.rows.length > 0) drafts.push(newDraft())
    const draft = drafts.at(-1)!
    const rank = RANK.exec(line.text)
    if (rank !== null) {
      draft.hosts.set(rank[1]!, (draft.hosts.get(rank[1]!) ?? 0) + 1)
      draft.gpu ??= rank[2]!.trim()
    }
    const title = NAMED.exec(line.text)?.[1] ?? TITLE.exec(line.text)?.[1]
    if (title !== undefined) draft.named ??= OPERATIONS[title.toLowerCase().replaceAll('_', '')] ?? null
    const printed = MEAN.exec(line.text)?.[1]
    if (printed !== undefined) draft.meanBps = Number(printed) * 8e9
    for (const found of rowsIn(line)) {
      if ('reason' in found) unread.push({ file, ...found })
      else {
        draft.rows.push(found.row)
        draft.groups.push(...found.groups)
        draft.reduces ||= found.reduces
      }
    }
  }
  const readings = drafts.filter(({ rows }) => rows.length > 0).map((draft) => readingOf(file, draft))
  return readings.length + unread.length === 0 ? undefined : { file, readings, unread, untested: [] }
}

function readingOf(file: string, { rows, groups, hosts, gpu, named, meanBps, reduces }: Draft): CollectiveReading {
  const listed = [...hosts.values()].reduce((a, b) => a + b, 0)
  const operation = named ?? operationBy(groups, reduces)
  return {
    kind: 'collective',
    file,
    line: rows[0]!.line,
    operation,
    ranks: listed > 0 ? listed : ranksBy(groups, operation),
    servers: hosts.size > 0 ? hosts.size : null,
    gpu,
    rows,
    printedMeanBps: meanBps,
  }
}

/** The operation by its factor: only an all-reduce has one above 1; below 1 the reduction tells one of three. */
function operationBy(groups: readonly Group[], reduces: boolean): CollectiveName | null {
  const largest = groups.toSorted((a, b) => b.algorithmGBs - a.algorithmGBs)[0]
  if (largest === undefined || Math.abs(largest.busGBs - largest.algorithmGBs) <= 2 * ROUNDED)
    // With two ranks both bandwidths are the same. A reduce would name its root.
    return reduces ? 'all-reduce' : null
  if (largest.busGBs > largest.algorithmGBs) return 'all-reduce'
  return reduces ? 'reduce-scatter' : null
}
/** Bandwidths are printed with two decimals. */
const ROUNDED = 0.0051
const RANKS_MAX = 65_536

/** The one number of ranks whose factor is that of all rows; null where several are. */
function ranksBy(groups: readonly Group[], operation: CollectiveName | null): number | null {
  if (operation === null || groups.length === 0) return null
  const hasFactor = (ranks: number): boolean => {
    const factor = busFactor(operation, ranks)
    return groups.every(
      ({ algorithmGBs, busGBs }) => Math.abs(busGBs - factor * algorithmGBs) <= ROUNDED * (1 + factor),
    )
  }
  const first = firstFrom(2, hasFactor)
  return first === null || hasFactor(first + 1) ? null : first
}

function firstFrom(least: number, fits: (ranks: number) => boolean): number | null {
  for (let ranks = least; ranks <= RANKS_MAX; ranks++) if (fits(ranks)) return ranks
  return null
}

type Found =
  | { readonly row: CollectiveRow; readonly groups: readonly Group[]; readonly reduces: boolean }
  | { readonly line: number; readonly text: string; readonly reason: string }

/** Rows of a line, wherever they begin in it. */
function* rowsIn({ line, text }: LogLine): Generator<Found> {
  const words = text.trim().split(/\s+/)
  for (let i = 0; i + 5 < words.length; i++) {
    const element = TYPES[words[i + 2]!]
    if (element === undefined || !WHOLE.test(words[i]!) || !WHOLE.test(words[i + 1]!)) continue
    const [size, count] = [Number(words[i]), Number(words[i + 1])]
    let at = i + 3
    const redop = REDUCTIONS.has(words[at]!) ? words[at++]! : ''
    let root = -1
    if (/^-?\d+$/.test(words[at] ?? '') && DECIMAL.test(words[at + 1] ?? '') && isGroup(words, at + 1))
      root = Number(words[at++])
    const groups: Group[] = []
    // With -I 1 a group has four more: min, max, p99 and cv.
    const width = words.length - at >= 16 ? 8 : 4
    while (groups.length < 2 && isGroup(words, at)) {
      groups.push(groupAt(words, at))
      at += width
    }
    const shown = words.slice(i, at).join(' ').slice(0, 120)
    const reason = reasonAgainst(size, count, element, groups)
    if (reason !== undefined) yield { line, text: shown, reason }
    else yield { row: rowOf(line, size, groups), groups, reduces: redop !== '' && redop !== 'none' && root < 0 }
    i = at - 1
  }
}

interface Group {
  readonly timeUs: number
  readonly algorithmGBs: number
  readonly busGBs: number
  readonly wrong: number | null
}

const isGroup = (words: readonly string[], at: number): boolean =>
  [0, 1, 2].every((i) => DECIMAL.test(words[at + i] ?? '')) && WRONG.test(words[at + 3] ?? '')

function groupAt(words: readonly string[], at: number): Group {
  const [time, algorithm, bus, wrong] = words.slice(at, at + 4)
  const count = wrong === 'N/A' ? null : wrong!.includes('e') ? Number(Number(wrong) > 1e-3) : Number(wrong)
  return { timeUs: Number(time), algorithmGBs: Number(algorithm), busGBs: Number(bus), wrong: count }
}

/** Size, count, time and bandwidth say the same twice: where they do not, a digit is wrong and nobody knows which. */
function reasonAgainst(size: number, count: number, element: number, groups: readonly Group[]): string | undefined {
  const per = size / (count * element)
  if (groups.length === 0) return 'no time and bandwidths behind the size'
  if (size === 0 || count === 0) return size === count ? undefined : 'size and count differ'
  if (Math.abs(per - Math.round(per)) > 1e-6 * per && per < 4096 && !isPadded(per)) return 'size and count differ'
  const odd = groups.find(({ timeUs, algorithmGBs }) => {
    const exact = size / timeUs / 1e3
    return !(Math.abs(exact - algorithmGBs) <= 0.0051 + 0.006 * exact)
  })
  return odd === undefined ? undefined : 'size, time and bandwidth differ'
}

/** A count is rounded down to whole shares of 16 bytes: all-gathers of odd sizes. */
const isPadded = (per: number): boolean => Math.abs(per - Math.round(per)) < 0.01 * per

function rowOf(line: number, sizeBytes: number, groups: readonly Group[]): CollectiveRow {
  const checked = groups.flatMap(({ wrong }) => wrong ?? [])
  return {
    line,
    sizeBytes,
    timesUs: groups.map(({ timeUs }) => timeUs),
    wrong: checked.length === 0 ? null : Math.max(...checked),
  }
}
