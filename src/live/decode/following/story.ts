/**
 * Story of a connection: what passed, what was noticed, who did what next, as events in order of time. The number of events is
 * bounded: the first and the last are kept, and what lies between is counted.
 */
import { captureFindings, type FindingKind, type Value } from '../../../core/findings/index.ts'
import type { Sight } from '../found.ts'
import { type Packet } from '../packet.ts'
import { psnText, wrapped } from '../psn.ts'
import type { Passed, Transmission } from './lane.ts'
import {
  emptyShare,
  type EventFinding,
  type ManagementEvent,
  type PacketsEvent,
  type RefusalEvent,
  type Share,
  type Side,
  type StoryCost,
  type StoryEvent,
  type TrafficEvent,
} from './story-events.ts'
import { Waits } from './waits.ts'

const { losses } = captureFindings
const FIRST_MAX = 200
const LAST_MAX = 100
/** A silence that divides a stretch of traffic, and as a share of the connection's time. */
const QUIET_PS = 1e9
const QUIET_SHARE = 0.25
const RESENT: ReadonlySet<string> = new Set([
  losses.retransmissionNak.id,
  losses.retransmissionRnr.id,
  losses.retransmissionResponse.id,
  losses.retransmissionTimeout.id,
  losses.retransmissionAnswered.id,
  losses.retransmissionSpurious.id,
])
const HEEDED: ReadonlySet<string> = new Set([losses.retransmissionNak.id, losses.retransmissionRnr.id])

/** Packets of a run, as they come. */
export interface Noticed {
  readonly what: PacketsEvent['what']
  readonly side: Side
  /** PSN without wrapping, and one past it. */
  readonly at: number
  readonly to: number
  readonly payloadBytes: number
  readonly before: Transmission | null
  readonly hole: Passed | null
  readonly answered: Passed | null
}

/** A run that goes on, and one that waits for its answer. */
interface Run {
  readonly event: PacketsEvent
  readonly at: number
  next: number
}

export class Story {
  readonly events: StoryEvent[] = []
  eventsLeftOut = 0
  #traffic: TrafficEvent | null = null
  readonly #runs: [Run | null, Run | null] = [null, null]
  /** Runs sent again that were not answered yet, by their sender. */
  readonly #unanswered: [Run[], Run[]] = [[], []]
  /** Refusals that the sender has not answered. */
  readonly #refusals: [RefusalEvent[], RefusalEvent[]] = [[], []]
  /** Findings of the packet that is next. */
  #pending: { readonly side: Side; readonly finding: EventFinding; readonly frame: number }[] = []
  readonly #waits = new Waits()
  readonly #durationPs: number
  #lastPs: number | null = null
  #lastFrame = 0
  #recoveries = 0
  #packets = 0
  #payloadBytes = 0

  /** @param durationPs that of the connection */
  constructor(durationPs: number) {
    this.#durationPs = durationPs
  }

  get cost(): StoryCost {
    return {
      recoveries: this.#recoveries,
      packets: this.#packets,
      payloadBytes: this.#payloadBytes,
      waitedPs: this.#waits.totalPs,
    }
  }

  /** A place of a finding about requests of `side` and their answers. */
  sight(side: Side, kind: FindingKind, sight: Sight, values: Readonly<Record<string, Value>>): void {
    const finding = { id: kind.id, values }
    if (sight.frame > this.#lastFrame) {
      this.#pending.push({ side, finding, frame: sight.frame })
      return
    }
    const event = this.events.findLast((one) => one.frame <= sight.frame && sight.frame <= one.endFrame && isNoted(one))
    if (event === undefined) return
    attach(event, finding)
    if (event.kind === 'packets' && event.what === 'late' && RESENT.has(finding.id)) this.#resent(event, side, finding)
  }

  /** The share of an end in the stretch of traffic that a packet belongs to. */
  traffic(side: Side, packet: Packet): Share {
    const quietPs = packet.timePs - (this.#lastPs ?? packet.timePs)
    if (quietPs >= Math.max(QUIET_PS, QUIET_SHARE * this.#durationPs)) this.#traffic = null
    if (this.#traffic === null) {
      const shares = [emptyShare(), emptyShare()] as const
      this.#traffic = this.#add<TrafficEvent>({ kind: 'traffic', side, ...this.#baseOf(packet), shares })
    }
    const event = this.#traffic
    this.#passed(event, packet)
    return event.shares[side]
  }

  management(event: Omit<ManagementEvent, 'kind' | 'findings' | 'endPs' | 'endFrame' | 'quietPs'>): void {
    this.#traffic = null
    const { timePs, frame } = event
    this.#add({ kind: 'management', ...event, ...this.#baseOf({ timePs, frame }) })
    this.#lastPs = timePs
    this.#lastFrame = frame
  }

  /** New requests end a run. */
  onward(side: Side): void {
    this.#runs[side] = null
  }

  packets(packet: Packet, noticed: Noticed): void {
    const { what, side, at, to, payloadBytes } = noticed
    const run = this.#runs[side]
    if (run !== null && run.event.what === what && run.next === at) {
      run.next = to
      const { event } = run
      event.packets++
      event.payloadBytes += payloadBytes
      event.lastPsn = psnText(wrapped(to - 1))
      this.#passed(event, packet)
      if (what === 'again') this.#count(1, payloadBytes)
      return
    }
    this.#traffic = null
    const event = this.#add<PacketsEvent>({
      kind: 'packets',
      what,
      side,
      ...this.#baseOf(packet),
      psn: psnText(wrapped(at)),
      lastPsn: psnText(wrapped(to - 1)),
      packets: what === 'hole' ? to - at : 1,
      payloadBytes,
      before: noticed.before,
      hole: noticed.hole,
      answered: noticed.answered,
      isContinued: false,
      doneAfterPs: null,
    })
    this.#passed(event, packet)
    const begun = { event, at, next: to }
    if (what !== 'hole') this.#runs[side] = begun
    if (what !== 'again') return
    event.isContinued = !event.findings.some(({ id }) => RESENT.has(id))
    this.#recover(begun, noticed.before, payloadBytes)
  }

  refusal(packet: Packet, refused: Pick<RefusalEvent, 'side' | 'syndrome' | 'timerCode' | 'psn' | 'sent'>): void {
    this.#traffic = null
    const event = this.#add<RefusalEvent>({ kind: 'refusal', ...this.#baseOf(packet), isHeeded: null, ...refused })
    this.#passed(event, packet)
    const own = this.#refusals[refused.side]
    if (own.length < LAST_MAX) own.push(event)
  }

  /** An answer covers all PSNs of a requester below `to`. */
  answeredTo(requester: Side, to: number, timePs: number): void {
    const waiting = this.#unanswered[requester]
    if (waiting.length === 0) return
    for (const { event, at } of waiting) if (at < to) event.doneAfterPs ??= timePs - event.timePs
    this.#unanswered[requester] = waiting.filter(({ at }) => at >= to)
  }

  #recover(run: Run, before: Passed | null, payloadBytes: number): void {
    const { event } = run
    const waiting = this.#unanswered[event.side]
    if (waiting.length >= LAST_MAX) waiting.shift()
    waiting.push(run)
    this.#count(1, payloadBytes)
    if (event.isContinued) return
    this.#recoveries++
    const from = before ?? event.hole
    if (from !== null) this.#waits.add(from.timePs, event.timePs)
  }

  /** Packets that filled a hole turn out to be sent again. */
  #resent(event: PacketsEvent, side: Side, finding: EventFinding): void {
    event.what = 'again'
    this.#settle(event, finding)
    const run = this.#runs[side]
    if (run?.event !== event) return
    this.#recover(run, event.hole, 0)
    this.#count(event.packets - 1, event.payloadBytes)
  }

  /** Sending again says something of the refusals before it. */
  #settle({ side }: PacketsEvent, { id }: EventFinding): void {
    const receiver: Side = side === 0 ? 1 : 0
    if (!RESENT.has(id)) return
    for (const refusal of this.#refusals[receiver]) refusal.isHeeded = HEEDED.has(id)
    this.#refusals[receiver] = []
  }

  #baseOf({ timePs, frame }: Passed) {
    const quietPs = this.#lastPs === null ? null : timePs - this.#lastPs
    return { timePs, frame, endPs: timePs, endFrame: frame, quietPs, findings: [] as EventFinding[] }
  }

  #count(packets: number, payloadBytes: number): void {
    this.#packets += packets
    this.#payloadBytes += payloadBytes
  }

  #add<E extends StoryEvent>(event: E): E {
    this.events.push(event)
    if (this.events.length > FIRST_MAX + LAST_MAX) {
      this.events.splice(FIRST_MAX, 1)
      this.eventsLeftOut++
    }
    return event
  }

  /** A packet of an event, with the findings that wait for it. */
  #passed(event: StoryEvent, { timePs, frame }: Packet): void {
    event.endPs = timePs
    event.endFrame = frame
    this.#lastPs = timePs
    this.#lastFrame = frame
    if (this.#pending.length === 0) return
    for (const { finding } of this.#pending) {
      attach(event, finding)
      if (event.kind === 'packets') this.#settle(event, finding)
    }
    this.#pending = []
  }
}

/** Where findings belong that later packets revealed: stretches of traffic may lie around the event that they are of. */
const isNoted = ({ kind }: StoryEvent): boolean => kind === 'packets' || kind === 'refusal'

function attach({ findings }: StoryEvent, finding: EventFinding): void {
  if (findings.some(({ id }) => id === finding.id)) return
  // Later packets may show another cause.
  const before = RESENT.has(finding.id) ? findings.findIndex(({ id }) => RESENT.has(id)) : -1
  if (before < 0) findings.push(finding)
  else findings[before] = finding
}
