/**
 * Events of a connection's story, as data. A side is the index of a direction: 0 is the end whose packet came first.
 * Times in picoseconds after the first record; PSNs as six digits.
 */
import type { Value } from '../../../core/findings/index.ts'
import type { MessageCounts } from '../dialogue/messages.ts'
import type { Passed, Transmission } from './lane.ts'

export type Side = 0 | 1

/** A finding at one place, with the values that it has there. */
export interface EventFinding {
  readonly id: string
  readonly values: Readonly<Record<string, Value>>
}

interface Base {
  /** The end that acts. */
  readonly side: Side
  readonly timePs: number
  readonly frame: number
  /** Those of its last packet. */
  endPs: number
  endFrame: number
  /** Since the packet of the connection before it; null: it is the first. */
  readonly quietPs: number | null
  readonly findings: EventFinding[]
}

/** A message of the connection manager. */
export interface ManagementEvent extends Base {
  readonly kind: 'management'
  readonly message: string
  readonly qp: number | null
  /** The number that a REJ gives. */
  readonly reason: number | null
  /** Since the same message before; null: it is the first. */
  readonly againAfterPs: number | null
}

/** Packets of one end in a stretch of traffic. */
export interface Share {
  requests: number
  payloadBytes: number
  readonly messages: MessageCounts
  /** Those of its requests. */
  firstPsn: string | null
  lastPsn: string | null
  /** ACKs that it sent, and the highest PSN that they answered. */
  acks: number
  acknowledgedPsn: string | null
  responses: number
  responseBytes: number
  marked: number
  cnps: number
}

/** A stretch in which nothing was noticed. */
export interface TrafficEvent extends Base {
  readonly kind: 'traffic'
  readonly shares: readonly [Share, Share]
}

/**
 * Packets one behind the other: sent again, late (they fill a hole), not seen here (a later one came), doubled by the network,
 * with a wrong ICRC, responses again.
 */
export interface PacketsEvent extends Base {
  readonly kind: 'packets'
  what: 'again' | 'late' | 'hole' | 'copy' | 'damaged' | 'response-again'
  readonly psn: string
  lastPsn: string
  packets: number
  payloadBytes: number
  /** The transmission before of the first packet; null: it did not pass here. */
  readonly before: Transmission | null
  /** The packet that came without this one, where it fills a hole. */
  readonly hole: Passed | null
  /** The answer that had passed before, where it is sent again. */
  readonly answered: Passed | null
  /** It goes on with what was sent again before, and leaves some out. */
  isContinued: boolean
  /** Until the first of them was answered; null: it was not, or before. */
  doneAfterPs: number | null
}

/** NAK, or RNR NAK. */
export interface RefusalEvent extends Base {
  readonly kind: 'refusal'
  /** AETH syndrome, hexadecimal. */
  readonly syndrome: string
  /** Timer code of an RNR NAK. */
  readonly timerCode: number | null
  readonly psn: string
  /** Transmission of the packet that it names; null: it did not pass here. */
  readonly sent: Transmission | null
  /** Whether the sender answered it; false: it sent again for another reason; null: not known, or it needs no answer. */
  isHeeded: boolean | null
}

export type StoryEvent = ManagementEvent | TrafficEvent | PacketsEvent | RefusalEvent

/** Cost of sending again. */
export interface StoryCost {
  /** Runs of packets that were sent again. */
  readonly recoveries: number
  readonly packets: number
  readonly payloadBytes: number
  /** From transmissions to those after them, of the first packet of each run; what overlaps counts once. */
  readonly waitedPs: number
}

/**
 * disconnected: by the connection manager; rejected: by it, before it began; refused: NAK 61 to 63; not-ready: RNR NAKs to the end;
 * silent: the partner did not answer; answered: nothing is outstanding; open: something is; unreliable: nobody answers.
 */
export type EndingKind =
  | 'disconnected'
  | 'rejected'
  | 'refused'
  | 'not-ready'
  | 'silent'
  | 'answered'
  | 'open'
  | 'unreliable'

export interface StoryEnding {
  readonly kind: EndingKind
  /** By end: PSNs that it sent and that were not answered. */
  readonly outstanding: readonly [number, number]
  /** From the last packet to the end of the capture. */
  readonly quietPs: number
}

export function emptyShare(): Share {
  return {
    requests: 0,
    payloadBytes: 0,
    messages: { send: 0, write: 0, read: 0, atomic: 0 },
    firstPsn: null,
    lastPsn: null,
    acks: 0,
    acknowledgedPsn: null,
    responses: 0,
    responseBytes: 0,
    marked: 0,
    cnps: 0,
  }
}
