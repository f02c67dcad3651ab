import { expect, test } from 'vitest'
import { InputError } from '../core/base/issue.ts'
import { formatScenario, parseScenario, scenarioOf } from '../lab/scenario/index.ts'
import { cdf, meanBytes, readCdf } from './cdf.ts'
import { found } from './findings.test-bench.ts'
import { sample } from './samples.test-files.ts'
import { ImportLog } from './text-input.ts'

const read = (text: string) => {
  const log = new ImportLog()
  const points = readCdf('a.txt', text, log)
  log.stopIfAny()
  return { points: points.map((point) => [point.sizeBytes, point.percent]), findings: log.findings }
}
const importing = (path: string, options: Record<string, string> = {}) => cdf.import(sample(path, options))

test('the last row decides whether shares are percent or fractions', () => {
  expect(read('0 0\n1000 22.0705\n9000 100\n').points).toEqual([
    [0, 0],
    [1000, 22.0705],
    [9000, 100],
  ])
  expect(read('0 0\n1000 0.07\n9000 1\n').points[1]).toEqual([1000, 7])
  expect(() => read('0 0\n1000 0.5\n9000 99\n')).toThrow(
    'a.txt:3:6: cumulative: expected 100 (percent) or 1 (fractions)',
  )
})

test('redundant rows are left out, with a note', () => {
  const { points, findings } = read('# sizes\n0 0\n100 0\n1000 0.5\n1000 0.5\n4000 1\n')
  expect(points).toEqual([
    [100, 0],
    [1000, 50],
    [4000, 100],
  ])
  const at = (line: number) => ({ file: 'a.txt', line })
  expect(findings).toContainEqual(found('row-left-out', { otherLine: 2, leastBytes: 100 }, at(3)))
  expect(findings).toContainEqual(found('row-left-out', { otherLine: 4, leastBytes: null }, at(5)))
})

test('a step at one size and a gap of one share are kept, also where all flows have one size', () => {
  expect(read('100 0\n3300 0.30\n3300 0.45\n50000 0.45\n1000000 1\n').points).toEqual([
    [100, 0],
    [3300, 30],
    [3300, 45],
    [50_000, 45],
    [1_000_000, 100],
  ])
  const { scenario, findings } = cdf.import(sample('fixed.txt', {}, { 'fixed.txt': '40000 0\n40000 1\n' }))
  expect(findings).toContainEqual(found('mean-flow-size', { meanBytes: 40_000 }))
  const values = scenarioOf(scenario)
  expect(values.workload[0]).toMatchObject({ sizes: { points: ['40KB 0', '40KB 100'] } })
  expect(parseScenario(formatScenario(values))).toEqual(values)
})

test('impossible rows are all reported at once', () => {
  const wrong = (text: string): string => {
    try {
      read(text)
    } catch (error) {
      if (error instanceof InputError) return error.message
      throw error
    }
    return 'none'
  }
  expect(wrong('0 0\n500 0.6\n400 0.7\n700 0.5\n700 0.9\n800 0.9\n900 1\n').split('\n')).toHaveLength(2)
  expect(wrong('0 0.1\n900 1\n')).toContain('0 in the first row')
  expect(wrong('0 0\n')).toContain('at least two rows')
  expect(wrong('0 0\nlots 1\n5 6 7\n-1 2\n9 101')).toMatch(
    /"lots 1"[\s\S]*"5 6 7"[\s\S]*received -1[\s\S]*received 101/,
  )
})

test('the mean assumes straight lines between the points', () => {
  expect(
    meanBytes([
      { sizeBytes: 0, percent: 0 },
      { sizeBytes: 1000, percent: 50 },
      { sizeBytes: 3000, percent: 100 },
    ]),
  ).toBe(1250)
})

test('the importer chooses the rest of the scenario; hosts and load are options', () => {
  const { scenario, findings } = importing('percent.txt')
  expect(scenario).toMatchObject({ topology: { kind: 'star', hosts: 16 }, workload: [{ kind: 'poisson', load: 0.5 }] })
  expect(findings).toContainEqual(found('mean-flow-size', { meanBytes: 3000 }))
  expect(importing('fractions.txt', { hosts: '4', load: '0.8' }).scenario).toMatchObject({
    topology: { hosts: 4 },
    workload: [{ load: 0.8 }],
  })
  expect(() => importing('percent.txt', { hosts: '1', load: '7' })).toThrow(
    /hosts: expected 2 to 8192[\s\S]*load: expected/,
  )
  expect(() => importing('percent.txt', { hosts: '2.5' })).toThrow('a whole number')
  expect(() => importing('missing.txt')).toThrow('no such file')
})
