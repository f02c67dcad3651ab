/**
 * Role notes: devices beside those of their role, each named once.
 */
import { expect, test } from 'vitest'
import type { Finding, Subject } from '../../../core/findings/index.ts'
import { createSimulation } from '../../index.ts'
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
    ['buf05', 'leaf 1', 0, 'host 2'],
    ['buf05', 'leaf 1', 0, 'host 3'],
    ['buf04', 'leaf 1', 0, 'host 2'],
    ['buf04', 'leaf 1', 0, 'host 3'],
  ])
})

test('a switch is one place where some of its ports have nothing to be compared with', () => {
  const links = ['topology.rates=["leaf 1-spine 1: 400Gbps"]', 'switch.buffer.headroom=70KB']
  const own = findingsOf(...links, leaf1('switch.ecn.kmin', '1KB'))
  expect(spotsOf(own.filter(({ id }) => id === 'ecn04'))).toEqual(
    ['host 2', 'host 3', 'spine 0'].map((port) => ['ecn04', 'leaf 1', 0, port]),
  )
})

test('values that depend on the rate of a port are said at each port', () => {
  const rates = 'topology.fabricRate=400Gbps'
  const byRate = '{classes: [3], kmin: 1KB, byRate: [{rate: 400Gbps, kmin: 2KB, kmax: 200KB, pmax: 0.01}]}'
  const ports = ['host 2', 'host 3', 'spine 0', 'spine 1']
  expect(spotsOf(findingsOf(rates, leaf1('switch.ecn', byRate)))).toEqual(
    ports.map((port) => ['ecn04', 'leaf 1', 0, port]),
  )
})

test.each([
  ['switch.buffer.alpha', '1/64', 'buf04'],
  ['switch.ecn.kmin', '1KB', 'ecn04'],
  ['switch.buffer.headroom', '60KB', 'headroom-differs-in-role'],
  ['pfc.classes', '[]', 'pfc01'],
  ['switch.buffer.believedDelay', '80m', 'buf03'],
])('%s is said of one switch alone, from the time at which it begins', (path, value, id) => {
  for (const [more, atPs] of [
    ['', 0],
    [', at: 1ms', 1e9],
  ] as const) {
    const spots = spotsOf(findingsOf(leaf1(path, value, more))).filter(([each]) =>
      /role|^(?:buf0[34]|ecn04|pfc01)$/.test(each),
    )
    expect(new Set(spots.map(([found, device, at]) => `${found} ${device} ${at}`))).toEqual(
      new Set([`${id} leaf 1 ${atPs}`]),
    )
  }
})
