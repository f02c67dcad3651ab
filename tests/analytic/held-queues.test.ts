/**
 * Operating points of controls, on a real switch: HPCC leaves a share of the link free and next to no queue, QCN holds
 * the queue at the set point of the congestion point with the link full.
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { mean, numbersOf, type Result } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

/** An incast at one switch; its queue and link are sampled from `fromUs` to `toUs`. */
function incast(more: string, senders: number, fromUs: number, toUs: number) {
  const result = run(
    parseScenario(`
name: incast
workload: [{kind: incast, senders: ${senders}, receiver: ${senders}, sizeEach: 64MB}]
measure: {end: stop, stop: ${toUs}us}
observe:
  - {kind: queue-depth, ports: "switch:${senders + 1}", interval: ${(toUs - fromUs) / 1000}us}
  - {kind: link-use, ports: "switch:${senders + 1}", interval: ${(toUs - fromUs) / 20}us}
${more}`),
    { check: true },
  )
  const [depth, use] = result.series as [Result['series'][0], Result['series'][0]]
  const late = <T>(values: ArrayLike<T>, timesPs: ArrayLike<number>): T[] =>
    Array.from(values).filter((_, i) => timesPs[i]! >= fromUs * 1e6)
  const queues = late(numbersOf(depth, 'queueBytes'), numbersOf(depth, 'timePs'))
  const uses = late(numbersOf(use, 'useRatio'), numbersOf(use, 'fromPs'))
  expect(queues.length).toBeGreaterThan(500)
  expect(uses.length).toBeGreaterThan(15)
  return { result, queues, uses, queueBytes: mean(queues), use: mean(uses) }
}

describe('HPCC', () => {
  test.each([
    [4, 100, 1, 0.93],
    [16, 100, 1, 0.93],
    [8, 25, 4, 0.93],
    // 14 packets fill that line for T: one packet in the queue is 7 % of the bytes in flight.
    [8, 25, 1, 0.9],
  ])('%i senders at %i Gb/s over %i us use eta of the link, and leave it next to no queue', (n, gbps, us, least) => {
    const { queues, queueBytes, use, uses, result } = incast(
      `topology: {kind: star, hosts: ${n + 1}, linkRate: ${gbps}Gbps, linkDelay: ${us}us}\ncongestion: hpcc`,
      n,
      600,
      1200,
    )
    expect(use).toBeGreaterThan(least)
    expect(use).toBeLessThan(0.96)
    expect(Math.min(...uses)).toBeGreaterThan(least - 0.03)
    expect(queueBytes).toBeLessThan(4 * 1128)
    expect(Math.max(...queues)).toBeLessThan(n * 1128)
    expect(result.counters.pauseFrames).toBe(0)
  })

  test('as far as eta says', () => {
    const { use } = incast(
      'topology: {kind: star, hosts: 5}\ncongestion: {kind: hpcc, eta: 0.7, flows: 1000}',
      4,
      400,
      1000,
    )
    expect(use).toBeGreaterThan(0.66)
    expect(use).toBeLessThan(0.72)
  })
})

describe('QCN', () => {
  test.each([
    [4, 33],
    [2, 33],
    [4, 100],
  ])('%i senders keep a queue of the set point, %i KB, and the link full', (n, setPoint) => {
    const { queueBytes, use, queues, result } = incast(
      `topology: {kind: star, hosts: ${n + 1}, linkRate: 10Gbps, linkDelay: 1us}
congestion: qcn
pfc: {classes: []}
switch: {qcn: {setPoint: ${setPoint}KB}, buffer: {kind: shared-buffer, egressAlpha: 128, alpha: 128}}`,
      n,
      20_000,
      60_000,
    )
    expect(use).toBeGreaterThan(0.99)
    expect(queueBytes / (setPoint * 1000)).toBeGreaterThan(0.8)
    expect(queueBytes / (setPoint * 1000)).toBeLessThan(1.2)
    // It oscillates by no more than a third of that: neither empty nor half as long again.
    expect(Math.min(...queues) / (setPoint * 1000)).toBeGreaterThan(0.6)
    expect(Math.max(...queues) / (setPoint * 1000)).toBeLessThan(1.4)
    expect(result.counters.cnms).toBeGreaterThan(50)
    expect(Object.values(result.counters.drops)).toEqual([])
  })

  test('without it the same senders fill the buffer', () => {
    const { result, queueBytes } = incast(
      `topology: {kind: star, hosts: 5, linkRate: 10Gbps, linkDelay: 1us}
pfc: {classes: []}
switch: {buffer: {kind: shared-buffer, egressAlpha: 128, alpha: 128}}`,
      4,
      20_000,
      60_000,
    )
    expect(queueBytes).toBeGreaterThan(1e6)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
  })
})
