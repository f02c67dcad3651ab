/**
 * Drift on configurations as files give them: values that are unknown, and places.
 */
import { expect, test } from 'vitest'
import {
  type DeviceConfig,
  type HeadroomRow,
  type HostSettings,
  type Snapshot,
  UNKNOWN,
  UNKNOWN_SWITCH,
  type Value,
} from '../../../core/device-model/index.ts'
import { driftOf, roleDriftOf } from './index.ts'

const set = (value: number, line?: number): Value<number> =>
  line === undefined ? { state: 'set', value } : { state: 'set', value, origin: { file: 'running.txt', line } }

function host(device: string, dataClass: Value<number>, cnpClass: Value<number> = UNKNOWN): DeviceConfig {
  const rest = { rateControl: UNKNOWN, recovery: UNKNOWN, other: {} }
  const settings: HostSettings = { dataClass, cnpClass, ...rest }
  return { device, kind: 'host', language: '', role: 'host', settings, ports: [] }
}
const at = (atPs: number, ...devices: DeviceConfig[]): Snapshot => ({ atPs, devices })

test('an unknown value is no difference, on either side', () => {
  expect(driftOf([at(0, host('a', set(3)))], [at(0, host('a', UNKNOWN))])).toEqual([])
  expect(driftOf([at(0, host('a', UNKNOWN))], [at(0, host('a', set(3)))])).toEqual([])
})

test('what nobody has written is compared by its default', () => {
  const standard: Value<number> = { state: 'default', value: 0 }
  const findings = driftOf([at(0, host('a', set(3)))], [at(0, host('a', standard))])
  expect(findings.map(({ values }) => [values['field'], values['desired'], values['running']])).toEqual([
    ['dataClass', 3, 0],
  ])
})

test('a finding has the place of the running value', () => {
  const [found] = driftOf([at(0, host('a', set(3)))], [at(0, host('a', set(4, 17)))])
  expect(found!.subject).toEqual({ device: 'a', file: 'running.txt', line: 17 })
})

test('of a field that changes often the first time is said', () => {
  const running = [at(0, host('a', set(3))), at(5, host('a', set(4))), at(9, host('a', set(5)))]
  const found = driftOf([at(0, host('a', set(3)))], running)
  expect(found.map(({ subject, values }) => [subject.atPs, values['running']])).toEqual([[5, 4]])
})

test('of a role those count that have a value, and of two halves nobody knows which is meant', () => {
  const odd = [host('a', set(3)), host('b', set(3)), host('c', set(4)), host('d', UNKNOWN)]
  expect(roleDriftOf([at(0, ...odd)]).map(({ subject }) => subject.device)).toEqual(['c'])
  const split = roleDriftOf([at(0, ...odd.slice(1))])
  expect(split.map(({ id, subject, values }) => [id, subject.device, values['besides'], values['desired']])).toEqual([
    ['split-in-role', 'c', 'b', 3],
  ])
  expect(roleDriftOf([at(0, host('a', set(3)), host('b', UNKNOWN))])).toEqual([])
  const each = Array.from({ length: 4 }, (_, i) => host(`h${i}`, set(i)))
  expect(roleDriftOf([at(0, ...each)])).toEqual([])
})

test('of two halves the device that is not as usual is named', () => {
  const usual = host('', set(3))
  const halves = [host('a', set(3)), host('b', set(4))].map((each) => ({ ...each, usual }))
  expect(roleDriftOf([at(0, ...halves)]).map(({ subject }) => subject.device)).toEqual(['b'])
})

test('rows of a table have no order', () => {
  const [near, far] = [5, 40].map((cableM): HeadroomRow => ({ rateBps: 400e9, cableM })) as [HeadroomRow, HeadroomRow]
  const leaf = (...rows: HeadroomRow[]): Snapshot => {
    const settings = { ...UNKNOWN_SWITCH, headroomTable: { state: 'set', value: rows } as const }
    return at(0, { device: 'a', kind: 'switch', language: '', role: 'leaf', settings, ports: [] })
  }
  expect(driftOf([leaf(near, far)], [leaf(far, near)])).toEqual([])
  expect(driftOf([leaf(near, far)], [leaf(near)]).map(({ values }) => values['field'])).toEqual(['headroomTable'])
})
