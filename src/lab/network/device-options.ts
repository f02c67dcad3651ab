/**
 * Device options: from a scenario's groups `switch`, `pfc`, `classes` and `nic` to the options of switches, their buffers,
 * ports and NICs, in this order.
 * Units: bytes, bit/s, picoseconds. Classes are sets of bits.
 */
import type { RandomStreams } from '../../core/base/random.ts'
import type { Fabric } from '../../core/fabric/fabric.ts'
import type { MarkingRule } from '../../core/fabric/link/ecn.ts'
import type { PfcRules } from '../../core/fabric/link/pfc.ts'
import { Scheduler } from '../../core/fabric/link/scheduler.ts'
import { Telemetry } from '../../core/fabric/link/telemetry.ts'
import type { NicOptions } from '../../core/fabric/nic/nic-options.ts'
import { CongestionPoint } from '../../core/fabric/switch/congestion-point.ts'
import type { SwitchOptions } from '../../core/fabric/switch/switch-options.ts'
import type { Trimming } from '../../core/fabric/switch/trimmer.ts'
import { vlanClasses } from '../../core/fabric/vlan/codepoints.ts'
import { classTable, cnpCodepointFor, codepointFor, dscpTable, hostTable, usesVlans } from '../scenario/class-map.ts'
import { PROFILES, type Quirks, quirksOf } from '../scenario/compat.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isNeeded } from './definitions.ts'
import { cnmBytes } from './frames.ts'

/** One bit per listed class. */
export function classBits(classes: readonly number[]): number {
  return classes.reduce((bits, c) => bits | (1 << c), 0)
}

/** How a switch reads the class of a packet, and what it trims. */
export interface ClassPlan {
  /** Class by codepoint. */
  readonly classOf: Uint8Array
  readonly trimming: Trimming | null
}

/** What ACKs, CNPs and messages of switches carry for their class. */
interface Codepoints {
  /** Of ACKs and NAKs; -1: that of their flow. */
  readonly ackCodepoint: number
  readonly cnpCodepoint: number
}

/** Class by codepoint at a switch with these values. */
export function switchTable(scenario: Scenario): Uint8Array {
  const { classes, switch: at } = scenario
  if (!usesVlans(scenario)) return classTable(classes)
  return vlanClasses(dscpTable(classes), classes.classify === 'dscp', at.vlan.untaggedClass)
}

function classPlan(scenario: Scenario): ClassPlan {
  return { classOf: switchTable(scenario), trimming: trimmingOf(scenario) }
}

/** @throws InputError for a class that no codepoint maps to. */
function codepointsOf(scenario: Scenario): Codepoints {
  const { classes } = scenario
  const table = hostTable(scenario)
  const { ackAtSwitch } = classes
  return {
    ackCodepoint: ackAtSwitch === null ? -1 : codepointFor(table, ackAtSwitch, 'classes.ackAtSwitch'),
    cnpCodepoint: cnpCodepointFor(table, classes),
  }
}

/** Which packets switches trim to a header where they have no room for them; null: none. */
function trimmingOf(scenario: Scenario): Trimming | null {
  const t = scenario.switch.trimming
  if (t.of === 'none') return null
  return {
    classes: t.of === 'lossy' ? 0xff & ~classBits(scenario.pfc.classes) : classBits(t.classes),
    sizeBytes: Math.max(t.size, scenario.frames.minimum),
    trafficClass: t.class,
    codepoint: codepointFor(hostTable(scenario), t.class, 'switch.trimming.class'),
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

// Ports of switches and NICs.

/** @param isOneClass packets of all classes leave the port as class 0 */
export function pfcRules(scenario: Scenario, isOneClass = false): PfcRules {
  const p = scenario.pfc
  return {
    lossless: classBits(p.classes),
    isOneClass,
    quanta: Array.from({ length: 8 }, (_, c) => p.byClass.find((row) => row.class === c)?.quanta ?? p.quanta),
    expires: p.expiry,
    refreshShare: p.refresh,
    repeats: p.repeat,
    reactionPs: p.reactionTime,
    keepsAll: p.repeat || scenario.switch.buffer.kind === 'input-queued',
    sendPs: p.sendDelay,
  }
}

function createScheduler(scenario: Scenario, fabric: Fabric): Scheduler {
  const s = scenario.switch
  const options = {
    strict: classBits(s.strictClasses),
    quantumBytes:
      s.scheduler === 'dwrr' ? Float64Array.from(s.weights, (w) => Math.max(1, Math.round(w * s.dwrrQuantum))) : null,
  }
  return new Scheduler(options, fabric.records, fabric.queues)
}

/** ECN marking rule of a port of this rate. */
function markingRule(scenario: Scenario, rateBps: number): MarkingRule {
  const e = scenario.switch.ecn
  const band = e.byRate.find((row) => row.rate === rateBps) ?? e
  return {
    classes: classBits(e.classes),
    kminBytes: band.kmin,
    kmaxBytes: band.kmax,
    pmax: band.pmax,
    atLeast: e.compare === 'at-least',
  }
}

/**
 * Options of devices and ports, one object for all that have the same values, so that it stays in the cache.
 * Keys are scenarios as they hold at a device (device-values.ts).
 */
export class DeviceOptions {
  readonly #classes = new Map<Scenario, ClassPlan>()
  readonly #codepoints = new Map<Scenario, Codepoints>()
  readonly #pfc = new Map<Scenario, PfcRules>()
  readonly #pfcOfOneClass = new Map<Scenario, PfcRules>()
  readonly #marking = new Map<Scenario, Map<number, MarkingRule>>()
  readonly #schedulers = new Map<Scenario, Scheduler>()

  classes(values: Scenario): ClassPlan {
    return knownOr(this.#classes, values, () => classPlan(values))
  }

  /** @throws InputError for a class that no codepoint maps to */
  codepoints(values: Scenario): Codepoints {
    return knownOr(this.#codepoints, values, () => codepointsOf(values))
  }

  /** @param isOneClass packets of all classes leave the port as class 0 */
  pfc(values: Scenario, isOneClass = false): PfcRules {
    return knownOr(isOneClass ? this.#pfcOfOneClass : this.#pfc, values, () => pfcRules(values, isOneClass))
  }

  marking(values: Scenario, rateBps: number): MarkingRule {
    const byRate = knownOr(this.#marking, values, () => new Map<number, MarkingRule>())
    return knownOr(byRate, rateBps, () => markingRule(values, rateBps))
  }

  /** Weighted schedulers keep deficits: a port of a switch has its own. */
  scheduler(values: Scenario, fabric: Fabric, isAtSwitch: boolean): Scheduler {
    if (isAtSwitch && values.switch.scheduler === 'dwrr') return createScheduler(values, fabric)
    return knownOr(this.#schedulers, values, () => createScheduler(values, fabric))
  }
}

function knownOr<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  let value = known.get(key)
  if (value === undefined) known.set(key, (value = make()))
  return value
}

// NICs.

type NicQuirks = Pick<Quirks, 'wake' | 'isCompacting'>

/**
 * The scenario's rules of NICs. Where a host has several ports, NICs follow the usual ones, whatever the profile says: a QP
 * is in the list of each port of its host and may leave by another than the one that waits for it, while the rules of the
 * profiles know one list and one wake-up for a QP.
 */
export function nicQuirks(scenario: Scenario, hasSeveralPorts: boolean): NicQuirks {
  return hasSeveralPorts ? PROFILES.none : quirksOf(scenario)
}

/** Options of one NIC. */
export function nicOptions(
  { classes, nic }: Scenario,
  { ackCodepoint, cnpCodepoint }: Codepoints,
  { wake, isCompacting }: NicQuirks,
  {
    node,
    position,
    messageGaps,
    pairs,
    packets,
    sink,
  }: Omit<NicOptions, keyof Codepoints | keyof NicQuirks | 'ackClass' | 'cnpClass' | 'packetsPerTurn'>,
): NicOptions {
  // Read per packet: one literal, so that all NICs have options of one shape.
  return {
    node,
    position,
    ackClass: classes.ackAtHost ?? -1,
    ackCodepoint,
    cnpClass: classes.cnpAtHost,
    cnpCodepoint,
    isCompacting,
    packetsPerTurn: nic.packetsPerTurn,
    wake,
    messageGaps,
    pairs,
    packets,
    sink,
  }
}
