/**
 * Origins of pauses: the ends of all intervals, those that matter, and their kinds.
 * Sources: [MS-Scale] 4.3, 4.4, 6.2; docs/models/localiser.md, "Kinds".
 */
import { leastOf, mostOf } from '../../../core/base/extremes.ts'
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'
import type { Series } from '../../devices/series/index.ts'
import { alphaOf } from './alpha.ts'
import { type End, endKey } from './causes.ts'
import { type Blamed, climb } from './climb.ts'
import type { Fabric, Port } from './fabric.ts'
import { loudSender } from './loud.ts'
import { BACKGROUND_SHARE, HELD_SHARE, NAMED_SHARE, NOISE_INTERVALS, SILENT_SHARE } from './limits.ts'
import {
  type Confidence,
  CONFIDENCES,
  confidenceOf,
  type DeviceSettings,
  type Missing,
  nameOf,
  type Origin,
  type OriginKind,
} from './origin.ts'
import { type Evidence, type Hold, States } from './states.ts'

/** An end in one interval. */
interface Seen {
  readonly states: States
  readonly blamed: Blamed
}

/** One end in all intervals. */
interface Found {
  readonly end: End
  readonly seen: Seen[]
  blameNs: number
  /** Sums over intervals: shares that its device held a neighbour, and that any port was held. */
  upstream: number
  largest: number
}

/** A kind, and the reasons for it. */
interface Judged {
  readonly kind: OriginKind
  /** The origin, if it is another device than the end's. */
  readonly at?: Port
  readonly numbers: readonly Evidence[]
  /** A sign beside the pauses. */
  readonly hasSign: boolean
  /** Reasons for doubt that no further readings of these counters would remove. */
  readonly doubts: number
  readonly alternatives: readonly OriginKind[]
  readonly raise: readonly Missing[]
}

interface World {
  readonly fabric: Fabric
  readonly series: Series
  readonly settings: readonly DeviceSettings[]
}

/** Victims that an origin lists. */
const VICTIMS_MAX = 100

/** Origins of the pauses of one priority, the most to blame first. */
export function originsOfPauses(world: World, priority: number): Origin[] {
  const found = new Map<string, Found>()
  for (let interval = 0; interval < world.series.count; interval++) {
    const states = new States(world.fabric, world.series, interval, priority)
    const { ends, largestShare } = climb(states)
    for (const blamed of ends) {
      const key = endKey(blamed.end)
      const known = found.get(key) ?? { end: blamed.end, seen: [], blameNs: 0, upstream: 0, largest: 0 }
      found.set(key, known)
      known.seen.push({ states, blamed })
      known.blameNs += blamed.blameNs
      known.upstream += blamed.upstreamShare
      known.largest += largestShare
    }
  }
  const all = [...found.values()].sort((a, b) => b.blameNs - a.blameNs)
  const total = all.reduce((sum, { blameNs }) => sum + blameNs, 0)
  // While a circle closes its ports are held for a part of an interval, and no reason shows.
  const circles = new Set(all.flatMap(({ end }) => end.circle.map((id) => world.fabric.ports[id]!.device)))
  const named: Origin[] = []
  let namedNs = 0
  for (const one of all) {
    const isNamed = namedNs < NAMED_SHARE * total
    namedNs += one.blameNs
    // A host holds its switch for nobody else.
    const isOwn = one.end.kind === 'host' || one.end.kind === 'circle'
    const isBackground = one.upstream < BACKGROUND_SHARE * one.largest || isNoise(world.series, one)
    if (!isOwn && (!isNamed || isBackground || circles.has(one.end.device))) continue
    named.push(originOf(world, one, priority, one.blameNs / total))
  }
  return joined(named)
}

/** Whether no neighbour was held for long, over all intervals. */
function isNoise({ count, intervalNs }: Series, { seen }: Found): boolean {
  const paused = new Map<number, number>()
  for (const { blamed } of seen) for (const [id, ns] of blamed.victims) paused.set(id, (paused.get(id) ?? 0) + ns)
  return mostOf(paused.values()) < HELD_SHARE * Math.min(count, NOISE_INTERVALS) * intervalNs
}

/**
 * One origin of each port and kind; a small alpha is one of its switch, whichever of its ports show it, and circles through
 * the same switches are one.
 */
function joined(origins: readonly Origin[]): Origin[] {
  const hasSwitchOf = ({ circle }: Origin, other: Origin): boolean =>
    circle.some(({ device }) => other.circle.some((one) => one.device === device))
  const isSame = (a: Origin, b: Origin): boolean => {
    if (a.kind !== b.kind) return false
    return hasSwitchOf(a, b) || (a.device === b.device && (a.kind === 'alpha' || a.port === b.port))
  }
  return origins.flatMap((one, i) => {
    if (origins.findIndex((other) => other === one || isSame(other, one)) < i) return []
    const same = origins.filter((other) => other === one || isSame(other, one))
    const ranks = same.map(({ confidence }) => CONFIDENCES.indexOf(confidence))
    const blame = same.reduce((sum, other) => sum + other.blame, 0)
    return [{ ...one, blame, confidence: CONFIDENCES[leastOf(ranks)]! }]
  })
}

function originOf(world: World, found: Found, priority: number, blame: number): Origin {
  const { fabric, series } = world
  const judged = judge(world, found, priority)
  const { end, seen } = found
  const worst = seen.toSorted((a, b) => b.blamed.blameNs - a.blamed.blameNs)[0]!
  const at = judged.at ?? fabric.ports[end.port]
  const device = judged.at?.device ?? end.device
  const hold = holdOf(fabric, worst, end.device)
  const raise: Missing[] = [...judged.raise]
  const onPath = [...worst.blamed.path.map((id) => fabric.ports[id]!.device), end.device, device]
  const unheard = [...new Set(onPath)].filter((name) => !series.has(name))
  raise.push(...unheard.map((name): Missing => ({ what: 'readings', device: name })))
  // Both ends agree on a full egress if they do on what its switch holds.
  if (hold !== undefined && !isSure(hold)) raise.push({ what: 'durations', device: hold.from.device })
  if (seen.length < 2 && !judged.hasSign) raise.push({ what: 'again', device: '' })
  const confidence: Confidence = confidenceOf(raise, judged.doubts, series.has(device))
  const intervals = seen.map(({ states }) => states.interval)
  return {
    kind: judged.kind,
    device,
    port: at?.port ?? '',
    peer: at === undefined ? '' : fabric.ports[at.peer]!.device,
    priority,
    confidence,
    blame,
    impact: mostOf(seen.map(({ blamed }) => blamed.upstreamShare)),
    intervals: seen.length,
    fromNs: series.beginNs(leastOf(intervals)),
    toNs: series.beginNs(mostOf(intervals) + 1),
    victims: victimsOf(fabric, seen),
    path: worst.blamed.path.map((id) => {
      const port = fabric.ports[id]!
      return { ...nameOf(port), share: worst.states.hold(port)?.share ?? 0 }
    }),
    circle: end.circle.map((id) => nameOf(fabric.ports[id]!)),
    numbers: [...(hold === undefined ? [] : [hold.from]), ...judged.numbers],
    alternatives: judged.alternatives,
    raise: [...raise, ...missingFor(judged, device)],
  }
}

const isSure = ({ isDuration, agrees }: Hold): boolean => isDuration || agrees === true

/** How the device of an end holds a neighbour, by the one of them of which most is known, or else the last of the path. */
function holdOf(fabric: Fabric, { states, blamed }: Seen, device: string): Hold | undefined {
  const last = blamed.path.at(-1)
  const own = [...blamed.victims.keys()].filter((id) => states.peerOf(fabric.ports[id]!).device === device)
  const holds = [...(last === undefined ? [] : [last]), ...own].flatMap((id) => states.hold(fabric.ports[id]!) ?? [])
  return holds.find(isSure) ?? holds[0]
}

/** The configuration, which tells an incast from a small alpha. */
function missingFor({ alternatives }: Judged, device: string): Missing[] {
  return alternatives.includes('alpha') ? [{ what: 'configuration', device }] : []
}

function victimsOf(fabric: Fabric, seen: readonly Seen[]): Origin['victims'] {
  const paused = new Map<number, number>()
  for (const { blamed } of seen) for (const [id, ns] of blamed.victims) paused.set(id, (paused.get(id) ?? 0) + ns)
  const sorted = [...paused].sort(([a, nsA], [b, nsB]) => nsB - nsA || a - b)
  return sorted.slice(0, VICTIMS_MAX).map(([id, pausedNs]) => ({ ...nameOf(fabric.ports[id]!), pausedNs }))
}

function judge(world: World, found: Found, priority: number): Judged {
  const { end } = found
  if (end.kind === 'host') return judgeHost(world, found, priority)
  if (end.kind === 'circle') {
    return { kind: 'deadlock', numbers: [], hasSign: false, doubts: 0, alternatives: [], raise: [] }
  }
  return judgeSwitch(world, found, priority)
}

/** A host that holds its switch: without end and silent, or while it receives. */
function judgeHost({ fabric, series }: World, { end, seen }: Found, priority: number): Judged {
  const port = fabric.ports[end.port]!
  const facing = fabric.ports[port.peer]!
  const receivedIn = (states: States): number | undefined => states.useOfPriority(facing) ?? states.useOfAll(facing)
  // Where nobody says in an interval whether it received, the others tell.
  const isEverKnown = seen.some(({ states }) => receivedIn(states) !== undefined)
  const stops = seen.filter(({ states }) => {
    const received = receivedIn(states)
    const isSilent = received === undefined ? !isEverKnown : received < SILENT_SHARE
    return (isSilent && states.hold(facing)?.isStopped === true) || states.isOnePause(facing)
  })
  const evidenceOf = (at: Port, name: string, atPriority: number): Evidence[] => {
    const value = series.total(at.device, at.port, atPriority, name) ?? 0
    const toNs = series.beginNs(series.count)
    return value > 0 ? [{ ...nameOf(at), priority: atPriority, name, value, fromNs: series.fromNs, toNs }] : []
  }
  const acted = [...evidenceOf(port, 'stormCutOff', ALL_PRIORITIES), ...evidenceOf(facing, 'wdStorms', priority)]
  if (stops.length > 0 || acted.length > 0) {
    const [first] = stops
    const use = first?.states.use(port)
    const isSilent = use !== undefined && use < SILENT_SHARE
    const received = first?.states.amount(facing, 'txBytes')
    const numbers = received === undefined ? [] : [first!.states.evidence(facing, 'txBytes', received.value)]
    const byFrames = first !== undefined && first.states.hold(facing)?.isDuration === false
    const doubts = byFrames && acted.length === 0 && !isSilent ? 1 : 0
    const hasSign = isSilent || acted.length > 0
    return { kind: 'storm', numbers: [...numbers, ...acted], hasSign, doubts, alternatives: [], raise: [] }
  }
  const full = evidenceOf(port, 'rxBufferHigh', ALL_PRIORITIES)
  return { kind: 'slow-receiver', numbers: full, hasSign: full.length > 0, doubts: 0, alternatives: [], raise: [] }
}

/** A switch that holds its neighbours though no one holds it. */
function judgeSwitch(world: World, found: Found, priority: number): Judged {
  const { fabric, series, settings } = world
  const { end, seen } = found
  const isFull = end.kind === 'egress'
  const egress = fabric.ports[end.port]
  const numbers = egress === undefined ? [] : numbersOf(egress, seen)
  const alpha = alphaOf(fabric, series, settings, { device: end.device, priority })
  if (alpha?.isSmall === true) {
    const all = [...numbers, ...alpha.numbers]
    return { kind: 'alpha', numbers: all, hasSign: true, doubts: 0, alternatives: [], raise: [] }
  }
  const alternatives: OriginKind[] = alpha?.isSmall === false ? [] : ['alpha']
  if (egress === undefined)
    return { kind: 'unknown', numbers, hasSign: false, doubts: 1, alternatives: ['incast', 'alpha'], raise: [] }
  const isToHost = fabric.devices.get(fabric.ports[egress.peer]!.device)!.isHost
  const loud = isFull ? loudSender(world, seen, egress) : undefined
  if (loud !== undefined) {
    const { port, numbers: own } = loud
    return {
      kind: 'noisy-host',
      at: port,
      numbers: [...numbers, ...own],
      hasSign: false,
      doubts: 0,
      alternatives: [],
      raise: [],
    }
  }
  const kind = isToHost ? 'incast' : 'oversubscription'
  // An egress that is not full may have been so for less than an interval.
  return { kind, numbers, hasSign: false, doubts: isFull ? 0 : 1, alternatives, raise: [] }
}

/** Bytes sent and longest queue of an egress in its worst interval. */
function numbersOf(egress: Port, seen: readonly Seen[]): Evidence[] {
  const { states } = seen.toSorted((a, b) => b.blamed.blameNs - a.blamed.blameNs)[0]!
  const sent = states.sentBytes(egress)
  const queueBytes = states.queueBytes(egress)
  return [
    ...(sent === undefined ? [] : [states.evidence(egress, 'txBytes', sent, ALL_PRIORITIES)]),
    ...(queueBytes === undefined ? [] : [states.evidence(egress, 'queueMax', queueBytes)]),
  ]
}
