import { describe, expect, test } from 'vitest'
import { numbersOf } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from '../simulation/simulation.ts'

/** Class of each flow, in a scenario whose data have class 3 and those to port 90 class 5. */
function classesOf(flows: readonly string[], more: string): number[] {
  const text = `topology: {kind: star, hosts: 2}
nic: {trafficClasses: ["90: 5"]}
workload: [{kind: trace, flows: [${flows.map((line) => `"${line}"`).join()}]}]
${more}`
  return [...numbersOf(run(parseScenario(text)).flows, 'trafficClass')]
}

describe.each([
  ['messages', ''],
  ['work requests', 'verbs: {}\n'],
])('the class of %s', (_, more) => {
  test('is that of the flow, class 0 too, or else that of the destination port, or else that of the scenario', () => {
    const lines = [
      '0 1 1KB 0us class=0',
      '0 1 1KB 0us class=2',
      '0 1 1KB 0us dport=90',
      '0 1 1KB 0us',
      '0 1 1KB 0us class=0 dport=90',
    ]
    expect(classesOf(lines, more)).toEqual([0, 2, 5, 3, 0])
  })
})
