/** Path choice among equal-cost ports: one file and one line each. */
import { ecmp } from './ecmp.ts'
import { spray } from './spray.ts'

export const balances = [ecmp, spray] as const
export { defineBalance, type Balance, type BalanceContext, type BalanceDefinition, type FlowTuple } from './balance.ts'
export { ecmpHash } from './ecmp.ts'
