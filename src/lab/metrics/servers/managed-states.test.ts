import { expect, test } from 'vitest'
import { run } from '../../index.ts'
import { numbersOf, tableOfKind } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { ManagedStates } from './managed-states.ts'

/** States of one server at the end of each interval of 10, by whether it was available in it: "1" or "0". */
function statesOf(available: string, times = { failAfter: 20, repair: 30, probation: 20 }): string {
  const states = new ManagedStates(1, times)
  return Array.from(available, (is, i) => states.next(0, is === '1', 10 * (i + 1))[0]!).join('')
}

test('a server fails after its time, is repaired, goes through probation and is healthy again', () => {
  expect(statesOf('1100000111111')).toBe('hhhffffpphhhh')
})

test('a short gap is none; a repair that is not over or in vain leaves it failing; on probation it may fail again', () => {
  expect(statesOf('10101010')).toBe('hhhhhhhh')
  expect(statesOf('00111111')).toBe('hfffpphh')
  expect(statesOf('00000000')).toBe('hfffffff')
  expect(statesOf('001110011')).toBe('hfffppfff')
})

test('a server in a storm fails, and is healthy again after its power cycle', () => {
  const result = run(
    parseScenario(`
name: managed
topology: {kind: star, hosts: 4, linkRate: 10Gbps}
qp: {ackTimeout: 1ms, retryLimit: off}
workload: [{kind: poisson, load: 0.2, sizes: {kind: fixed, size: 100KB}}]
faults: [{kind: pause-storm, hosts: host 0, from: 2ms, until: 8ms}]
measure: {stop: 20ms}
observe: [{kind: server-state, perHost: true, interval: 1ms, failAfter: 2ms, repair: 3ms, probation: 4ms}]
`),
  )
  const table = tableOfKind(result, 'server-state')!
  const [host, healthy, failing, probation] = ['host', 'healthy', 'failing', 'probation'].map((name) =>
    numbersOf(table, name),
  )
  const rows = [...host!.keys()].filter((row) => host![row] === 0)
  const states = rows.map((row) => (healthy![row] === 1 ? 'h' : failing![row] === 1 ? 'f' : 'p')).join('')
  expect(states).toMatch(/^h{3,5}f{4,}p{4}h+$/)
  const all = [...host!.keys()].filter((row) => host![row] === -1)
  expect(all.map((row) => healthy![row]! + failing![row]! + probation![row]!)).toEqual(all.map(() => 4))
})
