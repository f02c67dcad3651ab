/** Hosts with IRN beside hosts that have none, while PFC is on ([IRN] 7). */
import { expect, test } from 'vitest'
import { VerbsNetwork } from '../../src/lab/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { Completion, CompletionQueue, type Mode, OP_WRITE } from '../../src/core/verbs/index.ts'
import { ALL_RIGHTS } from '../support/verbs-pair.ts'

const REQUESTS = 10
const REQUEST_BYTES = 200_000
const US = 1e6

/** Six hosts write to one each at the same time; the first three use `mode`. Returns the completion times, ps. */
function outcome(mode: Mode): {
  readonly endsPs: readonly number[]
  readonly lost: number
  readonly pauses: number
  readonly again: number
} {
  const scenario = parseScenario(`
name: mixed
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 6, hostRate: 40Gbps, fabricRate: 40Gbps}
workload: [{kind: incast, senders: 1, receiver: 0, total: 1KB}]
`)
  const endsPs = Array.from({ length: 6 }, () => 0)
  const network = new VerbsNetwork(scenario, {
    isChecked: true,
    onActivity(nowPs) {
      senders.forEach(({ done }, i) => {
        while (done.poll(completion)) endsPs[i] = nowPs
      })
    },
  })
  const completion = new Completion()
  const hostAt = (host: number) => {
    const device = network.device(host)
    const domain = device.allocateDomain()
    const done = new CompletionQueue(512)
    const pair = device.createQueuePair({ domain, sendCompletions: done, receiveCompletions: done })
    return { host, pair, done, memory: device.register(domain, ALL_RIGHTS, new Uint8Array(REQUEST_BYTES)) }
  }
  // Two senders to each receiver, one of either half.
  const senders = [0, 1, 2, 3, 4, 5].map(hostAt)
  senders.forEach((from, i) => {
    const to = hostAt(6 + (i % 3))
    network.connect(from, to, { mode: i < 3 ? mode : 'roce', retryLimit: null, ackTimeoutPs: 10_000 * US })
    for (let id = 0; id < REQUESTS; id++) {
      from.pair.postSend(0, {
        id,
        operation: OP_WRITE,
        region: from.memory,
        address: from.memory.address,
        remoteAddress: to.memory.address,
        remoteKey: to.memory.key,
        lengthBytes: REQUEST_BYTES,
      })
    }
  })
  network.run(1e12)
  const { drops, pauseFrames } = network.network.fabric.counters
  const again = senders.reduce((sum, { pair }) => sum + pair.requester.retransmissions, 0)
  return { endsPs, lost: drops.reduce((sum, count) => sum + count, 0), pauses: pauseFrames, again }
}

test('with PFC on, hosts of RoCE and of IRN finish no later than hosts of RoCE alone, and nothing is lost', () => {
  const [mixed, alone] = (['irn', 'roce'] as const).map(outcome)
  for (const { lost, again, pauses } of [mixed!, alone!]) expect([lost, again, pauses > 0]).toEqual([0, 0, true])
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [irnHalf, roceHalf] = [0, 3].map((from) => {
    const [ours, theirs] = [mixed!, alone!].map(({ endsPs }) => mean(endsPs.slice(from, from + 3)))
    return ours! / theirs!
  })
  // IRN has no more in flight than its cap, which leaves room for the others.
  expect([irnHalf! < 1.05, roceHalf! < 0.7]).toEqual([true, true])
})
