/**
 * Result: everything a run leaves behind, with what is needed to make it again.
 */
import { LAST_PS } from '../base/params.ts'
import type { Table } from './table.ts'

/** Counters of switches, NICs and endpoints over the whole run. */
export interface Counters {
  /** Packets, data or control, received by a node. */
  readonly packetHops: number
  readonly events: number
  readonly dataPacketsSent: number
  readonly controlPacketsSent: number
  readonly payloadBytesDelivered: number
  /** By reason: "buffer full", "link loss", ... Only reasons that occurred. */
  readonly drops: Readonly<Record<string, number>>
  /** Dropped packets that carried data; over dataPacketsSent they are the loss rate of data. */
  readonly dataPacketsDropped: number
  /** PFC frames sent with a pause, and with time zero. */
  readonly pauseFrames: number
  readonly resumeFrames: number
  /** By tier of the paused device ("host", "tier 1", ...): sum over ports and classes of paused time, ps. */
  readonly pausedPs: Readonly<Record<string, number>>
  readonly ecnMarks: number
  readonly cnps: number
  /** Messages that switches sent to the sources of data (QCN). */
  readonly cnms: number
  /** A receiver had no Receive WQE. */
  readonly rnrNaks: number
  /** Data packets whose payload a switch cut off; those whose headers were lost too are among the drops. */
  readonly trimmed: number
  /** Bytes of their frames that were cut off. */
  readonly trimmedBytes: number
  /**
   * Of switches with tables, by name: packets that found an incomplete entry ("incomplete"), floods and the copies they
   * made ("floods", "copies"), packets for the CPU and those it refused ("to CPU", "refused by CPU"), "ARP requests", and
   * broadcasts that hosts have received. Only those that occurred; absent where none did.
   */
  readonly layer2?: Readonly<Record<string, number>>
  readonly retransmissions: number
  /** By cause: "last packet lost", "NAK lost", ... (docs/models/go-back-n.md). Only causes that occurred. */
  readonly timeouts: Readonly<Record<string, number>>
}

/** Each switch is paused by the next, whose buffer is full of what came from it; the last one by the first. */
export interface PauseCircle {
  /** Names of the switches. */
  readonly nodes: readonly string[]
  readonly trafficClass: number
  /** Since when the last of them has been paused. */
  readonly sincePs: number
  /** Port of each of the switches, from 1, that waits for the next; not in older results, like the rest. */
  readonly ports?: readonly number[]
  /** Ports that wait for each other, in this circle and in others linked with it. */
  readonly members?: number
  /** Ports that wait for one of these, directly or by way of others. */
  readonly victims?: number
  /** Hosts that may not send for that reason. */
  readonly hosts?: number
  /** Queue pairs that cannot end while it holds. */
  readonly pairs?: number
}

/**
 * Rows of flows that the files of a result keep: a row a message, a row for messages that were posted together or belong to one
 * job, or none.
 */
export const FLOW_ROWS = ['all', 'operations', 'off'] as const
export type FlowRows = (typeof FLOW_ROWS)[number]

/** All that a run leaves behind: what identifies it, its counters, a row a flow, and a table an observer. */
export interface Result {
  readonly schemaVersion: 1
  /** rocelab's version. */
  readonly version: string
  /** The scenario as run, in its printed object form (quantities as text), complete. */
  readonly scenario: unknown
  readonly name: string
  readonly seed: number
  /** 16 hex digits over the event stream. */
  readonly digest: string
  /** True when the run ended before it was done: interrupted, or at the last instant that can be simulated. */
  readonly partial: boolean
  readonly simulatedPs: number
  /**
   * Where the run was given up as no byte was delivered any more: when the last payload byte was delivered, 0 where none was; the
   * rest of `simulatedPs` is patience. null: it ended otherwise.
   */
  readonly stalledFromPs: number | null
  /** Switch ports that wait for each other at the end, PFC's deadlock; null: none do. */
  readonly pauseCircle: PauseCircle | null
  /** Which completion the summary uses. */
  readonly completion: 'receiver' | 'sender'
  /** Measuring window, ps. */
  readonly windowFromPs: number
  readonly windowToPs: number
  /** Payload delivered to receivers in the window, of whatever message. */
  readonly windowPayloadBytes: number
  /** The same by tag, in the order in which tags first start. */
  readonly windowPayloadBytesByTag: Readonly<Record<string, number>>
  /** Messages that workloads were to post when others were finished, by the status of those; only what occurred. */
  readonly unposted: Readonly<Record<string, number>>
  /** Tags of workloads whose messages wait for each other, such as collectives; absent: there are none. */
  readonly jobs?: readonly string[]
  readonly counters: Counters
  /**
   * One row a message, in order of start:
   * flow (integer), source, destination (host positions), sizeBytes, startPs,
   * receivedPs (last payload byte at the receiver; NaN if not), acknowledgedPs (last ACK at the sender; NaN if not),
   * idealPs (same path at line rate in an empty network, same forwarding, same headers, with a READ's request; the receiver's end),
   * idealAcknowledgedPs (with the last ACK's way back), trafficClass, sourcePort, destinationPort,
   * retransmissions, timeouts, deliveredBytes (payload that the receiver has of it; NaN where not known), measured (1 inside the measuring window), operation, tag, status
   * ("finished", else why not: "still sending at the stop", "retry limit", "link down", "livelock: ...").
   */
  readonly flows: Table
  /** From observers, one table each, by observer name. */
  readonly series: readonly Table[]
  /** Files of observers that make one beside their table; absent where none does. */
  readonly attachments?: readonly Attachment[]
}

/** A file of a result that is no table. */
export interface Attachment {
  /** File name, which is unique in the result. */
  readonly path: string
  /** Made on each access, as it may be large. */
  readonly data: Uint8Array
  /** The same part by part, where it is made so (file-parts.ts). */
  readonly parts?: () => Iterable<Uint8Array>
}

/** Cost of a run; no part of the result, since it differs from run to run. */
export interface RunCost {
  readonly cpuSeconds: number
  readonly wallSeconds: number
  readonly peakRssBytes: number
}

/** Why a result is partial, in words that follow "its run was". */
export function partialReason({ simulatedPs }: Pick<Result, 'simulatedPs'>): string {
  return simulatedPs < LAST_PS ? 'interrupted' : 'stopped at 2^53 ps (2.5 h), where simulated time ends'
}
