/** Rules about counters: pauses, and losses of hosts. Drops are in drops.ts; where pauses begin is in origins.ts. */
import { fabricCounts } from '../../../core/findings/index.ts'
import { countsOf, type FabricCounts } from '../counts/index.ts'
import type { Fabric } from '../../devices/joins/index.ts'
import type { Origin } from '../locate/index.ts'
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
  heldFor,
  type HeldFor,
  isLong,
  lackCounts,
  LOSS_SHARE,
  rateOf,
  readingEvidence,
} from './counted.ts'
import { originsOf, originText } from './origins.ts'
import { defineRule } from './rule.ts'
import { deviceSpot, type Saying, type Spot } from './saying.ts'

const { ctr03, ctr04, ctr06, ctr10 } = fabricCounts

/** Held for more than this share of the time is an error. */
const HELD_ERROR_SHARE = 0.1
/** PFC frames that a port may get before its setting is in force. */
const FEW_FRAMES = 8

/** Those whose pauses are said at the origin, with their victims. */
const SAID_ELSEWHERE = ['storm', 'slow-receiver', 'deadlock'] as const

export const portsAreFree = defineRule(ctr03, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  const elsewhere = originsOf(fabric, ...SAID_ELSEWHERE)
  // A switch that is held holds the host that holds it, too.
  const said = new Set([...victimsOf(elsewhere), ...elsewhere.map(({ device, port }) => `${device} ${port}`)])
  const origins = originsOf(fabric, 'incast', 'oversubscription', 'alpha', 'noisy-host', 'unknown')
  const held = new Map<string, { port: CountedPort; held: HeldFor }[]>()
  for (const port of countedPorts(fabric)) {
    const { device, peer } = port
    const longest = CLASSES.flatMap((priority) => {
      const own = { spot: port, priority, us: 'pauseRxUs', frames: 'pfcRxFrames' }
      const far = peer === null ? [] : [{ spot: peer, priority, us: 'pauseTxUs', frames: 'pfcTxFrames' }]
      return heldFor(counts, [own, ...far], rateOf(port, counts)) ?? []
    }).toSorted((a, b) => b.heldShare - a.heldShare)[0]
    if (longest === undefined) continue
    if (!isLong(longest)) say.held++
    else if (!said.has(`${device} ${port.port}`))
      held.set(device, [...(held.get(device) ?? []), { port, held: longest }])
  }
  for (const ports of held.values()) {
    const [worst] = ports.toSorted((a, b) => severityRank(b.held) - severityRank(a.held))
    const { heldShare, seconds, isDuration, evidence } = worst!.held
    const names = origins.filter((one) => ports.some(({ port }) => victimsOf([one]).has(`${port.device} ${port.port}`)))
    say.fires(kind, worst!.port, {
      values: { heldShare, seconds, isDuration, ports: ports.length, origins: names.map(originText) },
      evidence,
      severity: !isDuration ? 'note' : heldShare > HELD_ERROR_SHARE ? 'error' : 'warning',
    })
  }
  lackCounts(fabric, say, 'timed')
})

const severityRank = ({ heldShare, isDuration }: HeldFor): number => heldShare + (isDuration ? 1 : 0)

const victimsOf = (origins: readonly Origin[]): Set<string> =>
  new Set(origins.flatMap(({ victims }) => victims.map(({ device, port }) => `${device} ${port}`)))

export const pausesAreUnderstood = defineRule(ctr04, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  for (const port of countedPorts(fabric)) {
    const inForce = classesOf(port)
    if (inForce === undefined) continue
    const far = port.peer === null ? undefined : classesOf(port.peer)
    const others = CLASSES.filter((priority) => !inForce.includes(priority))
    const byPriority = others.filter((priority) => framesOf(counts, port, priority) !== undefined)
    // Frames of all priorities are of those without PFC only where there is none with it.
    const asked = byPriority.length === 0 && inForce.length === 0 ? [ALL_PRIORITIES] : byPriority
    const found = asked.flatMap((priority) => {
      const frames = framesOf(counts, port, priority)
      return frames === undefined || frames.amount <= FEW_FRAMES ? [] : [{ priority, ...frames }]
    })
    if (found.length === 0) {
      if (asked.some((priority) => framesOf(counts, port, priority)?.isGrowth === true)) say.held++
      continue
    }
    const priorities = found.map(({ priority }) => priority).filter((priority) => priority !== ALL_PRIORITIES)
    const isGrowth = found.some((each) => each.isGrowth)
    const sends = priorities.length === 0 ? (far ?? []).length > 0 : priorities.some((c) => far?.includes(c) === true)
    say.fires(kind, port, {
      values: { frames: found.reduce((sum, { amount }) => sum + amount, 0), priorities, inForce, isGrowth },
      evidence: found.flatMap(({ readings }) => readingEvidence(port, readings)),
      severity: isGrowth || sends ? 'warning' : 'note',
    })
  }
  lackCounts(fabric, say, 'ordered')
})

/** PFC frames that a port received. */
function framesOf(counts: FabricCounts, port: Spot, priority: number): Counted | undefined {
  const ofAll = priority === ALL_PRIORITIES ? countedAt(counts, port, priority, 'portPfcRxFrames') : undefined
  return countedAt(counts, port, priority, 'pfcRxFrames') ?? ofAll
}

/** Losses that a host has seen, and queue pairs that it has lost by them. */
const LOSSES = ['seqNaks', 'impliedNaks', 'ackTimeouts', 'retryExceeded']

export const hostsLoseNothing = defineRule(ctr06, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  const origins = originsOf(fabric, 'bad-cable', 'headroom', 'reordering', 'storm')
  for (const [device, at] of fabric.devices) {
    if (at.config.kind !== 'host') continue
    const spot = deviceSpot(at)
    const known = [...LOSSES, 'outOfSequence', 'cnpIgnored'].map((name) => ofHost(counts, spot, name))
    const isGrowth = known.some((each) => each?.isGrowth === true)
    const own = known.map((each) => (each?.isGrowth === isGrowth ? each : undefined))
    if (own.every((each) => each === undefined)) continue
    const [naks = 0, implied = 0, timeouts = 0, gaveUp = 0, late = 0, ignored = 0] = own.map(
      (each) => each?.amount ?? 0,
    )
    const losses = naks + implied + timeouts
    // How they compare with what passed is not known of all times; packets that came late are then no news.
    const [outOfSequence, cnpsIgnored] = isGrowth ? [late, ignored] : [0, 0]
    const passed = isGrowth ? packetsOf(counts, device) : undefined
    const worst = Math.max(losses, outOfSequence, cnpsIgnored)
    const isBroken = gaveUp > 0 || (worst > 0 && worst > LOSS_SHARE * (passed ?? 0))
    if (!isGrowth && !isBroken) continue
    const names = isGrowth && losses + outOfSequence > 0 ? origins.map(originText) : []
    const isNote = !isGrowth || (gaveUp === 0 && passed === undefined) || names.length > 0
    say.judge(isBroken, kind, spot, () => ({
      values: { losses, gaveUp, outOfSequence, cnpsIgnored, packets: passed ?? null, isGrowth, origins: names },
      evidence: own.flatMap((each) =>
        each !== undefined && each.amount > 0 ? readingEvidence(spot, each.readings) : [],
      ),
      // Losses with a reason are said there; of how many packets they are decides whether they matter.
      severity: isNote ? 'note' : 'warning',
    }))
  }
  lackCounts(fabric, say, 'ordered', ({ at }) => at?.config.kind === 'host')
})

/** A counter of a host, which each of its RDMA devices may have. */
function ofHost(counts: FabricCounts, spot: Spot, name: string): Counted | undefined {
  const grown = countedAt(counts, spot, ALL_PRIORITIES, name)
  if (grown !== undefined) return grown
  const known = counts
    .ports(spot.device)
    .flatMap((port) => countedAt(counts, { ...spot, port }, ALL_PRIORITIES, name) ?? [])
  if (known.length === 0) return undefined
  return {
    amount: known.reduce((sum, { amount }) => sum + amount, 0),
    readings: known.flatMap(({ readings }) => readings),
    isGrowth: false,
  }
}

/** Packets that a host sent and received; undefined: not counted. */
function packetsOf(counts: FabricCounts, device: string): number | undefined {
  const known = counts
    .ports(device)
    .flatMap((port) =>
      ['rxPackets', 'txPackets'].flatMap((name) => growthOfAll(counts, { device, port, at: null }, name)?.amount ?? []),
    )
  return known.length === 0 ? undefined : known.reduce((sum, amount) => sum + amount, 0)
}

export const linksAreNotThrottled = defineRule(ctr10, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  for (const port of countedPorts(fabric)) {
    const rateBps = rateOf(port, counts)
    const at = (spot: Spot, side: 'Rx' | 'Tx') => {
      const frames = `globalPause${side}Frames`
      const own = [{ spot, priority: ALL_PRIORITIES, us: `globalPause${side}Us`, frames }]
      const held = heldFor(counts, own, rateBps)
      // Frames without a speed tell no time.
      if (held === undefined && (growthAt(counts, spot, ALL_PRIORITIES, frames)?.amount ?? 0) > 0)
        say.lacks(port, 'rateBps')
      return held
    }
    sayThrottled(say, port, 'sent', at(port, 'Tx'))
    // A pause that both ends count is said by who sends it.
    if (port.peer === null || at(port.peer, 'Tx') === undefined) sayThrottled(say, port, 'received', at(port, 'Rx'))
  }
  lackCounts(fabric, say, 'timed', ({ at }) => at?.config.kind === 'host')

  function sayThrottled(saying: Saying, port: CountedPort, direction: 'received' | 'sent', held: HeldFor | undefined) {
    if (held === undefined) return
    const { heldShare, seconds, isDuration, evidence } = held
    saying.judge(isLong(held), kind, port, () => ({
      values: { heldShare, seconds, isDuration, direction },
      evidence,
      severity: isDuration ? 'warning' : 'note',
    }))
  }
})

/** Whether neither end of a link has counted a pause of 802.3x at a port; false: some, or not known. */
export function isGlobalPauseIdle(fabric: Fabric, own: Spot, peer: Spot): boolean {
  const counts = countsOf(fabric)
  return (['Rx', 'Tx'] as const).every((side) => {
    const other = side === 'Rx' ? 'Tx' : 'Rx'
    const grown =
      growthAt(counts, own, ALL_PRIORITIES, `globalPause${side}Frames`) ??
      growthAt(counts, peer, ALL_PRIORITIES, `globalPause${other}Frames`)
    return grown?.amount === 0
  })
}
