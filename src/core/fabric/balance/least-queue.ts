/**
 * HOT. Least queue: each packet takes the candidate whose egress queue is shortest.
 * The queue is that of the packet's class: the packet waits behind it under any scheduler, and it grows in a pause of the
 * class. A frame in transmission is not counted, nor are packets in the switch's pipeline.
 * Queues are compared in whole steps, as hardware compares bands; ties are broken by a random stream of the
 * switch. A port whose link is down is passed over while another one is up.
 * Units: bytes of frames, picoseconds. Shape of sampled queues: [port * CLASSES + class].
 */
import { INTS } from '../../base/memory.ts'
import type { RandomStream } from '../../base/random.ts'
import { CODEPOINT } from '../packets.ts'
import type { Balance, BalanceContext, EgressView } from './balance.ts'

const ints = INTS

const CLASSES = 8
/** Longer than any queue. */
const OUT_OF_SERVICE = 0x7fffffff

export interface LeastQueueOptions {
  /** Queues that are within the same step count as equal; 0: exact. */
  readonly stepBytes: number
  /** A queue is read once in each interval of this length, and that value is used until the next one begins; 0: always the
   * present queue. */
  readonly refreshPs: number
  /** Ties are broken by the random stream NAME/NODE. */
  readonly streams: string
}

export class LeastQueue implements Balance {
  private readonly stepBytes: number
  private readonly refreshPs: number
  private readonly randoms: readonly RandomStream[]
  private readonly classOf: Uint8Array
  private readonly egress: EgressView
  private readonly clock: { readonly nowPs: number }
  /** By node: ports of its routes, and port number minus local index. */
  private readonly ports: Int32Array[] = []
  private readonly portBases: Int32Array
  /** Queues of the candidates of the choice in progress, in steps. */
  private levels = new Int32Array(64)
  /** Bytes as read last, and the interval of that read; empty where queues are always read. */
  private readonly seenBytes: Int32Array
  private readonly seenIn: Float64Array

  constructor(options: LeastQueueOptions, context: BalanceContext) {
    const { nodeCount, random, egress } = context
    this.stepBytes = options.stepBytes
    this.refreshPs = options.refreshPs
    this.randoms = Array.from({ length: nodeCount }, (_, node) => random.stream(`${options.streams}/${node}`))
    this.classOf = context.classOf
    this.egress = egress
    this.clock = context.clock
    this.portBases = new Int32Array(nodeCount)
    const seen = this.refreshPs === 0 ? 0 : egress.ports * CLASSES
    this.seenBytes = new Int32Array(seen)
    this.seenIn = new Float64Array(seen).fill(-1)
  }

  addFlow(): void {}

  useRoutes(node: number, ports: Int32Array, portBase: number): void {
    this.ports[node] = ports
    this.portBases[node] = portBase
  }

  choose(node: number, packet: number, candidates: number, first: number): number {
    if (candidates > this.levels.length) this.levels = new Int32Array(2 * candidates)
    const { levels, refreshPs } = this
    const ports = this.ports[node]!
    const portBase = this.portBases[node]!
    const trafficClass = this.classOf[ints[packet | CODEPOINT]!]!
    const interval = refreshPs === 0 ? 0 : Math.floor(this.clock.nowPs / refreshPs)
    let least = OUT_OF_SERVICE
    let ties = 0
    for (let i = 0; i < candidates; i++) {
      const level = this.levelOf(portBase + ports[first + i]!, trafficClass, interval)
      levels[i] = level
      if (level < least) {
        least = level
        ties = 1
      } else if (level === least) ties++
    }
    let before = ties === 1 ? 0 : this.randoms[node]!.below(ties)
    let index = 0
    while (levels[index] !== least || before-- > 0) index++
    return index
  }

  private levelOf(port: number, trafficClass: number, interval: number): number {
    if (this.egress.isDown(port)) return OUT_OF_SERVICE
    const bytes =
      this.refreshPs === 0 ? this.egress.bytesOf(port, trafficClass) : this.seen(port, trafficClass, interval)
    return this.stepBytes === 0 ? bytes : (bytes / this.stepBytes) | 0
  }

  private seen(port: number, trafficClass: number, interval: number): number {
    const at = port * CLASSES + trafficClass
    if (this.seenIn[at] !== interval) {
      this.seenIn[at] = interval
      this.seenBytes[at] = this.egress.bytesOf(port, trafficClass)
    }
    return this.seenBytes[at]!
  }
}
