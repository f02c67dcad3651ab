/**
 * Topology builder: collects nodes and links in the order in which they are added.
 * Nodes get ids 0, 1, 2, ... ; hosts come first and switches follow tier by tier, as every generated topology here has it.
 */
import { assert } from '../base/assert.ts'
import { hostName, hostPortName } from '../base/device-names.ts'
import { inputError } from '../base/issue.ts'
import type { LinkSpec, Topology } from './topology.ts'

/** Links of a network at most, some 170,000 hosts of a fat tree: a run holds some 4 KB for each. */
export const LINKS_MAX = 2 ** 19

export class TopologyBuilder {
  readonly #tiers: number[] = []
  readonly #kinds: string[] = []
  readonly #names: string[] = []
  readonly #links: LinkSpec[] = []
  readonly #hostPorts: number[][] = []
  #endpointCount = 0

  /** Id of a new host, named by its position. All hosts come before the first switch. */
  host(): number {
    return this.#endpoint([], hostName(this.#hostPorts.length))
  }

  /** Ids of the ports of a new host, named "host 3 rail 0" where `word` is "rail". */
  hostWithPorts(count: number, word: string): number[] {
    const host = this.#hostPorts.length
    const ports: number[] = []
    return times(count, (port) => this.#endpoint(ports, hostPortName(host, word, port)))
  }

  /** Id of a new node, the next port of a host. */
  #endpoint(ports: number[], name: string): number {
    assert(this.#endpointCount === this.#tiers.length, 'hosts come before switches')
    // Each will have a link.
    expectRoom(this.#endpointCount + 1)
    if (ports.length === 0) this.#hostPorts.push(ports)
    ports.push(this.#endpointCount++)
    this.#kinds.push('host')
    this.#names.push(name)
    return this.#tiers.push(0) - 1
  }

  /** Id of a new switch of that tier, 1 or more, named "leaf 5"; with two of each pod "leaf 2.1"; without an index "leaf". */
  switch(tier: number, kind: string, index?: number, ofPod?: number): number {
    assert(tier >= Math.max(1, this.#tiers.at(-1) ?? 0), 'switches come tier by tier')
    this.#kinds.push(kind)
    const suffix = index === undefined || ofPod === undefined ? index : `${Math.floor(index / ofPod)}.${index % ofPod}`
    this.#names.push(suffix === undefined ? kind : `${kind} ${suffix}`)
    return this.#tiers.push(tier) - 1
  }

  /** A link without loss. Bit/s and picoseconds. */
  link(a: number, b: number, rateBps: number, delayPs: number): void {
    expectRoom(this.#links.length + 1)
    this.#links.push({ a, b, rateBps, delayPs, lossRatio: 0 })
  }

  build(): Topology {
    return {
      nodeCount: this.#tiers.length,
      endpoints: Array.from({ length: this.#endpointCount }, (_, node) => node),
      hostPorts: this.#hostPorts,
      tiers: this.#tiers,
      kinds: this.#kinds,
      names: this.#names,
      links: this.#links,
      fixedRoutes: [],
      writtenAs: new Map(),
    }
  }
}

/** Throws InputError for more links than a run has memory for. */
function expectRoom(links: number): void {
  if (links <= LINKS_MAX) return
  throw inputError('', `at most ${LINKS_MAX} links`, 'more', 'they would take more than 2 GB: fewer hosts or switches')
}

/** Array of `count` results of `make`. */
export function times(count: number, make: (index: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
