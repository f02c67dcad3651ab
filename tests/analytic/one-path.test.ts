/** The tuple of a queue pair: one path for all of its packets, RoCEv2's destination port, a random source port. */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result, sum, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const PACKETS = 40

/** Between two hosts of different pods of a fat tree of arity 8, where 16 cores stand in between. */
function betweenPods(queuePairs: number, seed = 1): Result {
  return run(
    parseScenario(`
name: paths
seed: ${seed}
topology: {kind: fat-tree, arity: 8}
qp: {ackInterval: 0}
workload: [{kind: closed-loop, pairs: ["0 127"], qpsPerPair: ${queuePairs}, messageSize: ${PACKETS}KiB, messages: 1}]
measure: {end: drain}
observe: [{kind: link-use, interval: 1ms}]
`),
  )
}

/** Packets that each core switch has passed on. */
function packetsByCore({ series }: Result): Map<string, number> {
  const [use] = series
  const sent = numbersOf(use!, 'sentFrames')
  const byCore = new Map<string, number>()
  textsOf(use!, 'nodeName').forEach((name, row) => {
    if (name.startsWith('core') && sent[row]! > 0) byCore.set(name, (byCore.get(name) ?? 0) + sent[row]!)
  })
  return byCore
}

test('all packets of a queue pair take one path, queue pairs of the same two hosts take different ones', () => {
  const taken = new Set<string>()
  for (let seed = 1; seed <= 10; seed++) {
    const one = packetsByCore(betweenPods(1, seed))
    expect([...one.values()]).toEqual([PACKETS])
    for (const core of one.keys()) taken.add(core)
  }
  expect(taken.size).toBeGreaterThan(1)
  for (const queuePairs of [8, 32]) {
    const byCore = packetsByCore(betweenPods(queuePairs))
    expect(byCore.size).toBeGreaterThan(queuePairs / 4)
    expect(sum([...byCore.values()])).toBe(queuePairs * PACKETS)
    for (const packets of byCore.values()) expect(packets % PACKETS).toBe(0)
  }
})

test('the destination port of RoCEv2 is 4791, and each queue pair draws its source port at random', () => {
  const [first, second] = [1, 2].map((seed) => betweenPods(32, seed).flows)
  expect(new Set(numbersOf(first!, 'destinationPort'))).toEqual(new Set([4791]))
  const sources = [...numbersOf(first!, 'sourcePort')]
  expect(new Set(sources).size).toBeGreaterThan(30)
  expect(sources.every((port) => port >= 49_152 && port <= 65_535)).toBe(true)
  expect([...numbersOf(second!, 'sourcePort')]).not.toEqual(sources)
})
