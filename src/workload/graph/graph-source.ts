/**
 * Graph source: runs a program of operations on the hosts of a network. It posts the messages of sends, finds the receive of
 * each, gives computes their lanes, and tells the program what has begun and what is done.
 * A receive is done at the last byte of its message and not before it is posted, plus the host's step time: completion seen,
 * data reduced, next work posted. A message of no bytes, or to a rank on the same host, arrives at once and without step time.
 */
import { assert } from '../../base/assert.ts'
import { NEVER_PS } from '../../base/params.ts'
import type { Message, Source, Waiting } from '../workload.ts'
import { Agenda, DONE, LANE, POST } from './agenda.ts'
import { type Flight, Matching } from './matching.ts'
import type { Operations } from '../operations.ts'
import { OperationLog } from './operation-log.ts'
import { blankOperation, type GraphOperation, type Program, type Ready } from './program.ts'

export interface GraphPlan {
  readonly program: Program
  /** Host of each rank. */
  readonly hostOf: readonly number[]
  readonly startPs: number
  /** From the last byte of a message to the end of its receive. */
  readonly stepTimePs: number
  /** Sends are done when they are posted, not when they are acknowledged. */
  readonly isSendDoneWhenPosted: boolean
  /** Nothing begins from this time on. */
  readonly untilPs: number
  /** Keeps the times of all operations, for the critical path. */
  readonly isLogged: boolean
  readonly label: (out: Message) => void
}

/** Lane of a rank: one compute at a time. */
interface Lane {
  isBusy: boolean
  /** Computes that could begin, by number. */
  readonly waiting: number[]
}

export class GraphSource implements Source {
  readonly #plan: GraphPlan
  readonly #program: Program
  readonly #agenda = new Agenda()
  readonly #matching: Matching
  /** Messages in the network, by their running numbers. */
  readonly #flights = new Map<number, Flight>()
  readonly #connections = new Map<number, number>()
  /** Lanes of ranks, by rank and number. */
  readonly #lanes = new Map<string, Lane>()
  readonly #operation: GraphOperation = blankOperation()
  readonly #log: OperationLog | null
  /** Row of the operation that makes others ready now, and by what. */
  #cause = -1
  #causeBy: 'done' | 'begun' = 'done'
  #nowPs: number
  #taken = 0
  #takenBytes = 0

  constructor(plan: GraphPlan) {
    this.#plan = plan
    this.#program = plan.program
    const { ranks, tagCount, hasWildcards } = plan.program
    this.#matching = new Matching(ranks, tagCount, hasWildcards)
    this.#nowPs = plan.startPs
    this.#log = plan.isLogged ? new OperationLog() : null
    plan.program.begin(plan.startPs, this.#ready)
  }

  readonly operations: Operations = {
    rounds: () => this.#program.rounds?.() ?? [],
    criticalPath: () => this.#log?.criticalPath() ?? [],
    unstarted: () => this.#program.unstarted(),
    nameOf: (id) => this.#program.nameOf(id),
    hostOf: (rank) => this.#plan.hostOf[rank]!,
  }

  get nextStartPs(): number {
    const first = this.#agenda.first
    return first === undefined || first.timePs >= this.#plan.untilPs ? NEVER_PS : first.timePs
  }

  get leftBytes(): number {
    return this.#program.bytes - this.#takenBytes
  }

  onTime(nowPs: number): void {
    this.#nowPs = nowPs
    for (let first = this.#agenda.first; first !== undefined; first = this.#agenda.first) {
      if (first.timePs > nowPs || first.class === POST) return
      this.#agenda.pop()
      if (first.class === DONE) this.#finish(first.id)
      else this.#useLane(first.rank, first.id)
    }
  }

  take(out: Message): void {
    const { id, timePs } = this.#agenda.pop()
    const { hostOf } = this.#plan
    const { rank, peer, sizeBytes, channel } = this.#read(id)
    this.#plan.label(out)
    out.startPs = timePs
    out.source = hostOf[rank]!
    out.destination = hostOf[peer]!
    out.sizeBytes = sizeBytes
    out.connection = this.#connection(rank, peer, channel)
    this.#takenBytes += sizeBytes
    if (this.#log !== null) this.#log.rows[this.#log.indexOf(id)]!.message = this.#taken
    this.#flights.set(this.#taken++, this.#fly(id))
    this.#begin(id)
    if (this.#plan.isSendDoneWhenPosted) this.#agenda.add({ timePs, class: DONE, rank, id })
  }

  onDelivered(nowPs: number, messageNumber: number): void {
    this.#nowPs = nowPs
    this.#arrive(this.#flights.get(messageNumber)!)
  }

  onComplete(nowPs: number, messageNumber: number): void {
    const { send, source } = this.#flights.get(messageNumber)!
    this.#flights.delete(messageNumber)
    if (!this.#plan.isSendDoneWhenPosted) this.#agenda.add({ timePs: nowPs, class: DONE, rank: source, id: send })
  }

  waiting(nowPs: number): readonly Waiting[] {
    const messages = this.#program.messages - this.#taken
    if (messages === 0 || nowPs < this.#plan.startPs || nowPs >= this.#plan.untilPs) return []
    const [first] = this.#flights.keys()
    return [{ behind: first ?? -1, messages }]
  }

  /** The operation waits for nothing more. */
  readonly #ready: Ready = (id) => {
    const { kind, rank, peer, sizeBytes, lane } = this.#read(id)
    const timePs = this.#nowPs
    this.#log?.add({ id, kind, rank, cause: this.#cause, causeBy: this.#causeBy, readyPs: timePs })
    switch (kind) {
      case 'send':
        if (sizeBytes > 0 && this.#plan.hostOf[rank] !== this.#plan.hostOf[peer]) {
          this.#agenda.add({ timePs, class: POST, rank, id })
          return
        }
        this.#arrive(this.#fly(id))
        this.#agenda.add({ timePs, class: DONE, rank, id })
        this.#begin(id)
        return
      case 'receive': {
        const flight = this.#matching.receive(id, this.#operation)
        this.#begin(id)
        if (flight !== null && !Number.isNaN(flight.arrivedPs)) this.#received(flight)
        return
      }
      case 'compute': {
        const key = `${rank}/${lane}`
        const known = this.#lanes.get(key)
        if (known === undefined) this.#lanes.set(key, { isBusy: false, waiting: [id] })
        else known.waiting.push(id)
        this.#agenda.add({ timePs, class: LANE, rank, id: lane })
        return
      }
      case 'wait':
        this.#begin(id)
        this.#agenda.add({ timePs, class: DONE, rank, id })
    }
  }

  /** The message of a send. */
  #fly(send: number): Flight {
    const { rank: source, peer: destination, tag, sizeBytes } = this.#read(send)
    const sendRow = this.#log?.indexOf(send) ?? -1
    const flight = { send, sendRow, source, destination, tag, sizeBytes, receive: -1, arrivedPs: NaN }
    this.#matching.send(flight)
    return flight
  }

  #arrive(flight: Flight): void {
    if (this.#log !== null) this.#log.rows[flight.sendRow]!.arrivedPs = this.#nowPs
    if (this.#matching.arrive(flight, this.#nowPs)) this.#received(flight)
  }

  /** Both the message and its receive are there. */
  #received({ receive, sendRow, source, destination, sizeBytes, arrivedPs }: Flight): void {
    const { hostOf, stepTimePs } = this.#plan
    if (this.#log !== null) {
      const row = this.#log.rows[this.#log.indexOf(receive)]!
      row.arrivedPs = arrivedPs
      row.partner = sendRow
    }
    const isLocal = sizeBytes === 0 || hostOf[source] === hostOf[destination]
    const timePs = this.#nowPs + (isLocal ? 0 : stepTimePs)
    this.#agenda.add({ timePs, class: DONE, rank: destination, id: receive })
  }

  #finish(id: number): void {
    const { kind, rank, lane } = this.#read(id)
    if (kind === 'compute') {
      this.#lanes.get(`${rank}/${lane}`)!.isBusy = false
      this.#agenda.add({ timePs: this.#nowPs, class: LANE, rank, id: lane })
    }
    this.#makeReady(id, 'done')
    this.#log?.done(id, this.#nowPs)
  }

  /** The operation has begun. */
  #begin(id: number): void {
    if (this.#log !== null) this.#log.rows[this.#log.indexOf(id)]!.beginPs = this.#nowPs
    if (this.#program.onStarted !== undefined) this.#makeReady(id, 'begun')
  }

  /** Lets the program say what the begin or end of an operation makes ready. */
  #makeReady(id: number, by: 'done' | 'begun'): void {
    const [cause, causeBy] = [this.#cause, this.#causeBy]
    this.#cause = this.#log?.indexOf(id) ?? -1
    this.#causeBy = by
    if (by === 'done') this.#program.onDone(this.#nowPs, id, this.#ready)
    else this.#program.onStarted!(this.#nowPs, id, this.#ready)
    this.#cause = cause
    this.#causeBy = causeBy
  }

  /** Begins the compute with the smallest number of those that could, if the lane is free. */
  #useLane(rank: number, number: number): void {
    const lane = this.#lanes.get(`${rank}/${number}`)!
    if (lane.isBusy || lane.waiting.length === 0) return
    const id = lane.waiting.reduce((least, each) => Math.min(least, each))
    lane.waiting.splice(lane.waiting.indexOf(id), 1)
    lane.isBusy = true
    this.#agenda.add({ timePs: this.#nowPs + this.#read(id).durationPs, class: DONE, rank, id })
    this.#begin(id)
  }

  #connection(rank: number, peer: number, channel: number): number {
    const { ranks, channelCount } = this.#program
    const key = (rank * ranks + peer) * channelCount + channel
    const known = this.#connections.get(key) ?? this.#connections.size
    this.#connections.set(key, known)
    return known
  }

  /** The record is overwritten by the next read. */
  #read(id: number): GraphOperation {
    this.#program.read(id, this.#operation)
    const { rank } = this.#operation
    assert(rank >= 0 && rank < this.#program.ranks, 'an operation is on a rank of its program')
    return this.#operation
  }
}
