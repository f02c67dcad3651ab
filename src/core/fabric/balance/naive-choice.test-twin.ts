/**
 * Naive twin of adaptive routing and of flowlets: maps by name, and lists that are filtered again for every packet.
 * Each slip is a deliberate error that the comparison has to catch.
 */
import type { RandomStream } from '../../base/random.ts'
import type { FlowTuple } from './balance.ts'
import type { BalanceBench } from './balance.test-bench.ts'
import { ecmpHash } from './ecmp.ts'

export interface NaiveOptions {
  readonly per: 'packet' | 'flowlet' | 'flow'
  readonly pick: 'random' | 'least-queue'
  readonly gap: number
  readonly entries: number
  readonly step: number
  readonly refresh: number
  readonly stream: string
}

export type Slip =
  | 'none'
  | 'gap reached'
  | 'wrong class'
  | 'dead port'
  | 'no step'
  | 'fresh view'
  | 'own entry'
  | 'first of ties'

export class NaiveChoice {
  readonly #options: NaiveOptions
  readonly #bench: BalanceBench
  readonly #slip: Slip
  readonly #kept = new Map<string, { port: number; lastPs: number }>()
  readonly #seen = new Map<string, { interval: number; bytes: number }>()

  constructor(options: NaiveOptions, bench: BalanceBench, slip: Slip) {
    this.#options = options
    this.#bench = bench
    this.#slip = slip
  }

  /** Chooses the port of a packet. */
  choose(node: number, flow: number, tuple: FlowTuple, trafficClass: number, ports: readonly number[]): number {
    const { per, entries, gap } = this.#options
    if (per === 'packet') return this.#pick(node, trafficClass, ports)
    const { nowPs } = this.#bench.clock
    const entry = this.#slip === 'own entry' ? `flow ${flow}` : ecmpHash(0, tuple) % entries
    const known = this.#kept.get(`${node} ${entry}`)
    const longestPs = per === 'flow' ? Infinity : gap
    const sincePs = known === undefined ? Infinity : nowPs - known.lastPs
    const isTogether = this.#slip === 'gap reached' ? sincePs < longestPs : sincePs <= longestPs
    const port =
      known !== undefined && isTogether && ports.includes(known.port)
        ? known.port
        : this.#pick(node, trafficClass, ports)
    this.#kept.set(`${node} ${entry}`, { port, lastPs: nowPs })
    return port
  }

  #pick(node: number, trafficClass: number, ports: readonly number[]): number {
    const random: RandomStream = this.#bench.context.random.stream(`${this.#options.stream}/${node}`)
    if (this.#options.pick === 'random') return ports[random.below(ports.length)]!
    const levels = ports.map((port) => this.#level(node, port, this.#slip === 'wrong class' ? 0 : trafficClass))
    const ties = ports.filter((_, i) => levels[i] === Math.min(...levels))
    return ties[ties.length === 1 || this.#slip === 'first of ties' ? 0 : random.below(ties.length)]!
  }

  #level(node: number, port: number, trafficClass: number): number {
    const { step } = this.#options
    const { egress } = this.#bench.context
    const number = this.#bench.numberOf(node, port)
    if (egress.isDown(number) && this.#slip !== 'dead port') return Infinity
    const bytes = this.#view(number, trafficClass)
    return step === 0 || this.#slip === 'no step' ? bytes : Math.floor(bytes / step)
  }

  #view(port: number, trafficClass: number): number {
    const { refresh } = this.#options
    const { clock, context } = this.#bench
    const fresh = context.egress.bytesOf(port, trafficClass)
    if (refresh === 0 || this.#slip === 'fresh view') return fresh
    const interval = Math.floor(clock.nowPs / refresh)
    const seen = this.#seen.get(`${port} ${trafficClass}`)
    if (seen?.interval === interval) return seen.bytes
    this.#seen.set(`${port} ${trafficClass}`, { interval, bytes: fresh })
    return fresh
  }
}
