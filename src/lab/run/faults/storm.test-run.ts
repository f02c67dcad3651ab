/**
 * Runs with a pause storm of host 0, for tests of the fault and of others beside it.
 */
import { numbersOf, type Result, textsOf } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { run } from '../../index.ts'

/** Two leaves below one spine, two hosts each; hosts 1, 2 and 3 send to host 0, and host 0 and 2 to host 3. */
export function outcome(faults: string, more = '', stop = '150ms', sets: readonly string[] = []): Result {
  const text = `
name: storm
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 10Gbps, fabricRate: 10Gbps, hostDelay: 100ns, fabricDelay: 1us}
switch: {buffer: {kind: shared-buffer, size: 500KB}}
qp: {retryLimit: off, ackTimeout: 4ms, ackInterval: 8}
workload:
  - {kind: closed-loop, pairs: ["1 0", "2 0", "3 0"], messageSize: 10KB, outstanding: 100, tag: to the storm}
  - {kind: closed-loop, pairs: ["0 3"], messageSize: 10KB, tag: from the storm}
  - {kind: closed-loop, pairs: ["1 3", "2 1"], messageSize: 10KB, tag: others}
measure: {stop: ${stop}}
observe: [{kind: pause-log}, {kind: nic-receive}, {kind: drops}, {kind: watchdog}]
faults: [${faults}]
${more}
`
  return run(parseScenario(text, { sets }), { check: true })
}

export const STORM = '{kind: pause-storm, hosts: host 0, from: 1ms}'
export const WATCHDOG = 'nic: {watchdog: 100ms}'

/** Times of the pause frames that host 0's port of its leaf, node 4, has received. */
export function pausesPs({ series }: Result): Float64Array {
  const [log] = series
  const [node, port, type] = ['node', 'port', 'type'].map((column) => numbersOf(log!, column))
  return numbersOf(log!, 'timePs').filter((_, row) => node![row] === 4 && port![row] === 1 && type![row] === 1)
}

/** Messages with this tag that were received in this time. */
export function received({ flows }: Result, tag: string, fromPs: number, toPs: number): number {
  const tags = textsOf(flows, 'tag')
  return numbersOf(flows, 'receivedPs').filter((ps, row) => tags[row] === tag && ps >= fromPs && ps < toPs).length
}
