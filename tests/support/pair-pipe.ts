/**
 * Pipe: a scripted path between the two ends of a pair. Every packet has the same delay; rules lose, double, trim, mark
 * or hold back the ones they choose, and write telemetry into them as switches would. Packets keep their order unless a
 * rule holds one back.
 * Units: picoseconds. Source of time: the caller.
 */
import {
  HOP_PORT,
  HOP_QUEUE,
  HOP_RATE,
  HOP_RECORD,
  HOP_SENT,
  HOP_TIME,
  Hops,
  NO_HOPS,
} from '../../src/core/transport/hops.ts'
import { CE, DATA, NOT_ECT, Segment, TRIMMED } from '../../src/core/transport/segment.ts'

/** Telemetry that a switch reports about the port by which a packet leaves. */
export interface ReportedHop {
  readonly timePs: number
  readonly sentBytes: number
  readonly queueBytes: number
  readonly rateBps: number
  readonly port: number
}

export function hopsOf(...reported: readonly ReportedHop[]): Hops {
  const hops = new Hops()
  hops.count = reported.length
  reported.forEach((hop, i) => {
    hops.values[i * HOP_RECORD + HOP_TIME] = hop.timePs
    hops.values[i * HOP_RECORD + HOP_SENT] = hop.sentBytes
    hops.values[i * HOP_RECORD + HOP_QUEUE] = hop.queueBytes
    hops.values[i * HOP_RECORD + HOP_RATE] = hop.rateBps
    hops.values[i * HOP_RECORD + HOP_PORT] = hop.port
  })
  return hops
}

/** One packet in flight, as a rule sees it. A rule changes the last six fields. */
interface Passage {
  readonly segment: Readonly<Segment>
  /** Packets sent through this pipe before. */
  readonly count: number
  /** Which transmission of this kind and PSN it is, from 1. */
  readonly nth: number
  readonly startPs: number
  /** 0: lost, 2: doubled (the copy follows directly). */
  copies: number
  isMarked: boolean
  /** Data only: the header continues without its payload. */
  isTrimmed: boolean
  /** Extra delay, negative for an early arrival; packets may overtake. */
  latePs: number
  /** Data only, for senders that need telemetry. */
  reported: readonly ReportedHop[]
}

export type Rule = (passage: Passage) => void

interface Flying {
  readonly segment: Segment
  readonly arrivalPs: number
  readonly order: number
}

/** Counts of faults so far. */
interface FaultCounts {
  lost: number
  doubled: number
  marked: number
  late: number
  trimmed: number
}

export class Pipe {
  readonly faults: FaultCounts = { lost: 0, doubled: 0, marked: 0, late: 0, trimmed: 0 }
  sent = 0
  readonly #delayPs: number
  readonly #draw: () => number
  readonly #rules: Rule[] = []
  readonly #seen = new Map<number, number>()
  #flying: Flying[] = []
  #head = 0

  constructor(delayPs: number, draw: () => number) {
    this.#delayPs = delayPs
    this.#draw = draw
  }

  /** Rules apply in order; later ones override. */
  rule(rule: Rule): void {
    this.#rules.push(rule)
  }

  /** No faults from now on. */
  forgetRules(): void {
    this.#rules.length = 0
  }

  get isEmpty(): boolean {
    return this.#head === this.#flying.length
  }
  /** Arrival of the next packet, or Infinity. */
  get nextPs(): number {
    return this.#flying[this.#head]?.arrivalPs ?? Infinity
  }
  get nextOrder(): number {
    return this.#flying[this.#head]?.order ?? Infinity
  }

  send(nowPs: number, segment: Segment): void {
    const key = segment.kind * 2 ** 24 + segment.psn
    const nth = this.#rules.length === 0 ? 0 : (this.#seen.get(key) ?? 0) + 1
    if (nth > 0) this.#seen.set(key, nth)
    const passage: Passage = {
      segment,
      count: this.sent++,
      nth,
      startPs: nowPs,
      copies: 1,
      isMarked: false,
      isTrimmed: false,
      latePs: 0,
      reported: [],
    }
    for (const rule of this.#rules) rule(passage)
    if (passage.copies === 0) this.faults.lost++
    if (passage.copies > 1) this.faults.doubled++
    if (passage.latePs > 0) this.faults.late++
    for (let copy = 0; copy < passage.copies; copy++) {
      const flying = copied(segment)
      flying.causePs = nowPs
      if (segment.hops !== NO_HOPS) {
        flying.hops = hopsOf(...passage.reported)
        if (segment.kind !== DATA) flying.hops.take(segment.hops)
      }
      if (passage.isMarked && flying.ecn !== NOT_ECT) {
        flying.ecn = CE
        if (copy === 0) this.faults.marked++
      }
      if (passage.isTrimmed && flying.kind === DATA) {
        flying.kind = TRIMMED
        flying.payloadBytes = 0
        if (copy === 0) this.faults.trimmed++
      }
      this.#launch({ segment: flying, arrivalPs: nowPs + this.#delayPs + passage.latePs, order: this.#draw() })
    }
  }

  /** Removes the next packet. */
  take(): Segment {
    const flying = this.#flying[this.#head++]!
    if (this.#head > 1024) {
      this.#flying = this.#flying.slice(this.#head)
      this.#head = 0
    }
    return flying.segment
  }

  #launch(flying: Flying): void {
    let at = this.#flying.length
    while (at > this.#head && this.#flying[at - 1]!.arrivalPs > flying.arrivalPs) at--
    if (at === this.#flying.length) this.#flying.push(flying)
    else this.#flying.splice(at, 0, flying)
  }
}

function copied(from: Readonly<Segment>): Segment {
  return Object.assign(new Segment(), from)
}

/** Loses packets of a kind and PSN, in their nth transmission; without `nth` in every one. */
export function lose(kind: number, psn: number, nth?: number): Rule {
  return loseWhere(({ segment, nth: n }) => segment.kind === kind && segment.psn === psn && (nth ?? n) === n)
}

export function loseWhere(isChosen: (passage: Passage) => boolean): Rule {
  return (passage) => {
    if (isChosen(passage)) passage.copies = 0
  }
}

export function doubleWhere(isChosen: (passage: Passage) => boolean): Rule {
  return (passage) => {
    if (isChosen(passage)) passage.copies = 2
  }
}

export function markWhere(isChosen: (passage: Passage) => boolean): Rule {
  return (passage) => {
    if (isChosen(passage)) passage.isMarked = true
  }
}

/** @param aheadPs how much earlier the header arrives than its packet would have. */
export function trimWhere(aheadPs: number, isChosen: (passage: Passage) => boolean): Rule {
  return (passage) => {
    if (passage.segment.kind !== DATA || !isChosen(passage)) return
    passage.isTrimmed = true
    passage.latePs = -aheadPs
  }
}

export function report(reported: (passage: Passage) => readonly ReportedHop[]): Rule {
  return (passage) => {
    if (passage.segment.kind === DATA) passage.reported = reported(passage)
  }
}

export function holdWhere(latePs: number, isChosen: (passage: Passage) => boolean): Rule {
  return (passage) => {
    if (isChosen(passage)) passage.latePs = latePs
  }
}
