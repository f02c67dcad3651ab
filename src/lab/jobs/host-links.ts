/**
 * HOT. Host links: a network in which nothing but the links of hosts is shared, packet by packet. The link out of a host
 * serves ACKs first and then its queue pairs in turn, one packet each (fabric/nic); the link in takes packets as they come.
 * Between them a packet takes the time that makes a message alone as fast as in the network.
 * It has no buffers, routes or deadlines, and so costs a fraction of the packet engine; of the same time, events are in the
 * order of their causes, as there.
 * Units: picoseconds. Shapes: packets are columns of numbers; the code of an event is a packet, or a link for the end of the
 * packet that it sends, times four, with IS_LINK and the queue's POOLED.
 */
import { EventQueue, Memory } from '../../core/engine/index.ts'
import { POOLED } from '../../core/engine/event-record.ts'

/** Times that a packet takes of the links of its hosts. */
export interface Hop {
  readonly outPs: number
  readonly inPs: number
}

/** The way of a message: its packets are a first one, those in the middle, and the last or only one. */
export interface Passage {
  readonly packets: number
  readonly first: Hop
  readonly full: Hop
  readonly last: Hop
  /** From the end of a packet on the link out to its begin on a link in that is free. */
  readonly betweenPs: number
  /** Packets of an ACK; 0: there are none. */
  readonly ackInterval: number
  readonly ack: Hop
  readonly ackBetweenPs: number
}

/** Events of messages. */
export interface Arrivals {
  onDelivered(nowPs: number, number: number): void
  onComplete(nowPs: number, number: number): void
}

export interface PostedMessage {
  readonly number: number
  /** Links of its hosts. */
  readonly source: number
  readonly destination: number
  /** Its queue pair, whose messages go one after the other. */
  readonly queue: number
  readonly passage: Passage
}

/** A queue pair at its link out. */
interface Queue {
  /** Position in the round robin; -1: it has left it, as all was acknowledged, or has arrived where there are no ACKs. */
  position: number
  /** Messages that have packets to send. */
  readonly messages: Moving[]
  /** Messages that are not over. */
  open: number
}

/** A message under way. */
interface Moving {
  readonly number: number
  readonly passage: Passage
  readonly from: Link
  readonly to: Link
  readonly queue: Queue
  sent: number
}

/** Packets in a row, linked by `next`; -1: none. */
interface Row {
  first: number
  last: number
}

/** Both directions of the link of a host. */
interface Link {
  readonly id: number
  /** The end of the last packet on the link out, and its position among events of that time. */
  busyPs: number
  order: number
  /** That is an event. */
  isAwaited: boolean
  /** Queue pairs with packets to send, by their positions. */
  readonly ready: Queue[]
  /** Queue pairs in the round robin, position of the next one that joins, and of the one served last. */
  members: number
  positions: number
  served: number
  readonly acks: Row
  /** When the link in is free. */
  freePs: number
  /** Packets on it that something waits for; the first is an event. */
  readonly arriving: Row
}

const ROOM = 1024
const IS_LINK = 2
/** Events from one fit of the queue to the next. */
const RETUNE_EVERY = 2 ** 14
const EVENTS_AT_ONCE = 1000

export class HostLinks {
  readonly #to: Arrivals
  readonly #links: Link[] = []
  readonly #linkOf = new Map<number, Link>()
  readonly #queueOf = new Map<number, Queue>()
  /** By packet: its message, its index in it (-1: an ACK), whether it or what it acknowledges is the last, where it is. */
  readonly #of: Moving[] = []
  #index = new Int32Array(ROOM)
  #isLast = new Uint8Array(ROOM)
  #isIn = new Uint8Array(ROOM)
  #next = new Int32Array(ROOM)
  #timePs = new Float64Array(ROOM)
  #orders = new Float64Array(ROOM)
  /** First packet that is over. */
  #over = -1
  #packets = 0
  readonly #memory = new Memory()
  readonly #queue = new EventQueue(this.#memory)
  #nowPs = 0
  #nowOrder = 0
  #hasArrival = false
  /** Events up to now. */
  events = 0

  constructor(to: Arrivals) {
    this.#to = to
  }

  /** Gives the regions back that events take. */
  close(): void {
    this.#memory.release()
  }

  get nowPs(): number {
    return this.#nowPs
  }

  /** Goes on until a message arrives or is over, or a while, and not beyond a time. Gives whether there was an event. */
  advance(limitPs: number): boolean {
    const queue = this.#queue
    queue.limitPs = limitPs
    this.#hasArrival = false
    const from = this.events
    const to = from + EVENTS_AT_ONCE
    while (this.events < to && !this.#hasArrival) {
      const code = queue.take()
      if (code < 0) return this.events > from
      this.#nowPs = queue.nowPs
      this.#nowOrder = queue.currentOrder
      this.events++
      if (this.events % RETUNE_EVERY === 0) queue.retune(RETUNE_EVERY)
      const entry = code >> 2
      if ((code & IS_LINK) !== 0) {
        const link = this.#links[entry]!
        link.isAwaited = false
        this.#send(link)
      } else if (this.#isIn[entry] === 0) this.#takeIn(entry)
      else this.#arrive(entry)
    }
    return true
  }

  post(nowPs: number, { number, source, destination, queue: name, passage }: PostedMessage): void {
    const from = this.#link(source)
    let queue = this.#queueOf.get(name)
    if (queue === undefined) this.#queueOf.set(name, (queue = { position: -1, messages: [], open: 0 }))
    if (queue.position < 0) {
      queue.position = from.positions++
      from.members++
    }
    queue.open++
    queue.messages.push({ number, passage, from, to: this.#link(destination), queue, sent: 0 })
    if (queue.messages.length === 1) from.ready.splice(behind(from.ready, queue.position), 0, queue)
    this.#nowPs = nowPs
    // Messages of an instant come after all events of it.
    this.#nowOrder = Infinity
    this.#kick(from)
  }

  /** There is something to send. */
  #kick(link: Link): void {
    if (link.isAwaited) return
    const isBusy = this.#nowPs === link.busyPs ? this.#nowOrder < link.order : this.#nowPs < link.busyPs
    if (isBusy) this.#await(link)
    else this.#send(link)
  }

  #await(link: Link): void {
    link.isAwaited = true
    this.#queue.schedule(link.busyPs, link.order, (link.id << 2) | IS_LINK | POOLED)
  }

  /** Starts the next packet of a link out, which is free. */
  #send(link: Link): void {
    const { acks, ready } = link
    if (acks.first >= 0) {
      const packet = this.#takeFirst(acks)
      const { ack, ackBetweenPs } = this.#of[packet]!.passage
      return this.#launch(link, packet, ack.outPs, ackBetweenPs)
    }
    if (ready.length === 0) return
    let at = ready.length === 1 ? 0 : behind(ready, link.served)
    if (at === ready.length) at = 0
    const queue = ready[at]!
    link.served = queue.position
    const message = queue.messages[0]!
    const { packets, betweenPs, first, full, last } = message.passage
    const index = message.sent++
    const isLast = index === packets - 1
    if (isLast) {
      queue.messages.shift()
      if (queue.messages.length === 0) ready.splice(at, 1)
    }
    const { outPs } = isLast ? last : index === 0 ? first : full
    this.#launch(link, this.#packet(message, index, isLast), outPs, betweenPs)
  }

  #launch(link: Link, packet: number, outPs: number, betweenPs: number): void {
    link.busyPs = this.#nowPs + outPs
    link.order = this.#queue.draw()
    this.#expect(packet, link.busyPs + betweenPs, this.#queue.draw())
    if (link.ready.length > 0 || link.acks.first >= 0) this.#await(link)
  }

  /** A packet comes to its link in. */
  #takeIn(packet: number): void {
    const { from, to, passage } = this.#of[packet]!
    const index = this.#index[packet]!
    const isLast = this.#isLast[packet] !== 0
    const { ack, ackInterval } = passage
    const link = index < 0 ? from : to
    const hop = index < 0 ? ack : isLast ? passage.last : index === 0 ? passage.first : passage.full
    link.freePs = (link.freePs > this.#nowPs ? link.freePs : this.#nowPs) + hop.inPs
    const isAwaited = isLast || (index >= 0 && ackInterval > 0 && (index + 1) % ackInterval === 0)
    if (!isAwaited) return this.#free(packet)
    this.#isIn[packet] = 1
    this.#timePs[packet] = link.freePs
    this.#orders[packet] = this.#queue.draw()
    if (this.#append(link.arriving, packet)) this.#expect(packet, link.freePs, this.#orders[packet]!)
  }

  /** A packet that something waits for has arrived. */
  #arrive(packet: number): void {
    const message = this.#of[packet]!
    const { number, passage, from, to, queue } = message
    const isAck = this.#index[packet]! < 0
    const isLast = this.#isLast[packet] !== 0
    const { arriving } = isAck ? from : to
    this.#takeFirst(arriving)
    const { first } = arriving
    if (first >= 0) this.#expect(first, this.#timePs[first]!, this.#orders[first]!)
    this.#free(packet)
    const nowPs = this.#nowPs
    this.#hasArrival = isLast
    if (isAck) {
      endOne(from, queue)
      return this.#to.onComplete(nowPs, number)
    }
    if (passage.ackInterval > 0) {
      this.#append(to.acks, this.#packet(message, -1, isLast))
      this.#kick(to)
    }
    if (!isLast) return
    this.#to.onDelivered(nowPs, number)
    if (passage.ackInterval > 0) return
    endOne(from, queue)
    this.#to.onComplete(nowPs, number)
  }

  #link(name: number): Link {
    let link = this.#linkOf.get(name)
    if (link !== undefined) return link
    const rows = { acks: { first: -1, last: -1 }, arriving: { first: -1, last: -1 } }
    link = {
      id: this.#links.length,
      busyPs: 0,
      order: 0,
      isAwaited: false,
      ready: [],
      members: 0,
      positions: 0,
      served: 0,
      freePs: 0,
      ...rows,
    }
    this.#links.push(link)
    this.#linkOf.set(name, link)
    return link
  }

  #packet(of: Moving, index: number, isLast: boolean): number {
    let packet = this.#over
    if (packet >= 0) this.#over = this.#next[packet]!
    else {
      packet = this.#packets++
      if (packet === this.#index.length) this.#grow()
    }
    this.#of[packet] = of
    this.#index[packet] = index
    this.#isLast[packet] = isLast ? 1 : 0
    this.#isIn[packet] = 0
    return packet
  }

  #free(packet: number): void {
    this.#next[packet] = this.#over
    this.#over = packet
  }

  #grow(): void {
    const more = <T extends Int32Array | Uint8Array | Float64Array>(old: T, to: T): T => {
      to.set(old)
      return to
    }
    const room = 2 * this.#index.length
    this.#index = more(this.#index, new Int32Array(room))
    this.#isLast = more(this.#isLast, new Uint8Array(room))
    this.#isIn = more(this.#isIn, new Uint8Array(room))
    this.#next = more(this.#next, new Int32Array(room))
    this.#timePs = more(this.#timePs, new Float64Array(room))
    this.#orders = more(this.#orders, new Float64Array(room))
  }

  /** Adds a packet to a row. Gives whether it is the first. */
  #append(row: Row, packet: number): boolean {
    this.#next[packet] = -1
    const isFirst = row.first < 0
    if (isFirst) row.first = packet
    else this.#next[row.last] = packet
    row.last = packet
    return isFirst
  }

  #takeFirst(row: Row): number {
    const packet = row.first
    row.first = this.#next[packet]!
    return packet
  }

  #expect(packet: number, timePs: number, order: number): void {
    this.#queue.schedule(timePs, order, (packet << 2) | POOLED)
  }
}

/** A message of a queue pair is over: with its last one it leaves the round robin. In an empty one the next to join counts as served. */
function endOne(link: Link, queue: Queue): void {
  if (--queue.open > 0) return
  queue.position = -1
  if (--link.members === 0) link.served = link.positions
}

/** Index of the first queue pair behind a position. */
function behind(ready: readonly Queue[], position: number): number {
  let from = 0
  let to = ready.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (ready[middle]!.position > position) to = middle
    else from = middle + 1
  }
  return from
}
