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

test('a sweep is drawn from its table, one figure per metric', () => {
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'sweep')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(rocelab(at.folder, 'plot', 'sweep').stdout).toBe(stdout)
  const names = stdout.trim().split('\n')
  expect(names).toContain(path.join('sweep', 'plots', 'slowdown-max.svg'))
  expect(names).toContain(path.join('sweep', 'plots', 'ecn-marks.svg'))
  expect(names.filter((name) => name.includes('drops'))).toEqual([])
  const svg = readFileSync(file('sweep', 'plots', 'slowdown-mean.svg'), 'utf8')
  for (const label of ['none', 'dcqcn', 'workload.0.senders', 'slowdown']) expect(svg).toContain(`>${label}</text>`)
  // Two lines of three points each, with circles and squares; the legend repeats each marker once.
  expect([...svg.matchAll(/<circle/g)]).toHaveLength(3 + 1)
  expect([...svg.matchAll(/stroke-width="2"/g)].length).toBeGreaterThanOrEqual(2)
})

test('for a sweep whose points were all stopped, the reason why nothing is drawn is reported', () => {
  const limited = ['--point-limit', '10hops', '--out', 'stopped', '--quiet']
  rocelab(at.folder, 'sweep', 'small.yaml', '--param', 'workload.0.senders=1,2', ...limited)
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'stopped', '--out', 'none')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toBe('rocelab: nothing to draw for this sweep: all its points were stopped at --point-limit\n')
})

test('a sweep cannot be drawn together with other results', () => {
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'sweep', 'one', '--out', 'both')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe('sweep: expected a sweep alone, received 1 more (draw each sweep separately)\n')
  expect(existsSync(file('both'))).toBe(false)
})

test('a file that is not the table of a sweep is reported', () => {
  const broken = createFolder({ 'a/sweep.json': '{"schemaVersion": 1, "rows": []', 'b/sweep.json': '{"rows": [3]}' })
  try {
    for (const name of ['a', 'b']) {
      const { code, stderr } = rocelab(broken.folder, 'plot', name)
      expect(code).toBe(2)
      expect(stderr).toMatch(new RegExp(`^${name}/sweep.json: .*repeat the sweep command`))
    }
  } finally {
    broken.clear()
  }
})

test('an interrupted sweep is reported as partial', () => {
  const json = JSON.parse(readFileSync(file('sweep', 'sweep.json'), 'utf8')) as object
  const partial = createFolder({ 'cut/sweep.json': JSON.stringify({ ...json, partial: true }) })
  try {
    expect(rocelab(partial.folder, 'plot', 'cut').stderr).toBe('rocelab: cut is partial: the sweep was interrupted\n')
  } finally {
    partial.clear()
  }
})
