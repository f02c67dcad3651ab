/**
 * Device options: from a scenario's groups `switch`, `pfc`, `classes` and `nic` to the options of switches, their buffers,
 * ports and NICs, in this order.
 * Units: bytes, bit/s, picoseconds. Classes are sets of bits.
 */
import { assert } from '../../base/assert.ts'
import { inputError } from '../../base/issue.ts'
import type { Memory } from '../../base/memory.ts'
import type { RandomStreams } from '../../base/random.ts'
import type { Buffer } from '../../fabric/buffer/buffer.ts'
import { InputQueuedBuffer } from '../../fabric/buffer/input-queued.ts'
import { SharedBuffer } from '../../fabric/buffer/shared.ts'
import type { Fabric } from '../../fabric/fabric.ts'
import { headroomBytes } from '../../fabric/formulas.ts'
import type { MarkingRule } from '../../fabric/link/ecn.ts'
import type { PfcRules } from '../../fabric/link/pfc.ts'
import { Scheduler } from '../../fabric/link/scheduler.ts'
import { Telemetry } from '../../fabric/link/telemetry.ts'
import type { NicOptions } from '../../fabric/nic/nic-options.ts'
import { CongestionPoint } from '../../fabric/switch/congestion-point.ts'
import type { SwitchOptions } from '../../fabric/switch/switch-options.ts'
import type { Trimming } from '../../fabric/switch/trimmer.ts'
import { classTable, cnpCodepointFor, codepointFor } from '../../scenario/class-map.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { isNeeded } from './definitions.ts'
import { cnmBytes, type FrameLimits } from './frames.ts'

/** One bit per listed class. */
export function classBits(classes: readonly number[]): number {
  return classes.reduce((bits, c) => bits | (1 << c), 0)
}

/** How switches read the class of a packet, and what ACKs, CNPs and trimmed packets carry for it. */
export interface ClassPlan {
  /** Class by codepoint. */
  readonly classOf: Uint8Array
  /** Codepoint of ACKs and NAKs; -1: that of their flow. */
  readonly ackCodepoint: number
  readonly cnpCodepoint: number
  readonly trimming: Trimming | null
}

/** @throws InputError for a class that no codepoint maps to. */
export function classPlan(scenario: Scenario): ClassPlan {
  const { classes } = scenario
  const classOf = classTable(classes)
  const { ackAtSwitch } = classes
  return {
    classOf,
    ackCodepoint: ackAtSwitch === null ? -1 : codepointFor(classOf, ackAtSwitch, 'classes.ackAtSwitch'),
    cnpCodepoint: cnpCodepointFor(classOf, classes),
    trimming: trimmingOf(scenario, classOf),
  }
}

/** Which packets switches trim to a header where they have no room for them; null: none. */
function trimmingOf(scenario: Scenario, classOf: Uint8Array): Trimming | null {
  const t = scenario.switch.trimming
  if (t.of === 'none') return null
  return {
    classes: t.of === 'lossy' ? 0xff & ~classBits(scenario.pfc.classes) : classBits(t.classes),
    sizeBytes: Math.max(t.size, scenario.frames.minimum),
    trafficClass: t.class,
    codepoint: codepointFor(classOf, t.class, 'switch.trimming.class'),
    early: t.early,
  }
}

// Switches.

/** Options of one switch. */
export function switchOptions(
  scenario: Scenario,
  { classOf, trimming }: ClassPlan,
  own: Pick<SwitchOptions, 'node' | 'buffer' | 'congestionPoint' | 'sourceOf' | 'balance'>,
): SwitchOptions {
  const s = scenario.switch
  return {
    lossless: classBits(scenario.pfc.classes),
    classOf,
    latencyPs: s.latency,
    releaseAtEnd: s.release === 'end',
    markAtDequeue: s.ecn.at === 'dequeue',
    wredClasses: classBits(s.wred.classes),
    wredThresholdBytes: s.wred.threshold,
    trimming,
    ...own,
  }
}

/** Telemetry that switches write into packets; null where no congestion control needs it. */
export function createTelemetry(scenario: Scenario): Telemetry | null {
  if (!isNeeded(scenario, 'telemetry')) return null
  const t = scenario.switch.telemetry
  return new Telemetry({
    timeUnitPs: t.timeUnit,
    sentUnitBytes: t.sentUnit,
    queueUnitBytes: t.queueUnit,
    gapBytes: scenario.frames.gap,
  })
}

/** The congestion point of one switch; null where no congestion control needs it. Its messages have the codepoint of CNPs. */
export function createCongestionPoint(
  scenario: Scenario,
  node: number,
  ports: number,
  codepoint: number,
  random: RandomStreams,
): CongestionPoint | null {
  const q = scenario.switch.qcn
  if (!isNeeded(scenario, 'qcn') || q.classes.length === 0) return null
  return new CongestionPoint({
    classes: classBits(q.classes),
    setPointBytes: q.setPoint,
    weight: q.weight,
    sampleBaseBytes: q.sampleBase,
    jitter: q.jitter,
    frameBytes: cnmBytes(scenario),
    codepoint,
    randoms: [null, ...Array.from({ length: ports }, (_, i) => random.stream(`qcn/${node}/${i + 1}`))],
  })
}

// Buffers of switches.

/** A port before it is built. */
export interface PortPlan {
  readonly rateBps: number
  readonly delayPs: number
}

/** Headroom of one class at one port, bytes. */
export function headroomOf(scenario: Scenario, port: PortPlan, limits: FrameLimits): number {
  const b = scenario.switch.buffer
  if (b.kind === 'shared-buffer') {
    if (b.headroom !== null) return b.headroom
    if (b.headroomFormula === 'delay-rate')
      return Math.floor(Math.floor((port.rateBps * port.delayPs) / 8e12) * b.headroomFactor) + b.headroomExtra
  }
  // The packet that crosses XOFF is in headroom too: a dynamic threshold may have fallen below what is stored.
  return strictHeadroomOf(scenario, port, limits) + limits.dataBytes
}

/** All that can arrive after XOFF. Source: 802.1Qbb annex O. */
export function strictHeadroomOf(scenario: Scenario, port: PortPlan, limits: FrameLimits): number {
  const { anyBytes: frameBytes, gapBytes } = limits
  return headroomBytes({
    rateBps: port.rateBps,
    delayPs: port.delayPs,
    frameBytes,
    wireBytes: frameBytes + gapBytes,
    pfcWireBytes: Math.max(1, scenario.pfc.classes.length) * (scenario.frames.pfc + gapBytes),
    reactionPs: scenario.pfc.reactionTime,
  })
}

/** Bytes of a shared buffer that reserves and headroom take; 0 for other buffers. */
export function setAsideBytes(scenario: Scenario, ports: readonly PortPlan[], limits: FrameLimits): number {
  const b = scenario.switch.buffer
  if (b.kind !== 'shared-buffer') return 0
  const { length } = scenario.pfc.classes
  // With ingressLimit `total`, lossy classes use a port's headroom too.
  const least = b.ingressLimit === 'total' ? 1 : 0
  const times = Math.max(least, b.headroomPer === 'port' ? Math.min(1, length) : length)
  const ofPort = (port: PortPlan, i: number): number =>
    i === ports.length - 1 && b.headroomLast !== null ? b.headroomLast : headroomOf(scenario, port, limits)
  const headroom = ports.reduce((sum, port, i) => sum + times * ofPort(port, i), 0)
  return ports.length * b.reservedClasses * b.reserve + headroom
}

/** The buffer of one switch. `ports[0]` is port 1. */
export function createBuffer(
  scenario: Scenario,
  node: number,
  ports: readonly PortPlan[],
  slowestHostBps: number,
  limits: FrameLimits,
  memory: Memory,
): Buffer {
  const b = scenario.switch.buffer
  const lossless = classBits(scenario.pfc.classes)
  if (b.kind === 'input-queued') {
    return new InputQueuedBuffer({
      ports: ports.length,
      portBytes: b.portBuffer,
      xoffBytes: b.xoff,
      xonOffsetBytes: b.xonOffset,
    })
  }
  const headroom = new Float64Array(ports.length + 1)
  const stride = ports.length + 1
  const alpha = new Float64Array(8 * stride)
  const egressAlpha = new Float64Array(8).fill(b.egressAlpha)
  const ofClass = new Float64Array(8).fill(b.alpha)
  for (const row of b.byClass) {
    ofClass[row.class] = row.alpha ?? b.alpha
    egressAlpha[row.class] = row.egressAlpha ?? b.egressAlpha
  }
  const setAside = setAsideBytes(scenario, ports, limits)
  ports.forEach((port, i) => {
    headroom[i + 1] = lossless === 0 && b.ingressLimit !== 'total' ? 0 : headroomOf(scenario, port, limits)
    const times = b.alphaScaling === 'double-per-rate' ? port.rateBps / slowestHostBps : 1
    for (let c = 0; c < 8; c++) alpha[c * stride + i + 1] = scaledAlpha(ofClass[c]!, times)
  })
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
  return new SharedBuffer({
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
    egressAlpha,
    egressReserveBytes: b.egressReserve,
    egressPoolBytes: b.egressPool === 'own' ? b.size - ports.length * b.reservedClasses * b.reserve : null,
    memory,
  })
}

/** The scenario with a buffer that sets nothing aside, which every switch has room for. */
export function withoutSetAside(scenario: Scenario): Scenario {
  const { buffer } = scenario.switch
  assert(buffer.kind === 'shared-buffer', 'a buffer without a pool has room for what it sets aside')
  return { ...scenario, switch: { ...scenario.switch, buffer: { ...buffer, pool: 'whole' } } }
}

/** Alpha doubled for each halving that brings the rate down to the hosts', up to 1 (HPCC fork). */
function scaledAlpha(alpha: number, timesHostRate: number): number {
  let scaled = alpha
  for (let times = timesHostRate; times > 1 && scaled < 1; times /= 2) scaled = Math.min(1, scaled * 2)
  return scaled
}

// Ports of switches and NICs.

export function pfcRules(scenario: Scenario): PfcRules {
  const p = scenario.pfc
  return {
    lossless: classBits(p.classes),
    quanta: Array.from({ length: 8 }, (_, c) => p.byClass.find((row) => row.class === c)?.quanta ?? p.quanta),
    expires: p.expiry,
    refreshShare: p.refresh,
    repeats: p.repeat,
    reactionPs: p.reactionTime,
  }
}

export function createScheduler(scenario: Scenario, fabric: Fabric): Scheduler {
  const s = scenario.switch
  const options = {
    strict: classBits(s.strictClasses),
    quantumBytes:
      s.scheduler === 'dwrr' ? Float64Array.from(s.weights, (w) => Math.max(1, Math.round(w * s.dwrrQuantum))) : null,
  }
  return new Scheduler(options, fabric.records, fabric.queues)
}

/** ECN marking rules of ports, by their rate. */
export class MarkingRules {
  readonly #scenario: Scenario
  readonly #byRate = new Map<number, MarkingRule>()

  constructor(scenario: Scenario) {
    this.#scenario = scenario
  }

  of(rateBps: number): MarkingRule {
    const known = this.#byRate.get(rateBps)
    if (known !== undefined) return known
    const e = this.#scenario.switch.ecn
    const band = e.byRate.find((row) => row.rate === rateBps) ?? e
    const rule = {
      classes: classBits(e.classes),
      kminBytes: band.kmin,
      kmaxBytes: band.kmax,
      pmax: band.pmax,
      atLeast: e.compare === 'at-least',
    }
    this.#byRate.set(rateBps, rule)
    return rule
  }
}

// NICs.

/** Options of one NIC. */
export function nicOptions(
  { classes, nic }: Scenario,
  { ackCodepoint, cnpCodepoint }: ClassPlan,
  { node, position, pairs, sink }: Pick<NicOptions, 'node' | 'position' | 'pairs' | 'sink'>,
): NicOptions {
  // Read per packet: one literal, so that all NICs have options of one shape.
  return {
    node,
    position,
    ackClass: classes.ackAtHost ?? -1,
    ackCodepoint,
    cnpClass: classes.cnpAtHost,
    cnpCodepoint,
    isCompacting: nic.roundRobin === 'compacting',
    packetsPerTurn: nic.packetsPerTurn,
    wake: nic.wake,
    pairs,
    sink,
  }
}
