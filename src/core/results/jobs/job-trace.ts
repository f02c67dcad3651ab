/**
 * Jobs in a trace for Perfetto: a process for each rank, with tracks of its lanes and channels; computes, sends (until their
 * last byte is there) and receives (from posted to done) as slices, arrows from sends to receives; and for each job a track
 * of its critical path. Format: Chrome's trace events (timeline.ts); ts and dur in microseconds.
 */
import type { Result } from '../result.ts'
import { numbersOf, textsOf } from '../table.ts'
import { tableOfKind } from '../table-kinds.ts'

/** An event of a trace that belongs to a job. */
export interface JobEvent {
  readonly name: string
  /** M: name of a process or thread, X: slice, s and f: begin and end of an arrow. */
  readonly ph: 'M' | 'X' | 's' | 'f'
  readonly pid: number
  readonly tid?: number
  readonly ts?: number
  readonly dur?: number
  readonly id?: number
  readonly cat?: 'message'
  readonly bp?: 'e'
  readonly args?: Readonly<Record<string, string | number>>
}

const US_PS = 1e6
/** Processes of jobs are numbered from here on. */
const FIRST = 1_000_000
const TRACKS: Readonly<Record<string, string>> = {
  compute: 'lane',
  send: 'sends, channel',
  receive: 'receives, channel',
}

/** Empty where operations were not logged. */
export function jobEvents(result: Pick<Result, 'series'>): JobEvent[] {
  const processes = new Map<string, number>()
  const named: JobEvent[] = []
  const processOf = (key: string, name: string): number => {
    let pid = processes.get(key)
    if (pid === undefined) {
      pid = FIRST + processes.size
      processes.set(key, pid)
      named.push({ name: 'process_name', ph: 'M', pid, args: { name } })
    }
    return pid
  }
  const events = [...pathEvents(result, processOf), ...operationEvents(result, processOf, named)]
  return [...named, ...events]
}

type ProcessOf = (key: string, name: string) => number

function pathEvents(result: Pick<Result, 'series'>, processOf: ProcessOf): JobEvent[] {
  const table = tableOfKind(result, 'critical-path')
  if (table === undefined) return []
  const [tags, pieces, names] = [textsOf(table, 'tag'), textsOf(table, 'piece'), textsOf(table, 'operation')]
  const [fromPs, toPs] = [numbersOf(table, 'fromPs'), numbersOf(table, 'toPs')]
  const [ranks, hosts] = [numbersOf(table, 'rank'), textsOf(table, 'rankName')]
  return tags.map((tag, row): JobEvent => {
    const pid = processOf(`path ${tag}`, `critical path of ${tag}`)
    const time = { ts: fromPs[row]! / US_PS, dur: (toPs[row]! - fromPs[row]!) / US_PS }
    const args = { operation: names[row]!, rank: ranks[row]!, host: hosts[row]! }
    return { name: `${pieces[row]!}: rank ${ranks[row]!}`, ph: 'X', pid, tid: 1, ...time, args }
  })
}

/** Slices that overlap on a track stand in further tracks of its name. */
function operationEvents(result: Pick<Result, 'series'>, processOf: ProcessOf, named: JobEvent[]): JobEvent[] {
  const table = tableOfKind(result, 'operations')
  if (table === undefined) return []
  const [tags, kinds, names, hosts] = ['tag', 'kind', 'operation', 'rankName'].map((name) => textsOf(table, name)) as [
    readonly string[],
    readonly string[],
    readonly string[],
    readonly string[],
  ]
  const of = (name: string): Float64Array => numbersOf(table, name)
  const [ids, ranks, streams, sizes] = [of('id'), of('rank'), of('stream'), of('sizeBytes')]
  const [beginPs, arrivedPs, donePs, sendIds] = [of('beginPs'), of('arrivedPs'), of('donePs'), of('sendId')]
  const tracks = new Map<string, { readonly tids: number[]; readonly untilPs: number[] }>()
  const counts = new Map<number, number>()
  /** Spot of each send's slice, by job and id. */
  const sent = new Map<string, Pick<JobEvent, 'pid' | 'tid' | 'ts'>>()
  const endOf = (row: number): number => (kinds[row] === 'send' ? arrivedPs[row]! : donePs[row]!)
  const order = [...beginPs.keys()]
    .filter((row) => kinds[row]! in TRACKS && endOf(row) >= beginPs[row]!)
    .toSorted((a, b) => beginPs[a]! - beginPs[b]! || a - b)
  const events: JobEvent[] = []
  const slices = new Map<number, Pick<JobEvent, 'pid' | 'tid'>>()
  for (const row of order) {
    const [tag, rank, fromPs, toPs] = [tags[row]!, ranks[row]!, beginPs[row]!, endOf(row)]
    const pid = processOf(`${tag} ${rank}`, `${tag} rank ${rank} (${hosts[row]!})`)
    const label = `${TRACKS[kinds[row]!]!} ${streams[row]!}`
    const track = tracks.get(`${pid} ${label}`) ?? { tids: [], untilPs: [] }
    tracks.set(`${pid} ${label}`, track)
    let lane = track.untilPs.findIndex((ps) => ps <= fromPs)
    if (lane < 0) {
      lane = track.tids.length
      const tid = (counts.get(pid) ?? 0) + 1
      counts.set(pid, tid)
      track.tids.push(tid)
      named.push({ name: 'thread_name', ph: 'M', pid, tid, args: { name: label } })
    }
    track.untilPs[lane] = toPs
    const spot = { pid, tid: track.tids[lane]! }
    slices.set(row, spot)
    const ts = fromPs / US_PS
    if (kinds[row] === 'send') sent.set(`${tag} ${ids[row]!}`, { ...spot, ts })
    const args = { id: ids[row]!, ...(kinds[row] === 'compute' ? {} : { sizeBytes: sizes[row]! }) }
    events.push({ name: names[row]!, ph: 'X', ...spot, ts, dur: (toPs - fromPs) / US_PS, args })
  }
  let arrow = 0
  for (const [row, spot] of slices) {
    const from = kinds[row] === 'receive' ? sent.get(`${tags[row]!} ${sendIds[row]!}`) : undefined
    if (from === undefined) continue
    const common = { name: 'message', cat: 'message' as const, id: arrow++ }
    const metPs = Math.max(arrivedPs[row]!, beginPs[row]!)
    events.push({ ...common, ph: 's', ...from }, { ...common, ph: 'f', bp: 'e', ...spot, ts: metPs / US_PS })
  }
  return events
}
