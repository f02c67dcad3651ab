/**
 * Waiting trace: messages written down one by one, some of which wait for others, as a program of operations. Ranks are
 * hosts; of messages that are due at one time that of the first host goes first, then that of the first line.
 */
import type { Issue } from '../../base/issue.ts'
import type { Message } from '../workload.ts'
import type { GraphPlan } from './graph-source.ts'
import { OperationTable } from './operation-table.ts'
import { blankOperation, OWN } from './program.ts'
import { circleOf } from './table/edges.ts'
import { programOf } from './table/table-program.ts'

/** Which others a message waits for. */
export interface Waits {
  /** Its name for those that wait for it; '': none. */
  id: string
  /** Messages that are received whole, and messages that are acknowledged. */
  after: readonly string[]
  acked: readonly string[]
  /** How many of them suffice; 0: all. */
  need: number
  /** From then to its start. */
  delayPs: number
}

export function noWaits(): Waits {
  return { id: '', after: [], acked: [], need: 0, delayPs: 0 }
}

/** A message as a program needs it. */
type Flow = Pick<Message, 'source' | 'destination' | 'sizeBytes' | 'startPs' | 'connection'>

/** Messages by line; those without waits have null. */
export interface WaitingTrace<F extends Flow = Flow> {
  readonly flows: readonly F[]
  readonly waits: readonly (Waits | null)[]
}

/** Whether a message waits for another. */
export function isWaiting(waits: Waits | null): waits is Waits {
  return waits !== null && waits.after.length + waits.acked.length > 0
}

/** Mistakes, at "flows.N": ids twice or unknown, circles, needs that cannot be met. */
export function waitIssues({ waits }: WaitingTrace): Issue[] {
  const issues: Issue[] = []
  const problem = (line: number, expected: string, received: string): void => {
    issues.push({ path: `flows.${line}`, expected, received, hint: '' })
  }
  const lineOf = new Map<string, number>()
  waits.forEach((each, line) => {
    if (each === null || each.id === '') return
    const first = lineOf.get(each.id)
    if (first === undefined) lineOf.set(each.id, line)
    else problem(line, 'an id of its own', `id=${each.id}, which flows.${first} has`)
  })
  const pairs: number[] = []
  const needs = new Map<number, number>()
  waits.forEach((each, line) => {
    if (each === null) return
    const { after, acked, need, delayPs } = each
    const count = after.length + acked.length
    if (count === 0 && (need > 0 || delayPs > 0))
      problem(line, 'after=ID or acked=ID', need > 0 ? `need=${need} alone` : 'delay alone')
    else if (need > count) problem(line, `need=1 to need=${count}`, `need=${need}`)
    if (need > 0) needs.set(line, need)
    for (const ids of [after, acked]) {
      ids.forEach((id, at) => {
        const on = lineOf.get(id)
        if (on === undefined) problem(line, 'an id that a flow has', `"${id}"`)
        else if (ids.indexOf(id) < at) problem(line, 'each id once', `"${id}" again`)
        else pairs.push(on, line)
      })
    }
  })
  if (issues.length > 0) return issues
  const circle = circleOf(waits.length, [pairs], needs)
  if (circle.length > 0) {
    const [line] = circle
    problem(line!, 'flows that can start', `${circle.map((at) => `flows.${at}`).join(', ')}, which wait for each other`)
  }
  return issues
}

/** The program, and the line of each operation. There must be no issues. */
export function waitingTable(
  { flows, waits }: WaitingTrace,
  hostCount: number,
): { table: OperationTable; lineOf: number[] } {
  const table = new OperationTable(hostCount)
  const lineOf: number[] = []
  const pairCounts = new Map<number, number>()
  const channels = new Map<number, number>()
  const sends: number[] = []
  const receives: number[] = []
  const blank = { peer: 0, sizeBytes: 0, tag: 0, channel: 0, durationPs: 0, lane: 0 }
  const add = (line: number, operation: Parameters<OperationTable['add']>[0]): number => {
    lineOf.push(line)
    return table.add(operation)
  }
  flows.forEach(({ source, destination, sizeBytes, startPs, connection }, line) => {
    const pair = source * hostCount + destination
    // A message finds its own receive, whatever is posted first.
    const tag = pairCounts.get(pair) ?? 0
    pairCounts.set(pair, tag + 1)
    if (connection >= 0 && !channels.has(connection)) channels.set(connection, channels.size)
    const message = { ...blank, sizeBytes, tag, channel: channels.get(connection) ?? OWN }
    receives.push(add(line, { ...message, kind: 'receive', rank: destination, peer: source }))
    const its = waits[line]!
    const durationPs = its?.delayPs ?? 0
    const isLate = startPs > 0 || durationPs > 0
    const wait = isLate ? add(line, { ...blank, kind: 'wait', rank: source, durationPs, untilPs: startPs }) : -1
    const send = add(line, { ...message, kind: 'send', rank: source, peer: destination })
    sends.push(send)
    if (isLate) table.depend(send, wait, 'after')
  })
  const lineOfId = new Map(waits.flatMap((each, line) => (each === null || each.id === '' ? [] : [[each.id, line]])))
  waits.forEach((each, line) => {
    if (!isWaiting(each)) return
    const isLate = flows[line]!.startPs > 0 || each.delayPs > 0
    const waiter = sends[line]! - (isLate ? 1 : 0)
    for (const id of each.after) table.depend(waiter, receives[lineOfId.get(id)!]!, 'after')
    for (const id of each.acked) table.depend(waiter, sends[lineOfId.get(id)!]!, 'after')
    if (each.need > 0) table.need(waiter, each.need)
  })
  return { table, lineOf }
}

/** How the messages run. There must be no issues. */
export function waitingPlan(
  trace: WaitingTrace<Message>,
  {
    hostCount,
    untilPs,
    isLogged,
  }: { readonly hostCount: number; readonly untilPs: number; readonly isLogged: boolean },
): GraphPlan {
  const { table, lineOf } = waitingTable(trace, hostCount)
  const kind = blankOperation()
  const nameOf = (id: number): string => {
    table.read(id, kind)
    const line = lineOf[id]!
    const word = trace.waits[line]?.id ?? ''
    return `${kind.kind} ${word === '' ? `flows.${line}` : word}`
  }
  return {
    program: programOf(table, { nameOf }),
    hostOf: Array.from({ length: hostCount }, (_, host) => host),
    startPs: 0,
    stepTimePs: 0,
    sendDone: 'acknowledged',
    untilPs,
    isLogged,
    label(out, id) {
      const { operation, isWork, trafficClass, sourcePort, destinationPort, tag } = trace.flows[lineOf[id]!]!
      Object.assign(out, { operation, isWork, trafficClass, sourcePort, destinationPort, tag })
    },
  }
}
