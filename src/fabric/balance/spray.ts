/**
 * HOT. Packet spraying: each packet takes any of the equal-cost ports, so it may overtake others of its QP.
 * Each switch draws from a stream of its own, so what one of them sends moves nothing at another.
 * Source: Cao et al. 2013; S2 section 7 asks how it would do for RDMA.
 */
import { choice } from '../../base/params.ts'
import { defineBalance, type Balance } from './balance.ts'

export const spray = defineBalance({
  name: 'spray',
  help: 'each packet takes any equal-cost path',
  source: 'Cao et al. 2013, S2 section 7',
  params: {
    pick: choice(['random', 'round-robin'], {
      default: 'random',
      help: 'uniformly at random, or in turn at each switch',
    }),
  },
  create(values, context): Balance {
    if (values.pick === 'random') {
      const randoms = Array.from({ length: context.nodeCount }, (_, node) => context.random.stream(`spray/${node}`))
      return { addFlow() {}, choose: (node, _packet, candidates) => randoms[node]!.below(candidates) }
    }
    const turns = new Int32Array(context.nodeCount)
    return {
      addFlow() {},
      choose(node, _packet, candidates) {
        const turn = turns[node]!
        turns[node] = (turn + 1) & 0xffff
        return turn % candidates
      },
    }
  },
})
