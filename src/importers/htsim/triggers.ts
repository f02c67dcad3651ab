/**
 * Triggers of htsim's .cm files: connections that start when others are done.
 * A oneshot starts all its targets when it is fired, a multishot the next one each time, a barrier all of them once it has
 * been fired as often as its count says. htsim aborts in the middle of a run where a file is wrong; here it is checked first.
 * Source: datacenter/connection_matrix and trigger of csg-htsim and uet-htsim.
 */
import { importFindings } from '../../core/findings/index.ts'
import { circleOf } from '../../core/workload/graph/index.ts'
import { plural, type ImportLog, type Token } from '../text-input.ts'

export interface HtsimTrigger {
  readonly token: Token
  readonly kind: 'oneshot' | 'multishot' | 'barrier'
  /** Count of a barrier; 0: none given. */
  readonly count: number
}

/** A connection as triggers know it. Triggers have ids from 1; 0: none. */
export interface Triggered {
  readonly token: Token
  /** It starts the connection. */
  readonly trigger: number
  /** They are fired when it is acknowledged, and when it is received. */
  readonly sendDone: number
  readonly receiveDone: number
}

/** Connections, by index, that another waits for. */
export interface HtsimWait {
  readonly acked: readonly number[]
  readonly after: readonly number[]
  /** How many of them suffice. */
  readonly need: number
}

/** One trigger with its connections, by index and in the order of the file. */
interface Wiring extends HtsimTrigger {
  readonly acked: number[]
  readonly after: number[]
  readonly targets: number[]
}

const FIRERS = 'send_done_trigger or recv_done_trigger'

/** Conditions of each connection, null: nothing. Adds an issue at each line that does not fit the others. */
export function htsimWaits(
  connections: readonly Triggered[],
  triggers: ReadonlyMap<number, HtsimTrigger>,
  log: ImportLog,
): (HtsimWait | null)[] {
  const waits = connections.map((): HtsimWait | null => null)
  if (triggers.size === 0 && connections.every((one) => one.trigger + one.sendDone + one.receiveDone === 0))
    return waits
  const wirings = new Map<number, Wiring>(
    [...triggers].map(([id, trigger]) => [id, { ...trigger, acked: [], after: [], targets: [] }]),
  )
  connections.forEach(({ token, trigger, sendDone, receiveDone }, index) => {
    const uses = [
      [trigger, 'targets', 'trigger'],
      [sendDone, 'acked', 'send_done_trigger'],
      [receiveDone, 'after', 'recv_done_trigger'],
    ] as const
    for (const [id, role, key] of uses) {
      if (id === 0) continue
      const wiring = wirings.get(id)
      if (wiring === undefined) log.issue(token, key, `a line "trigger id ${id} ..."`, 'none')
      else wiring[role].push(index)
    }
  })
  for (const [id, wiring] of wirings) checkWiring(id, wiring, connections, log)
  for (const wiring of wirings.values()) {
    const { kind, acked, after, targets } = wiring
    targets.forEach((target, index) => {
      waits[target] = { acked, after, need: kind === 'multishot' ? index + 1 : acked.length + after.length }
    })
  }
  if (!log.any) checkStarts(connections, waits, log)
  noteDifferences([...wirings.values()], log)
  return waits
}

function checkWiring(
  id: number,
  { token, kind, count, ...wiring }: Wiring,
  connections: readonly Triggered[],
  log: ImportLog,
): void {
  const { acked, after, targets } = wiring
  const firers = [...acked, ...after].toSorted((a, b) => a - b)
  const lines = `${plural(firers.length, 'connection')}, of lines ${firers
    .slice(0, 5)
    .map((one) => connections[one]!.token.line)
    .join(', ')}`
  if (targets.length === 0) log.issue(token, 'trigger', `a connection with trigger ${id}`, 'none', 'it starts nothing')
  if (firers.length === 0) log.issue(token, 'trigger', `a connection with ${FIRERS} ${id}`, 'none', 'nothing fires it')
  else if (kind === 'oneshot' && firers.length > 1)
    log.issue(token, 'trigger', 'one connection that fires a oneshot', lines, 'htsim aborts when it is fired again')
  else if (kind === 'barrier' && count > 0 && count !== firers.length)
    log.issue(
      token,
      'count',
      `${firers.length}, as ${firers.length === 1 ? 'one fires' : 'that number fires'} it`,
      `${count}`,
    )
  else if (kind === 'multishot' && targets.length > firers.length) {
    const left = connections[targets[firers.length]!]!
    const expected = `at most ${firers.length} started by multishot ${id}, which ${plural(firers.length, 'connection')} can fire`
    log.issue(left.token, 'trigger', expected, `${targets.length}`)
  }
}

/** Every connection starts at some time. */
function checkStarts(connections: readonly Triggered[], waits: readonly (HtsimWait | null)[], log: ImportLog): void {
  const pairs: number[] = []
  const needs = new Map<number, number>()
  waits.forEach((wait, index) => {
    if (wait === null) return
    for (const on of [...wait.acked, ...wait.after]) pairs.push(on, index)
    needs.set(index, wait.need)
  })
  const circle = circleOf(waits.length, [pairs], needs)
  const [first] = circle
  if (first === undefined) return
  const lines = circle.slice(0, 8).map((index) => connections[index]!.token.line)
  const received = `those of lines ${lines.join(', ')}, which start each other`
  log.issue(connections[first]!.token, 'trigger', 'connections that can start', received, 'give one of them a start')
}

function noteDifferences(wirings: readonly Wiring[], log: ImportLog): void {
  const several = wirings.filter(({ kind, targets }) => kind !== 'multishot' && targets.length > 1).length
  if (several > 0) log.note(importFindings.differs('trigger-order', { triggers: several }))
  const received = wirings.reduce((sum, { after }) => sum + after.length, 0)
  if (received > 0) log.note(importFindings.differs('receive-triggers', { connections: received }))
}
