import { describe, expect, test } from 'vitest'
import { numbersOf, textsOf, type Result } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { run } from '../../index.ts'

/** Hosts 0 and 1, leaves 2 and 3, spines 4 and 5; sixteen flows of 500 KB share the two paths. Path 2-4-3 is cut. */
function outcome(fault: string, more = ''): Result {
  const flows = Array.from({ length: 16 }, () => '"0 1 500KB 0us"').join(', ')
  const text = `
name: link-faults
topology: {kind: graph, nodes: 6, switches: [2, 3, 4, 5],
  links: [0 2 100Gbps 1us, 1 3 100Gbps 1us, 2 4 40Gbps 1us, 2 5 40Gbps 1us, 4 3 40Gbps 1us, 5 3 40Gbps 1us]}
qp: {ackTimeout: 200us}
workload: [{kind: trace, flows: [${flows}]}]
faults: [{kind: link-down, links: 2-4, ${fault}}]
observe: [{kind: link-use, interval: 100us}]
${more}
`
  const result = run(parseScenario(text), { check: true })
  expect(new Set(textsOf(result.flows, 'status'))).toEqual(new Set(['finished']))
  return result
}

/** Bytes that leaf 2 sent to spine 4, by the hundred microseconds. */
function sentUp({ series }: Result): number[] {
  const [node, port, bytes] = ['node', 'port', 'sentBytes'].map((name) => numbersOf(series[0]!, name))
  return [...bytes!].filter((_, row) => node![row] === 2 && port![row] === 2)
}

/** Links that `links` selects: they lose everything, as the flows that do not arrive show. */
function lostFlows(links: string): string[] {
  const text = `
name: links
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}
workload: [{kind: trace, flows: [0 1 1KB 0us, 1 0 1KB 0us, 0 2 1KB 0us, 2 0 1KB 0us, 2 3 1KB 0us]}]
faults: [{kind: bernoulli, probability: 1, links: "${links}"}]
measure: {stop: 1ms}
`
  const { flows } = run(parseScenario(text))
  const received = numbersOf(flows, 'receivedPs')
  const [from, to] = ['source', 'destination'].map((name) => numbersOf(flows, name))
  return [...received].flatMap((at, i) => (Number.isNaN(at) ? [`${from![i]}>${to![i]}`] : []))
}

const messageOf = (links: string): string => {
  try {
    return lostFlows(links).join()
  } catch (error) {
    return (error as Error).message
  }
}

describe('links are chosen', () => {
  test('by two nodes, in both directions or one', () => {
    expect(lostFlows('0-4')).toEqual(['0>1', '1>0', '0>2', '2>0'])
    expect(lostFlows('0>4')).toEqual(['0>1', '0>2'])
    expect(lostFlows('host 0>leaf 0')).toEqual(['0>1', '0>2'])
    expect(lostFlows('leaf 0 - host 0')).toEqual(['0>1', '1>0', '0>2', '2>0'])
  })

  test('by one node: all of its links', () => {
    expect(lostFlows('leaf 1')).toEqual(['0>2', '2>0', '2>3'])
    expect(lostFlows('spine 0, spine 1')).toEqual(['0>2', '2>0'])
    expect(lostFlows('004')).toEqual(['0>1', '1>0', '0>2', '2>0'])
  })

  test('and links that do not exist are reported, all at once', () => {
    const message = messageOf('leef 1, spine 7, host 0-host 1, 99')
    for (const line of [
      'faults.0.links: expected nodes of this network, received "leef 1" (did you mean leaf 1?)',
      'faults.0.links: expected nodes of this network, received "spine 7" (did you mean spine 0?)',
      'faults.0.links: expected nodes that a link joins, received "host 0-host 1"',
      'faults.0.links: expected nodes of this network, received "99" (there are host 0 to spine 1, node 0 to node 7)',
    ]) {
      expect(message).toContain(line)
    }
  })
})

const lost = ({ counters }: Result): number => counters.drops['link down'] ?? 0

describe('a link that goes down', () => {
  test('loses the packets in flight on it, where routes change at once', () => {
    const result = outcome('down: 200us')
    expect(lost(result)).toBeGreaterThan(0)
    // The queue of leaf 2 towards it, and a microsecond of the wire.
    expect(lost(result)).toBeLessThan(1000)
    expect(
      sentUp(result)
        .slice(2)
        .every((bytes) => bytes === 0),
    ).toBe(true)
  })

  test('loses everything sent into it until the routes have converged', () => {
    const fast = outcome('down: 200us, converge: 100us')
    const slow = outcome('down: 200us, converge: 600us')
    expect(lost(fast)).toBeGreaterThan(lost(outcome('down: 200us')))
    expect(lost(slow)).toBeGreaterThan(lost(fast))
    expect(Math.max(...numbersOf(slow.flows, 'receivedPs'))).toBeGreaterThan(800e6)
    expect(
      sentUp(slow)
        .slice(2)
        .every((bytes) => bytes === 0),
    ).toBe(true)
  })

  test('and comes back is used again when the routes have converged', () => {
    const firstUsed = (fault: string): number => {
      const sent = sentUp(outcome(fault))
      return sent.findIndex((bytes, interval) => interval >= 3 && bytes > 0)
    }
    expect(firstUsed('down: 200us, up: 450us')).toBe(4)
    expect(firstUsed('down: 200us, up: 450us, converge: 100us')).toBe(5)
  })

  test('ends queue pairs whose retries are over before the routes have converged', () => {
    const text = `{name: dead, topology: {kind: star, hosts: 2}, qp: {ackTimeout: 50us, retryLimit: 7},
      workload: [{kind: trace, flows: ["0 1 5MB 0us"]}], faults: [{kind: link-down, links: 1-2, down: 100us, up: 450us}]}`
    const statusOf = (convergeUs: number): string => {
      const result = run(parseScenario(text, { sets: [`faults.0.converge=${convergeUs}us`] }), { check: true })
      return textsOf(result.flows, 'status')[0]!
    }
    expect([statusOf(0), statusOf(40), statusOf(60)]).toEqual(['finished', 'finished', 'retry limit reached'])
  })

  test('and is back before the routes change takes no path away', () => {
    const sent = sentUp(outcome('down: 200us, up: 250us, converge: 1ms'))
    expect(sent.slice(0, 6).every((bytes) => bytes > 0)).toBe(true)
  })
  test.each(['spray', '{kind: flowlet, gap: 5us}', '{kind: flowlet, gap: 5us, pick: least-queue}'])(
    'loses what is sent into it until the routes have converged, under balance %s too',
    (balance) => {
      const at = (fault: string): Result => outcome(fault, `balance: ${balance}\nrecovery: irn`)
      const slow = at('down: 200us, converge: 300us')
      // Flowlets that choose by queues keep to it.
      expect(lost(slow)).toBeGreaterThan(lost(at('down: 200us')))
      expect(
        sentUp(slow)
          .slice(2)
          .every((bytes) => bytes === 0),
      ).toBe(true)
      const restored = sentUp(at('down: 100us, up: 250us, converge: 10us'))
      expect([restored[1]! > 0, restored[2]! > 0]).toEqual([false, true])
    },
  )

  test('is avoided at once by a switch that looks at its ports, and by others when the routes have converged', () => {
    const [near, blind] = ['adaptive', 'spray'].map((balance) =>
      outcome('down: 200us, converge: 600us', `balance: ${balance}\nrecovery: irn`),
    )
    // Leaf 2 sends no data into the cut; leaf 3 sends ACKs to spine 4, which has no other path.
    expect(near!.counters.dataPacketsDropped).toBeLessThan(blind!.counters.dataPacketsDropped / 4)
    expect(lost(near!) - near!.counters.dataPacketsDropped).toBeGreaterThan(100)
  })
})
