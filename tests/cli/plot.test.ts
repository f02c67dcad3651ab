import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, rocelab } from './program.ts'

let at: ReturnType<typeof createFolder>
const svg = (...names: string[]): string => readFileSync(path.join(at.folder, ...names), 'utf8')

beforeAll(() => {
  at = createFolder({
    'lesson.yaml': `
name: lesson
topology: {kind: star, hosts: 12, linkRate: 100Gbps, linkDelay: 1us}
congestion: dcqcn
workload:
  - {kind: incast, senders: 4, receiver: 4, sizeEach: 500KB, tag: crowd}
  - {kind: closed-loop, pairs: ["0 5"], messageSize: 10KB, messages: 5, tag: few}
observe: [{kind: queue-depth, interval: 2us}, rates, {kind: goodput, interval: 10us}, {kind: pair-goodput, interval: 20us}, {kind: link-use, interval: 10us}]
`,
    'bare.yaml':
      'name: bare\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: incast, senders: 2}]\nmeasure: {stop: 1ns}\n',
  })
  rocelab(at.folder, 'run', 'lesson.yaml', '--out', 'a', '--quiet')
  rocelab(at.folder, 'run', 'lesson.yaml', '--out', 'b', '--quiet', '--set', 'congestion=none')
  rocelab(at.folder, 'run', 'bare.yaml', '--out', 'bare', '--quiet')
})
afterAll(() => at.clear())

test('one result: spreads by tag, and every observer over time', () => {
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'a')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const figures = ['completion', 'slowdown', 'queue-depth', 'rates', 'goodput', 'pair-goodput', 'link-use']
  const names = figures.map((name) => `${name}.svg`)
  expect(stdout.trim().split('\n')).toEqual(names.map((name) => path.join('plots', name)))
  expect(readdirSync(path.join(at.folder, 'plots')).toSorted()).toEqual(names.toSorted())
  for (const word of ['>crowd<', '>few<']) expect(svg('plots', 'slowdown.svg')).toContain(word)
  expect(svg('plots', 'rates.svg')).toMatch(/>\d &gt; 4 QP \d</)
  expect(svg('plots', 'rates.svg')).toContain('>rate (Gb/s)<')
  expect(svg('plots', 'pair-goodput.svg')).toMatch(/>0 &gt; 5 QP \d</)
  // Twelve links with two ends each, of which the busiest are shown.
  expect(svg('plots', 'link-use.svg')).toMatch(/the 8 of \d\d that reach highest/)
  expect(svg('plots', 'link-use.svg')).toContain('>switch port 5<')
})

test('two results share each figure, under their own names', () => {
  const { code, stdout } = rocelab(at.folder, 'plot', 'a', 'b', '--out', 'both', '--json')
  expect(code).toBe(0)
  const { files } = JSON.parse(stdout) as { files: string[] }
  expect(files).toContain(path.join('both', 'goodput.svg'))
  for (const label of ['>a: all together<', '>b: all together<']) expect(svg('both', 'goodput.svg')).toContain(label)
})

test('figures that are there are not replaced unasked', () => {
  rocelab(at.folder, 'plot', 'a', '--out', 'twice')
  const before = svg('twice', 'rates.svg')
  const again = rocelab(at.folder, 'plot', 'b', '--out', 'twice')
  expect(again).toMatchObject({ code: 2, stdout: '' })
  expect(again.stderr).toMatch(/^twice: expected a folder without these figures, received completion.svg, .*--force/)
  expect(svg('twice', 'rates.svg')).toBe(before)
  expect(rocelab(at.folder, 'plot', 'b', '--out', 'twice', '--force').code).toBe(0)
})

test('what is no result is told, all at once', () => {
  const { code, stderr } = rocelab(at.folder, 'plot', 'a', 'nope', 'lesson.yaml', '--out', 'none')
  expect(code).toBe(2)
  expect(stderr).toMatch(/^nope: expected a result folder, .*\nlesson.yaml: expected a result folder/)
  expect(existsSync(path.join(at.folder, 'none'))).toBe(false)
})

test('a result with nothing to draw says so', () => {
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'bare', '--out', 'empty')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toContain('nothing to draw')
})
