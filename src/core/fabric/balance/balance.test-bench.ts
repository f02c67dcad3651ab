/**
 * Bench of path choices: switches without a network, whose queues, links and clock a test sets by hand.
 */
import { INTS, Memory } from '../../base/memory.ts'
import { createRandomStreams } from '../../base/random.ts'
import { CODEPOINT, FLAGS, DIRECTION, Packets } from '../packets.ts'
import type { Balance, BalanceContext, FlowTuple } from './balance.ts'

export const NODES = 20
/** Ports of each switch: a switch's port of index i has the number node * PORTS + i - 1. */
export const PORTS = 64
const CLASSES = 8

export const tuple = (sourcePort: number): FlowTuple => ({
  sourceAddress: 0x0a000001,
  destinationAddress: 0x0a000102,
  sourcePort,
  destinationPort: 4791,
})

export class BalanceBench {
  readonly clock = { nowPs: 0 }
  readonly context: BalanceContext
  readonly #bytes = new Map<number, number>()
  readonly #down = new Set<number>()
  readonly #packets = new Packets(new Memory())

  constructor({ seed = 1, hasPaths = false } = {}) {
    this.context = {
      nodeCount: NODES,
      isSwitch: (node) => node > 0 && node < NODES,
      random: createRandomStreams(seed),
      hasPaths,
      classOf: Uint8Array.from({ length: 64 }, (_, codepoint) => codepoint & 7),
      egress: {
        ports: NODES * PORTS,
        bytesOf: (port, trafficClass) => this.#bytes.get(port * CLASSES + trafficClass) ?? 0,
        isDown: (port) => this.#down.has(port),
      },
      clock: this.clock,
    }
  }

  /** Bytes queued at a port of a switch, ports from 1. */
  queue(node: number, port: number, bytes: number, trafficClass = 3): void {
    this.#bytes.set(this.numberOf(node, port) * CLASSES + trafficClass, bytes)
  }

  cut(node: number, port: number): void {
    this.#down.add(this.numberOf(node, port))
  }
  restore(node: number, port: number): void {
    this.#down.delete(this.numberOf(node, port))
  }

  numberOf(node: number, port: number): number {
    return node * PORTS + port - 1
  }

  /** Routes whose lists follow each other in `ports`; by default one list of all ports of a switch. */
  route(balance: Balance, ports: readonly number[] = Array.from({ length: PORTS }, (_, i) => i + 1)): Balance {
    for (let node = 0; node < NODES; node++) balance.useRoutes?.(node, Int32Array.from(ports), node * PORTS - 1)
    return balance
  }

  packet(flow: number, { trafficClass = 3, flags = 0 } = {}): number {
    const packet = this.#packets.alloc()
    INTS[packet | DIRECTION] = flow
    INTS[packet | FLAGS] = flags
    INTS[packet | CODEPOINT] = trafficClass
    return packet
  }
}
