/**
 * Fault line: a line between two ends on which a script acts. The first rule that chooses a frame acts on it; every rule
 * counts the frames that fit it, whatever others do. The same frames at the same times give the same faults.
 * Answers of a peer are frames made in its name: after an RNR NAK or a NAK in place of a request, what that queue pair
 * would discard is discarded here (IBTA 9.7.5.2.8, 9.9.3).
 */
import { assert } from '../../core/base/assert.ts'
import { createRandomStreams, type RandomStream } from '../../core/base/random.ts'
import { FORMAT_IRN, FORMAT_ROCE } from '../../core/wire/index.ts'
import { cnpFor, nakFor, rejectionFor } from './answers.ts'
import { CHANGES, isApplicable } from './changes.ts'
import { Conversations, destinationKey } from './conversations.ts'
import { FrameQueue } from './frame-queue.ts'
import { type Direction, type Line, opposite } from './line.ts'
import { Refusals } from './refusals.ts'
import type { Action, ActionKind, FaultRule, FaultScript } from './script.ts'
import { see, type Seen } from './seen.ts'

/** A frame, and what became of it. */
export interface FaultEvent {
  readonly timePs: number
  /** Direction of the frame; where it goes, if it was made. */
  readonly direction: Direction
  /** Index of the rule that acted; -1: none did, or what came of an earlier action. */
  readonly rule: number
  /** `pass`: nothing was done; `silence`: discarded after an earlier action. */
  readonly action: ActionKind | 'pass' | 'silence'
  /** As it goes on; where it does not, as it came. */
  readonly frame: Uint8Array
  readonly isMade: boolean
}

/** Frames that a rule met. */
export interface RuleCount {
  /** Frames that fit it. */
  readonly fitted: number
  /** How often it acted. */
  readonly acted: number
}

interface Stream {
  readonly frame: Uint8Array
  readonly direction: Direction
  readonly rule: number
  readonly intervalPs: number
  readonly endPs: number
  nextPs: number
}

/** Packets of RoCEv2 that end a wait behind others, or this time does, so that a reordered packet is not lost. */
const REORDER_PS_MAX = 10e9
/** Streams of CNPs at a time. */
const STREAMS_MAX = 1024

export class FaultLine implements Line {
  /** Called when a rule says "close": whoever has an end of the line ends its connection. The frame passes. */
  onClose: ((nowPs: number) => void) | null = null
  readonly #script: FaultScript
  readonly #format: number
  readonly #record: (event: FaultEvent) => void
  readonly #counts: { fitted: number; acted: number }[]
  readonly #draws: readonly RandomStream[]
  readonly #queues: Readonly<Record<Direction, FrameQueue>> = { in: new FrameQueue(), out: new FrameQueue() }
  readonly #conversations = new Conversations()
  readonly #refusals = new Refusals()
  #streams: Stream[] = []
  #pausedUntilPs = 0
  #hasVanished = false

  /**
   * @param record is called for every frame, in order
   * @param format FORMAT_ bits of the connections between the ends; with IRN's no NAK can be made
   */
  constructor(script: FaultScript, record: (event: FaultEvent) => void = () => {}, format: number = FORMAT_ROCE) {
    this.#script = script
    this.#format = format
    this.#record = record
    this.#counts = script.rules.map(() => ({ fitted: 0, acted: 0 }))
    const streams = createRandomStreams(script.seed)
    this.#draws = script.rules.map((_rule, at) => streams.stream(`fault ${at}`))
  }

  /** By rule. */
  get counts(): readonly RuleCount[] {
    return this.#counts
  }

  onFrame(nowPs: number, direction: Direction, frame: Uint8Array): void {
    const seen = see(frame, this.#format)
    const bytes = frame.slice()
    if (this.#hasVanished) return this.#note(nowPs, direction, -1, 'silence', bytes)
    if (seen === null) return this.#pass(nowPs, direction, bytes)
    this.#conversations.note(seen)
    const refusal = this.#refusals.judge(seen)
    if (refusal !== 'none') {
      this.#note(nowPs, direction, -1, 'silence', bytes)
      if (refusal !== 'silence') this.#make(nowPs, opposite(direction), refusal.rule, 'rnr', refusal.answer(seen))
      return
    }
    const at = this.#chosen(seen, direction)
    if (at < 0) return this.#pass(nowPs, direction, bytes, true)
    const counts = this.#counts[at]!
    counts.acted++
    assert(counts.acted <= counts.fitted, 'fault line: a rule acts on a frame that does not fit it')
    assert(counts.acted <= this.#script.rules[at]!.choice.times, 'fault line: a rule acts too often')
    this.#act(nowPs, direction, at, seen, bytes)
  }

  pollFrame(nowPs: number, direction: Direction): Uint8Array | null {
    this.#runStreams(nowPs)
    return this.#queues[direction].take(nowPs)
  }

  get nextPs(): number {
    const streams = this.#streams.map((stream) => stream.nextPs)
    return Math.min(this.#queues.in.nextPs, this.#queues.out.nextPs, ...streams)
  }

  /** Index of the first rule that chooses a frame, -1: none does. All rules count. */
  #chosen(seen: Seen, direction: Direction): number {
    let chosen = -1
    this.#script.rules.forEach((rule, at) => {
      const count = this.#counts[at]!
      if (!this.#fits(rule, seen, direction)) return
      count.fitted++
      const { chance, times } = rule.choice
      const isDrawn = chance === undefined || this.#draws[at]!.uniform() < chance
      if (chosen < 0 && isDrawn && count.acted < times && isNumbered(rule, count.fitted) && this.#isReady(rule, seen))
        chosen = at
    })
    return chosen
  }

  #fits({ fit, action }: FaultRule, seen: Seen, direction: Direction): boolean {
    return (
      seen.kinds.has(fit.kind) &&
      (fit.mad === undefined || fit.mad === seen.mad?.kind) &&
      (fit.direction === undefined || fit.direction === direction) &&
      (fit.qp === undefined || fit.qp === seen.bth.destinationQp) &&
      (fit.psn === undefined || fit.psn === seen.bth.psn) &&
      (fit.opcode === undefined || fit.opcode === seen.bth.opcode) &&
      (fit.last === undefined || this.#conversations.isLast(seen)) &&
      isApplicable(seen, action)
    )
  }

  /** An answer to a queue pair needs its number. */
  #isReady({ action: { kind } }: FaultRule, seen: Seen): boolean {
    const isAnswer = kind === 'rnr' || kind === 'nak' || kind === 'cnp'
    // IRN's refusals name a packet that arrived, which only its receiver knows.
    if (kind !== 'cnp' && isAnswer && (this.#format & FORMAT_IRN) !== 0) return false
    return !isAnswer || this.#conversations.senderOf(seen) !== undefined
  }

  #act(nowPs: number, direction: Direction, rule: number, seen: Seen, bytes: Uint8Array): void {
    const { action } = this.#script.rules[rule]!
    const change = CHANGES[action.kind]
    if (change !== undefined) {
      const changed = change(seen, action, this.#draws[rule]!)
      this.#note(nowPs, direction, rule, action.kind, changed)
      return this.#send(nowPs, direction, changed, true)
    }
    this.#note(nowPs, direction, rule, action.kind, bytes)
    switch (action.kind) {
      case 'duplicate':
        this.#send(nowPs, direction, bytes, true)
        for (let copy = 0; copy < action.copies; copy++) this.#make(nowPs, direction, rule, 'duplicate', bytes, true)
        return
      case 'delay':
        return this.#queues[direction].add(Math.max(nowPs + action.delayPs, this.#pausedUntilPs), bytes)
      case 'reorder':
        return this.#queues[direction].hold(bytes, action.behind, nowPs + REORDER_PS_MAX)
      case 'vanish':
        this.#hasVanished = true
        return
      case 'pause':
        this.#pausedUntilPs = Math.max(this.#pausedUntilPs, nowPs + action.durationPs)
        return this.#send(nowPs, direction, bytes, true)
      case 'cnp':
        this.#send(nowPs, direction, bytes, true)
        return this.#notify(nowPs, direction, rule, seen, action)
      case 'rnr':
      case 'nak':
        return this.#refuse(nowPs, direction, rule, seen, action)
      case 'reject':
        if (seen.mad?.kind === 'REQ')
          this.#make(nowPs, opposite(direction), rule, 'reject', rejectionFor(seen, seen.mad, action.reason))
        return
      case 'close':
        this.#send(nowPs, direction, bytes, true)
        return this.onClose?.(nowPs)
      default:
    }
  }

  #refuse(nowPs: number, direction: Direction, rule: number, seen: Seen, action: Action): void {
    const requester = this.#conversations.senderOf(seen)!
    assert(requester < 2 ** 24, 'fault line: an answer goes to nobody')
    const msn = this.#conversations.msnOf(seen)
    const syndrome = action.kind === 'rnr' ? 0x20 | action.timer : action.kind === 'nak' ? action.syndrome : 0
    const answer = (request: Seen): Uint8Array => nakFor(request, requester, syndrome, msn)
    if (action.kind === 'rnr')
      this.#refusals.refuse(destinationKey(seen), { psn: seen.bth.psn, left: action.count - 1, rule, answer })
    else if (syndrome !== PSN_ERROR)
      this.#refusals.silence(destinationKey(seen), `${seen.roce.ip.source.join('.')} ${requester}`)
    this.#make(nowPs, opposite(direction), rule, action.kind, answer(seen))
  }

  #notify(nowPs: number, direction: Direction, rule: number, seen: Seen, action: Action): void {
    if (action.kind !== 'cnp') return
    const frame = cnpFor(seen, this.#conversations.senderOf(seen)!)
    const back = opposite(direction)
    for (let sent = 0; sent < action.count; sent++) this.#make(nowPs, back, rule, 'cnp', frame)
    const { intervalPs, durationPs } = action
    assert(durationPs === 0 || intervalPs > 0, 'fault line: a stream of CNPs stands still')
    if (durationPs > 0 && this.#streams.length < STREAMS_MAX)
      this.#streams.push({ frame, direction: back, rule, intervalPs, endPs: nowPs + durationPs, nextPs: nowPs })
  }

  #runStreams(nowPs: number): void {
    if (this.#streams.length === 0) return
    for (const stream of this.#streams)
      for (; stream.nextPs <= nowPs && stream.nextPs < stream.endPs; stream.nextPs += stream.intervalPs)
        this.#make(nowPs, stream.direction, stream.rule, 'cnp', stream.frame)
    this.#streams = this.#streams.filter(({ nextPs, endPs }) => nextPs < endPs)
  }

  #pass(nowPs: number, direction: Direction, frame: Uint8Array, isPacket = false): void {
    this.#note(nowPs, direction, -1, 'pass', frame)
    this.#send(nowPs, direction, frame, isPacket)
  }

  #make(
    nowPs: number,
    direction: Direction,
    rule: number,
    action: ActionKind,
    frame: Uint8Array,
    isPacket = false,
  ): void {
    this.#note(nowPs, direction, rule, action, frame, true)
    this.#send(nowPs, direction, frame, isPacket)
  }

  #send(nowPs: number, direction: Direction, frame: Uint8Array, isPacket: boolean): void {
    const duePs = Math.max(nowPs, this.#pausedUntilPs)
    this.#queues[direction].add(duePs, frame)
    if (isPacket) this.#queues[direction].passed(duePs)
  }

  #note(
    timePs: number,
    direction: Direction,
    rule: number,
    action: FaultEvent['action'],
    frame: Uint8Array,
    isMade = false,
  ): void {
    this.#record({ timePs, direction, rule, action, frame, isMade })
  }
}

/** A NAK with this syndrome asks again for a PSN; others end the queue pair. */
const PSN_ERROR = 0x60

/** Whether the rule chooses the frame with this number among those that fit. */
function isNumbered({ choice: { nth, every, from, to, after } }: FaultRule, number: number): boolean {
  return (
    (nth === undefined || number === nth) &&
    (every === undefined || number % every === 0) &&
    (from === undefined || number >= from) &&
    (to === undefined || number <= to) &&
    (after === undefined || number > after)
  )
}
