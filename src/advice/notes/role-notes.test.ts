/**
 * Role notes: devices beside those of their role, each named once.
 */
import { expect, test } from 'vitest'
import type { Finding, Subject } from '../../findings/index.ts'
import { createSimulation } from '../../lab/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { outlineOf } from '../outline.ts'
import { BASE, change, changing } from './table-cells.test-data.ts'

function findingsOf(...sets: string[]): readonly Finding[] {
  const scenario = parseScenario(BASE, { sets })
  const simulation = createSimulation(scenario)
  const { findings } = outlineOf(scenario, simulation)
  simulation.close()
  return findings
}

/** Id, device, time and ports of each place that is named. */
function spotsOf(findings: readonly Finding[]): readonly [string, string | undefined, number, unknown][] {
  return findings.flatMap(({ id, subject, values, also }) =>
    [{ subject, values }, ...also].map((spot): [string, string | undefined, number, unknown] => {
      const { device, port, atPs = 0 }: Subject = spot.subject
      return [id, device, atPs, port ?? spot.values['ports'] ?? 'all']
    }),
  )
}

const leaf1 = (path: string, value: string, more = ''): string => changing(change(path, value, `nodes: leaf 1${more}`))

test('a switch with another value at several of its ports is one place', () => {
  expect(spotsOf(findingsOf(leaf1('switch.buffer.alpha', '1/64', ', ports: hosts')))).toEqual([
    ['alpha-differs-in-role', 'leaf 1', 0, ['host 2', 'host 3']],
  ])
})

test('a switch is one place where some of its ports have nothing to be compared with', () => {
  const links = ['topology.rates=["leaf 1-spine 1: 400Gbps"]', 'switch.buffer.headroom=70KB']
  const own = findingsOf(...links, leaf1('switch.ecn.kmin', '1KB'))
  expect(spotsOf(own.filter(({ id }) => id === 'marking-differs-in-role'))).toEqual([
    ['marking-differs-in-role', 'leaf 1', 0, ['host 2', 'host 3', 'spine 0']],
  ])
})

test('values that depend on the rate of a port are one place too', () => {
  const rates = 'topology.fabricRate=400Gbps'
  const byRate = '{classes: [3], kmin: 1KB, byRate: [{rate: 400Gbps, kmin: 2KB, kmax: 200KB, pmax: 0.01}]}'
  expect(spotsOf(findingsOf(rates, leaf1('switch.ecn', byRate)))).toEqual([
    ['marking-differs-in-role', 'leaf 1', 0, 'all'],
  ])
})

test.each([
  ['switch.buffer.alpha', '1/64', 'alpha-differs-in-role'],
  ['switch.ecn.kmin', '1KB', 'marking-differs-in-role'],
  ['switch.ecn.classes', '[]', 'marking-differs-in-role'],
  ['switch.watchdog', 'broadcom', 'watchdog-missing'],
  ['switch.buffer.headroom', '60KB', 'headroom-differs-in-role'],
  ['pfc.classes', '[]', 'pfc-at-one-end'],
  ['switch.buffer.believedDelay', '80m', 'headroom-for-another-cable'],
])('%s is said of one switch alone, from the time at which it begins', (path, value, id) => {
  for (const [more, atPs] of [
    ['', 0],
    [', at: 1ms', 1e9],
  ] as const) {
    const spots = spotsOf(findingsOf(leaf1(path, value, more))).filter(([each]) =>
      /role|watchdog-m|one-end|cable/.test(each),
    )
    expect(new Set(spots.map(([found, device, at]) => `${found} ${device} ${at}`))).toEqual(
      new Set([`${id} leaf 1 ${atPs}`]),
    )
  }
})
