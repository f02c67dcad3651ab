/**
 * Graph source: runs a program of operations on the hosts of a network. It posts the messages of sends, finds the receive of
 * each, gives computes their lanes, and tells the program what has begun and what is done.
 * A receive is done at the last byte of its message and not before it is posted, plus the host's step time: completion seen,
 * data reduced, next work posted. A message to a rank on the same host has no step time, but a time of its own; one of no bytes,
 * or to itself, arrives at once.
 */
import { assert } from '../../base/assert.ts'
import { inputError } from '../../base/issue.ts'
import { NEVER_PS } from '../../base/params.ts'
import type { Message, Source, Waiting } from '../workload.ts'
import { Agenda, CONTROL, DONE, INSIDE, LANE, POST } from './agenda.ts'
import { eachHostSend, type RankHosts } from './host-sends.ts'
import { Lanes } from './lanes.ts'
import { type Control, CONTROL_BYTES, type LeavePlan, Leaves } from './leaves.ts'
import { type Flight, Matching } from './matching.ts'
import type { Operations } from '../operations.ts'
import { OperationLog } from './operation-log.ts'
import { blankOperation, type GraphOperation, nicOf, OWN, type Program, type Ready } from './program.ts'

export interface GraphPlan extends RankHosts {
  readonly program: Program
  /** Time of a message between ranks of one host; absent: none. */
  readonly inside?: { readonly latencyPs: number; readonly psPerByte: number }
  /** Which sends wait for their receivers; absent: none. */
  readonly leave?: LeavePlan
  readonly startPs: number
  /** From the last byte of a message, or from its receive where that is posted later, to the end of the receive. */
  readonly stepTimePs: number
  /** From the last byte of a message to the end of its receive, at least; absent: 0. */
  readonly stepLatencyPs?: number
  /** When sends are done. */
  readonly sendDone: 'posted' | 'delivered' | 'acknowledged'
  /** Nothing begins from this time on. */
  readonly untilPs: number
  /** Keeps the times of all operations, for the critical path. */
  readonly isLogged: boolean
  /** @param id the send; -1: a control message */
  readonly label: (out: Message, id: number) => void
}

export class GraphSource implements Source {
  readonly operations: Operations
  readonly #plan: GraphPlan
  readonly #program: Program
  readonly #agenda = new Agenda()
  readonly #matching: Matching
  /** Messages in the network, by their running numbers. */
  readonly #flights = new Map<number, Flight>()
  readonly #connections = new Map<number, number>()
  /** Control messages in the network, by their running numbers, and those that are to be posted. */
  readonly #controls = new Map<number, Control>()
  readonly #dueControls = new Map<number, Control>()
  #controlCount = 0
  readonly #leaves: Leaves
  /** By send: messages that have a place among the sends of their ranks and are not posted. */
  readonly #ahead = new Map<number, Flight>()
  /** By receive: its message, which has a slot. */
  readonly #slotOf = new Map<number, Flight>()
  readonly #lanes = new Lanes()
  readonly #operation: GraphOperation = blankOperation()
  readonly #log: OperationLog | null
  /** Row of the operation that makes others ready now, and by what. */
  #cause = -1
  #causeBy: 'done' | 'begun' = 'done'
  #nowPs: number
  /** Messages in the network so far. */
  #taken = 0
  /** Messages of operations that are posted or, inside a host, have arrived, and their bytes. */
  #ownDone = 0
  #ownBytes = 0
  /** Operations that could begin and are not done, and when the last one was. */
  #open = 0
  #lastDonePs: number
  readonly #byRank: { readonly computePs: Float64Array; readonly donePs: Float64Array }

  constructor(plan: GraphPlan) {
    this.#plan = plan
    this.#program = plan.program
    const { ranks, tagCount, hasWildcards } = plan.program
    this.#matching = new Matching(ranks, tagCount, hasWildcards)
    this.#leaves = new Leaves(plan.leave ?? { aboveBytes: Infinity, slots: 0 })
    this.#nowPs = this.#lastDonePs = plan.startPs
    this.#log = plan.isLogged ? new OperationLog() : null
    this.#byRank = { computePs: new Float64Array(ranks), donePs: new Float64Array(ranks).fill(plan.startPs) }
    this.operations = this.#seen(plan)
    plan.program.begin(plan.startPs, this.#ready)
  }

  get nextStartPs(): number {
    const first = this.#agenda.first
    return first === undefined || first.timePs >= this.#plan.untilPs ? NEVER_PS : first.timePs
  }

  get leftBytes(): number {
    return this.#program.bytes - this.#ownBytes
  }

  onTime(nowPs: number): void {
    this.#nowPs = nowPs
    for (let first = this.#agenda.first; first !== undefined; first = this.#agenda.first) {
      if (first.timePs > nowPs || first.class >= POST) return
      this.#agenda.pop()
      if (first.class === INSIDE) this.#arriveInside(first.id)
      else if (first.class === DONE) this.#finish(first.id)
      else this.#useLane(first.rank, first.id)
    }
  }

  take(out: Message): void {
    const entry = this.#agenda.pop()
    const { id, timePs } = entry
    this.#plan.label(out, entry.class === CONTROL ? -1 : id)
    out.startPs = timePs
    if (entry.class === CONTROL) return this.#takeControl(out, id)
    const { rank, peer, sizeBytes, channel } = this.#read(id)
    this.#address(out, rank, peer, channel, 0)
    out.sizeBytes = sizeBytes
    this.#ownBytes += sizeBytes
    this.#ownDone++
    this.#log?.set('message', this.#log.indexOf(id), this.#taken)
    const ahead = this.#ahead.get(id)
    if (ahead !== undefined) this.#ahead.delete(id)
    this.#flights.set(this.#taken++, ahead ?? this.#fly(id))
    this.#begin(id)
    if (this.#plan.sendDone === 'posted') this.#agenda.add({ timePs, class: DONE, rank, id })
  }

  onDelivered(nowPs: number, messageNumber: number): void {
    this.#nowPs = nowPs
    const flight = this.#flights.get(messageNumber)
    const control = this.#controls.get(messageNumber)
    assert(flight !== undefined || control !== undefined, 'a message is delivered before it is complete')
    if (flight === undefined) this.#giveLeave(control!)
    else {
      this.#arrive(flight)
      this.#endSend(nowPs, flight, 'delivered')
    }
  }

  onComplete(nowPs: number, messageNumber: number): void {
    if (this.#controls.delete(messageNumber)) return
    this.#endSend(nowPs, this.#flights.get(messageNumber)!, 'acknowledged')
    this.#flights.delete(messageNumber)
  }

  /** A send is done if this is what ends it. */
  #endSend(timePs: number, { send: id, source: rank }: Flight, by: GraphPlan['sendDone']): void {
    if (this.#plan.sendDone === by) this.#agenda.add({ timePs, class: DONE, rank, id })
  }

  waiting(nowPs: number): readonly Waiting[] {
    const messages = this.#program.messages - this.#ownDone
    if (messages === 0 || nowPs < this.#plan.startPs || nowPs >= this.#plan.untilPs) return []
    const [first] = this.#flights.keys()
    return [{ behind: first ?? -1, messages }]
  }

  /** The program as results see it. */
  #seen({ program, startPs }: GraphPlan): Operations {
    return {
      ranks: program.ranks,
      iterations: program.iterations ?? 1,
      startPs,
      taken: () => this.#taken,
      messages: () => program.messages,
      eachSend: (visit) => eachHostSend(program, this.#plan, visit),
      donePs: () => (this.#open === 0 && program.unstarted().length === 0 ? this.#lastDonePs : NaN),
      byRank: () => this.#byRank,
      rounds: () => program.rounds?.() ?? [],
      rowCount: () => this.#log?.count ?? 0,
      rowAt: (row) => this.#log!.rowAt(row),
      spotOf: (id) => program.spotOf?.(id) ?? null,
      criticalPath: () => this.#log?.criticalPath() ?? [],
      unstarted: () => program.unstarted(),
      nameOf: (id) => program.nameOf(id),
      hostOf: (rank) => this.#hostOf(rank),
    }
  }

  /** The operation waits for nothing more. */
  readonly #ready: Ready = (id) => {
    const { kind, rank, peer, sizeBytes, tag, lane, channel, durationPs, untilPs } = this.#read(id)
    const timePs = this.#nowPs
    this.#open++
    if (this.#log !== null) {
      const what = { id, kind, rank, peer, sizeBytes, tag, stream: kind === 'compute' ? lane : channel }
      this.#log.add({ ...what, cause: this.#cause, causeBy: this.#causeBy, readyPs: timePs })
    }
    switch (kind) {
      case 'send':
        if (sizeBytes === 0 || this.#hostOf(rank) === this.#hostOf(peer)) this.#sendInside(id, rank, peer)
        else if (!this.#leaves.areNeeded || this.#mayLeave(id)) this.#agenda.add({ timePs, class: POST, rank, id })
        return
      case 'receive': {
        const flight = this.#matching.receive(id, this.#operation)
        const isAnnounced = this.#leaves.needsReceive(sizeBytes) && this.#hostOf(rank) !== this.#hostOf(peer)
        this.#begin(id)
        if (isAnnounced) {
          if (flight !== null) this.#leaves.matched(flight)
          this.#control({
            from: rank,
            to: peer,
            channel: this.#read(id).channel,
            receive: id,
            row: this.#log?.indexOf(id) ?? -1,
          })
        }
        if (flight !== null && !Number.isNaN(flight.arrivedPs)) this.#received(flight)
        return
      }
      case 'compute': {
        this.#lanes.wait(rank, lane, id)
        this.#agenda.add({ timePs, class: LANE, rank, id: lane })
        return
      }
      case 'wait':
        this.#begin(id)
        this.#agenda.add({ timePs: Math.max(timePs + durationPs, untilPs), class: DONE, rank, id })
    }
  }

  /** The message of a send. */
  #fly(send: number): Flight {
    const { rank: source, peer: destination, tag, channel, sizeBytes } = this.#read(send)
    const sendRow = this.#log?.indexOf(send) ?? -1
    const its = { send, sendRow, source, destination, tag, channel, sizeBytes }
    const flight = { ...its, isQueued: false, receive: -1, arrivedPs: NaN }
    this.#matching.send(flight)
    return flight
  }

  /** A message of no bytes, or to a rank on the same host. */
  #sendInside(id: number, rank: number, peer: number): void {
    const flight = this.#fly(id)
    this.#begin(id)
    const { latencyPs, psPerByte } = this.#plan.inside ?? { latencyPs: 0, psPerByte: 0 }
    const ps = flight.sizeBytes === 0 || rank === peer ? 0 : latencyPs + Math.round(flight.sizeBytes * psPerByte)
    if (ps === 0) return this.#endInside(flight)
    this.#ahead.set(id, flight)
    this.#agenda.add({ timePs: this.#nowPs + ps, class: INSIDE, rank, id })
  }

  #arriveInside(id: number): void {
    const flight = this.#ahead.get(id)!
    this.#ahead.delete(id)
    this.#endInside(flight)
  }

  #endInside(flight: Flight): void {
    if (flight.sizeBytes > 0) this.#ownDone++
    this.#ownBytes += flight.sizeBytes
    this.#arrive(flight)
    this.#agenda.add({ timePs: this.#nowPs, class: DONE, rank: flight.source, id: flight.send })
  }

  /** Whether a send that is ready may be posted; it has its place among those of its rank from now on. */
  #mayLeave(id: number): boolean {
    const flight = this.#fly(id)
    this.#ahead.set(id, flight)
    return this.#leaves.ask(flight, this.#connectionKey(flight.source, flight.destination, flight.channel))
  }

  /** A control message is to be posted now. */
  #control(control: Control): void {
    const id = this.#controlCount++
    this.#dueControls.set(id, control)
    this.#agenda.add({ timePs: this.#nowPs, class: CONTROL, rank: control.from, id })
  }

  #takeControl(out: Message, id: number): void {
    const control = this.#dueControls.get(id)!
    this.#dueControls.delete(id)
    const { from, to, channel } = control
    this.#address(out, from, to, channel, 1)
    out.sizeBytes = CONTROL_BYTES
    this.#controls.set(this.#taken++, control)
  }

  /** A control message is at its sender-to-be. */
  #giveLeave({ from, to, channel, receive, row }: Control): void {
    const flight =
      receive >= 0 ? this.#leaves.announce(receive) : this.#leaves.free(this.#connectionKey(to, from, channel))
    if (flight === null) return
    this.#log?.setLeave(flight.sendRow, row, receive >= 0 ? 'begun' : 'done')
    this.#agenda.add({ timePs: this.#nowPs, class: POST, rank: flight.source, id: flight.send })
  }

  #arrive(flight: Flight): void {
    assert(Number.isNaN(flight.arrivedPs), 'a message is delivered once')
    this.#log?.set('arrivedPs', flight.sendRow, this.#nowPs)
    if (this.#matching.arrive(flight, this.#nowPs)) this.#received(flight)
  }

  /** Both the message and its receive are there. */
  #received(flight: Flight): void {
    const { receive, sendRow, source, destination, sizeBytes, arrivedPs } = flight
    const { stepTimePs, stepLatencyPs = 0 } = this.#plan
    const expectedBytes = this.#read(receive).sizeBytes
    if (expectedBytes !== sizeBytes) {
      const name = `${this.#program.nameOf(receive)} of rank ${destination}`
      const hint =
        'messages with one tag meet their receives in the order in which both are posted: tags make them differ'
      throw inputError('workload', `${expectedBytes} bytes for ${name}`, `${sizeBytes} from rank ${source}`, hint)
    }
    if (this.#log !== null) {
      const row = this.#log.indexOf(receive)
      this.#log.set('arrivedPs', row, arrivedPs)
      this.#log.set('partner', row, sendRow)
    }
    const isLocal = sizeBytes === 0 || this.#hostOf(source) === this.#hostOf(destination)
    if (!isLocal && this.#leaves.hasSlots) this.#slotOf.set(receive, flight)
    const timePs = isLocal ? this.#nowPs : Math.max(this.#nowPs, arrivedPs + stepLatencyPs) + stepTimePs
    this.#agenda.add({ timePs, class: DONE, rank: destination, id: receive })
  }

  #finish(id: number): void {
    const { kind, rank, lane, durationPs } = this.#read(id)
    this.#byRank.donePs[rank] = this.#nowPs
    const slot = this.#slotOf.get(id)
    if (slot !== undefined) {
      this.#slotOf.delete(id)
      const { destination, source, channel } = slot
      this.#control({ from: destination, to: source, channel, receive: -1, row: this.#log?.indexOf(id) ?? -1 })
    }
    if (kind === 'compute') {
      this.#byRank.computePs[rank]! += durationPs
      this.#lanes.free(rank, lane)
      this.#agenda.add({ timePs: this.#nowPs, class: LANE, rank, id: lane })
    }
    this.#makeReady(id, 'done')
    this.#open--
    this.#lastDonePs = this.#nowPs
    this.#log?.done(id, this.#nowPs)
  }

  /** The operation has begun. */
  #begin(id: number): void {
    this.#log?.set('beginPs', this.#log.indexOf(id), this.#nowPs)
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
    const id = this.#lanes.next(rank, number)
    if (id < 0) return
    this.#agenda.add({ timePs: this.#nowPs + this.#read(id).durationPs, class: DONE, rank, id })
    this.#begin(id)
  }

  /** @param kind 0: messages of operations; 1: control messages */
  #address(out: Message, rank: number, peer: number, channel: number, kind: 0 | 1): void {
    const { hostOf, portOf, nics = 1, railOf } = this.#plan
    const nic = nics === 1 ? 0 : nicOf(channel) % nics
    out.source = hostOf[rank * nics + nic]!
    out.destination = hostOf[peer * nics + nic]!
    out.port = (channel === OWN ? undefined : railOf?.(channel, peer)) ?? portOf?.[rank * nics + nic] ?? -1
    if (channel === OWN) {
      out.connection = -1
      return
    }
    const key = 2 * this.#connectionKey(rank, peer, channel) + kind
    const known = this.#connections.get(key) ?? this.#connections.size
    this.#connections.set(key, known)
    out.connection = known
  }

  /** The host of the rank, and of its first nic. */
  #hostOf(rank: number): number {
    return this.#plan.hostOf[rank * (this.#plan.nics ?? 1)]!
  }

  #connectionKey(rank: number, peer: number, channel: number): number {
    const { ranks, channelCount } = this.#program
    return (rank * ranks + peer) * channelCount + channel
  }

  /** The record is overwritten by the next read. */
  #read(id: number): GraphOperation {
    this.#program.read(id, this.#operation)
    const { rank } = this.#operation
    assert(rank >= 0 && rank < this.#program.ranks, 'an operation is on a rank of its program')
    return this.#operation
  }
}
