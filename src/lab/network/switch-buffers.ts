/**
 * Switch buffers: from a scenario's group `switch.buffer` to the buffer of a switch: headroom, what is set aside, thresholds.
 * Units: bytes, bit/s, picoseconds. Classes are sets of bits.
 */
import { assert } from '../../core/base/assert.ts'
import { leastOf, mostOf } from '../../core/base/extremes.ts'
import { inputError } from '../../core/base/issue.ts'
import type { Memory } from '../../core/base/memory.ts'
import type { Buffer } from '../../core/fabric/buffer/buffer.ts'
import { createSharedBuffer } from '../../core/fabric/buffer/egress-pool.ts'
import { InputQueuedBuffer, type InputQueuedOptions } from '../../core/fabric/buffer/input-queued.ts'
import { MemoryManager } from '../../core/fabric/buffer/memory-manager.ts'
import type { SharedBufferOptions } from '../../core/fabric/buffer/shared.ts'
import { WatchedBuffer } from '../../core/fabric/buffer/watched.ts'
import { headroomBytes } from '../../core/fabric/formulas.ts'
import { quirksOf } from '../scenario/compat.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Topology } from '../../core/topology/topology.ts'
import { openSizeBytes } from './buffer-size.ts'
import { classBits } from './device-options.ts'
import { shippedHeadroomOf, strictSumOf } from './headroom-sums.ts'
import type { FrameLimits } from './frames.ts'
import {
  managedAside,
  managedHeadroom,
  type ManagedPort,
  managerOptions,
  worstFillBytes,
} from './memory-manager-options.ts'

/** A link as a port sees it. */
export interface LinkPlan {
  readonly rateBps: number
  readonly delayPs: number
}

/** A port before it is built. */
export interface PortPlan extends LinkPlan {
  /** The scenario as it holds at the port. */
  readonly values: Scenario
}

/**
 * Headroom of one class at one port, bytes. The packet that crosses XOFF is in it too: a dynamic threshold may have fallen
 * below what is stored. @param scenario as it holds at the port
 */
export function headroomOf(scenario: Scenario, port: LinkPlan, limits: FrameLimits): number {
  const b = scenario.switch.buffer
  if (b.kind === 'memory-manager') {
    const managed = managedPort(scenario, port, limits)
    return leastOf(scenario.pfc.classes.map((trafficClass) => managedHeadroom(managed, trafficClass)))
  }
  if (b.kind === 'shared-buffer') {
    if (b.headroom !== null) return b.headroom
    const believed = b.believedDelay === null ? port : { ...port, delayPs: b.believedDelay }
    if (b.headroomFormula === 'delay-rate')
      return Math.floor(Math.floor((believed.rateBps * believed.delayPs) / 8e12) * b.headroomFactor) + b.headroomExtra
    if (b.headroomFormula === 'hardware') {
      const bytes = shippedHeadroomOf(scenario, believed, limits)
      assert(bytes !== null, 'rules ask for a family where headroom is that of hardware')
      return bytes
    }
    return roundedStrictOf(scenario, believed, limits)
  }
  return roundedStrictOf(scenario, port, limits)
}

/** All that can arrive after XOFF, in cells filled as badly as they can be where a switch has a memory manager. */
export function roundedStrictOf(scenario: Scenario, port: LinkPlan, limits: FrameLimits): number {
  const { buffer } = scenario.switch
  const bytes = strictHeadroomOf(scenario, port, limits)
  return buffer.kind === 'memory-manager' ? worstFillBytes(bytes, buffer.cell, scenario.frames.minimum) : bytes
}

/** A port of a switch with a memory manager. Its frames may fill cells as badly as their sizes allow. */
function managedPort(scenario: Scenario, { rateBps, delayPs }: LinkPlan, limits: FrameLimits): ManagedPort {
  const { buffer } = scenario.switch
  assert(buffer.kind === 'memory-manager', 'all ports of a switch have one kind of buffer')
  const formulaBytes = roundedStrictOf(scenario, { rateBps, delayPs }, limits)
  return { rateBps, delayPs, buffer, lossless: scenario.pfc.classes, formulaBytes }
}

function managedPorts(ports: readonly PortPlan[], limits: FrameLimits): ManagedPort[] {
  return ports.map((port) => managedPort(port.values, port, limits))
}

/** All that can arrive after XOFF with the packet that crosses it, in whole frames. Source: 802.1Qbb annex O. */
export function strictHeadroomOf(scenario: Scenario, port: LinkPlan, limits: FrameLimits): number {
  const { anyBytes: frameBytes, gapBytes } = limits
  const afterBytes = headroomBytes({
    rateBps: port.rateBps,
    delayPs: port.delayPs,
    frameBytes,
    wireBytes: frameBytes + gapBytes,
    pfcWireBytes: Math.max(1, scenario.pfc.classes.length) * (scenario.frames.pfc + gapBytes),
    reactionPs: scenario.pfc.sendDelay + scenario.pfc.reactionTime,
  })
  const bytes = afterBytes + limits.dataBytes
  // Refreshes of other classes are not in the formula; its rounding up to frames seldom leaves them out.
  return scenario.pfc.classes.length < 2 ? bytes : Math.max(bytes, strictSumOf(scenario, port, limits, 0).bytes)
}

/** Bytes of a buffer with pools that reserves and headroom take; 0 for other buffers. */
export function setAsideBytes(scenario: Scenario, ports: readonly PortPlan[], limits: FrameLimits): number {
  const b = scenario.switch.buffer
  if (b.kind === 'memory-manager') return managedAside(b, managedPorts(ports, limits))
  if (b.kind !== 'shared-buffer') return 0
  const { lastHeadroomBytes } = quirksOf(scenario)
  // With ingressLimit `total`, lossy classes use a port's headroom too.
  const least = b.ingressLimit === 'total' ? 1 : 0
  const timesOf = ({ values }: PortPlan): number => {
    const { length } = values.pfc.classes
    return Math.max(least, b.headroomPer === 'port' ? Math.min(1, length) : length)
  }
  const ofPort = (port: PortPlan, i: number): number =>
    (i === ports.length - 1 ? lastHeadroomBytes : null) ?? headroomOf(port.values, port, limits)
  const headroom = ports.reduce((sum, port, i) => sum + timesOf(port) * ofPort(port, i), 0)
  return ports.length * b.reservedClasses * b.reserve + headroom
}

/** Size of the buffer of a switch with these ports, chosen where the scenario leaves it open; 0: it has none for the switch. */
export function bufferSizeBytes(scenario: Scenario, ports: readonly PortPlan[], limits: FrameLimits): number {
  const b = scenario.switch.buffer
  if (b.kind === 'input-queued') return 0
  if (b.size !== null) return b.size
  const aside = setAsideBytes(scenario, ports, limits)
  if (b.kind === 'memory-manager')
    return openSizeBytes(b.kind, aside + (b.ingressLossyPool ?? 0) + (b.ingressPool ?? 1))
  const parts = [b.reserve, b.egressReserve, b.headroom ?? 0]
  return openSizeBytes(b.kind, Math.max(b.pool === 'whole' ? 1 : aside + 1, mostOf(parts)))
}

/** Inputs of a buffer's options, beside the values of its switch. */
export interface BufferContext {
  readonly node: number
  /** `ports[0]` is port 1. */
  readonly ports: readonly PortPlan[]
  readonly slowestHostBps: number
  readonly limits: FrameLimits
}

/** Rate of the slowest link of a host. */
export function slowestHostBpsOf({ links, tiers }: Topology): number {
  return leastOf(links.flatMap(({ a, b, rateBps }) => (tiers[a] === 0 || tiers[b] === 0 ? [rateBps] : [])))
}

/** The buffer of one switch. @param scenario as it holds at the switch, with a size (withBufferSize) */
export function createBuffer(scenario: Scenario, context: BufferContext, memory: Memory): Buffer {
  const buffer = plainBuffer(scenario, context, memory)
  const hasPools = scenario.observe.some(({ kind }) => kind === 'watermarks')
  const isPolled = scenario.observe.some((one) => one.kind === 'counters' && one.watermarks)
  return hasPools || isPolled ? new WatchedBuffer(buffer, context.ports.length, hasPools) : buffer
}

function plainBuffer(scenario: Scenario, context: BufferContext, memory: Memory): Buffer {
  const { buffer } = scenario.switch
  const { node, ports, limits } = context
  switch (buffer.kind) {
    case 'input-queued':
      return new InputQueuedBuffer(inputQueuedOptions(buffer, context))
    case 'memory-manager':
      return new MemoryManager(managerOptions(buffer, managedPorts(ports, limits), node))
    default:
      return createSharedBuffer({ ...sharedOptions(scenario, context), memory })
  }
}

/** The options of a switch's buffer that hold now, for its configure(). @throws InputError where it has too little room */
export function bufferOptions(scenario: Scenario, context: BufferContext): Parameters<Buffer['configure']>[0] {
  const b = scenario.switch.buffer
  if (b.kind === 'input-queued') return inputQueuedOptions(b, context)
  if (b.kind === 'shared-buffer') return sharedOptions(scenario, context)
  return managerOptions(b, managedPorts(context.ports, context.limits), null)
}

type BufferValues<K> = Extract<Scenario['switch']['buffer'], { readonly kind: K }>

function inputQueuedOptions(b: BufferValues<'input-queued'>, { ports }: BufferContext): InputQueuedOptions {
  return { ports: ports.length, portBytes: b.portBuffer, xoffBytes: b.xoff, xonOffsetBytes: b.xonOffset }
}

function sharedOptions(
  scenario: Scenario,
  { node, ports, slowestHostBps, limits }: BufferContext,
): Omit<SharedBufferOptions, 'memory'> {
  const b = scenario.switch.buffer
  assert(b.kind === 'shared-buffer', 'a shared buffer has the values of one')
  const lossless = losslessOf(ports)
  const headroom = new Float64Array(ports.length + 1)
  const stride = ports.length + 1
  const alpha = new Float64Array(8 * stride)
  const egressAlpha = new Float64Array(8).fill(b.egressAlpha)
  for (const row of b.byClass) egressAlpha[row.class] = row.egressAlpha ?? b.egressAlpha
  const setAside = setAsideBytes(scenario, ports, limits)
  ports.forEach((port, i) => {
    const has = port.values.pfc.classes.length > 0 || b.ingressLimit === 'total'
    headroom[i + 1] = has ? headroomOf(port.values, port, limits) : 0
    const ofClass = alphasOf(port.values)
    const times = b.alphaScaling === 'double-per-rate' ? port.rateBps / slowestHostBps : 1
    for (let c = 0; c < 8; c++) alpha[c * stride + i + 1] = scaledAlpha(ofClass[c]!, times)
  })
  assert(b.size !== null, 'an open size has been chosen')
  const poolBytes = b.pool === 'whole' ? b.size : b.size - setAside
  if (poolBytes <= 0) {
    throw inputError(
      'switch.buffer.size',
      `more than the ${setAside} bytes that reserves and headroom of node ${node} (${ports.length} ports) take`,
      `${b.size} bytes`,
      'larger size, smaller reserve or headroom, fewer pfc.classes',
    )
  }
  const lossy = 0xff & ~lossless
  return {
    ports: ports.length,
    poolBytes,
    reserveBytes: b.reserve,
    alpha,
    headroomBytes: headroom,
    lossless,
    xonOffsetBytes: b.xonOffset,
    limitedByPool: b.ingressLimit === 'pool',
    limitedByTotal: b.ingressLimit === 'total',
    egressLimited: b.egressLimit === 'all' ? 0xff : lossy,
    // Classes may become lossy later.
    egressCounted:
      b.egressLimit === 'all' || scenario.changes.some(({ path, at }) => at > 0 && path.startsWith('pfc'))
        ? 0xff
        : lossy,
    egressAlpha,
    egressReserveBytes: b.egressReserve,
    // Headroom is not taken off.
    egressPoolBytes: quirksOf(scenario).hasEgressPool ? b.size - ports.length * b.reservedClasses * b.reserve : null,
  }
}

/** Classes that are lossless at some of these ports. */
export function losslessOf(ports: readonly PortPlan[]): number {
  return ports.reduce((bits, { values }) => bits | classBits(values.pfc.classes), 0)
}

/** Alpha of each class at a port with these values. */
function alphasOf({ switch: { buffer } }: Scenario): Float64Array {
  assert(buffer.kind === 'shared-buffer', 'all ports of a switch have one kind of buffer')
  const ofClass = new Float64Array(8).fill(buffer.alpha)
  for (const row of buffer.byClass) ofClass[row.class] = row.alpha ?? buffer.alpha
  return ofClass
}

/** The scenario with a buffer that sets nothing aside, which every switch has room for. */
export function withoutSetAside(scenario: Scenario): Scenario {
  const { buffer } = scenario.switch
  if (buffer.kind === 'memory-manager') {
    const fitting = { ...buffer, size: Number.MAX_SAFE_INTEGER }
    return { ...scenario, switch: { ...scenario.switch, buffer: fitting } }
  }
  assert(buffer.kind === 'shared-buffer', 'a buffer without a pool has room for what it sets aside')
  return { ...scenario, switch: { ...scenario.switch, buffer: { ...buffer, pool: 'whole' } } }
}

/** Alpha doubled for each halving that brings the rate down to the hosts', up to 1 (HPCC fork). */
function scaledAlpha(alpha: number, timesHostRate: number): number {
  let scaled = alpha
  for (let times = timesHostRate; times > 1 && scaled < 1; times /= 2) scaled = Math.min(1, scaled * 2)
  return scaled
}
