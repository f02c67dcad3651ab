import { describe, expect, test } from 'vitest'
import { formatIssue, InputError } from '../../core/base/issue.ts'
import { livelock } from '../ms-scale/livelock.ts'
import { EarlierRuns, readEarlierRuns } from './earlier-runs.ts'
import type { Outcome, Point } from './plan.ts'
import { findingsHere, reportHere } from './run-here.test-run.ts'

const SCENARIO = livelock.plan.points('small', 1)[0]!.scenario

function pointsOf(conditions: readonly string[], seeds: readonly number[]): Point[] {
  return seeds.flatMap((seed) => conditions.map((which) => ({ at: { which }, seed, scenario: SCENARIO })))
}

function outcomesOf(points: readonly Point[]): Outcome[] {
  return points.map(({ at, seed }) => ({
    at,
    seed,
    digest: `d${seed}${at['which']}`,
    measures: { x: seed },
  }))
}

function linesOf(wrong: () => unknown): string[] {
  try {
    wrong()
  } catch (error) {
    if (error instanceof InputError) return error.issues.map(formatIssue)
    throw error
  }
  return []
}

describe('the points to run', () => {
  test('are all points in order if there are no earlier runs', () => {
    const points = pointsOf(['a', 'b'], [1, 2])
    const runs = new EarlierRuns(points, [])
    expect(runs.toRun).toEqual(points)
    expect(runs).toMatchObject({ count: 0, checkedCount: 0, seeds: [] })
  })

  test('are one in ten of three earlier seeds, then the two missing seeds', () => {
    const conditions = Array.from({ length: 18 }, (_, i) => `case ${i}`)
    const points = pointsOf(conditions, [1, 2, 3, 4, 5])
    const runs = new EarlierRuns(points, outcomesOf(points.slice(0, 54)))
    expect(runs).toMatchObject({ count: 54, checkedCount: 6, seeds: [1, 2, 3] })
    expect(runs.toRun).toHaveLength(6 + 36)
    expect(runs.toRun.slice(6)).toEqual(points.slice(54))
    const checked = runs.toRun.slice(0, 6)
    expect(checked.every((point) => points.indexOf(point) < 54)).toBe(true)
    expect(new Set(checked.map(({ at }) => at['which'])).size).toBe(6)
    expect(new Set(checked.map(({ seed }) => seed)).size).toBeGreaterThan(1)
    expect(new EarlierRuns(points, outcomesOf(points.slice(0, 54))).toRun).toEqual(runs.toRun)
  })

  test('include a single earlier run; earlier runs of other seeds are ignored', () => {
    const points = pointsOf(['a'], [2, 3])
    const runs = new EarlierRuns(points, outcomesOf(pointsOf(['a'], [1, 2])))
    expect(runs).toMatchObject({ count: 1, checkedCount: 1, seeds: [2] })
    expect(runs.toRun.map(({ seed }) => seed)).toEqual([2, 3])
    expect(runs.find(points[0]!)).toMatchObject({ digest: 'd2a', measures: { x: 2 } })
    expect(runs.find(points[1]!)).toBeUndefined()
  })
})

describe('an earlier run that is run again', () => {
  const points = pointsOf(['a', 'b'], [1])
  const [a, b] = outcomesOf(points) as [Outcome, Outcome]
  const runs = new EarlierRuns(points, [a, { ...b, measures: { x: NaN } }])

  test.each([
    ['is the same', a, []],
    ['measures nothing, as before', { ...b, measures: { x: NaN } }, []],
    ['measures what the earlier program did not', b, []],
    [
      'has other events',
      { ...a, digest: 'ff' },
      ['which a, seed 1: expected the events of this program, ff, received d1a'],
    ],
    ['has another measure', { ...a, measures: { x: 2 } }, ['which a, seed 1: expected x 2, received 1']],
    ['has one more', { ...a, measures: { x: 1, y: 3 } }, ['which a, seed 1: expected y 3, received no such column']],
  ] as const)('%s', (_, made, expected) => {
    const reported = linesOf(() => runs.check([made])).map((line) => line.replace(/ \(.*/, ''))
    expect(reported).toEqual(expected)
  })
})

test('unknown points and a run with two digests are reported, each with its line', () => {
  const points = pointsOf(['a', 'b'], [1])
  const [again] = outcomesOf(pointsOf(['a'], [1]))
  const wrong = [...outcomesOf(pointsOf(['a', 'c'], [1])), { ...again!, digest: 'other' }]
  expect(linesOf(() => new EarlierRuns(points, wrong)).map((line) => line.replace(/ \(.*/, ''))).toEqual([
    'expected a point of this experiment and size, received "which c"',
    `expected the digest it has above, ${again!.digest}, received seed 1 which a again, with other`,
  ])
})

test('a run that two reports share is taken once, from the first', () => {
  const points = pointsOf(['a', 'b'], [1])
  const [first] = outcomesOf(pointsOf(['a'], [1]))
  const earlier = new EarlierRuns(points, [first!, { ...first!, measures: { other: 1 } }])
  expect(earlier.count).toBe(1)
  expect(earlier.find(points[0]!)).toBe(first)
})

describe('the CSV of a report', () => {
  test('gives back the measures, and the same report can be made from it', async () => {
    const { files, findings } = await reportHere(livelock, 'small', [1])
    const csv = files.find(({ path }) => path === 'livelock.csv')!.text
    const earlier = livelock.ownRuns('small', readEarlierRuns(csv))
    const { outcomes } = findingsHere(livelock, 'small', [1])
    expect(earlier.map(({ at, seed, digest }) => ({ at, seed, digest }))).toEqual(
      outcomes.map(({ at, seed, digest }) => ({ at, seed, digest })),
    )
    for (const [i, { measures }] of outcomes.entries()) expect(earlier[i]!.measures).toMatchObject(measures)
    expect(livelock.findings('small', earlier)).toEqual(findings)
  })

  test.each([
    ['', 'expected a line of column names'],
    ['which,seed\na,1\n', 'none called digest'],
    ['seed,digest,x\n1,ff,3\n', 'none called axes'],
    ['which,seed,digest,x\n', 'no rows'],
    ['which,seed,digest,x\na,one,ff,3\n', 'expected integer in column seed'],
  ])('%j is none', (text, expected) => {
    expect(linesOf(() => readEarlierRuns(text)).join('\n')).toContain(expected)
  })
})
