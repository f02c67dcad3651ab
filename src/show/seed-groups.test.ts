import { expect, test } from 'vitest'
import { exampleResult } from '../core/results/example.test-data.ts'
import type { Result } from '../core/results/index.ts'
import { overSeeds, seedGroups } from './seed-groups.ts'

function run(label: string, seed: number, more: Partial<Result> = {}) {
  const scenario = { name: 'incast', seed, congestion: 'dcqcn' }
  return { label, result: { ...exampleResult(), name: 'incast', seed, scenario, ...more } }
}
const labelsOf = (runs: readonly ReturnType<typeof run>[]) =>
  seedGroups(runs).map(({ label, runs: own }) => [label, own.map((one) => one.label)])

test('results that differ in the seed alone are one group, in the place of the first', () => {
  const other = run('none', 1, { scenario: { name: 'incast', seed: 1, congestion: 'none' } })
  expect(labelsOf([run('dcqcn-1', 1), other, run('dcqcn-2', 2)])).toEqual([
    ['dcqcn, 2 seeds', ['dcqcn-1', 'dcqcn-2']],
    ['none', ['none']],
  ])
})

test('one result keeps its label, and so do two with the same seed', () => {
  expect(labelsOf([run('a', 1)])).toEqual([['a', ['a']]])
  expect(labelsOf([run('a', 1), run('b', 1)])).toEqual([
    ['a', ['a']],
    ['b', ['b']],
  ])
})

test('interrupted runs and other versions stay apart', () => {
  const runs = [run('a', 1), run('b', 2, { partial: true }), run('c', 3, { version: '0.0.1' })]
  expect(seedGroups(runs)).toHaveLength(3)
})

test.each([
  [['incast-s1-0123abcd', 'incast-s12-89abcdef'], 'incast, 2 seeds'],
  [['pfc seed 1', 'pfc seed 2'], 'pfc, 2 seeds'],
  [['s1', 's2', 's3'], 'incast, 3 seeds'],
  [['a', 'b'], 'incast, 2 seeds'],
])('labels %j are called %s', (labels, name) => {
  expect(seedGroups(labels.map((label, i) => run(label, i)))[0]!.label).toBe(name)
})

test('groups that would have one name have the label of their first result', () => {
  const slow = (label: string, seed: number) => run(label, seed, { scenario: { name: 'incast', seed, load: 0.1 } })
  expect(seedGroups([run('a', 1), run('b', 2), slow('c', 1), slow('d', 2)]).map(({ label }) => label)).toEqual([
    'a, 2 seeds',
    'c, 2 seeds',
  ])
})

test('values of seeds have a mean and an interval, one alone has none, one without end has no mean', () => {
  expect(overSeeds([3])).toEqual({ value: 3 })
  const { value, low, high } = overSeeds([1, 2, NaN, 3])
  // Student's t for two degrees of freedom, over the root of three.
  expect(value).toBe(2)
  expect(high! - value).toBeCloseTo(4.30265273 / Math.sqrt(3), 6)
  expect(value - low!).toBeCloseTo(4.30265273 / Math.sqrt(3), 6)
  expect(overSeeds([1, Infinity])).toEqual({ value: Infinity })
  expect(overSeeds([NaN]).value).toBeNaN()
})
