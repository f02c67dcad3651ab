/**
 * Frames: sizes of all frames in a scenario's network, and how long each takes on its links.
 * Units: bytes, from the Ethernet header to the FCS; bit/s; picoseconds.
 */
import { createSerialization, type Serialization } from '../../core/base/serialization.ts'
import { verbsFrameLimit } from '../../core/fabric/nic/verbs-end.ts'
import { asWorkload, isMixed } from '../scenario/mix.ts'
import { usesVlans } from '../scenario/class-map.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Topology } from '../../core/topology/topology.ts'
import type { FrameSizes } from '../../core/transport/endpoint.ts'
import type { Framing } from '../../core/transport/recovery/recovery.ts'
import { checkClock } from './clock.ts'
import { congestionNeeds, recoveryOf } from './definitions.ts'

/** The largest frames of a network, bytes. */
export interface FrameLimits {
  /** Largest data frame, as queues count it. */
  readonly dataBytes: number
  /** Largest frame of any kind. */
  readonly anyBytes: number
  /** Preamble, start delimiter and gap around each frame on the wire. */
  readonly gapBytes: number
}

export interface NetworkFrames {
  /** Frame sizes of queue pairs with the scenario's own schemes. */
  readonly frames: FrameSizes
  /** Frame sizes of the queue pairs of each workload. */
  readonly framesOf: readonly FrameSizes[]
  readonly frameLimits: FrameLimits
  /** Bytes of a frame that cut-through switches wait for; 0: switches store and forward. */
  readonly headerBytes: number
  readonly serialization: Serialization
}

/** @throws InputError where the clock is too coarse for the links. */
export function networkFrames(scenario: Scenario, topology: Topology): NetworkFrames {
  const frames = frameSizes(scenario)
  const { forwarding } = scenario.switch
  const serialization = createSerialization(scenario.time.quantum, scenario.time.rounding)
  checkClock(scenario.time.quantum, serialization, topology, frames)
  const framesOf = framesByWorkload(scenario, frames)
  return {
    frames,
    framesOf,
    frameLimits: frameLimits([frames, ...framesOf], tagRoomBytes(scenario), broadcastBytes(scenario)),
    headerBytes: forwarding.kind === 'cut-through' ? forwarding.header : 0,
    serialization,
  }
}

/** Bytes of the VLAN tag that every frame but PFC has. */
function tagBytesOf(scenario: Scenario): number {
  return scenario.classes.classify === 'pcp' && !usesVlans(scenario) ? scenario.frames.vlanTag : 0
}

/** Bytes of the VLAN tag that a frame may have beside its size here: it depends on the link. */
function tagRoomBytes(scenario: Scenario): number {
  return usesVlans(scenario) ? scenario.frames.vlanTag : 0
}

/** Frame sizes as the endpoints count them, without the tags that depend on the link. */
export function frameSizes(scenario: Scenario): FrameSizes {
  const f = scenario.frames
  const tag = tagBytesOf(scenario)
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

/** The frames of a transport other than RoCE; `everyBytes` of overhead and the tag are added as in RoCE. */
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

/** Frame sizes of each workload's queue pairs. @param own the scenario's, for workloads without schemes of their own */
export function framesByWorkload(scenario: Scenario, own: FrameSizes): FrameSizes[] {
  return scenario.workload.map((source, i) => (isMixed(source) ? frameSizes(asWorkload(scenario, i)) : own))
}

/** The largest frames of a scenario's network. */
export function frameLimitsOf(scenario: Scenario): FrameLimits {
  const own = frameSizes(scenario)
  return frameLimits([own, ...framesByWorkload(scenario, own)], tagRoomBytes(scenario), broadcastBytes(scenario))
}

/** Largest broadcast frame that a fault sends. */
function broadcastBytes({ faults }: Scenario): number {
  return Math.max(0, ...faults.map((fault) => (fault.kind === 'broadcast' ? fault.size : 0)))
}

/**
 * @param sets frame sizes of all queue pairs in the network
 * @param roomBytes of tags that frames have on some links
 * @param otherBytes largest frame of no queue pair
 */
function frameLimits(sets: readonly FrameSizes[], roomBytes: number, otherBytes: number): FrameLimits {
  const largest = (of: (frames: FrameSizes) => number): number => Math.max(...sets.map(of))
  const dataBytes = largest(dataFrameLimit) + roomBytes
  const controlBytes = largest((frames) =>
    Math.max(
      frames.ackBytes,
      frames.sackAckBytes,
      frames.readRequestBytes,
      frames.cnpBytes,
      frames.rttProbeBytes,
      frames.minimumBytes,
    ),
  )
  return {
    dataBytes,
    anyBytes: Math.max(dataBytes, controlBytes + roomBytes, otherBytes),
    gapBytes: largest(({ gapBytes }) => gapBytes),
  }
}

/** Largest data frame as queues count it. */
function dataFrameLimit(frames: FrameSizes): number {
  const { payloadBytes, dataOverheadBytes, writeOverheadBytes, table } = frames
  if (table === null) return payloadBytes + dataOverheadBytes + writeOverheadBytes
  return Math.max(table.placed[payloadBytes]!, table.sends[payloadBytes]!)
}

/** Frame of a congestion notification message (802.1Qau). */
export function cnmBytes(scenario: Scenario): number {
  const f = scenario.frames
  return Math.max(f.minimum, f.cnm + tagBytesOf(scenario))
}

/** Serialization times by frame bytes, one table per rate, up to the largest frame that a port can send. */
export class TransmitTables {
  readonly #tables = new Map<number, Float64Array>()
  readonly #serialization: Serialization
  readonly #gapBytes: number
  readonly #largestBytes: number

  /** @param hasVerbs verbs queue pairs send in this network. */
  constructor(scenario: Scenario, { frames, frameLimits: limits, serialization }: NetworkFrames, hasVerbs: boolean) {
    const verbsBytes = hasVerbs ? verbsFrameLimit(limits.dataBytes) : 0
    this.#serialization = serialization
    this.#gapBytes = frames.gapBytes
    this.#largestBytes = Math.max(limits.anyBytes, scenario.frames.pfc, cnmBytes(scenario), verbsBytes)
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
