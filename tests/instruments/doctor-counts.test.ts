/** Incidents of simulated runs, written in the forms of vendors: the doctor names the origin that their counters have. */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { folderOf, named, namedEdges } from '../../src/doctor/diagnosis/counts/folder.test-data.ts'
import { diagnose, edgesOf, fabricOf, locate, readingsOf } from '../../src/doctor/index.ts'
import { tableOfKind } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const FABRIC = `
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3, hostRate: 10Gbps, fabricRate: 10Gbps}
congestion: none
switch: {buffer: {kind: shared-buffer, size: 300KB}}
workload: [{kind: poisson, load: 0.3, sizes: {kind: fixed, size: 20KB}}]
measure: {stop: 8ms}
`
const headroomNeed = () => ({ leastBytes: 0, mostBytes: Infinity, basis: '', isSure: false })

function incident(text: string, hosts: string) {
  const observe = `observe: [{kind: counters, interval: 500us, hosts: ${hosts}}]\n`
  const result = run(parseScenario(`name: incident\n${FABRIC}${text}${observe}`))
  const readings = named(readingsOf(tableOfKind(result, 'counters')!))
  const edges = namedEdges(edgesOf(tableOfKind(result, 'counters/edges')!))
  const [neutral] = locate(edges, readings).origins
  const { findings } = diagnose({ fabric: fabricOf(folderOf(readings), edges), headroomNeed })
  const counted = findings.filter(({ id, severity }) => id.startsWith('ctr') && severity !== 'note')
  return {
    neutral: [neutral?.kind, neutral?.device, neutral?.port, neutral?.confidence],
    said: counted.map(({ id, subject, values }) => [id, subject.device, subject.interface, values['confidence']]),
  }
}

describe.each(['all', 'mlx5'])('with %s counters of hosts', (hosts) => {
  test('a host that pauses without end is a storm', () => {
    const { neutral, said } = incident('faults: [{kind: pause-storm, hosts: host 1, from: 1ms}]\n', hosts)
    expect(neutral).toEqual(['storm', 'host 1', 'eth1', 'high'])
    expect(said).toEqual([['ctr02', 'host 1', 'eth1', 'high']])
  })

  test('a host whose bus is slower than its link is a slow receiver', () => {
    const change = 'changes: [{path: nic.receive, nodes: host 1, value: {kind: pipeline, busRate: 2Gbps}}]\n'
    const { neutral, said } = incident(change, hosts)
    expect(neutral.slice(0, 3)).toEqual(['slow-receiver', 'host 1', 'eth1'])
    expect(said).toEqual([['ctr05', 'host 1', 'eth1', neutral[3]]])
  })
})
