import { describe, expect, test } from 'vitest'
import { parseScenario } from '../scenario/index.ts'
import { topologyOf } from './scenario-topology.ts'

/** Hosts 0 to 3, leaves 4 and 5, spines 6 and 7. */
function links(...rates: readonly string[]): string[] {
  const scenario = parseScenario(`
name: rates
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, fabricRate: 400Gbps, rates: ${JSON.stringify(rates)}}
workload: [{kind: incast, senders: 1}]
`)
  return topologyOf(scenario).links.map(({ a, b, rateBps }) => `${a}-${b} ${rateBps / 1e9}`)
}

const PLAIN = ['0-4 100', '1-4 100', '2-5 100', '3-5 100', '4-6 400', '4-7 400', '5-6 400', '5-7 400']

describe('rates of single links', () => {
  test('are those of their tier by default', () => expect(links()).toEqual(PLAIN))

  test('hold for the link between two nodes, named from either end', () => {
    const other = PLAIN.with(5, '4-7 50')
    expect(links('leaf 0-spine 1: 50Gbps')).toEqual(other)
    expect(links('7-4: 50Gbps')).toEqual(other)
  })

  test('hold for all links of one node, up and down', () => {
    expect(links('leaf 1: 50Gbps')).toEqual([
      '0-4 100',
      '1-4 100',
      '2-5 50',
      '3-5 50',
      '4-6 400',
      '4-7 400',
      '5-6 50',
      '5-7 50',
    ])
  })

  test('are those of the last line that names the link', () => {
    expect(links('spine 0: 50Gbps', 'leaf 0-spine 0: 25Gbps').slice(4)).toEqual([
      '4-6 25',
      '4-7 400',
      '5-6 50',
      '5-7 400',
    ])
    expect(links('leaf 0-spine 0: 25Gbps', 'spine 0: 50Gbps').slice(4)).toEqual([
      '4-6 50',
      '4-7 400',
      '5-6 50',
      '5-7 400',
    ])
  })

  test('of links that do not exist are refused, all at once', () => {
    expect(() => links('leef 0: 1Gbps', 'spine 0: 50Gbps', 'host 0-spine 0: 1Gbps')).toThrow(
      /topology\.rates\.0: expected nodes of this network, received "leef 0".*leaf 0[\s\S]*topology\.rates\.2: expected nodes that a link joins, received "host 0-spine 0"/,
    )
  })
})
