/** Connections, findings and counts of a capture file. Times in picoseconds after the first record. */
import type { Finding, Subject } from '../../core/findings/index.ts'
import type { CaptureFacts, Service } from '../../core/wire/index.ts'
import type { MessageCounts } from './dialogue/messages.ts'
import type { RoundTrips } from './dialogue/round-trips.ts'
import type { Rate } from './rates.ts'

/** How the directions of a connection were joined; `psns` is a guess from PSNs that fit. */
export type JoinedBy = 'cm' | 'exchange' | 'datagrams' | 'psns'

/** Packets from one address to a queue pair of another. */
export interface DirectionFacts {
  readonly source: string
  readonly destination: string
  readonly destinationQp: number
  readonly gidKind: string
  /** That of the first packet, and the number of changes. */
  readonly sourcePort: number
  readonly sourcePortChanges: number
  /** That of the first packet. */
  readonly dscp: number
  readonly packets: number
  readonly wireBytes: number
  /** Payload of all packets, those sent again included. */
  readonly payloadBytes: number
  /** Payload of packets for the first time. */
  readonly goodputBytes: number
  /** Their rate from the first packet to the last, which does not count; null: there is one packet, or none. */
  readonly goodputBps: number | null
  readonly requests: number
  readonly firstRequestPsn: number | null
  readonly lastRequestPsn: number | null
  /** Requests with PSNs that were requested before. */
  readonly requestsAgain: number
  /** READs and atomics. */
  readonly responses: number
  readonly responsesAgain: number
  readonly acks: number
  /** By syndrome, hexadecimal. */
  readonly naks: Readonly<Record<string, number>>
  /** By timer code. */
  readonly rnrNaks: Readonly<Record<string, number>>
  readonly mads: number
  readonly cnps: number
  /** ECN-capable and not marked; marked. */
  readonly ectPackets: number
  readonly cePackets: number
  readonly badIcrc: number
  /** Messages that its sender began as requests, by operation. */
  readonly messages: Readonly<MessageCounts>
  readonly roundTrips: RoundTrips | null
  /** Most packets without an answer. */
  readonly outstandingMax: number
  readonly rate: Rate
}

export interface ConnectionFacts {
  /** In the order of the first packets, from 1. */
  readonly number: number
  readonly service: Service
  /** null: one direction alone was seen. */
  readonly joinedBy: JoinedBy | null
  readonly mtuBytes: number | null
  readonly startPs: number
  readonly endPs: number
  /** From REQ to RTU; null: it is not in the capture. */
  readonly connectPs: number | null
  /** That of the first packet before its answer. */
  readonly directions: readonly DirectionFacts[]
}

export interface Counts {
  readonly frames: number
  readonly rocePackets: number
  readonly badIcrc: number
  /** Cut by the capture, so that the ICRC cannot be checked. */
  readonly cutPackets: number
  /** ACKs and NAKs of reliable connections with the length of IRN's, where nothing says that they are; and with RoCE's. */
  readonly irnAcks: number
  readonly plainAcks: number
  readonly copies: number
  readonly macControl: number
  readonly tcp: number
  readonly arp: number
  readonly roce1: number
  readonly damaged: number
  readonly others: number
  /** Packets of RoCEv2 by the headers of tunnels and mirrors around them, the outermost first: "GRE, VXLAN". */
  readonly outer: Readonly<Record<string, number>>
  /** Frames that are not read, and beginnings of iWARP in TCP, by name. */
  readonly otherKinds: Readonly<Record<string, number>>
}

/** Queue pairs that programs name to each other in TCP: the first of them. */
export interface Exchanged {
  readonly program: 'perftest' | 'pingpong'
  readonly qps: readonly number[]
  readonly hasMore: boolean
}

export interface Decoded {
  readonly facts: CaptureFacts
  readonly durationPs: number
  readonly counts: Counts
  /** null: none. */
  readonly exchanged: Exchanged | null
  /** Those with the gravest findings first, then those with most bytes. */
  readonly connections: readonly ConnectionFacts[]
  readonly connectionsUnlisted: number
  /** Those on the file itself, then the gravest first, then by time. */
  readonly findings: readonly Finding[]
}

/** Whether a finding is of a connection. */
export function isOf({ device, queuePair, atPs }: Subject, { directions, startPs, endPs }: ConnectionFacts): boolean {
  const isOwn = directions.some(
    ({ source, destination, destinationQp }) => device === `${source} to ${destination}` && queuePair === destinationQp,
  )
  return isOwn && (atPs === undefined || (startPs <= atPs && atPs <= endPs))
}
