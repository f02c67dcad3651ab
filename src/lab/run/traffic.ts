/**
 * Traffic: takes messages from the workloads, posts them on queue pairs, and logs their completion.
 * A message that is due at an instant is posted after all events that the network has queued for that instant.
 */
import { assert } from '../../core/base/assert.ts'
import { NEVER_PS } from '../../core/base/params.ts'
import type { RandomStreams } from '../../core/base/random.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import type { Actor } from '../../core/fabric/watch.ts'
import { hasWorkRequests } from '../scenario/rules/operations.ts'
import { byWorkload } from '../scenario/mix.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Status } from '../../core/verbs/index.ts'
import { SILENT } from '../../core/workload/index.ts'
import { READ_BYTES_MAX } from '../../core/workload/labels.ts'
import {
  ATOMIC_BYTES,
  blankMessage,
  isAnswered,
  isAtomic,
  type Message,
  type Operation,
  type Source,
} from '../../core/workload/workload.ts'
import { belowPsn } from './below-psn.ts'
import { FlowLog } from './flow-log.ts'
import type { ByteStore } from './flow-pages.ts'
import { MessagePairs } from './message-pairs.ts'
import type { Mistakes } from '../network/mistakes.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { PairMaker } from '../pairs/pairs.ts'
import { Posting } from './posting.ts'
import { type PathTimes, pathTimesByWorkload } from '../times/path-times.ts'
import { createSources } from './sources.ts'
import type { VerbsConnection } from './verbs-connection.ts'
import { failureOf, reportFailed } from './probe-table.ts'
import { expectWork, WorkRequests, type WorkSink } from './work-requests.ts'

/** Rows of the log of one pair's messages, in order. */
interface PairRows {
  readonly rows: number[]
  readonly source: number
  /** The scenario as it holds for the queue pair: values in force when it opened. */
  readonly schemes: Scenario
  readonly numbers: number[]
  /** Messages that are finished. */
  finished: number
}

/** Queue pairs that are checked for release whenever a message is finished. */
const LEAVING_LOOKS = 4

/** Messages posted in a row, at most: then advance() returns, and the rest follow in the same instant. */
const POSTED_AT_ONCE = 50_000

export class Traffic implements WorkSink {
  readonly log: FlowLog
  /** Messages posted and not yet finished: received, and acknowledged where there are ACKs. */
  outstanding = 0
  finished = 0
  /** Called for each message that is complete at its receiver. */
  onMessage: ((nowPs: number, pair: QueuePair, message: number) => void) | null = null
  /** Called when a message is acknowledged. */
  onSettled: ((nowPs: number, pair: QueuePair, message: number) => void) | null = null
  /** Ends the run when `messages` messages with this tag are finished, whatever else is in flight; null: nothing does. */
  stopAfter: { readonly tag: string; readonly messages: number } | null = null
  #stopMessages = 0
  /** Called when nothing is outstanding and no more messages will come. */
  onDrained: (() => void) | null = null
  /** Called when queue pairs have given up on all outstanding messages and no more will come. */
  onGivenUp: (() => void) | null = null
  /** Sum over all messages posted so far. */
  postedBytes = 0
  /** Longest ideal time of a message posted so far, ps. */
  longestIdealPs = 0
  /** Outstanding messages of queue pairs that have given up. */
  #givenUp = 0
  readonly #scenario: Scenario
  #built!: BuiltNetwork
  #pairs!: MessagePairs
  #posting!: Posting
  #maker!: PairMaker
  /** null: no message is a work request. */
  #work: WorkRequests | null = null
  /** One for each workload, in their order. */
  sources: readonly Source[] = []
  readonly #actors: number[] = []
  /** By source: time of its scheduled event; NEVER_PS: none. */
  readonly #armedPs: number[] = []
  readonly #taken: number[] = []
  /** By queue pair; undefined: it has no messages, or was released. */
  readonly #rows: (PairRows | undefined)[] = []
  /** Queue pairs whose only message is finished, until none of their packets is in the network. */
  readonly #leaving: QueuePair[] = []
  /** Index in it of the next queue pair to check. */
  #lookAt = 0
  /** By source with operations, where these are logged: rows of the flow log by the running numbers of its messages. */
  readonly #rowsOf: number[][] = []
  /** By workload: times of messages alone in the network. */
  pathsOf: readonly PathTimes[] = []
  #schemesOf: readonly Scenario[] = []
  readonly #message: Message = blankMessage()
  readonly #failed = new Set<QueuePair>()

  /** @param store of rows of messages that are over; null: they stay in memory */
  constructor(scenario: Scenario, store: ByteStore | null = null) {
    this.#scenario = scenario
    this.log = new FlowLog(store)
  }

  /** Makes the sources and schedules their first messages. @param only workload that has messages; -1: all have */
  start(built: BuiltNetwork, random: RandomStreams, mistakes: Mistakes, only = -1): void {
    this.#built = built
    this.#schemesOf = byWorkload(this.#scenario)
    this.pathsOf = pathTimesByWorkload(built, this.#schemesOf)
    const maker = new PairMaker(this.#scenario, built, random)
    this.#maker = maker
    this.#posting = new Posting(built)
    if (hasWorkRequests(this.#scenario)) this.#work = new WorkRequests(this.#scenario, built, random, maker, this)
    this.#pairs = new MessagePairs(this.#scenario, built, maker, this.pathsOf)
    const all = createSources(this.#scenario, built, random, mistakes)
    this.sources = only < 0 ? all : all.map((source, i) => (i === only ? source : SILENT))
    this.sources.forEach((_source, i) => {
      this.#armedPs.push(NEVER_PS)
      this.#taken.push(0)
      let isSecondLook = false
      const actor: Actor = {
        onEvent: (nowPs) => {
          if (nowPs !== this.#armedPs[i]) return
          if (!isSecondLook) {
            isSecondLook = true
            built.network.actAt(nowPs, this.#actors[i]!)
            return
          }
          isSecondLook = false
          this.#armedPs[i] = NEVER_PS
          this.#post(nowPs, i)
        },
      }
      this.#actors.push(built.network.addActor(actor))
      this.#arm(i)
    })
  }

  /** Queue pairs that open from now on have the recovery, the congestion control and the settings of this scenario. */
  useSchemes(scenario: Scenario): void {
    this.#schemesOf = byWorkload(scenario)
    this.#maker.use(scenario)
  }

  /** Connections of verbs queue pairs, for the laws. */
  get connections(): readonly VerbsConnection[] {
    return this.#work === null ? [] : this.#work.connections
  }

  /** Whether the queue pair carries messages of this traffic. */
  knows(pair: QueuePair): boolean {
    return this.#rows[pair.id] !== undefined
  }

  /** More messages may come. */
  get isOpen(): boolean {
    return this.sources.some((source) => source.nextStartPs !== NEVER_PS)
  }

  /** Bytes of messages to come, as far as known; Infinity for workloads that only time ends. */
  get leftBytes(): number {
    return this.sources.reduce((sum, source) => sum + (source.leftBytes ?? 0), 0)
  }

  /** Time of the next message; NEVER_PS: none is known. */
  get nextStartPs(): number {
    return this.sources.reduce((least, source) => Math.min(least, source.nextStartPs), NEVER_PS)
  }

  /** The queue pair of a row; null: it was released. */
  pairOf(row: number): QueuePair | null {
    return this.#built.network.pairs.byNumber[this.log.get('pair', row)]!
  }

  /** The queue pair has carried this one message and no other. */
  isOnly(pair: QueuePair): boolean {
    return this.#rows[pair.id]?.rows.length === 1
  }

  /** The row is a READ or an atomic of a verbs queue pair, whose data are the queue pair's responses. */
  isAnsweredByVerbs(row: number): boolean {
    const pair = this.pairOf(row)
    return (
      pair !== null && isAnswered(this.log.word('operation', row) as Operation) && (this.#work?.isOf(pair) ?? false)
    )
  }

  /** Row of a message of a workload whose operations are asked for; -1: it has none. */
  rowOf(source: number, number: number): number {
    return this.#rowsOf[source]?.[number] ?? -1
  }

  /** Messages that the workloads would still have posted, by the row of the message that they wait for; -1: none. */
  unposted(nowPs: number): { readonly row: number; readonly messages: number }[] {
    return this.sources.flatMap((source, i) => {
      const waiting = source.waiting?.(nowPs) ?? []
      if (waiting.length === 0) return []
      const rowOf = new Map<number, number>()
      for (const known of this.#rows) {
        if (known?.source !== i) continue
        const { numbers, rows } = known
        numbers.forEach((number, index) => rowOf.set(number, rows[index]!))
      }
      return waiting.map(({ behind, messages }) => ({ row: rowOf.get(behind) ?? -1, messages }))
    })
  }

  onDelivered(nowPs: number, pair: QueuePair, message: number): void {
    const ofPair = this.#rows[pair.id]!
    const row = ofPair.rows[message]!
    this.log.set('receivedPs', row, nowPs)
    this.sources[ofPair.source]!.onDelivered?.(nowPs, ofPair.numbers[message]!)
    this.#arm(ofPair.source)
    if (this.onMessage !== null) this.onMessage(nowPs, pair, message)
    if (!pair.isAcknowledged) {
      // Without ACKs the sender's state is settled here.
      const { readAcks, ackInterval } = this.schemesOf(pair).qp
      if (!readAcks || ackInterval === 0) this.#built.network.nics[pair.source]!.settle(pair, message + 1)
      this.#finish(nowPs, pair, message)
    } else if (!Number.isNaN(this.log.get('acknowledgedPs', row))) this.#finish(nowPs, pair, message)
  }

  onAcknowledged(nowPs: number, pair: QueuePair, message: number): void {
    if (!pair.isAcknowledged) return
    const row = this.#rows[pair.id]!.rows[message]!
    this.log.set('acknowledgedPs', row, nowPs)
    if (this.onSettled !== null) this.onSettled(nowPs, pair, message)
    if (!Number.isNaN(this.log.get('receivedPs', row))) this.#finish(nowPs, pair, message)
  }

  onFailed(nowPs: number, pair: QueuePair, status?: Status): void {
    const { rows, source, numbers, finished } = this.#rows[pair.id]!
    if (!this.#failed.has(pair)) {
      this.#givenUp += rows.length - finished
      reportFailed(nowPs, this.sources[source]!, numbers.slice(finished), failureOf(pair, status))
    }
    this.#failed.add(pair)
    this.#checkDrained()
  }

  /** The scenario with the schemes of this queue pair for all. */
  schemesOf(pair: QueuePair): Scenario {
    return this.#rows[pair.id]!.schemes
  }

  /** Whether the queue pair gave up on its messages. */
  hasFailed(pair: QueuePair): boolean {
    return this.#failed.has(pair)
  }

  /** Payload bytes of a pair's packets below `psn`, and the number of messages that these complete. */
  below(pair: QueuePair, psn: number): { bytes: number; messages: number } {
    return belowPsn(this.log, this.#rows[pair.id]!.rows, this.#built.frames.payloadBytes, psn)
  }

  #finish(nowPs: number, pair: QueuePair, message: number): void {
    this.#releaseSome()
    this.outstanding--
    this.finished++
    const ofPair = this.#rows[pair.id]!
    const { source, numbers } = ofPair
    const row = ofPair.rows[message]!
    this.log.finish(row)
    if (!pair.isOneShot) this.log.close(row)
    ofPair.finished++
    if (this.#failed.has(pair)) this.#givenUp--
    this.sources[source]!.onComplete(nowPs, numbers[message]!)
    this.#arm(source)
    if (pair.isOneShot) this.#leaving.push(pair)
    this.#checkDrained()
    const { stopAfter } = this
    if (stopAfter === null || this.log.word('tag', row) !== stopAfter.tag) return
    // At this very event, so that the result does not depend on how the run was sliced.
    if (++this.#stopMessages === stopAfter.messages) this.#built.network.halt()
  }

  /** Releases queue pairs that are over, checking a few per call: at most one is added between two calls. */
  #releaseSome(): void {
    const leaving = this.#leaving
    for (let left = Math.min(LEAVING_LOOKS, leaving.length); left > 0; left--) {
      if (this.#lookAt >= leaving.length) this.#lookAt = 0
      const pair = leaving[this.#lookAt]!
      if (pair.isOver) {
        this.#release(pair)
        const last = leaving.pop()!
        if (last !== pair) leaving[this.#lookAt] = last
      } else this.#lookAt++
      if (leaving.length === 0) return
    }
  }

  #release(pair: QueuePair): void {
    const row = this.#rows[pair.id]!.rows[0]!
    const { sender, receiver } = pair
    this.log.set('retransmissions', row, sender.retransmissions)
    this.log.set('timeouts', row, sender.timeouts + receiver.timeouts)
    this.log.close(row)
    this.#built.network.pairs.release(pair)
    this.#rows[pair.id] = undefined
  }

  #checkDrained(): void {
    if (this.isOpen || this.outstanding > this.#givenUp) return
    if (this.outstanding === 0) this.onDrained?.()
    else this.onGivenUp?.()
  }

  #arm(i: number): void {
    const nextPs = this.sources[i]!.nextStartPs
    if (nextPs === NEVER_PS || nextPs === this.#armedPs[i]) return
    if (nextPs < this.#armedPs[i]!) {
      this.#armedPs[i] = nextPs
      this.#built.network.actAt(nextPs, this.#actors[i]!)
    }
  }

  #post(nowPs: number, i: number): void {
    const source = this.sources[i]!
    const { network } = this.#built
    for (let posted = 0; source.nextStartPs <= nowPs; posted++) {
      if (posted === POSTED_AT_ONCE) {
        network.pause()
        break
      }
      assert(source.nextStartPs === nowPs, 'a workload posts into the past')
      if (source.onTime !== undefined) {
        source.onTime(nowPs)
        if (source.nextStartPs > nowPs) break
      }
      source.take(this.#message)
      this.#postMessage(nowPs, i, this.#taken[i]!++)
    }
    this.#arm(i)
    this.#checkDrained()
  }

  #postMessage(nowPs: number, i: number, number: number): void {
    const source = this.sources[i]!
    const m = this.#message
    const hosts = this.#built.topology.hostPorts.length
    assert(isBelow(hosts, m.source) && isBelow(hosts, m.destination), 'a workload posts between hosts that are there')
    assert(isBelow(2 ** 53, m.sizeBytes), 'a workload posts messages of a whole number of bytes')
    assert(m.operation !== 'read' || m.sizeBytes <= READ_BYTES_MAX, 'a workload posts READs that one request can name')
    if (isAtomic(m.operation)) m.sizeBytes = ATOMIC_BYTES
    const work = m.isWork ? this.#work : null
    if (work !== null) expectWork(`workload.${i}`, m)
    const pair = this.#pairs.pairFor(i, m, work)
    const rows = (this.#rows[pair.id] ??= {
      rows: [],
      source: i,
      schemes: this.#schemesOf[i]!,
      numbers: [],
      finished: 0,
    })
    const { home, isAnswer } = this.#built.hostPorts.endsOf(pair) ?? { home: 0 }
    const path = (work === null ? this.pathsOf[i]! : work.pathsOf(i)).between(m.source, m.destination, home, isAnswer)
    const hasAnswer = isAnswered(m.operation)
    const alonePs = path.idealPs(m.sizeBytes, m.operation) + (hasAnswer ? path.requestPs(m.operation) : 0)
    if (alonePs > this.longestIdealPs) this.longestIdealPs = alonePs
    const row = this.log.add(m.operation, m.tag, {
      source: m.source,
      destination: m.destination,
      sizeBytes: m.sizeBytes,
      startPs: nowPs,
      idealPs: alonePs,
      // A work request that is answered has its CQE with the answer.
      idealAcknowledgedPs: alonePs + (hasAnswer && work !== null ? 0 : path.ackPs),
      trafficClass: pair.trafficClass,
      sourcePort: pair.sourcePort,
      destinationPort: pair.destinationPort,
      pair: pair.id,
      messageOfPair: rows.rows.length,
    })
    rows.rows.push(row)
    rows.numbers.push(number)
    if (this.#scenario.measure.flows === 'all' && source.operations !== undefined) (this.#rowsOf[i] ??= []).push(row)
    this.outstanding++
    this.postedBytes += m.sizeBytes
    if (this.#failed.has(pair)) {
      this.#givenUp++
      reportFailed(nowPs, source, [number], 'flushed')
    }
    this.#posting.post(pair, m, work)
  }
}

function isBelow(end: number, value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < end
}
