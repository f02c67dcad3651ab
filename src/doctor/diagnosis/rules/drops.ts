/** Rules about packets for which a port had no room. */
import { fabricCounts } from '../../../core/findings/index.ts'
import { countsOf, type FabricCounts } from '../counts/index.ts'
import type { Device } from '../../devices/joins/index.ts'
import { DROP_SHARE } from '../locate/limits.ts'
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'
import {
  CLASSES,
  classesOf,
  type Counted,
  countedAt,
  type CountedPort,
  countedPorts,
  growthAt,
  growthOfAll,
  lackCounts,
  LOSS_SHARE,
  readingEvidence,
} from './counted.ts'
import { originsOf } from './origins.ts'
import { defineRule } from './rule.ts'

const { ctr01, ctr11 } = fabricCounts

const SIDES = [
  ['in', 'dropIn'],
  ['out', 'dropOut'],
] as const
type Side = (typeof SIDES)[number][0]

export const losslessLosesNothing = defineRule(ctr01, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  for (const port of countedPorts(fabric))
    for (const priority of classesOf(port) ?? [])
      for (const [side, name] of SIDES) {
        const counted = countedAt(counts, port, priority, name)
        if (counted === undefined) continue
        const { amount: packets, isGrowth, readings } = counted
        if (packets === 0) {
          if (isGrowth) say.held++
          continue
        }
        const why = side === 'out' && !isWatched(counts, port.at, priority) ? 'unknown' : reason(counts, port, priority)
        const origin = originsOf(fabric, 'headroom', 'unknown').find(
          (one) => one.device === port.device && one.port === port.port && one.priority === priority,
        )
        say.fires(kind, port, {
          values: { priority, packets, side, isGrowth, why, confidence: origin?.confidence ?? '' },
          evidence: readingEvidence(port, readings),
          severity: !isGrowth || why === 'watchdog' ? 'note' : 'error',
        })
      }
  lackCounts(fabric, say, 'ordered')
})

function isWatched(counts: FabricCounts, at: Device | null, priority: number): boolean {
  if (at === null) return false
  const { device } = at.config
  return counts.ports(device).some((port) => (counts.growth(device, port, priority, 'wdStorms')?.amount ?? 0) > 0)
}

/** Why a port drops what arrives in a lossless class. */
function reason(counts: FabricCounts, port: CountedPort, priority: number) {
  if (isWatched(counts, port.at, priority)) return 'watchdog'
  const sent = ['pfcTxFrames', 'pauseTxUs'].flatMap((name) => growthAt(counts, port, priority, name) ?? [])
  if (sent.length === 0) return 'unknown'
  if (sent.every(({ amount }) => amount === 0)) return 'no-pause'
  const obeyed = port.peer === null ? undefined : growthAt(counts, port.peer, priority, 'pauseRxUs')
  return obeyed?.amount === 0 ? 'ignored' : 'headroom'
}

/** Packets that a port dropped, of classes that are not known to be lossless. */
interface Dropped extends Counted {
  /** Empty: the counter is of all priorities. */
  readonly priorities: readonly number[]
}

const isHost = ({ at }: CountedPort): boolean => at?.config.kind === 'host'

/** Undefined: nobody counts them, or they are no mistake. */
function droppedAt(counts: FabricCounts, port: CountedPort, side: Side): Dropped | undefined {
  const name = side === 'in' ? 'dropIn' : 'dropOut'
  const lossless = classesOf(port)
  const all = CLASSES.flatMap((priority) => {
    const counted = countedAt(counts, port, priority, name)
    return counted === undefined ? [] : [{ priority, ...counted }]
  })
  // A switch drops packets of lossy classes as it is meant to; a NIC that drops any is too slow.
  const asked = all.filter(({ priority }) =>
    lossless === undefined ? true : isHost(port) && !lossless.includes(priority),
  )
  const isGrowth = asked.some((one) => one.isGrowth)
  const own = asked.filter((one) => one.isGrowth === isGrowth && one.amount > 0)
  if (own.length > 0)
    return {
      amount: own.reduce((sum, { amount }) => sum + amount, 0),
      readings: own.flatMap(({ readings }) => readings),
      isGrowth,
      priorities: own.map(({ priority }) => priority),
    }
  // Where a switch counts by priority, what else a port drops is for other reasons.
  const isSaid = isHost(port) ? all.some(({ amount }) => amount > 0) : all.length > 0
  if (isSaid) return undefined
  const total =
    countedAt(counts, port, ALL_PRIORITIES, name) ??
    (side === 'in' ? countedAt(counts, port, ALL_PRIORITIES, 'dropInPort') : undefined)
  return total === undefined ? undefined : { ...total, priorities: [] }
}

interface DroppingPort extends Dropped {
  readonly port: CountedPort
  readonly passed: number | null
}

export const portsHaveRoom = defineRule(ctr11, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  for (const [side] of SIDES) {
    const dropping = new Map<string, DroppingPort[]>()
    for (const port of countedPorts(fabric)) {
      const dropped = droppedAt(counts, port, side)
      if (dropped === undefined) continue
      const passed = dropped.isGrowth ? growthOfAll(counts, port, side === 'in' ? 'rxPackets' : 'txPackets') : undefined
      if (dropped.amount <= LOSS_SHARE * (passed?.amount ?? 0)) {
        if (dropped.isGrowth) say.held++
        continue
      }
      // Ports of a switch are one finding; each NIC is one.
      const key = JSON.stringify([port.device, isHost(port) ? port.port : '', dropped.isGrowth])
      const own = { ...dropped, port, passed: passed?.amount ?? null }
      dropping.set(key, [...(dropping.get(key) ?? []), own])
    }
    for (const ports of dropping.values()) {
      const [worst] = ports.toSorted((a, b) => b.amount - a.amount)
      const { port, amount: packets, passed, priorities, isGrowth, readings } = worst!
      say.fires(kind, port, {
        values: {
          side,
          packets,
          passed,
          priorities,
          isGrowth,
          isHost: isHost(port),
          inForce: classesOf(port) ?? null,
          ports: ports.length,
        },
        evidence: readingEvidence(port, readings),
        severity: severityOf(worst!, side),
      })
    }
  }
  lackCounts(fabric, say, 'ordered')
})

function severityOf({ port, amount, passed, isGrowth }: DroppingPort, side: Side): 'error' | 'warning' | 'note' {
  if (!isGrowth) return 'note'
  const share = passed === null ? undefined : amount / (passed + amount)
  if (isHost(port)) return (share ?? 0) > DROP_SHARE ? 'error' : 'warning'
  // A switch without PFC drops packets as it is meant to, and so do lossy queues, of which this may be one.
  if (classesOf(port)?.length === 0) return 'note'
  return side === 'in' || (share ?? 0) > DROP_SHARE ? 'warning' : 'note'
}
