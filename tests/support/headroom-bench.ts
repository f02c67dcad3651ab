/**
 * Headroom bench: a link between two switches, hub and peer, with real transmitters and propagation at both ends. Tests
 * put packets into the two switches by hand: at the peer those that cross the link, at the hub those that delay its pauses.
 * Receivers at the hub take nothing of a class while they hold it. Times picoseconds.
 */
import { INTS } from '../../src/core/base/memory.ts'
import type { FrameLimits } from '../../src/lab/network/frames.ts'
import type { Port } from '../../src/core/fabric/link/port.ts'
import { AT, CODEPOINT, DESTINATION, DIRECTION, ECN, KIND, PFC, SIZE } from '../../src/core/fabric/packets.ts'
import type { Switch } from '../../src/core/fabric/switch/switch.ts'
import { DATA, NOT_ECT } from '../../src/core/transport/segment.ts'
import { Bench } from './switch-bench.ts'

export interface LinkCase {
  readonly gbps: number
  readonly delayPs: number
  readonly classes: readonly number[]
  readonly reactionPs: number
  /** Pauses are repeated after 5 us: a repetition of another class may go before a pause, as its resume may. */
  readonly isRefreshed: boolean
  /** Further lines of the group `switch.buffer`, such as "headroom: 5KB"; the hub's alone. */
  readonly buffer: string
  readonly kind: 'shared-buffer' | 'input-queued'
}

/** Position of each host: two receivers at the hub, and the host at the peer. */
const AT_PEER = 2

/** A pause is repeated after this time, where it is. */
export const REFRESH_PS = 5_120_000

export class HeadroomBench {
  readonly bench: Bench
  readonly peer: Switch
  /** The hub's end of the link. */
  readonly port: Port
  readonly limits: FrameLimits
  /** Serialization of one byte. */
  readonly bytePs: number
  readonly #link: LinkCase

  constructor(link: LinkCase) {
    const { gbps, delayPs, classes, reactionPs, isRefreshed, buffer, kind } = link
    this.#link = link
    this.bytePs = 8000 / gbps
    const near = `${gbps}Gbps 10ns`
    const links = [`0 2 ${near}`, `1 2 ${near}`, `2 3 ${gbps}Gbps ${delayPs}ps`, `3 4 ${near}`]
    const pool = kind === 'shared-buffer' ? ', size: 100MB, pool: whole' : ''
    // Twice the time after which a pause is repeated.
    const quanta = Math.round((2 * REFRESH_PS * gbps) / 512_000)
    const expiry = isRefreshed ? `quanta: ${quanta}, expiry: true, refresh: 0.5` : 'expiry: false, refresh: 0'
    const roomy = kind === 'shared-buffer' ? 'headroom' : 'portBuffer'
    this.bench = new Bench(
      0,
      `
pfc: {classes: [${classes.join()}], ${expiry}, reactionTime: ${reactionPs}ps}
switch: {buffer: {kind: ${kind}${pool}, ${buffer}}}
changes: [{path: switch.buffer.${roomy}, value: 10MB, nodes: switch 3}]`,
      `{kind: graph, nodes: 5, switches: [2, 3], links: [${links.map((each) => `"${each}"`).join()}]`,
    )
    this.peer = this.bench.built.network.switches.at(3)!
    this.port = this.bench.hub.ports[3]!
    this.limits = this.bench.built.frameLimits
  }

  /** Time on the wire, with preamble and gap. */
  wirePs(sizeBytes: number): number {
    return (sizeBytes + this.limits.gapBytes) * this.bytePs
  }

  /** A receiver stops taking a class, or takes it again, at this instant. */
  hold(receiver: number, trafficClass: number, isHeld = true): void {
    const { packets } = this.bench.built.network.fabric
    const packet = packets.alloc()
    INTS[packet | KIND] = PFC
    INTS[packet | SIZE] = 64
    INTS[packet | DIRECTION] = 1 << trafficClass
    INTS[packet | DESTINATION] = isHeld ? 65_535 : 0
    this.bench.portTo(receiver).applyPfc(packet)
  }

  /** A packet lies in the hub as if it had come by the link. */
  store(receiver: number, trafficClass: number, sizeBytes: number): void {
    this.#put(this.bench.hub, this.port, receiver, trafficClass, sizeBytes)
  }

  /** The peer has a packet for a receiver at the hub. */
  cross(receiver: number, trafficClass: number, sizeBytes: number): void {
    this.#put(this.peer, this.peer.ports[2]!, receiver, trafficClass, sizeBytes)
  }

  /** The hub has a packet of a class without PFC for the host at the peer. */
  answer(sizeBytes: number): void {
    this.#put(this.bench.hub, this.bench.portTo(1), AT_PEER, 0, sizeBytes)
  }

  /** Runs to the end. @returns bytes of headroom that a class of the link takes at most, by class */
  run(): Float64Array {
    const { bench } = this
    const { buffer } = bench.hub
    const admit = buffer.admit.bind(buffer)
    const mostBytes = new Float64Array(8)
    // Every charge is seen, without events of its own that would change the order of others.
    buffer.admit = (...given) => {
      const verdict = admit(...given)
      for (const c of this.#link.classes) {
        mostBytes[c] = Math.max(mostBytes[c]!, buffer.headroomUsedBy(this.port.index, c))
      }
      return verdict
    }
    bench.run()
    return mostBytes
  }

  get lost(): number {
    return this.bench.counters.losslessDrops
  }

  /**
   * What the peer may send of the class after the packet that goes over its limit, as bytes of wire, until the pause takes
   * effect: two delays, the longest frame that the pause waits for, PFC frames, and the reaction. Of another class a resume
   * may go first, and before it a repetition of its pause.
   */
  get windowBytes(): number {
    const { delayPs, classes, reactionPs, isRefreshed } = this.#link
    const pfcPs = (1 + (classes.length - 1) * (isRefreshed ? 2 : 1)) * this.wirePs(64)
    return Math.floor((2 * delayPs + this.wirePs(this.limits.anyBytes) + pfcPs + reactionPs) / this.bytePs)
  }

  /** The exact sum: the packet that goes over the limit, all that fits into that time, and a frame that begins at its end. */
  get exactBytes(): number {
    return this.filling(this.windowBytes).reduce((sum, bytes) => sum + bytes, 0) + 2 * this.limits.dataBytes
  }

  /** Sizes of the frames that take most of a buffer in a time on the wire, which is given in bytes. */
  filling(wireBytes: number): number[] {
    const { dataBytes, gapBytes } = this.limits
    const whole = Math.floor(wireBytes / (dataBytes + gapBytes))
    const largest = Array.from({ length: whole }, () => dataBytes)
    const storedBytes = wireBytes - (whole + 1) * gapBytes
    if (storedBytes <= whole * dataBytes || storedBytes < (whole + 1) * 64) return largest
    return Array.from({ length: whole + 1 }, (_, i) => Math.floor((storedBytes + i) / (whole + 1)))
  }

  #put(at: Switch, input: Port, to: number, trafficClass: number, sizeBytes: number): void {
    const { packets } = this.bench.built.network.fabric
    const packet = packets.alloc()
    INTS[packet | KIND] = DATA
    INTS[packet | SIZE] = sizeBytes
    INTS[packet | CODEPOINT] = trafficClass
    INTS[packet | ECN] = NOT_ECT
    INTS[packet | DESTINATION] = to
    INTS[packet | DIRECTION] = 0
    INTS[packet | AT] = input.id
    at.receive(packet, input.index)
  }
}
