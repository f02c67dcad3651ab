import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, rocelab, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
const file = (...names: string[]): string => path.join(at.folder, ...names)

beforeAll(() => {
  at = createFolder({ 'small.yaml': SMALL })
  const axes = ['--param', 'congestion=none,dcqcn', '--param', 'workload.0.senders=1,2,4']
  rocelab(at.folder, 'sweep', 'small.yaml', ...axes, '--seeds', '3', '--out', 'sweep', '--quiet')
  rocelab(at.folder, 'run', 'small.yaml', '--out', 'one', '--quiet')
})
afterAll(() => at.clear())

test('a sweep is drawn from its table, one figure a metric', () => {
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'sweep')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const names = stdout.trim().split('\n')
  expect(names).toContain(path.join('plots', 'slowdown-p999.svg'))
  expect(names).toContain(path.join('plots', 'ecn-marks.svg'))
  expect(names.filter((name) => name.includes('drops'))).toEqual([])
  const svg = readFileSync(file('plots', 'slowdown-mean.svg'), 'utf8')
  for (const label of ['none', 'dcqcn', 'workload.0.senders', 'slowdown']) expect(svg).toContain(`>${label}</text>`)
  // Two lines of three points each, and each marker once more in the legend: the first has circles, the second squares.
  expect([...svg.matchAll(/<circle/g)]).toHaveLength(3 + 1)
  expect([...svg.matchAll(/stroke-width="2"/g)].length).toBeGreaterThanOrEqual(2)
})

test('a sweep whose points were all stopped says why nothing is drawn', () => {
  const limited = ['--point-limit', '10hops', '--out', 'stopped', '--quiet']
  rocelab(at.folder, 'sweep', 'small.yaml', '--param', 'workload.0.senders=1,2', ...limited)
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'stopped', '--out', 'none')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toBe('rocelab: nothing to draw of this sweep: all its points were stopped at --point-limit\n')
})

test('a sweep is drawn alone', () => {
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'sweep', 'one', '--out', 'both')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe('sweep: expected a sweep alone, received 1 more beside it (draw each on its own)\n')
  expect(existsSync(file('both'))).toBe(false)
})

test('a table that is none of a sweep is told as such', () => {
  const broken = createFolder({ 'a/sweep.json': '{"schemaVersion": 1, "rows": []', 'b/sweep.json': '{"rows": [3]}' })
  try {
    for (const name of ['a', 'b']) {
      const { code, stderr } = rocelab(broken.folder, 'plot', name)
      expect(code).toBe(2)
      expect(stderr).toContain(`${name}/sweep.json: expected the table of a sweep, received something else (the same`)
    }
  } finally {
    broken.clear()
  }
})

test('an interrupted sweep says that it is one', () => {
  const json = JSON.parse(readFileSync(file('sweep', 'sweep.json'), 'utf8')) as object
  const partial = createFolder({ 'cut/sweep.json': JSON.stringify({ ...json, partial: true }) })
  try {
    expect(rocelab(partial.folder, 'plot', 'cut').stderr).toBe('rocelab: cut is partial: the sweep was interrupted\n')
  } finally {
    partial.clear()
  }
})
