/**
 * IRN in small networks: a loss hurts the flow that has it, a pause those beside it; hosts of both kinds side by side;
 * and packets that overtake each other ([IRN] 4.2.2, 7).
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

/** Slowdown of each message. */
function slowdowns(result: Result): number[] {
  const { flows } = result
  const [start, received, ideal] = ['startPs', 'receivedPs', 'idealPs'].map((name) => numbersOf(flows, name))
  return [...start!].map((ps, i) => (received![i]! - ps) / ideal![i]!)
}

describe('eight hosts send to one, and a ninth on the same leaf sends to another host (4.2.2)', () => {
  /**
   * The ninth message starts during the others. It shares a leaf and its uplink with them, which are not full, and goes
   * to another leaf.
   */
  const outcome = (pfc: string, startUs: number): Result =>
    run(
      parseScenario(`
name: bystander
topology: {kind: leaf-spine, leaves: 3, spines: 1, hostsPerLeaf: 9, hostRate: 40Gbps, fabricRate: 400Gbps, hostDelay: 2us, fabricDelay: 2us}
switch: {buffer: {kind: input-queued, portBuffer: 400KB${pfc === '' ? '' : ', xoff: 150KB'}}}
pfc: {classes: [${pfc}]}
recovery: {kind: irn}
qp: {ackTimeout: ${pfc === '' ? '320us' : 'off'}, retryLimit: off}
workload: [{kind: trace, flows: [${[0, 1, 2, 3, 4, 5, 6, 7].map((host) => `"${host} 9 2MB 0us"`).join(', ')}, "8 18 100KB ${startUs}us"]}]
measure: {end: drain}
`),
    )

  test('with pauses it waits behind them, without pauses their losses do not affect it', () => {
    const starts = [200, 400, 600, 800, 1000]
    const [paused, lossy] = ['3', ''].map((pfc) => starts.map((startUs) => outcome(pfc, startUs))) as [
      Result[],
      Result[],
    ]
    for (const { counters } of paused) expect([counters.pauseFrames > 100, counters.drops]).toEqual([true, {}])
    for (const { counters } of lossy)
      expect([counters.pauseFrames, counters.drops['buffer full']! > 100]).toEqual([0, true])
    const ninth = (result: Result): number => slowdowns(result).at(-1)!
    expect(lossy.map(ninth)).toEqual(starts.map(() => 1))
    for (const result of paused) expect(ninth(result)).toBeGreaterThan(1.5)
  })
})

test('the more NACKs start recovery, the less is sent again where packets overtake each other (7)', () => {
  const resent = [1, 3, 8].map((nackThreshold) => {
    const { counters } = run(
      parseScenario(`
name: overtaking
topology: {kind: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4, hostRate: 40Gbps, fabricRate: 40Gbps, hostDelay: 2us, fabricDelay: 2us}
balance: spray
recovery: {kind: irn, nackThreshold: ${nackThreshold}}
qp: {ackTimeout: 320us, retryLimit: off}
workload: [{kind: trace, flows: ["0 4 2MB 0us", "1 5 2MB 1us", "2 6 2MB 2us", "3 7 2MB 3us"]}]
measure: {end: drain}
`),
    )
    // Nothing is lost: all retransmissions are unnecessary.
    expect(counters.drops).toEqual({})
    return counters.retransmissions
  })
  expect(resent[0]).toBeGreaterThan(resent[1]!)
  expect(resent[1]).toBeGreaterThan(resent[2]!)
})
