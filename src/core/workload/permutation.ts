/**
 * Permutation: every host sends to one other host and receives from one other host, drawn once.
 * Every permutation without fixed points is equally likely: shuffles are drawn until one has none (about e on average).
 */
import { inputError } from '../base/issue.ts'
import { count } from '../base/params.ts'
import { type RandomStream, shuffle } from '../base/random.ts'
import { streamName } from './labels.ts'
import { isClosedLoop, loopOf, loopParams } from './loop-params.ts'
import { createLoopSource, type Pair } from './loop-source.ts'
import { defineWorkload } from './workload.ts'

export const permutation = defineWorkload({
  name: 'permutation',
  help: 'every host sends to one other and receives from one other',
  source: 'the customary load for path choice and core capacity',
  params: {
    qpsPerPair: count({ default: 1, min: 1, max: 4096, help: 'connections of each pair' }),
    ...loopParams(1, 'permutation'),
  },
  isClosed: isClosedLoop,
  create(values, context) {
    if (context.hostCount < 2) throw inputError('', 'a topology with two hosts or more', `${context.hostCount}`)
    const stream = context.random.stream(streamName('permutation', values.tag, context))
    const connections: Pair[] = []
    derangement(context.hostCount, stream).forEach((destination, source) => {
      for (let qp = 0; qp < values.qpsPerPair; qp++) connections.push({ source, destination })
    })
    return createLoopSource(loopOf(values, context, connections))
  },
})

function derangement(length: number, stream: RandomStream): number[] {
  const order = Array.from({ length }, (_, index) => index)
  for (;;) {
    shuffle(order, stream)
    if (order.every((to, from) => to !== from)) return order
  }
}
