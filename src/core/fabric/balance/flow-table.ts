/**
 * HOT. Flow table: a flow keeps its port at a switch while its packets follow each other; after a gap, or when the port is
 * no longer in the routes, another balance chooses a port for it.
 * A switch has a table of `entries`, and a flow uses the entry that its tuple hashes to. Flows that share an entry share
 * its port and its clock: memory is bounded, as in hardware, which keeps no tags either.
 * Units: picoseconds. Shapes: per node, by entry: the local port (0: none) and the time of the last packet. A table is
 * created at the first choice of its switch.
 * Source: Vanini et al. 2017 (LetFlow), section 3; Alizadeh et al. 2014 (CONGA), section 3.4.
 * Deviates: gaps are exact; CONGA's hardware has an age bit per entry, and sees gaps between one and two timeouts.
 */
import { INTS } from '../../base/memory.ts'
import { count } from '../../base/params.ts'
import { PATH_SHIFT } from '../../transport/segment.ts'
import { FLAGS, DIRECTION } from '../packets.ts'
import type { Balance, BalanceContext, FlowTuple } from './balance.ts'
import { ecmpHash, remainder } from './ecmp.ts'

const ints = INTS

/** Spreads virtual paths over the table: 2^32 divided by the golden ratio, odd. */
const PATH_FACTOR = 0x9e3779b1

export const entriesParam = (help: string): ReturnType<typeof count> =>
  count({ default: 65_536, min: 1, max: 2 ** 17, help, source: 'CONGA 2014, section 3.4: 64K' })

export interface FlowTableOptions {
  /** A packet that comes more than this after the last one of its entry may take another port; Infinity: never. */
  readonly gapPs: number
  /** Entries per switch, 1..2^17. */
  readonly entries: number
}

export class FlowTable implements Balance {
  private readonly pick: Balance
  private readonly gapPs: number
  private readonly entries: number
  private readonly clock: { readonly nowPs: number }
  /** By flow. */
  private hashes = new Int32Array(256)
  /** By node: ports of its routes; ports and times of its entries, empty until its first choice. */
  private readonly routes: Int32Array[]
  private readonly ports: Int32Array[]
  private readonly lastPs: Float64Array[]

  /** @param pick chooses the ports. */
  constructor(pick: Balance, options: FlowTableOptions, { clock, nodeCount }: BalanceContext) {
    this.pick = pick
    this.gapPs = options.gapPs
    this.entries = options.entries
    this.clock = clock
    this.routes = Array.from({ length: nodeCount }, () => new Int32Array(0))
    this.ports = Array.from({ length: nodeCount }, () => new Int32Array(0))
    this.lastPs = Array.from({ length: nodeCount }, () => new Float64Array(0))
  }

  addFlow(flow: number, tuple: FlowTuple): void {
    if (flow >= this.hashes.length) {
      const larger = new Int32Array(Math.max(flow + 1, this.hashes.length * 2))
      larger.set(this.hashes)
      this.hashes = larger
    }
    this.hashes[flow] = ecmpHash(0, tuple)
    this.pick.addFlow(flow, tuple)
  }

  useRoutes(node: number, ports: Int32Array, portBase: number): void {
    this.routes[node] = ports
    this.pick.useRoutes?.(node, ports, portBase)
  }

  choose(node: number, packet: number, candidates: number, first: number): number {
    if (this.ports[node]!.length === 0) this.makeTable(node)
    const ports = this.ports[node]!
    const routes = this.routes[node]!
    const lastPs = this.lastPs[node]!
    const entry = this.entryOf(packet)
    const nowPs = this.clock.nowPs
    const isTogether = nowPs - lastPs[entry]! <= this.gapPs
    lastPs[entry] = nowPs
    const kept = ports[entry]!
    if (isTogether && kept > 0) {
      for (let i = 0; i < candidates; i++) if (routes[first + i] === kept) return i
    }
    const index = this.pick.choose(node, packet, candidates, first)
    ports[entry] = routes[first + index]!
    return index
  }

  private entryOf(packet: number): number {
    const path = ints[packet | FLAGS]! >> PATH_SHIFT
    return remainder((this.hashes[ints[packet | DIRECTION]!]! + Math.imul(path, PATH_FACTOR)) | 0, this.entries)
  }

  private makeTable(node: number): void {
    this.ports[node] = new Int32Array(this.entries)
    this.lastPs[node] = new Float64Array(this.entries)
  }
}
