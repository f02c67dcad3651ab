/** Path choice among equal-cost ports: one file and one line each. */
import { adaptive } from './adaptive.ts'
import { ecmp } from './ecmp.ts'
import { flowlet } from './flowlet.ts'
import { spray } from './spray.ts'

export const balances = [ecmp, spray, flowlet, adaptive] as const
export type { Balance, BalanceDefinition, FlowTuple, PathVariety } from './balance.ts'
export { ecmpHash, readSeeds } from './ecmp.ts'
