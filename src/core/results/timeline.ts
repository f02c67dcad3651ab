/**
 * Timeline: what happened when in a run, as a trace that Perfetto (ui.perfetto.dev) and chrome://tracing open: flows as
 * slices by source host, with the parts of their lives below them, pauses as slices by port, queues as counters, drops as
 * instants. Parts alternate in a flow's life; they are shown as sums, one after the other in the order of its path.
 * Format: Chrome's trace events in JSON; ts and dur in microseconds, here with fractions down to the picosecond.
 * Shape: parallel arrays.
 */
import { hostName } from '../base/device-names.ts'
import { completionsOf } from './completions.ts'
import { type Part, REQUEST_COLUMNS } from './flow-parts.ts'
import { flowsOfMessages, isExplained, partsOf, spansOf } from './part-columns.ts'
import { type JobEvent, jobEvents } from './jobs/job-trace.ts'
import type { Result } from './result.ts'
import { numbersOf, textsOf } from './table.ts'
import { tableOfKind } from './table-kinds.ts'

export interface Timeline {
  readonly name: string
  readonly endPs: number
  readonly flows: {
    readonly number: ArrayLike<number>
    readonly source: ArrayLike<number>
    readonly destination: ArrayLike<number>
    readonly sizeBytes: ArrayLike<number>
    readonly startPs: ArrayLike<number>
    /** NaN or null: it did not end. */
    readonly endPs: ArrayLike<number | null>
    readonly status: ArrayLike<string>
    /** Parts of their lives, in the order of the path; none: the run had no autopsy. */
    readonly parts?: readonly LifePart[]
  }
  readonly pauses: PauseSpans
  readonly queues: readonly QueueCounter[]
  readonly drops: Drops
  /** Absent: there are no jobs, or their operations are not known. */
  readonly jobs?: readonly JobEvent[]
}

/** A part of the lives of flows; columns by flow. */
export interface LifePart {
  readonly label: string
  readonly spanPs: ArrayLike<number>
  /** The origin of most of it, and that share of it; "": not known. */
  readonly heldBy?: ArrayLike<string>
  readonly heldPs?: ArrayLike<number>
}

/** One entry a pause. */
export interface PauseSpans {
  /** "leaf 0 port 2, class 3". */
  readonly port: ArrayLike<string>
  readonly by: ArrayLike<string>
  readonly startPs: ArrayLike<number>
  readonly endPs: ArrayLike<number>
}

export interface QueueCounter {
  readonly port: string
  readonly timePs: ArrayLike<number>
  readonly queueBytes: ArrayLike<number>
}

export interface Drops {
  readonly timePs: ArrayLike<number>
  readonly node: ArrayLike<string>
  readonly reason: ArrayLike<string>
}

interface TraceEvent {
  readonly name: string
  /** M: name of a process or thread, X: slice, C: counter, i: instant. */
  readonly ph: 'M' | 'X' | 'C' | 'i'
  readonly pid: number
  readonly tid?: number
  readonly ts?: number
  readonly dur?: number
  readonly s?: 't'
  readonly args?: Readonly<Record<string, string | number>>
}

const US_PS = 1e6
/** Processes of the trace: hosts from FIRST_HOST on. */
const PAUSES = 1
const QUEUES = 2
const DROPS = 3
const FIRST_HOST = 10

/** The whole file. */
export function traceText(timeline: Timeline): string {
  const events = [
    ...flowEvents(timeline),
    ...pauseEvents(timeline.pauses),
    ...queueEvents(timeline.queues),
    ...dropEvents(timeline.drops),
    ...(timeline.jobs ?? []),
  ]
  const lines = events.map((event) => JSON.stringify(event))
  return `{"displayTimeUnit":"ns","otherData":${JSON.stringify({ run: timeline.name })},"traceEvents":[\n${lines.join(',\n')}\n]}\n`
}

/** Flows that overlap at a host stand in lanes of their own: slices of one lane have to end before the next begins. */
function flowEvents({ flows, endPs }: Timeline): TraceEvent[] {
  const order = [...Array.from(flows.startPs).keys()].toSorted((a, b) => flows.startPs[a]! - flows.startPs[b]! || a - b)
  const lanes = new Map<number, number[]>()
  const named: TraceEvent[] = []
  const slices = order.flatMap((row): TraceEvent[] => {
    const [host, startPs] = [flows.source[row]!, flows.startPs[row]!]
    const known = flows.endPs[row]
    const until = typeof known === 'number' && Number.isFinite(known) ? known : Math.max(endPs, startPs)
    const free = lanes.get(host) ?? []
    if (free.length === 0) {
      lanes.set(host, free)
      named.push(processName(FIRST_HOST + host, hostName(host)))
    }
    let lane = free.findIndex((lanePs) => lanePs <= startPs)
    if (lane < 0) {
      lane = free.length
      named.push(threadName(FIRST_HOST + host, lane + 1, `flows ${lane + 1}`))
    }
    free[lane] = until
    const thread = { ph: 'X', pid: FIRST_HOST + host, tid: lane + 1 } as const
    const name = `flow ${flows.number[row]!} to ${hostName(flows.destination[row]!)}`
    const args = { sizeBytes: flows.sizeBytes[row]!, status: flows.status[row]! }
    return [
      { ...thread, name, ts: startPs / US_PS, dur: (until - startPs) / US_PS, args },
      ...lifeEvents(flows.parts ?? [], row, startPs).map((event) => ({ ...thread, ...event })),
    ]
  })
  return [...named, ...slices]
}

/** Slices of the parts of a flow, which lie within its own. */
function lifeEvents(parts: readonly LifePart[], row: number, startPs: number): Omit<TraceEvent, 'ph' | 'pid'>[] {
  let fromPs = startPs
  return parts.flatMap(({ label, spanPs, heldBy, heldPs }) => {
    const ps = spanPs[row]!
    if (!(ps > 0)) return []
    const ts = fromPs / US_PS
    fromPs += ps
    const origin = heldBy?.[row] ?? ''
    const args = origin === '' ? {} : { args: { heldBy: origin, heldByPs: heldPs?.[row] ?? 0 } }
    return [{ name: label, ts, dur: ps / US_PS, ...args }]
  })
}

function pauseEvents({ port, by, startPs, endPs }: PauseSpans): TraceEvent[] {
  const threads = new Map<string, number>()
  const slices = Array.from(startPs, (fromPs, row): TraceEvent => {
    const name = port[row]!
    const tid = threads.get(name) ?? threads.size + 1
    threads.set(name, tid)
    return {
      name: `paused by ${by[row]!}`,
      ph: 'X',
      pid: PAUSES,
      tid,
      ts: fromPs / US_PS,
      dur: (endPs[row]! - fromPs) / US_PS,
    }
  })
  if (slices.length === 0) return []
  const names = [...threads].map(([name, tid]) => threadName(PAUSES, tid, name))
  return [processName(PAUSES, 'paused by PFC'), ...names, ...slices]
}

function queueEvents(queues: readonly QueueCounter[]): TraceEvent[] {
  if (queues.length === 0) return []
  const counters = queues.flatMap(({ port, timePs, queueBytes }) =>
    Array.from(timePs, (ps, row): TraceEvent => {
      return { name: port, ph: 'C', pid: QUEUES, ts: ps / US_PS, args: { bytes: queueBytes[row]! } }
    }),
  )
  return [processName(QUEUES, 'queues'), ...counters]
}

function dropEvents({ timePs, node, reason }: Drops): TraceEvent[] {
  const threads = new Map<string, number>()
  const instants = Array.from(timePs, (ps, row): TraceEvent => {
    const name = node[row]!
    const tid = threads.get(name) ?? threads.size + 1
    threads.set(name, tid)
    return { name: reason[row]!, ph: 'i', pid: DROPS, tid, ts: ps / US_PS, s: 't' }
  })
  if (instants.length === 0) return []
  const names = [...threads].map(([name, tid]) => threadName(DROPS, tid, name))
  return [processName(DROPS, 'drops'), ...names, ...instants]
}

function processName(pid: number, name: string): TraceEvent {
  return { name: 'process_name', ph: 'M', pid, args: { name } }
}

function threadName(pid: number, tid: number, name: string): TraceEvent {
  return { name: 'thread_name', ph: 'M', pid, tid, args: { name } }
}

/** Everything that a result has. */
export function timelineOf(result: Result): Timeline {
  const { flows } = result
  const startPs = numbersOf(flows, 'startPs')
  const { completionPs } = completionsOf(result)
  return {
    name: result.name,
    endPs: result.simulatedPs,
    flows: {
      number: numbersOf(flows, 'flow'),
      source: numbersOf(flows, 'source'),
      destination: numbersOf(flows, 'destination'),
      sizeBytes: numbersOf(flows, 'sizeBytes'),
      startPs,
      endPs: startPs.map((ps, row) => ps + completionPs[row]!),
      status: textsOf(flows, 'status'),
      parts: isExplained(result) ? lifePartsOf(result) : [],
    },
    pauses: pauseSpansOf(result, Infinity),
    queues: queuesOf(result),
    drops: dropsOf(result, Infinity),
    jobs: jobEvents(result),
  }
}

/** What goes before the sender's parts in a life: the request of a READ, and earlier messages. */
const isFirst = ({ column }: Part): boolean => REQUEST_COLUMNS.has(column) || column === 'behindPs'

/** Parts that some flow has, with the origin of most of each. */
function lifePartsOf(result: Result): LifePart[] {
  const parts = partsOf(result.completion)
  const origins = mainOrigins(result)
  return [...parts.filter(isFirst), ...parts.filter((part) => !isFirst(part))].flatMap((part): LifePart[] => {
    const spanPs = spansOf(result, part)
    if (!spanPs.some((ps) => ps > 0)) return []
    const ofPart = origins.get(part.column)
    const heldBy = Array.from(spanPs, (_, row) => ofPart?.get(row)?.name ?? '')
    const heldPs = spanPs.map((_, row) => ofPart?.get(row)?.spanPs ?? 0)
    return [{ label: part.label, spanPs, heldBy, heldPs }]
  })
}

/** By part and flow: the origin of most of it, and how much that is. */
function mainOrigins(result: Result): Map<string, Map<number, { readonly name: string; readonly spanPs: number }>> {
  const main = new Map<string, Map<number, { readonly name: string; readonly spanPs: number }>>()
  const table = tableOfKind(result, 'autopsy/origins')
  if (table === undefined) return main
  const [parts, names, spans] = [textsOf(table, 'part'), textsOf(table, 'origin'), numbersOf(table, 'spanPs')]
  flowsOfMessages(result.flows, table).forEach((flow, row) => {
    const ofPart = main.get(parts[row]!) ?? new Map<number, { readonly name: string; readonly spanPs: number }>()
    main.set(parts[row]!, ofPart)
    if (spans[row]! > (ofPart.get(flow)?.spanPs ?? 0)) ofPart.set(flow, { name: names[row]!, spanPs: spans[row]! })
  })
  return main
}

/** Pauses that the run observed; of more than `most` the longest. */
export function pauseSpansOf(result: Result, most: number): PauseSpans {
  const table = tableOfKind(result, 'pause-intervals')
  if (table === undefined) return { port: [], by: [], startPs: [], endPs: [] }
  const [startPs, endPs] = [numbersOf(table, 'startPs'), numbersOf(table, 'endPs')]
  const [nodeName, port] = [textsOf(table, 'nodeName'), numbersOf(table, 'port')]
  const [trafficClass, peerName] = [numbersOf(table, 'trafficClass'), textsOf(table, 'peerName')]
  let rows = [...startPs.keys()]
  if (rows.length > most) {
    const lengthOf = (row: number): number => endPs[row]! - startPs[row]!
    rows = rows.toSorted((a, b) => lengthOf(b) - lengthOf(a) || a - b).slice(0, most)
    rows.sort((a, b) => a - b)
  }
  return {
    port: rows.map((row) => `${nodeName[row]!} port ${port[row]!}, class ${trafficClass[row]!}`),
    by: rows.map((row) => peerName[row]!),
    startPs: rows.map((row) => startPs[row]!),
    endPs: rows.map((row) => endPs[row]!),
  }
}

function queuesOf(result: Result): QueueCounter[] {
  const table = tableOfKind(result, 'queue-depth')
  if (table === undefined) return []
  const [timePs, queueBytes] = [numbersOf(table, 'timePs'), numbersOf(table, 'queueBytes')]
  const [nodeName, port] = [textsOf(table, 'nodeName'), numbersOf(table, 'port')]
  const trafficClass = numbersOf(table, 'trafficClass')
  const rows = new Map<string, number[]>()
  timePs.forEach((_, row) => {
    const name = `${nodeName[row]!} port ${port[row]!}, class ${trafficClass[row]!}`
    const own = rows.get(name)
    if (own === undefined) rows.set(name, [row])
    else own.push(row)
  })
  return [...rows].map(([name, own]) => ({
    port: name,
    timePs: own.map((row) => timePs[row]!),
    queueBytes: own.map((row) => queueBytes[row]!),
  }))
}

/** Drops that the run observed, the first `most` of them. */
export function dropsOf(result: Result, most: number): Drops {
  const table = tableOfKind(result, 'drops', 'drops/without-links')
  if (table === undefined) return { timePs: [], node: [], reason: [] }
  const rows = Math.min(most, table.rowCount)
  return {
    timePs: Array.from(numbersOf(table, 'timePs').subarray(0, rows)),
    node: textsOf(table, 'nodeName').slice(0, rows),
    reason: textsOf(table, 'reason').slice(0, rows),
  }
}
