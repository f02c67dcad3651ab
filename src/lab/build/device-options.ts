/**
 * Hardware: from a scenario's switch, frame, class and PFC groups to the options of the fabric's parts.
 */
import { inputError } from '../../base/issue.ts'
import type { Memory } from '../../base/memory.ts'
import type { RandomStreams } from '../../base/random.ts'
import type { Serialization } from '../../base/serialization.ts'
import type { Buffer } from '../../fabric/buffer/buffer.ts'
import { InputQueuedBuffer } from '../../fabric/buffer/input-queued.ts'
import { SharedBuffer } from '../../fabric/buffer/shared.ts'
import { CongestionPoint } from '../../fabric/switch/congestion-point.ts'
import type { MarkingRule } from '../../fabric/link/ecn.ts'
import { headroomBytes } from '../../fabric/formulas.ts'
import type { Fabric } from '../../fabric/fabric.ts'
import type { PfcRules } from '../../fabric/link/pfc.ts'
import { Scheduler } from '../../fabric/link/scheduler.ts'
import type { Trimming } from '../../fabric/switch/trimmer.ts'
import { Telemetry } from '../../fabric/link/telemetry.ts'
import { codepointFor } from '../../scenario/class-map.ts'
import { asWorkload, isMixed, schemeSets } from '../../scenario/mix.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { FrameSizes } from '../../transport/endpoint.ts'
import type { Framing } from '../../transport/recovery/recovery.ts'
import { neededBy, type Needs } from '../../transport/scheme.ts'
import { congestionOf, recoveryOf } from './definitions.ts'

/** One bit per listed class. */
export function classBits(classes: readonly number[]): number {
  return classes.reduce((bits, c) => bits | (1 << c), 0)
}

/** What the scenario's congestion control needs. */
export function congestionNeeds(scenario: Scenario): Needs {
  return neededBy(congestionOf(scenario), scenario.congestion)
}

/** Whether the congestion control of some workload needs it. */
export function isNeeded(scenario: Scenario, need: keyof Needs): boolean {
  return schemeSets(scenario).some((set) => congestionNeeds(set.scenario)[need] === true)
}

/** Frame sizes as the endpoints and queues count them; the VLAN tag is in every frame but PFC. */
export function frameSizes(scenario: Scenario): FrameSizes {
  const f = scenario.frames
  const tag = scenario.classes.classify === 'pcp' ? f.vlanTag : 0
  const telemetryBytes = congestionNeeds(scenario).telemetry === true ? f.telemetry : 0
  const recovery = recoveryOf(scenario)
  const schemeBytes = recovery.headerBytes?.(scenario.recovery) ?? 0
  const roce: FrameSizes = {
    payloadBytes: f.payload,
    dataOverheadBytes: f.dataOverhead + f.everyOverhead + telemetryBytes + tag + schemeBytes,
    writeOverheadBytes: f.writeOverhead,
    table: null,
    ackBytes: f.ack + telemetryBytes + tag,
    sackAckBytes: f.ack + telemetryBytes + tag,
    readRequestBytes: f.readRequest + tag,
    cnpBytes: f.cnp + tag,
    rttProbeBytes: f.rttProbe + tag,
    minimumBytes: f.minimum,
    gapBytes: f.gap,
  }
  const framing = recovery.framing?.(scenario.recovery)
  return framing === undefined ? roce : framedBy(framing, roce, f.everyOverhead + tag + schemeBytes, tag)
}

/** Bytes of a frame that cut-through switches wait for; 0: switches store and forward. */
export function headerBytesOf(scenario: Scenario): number {
  const { forwarding } = scenario.switch
  return forwarding.kind === 'cut-through' ? forwarding.header : 0
}

/** Frame sizes of each workload's queue pairs; `own`: the scenario's, which those without schemes of their own have. */
export function framesByWorkload(scenario: Scenario, own: FrameSizes): FrameSizes[] {
  return scenario.workload.map((source, i) => (isMixed(source) ? frameSizes(asWorkload(scenario, i)) : own))
}

/** Packets of some workload name the path they take. */
export function hasPaths(scenario: Scenario): boolean {
  return schemeSets(scenario).some((set) => recoveryOf(set.scenario).hasPaths === true)
}

/** The frames of another transport; what every data packet carries, and the tag, as in RoCE. */
function framedBy(framing: Framing, roce: FrameSizes, everyBytes: number, tagBytes: number): FrameSizes {
  const { payloadBytes } = roce
  const tableOf = (isSend: boolean): Uint16Array =>
    Uint16Array.from({ length: payloadBytes + 1 }, (_, bytes) => framing.dataBytes(bytes, isSend) + everyBytes)
  const table = { placed: tableOf(false), sends: tableOf(true) }
  return {
    ...roce,
    dataOverheadBytes: table.placed[payloadBytes]! - payloadBytes,
    writeOverheadBytes: 0,
    table,
    ackBytes: framing.ackBytes + tagBytes,
    sackAckBytes: framing.sackAckBytes + tagBytes,
    readRequestBytes: framing.readRequestBytes + tagBytes,
  }
}

/** A message of a congestion point. */
export function cnmBytes(scenario: Scenario): number {
  const f = scenario.frames
  return Math.max(f.minimum, f.cnm + (scenario.classes.classify === 'pcp' ? f.vlanTag : 0))
}

/** The largest frames of a network, bytes. */
export interface FrameLimits {
  /** Of data as queues count it. */
  readonly dataBytes: number
  /** Of all. */
  readonly anyBytes: number
  /** Around each on the wire. */
  readonly gapBytes: number
}

/** @param sets frame sizes of whatever is in the network. */
export function frameLimits(sets: readonly FrameSizes[]): FrameLimits {
  const mostOfAll = (of: (frames: FrameSizes) => number): number => Math.max(...sets.map(of))
  const dataBytes = mostOfAll(dataFrameLimit)
  const controlBytes = mostOfAll((frames) =>
    Math.max(
      frames.ackBytes,
      frames.sackAckBytes,
      frames.readRequestBytes,
      frames.cnpBytes,
      frames.rttProbeBytes,
      frames.minimumBytes,
    ),
  )
  return { dataBytes, anyBytes: Math.max(dataBytes, controlBytes), gapBytes: mostOfAll(({ gapBytes }) => gapBytes) }
}

/** Serialization times by frame bytes, one table per rate. */
export class TransmitTables {
  readonly #tables = new Map<number, Float64Array>()
  readonly #serialization: Serialization
  readonly #gapBytes: number
  readonly #largestBytes: number

  constructor(serialization: Serialization, gapBytes: number, largestBytes: number) {
    this.#serialization = serialization
    this.#gapBytes = gapBytes
    this.#largestBytes = largestBytes
  }

  of(rateBps: number): Float64Array {
    let table = this.#tables.get(rateBps)
    if (table === undefined) {
      table = new Float64Array(this.#largestBytes + 1)
      for (let bytes = 0; bytes < table.length; bytes++) {
        table[bytes] = this.#serialization.durationPs(bytes + this.#gapBytes, rateBps)
      }
      this.#tables.set(rateBps, table)
    }
    return table
  }
}

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

/** What a switch knows of a port before it is built. */
export interface PortPlan {
  readonly rateBps: number
  readonly delayPs: number
}

/** Largest data frame as queues count it. */
function dataFrameLimit(frames: FrameSizes): number {
  const { payloadBytes, dataOverheadBytes, writeOverheadBytes, table } = frames
  if (table === null) return payloadBytes + dataOverheadBytes + writeOverheadBytes
  return Math.max(table.placed[payloadBytes]!, table.sends[payloadBytes]!)
}

/** Headroom of one class at one port, bytes. */
export function headroomOf(scenario: Scenario, port: PortPlan, limits: FrameLimits): number {
  const b = scenario.switch.buffer
  if (b.kind === 'shared-buffer') {
    if (b.headroom !== null) return b.headroom
    if (b.headroomFormula === 'delay-rate')
      return Math.floor(Math.floor((port.rateBps * port.delayPs) / 8e12) * b.headroomFactor) + b.headroomExtra
  }
  // The packet that crosses XOFF stands in headroom too: the threshold may have sunk below what was there before.
  return strictHeadroomOf(scenario, port, limits) + limits.dataBytes
}

/** Everything that can arrive after XOFF. */
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

/** What reserves and headroom of a shared buffer take, bytes; 0 where none is shared. */
export function setAsideBytes(scenario: Scenario, ports: readonly PortPlan[], limits: FrameLimits): number {
  const b = scenario.switch.buffer
  if (b.kind !== 'shared-buffer') return 0
  const { length } = scenario.pfc.classes
  // Any class of a port uses its headroom there.
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

/** Alpha doubled for each halving that brings the rate down to the hosts', up to 1 (HPCC fork). */
function scaledAlpha(alpha: number, timesHostRate: number): number {
  let scaled = alpha
  for (let times = timesHostRate; times > 1 && scaled < 1; times /= 2) scaled = Math.min(1, scaled * 2)
  return scaled
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

/** What switches leave of packets for which they have no room; null: nothing. */
export function trimmingOf(scenario: Scenario, classOf: Uint8Array): Trimming | null {
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

/** What ports mark, by their rate. */
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

/** What packets carry of their way; null where nobody needs it. */
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

/** The congestion point of one switch; null where nobody needs it. Messages travel as CNPs do. */
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
