import { describe, expect, test } from 'vitest'
import { exampleResult } from '../example.test-data.ts'
import { hasShape } from '../../base/shape.ts'
import { runJsonShape } from './run-json.ts'
import { runJson, summarize } from '../summary.ts'

const isRunJson = (value: unknown): boolean => hasShape(runJsonShape, value)

type Tree = Readonly<Record<string, unknown>>

const result = exampleResult()
/** As it comes back from a file. */
const whole = JSON.parse(JSON.stringify(runJson(result, summarize(result)))) as Tree

/** The summary with another value at a path such as "flows.finished"; undefined: without the field. */
function withValue(path: string, value: unknown, tree: Tree = whole): Tree {
  const [name = '', ...rest] = path.split('.')
  if (rest.length > 0) return { ...tree, [name]: withValue(rest.join('.'), value, tree[name] as Tree) }
  const { [name]: _, ...others } = tree
  return value === undefined ? others : { ...others, [name]: value }
}

/** Paths of all fields that stand in the type; counts by name are one field. */
const BY_NAME = ['unfinishedReasons', 'unacknowledgedReasons', 'unpostedReasons', 'drops', 'pausedPs', 'timeouts']
const GROUPS = ['flows', 'slowdown', 'completionPs']
const paths = Object.entries(whole).flatMap(([name, value]) =>
  GROUPS.includes(name) ? [name, ...Object.keys(value as Tree).map((inner) => `${name}.${inner}`)] : [name],
)

describe('a summary that was read', () => {
  test('is one as it was written', () => {
    expect(isRunJson(whole)).toBe(true)
    expect(paths.length).toBeGreaterThan(40)
  })

  test('is none without one of its fields', () => {
    expect(paths.filter((path) => isRunJson(withValue(path, undefined)))).toEqual([])
  })

  test('is none with a list, a text of another kind or a flag of another kind in the place of a field', () => {
    for (const value of [[], ['x'], {}.constructor.name, Infinity, NaN, undefined]) {
      const taken = paths.filter((path) => isRunJson(withValue(path, value)))
      expect(taken).toEqual(typeof value === 'string' ? ['version', 'name'] : [])
    }
    expect(paths.filter((path) => isRunJson(withValue(path, true)))).toEqual(['partial'])
  })

  test('is none when it is no object', () => {
    for (const value of [undefined, null, 1, 'text', [], [whole]]) expect(isRunJson(value)).toBe(false)
  })

  test('counts in whole numbers from 0 on', () => {
    const counts = paths.filter((path) => isRunJson(withValue(path, 0)))
    expect(counts).toContain('flows.unfinished')
    expect(counts).toContain('cnps')
    const allow = (value: unknown): string[] => counts.filter((path) => isRunJson(withValue(path, value)))
    const measures = allow(0.5)
    expect(measures).toEqual(expect.arrayContaining(['simulatedPs', 'goodputBps', 'slowdown.p99', 'cpuSeconds']))
    expect(measures).not.toContain('seed')
    expect(measures).not.toContain('flows.unfinished')
    expect(allow(null)).toEqual(measures)
    expect(allow(-1)).toEqual(measures)
    expect(allow(2 ** 53)).toEqual(measures)
  })

  test.each(BY_NAME)('has %s as numbers by name', (path) => {
    expect(isRunJson(withValue(path, {}))).toBe(true)
    expect(isRunJson(withValue(path, { one: 0, other: 3 }))).toBe(true)
    for (const value of [null, 'x', undefined, Infinity]) {
      expect(isRunJson(withValue(path, { one: value === undefined ? [] : value, other: 3 }))).toBe(false)
    }
    expect(isRunJson(withValue(path, null))).toBe(false)
    // Times may have parts of a picosecond, counts none of what they count.
    expect(isRunJson(withValue(path, { one: 1.5, other: 3 }))).toBe(path === 'pausedPs')
  })

  test('has a digest of sixteen hex digits and the schema of this program', () => {
    for (const digest of ['0123456789abcde', '0123456789abcdef0', '0123456789ABCDEF', 'x0123456789abcdef', 1]) {
      expect(isRunJson(withValue('digest', digest))).toBe(false)
    }
    expect(isRunJson(withValue('schemaVersion', 2))).toBe(false)
  })

  test('has a circle of pauses, or null', () => {
    expect(isRunJson(withValue('pauseCircle', { nodes: ['s0', 's1'], trafficClass: 3, sincePs: 7 }))).toBe(true)
    expect(isRunJson(withValue('pauseCircle', null))).toBe(true)
    for (const value of ['x', 1, [], {}, { nodes: [1], trafficClass: 3, sincePs: 7 }])
      expect(isRunJson(withValue('pauseCircle', value))).toBe(false)
  })
})
