/**
 * HOT. Packet spraying: each packet takes any of the equal-cost ports, so it may overtake others of its QP.
 * Each switch has a random stream of its own, so that its packets do not change the choices of another.
 * Source: Cao et al. 2013; [MS-Scale] section 7 asks how it would do for RDMA.
 */
import { choice } from '../../base/params.ts'
import type { RandomStream } from '../../base/random.ts'
import { defineBalance, type Balance, type BalanceContext } from './balance.ts'

/** Any of the candidates with equal probability, from the random stream NAME/NODE. */
export class RandomPort implements Balance {
  private readonly randoms: readonly RandomStream[]

  constructor(name: string, { nodeCount, random }: BalanceContext) {
    this.randoms = Array.from({ length: nodeCount }, (_, node) => random.stream(`${name}/${node}`))
  }

  addFlow(): void {}

  choose(node: number, _packet: number, candidates: number): number {
    return this.randoms[node]!.below(candidates)
  }
}

export const spray = defineBalance({
  name: 'spray',
  help: 'each packet takes any equal-cost path',
  source: 'Cao et al. 2013, [MS-Scale] section 7',
  params: {
    pick: choice(['random', 'round-robin'], {
      default: 'random',
      help: 'uniformly at random, or round robin at each switch',
    }),
  },
  paths: () => 'several',
  create(values, context): Balance {
    if (values.pick === 'random') return new RandomPort('spray', context)
    const pointers = new Int32Array(context.nodeCount)
    return {
      addFlow() {},
      choose(node, _packet, candidates) {
        const pointer = pointers[node]!
        pointers[node] = (pointer + 1) & 0xffff
        return pointer % candidates
      },
    }
  },
})
