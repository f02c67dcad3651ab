/** Observers of pauses and servers tell what happened: a deadlock that stays, one that is dissolved, servers that stop. */
import { describe, expect, test } from 'vitest'
import { run } from '../../index.ts'
import { numbersOf, type Result, type Table, textsOf, toObjects } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'

/** Four switches in a ring, and every host sends two hops clockwise. */
function ring(more: string): Result {
  return run(
    parseScenario(`
name: ring
topology:
  kind: graph
  nodes: 8
  switches: [4, 5, 6, 7]
  links: ["0 4 100Gbps 1us", "1 5 100Gbps 1us", "2 6 100Gbps 1us", "3 7 100Gbps 1us", "4 5 100Gbps 1us", "5 6 100Gbps 1us", "6 7 100Gbps 1us", "7 4 100Gbps 1us"]
  routes: ["4: 1,2 via 2", "5: 2,3 via 3", "6: 3,0 via 3", "7: 0,1 via 3"]
congestion: none
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: 1MB}}
workload: [{kind: trace, flows: ["0 2 4MB 0us", "1 3 4MB 0us", "2 0 4MB 0us", "3 1 4MB 0us"]}]
observe:
  - pause-intervals
  - {kind: pause-tree, interval: 50us}
  - {kind: deadlock, interval: 50us}
  - {kind: server-state, interval: 50us, perHost: true}
${more}`),
  )
}

function series(result: Result, name: string): Table {
  return result.series.find((table) => table.name === name)!
}

describe('a deadlock of four switches', () => {
  const result = ring('measure: {stop: 2ms}')

  test('is one row: its onset is the start of the last pause of the circle, and it holds to the end', () => {
    const rows = toObjects(series(result, 'deadlock'))
    const { sincePs } = result.pauseCircle!
    expect(rows).toMatchObject([
      {
        onsetPs: sincePs,
        seenPs: 50e6,
        endPs: 2e9,
        isOpen: 1,
        circlePorts: 4,
        members: 4,
        victims: 4,
        hosts: 4,
        pairs: 4,
        node: 4,
        nodeName: 'switch 4',
        port: 2,
        leftOut: 0,
      },
    ])
    expect(rows[0]!['circle']).toBe(
      'switch 4 port 2 > switch 5 port 3 > switch 6 port 3 > switch 7 port 3 > switch 4 port 2',
    )
    const pauses = toObjects(series(result, 'pause-intervals')).filter(({ tier, isOpen }) => tier === 1 && isOpen === 1)
    expect(Math.max(...pauses.map(({ startPs }) => Number(startPs)))).toBe(sincePs)
  })

  test('is in the result with its ports and what it holds up', () => {
    expect(result.pauseCircle).toMatchObject({ ports: [2, 3, 3, 3], members: 4, victims: 4, hosts: 4, pairs: 4 })
  })

  test('is the root of the pause tree: hosts stand behind the switches', () => {
    const table = series(result, 'pause-tree')
    expect(new Set(textsOf(table, 'rootKind'))).toEqual(new Set(['circle']))
    const last = toObjects(table).filter(({ timePs }) => timePs === 1.95e9)
    expect(last.map(({ depth, tier }) => [depth, tier])).toEqual([
      ...Array.from({ length: 4 }, () => [2, 0]),
      ...Array.from({ length: 4 }, () => [1, 1]),
    ])
    const below = last.filter(({ parent }) => parent !== -1)
    expect(below.map(({ parent }) => last[Number(parent)]!['nodeName'])).toEqual(below.map(({ peerName }) => peerName))
  })

  test('takes all servers out of service within two intervals', () => {
    const rows = toObjects(series(result, 'server-state'))
    const together = rows.filter(({ host }) => host === -1)
    expect(together).toHaveLength(40)
    expect(together[0]).toMatchObject({ available: 4, working: 4 })
    for (const row of together.slice(2)) expect(row).toMatchObject({ available: 0, paused: 4, waiting: 0, idle: 0 })
    for (const host of [0, 1, 2, 3]) {
      expect(rows.filter((row) => row['host'] === host && row['paused'] === 1).length).toBeGreaterThan(37)
    }
    for (const { working, paused, waiting, idle, host } of rows) {
      expect(Number(working) + Number(paused) + Number(waiting) + Number(idle)).toBe(host === -1 ? 4 : 1)
    }
  })
})

test('a link that goes down dissolves the deadlock: the row ends then, and servers work again', () => {
  const result = ring(
    'measure: {stop: 3ms}\nqp: {ackTimeout: 200us, retryLimit: off}\nfaults: [{kind: link-down, links: "4-5", down: 500us}]',
  )
  const [first] = toObjects(series(result, 'deadlock'))
  expect(first).toMatchObject({ isOpen: 0, endPs: 500e6, members: 4 })
  const table = series(result, 'server-state')
  const [from, host, working] = ['fromPs', 'host', 'working'].map((name) => numbersOf(table, name))
  const later = [...from!.keys()].filter((row) => host![row] === -1 && from![row]! >= 500e6)
  expect(later.some((row) => working![row]! > 0)).toBe(true)
})

test('a server that has nothing to do is idle, one that waits for a lost packet is waiting', () => {
  const result = run(
    parseScenario(`
name: states
topology: {kind: star, hosts: 3, linkRate: 100Gbps, linkDelay: 1us}
congestion: none
qp: {ackTimeout: 10ms}
workload: [{kind: trace, flows: ["0 1 100KB 0us"]}]
faults: [{kind: link-down, links: "1-3", down: 2us}]
measure: {stop: 1ms}
observe: [{kind: server-state, interval: 100us, perHost: true}]`),
  )
  const rows = toObjects(series(result, 'server-state')).filter(({ fromPs }) => fromPs === 500e6)
  const stateOf = (host: number): unknown => rows.find((row) => row['host'] === host)
  expect(stateOf(0)).toMatchObject({ waiting: 1, available: 0 })
  expect(stateOf(1)).toMatchObject({ waiting: 1, available: 0 })
  expect(stateOf(2)).toMatchObject({ idle: 1, available: 1 })
})
