import { expect, test } from 'vitest'
import { InputError } from '../../base/issue.ts'
import { exampleResult } from '../example.test-data.ts'
import { resultFiles } from '../files.ts'
import { readCost, readHead } from './head.ts'

type Tree = Record<string, unknown>

const text = new TextDecoder().decode(
  resultFiles(exampleResult(), { scenarioText: '' }).find(({ path }) => path === 'result.json')?.data,
)
const whole = JSON.parse(text) as Tree

/** The text with another value of a field such as "counters.drops"; undefined: without it. */
function withValue(at: string, value: unknown): string {
  const tree = structuredClone(whole)
  const names = at.split('.')
  const parent = names.slice(0, -1).reduce((part, name) => part[name] as Tree, tree)
  if (value === undefined) delete parent[names.at(-1)!]
  else parent[names.at(-1)!] = value
  return JSON.stringify(tree)
}

const fields = [...Object.keys(whole), ...Object.keys(whole['counters'] as Tree).map((name) => `counters.${name}`)]

/** Messages of the mistakes of a text, or the head. */
function outcomeOf(given: string): unknown {
  try {
    return readHead(given)
  } catch (error) {
    return error instanceof InputError ? error.message : error
  }
}

test('a head is read as it was written', () => {
  const { flows: _, series, ...rest } = exampleResult()
  expect(readHead(text)).toEqual({
    head: rest,
    series: series.map(({ name }) => name),
    flowRows: 'all',
    kinds: series.map(({ kind }) => kind),
    attachments: [],
  })
})

test.each([
  ['a list of lists', [[]]],
  ['a number below zero', -0.5],
  ['an object', { a: 'x' }],
])('a head with %s in the place of a field is refused with its name', (_, value) => {
  expect(fields.length).toBeGreaterThan(30)
  const times = ['simulatedPs', 'stalledFromPs', 'windowFromPs', 'windowToPs', 'windowPayloadBytes']
  // An object of any fields is the scenario of some version.
  const taken = typeof value === 'number' ? times : Array.isArray(value) ? [] : ['scenario']
  for (const field of fields.filter((name) => !taken.includes(name))) {
    expect(outcomeOf(withValue(field, value)), field).toContain(
      field === 'schemaVersion' ? 'result.json: expected schemaVersion 1' : `result.json: ${field}`,
    )
  }
})

test('fields of later versions may be missing, and others not', () => {
  const without = fields.filter((field) => typeof outcomeOf(withValue(field, undefined)) !== 'string')
  expect(without.toSorted()).toEqual([
    'counters.cnms',
    'counters.dataPacketsDropped',
    'counters.rnrNaks',
    'counters.trimmed',
    'counters.trimmedBytes',
    'kinds',
    'pauseCircle',
    'stalledFromPs',
    'unposted',
    'windowPayloadBytes',
    'windowPayloadBytesByTag',
  ])
})

test.each([['../x'], ['/etc/passwd'], ['a/b'], ['.hidden'], ['']])('an attachment is no file called %j', (name) => {
  expect(outcomeOf(withValue('attachments', [name]))).toContain('result.json: attachments[0]')
})

test('observers of the scenario have kinds', () => {
  for (const observe of [null, {}, [null], [{}], [{ kind: 1 }]]) {
    expect(outcomeOf(withValue('scenario', { observe }))).toContain('result.json: scenario.observe')
  }
})

test('each table has a name of its own', () => {
  expect(outcomeOf(withValue('series', ['a', 'b', 'a']))).toContain('result.json: series')
})

test('a cost is three numbers', () => {
  const cost = { cpuSeconds: 1, wallSeconds: 2, peakRssBytes: 3 }
  expect(readCost(JSON.stringify(cost))).toEqual(cost)
  for (const bad of ['', 'null', '[]', '{}', JSON.stringify({ ...cost, wallSeconds: '2' })]) {
    expect(() => readCost(bad)).toThrow(InputError)
  }
})
