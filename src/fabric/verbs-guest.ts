/**
 * HOT. Verbs guest: verbs queue pairs at one host, carried by its NIC beside the queue pairs of scenarios.
 * A packet record has no room for their headers; these, and the payload, stand in a table beside the records.
 * Answers go with the NIC's own; requests and responses leave by turns, one packet each, each queue pair's no faster than
 * its rate limiter lets it.
 * Units: picoseconds, bytes.
 */
import { assert } from '../base/assert.ts'
import { INTS } from '../base/memory.ts'
import { NEVER_PS } from '../base/params.ts'
import { CE, CNM, CNP, DATA } from '../transport/segment.ts'
import { packetBytes, VerbsPacket, type QueuePair as VerbsQueuePair } from '../verbs/index.ts'
import type { Fabric } from './fabric.ts'
import type { Network } from './network.ts'
import type { Nic } from './nic.ts'
import { ECN, FLAGS, FLOW, KIND, ORDINAL, PAYLOAD, PSN, SIZE, SYNDROME } from './packets.ts'
import type { VerbsRateLimiter } from './verbs-rate-limiter.ts'
import type { Actor } from './watch.ts'

const ints = INTS

/** Ethernet with FCS, IPv4, UDP and ICRC around what packetBytes() counts. */
const AROUND_BYTES = 18 + 20 + 8 + 4
/** BTH and the longest headers behind it. */
const HEADERS_BYTES_MAX = 64

/** The longest frame of queue pairs with this MTU. */
export function verbsFrameLimit(mtuBytes: number): number {
  return mtuBytes + HEADERS_BYTES_MAX + AROUND_BYTES
}

/** Headers and payloads of the verbs packets of one network, by the number of the packet's record. */
export class VerbsPackets {
  private readonly mtuBytes: number
  private readonly byRecord: (VerbsPacket | undefined)[] = []

  constructor(mtuBytes: number) {
    this.mtuBytes = mtuBytes
  }

  /** What stands beside that record; stays for the record's next packet. */
  at(packet: number): VerbsPacket {
    const record = ints[packet | ORDINAL]!
    return (this.byRecord[record] ??= new VerbsPacket(this.mtuBytes))
  }
}

/** One queue pair and where its packets go. */
export interface VerbsRoute {
  readonly pair: VerbsQueuePair
  /** Position of the other host. */
  readonly destination: number
  /** What paths are chosen by: a flow of its own for each direction, that no other queue pair has. */
  readonly flow: number
  /** FORMAT_... of wire/opcodes.ts. */
  readonly format: number
  /** Of all its packets, answers too: a queue pair has one service level, and an ACK that overtook responses would ask for them again. */
  readonly codepoint: number
  readonly trafficClass: number
  /** null: it sends at line rate. */
  readonly limiter: VerbsRateLimiter | null
}

export interface VerbsGuestOptions {
  readonly network: Network
  readonly nic: Nic
  readonly packets: VerbsPackets
  readonly mtuBytes: number
  /** What is told when something has happened to a queue pair. */
  readonly onActivity: (nowPs: number, pair: VerbsQueuePair) => void
}

export class VerbsGuest implements Actor {
  private readonly fabric: Fabric
  private readonly network: Network
  private readonly nic: Nic
  private readonly packets: VerbsPackets
  private readonly onActivity: VerbsGuestOptions['onActivity']
  private readonly routes: VerbsRoute[] = []
  private readonly actor: number
  /** Flows to queue pairs that are connected to others now. */
  private readonly left = new Set<number>()
  private turn = 0
  private isTelling = false
  /** Queue pairs that changed their state while they were asked for a packet, to be told of. */
  private readonly changed: VerbsRoute[] = []
  /** Of the event that is armed. */
  private wakePs = NEVER_PS

  constructor(options: VerbsGuestOptions) {
    const { network, nic } = options
    this.fabric = network.fabric
    this.network = network
    this.nic = nic
    this.packets = options.packets
    this.onActivity = options.onActivity
    this.actor = network.addActor(this)
    assert(
      nic.port.transmitPs[verbsFrameLimit(options.mtuBytes)] !== undefined,
      'frames of verbs are longer than the network is made for',
    )
    nic.guest = this
  }

  /** A queue pair that had another route leaves it: what is still under way there is for nobody. */
  add(route: VerbsRoute): void {
    const before = this.routes.findIndex(({ pair }) => pair === route.pair)
    if (before >= 0) for (const { flow } of this.routes.splice(before, 1)) this.left.add(flow ^ 1)
    this.routes.push(route)
    route.pair.driver = this
    this.network.guestSources.set(route.flow, this.nic.position)
  }

  /** Of a queue pair, whoever posted: a callback of another host's, or a program between two slices of the run. */
  onPosted(): void {
    const nowPs = this.fabric.queue.nowPs
    // What is posted from a callback of ours is seen behind it.
    if (this.isTelling || this.wakePs <= nowPs) return
    this.wakePs = nowPs
    this.network.actAt(nowPs, this.actor)
  }

  private tell(nowPs: number, pair: VerbsQueuePair): void {
    this.isTelling = true
    try {
      this.onActivity(nowPs, pair)
    } finally {
      this.isTelling = false
    }
  }

  /** Work was posted, or a state changed. */
  wake(): void {
    this.drainAll()
    this.arm()
    this.nic.port.kick()
  }

  get isEmpty(): boolean {
    return this.routes.length === 0
  }

  /** Takes the packet if it is for one of its queue pairs. */
  receive(packet: number): boolean {
    const { packets } = this.fabric
    const flow = ints[packet | FLOW]!
    const route = this.routeOf(flow)
    if (route === null) {
      if (!this.left.has(flow)) return false
      packets.free(packet)
      return true
    }
    const nowPs = this.fabric.queue.nowPs
    const kind = ints[packet | KIND]!
    if (kind === CNP || kind === CNM) {
      this.hear(route, nowPs, packet, kind)
      packets.free(packet)
      this.arm()
      return true
    }
    const { limiter } = route
    if (limiter !== null && ints[packet | ECN]! === CE && limiter.answersMark(nowPs)) this.sendCnp(route, limiter)
    const verbsPacket = this.packets.at(packet)
    verbsPacket.ecn = ints[packet | ECN]!
    packets.free(packet)
    route.pair.onSegment(nowPs, verbsPacket)
    this.drain(route)
    this.tell(nowPs, route.pair)
    this.arm()
    return true
  }

  /** The next request or response that may leave now, or -1. */
  nextPacket(paused: number): number {
    const nowPs = this.fabric.queue.nowPs
    const { routes } = this
    for (let k = 0; k < routes.length; k++) {
      const route = routes[(this.turn + k) % routes.length]!
      if (route.pair.nextSendPs > nowPs || (paused & (1 << route.trafficClass)) !== 0) continue
      const { limiter } = route
      if (limiter !== null && limiter.availablePs(nowPs) > nowPs) continue
      const packet = this.transmit(route)
      if (packet < 0) continue
      if (limiter !== null) {
        if (ints[packet | PAYLOAD]! > 0) ints[packet | ECN] = limiter.ecn
        limiter.onSent(nowPs, ints[packet | SIZE]!)
      }
      this.turn = (this.turn + k + 1) % routes.length
      this.fabric.counters.dataSent++
      this.arm()
      return packet
    }
    return -1
  }

  onEvent(nowPs: number): void {
    if (nowPs < this.wakePs) return
    this.wakePs = NEVER_PS
    for (let k = 0; k < this.changed.length; k++) this.tell(nowPs, this.changed[k]!.pair)
    this.changed.length = 0
    for (let k = 0; k < this.routes.length; k++) {
      const route = this.routes[k]!
      if (route.pair.nextTimeoutPs > nowPs) continue
      route.pair.onTimeout(nowPs)
      this.tell(nowPs, route.pair)
    }
    this.wake()
  }

  /** What the other end or a switch says of the rate; without a limiter nobody listens. */
  private hear({ limiter }: VerbsRoute, nowPs: number, packet: number, kind: number): void {
    if (limiter === null) return
    if (kind === CNM) limiter.onCnm(nowPs, ints[packet | SYNDROME]!)
    else {
      const { delayPs, peer } = this.nic.port
      limiter.onCnp(nowPs, nowPs - delayPs - peer.transmitPs[ints[packet | SIZE]!]!)
    }
  }

  private sendCnp({ flow, destination, trafficClass }: VerbsRoute, { cnpBytes, cnpCodepoint }: VerbsRateLimiter): void {
    const packet = this.fabric.makePacket(CNP, flow, destination, cnpBytes, cnpCodepoint)
    this.fabric.packets.setTimes(packet, this.fabric.queue.nowPs, 0)
    this.nic.sendAnswer(packet, trafficClass)
  }

  private routeOf(flow: number): VerbsRoute | null {
    // The other direction of the same pair differs in the lowest bit.
    for (let k = 0; k < this.routes.length; k++) if ((this.routes[k]!.flow ^ 1) === flow) return this.routes[k]!
    return null
  }

  private drainAll(): void {
    for (let k = 0; k < this.routes.length; k++) this.drain(this.routes[k]!)
  }

  /** Answers wait in the NIC's line, not in the queue pair. */
  private drain(route: VerbsRoute): void {
    while (route.pair.hasAnswer) {
      const packet = this.transmit(route)
      if (packet < 0) return
      this.nic.sendAnswer(packet, route.trafficClass)
    }
  }

  private transmit(route: VerbsRoute): number {
    const { packets } = this.fabric
    const nowPs = this.fabric.queue.nowPs
    const packet = this.fabric.makePacket(DATA, route.flow, route.destination, 0, route.codepoint)
    const verbsPacket = this.packets.at(packet)
    const { pair } = route
    const { state } = pair
    const isSent = pair.pollTransmit(nowPs, verbsPacket)
    // The NAK that ends a queue pair has left, or its memory was taken away: what it had is flushed.
    if (pair.state !== state) this.tellSoon(nowPs, route)
    if (!isSent) {
      packets.free(packet)
      return -1
    }
    const bytes = packetBytes(verbsPacket, route.format) + AROUND_BYTES
    ints[packet | KIND] = verbsPacket.kind
    ints[packet | PSN] = verbsPacket.psn
    ints[packet | PAYLOAD] = verbsPacket.payloadBytes
    ints[packet | FLAGS] = verbsPacket.flags
    ints[packet | ECN] = verbsPacket.ecn
    ints[packet | SYNDROME] = verbsPacket.syndrome
    ints[packet | SIZE] = bytes < 64 ? 64 : bytes
    packets.setTimes(packet, nowPs, 0)
    this.nic.stampIp(packet)
    return packet
  }

  /** At this instant, but not in the midst of what the port is at: whoever is told may post more. */
  private tellSoon(nowPs: number, route: VerbsRoute): void {
    this.changed.push(route)
    if (this.wakePs <= nowPs) return
    this.wakePs = nowPs
    this.network.actAt(nowPs, this.actor)
  }

  /** One event for the nearest thing that time brings; one that comes too early does nothing. */
  private arm(): void {
    const nowPs = this.fabric.queue.nowPs
    let nextPs = NEVER_PS
    for (let k = 0; k < this.routes.length; k++) {
      const { pair, limiter } = this.routes[k]!
      const { nextTimeoutPs } = pair
      let { nextSendPs } = pair
      if (nextTimeoutPs < nextPs) nextPs = nextTimeoutPs
      if (limiter !== null && nextSendPs !== NEVER_PS) {
        const availablePs = limiter.availablePs(nowPs)
        if (availablePs > nextSendPs) nextSendPs = availablePs
        // The rate may rise before.
        if (availablePs > nowPs && limiter.nextChangePs < nextPs) nextPs = limiter.nextChangePs
      }
      if (nextSendPs > nowPs && nextSendPs < nextPs) nextPs = nextSendPs
    }
    if (nextPs >= this.wakePs || nextPs === NEVER_PS) return
    this.wakePs = nextPs
    this.network.actAt(nextPs > nowPs ? nextPs : nowPs, this.actor)
  }
}
