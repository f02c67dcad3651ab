/**
 * DCTCP's variants with priorities, two flows at one bottleneck: the deadline that is harder to meet and the flow that has
 * sent less get more than DCTCP's equal share. Source: [Survey IV-B].
 */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

/** Milliseconds that each flow takes at 10 Gb/s; flows are named by their tags. */
function times(congestion: string, flows: readonly string[]): Record<string, number> {
  const { flows: rows, counters } = run(
    parseScenario(`
name: priorities
topology: {kind: dumbbell, leftHosts: 2, rightHosts: 2, hostRate: 40Gbps, bottleneckRate: 10Gbps, hostDelay: 1us, bottleneckDelay: 5us}
congestion: ${congestion}
pfc: {classes: []}
qp: {ecnEcho: ack, ackTimeout: 1ms}
switch: {buffer: {kind: shared-buffer, size: 9MB}, ecn: {kmin: 30KB, kmax: 30KB, pmax: 1}}
workload: [{kind: trace, flows: ${JSON.stringify(flows)}}]
`),
  )
  expect(counters.drops).toEqual({})
  const [starts, ends] = [numbersOf(rows, 'startPs'), numbersOf(rows, 'receivedPs')]
  return Object.fromEntries(textsOf(rows, 'tag').map((tag, row) => [tag, (ends[row]! - starts[row]!) / 1e9]))
}
/** The second flow begins a little later each time. */
const LATER_US = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55]

test('D2TCP gives more to the flow whose deadline is harder to meet, where DCTCP shares about equally', () => {
  for (const us of LATER_US) {
    // Twice as much to send by the same deadline.
    const flows = ['0 2 8MB 0us tag=urgent', `1 3 4MB ${us}us tag=other`]
    // Cuts at the end of a window of data let two flows of one round trip lock in phase, up to 27 % from equal shares.
    const equal = times('{kind: dctcp, cutOnFirstEce: true}', flows)
    const weighed = times('{kind: d2tcp, cutOnFirstEce: true, deadline: 12ms}', flows)
    expect(weighed['other']!, `${us} us`).toBeGreaterThan(1.15 * equal['other']!)
    expect(weighed['urgent']!).toBeLessThan(12)
    // Share of the 8 MB that the urgent flow sends during the other one.
    const share = (ms: number): number => (ms * 10e9 * (1024 / 1106)) / 8e3 - 4e6
    expect(Math.abs(share(equal['other']!) / 4e6 - 1), `${us} us`).toBeLessThan(0.15)
    expect(share(weighed['other']!) / 4e6).toBeGreaterThan(1.3)
  }
})

test('L2DCT gives more to the flow that has sent less, where DCTCP shares about equally', () => {
  for (const us of LATER_US) {
    const flows = ['0 2 10MB 0us tag=long', `1 3 600KB ${4000 + us}us tag=short`]
    const equal = times('dctcp', flows)
    const weighed = times('l2dct', flows)
    expect(weighed['short']!, `${us} us`).toBeLessThan(0.8 * equal['short']!)
    // Alone it takes 0.52 ms.
    expect(weighed['short']!).toBeGreaterThan(0.52)
  }
})
