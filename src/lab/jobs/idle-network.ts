/**
 * Idle network: how long messages take where nothing but the links of their own hosts is shared. The queue pairs of a host
 * take rounds at its link, as in a NIC; the link to a host carries no more than its rate, and first what has left first;
 * between hosts a message goes as if it were alone. ACKs of what a host receives take their room beside what it sends.
 * Units: picoseconds.
 */
import { Heap } from '../../base/heap.ts'
import { NEVER_PS } from '../../base/params.ts'

/** A message alone in the network, and the time that it takes of the links of both its hosts. */
export interface Passage {
  /** To its last byte, and from there to its acknowledgement. */
  readonly idealPs: number
  readonly ackPs: number
  readonly sourcePs: number
  readonly destinationPs: number
  /** Time that ACKs of as many packets take of each of the links. */
  readonly sourceAcksPs: number
  readonly destinationAcksPs: number
  /** Turns of the link in which it is sent. */
  readonly rounds: number
}

export interface IdleMessage {
  readonly number: number
  readonly source: number
  readonly destination: number
  /** Its queue pair, whose messages go one after the other. */
  readonly queue: number
  readonly passage: Passage
}

/** Events of messages that the network reports. */
export interface Arrivals {
  onDelivered(nowPs: number, number: number): void
  onComplete(nowPs: number, number: number): void
}

/** A message on a link. */
interface Share {
  /** Share that each message on the link has got when this one has all that it needs. */
  readonly endPs: number
  readonly order: number
  readonly done: (nowPs: number) => void
}

interface Event {
  readonly timePs: number
  readonly order: number
  readonly act: (nowPs: number) => void
}

/** A link whose time is divided evenly, in rounds. */
class Link {
  readonly #shares = new Heap<Share>((a, b) => (a.endPs === b.endPs ? a.order < b.order : a.endPs < b.endPs))
  #count = 0
  /** Share that a message has got that was on the link all the time. */
  #gotPs = 0
  #atPs = 0

  /** Messages that come together have their first rounds in their order, behind those that are there. */
  add(nowPs: number, messages: readonly Leaving[]): void {
    if (this.#count > 0) this.#gotPs += (nowPs - this.#atPs) / this.#count
    this.#atPs = nowPs
    const all = this.#count + messages.length
    for (const { workPs, rounds, order, done } of messages) {
      this.#count++
      // Messages behind it still wait for their last turn when it has had its own.
      const sparedPs = (workPs / rounds) * (1 - this.#count / all)
      this.#shares.add({ endPs: this.#gotPs + workPs - sparedPs, order, done })
    }
  }

  /** When the next message is through, if none is added. */
  get nextPs(): number {
    const { first } = this.#shares
    return first === undefined ? NEVER_PS : this.#atPs + (first.endPs - this.#gotPs) * this.#count
  }

  /** Takes off the message whose time has come. */
  pop(nowPs: number): Share {
    const first = this.#shares.pop()
    this.#gotPs = first.endPs
    this.#atPs = nowPs
    this.#count--
    return first
  }
}

/** A message that comes to the link of its host. */
interface Leaving extends Omit<Share, 'endPs'> {
  readonly workPs: number
  readonly rounds: number
}

export class IdleNetwork {
  readonly #to: Arrivals
  readonly #events = new Heap<Event>((a, b) => (a.timePs === b.timePs ? a.order < b.order : a.timePs < b.timePs))
  #order = 0
  /** By host: its link out, and until when that to it is taken; how many messages are under way from it and to it. */
  readonly #out = new Map<number, Link>()
  readonly #takenPs = new Map<number, number>()
  readonly #sending = new Map<number, number>()
  readonly #receiving = new Map<number, number>()
  /** The same of messages that were posted at this instant, and of which nothing has arrived. */
  readonly #newTo = new Map<number, number>()
  readonly #newFrom = new Map<number, number>()
  /** Messages of each queue pair that are not through its own link, the first of them on it. */
  readonly #queues = new Map<number, IdleMessage[]>()
  readonly #posted: IdleMessage[] = []

  constructor(to: Arrivals) {
    this.#to = to
  }

  get nextPs(): number {
    return this.#events.first?.timePs ?? NEVER_PS
  }

  /** The message is posted; it leaves with the others of its instant (start). */
  post(message: IdleMessage): void {
    this.#posted.push(message)
    count(this.#sending, message.source, 1)
    count(this.#receiving, message.destination, 1)
    count(this.#newFrom, message.source, 1)
    count(this.#newTo, message.destination, 1)
  }

  /** Lets the messages leave that were posted now. */
  start(nowPs: number): void {
    const byHost = new Map<number, Leaving[]>()
    for (const message of this.#posted.splice(0)) {
      const queue = this.#queues.get(message.queue)
      if (queue !== undefined) {
        queue.push(message)
        continue
      }
      this.#queues.set(message.queue, [message])
      const leaving = byHost.get(message.source) ?? []
      byHost.set(message.source, leaving)
      leaving.push(this.#leaving(nowPs, message))
    }
    for (const [host, leaving] of byHost) this.#send(nowPs, host, leaving)
    this.#newFrom.clear()
    this.#newTo.clear()
  }

  /** Does the next thing; there must be one. */
  step(): void {
    const { timePs, act } = this.#events.pop()
    act(timePs)
  }

  #leaving(nowPs: number, message: IdleMessage): Leaving {
    const { source, destination, passage } = message
    const { idealPs, sourcePs, destinationPs, rounds } = passage
    // When messages begin together, the first ACKs come when a part has been sent.
    const late = Math.min(1, (idealPs - sourcePs) / sourcePs)
    const shareOf = (all: ReadonlyMap<number, number>, fresh: ReadonlyMap<number, number>, host: number): number => {
      const inFlight = all.get(host) ?? 0
      return inFlight === 0 ? 0 : inFlight > (fresh.get(host) ?? 0) ? 1 : 1 - late
    }
    const workPs = sourcePs + shareOf(this.#receiving, this.#newTo, source) * passage.sourceAcksPs
    const restPs = destinationPs + shareOf(this.#sending, this.#newFrom, destination) * passage.destinationAcksPs
    const firstPs = nowPs + Math.max(0, idealPs - destinationPs)
    const done = (leftPs: number): void => {
      const inPs = Math.max(this.#takenPs.get(destination) ?? 0, firstPs) + restPs
      this.#takenPs.set(destination, inPs)
      const atPs = Math.round(Math.max(leftPs + idealPs - sourcePs, inPs))
      this.#at(atPs, (deliveredPs) => this.#deliver(deliveredPs, message))
      this.#next(leftPs, message)
    }
    return { workPs, rounds, order: this.#order++, done }
  }

  #send(nowPs: number, host: number, leaving: readonly Leaving[]): void {
    let link = this.#out.get(host)
    if (link === undefined) this.#out.set(host, (link = new Link()))
    link.add(nowPs, leaving)
    this.#watch(link)
  }

  /** The next message of the queue pair leaves. */
  #next(nowPs: number, { queue: key }: IdleMessage): void {
    const queue = this.#queues.get(key)!
    queue.shift()
    const [next] = queue
    if (next === undefined) this.#queues.delete(key)
    else this.#send(nowPs, next.source, [this.#leaving(nowPs, next)])
  }

  #deliver(nowPs: number, { number, source, destination, passage }: IdleMessage): void {
    count(this.#sending, source, -1)
    count(this.#receiving, destination, -1)
    this.#at(nowPs + passage.ackPs, (atPs) => this.#to.onComplete(atPs, number))
    this.#to.onDelivered(nowPs, number)
  }

  /** Looks at the link when its next message is through, as far as it knows now. */
  #watch(link: Link): void {
    const { nextPs } = link
    if (nextPs === NEVER_PS) return
    this.#at(nextPs, (atPs) => {
      // Others came meanwhile: there is a later look.
      if (link.nextPs !== nextPs) return
      link.pop(atPs).done(atPs)
      this.#watch(link)
    })
  }

  #at(timePs: number, act: (nowPs: number) => void): void {
    this.#events.add({ timePs, order: this.#order++, act })
  }
}

function count(of: Map<number, number>, host: number, by: 1 | -1): void {
  of.set(host, (of.get(host) ?? 0) + by)
}
