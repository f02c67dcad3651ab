/** Path choice among equal-cost ports: one file and one line each. */
import { ecmp } from './ecmp.ts'
import { spray } from './spray.ts'

export const balances = [ecmp, spray] as const
export type { Balance, FlowTuple } from './balance.ts'
export { ecmpHash, readSeeds } from './ecmp.ts'
