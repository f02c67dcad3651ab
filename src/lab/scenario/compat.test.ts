/** The profile of other simulators is in no list, in the schema, and printed where there is one. */
import { expect, test } from 'vitest'
import { catalog } from '../../catalog.ts'
import { InputError } from '../../core/base/issue.ts'
import { describeScenario, formatScenario, parseScenario, printScenario, scenarioJsonSchema } from './index.ts'

const SMALL = 'name: small\ntopology: star\nworkload:\n  - permutation\n'

test('it is in no list, and neither are its rules', () => {
  expect(describeScenario().map(({ path }) => path)).toContain('seed')
  expect(describeScenario().map(({ path }) => path)).not.toContain('compat')
  const listed = catalog()
    .filter(({ name }) => name !== 'importer')
    .map(({ entries }) => JSON.stringify(entries))
  expect(listed.join('\n')).not.toMatch(/compat\b|roundRobin|"wake"|single-ahead|nakMarks|headroomLast|rewind/)
})

test('it is in the schema', () => {
  const { properties } = scenarioJsonSchema() as { properties: Record<string, unknown> }
  expect(properties['compat']).toMatchObject({ enum: ['none', 'hpcc', 'conweave'], default: 'none' })
})

test.each(['hpcc', 'conweave'])('%s is printed and read again', (compat) => {
  const scenario = parseScenario(SMALL, { sets: [`compat=${compat}`] })
  for (const options of [{}, { compact: true }, { comments: true }]) {
    const text = formatScenario(scenario, options)
    expect(text).toMatch(new RegExp(`^compat: ${compat}$`, 'm'))
    expect(parseScenario(text)).toEqual(scenario)
  }
})

test('none is not printed', () => {
  const scenario = parseScenario(SMALL, { sets: ['compat=none'] })
  expect(formatScenario(scenario)).not.toContain('compat')
  expect(formatScenario(scenario, { comments: true })).not.toContain('compat')
  expect(printScenario(scenario)).not.toHaveProperty('compat')
  expect(parseScenario(formatScenario(scenario))).toEqual(scenario)
})

test.each([
  ['nic: {roundRobin: compacting}', 'nic.roundRobin'],
  ['nic: {wake: single}', 'nic.wake'],
  ['switch: {buffer: {kind: shared-buffer, egressPool: own}}', 'switch.buffer.egressPool'],
  ['switch: {buffer: {kind: shared-buffer, headroomLast: 14596B}}', 'switch.buffer.headroomLast'],
  ['qp: {ackInterval: 1, nakMarks: true}', 'qp.nakMarks'],
  ['qp: {ackInterval: 1}\nrecovery: {kind: irn, resend: rewind}', 'recovery.resend'],
])('%s, as scenarios had before, is one mistake', (lines, path) => {
  const issues = (): unknown => {
    try {
      return parseScenario(`${SMALL}${lines}\n`)
    } catch (error) {
      if (error instanceof InputError) return error.issues.map((issue) => issue.path)
      throw error
    }
  }
  expect(issues()).toEqual([path])
})

test('a scenario that an earlier version has printed is read: its keys have their defaults', () => {
  const before =
    'nic: {roundRobin: stable, wake: earliest}\nqp: {nakMarks: false}\n' +
    'switch: {buffer: {kind: shared-buffer, egressPool: shared, headroomLast: off}}\n'
  const now = 'switch: {buffer: shared-buffer}\n'
  expect(parseScenario(SMALL + before)).toEqual(parseScenario(SMALL + now))
  const workload = (qp: string): unknown =>
    parseScenario(`name: mixed\ntopology: star\nworkload: [{kind: permutation, qp: {${qp}}}]\n`)
  expect(workload('ackInterval: 1, nakMarks: false')).toEqual(workload('ackInterval: 1'))
})
