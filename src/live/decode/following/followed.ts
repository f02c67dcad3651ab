/**
 * A connection in a second reading of its file, when it is known which directions belong together, from when to when, and with
 * which MTU: its diagrams, its rates and its story.
 */
import { captureFindings, type FindingKind, type Value } from '../../../core/findings/index.ts'
import {
  ACKNOWLEDGE,
  type AnyConnectionMad,
  isAtomic,
  isLast,
  isReadResponse,
  isSend,
  READ_REQUEST_OPCODE,
} from '../../../core/wire/index.ts'
import type { ConnectionFacts } from '../decoded.ts'
import { isAnswer } from '../dialogue/dialogue.ts'
import type { Sight } from '../found.ts'
import type { Packet } from '../packet.ts'
import { psnText } from '../psn.ts'
import { type Diagram, DiagramKeeper, type PointKind } from './diagram.ts'
import { Lane } from './lane.ts'
import { Story } from './story.ts'
import type { EndingKind, Share, Side, StoryCost, StoryEnding, StoryEvent } from './story-events.ts'

const { answers, losses } = captureFindings
const JUMP_MAX = 2 ** 18
const CE = 3
/** Spans of time of the rates, and the shortest of them. */
const RATE_SPANS = 120
const RATE_SPAN_PS = 10e6
const ENDINGS: ReadonlyMap<string, EndingKind> = new Map<string, EndingKind>([
  [losses.peerSilent.id, 'silent'],
  [answers.rnrLast.id, 'not-ready'],
  [answers.nakInvalidRequest.id, 'refused'],
  [answers.nakRemoteAccess.id, 'refused'],
  [answers.nakRemoteOperation.id, 'refused'],
])
/** Findings of one packet that was lost. */
const LOST: ReadonlySet<string> = new Set([losses.lossAfter.id, losses.lossBefore.id, losses.unreliableGap.id])

/** Bytes of frames over time, by direction. */
export interface FollowedRates {
  readonly startPs: number
  readonly spanPs: number
  readonly bytes: readonly (readonly number[])[]
}

export interface FollowedConnection {
  readonly connection: ConnectionFacts
  readonly events: readonly StoryEvent[]
  readonly eventsLeftOut: number
  readonly cost: StoryCost
  readonly ending: StoryEnding
  /** For the requests of each direction, with the answers of the other. */
  readonly diagrams: readonly Diagram[]
  readonly rates: FollowedRates
}

export class Followed {
  readonly connection: ConnectionFacts
  readonly #lanes = [new Lane(), new Lane()] as const
  readonly #diagrams: readonly [DiagramKeeper, DiagramKeeper]
  readonly #story: Story
  readonly #spanPs: number
  readonly #bytes: readonly [number[], number[]] = [[], []]
  readonly #messages = new Map<string, number>()
  #ending: EndingKind | null = null
  /** A READ's PSNs are known by the MTU. */
  readonly #mtuBytes: number | null

  constructor(connection: ConnectionFacts) {
    const { startPs, endPs, mtuBytes } = connection
    this.connection = connection
    this.#mtuBytes = mtuBytes
    this.#diagrams = [new DiagramKeeper(startPs, endPs), new DiagramKeeper(startPs, endPs)]
    this.#story = new Story(endPs - startPs)
    this.#spanPs = Math.max(RATE_SPAN_PS, (endPs - startPs) / RATE_SPANS)
  }

  /** @param note as the decoder has it for the packet */
  onPacket(side: Side, packet: Packet, note: string): void {
    const { roce, record, opcode } = packet
    if (note === 'at another interface') return
    this.#rate(side, packet.timePs, record.sizeBytes)
    const isReliable = roce.service === 'rc' || roce.service === 'xrc'
    if (roce.service === 'cnp') this.#cnp(side, packet)
    else if (roce.flaw === 'opcode' || note === 'unknown') return
    else if (isReliable && isAnswer(opcode)) {
      if (roce.flaw === null && roce.icrc !== 'wrong') this.#answer(side, packet, note)
    } else this.#request(side, packet, note)
  }

  /** A message of the connection manager that sets this connection up or ends it, or of a queue pair 1 that is followed. */
  onManagement(side: Side, packet: Packet, mad: AnyConnectionMad, isCounted: boolean): void {
    if (isCounted) this.#rate(side, packet.timePs, packet.record.sizeBytes)
    const key = `${mad.kind} ${mad.transactionId}`
    const before = this.#messages.get(key)
    this.#messages.set(key, packet.timePs)
    this.#story.management({
      side,
      timePs: packet.timePs,
      frame: packet.frame,
      message: mad.kind,
      qp: 'qp' in mad ? mad.qp : null,
      reason: mad.kind === 'REJ' ? mad.reason : null,
      againAfterPs: before === undefined ? null : packet.timePs - before,
    })
    if (mad.kind === 'DREQ' || mad.kind === 'DREP') this.#ending ??= 'disconnected'
    if (mad.kind === 'REJ') this.#ending ??= 'rejected'
  }

  /** A place of a finding about the requests of `side`. */
  onSight(side: Side, kind: FindingKind, sight: Sight, values: Readonly<Record<string, Value>>): void {
    this.#story.sight(side, kind, sight, values)
    this.#ending = ENDINGS.get(kind.id) ?? this.#ending
    if (!LOST.has(kind.id) || sight.psn === null) return
    const lane = this.#lanes[side]
    const at = lane.at(sight.psn)
    const { timePs } = (kind.id === losses.lossAfter.id ? lane.sent(at) : lane.holeOf(at)) ?? sight
    this.#diagrams[side].add('lost', { timePs, psn: lane.relative(at), frame: sight.frame }, false)
  }

  /** @param captureEndPs time of the last record of the file */
  end(captureEndPs: number): FollowedConnection {
    const { connection } = this
    const whole = Math.floor((connection.endPs - connection.startPs) / this.#spanPs)
    const outstanding = [this.#lanes[0].outstanding, this.#lanes[1].outstanding] as const
    return {
      connection,
      events: this.#story.events,
      eventsLeftOut: this.#story.eventsLeftOut,
      cost: this.#story.cost,
      ending: { kind: this.#endingOf(outstanding), outstanding, quietPs: captureEndPs - connection.endPs },
      diagrams: connection.directions.map((_, side) => this.#diagrams[side as Side].diagram()),
      rates: {
        startPs: connection.startPs,
        spanPs: this.#spanPs,
        // A span that the connection fills in part has no rate.
        bytes: connection.directions.map((_, side) => this.#bytes[side as Side].slice(0, whole)),
      },
    }
  }

  #endingOf([one, other]: readonly [number, number]): EndingKind {
    const { service } = this.connection
    if (this.#ending !== null) return this.#ending
    if (service !== 'rc' && service !== 'xrc') return 'unreliable'
    return one + other === 0 ? 'answered' : 'open'
  }

  #rate(side: Side, timePs: number, sizeBytes: number): void {
    const span = Math.floor((timePs - this.connection.startPs) / this.#spanPs)
    if (!(span >= 0 && span <= RATE_SPANS)) return
    const bytes = this.#bytes[side]
    while (bytes.length <= span) bytes.push(0)
    bytes[span]! += sizeBytes
  }

  #cnp(side: Side, packet: Packet): void {
    const sender: Side = side === 0 ? 1 : 0
    const lane = this.#lanes[sender]
    this.#story.traffic(side, packet).cnps++
    this.#point(sender, 'cnp', packet, (lane.high ?? 1) - 1)
  }

  #request(side: Side, packet: Packet, note: string): void {
    const lane = this.#lanes[side]
    const { roce, timePs, frame, psn } = packet
    const at = lane.at(psn)
    const isDamaged = roce.icrc === 'wrong'
    if (isDamaged && lane.high !== null && Math.abs(at - lane.high) > JUMP_MAX) return
    const high = lane.high ?? at
    const answered = lane.answeredBy(at)
    const span = this.#spanOf(packet)
    const hole = lane.holeOf(at)
    const before = lane.request(at, span, { timePs, frame })
    if (note === 'reused') lane.reused++
    const { payloadBytes } = roce
    const noticed = { side, at, to: at + span, payloadBytes, before, hole, answered }
    const what = note === 'again' || note === 'copy' ? note : note === 'late' && before === null ? 'late' : null
    if (what !== null) {
      this.#story.packets(packet, { ...noticed, what })
      this.#point(side, what, packet, at)
    } else {
      if (note === 'gap before' && at > high)
        this.#story.packets(packet, { ...noticed, what: 'hole', at: high, to: at, payloadBytes: 0 })
      this.#story.onward(side)
      if (isDamaged) this.#story.packets(packet, { ...noticed, what: 'damaged' })
      else countRequest(this.#story.traffic(side, packet), packet)
      this.#point(side, isDamaged ? 'damaged' : 'request', packet, at)
    }
    if (roce.ip.ecn !== CE) return
    if (what === null && !isDamaged) this.#story.traffic(side, packet).marked++
    this.#point(side, 'marked', packet, at, false)
  }

  #answer(side: Side, packet: Packet, note: string): void {
    const requester: Side = side === 0 ? 1 : 0
    const lane = this.#lanes[requester]
    const { roce, timePs, frame, psn, opcode } = packet
    const { aeth, original } = roce.headers
    const syndrome = (aeth?.syndrome ?? 0) & 0x7f
    const at = lane.at(psn)
    const isResponse = isReadResponse(opcode) || original !== undefined
    const isRefusal = !isResponse && syndrome >= 0x20
    const to = isRefusal ? at : at + 1
    lane.advance(to, { timePs, frame })
    if (isRefusal) {
      const timerCode = syndrome < 0x40 ? syndrome & 0x1f : null
      const refused = { syndrome: syndrome.toString(16), timerCode, psn: psnText(psn), sent: lane.sent(at) }
      this.#story.refusal(packet, { side, ...refused })
      this.#point(requester, timerCode !== null ? 'rnr' : syndrome === 0x60 ? 'nak' : 'refused', packet, at)
      return
    }
    this.#story.answeredTo(requester, to, timePs)
    if (isResponse && note === 'again') {
      const noticed = { side, at, to, payloadBytes: roce.payloadBytes, before: null, hole: null, answered: null }
      this.#story.packets(packet, { ...noticed, what: 'response-again' })
      this.#point(requester, 'response-again', packet, at)
    } else {
      const share = this.#story.traffic(side, packet)
      countAnswer(share, packet, isResponse)
      this.#point(requester, opcode === ACKNOWLEDGE || !isResponse ? 'ack' : 'response', packet, at)
    }
    if (roce.ip.ecn === CE) this.#point(requester, 'marked', packet, at, false)
  }

  #point(side: Side, kind: PointKind, { timePs, frame }: Packet, at: number, isPacket = true): void {
    const lane = this.#lanes[side]
    if (lane.high !== null) this.#diagrams[side].add(kind, { timePs, psn: lane.relative(at), frame }, isPacket)
  }

  #spanOf({ opcode, roce }: Packet): number {
    const lengthBytes = roce.headers.reth?.lengthBytes ?? 0
    if (opcode !== READ_REQUEST_OPCODE || roce.service === 'uc' || this.#mtuBytes === null) return 1
    return Math.min(JUMP_MAX, Math.max(1, Math.ceil(lengthBytes / this.#mtuBytes)))
  }
}

function countRequest(share: Share, { opcode, roce, psn }: Packet): void {
  share.requests++
  share.payloadBytes += roce.payloadBytes
  share.firstPsn ??= psnText(psn)
  share.lastPsn = psnText(psn)
  if (roce.service === 'ud') share.messages.send++
  else if (opcode === READ_REQUEST_OPCODE) share.messages.read++
  else if (isAtomic(opcode)) share.messages.atomic++
  else if (isLast(opcode)) share.messages[isSend(opcode) ? 'send' : 'write']++
}

function countAnswer(share: Share, { psn, roce }: Packet, isResponse: boolean): void {
  if (isResponse) {
    share.responses++
    share.responseBytes += roce.payloadBytes
  } else share.acks++
  share.acknowledgedPsn = psnText(psn)
}
