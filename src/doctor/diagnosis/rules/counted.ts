/**
 * Counted ports, and how long they are held, as rules about counters ask for them.
 * Sources: docs/models/localiser.md; limits of its own (src/doctor/diagnosis/locate/limits.ts).
 */
import { countsOf, type FabricCounts, type Growth, type Timing } from '../counts/index.ts'
import { type End, type Fabric, type FileReading, otherEnd } from '../../devices/joins/index.ts'
import { FRAME_HOLD_BITS, HELD_SHARE, HELD_SHARE_BY_FRAMES } from '../locate/limits.ts'
import { knownOf, ALL_PRIORITIES, type Value } from '../../../core/device-model/index.ts'
import { knownLinksUp, linksUp } from './look.ts'
import { deviceSpot, type Evidence, type Saying, type Spot } from './saying.ts'

/** Losses below this share of packets are noise. */
export const LOSS_SHARE = 1e-6

export const CLASSES: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7]

/** A port of a link that is up, or one with counters of which no link is known. */
export interface CountedPort extends Spot {
  readonly config: End['config']
  /** Null: unknown. */
  readonly peer: End | null
}

export function countedPorts(fabric: Fabric): CountedPort[] {
  const counts = countsOf(fabric)
  const linked = knownLinksUp(fabric).flatMap((link) => link.ends.map((end) => ({ ...end, peer: otherEnd(link, end) })))
  const known = new Set(fabric.links.flatMap(({ ends }) => ends.map(({ device, port }) => `${device} ${port}`)))
  const others = [...fabric.devices].flatMap(([device, at]) =>
    counts
      .ports(device)
      .filter((port) => !known.has(`${device} ${port}`))
      .map((port) => {
        const config = at.config.ports.find(({ name }) => name === port) ?? null
        return { device, port, at, config, peer: null }
      }),
  )
  return [...linked, ...others]
}

/** A port that is held by its peer, or holds it. */
export interface HeldFor {
  readonly heldShare: number
  readonly seconds: number
  /** Frames alone bound the time from above: half of them, the others end pauses. */
  readonly isDuration: boolean
  readonly evidence: readonly Evidence[]
}

/** Counters of time and of frames at a port. */
export interface PauseCounters {
  readonly spot: Spot
  readonly priority: number
  readonly us: string
  readonly frames: string
}

/** The longest time that any of the counters tell; undefined: none tells any. @param rateBps undefined: unknown */
export function heldFor(
  counts: FabricCounts,
  ends: readonly PauseCounters[],
  rateBps: number | undefined,
): HeldFor | undefined {
  const found = ends.flatMap(({ spot, priority, us, frames }): HeldFor[] => {
    const time = growthAt(counts, spot, priority, us)
    if (time !== undefined && time.seconds > 0)
      return [heldBy(spot, time, Math.min(1, time.amount / 1e6 / time.seconds), true)]
    const count = growthAt(counts, spot, priority, frames)
    if (count === undefined || rateBps === undefined || !(count.seconds > 0)) return []
    const most = (count.amount * FRAME_HOLD_BITS) / rateBps / count.seconds
    return [heldBy(spot, count, Math.min(1, most / 2), false)]
  })
  const [first] = found.toSorted((a, b) => Number(b.isDuration) - Number(a.isDuration) || b.heldShare - a.heldShare)
  return first
}

function heldBy(spot: Spot, { seconds, readings }: Growth, heldShare: number, isDuration: boolean): HeldFor {
  return { heldShare, seconds, isDuration, evidence: readingEvidence(spot, readings) }
}

export const isLong = ({ heldShare, isDuration }: HeldFor): boolean =>
  heldShare > (isDuration ? HELD_SHARE : HELD_SHARE_BY_FRAMES)

export const growthAt = (counts: FabricCounts, { device, port }: Spot, priority: number, name: string) =>
  counts.growth(device, port, priority, name)

/** Growth of a counter, or all of it where there is one reading. */
export interface Counted {
  readonly amount: number
  readonly readings: readonly FileReading[]
  readonly isGrowth: boolean
}

/** Undefined: it is not counted, or nobody knows its growth. */
export function countedAt(counts: FabricCounts, spot: Spot, priority: number, name: string): Counted | undefined {
  const grown = growthAt(counts, spot, priority, name)
  if (grown !== undefined) return { amount: grown.amount, readings: grown.readings, isGrowth: true }
  const only = counts.only(spot.device, spot.port, priority, name)
  return only === undefined ? undefined : { amount: only.value, readings: [only], isGrowth: false }
}

/** Classes with PFC in force; undefined: not known. */
export const classesOf = ({ config }: Pick<CountedPort, 'config'>): readonly number[] | undefined =>
  knownOf(config?.settings.pfcClasses)

/** Growth over all priorities that are counted; undefined: none is. */
export function growthOfAll(counts: FabricCounts, spot: Spot, name: string): Growth | undefined {
  const known = [ALL_PRIORITIES, ...CLASSES].flatMap((priority) => growthAt(counts, spot, priority, name) ?? [])
  const [first] = known
  if (first === undefined) return undefined
  return { ...first, amount: known.reduce((sum, { amount }) => sum + amount, 0) }
}

/** Readings as evidence: the last one of each counter and the first. */
export function readingEvidence(spot: Spot, readings: readonly FileReading[]): Evidence[] {
  return readings.map(({ value, origin }) => {
    const read: Value<number> = { state: 'operational', value, origin }
    return { spot, value: read }
  })
}

/** Speed of a link by either end. */
export function rateOf({ device, port, config, peer }: CountedPort, counts: FabricCounts): number | undefined {
  const counted = counts.readings(device, port, ALL_PRIORITIES, 'rateBps')[0]?.value
  return counted ?? knownOf(config?.settings.rateBps) ?? knownOf(peer?.config?.settings.rateBps)
}

/**
 * Notes the devices of which a rule would have to know more. @param needed what it needs: two readings, and times, too
 * @param isAsked of which devices
 */
export function lackCounts(
  fabric: Fabric,
  say: Saying,
  needed: Extract<Timing, 'timed' | 'ordered'>,
  isAsked: (device: Spot) => boolean = () => true,
): void {
  const counts = countsOf(fabric)
  const linked = new Set(
    linksUp(fabric).flatMap(({ ends }) => ends.map(({ device, beyond }) => beyond?.device ?? device)),
  )
  for (const [name, at] of fabric.devices) {
    const timing = counts.timing(name)
    if (timing === 'timed' || (timing === 'ordered' && needed === 'ordered')) continue
    if (timing === 'nothing' && !linked.has(name)) continue
    const spot = deviceSpot(at)
    if (isAsked(spot)) say.lacks(spot, timing === 'ordered' ? 'counters.times' : 'counters')
  }
}
