import { expect, test } from 'vitest'
import { parseScenario } from '../index.ts'
import { readLinkRates } from './link-rates.ts'

test('a line selects links by one node or two, and sets their rate', () => {
  const rates = readLinkRates(['leaf 0-spine 1: 40Gbps', ' 7 , host 3:1Kbps'])
  expect(
    rates.map(({ line, rateBps, patterns }) => [line, rateBps, patterns.map(({ from, to }) => [from, to])]),
  ).toEqual([
    [0, 40e9, [['leaf 0', 'spine 1']]],
    [
      1,
      1e3,
      [
        ['7', null],
        ['host 3', null],
      ],
    ],
  ])
})

const scenario = (rates: readonly string[]) => () =>
  parseScenario(`
name: rates
topology: {kind: leaf-spine, rates: ${JSON.stringify(rates)}}
workload: [{kind: incast, senders: 1}]
`)

test.each([
  ['leaf 0-spine 1', 'topology.rates.0: expected "A-B: RATE" or "A: RATE"'],
  ['leaf 0>spine 1: 40Gbps', 'topology.rates.0: expected "A-B: RATE" or "A: RATE"'],
  ['fabric: 40Gbps', 'topology.rates.0: expected "A-B: RATE" or "A: RATE"'],
  ['leaf 0: 40', 'topology.rates.0: expected a rate of at least 1Kbps after the colon, received "40"'],
  ['leaf 0: 999bps', 'topology.rates.0: expected a rate of at least 1Kbps after the colon, received "999bps"'],
])('"%s" is refused', (line, message) => {
  expect(scenario([line])).toThrow(message)
})

test('all malformed lines are reported at once', () => {
  expect(scenario(['leaf 0: fast', 'spine 1: 40Gbps', 'spine'])).toThrow(/rates\.0: [\s\S]*rates\.2: /)
})
