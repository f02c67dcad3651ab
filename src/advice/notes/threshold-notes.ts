/**
 * Threshold notes: limits of a switch that do not go together, each of which is valid by itself: marking that begins where
 * pauses do, XON that is not below XOFF, lossless classes without marks.
 * Units: bytes.
 */
import { mostOf } from '../../base/extremes.ts'
import { dynamicFixedPointBytes } from '../../fabric/index.ts'
import { powerOfTwo } from '../../base/math.ts'
import { congestionNeeds } from '../../lab/index.ts'
import { dataClasses, type Scenario, schemeSets } from '../../scenario/index.ts'
import type { LinkSpec, Topology } from '../../topology/index.ts'
import { bufferFindings, type Finding, foundAt } from '../../findings/index.ts'

/**
 * @param own values in force at a switch or one of its ports
 * @param ports of the largest switch @param poolBytes that ports of a switch share; null: not known
 */
export function thresholdNotes(own: Scenario, { links }: Topology, ports: number, poolBytes: number | null): Finding[] {
  return [...markingNotes(own, links, ports, poolBytes), ...resumeNotes(own, poolBytes), ...unmarkedNotes(own)]
}

/** The most that one input port and class takes before it is paused, where the others are idle, and where all are full. */
interface Reach {
  readonly aloneBytes: number
  /** All ports of a switch together, each with as much as the others. */
  readonly togetherBytes: number
  /** The parameter that sets it, and its value; an alpha is a share of the pool. */
  readonly limitedBy: 'xoff' | 'staticTh' | 'alpha'
  readonly limit: number
  readonly poolBytes: number | null
}

/** null: not known, or no limit but the pool. @param ports that may feed one queue */
function reachOf(
  { switch: { buffer } }: Scenario,
  trafficClass: number,
  ports: number,
  poolBytes: number | null,
): Reach | null {
  if (buffer.kind === 'input-queued') return staticReach('xoff', buffer.xoff, buffer.xoff, ports)
  if (poolBytes === null) return null
  if (buffer.kind === 'memory-manager') {
    const { reserve, staticTh } = buffer
    // Limits of profiles hold for some ports only.
    if (buffer.profiles.length > 0) return null
    if (staticTh !== null) return staticReach('staticTh', staticTh, reserve + staticTh, ports)
    const alpha = buffer.alpha ?? (buffer.dynamicTh === null ? 1 / 16 : powerOfTwo(buffer.dynamicTh))
    return dynamicReach(alpha, reserve, poolBytes, ports)
  }
  // Alpha by rate is up to 1, and everything in the pool is no limit of one port.
  if (buffer.alphaScaling !== 'none' || buffer.ingressLimit === 'total') return null
  const alpha = buffer.byClass.find((row) => row.class === trafficClass)?.alpha ?? buffer.alpha
  return dynamicReach(alpha, buffer.reserve, poolBytes, ports)
}

function staticReach(limitedBy: 'xoff' | 'staticTh', limit: number, aloneBytes: number, ports: number): Reach {
  return { aloneBytes, togetherBytes: ports * aloneBytes, limitedBy, limit, poolBytes: null }
}

/** alpha B / (1 + n alpha), n times. Source: [MS-Scale] 6.2, Choudhury and Hahne 1998. */
function dynamicReach(alpha: number, reserve: number, poolBytes: number, ports: number): Reach {
  const each = (n: number): number => reserve + dynamicFixedPointBytes(alpha, poolBytes, n)
  return { aloneBytes: each(1), togetherBytes: ports * each(ports), limitedBy: 'alpha', limit: alpha, poolBytes }
}

/** Marks of a lossless class that come later than its pauses, or never. */
function markingNotes(own: Scenario, links: readonly LinkSpec[], ports: number, poolBytes: number | null): Finding[] {
  const { pfc, switch: at } = own
  if (!schemeSets(own).some((set) => congestionNeeds(set.scenario).ecn === true)) return []
  const rates = new Set(links.map(({ rateBps }) => rateBps))
  const kmin = mostOf([...rates].map((rateBps) => (at.ecn.byRate.find(({ rate }) => rate === rateBps) ?? at.ecn).kmin))
  return dataClasses(own).flatMap((c) => {
    if (!pfc.classes.includes(c) || !at.ecn.classes.includes(c)) return []
    const reach = reachOf(own, c, Math.max(1, ports - 1), poolBytes)
    if (reach === null || kmin < reach.aloneBytes) return []
    const isEverMarked = kmin < reach.togetherBytes
    const { aloneBytes, togetherBytes, limitedBy, limit, poolBytes: pool } = reach
    const values = {
      kminBytes: kmin,
      xoffBytes: isEverMarked ? aloneBytes : togetherBytes,
      aloneBytes,
      isEverMarked,
      limitedBy,
      limit,
      poolBytes: pool,
    }
    return [foundAt(bufferFindings.marksAfterPauses, { trafficClass: c, path: 'switch.ecn.kmin' }, values)]
  })
}

/** XON that is not below XOFF: a pause ends as soon as it begins, as long as nothing is in headroom. */
function resumeNotes(own: Scenario, poolBytes: number | null): Finding[] {
  const { pfc, switch: at } = own
  const { buffer } = at
  const [c] = pfc.classes
  if (buffer.kind !== 'memory-manager' || c === undefined) return []
  const profiles = buffer.profiles.flatMap((row, i) => {
    const limit = row.staticTh ?? (row.dynamicTh === null && row.alpha === null ? buffer.staticTh : null)
    const [xon, reserve] = [row.xon ?? buffer.xon, row.reserve ?? buffer.reserve]
    return limit !== null && xon >= reserve + limit
      ? [{ at: `switch.buffer.profiles.${i}.xon`, xon, xoff: reserve + limit }]
      : []
  })
  const reach = reachOf(own, c, 1, poolBytes)
  const common =
    reach !== null && buffer.xon >= reach.aloneBytes
      ? [{ at: 'switch.buffer.xon', xon: buffer.xon, xoff: reach.aloneBytes }]
      : []
  return [...common, ...profiles].map(({ at: path, xon, xoff }) =>
    foundAt(bufferFindings.xonAboveXoff, { path }, { xonBytes: xon, xoffBytes: xoff }),
  )
}

/**
 * A lossless class that nothing but pauses slows down, beside others that are marked. Where congestion control misses its
 * marks, that is refused or noted elsewhere; and without any, pauses alone are what is to be seen.
 */
function unmarkedNotes(scenario: Scenario): Finding[] {
  const { pfc, switch: at } = scenario
  const sets = schemeSets(scenario)
  if (!sets.some((set) => congestionNeeds(set.scenario).ecn === true)) return []
  const uncontrolled = sets.filter((set) => set.scenario.congestion.kind === 'none')
  const classes = new Set(uncontrolled.flatMap((set) => dataClasses(set.scenario)))
  return [...classes]
    .filter((c) => pfc.classes.includes(c) && !at.ecn.classes.includes(c))
    .map((c) =>
      foundAt(
        bufferFindings.losslessWithoutSignal,
        { trafficClass: c, path: 'switch.ecn.classes' },
        { markedClasses: at.ecn.classes },
      ),
    )
}
