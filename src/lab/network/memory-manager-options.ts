/**
 * Options of a memory manager: from the values of `switch.buffer` at a switch and its ports to limits of each priority group
 * and queue.
 * Units: bytes, bit/s, picoseconds. Tables are indexed port * 8 + group or class.
 */
import { assert } from '../../core/base/assert.ts'
import { inputError } from '../../core/base/issue.ts'
import { powerOfTwo } from '../../core/base/math.ts'
import {
  EGRESS_LOSSLESS,
  EGRESS_LOSSY,
  INGRESS_LOSSLESS,
  INGRESS_LOSSY,
  type Limits,
  type MemoryManagerOptions,
} from '../../core/fabric/buffer/memory-manager.ts'
import type { Scenario } from '../scenario/scenario.ts'

export type ManagerValues = Extract<Scenario['switch']['buffer'], { readonly kind: 'memory-manager' }>
type Profile = ManagerValues['profiles'][number]

/** One port: its link, the values that hold there, and the headroom of a group for which none is given. */
export interface ManagedPort {
  readonly rateBps: number
  readonly delayPs: number
  readonly buffer: ManagerValues
  readonly lossless: readonly number[]
  readonly formulaBytes: number
}

/** A limit as it is written; null: as said there. */
interface GivenLimit {
  readonly alpha: number | null
  readonly dynamicTh: number | null
  readonly staticTh: number | null
}

/** Alpha of lossless priority groups. Source: [MS-Scale 6.2]. */
const ALPHA = 1 / 16

/** The first profile that fits a class of a port; undefined: none. */
function profileOf({ rateBps, delayPs, buffer, lossless }: ManagedPort, trafficClass: number): Profile | undefined {
  return buffer.profiles.find(
    ({ rate, delay, classes }) =>
      (rate === null || rate === rateBps) &&
      (delay === null || delay === delayPs) &&
      (classes.length === 0 ? lossless : classes).includes(trafficClass),
  )
}

/** Headroom of one class at a port; 0: it is lossy there. */
export function managedHeadroom(port: ManagedPort, trafficClass: number): number {
  if (!port.lossless.includes(trafficClass)) return 0
  return profileOf(port, trafficClass)?.headroom ?? port.buffer.headroom ?? port.formulaBytes
}

/** The most that frames from `minimumBytes` up which together have `bytes` take in cells: all of the size that fills them worst. */
export function worstFillBytes(bytes: number, cellBytes: number, minimumBytes: number): number {
  // Among frames that take n cells, the shortest fills them worst; n + 1 counts where the minimum nearly fills its own.
  const shortest = Math.ceil(minimumBytes / cellBytes)
  const least = (shortest * cellBytes) / minimumBytes
  const next = ((shortest + 1) * cellBytes) / (shortest * cellBytes + 1)
  return Math.ceil((bytes * Math.max(least, next)) / cellBytes) * cellBytes
}

/** Reserves and headroom of all priority groups of a switch, which no pool has. */
export function managedAside(buffer: ManagerValues, ports: readonly ManagedPort[]): number {
  let reserved = 0
  let headroom = 0
  for (const port of ports) {
    for (const trafficClass of groupClasses(port)) {
      reserved += groupValues(port, trafficClass).reserve
      headroom += managedHeadroom(port, trafficClass)
    }
  }
  return reserved + (buffer.headroomPool ?? headroom)
}

/** Bytes of the ingress pools: lossless, lossy. @param node null: the pools of a running switch, which may be empty */
export function ingressPools(
  buffer: ManagerValues,
  ports: readonly ManagedPort[],
  node: number | null,
): [number, number] {
  const aside = managedAside(buffer, ports)
  const lossy = buffer.ingressLossyPool ?? 0
  assert(buffer.size !== null, 'an open size has been chosen')
  const rest = buffer.size - aside - lossy
  const wanted = buffer.ingressPool ?? 1
  if (node !== null && rest < wanted) {
    const pools = buffer.ingressPool === null ? '' : `, and ${buffer.ingressPool} bytes of ingressPool`
    throw inputError(
      'switch.buffer.size',
      `more than the ${aside + lossy} bytes that reserves, headroom and ingressLossyPool of node ${node} (${ports.length} ports) take${pools}`,
      `${buffer.size} bytes`,
      'larger size, smaller reserve, headroom or pools, or a headroomPool',
    )
  }
  return [buffer.ingressPool ?? Math.max(0, rest), lossy]
}

/**
 * @param buffer values at the switch
 * @param node null: options of a running switch
 * @throws InputError if its parts are larger than the whole
 */
export function managerOptions(
  buffer: ManagerValues,
  ports: readonly ManagedPort[],
  node: number | null,
): MemoryManagerOptions {
  assert(buffer.size !== null, 'an open size has been chosen')
  const length = (ports.length + 1) * 8
  const [ingress, ingressLossy] = ingressPools(buffer, ports, node)
  const groups = limits(length)
  const options: MemoryManagerOptions = {
    ports: ports.length,
    cellBytes: buffer.cell,
    poolBytes: Float64Array.of(ingress, ingressLossy, buffer.egressPool ?? buffer.size, buffer.egressLossyPool ?? 0),
    headroomPoolBytes: buffer.headroomPool ?? Infinity,
    groupOf: Uint8Array.from(buffer.groups),
    groups,
    headroomBytes: new Float64Array(length),
    isLossless: new Uint8Array(length),
    xonBytes: new Float64Array(length),
    xonOffsetBytes: new Float64Array(length),
    queues: queueLimits(buffer, ports, length),
  }
  ports.forEach((port, i) => {
    for (const trafficClass of groupClasses(port)) {
      const at = (i + 1) * 8 + port.buffer.groups[trafficClass]!
      const isLossless = port.lossless.includes(trafficClass)
      const values = groupValues(port, trafficClass)
      groups.reserveBytes[at] = values.reserve
      setLimit(groups, at, values.limit, isLossless ? ALPHA : null)
      groups.pool[at] = isLossless || buffer.ingressLossyPool === null ? INGRESS_LOSSLESS : INGRESS_LOSSY
      options.headroomBytes[at] = managedHeadroom(port, trafficClass)
      options.isLossless[at] = isLossless ? 1 : 0
      options.xonBytes[at] = values.xon
      options.xonOffsetBytes[at] = values.xonOffset
    }
  })
  return options
}

/** The lowest class of each priority group of a port, which stands for the group. */
function groupClasses({ buffer: { groups } }: ManagedPort): number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((c) => groups.indexOf(groups[c]!) === c)
}

interface GroupValues {
  readonly reserve: number
  readonly xon: number
  readonly xonOffset: number
  readonly limit: GivenLimit
}

function groupValues(port: ManagedPort, trafficClass: number): GroupValues {
  const { buffer } = port
  const own = profileOf(port, trafficClass)
  const common = port.lossless.includes(trafficClass) ? buffer : buffer.lossy
  return {
    reserve: own?.reserve ?? common.reserve,
    xon: own?.xon ?? buffer.xon,
    xonOffset: own?.xonOffset ?? buffer.xonOffset,
    limit: own !== undefined && isGiven(own) ? own : common,
  }
}

function queueLimits(buffer: ManagerValues, ports: readonly ManagedPort[], length: number): Limits {
  const queues = limits(length)
  for (let at = 8; at < length; at++) {
    const trafficClass = at & 7
    // Lossless anywhere at the switch: its queues must not drop what was paused for.
    const isLossless = ports.some(({ lossless }) => lossless.includes(trafficClass))
    const own = buffer.queues.find(({ classes }) => classes.includes(trafficClass))
    queues.reserveBytes[at] = own?.reserve ?? 0
    setLimit(queues, at, own ?? NONE, own !== undefined || isLossless ? null : buffer.egressAlpha)
    queues.pool[at] = isLossless || buffer.egressLossyPool === null ? EGRESS_LOSSLESS : EGRESS_LOSSY
  }
  return queues
}

const NONE: GivenLimit = { alpha: null, dynamicTh: null, staticTh: null }

function isGiven({ alpha, dynamicTh, staticTh }: GivenLimit): boolean {
  return alpha !== null || dynamicTh !== null || staticTh !== null
}

function limits(length: number): Limits {
  return {
    reserveBytes: new Float64Array(length),
    alpha: new Float64Array(length),
    fixedBytes: new Float64Array(length),
    pool: new Uint8Array(length),
  }
}

/** @param otherwise alpha where nothing is given; null: no limit but the pool */
function setLimit(of: Limits, at: number, { alpha, dynamicTh, staticTh }: GivenLimit, otherwise: number | null): void {
  const share = alpha ?? (dynamicTh === null ? null : powerOfTwo(dynamicTh))
  const dynamic = staticTh !== null ? null : (share ?? otherwise)
  of.alpha[at] = dynamic ?? NaN
  of.fixedBytes[at] = staticTh ?? Infinity
}
