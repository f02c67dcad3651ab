/** A plan whose channels go through the positions of the group in orders of their own. */
import type { Step, StepPlan, Transfer } from '../step-run.ts'

/** @param orders by channel: position of the group at each position of the plan */
export function permuted(plan: StepPlan, orders: readonly Int32Array[]): StepPlan {
  // Channels with one order have one array.
  const distinct = [...new Set(orders)]
  const inverses = distinct.map((order) => {
    const at = new Int32Array(order.length)
    order.forEach((position, i) => (at[position] = i))
    return at
  })
  const numberOf = new Map(distinct.map((order, number) => [order, number] as const))
  const inverse = orders.map((order) => inverses[numberOf.get(order)!]!)
  // Strands are alike if their plan says so and their orders are the same.
  const likes = new Map<number, number>()
  const likeOf = Int32Array.from({ length: plan.strands }, (_, strand) => {
    const key = plan.likeOf(strand) * distinct.length + numberOf.get(orders[plan.channelOf(strand)]!)!
    const known = likes.get(key) ?? strand
    likes.set(key, known)
    return known
  })
  return {
    strands: plan.strands,
    stepsMost: plan.stepsMost,
    operationsMost: plan.operationsMost,
    channelOf: (strand) => plan.channelOf(strand),
    likeOf: (strand) => likeOf[strand]!,
    step(position, strand, k) {
      const channel = plan.channelOf(strand)
      const step: Step | null = plan.step(inverse[channel]![position]!, strand, k)
      if (step === null) return null
      const moved = (all: readonly Transfer[]): Transfer[] =>
        all.map(({ peer, sizeBytes }) => ({ peer: orders[channel]![peer]!, sizeBytes }))
      return { ...step, sends: moved(step.sends), receives: moved(step.receives) }
    },
  }
}
