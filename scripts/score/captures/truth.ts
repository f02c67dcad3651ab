/**
 * Truth of a capture whose packets are all known: what the findings have to say of it as far as the file can have it, and what
 * they may not say. A capture is that of one connection, whose client alone sends requests.
 */
import { psnDistance } from '../../../src/live/decode/psn.ts'
import type { Finding } from '../../../src/core/findings/index.ts'
import type { CaptureRecord } from '../../../src/core/wire/index.ts'

export const VIEWS = ['both', 'requests', 'answers', 'mirrored'] as const
export type View = (typeof VIEWS)[number]
/** Who noticed: the receiver by NAK 60 or RNR NAK, the requester by a later answer, or its timer. */
export type Cause = 'nak' | 'rnr' | 'response' | 'timer'

export interface Sent {
  readonly psn: number
  /** One past its last PSN: READ requests have as many as responses. */
  readonly to: number
  readonly isRequest: boolean
  /** Requests that are answered by responses, and those responses. */
  readonly isAnswered: boolean
  readonly syndrome: number | null
  readonly sentPs: number
  /** When it passed the point, and when it arrived; none: it did not. */
  readonly passedPs: readonly number[]
  readonly arrivedPs: readonly number[]
  readonly isAgain: boolean
  /** Why the sender began to send again with it; null: it did not. */
  readonly cause: Cause | null
}

export interface KnownCapture {
  readonly view: View
  /** The sender doubles packets (Send Twice). */
  readonly isSentTwice: boolean
  /** Each transmission has an identification of its own. */
  readonly isIdentified: boolean
  readonly sent: readonly Sent[]
  readonly records: readonly CaptureRecord[]
  /** The packet of each record. */
  readonly packets: readonly Sent[]
}

interface Spot {
  readonly id: string
  readonly frame: number
  readonly psn: number
}

/** Syndromes from here on are no ACK; that of NAK 60. */
const RNR = 0x20
const PSN_ERROR = 0x60
/** A tick of Linux: timeouts of this length and more are in use. */
const TIMEOUTS_FROM_PS = 4e9
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [0x61, 'nak-invalid-request'],
  [0x62, 'nak-remote-access'],
  [0x63, 'nak-remote-operation'],
])
export const isMissed = ({ syndrome }: Sent): boolean => syndrome === PSN_ERROR
export const isRnr = ({ syndrome }: Sent): boolean => syndrome !== null && syndrome >= RNR && syndrome < 0x40
const isAck = ({ syndrome }: Sent): boolean => (syndrome ?? 0) < RNR
export const isAfter = (a: number, b: number): boolean => psnDistance(a, b) > 0
const isLost = ({ arrivedPs }: Sent): boolean => arrivedPs.length === 0
const covers = ({ psn, to }: Sent, at: number): boolean => !isAfter(psn, at) && isAfter(to, at)

/** Places of the findings that say what happened. */
function spotsOf(findings: readonly Finding[]): Spot[] {
  return findings.flatMap(({ id, values }) =>
    ((values['sights'] as readonly { frame: number; psn: string | null }[] | undefined) ?? []).map(
      ({ frame, psn }) => ({
        id: id.replace('capture-', ''),
        frame,
        psn: psn === null ? -1 : Number.parseInt(psn, 16),
      }),
    ),
  )
}

/** Faults of the findings: said wrongly, or left out although the file has it. */
export function mistakesOf(capture: KnownCapture, findings: readonly Finding[]): string[] {
  const spots = spotsOf(findings)
  // A finding lists the first of many places.
  const cut = findings.filter(({ values }) => Number(values['count']) > ((values['sights'] as unknown[])?.length ?? 0))
  const ids = new Set(findings.map(({ id }) => id.replace('capture-', '')))
  const examiner = new Examiner(capture, spots, new Set(cut.map(({ id }) => id.replace('capture-', ''))))
  if (capture.view === 'answers') examiner.answersAlone()
  else {
    examiner.losses()
    examiner.responses(packetsOf(findings, 'capture-responses-missing'))
    examiner.again(ids)
    for (const spot of spots) examiner.judge(spot)
  }
  if (capture.view !== 'requests') examiner.refusals()
  return examiner.mistakes
}

const packetsOf = (findings: readonly Finding[], id: string): number =>
  findings.filter((one) => one.id === id).reduce((sum, { values }) => sum + Number(values['packets']), 0)

class Examiner {
  readonly mistakes: string[] = []
  readonly #capture: KnownCapture
  readonly #spots: readonly Spot[]
  /** Findings that have more places than are listed. */
  readonly #cut: ReadonlySet<string>
  readonly #requests: readonly Sent[]
  readonly #answers: readonly Sent[]
  readonly #naks: readonly Sent[]
  readonly #lost: readonly Sent[]

  constructor(capture: KnownCapture, spots: readonly Spot[], cut: ReadonlySet<string>) {
    this.#cut = cut
    this.#capture = capture
    this.#spots = spots
    const passed = capture.sent.filter(({ passedPs }) => passedPs.length > 0)
    this.#requests = passed.filter(({ isRequest }) => isRequest)
    this.#answers = passed.filter(({ isRequest }) => !isRequest)
    this.#naks = this.#answers.filter(isMissed)
    this.#lost = capture.sent.filter(isLost)
  }

  #has(psn: number, ...ids: string[]): boolean {
    return ids.some((id) => this.#cut.has(id)) || this.#spots.some((one) => one.psn === psn && ids.includes(one.id))
  }

  #check(isRight: boolean, text: string): void {
    if (!isRight) this.mistakes.push(text)
  }

  answersAlone(): void {
    for (const { psn } of this.#naks) this.#check(this.#has(psn, 'missed'), `not said: missed ${psn}`)
    for (const { id, psn } of this.#spots) {
      if (id === 'missed')
        this.#check(
          this.#naks.some((nak) => nak.psn === psn),
          `wrong: ${id} ${psn}`,
        )
      else this.#check(id === 'mirrored' || id === 'duplicated' || this.#isRefusal(id, psn), `wrong: ${id} ${psn}`)
    }
  }

  /** Requests that were lost or late, and those that came twice. */
  losses(): void {
    const isAlone = this.#capture.view === 'requests'
    for (const packet of this.#capture.sent.filter(({ isRequest }) => isRequest)) {
      const { psn, sentPs, passedPs } = packet
      const others = this.#requests.filter((one) => one !== packet && covers(one, psn))
      if (passedPs.length === 0) {
        const again = others.find((one) => one.sentPs > sentPs)
        const isHole = again !== undefined && again === others[0] && this.#isOvertaken(again, 'passedPs')
        this.#check(
          !isHole || this.#has(psn, 'loss-before', ...(isAlone ? ['late'] : [])),
          `not said: loss before ${psn}`,
        )
        continue
      }
      const isAsked = this.#naks.some((nak) => nak.psn === psn && nak.sentPs > sentPs)
      const isBehind = isLost(packet) && isAsked && !isAlone
      this.#check(!isBehind || this.#has(psn, 'loss-after'), `not said: loss behind ${psn}`)
      const isDouble = passedPs.length > 1 && this.#capture.view !== 'mirrored'
      this.#check(!isDouble || this.#has(psn, 'duplicated', 'mirrored'), `not said: twice ${psn}`)
      const isFirst = others.every((one) => one.passedPs[0]! > passedPs[0]!)
      const isLate = isFirst && !packet.isAgain && this.#isOvertaken(packet, 'passedPs')
      this.#check(!isLate || this.#has(psn, isAlone ? 'late' : 'reordered'), `not said: late ${psn}`)
    }
  }

  /**
   * Responses of READs and atomics that were lost before the point, while later ones passed: the first of each row is named.
   * @param said how many are said to be missing
   */
  responses(said: number): void {
    if (this.#capture.view === 'requests') return
    const holes = new Set(this.#lost.filter((lost) => this.#isHole(lost)).map(({ psn }) => psn))
    for (const psn of holes)
      this.#check(
        holes.has((psn - 1) & 0xffffff) || this.#has(psn, 'responses-missing'),
        `not said: response lost before ${psn}`,
      )
    this.#check(said >= holes.size, `not said: ${holes.size - said} of ${holes.size} responses lost`)
  }

  #isHole({ psn, isRequest, isAnswered, passedPs }: Sent): boolean {
    if (isRequest || !isAnswered || passedPs.length > 0) return false
    const again = this.#answers.find((one) => one.isAnswered && one.psn === psn)
    return this.#answers.some(
      (one) => one.isAnswered && isAfter(one.psn, psn) && one.passedPs[0]! < (again?.passedPs[0] ?? Infinity),
    )
  }

  /** NAKs that end the connection, and RNR NAKs. */
  refusals(): void {
    for (const answer of this.#answers) {
      const name = isRnr(answer) ? 'rnr' : REFUSALS.get(answer.syndrome ?? 0)
      this.#check(name === undefined || this.#has(answer.psn, name), `not said: ${name} ${answer.psn}`)
    }
  }

  /** Packets that passed before: said to be sent again, by whom it was noticed. */
  again(ids: ReadonlySet<string>): void {
    if (this.#capture.view === 'requests') return
    for (const packet of this.#requests) {
      if (!packet.isAgain || packet.cause === null) continue
      const names = this.#causesOf(packet).map((name) => `retransmission-${name}`)
      const hasPassed = this.#requests.some((one) => covers(one, packet.psn) && one.passedPs[0]! < packet.passedPs[0]!)
      // A packet that fills a hole may be known as lost, and those behind it as sent again.
      this.#check(!hasPassed || names.some((name) => ids.has(name)), `not said: again, ${packet.cause} ${packet.psn}`)
    }
  }

  /** Whether what is said is so. */
  judge({ id, psn, frame }: Spot): void {
    this.#check(this.#isRight(id, psn, this.#capture.packets[frame - 1]!), `wrong: ${id} ${psn}`)
  }

  #isRefusal(id: string, psn: number): boolean {
    return this.#answers.some(
      (one) => one.psn === psn && (id === 'rnr' ? isRnr(one) : REFUSALS.get(one.syndrome ?? 0) === id),
    )
  }

  #isRight(id: string, psn: number, packet: Sent): boolean {
    const { view, isSentTwice, isIdentified } = this.#capture
    const ofPsn = this.#requests.filter((one) => one.psn === psn)
    const isLate = ofPsn.some((one) => !one.isAgain && this.#isOvertaken(one, 'passedPs'))
    const isLostAt = (isPassed: boolean, isRequest: boolean): boolean =>
      this.#lost.some((one) => one.psn === psn && one.isRequest === isRequest && one.passedPs.length > 0 === isPassed)
    if (id.startsWith('retransmission-')) return this.#causesOf(packet).includes(id.slice(15))
    switch (id) {
      case 'loss-before':
        return isLostAt(false, true)
      case 'loss-after':
        return isLostAt(true, true) || (!isLate && ofPsn.some((one) => this.#isOvertaken(one, 'arrivedPs')))
      case 'reordered':
        return isLate
      case 'late':
        return isLate || isLostAt(false, true)
      case 'duplicated':
        return isSentTwice || packet.passedPs.length > 1 || this.#isDoubledInPart(packet)
      case 'peer-silent':
        return this.#isSilentAfter(psn)
      case 'mirrored':
        // Packets that a sender doubles are those of a mirror, where nothing tells them apart.
        return view === 'mirrored' || (isSentTwice && !isIdentified)
      case 'responses-missing':
        return isLostAt(false, false)
      case 'read-repeated':
      case 'atomic-repeated':
        return packet.isAgain
      case 'atomic-answered-again':
        return this.#answers.filter((one) => one.psn === psn && one.isAnswered).length > 1
      case 'stall':
        return true
      default:
        return this.#isRefusal(id, psn)
    }
  }

  /** Both points see a packet that is lost between them once: few may be doubled. */
  #isDoubledInPart(packet: Sent): boolean {
    const { packets, view } = this.#capture
    const copies = packets.length - new Set(packets).size
    return view === 'mirrored' && copies < packets.length / 3 && packets.filter((one) => one === packet).length > 1
  }

  /** No answer passed after the second of three transmissions or more. */
  #isSilentAfter(psn: number): boolean {
    const [, second, ...more] = this.#requests.filter((one) => one.psn === psn)
    const answers = this.#capture.sent.filter((one) => !one.isRequest && !isLost(one))
    return more.length > 0 && answers.every(({ arrivedPs }) => arrivedPs.at(-1)! < second!.passedPs[0]!)
  }

  /** Whether a request came behind one with a higher PSN. */
  #isOvertaken({ psn, ...packet }: Sent, where: 'passedPs' | 'arrivedPs'): boolean {
    const [timePs] = packet[where]
    return timePs !== undefined && this.#requests.some((one) => isAfter(one.psn, psn) && one[where][0]! < timePs)
  }

  /** A requester that took as long as a timeout may be after the last answer: its response passed, and either may be the cause. */
  #isSlow({ psn, passedPs }: Sent): boolean {
    const before = this.#answers.filter((one) => one.passedPs[0]! < passedPs[0]!)
    const lastPs = Math.max(...before.map((one) => one.passedPs[0]!))
    return before.some((one) => one.psn === psn && one.isAnswered) && passedPs[0]! - lastPs >= TIMEOUTS_FROM_PS
  }

  /** Causes of a packet sent again that are right: where the file cannot tell, it may say so. */
  #causesOf(packet: Sent): string[] {
    const { sent, view } = this.#capture
    if (!packet.isAgain) return []
    if (view === 'requests') return ['unexplained']
    // A run goes on with what began it.
    const upTo = sent.filter(({ isRequest, sentPs }) => isRequest && sentPs <= packet.sentPs)
    const cause = upTo.findLast((one) => one.isAgain && one.cause !== null)?.cause
    if (cause === 'response') return this.#isSlow(packet) ? ['response', 'answered'] : ['response']
    if (cause === undefined || cause === null) return []
    if (cause !== 'timer') {
      // A line between that refuses by itself may be in front of the point: the file has no refusal then.
      const hasPassed = this.#answers.some((one) => !isAck(one) && one.sentPs < packet.sentPs)
      return hasPassed ? [cause] : ['timeout']
    }
    const covering = sent.filter(
      (one) => !one.isRequest && !isAfter(packet.psn, one.psn) && isAck(one) && one.sentPs < packet.sentPs,
    )
    if (covering.length === 0) return ['timeout', 'answered']
    const hasPassed = covering.some(({ passedPs }) => passedPs.length > 0 && passedPs[0]! < packet.passedPs[0]!)
    if (covering.every(isLost)) return hasPassed ? ['answered'] : ['timeout']
    return hasPassed ? ['spurious', 'answered'] : ['spurious', 'timeout']
  }
}
