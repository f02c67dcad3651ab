/** Algorithms of collectives. The first that has an operation is its default. */
import { full, pairwise, shift } from './all-to-all.ts'
import { doubleTree } from './double-tree.ts'
import { halvingDoubling, recursiveDoubling } from './doubling.ts'
import { hierarchical } from './hierarchical.ts'
import { ring } from './ring.ts'
import { binomial, chain, direct, dissemination } from './rooted.ts'

export const algorithms = [
  ring,
  halvingDoubling,
  recursiveDoubling,
  doubleTree,
  hierarchical,
  full,
  shift,
  pairwise,
  binomial,
  chain,
  direct,
  dissemination,
] as const
