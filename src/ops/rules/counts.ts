/** Rules about counters: drops, pauses and errors. Where pauses begin is in origins.ts. */
import { fabricCounts } from '../../findings/index.ts'
import { countsOf, type FabricCounts } from '../counts/index.ts'
import type { Device, Fabric } from '../devices/index.ts'
import type { Origin } from '../locate/index.ts'
import { knownOf, ALL_PRIORITIES } from '../model/index.ts'
import {
  CLASSES,
  type CountedPort,
  countedPorts,
  growthAt,
  growthOfAll,
  heldFor,
  type HeldFor,
  isLong,
  lackCounts,
  rateOf,
  readingEvidence,
} from './counted.ts'
import { originsOf, originText } from './origins.ts'
import { defineRule } from './rule.ts'
import { deviceSpot, type Saying, type Spot } from './saying.ts'

const { ctr01, ctr03, ctr04, ctr06, ctr10 } = fabricCounts

/** Held for more than this share of the time is an error. */
const HELD_ERROR_SHARE = 0.1
/** PFC frames that a port may get before its setting is in force. */
const FEW_FRAMES = 8
/** Losses below this share of packets are noise. */
const LOSS_SHARE = 1e-6

const classesOf = ({ config }: Pick<CountedPort, 'config'>): readonly number[] | undefined =>
  knownOf(config?.settings.pfcClasses)

export const losslessLosesNothing = defineRule(ctr01, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  for (const port of countedPorts(fabric))
    for (const priority of classesOf(port) ?? [])
      for (const [side, name] of [
        ['in', 'dropIn'],
        ['out', 'dropOut'],
      ] as const) {
        const grown = growthAt(counts, port, priority, name)
        const only = counts.only(port.device, port.port, priority, name)
        const packets = grown?.amount ?? only?.value
        if (packets === undefined) continue
        if (packets === 0) {
          if (grown !== undefined) say.held++
          continue
        }
        const why = side === 'out' && !isWatched(counts, port.at, priority) ? 'unknown' : reason(counts, port, priority)
        const origin = originsOf(fabric, 'headroom', 'unknown').find(
          (one) => one.device === port.device && one.port === port.port && one.priority === priority,
        )
        say.fires(kind, port, {
          values: { priority, packets, side, isGrowth: grown !== undefined, why, confidence: origin?.confidence ?? '' },
          evidence: readingEvidence(port, grown?.readings ?? (only === undefined ? [] : [only])),
          severity: grown === undefined || why === 'watchdog' ? 'note' : 'error',
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

/** PFC frames that a port received: growth, or all of them where there is one reading. */
function framesOf(counts: FabricCounts, port: Spot, priority: number) {
  const names = priority === ALL_PRIORITIES ? ['pfcRxFrames', 'portPfcRxFrames'] : ['pfcRxFrames']
  for (const name of names) {
    const grown = growthAt(counts, port, priority, name)
    if (grown !== undefined) return { amount: grown.amount, readings: grown.readings, isGrowth: true }
    const only = counts.only(port.device, port.port, priority, name)
    if (only !== undefined) return { amount: only.value, readings: [only], isGrowth: false }
  }
  return undefined
}

const LOSSES = ['seqNaks', 'impliedNaks', 'ackTimeouts']

export const hostsLoseNothing = defineRule(ctr06, ({ fabric }, say, kind) => {
  const counts = countsOf(fabric)
  const origins = originsOf(fabric, 'bad-cable', 'headroom', 'reordering', 'storm')
  for (const [device, at] of fabric.devices) {
    if (at.config.kind !== 'host') continue
    const spot = deviceSpot(at)
    const grown = [...LOSSES, 'outOfSequence', 'cnpIgnored'].map((name) => growthAt(counts, spot, ALL_PRIORITIES, name))
    if (grown.every((each) => each === undefined)) continue
    const amountOf = (i: number): number => grown[i]?.amount ?? 0
    const [losses, outOfSequence, cnpsIgnored] = [amountOf(0) + amountOf(1) + amountOf(2), amountOf(3), amountOf(4)]
    const passed = packetsOf(counts, device)
    const worst = Math.max(losses, outOfSequence, cnpsIgnored)
    const isBroken = worst > 0 && worst > LOSS_SHARE * (passed ?? 0)
    const names = losses + outOfSequence > 0 ? origins.map(originText) : []
    say.judge(isBroken, kind, spot, {
      values: { losses, outOfSequence, cnpsIgnored, packets: passed ?? null, origins: names },
      evidence: grown.flatMap((each) =>
        each !== undefined && each.amount > 0 ? readingEvidence(spot, each.readings) : [],
      ),
      // Losses with a reason are said there; of how many packets they are decides whether they matter.
      severity: passed === undefined || names.length > 0 ? 'note' : 'warning',
    })
  }
  lackCounts(fabric, say, 'ordered', ({ at }) => at?.config.kind === 'host')
})

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
    const at = (spot: Spot, side: 'Rx' | 'Tx') =>
      heldFor(
        counts,
        [{ spot, priority: ALL_PRIORITIES, us: `globalPause${side}Us`, frames: `globalPause${side}Frames` }],
        rateBps,
      )
    sayThrottled(say, port, 'sent', at(port, 'Tx'))
    // A pause that both ends count is said by who sends it.
    if (port.peer === null || at(port.peer, 'Tx') === undefined) sayThrottled(say, port, 'received', at(port, 'Rx'))
  }
  lackCounts(fabric, say, 'timed', ({ at }) => at?.config.kind === 'host')

  function sayThrottled(saying: Saying, port: CountedPort, direction: 'received' | 'sent', held: HeldFor | undefined) {
    if (held === undefined) return
    const { heldShare, seconds, isDuration, evidence } = held
    saying.judge(isLong(held), kind, port, {
      values: { heldShare, seconds, isDuration, direction },
      evidence,
      severity: isDuration ? 'warning' : 'note',
    })
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
