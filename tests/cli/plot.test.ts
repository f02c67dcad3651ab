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
observe: [{kind: queue-depth, interval: 2us}, rates, {kind: goodput, interval: 10us}, {kind: pair-goodput, interval: 20us}, {kind: link-use, interval: 10us}, pause-intervals]
`,
    'quiet.yaml':
      'name: quiet\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: incast, senders: 2}]\nobserve: [pause-log, drops]\n',
    'bare.yaml':
      'name: bare\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: incast, senders: 2}]\nmeasure: {stop: 1ns}\n',
  })
  rocelab(at.folder, 'run', 'lesson.yaml', '--out', 'a', '--quiet')
  rocelab(at.folder, 'run', 'lesson.yaml', '--out', 'b', '--quiet', '--set', 'congestion=none')
  rocelab(at.folder, 'run', 'bare.yaml', '--out', 'bare', '--quiet')
})
afterAll(() => at.clear())

test('one result: distributions by tag, and every observer over time', () => {
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'a')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const spreads = ['completion', 'completion-tail', 'slowdown', 'slowdown-tail']
  const observed = [
    'queue-depth',
    'queue-depth-cdf',
    'rates',
    'rates-rtt',
    'rates-cnps',
    'goodput',
    'pair-goodput',
    'link-use',
    'pauses',
  ]
  const totals = ['goodput-by-tag', 'fairness-by-tag']
  const figures = [...spreads, ...totals, ...observed]
  const names = figures.map((name) => `${name}.svg`)
  expect(stdout.trim().split('\n')).toEqual(names.map((name) => path.join('a', 'plots', name)))
  expect(readdirSync(path.join(at.folder, 'a', 'plots')).toSorted()).toEqual(names.toSorted())
  for (const word of ['>crowd<', '>few<']) expect(svg('a', 'plots', 'slowdown.svg')).toContain(word)
  expect(svg('a', 'plots', 'rates.svg')).toMatch(/>\d &gt; 4 QP \d</)
  expect(svg('a', 'plots', 'rates.svg')).toContain('>rate (Gb/s)<')
  expect(svg('a', 'plots', 'pair-goodput.svg')).toMatch(/>0 &gt; 5 QP \d</)
  expect(svg('a', 'plots', 'queue-depth.svg')).toContain('>busiest port</text>')
  // Twelve links with two ends each, of which the busiest are shown.
  expect(svg('a', 'plots', 'link-use.svg')).toMatch(/8 of \d\d lines: the highest peaks/)
  expect(svg('a', 'plots', 'link-use.svg')).toContain('>switch port 5<')
})

test('two results share each figure, labelled with their names', () => {
  const { code, stdout } = rocelab(at.folder, 'plot', 'a', 'b', '--out', 'both', '--json')
  expect(code).toBe(0)
  const { files } = JSON.parse(stdout) as { files: string[] }
  expect(files).toContain(path.join('both', 'goodput.svg'))
  for (const label of ['>a: all together<', '>b: all together<']) expect(svg('both', 'goodput.svg')).toContain(label)
})

test('figures in the folder of their result are replaced, and those of several results have a folder', () => {
  expect(rocelab(at.folder, 'plot', 'b').code).toBe(0)
  const first = svg('b', 'plots', 'rates.svg')
  expect(rocelab(at.folder, 'plot', 'b', '--title', 'Another')).toMatchObject({ code: 0, stderr: '' })
  expect(svg('b', 'plots', 'rates.svg')).not.toBe(first)
  expect(rocelab(at.folder, 'plot', 'a', 'b').stdout).toContain(path.join('plots', 'goodput.svg'))
  expect(rocelab(at.folder, 'explain', 'b', '--quiet').code).toBe(0)
  expect(rocelab(at.folder, 'run', 'lesson.yaml', '--out', 'b', '--quiet', '--force').code).toBe(0)
})

test('existing figures are not replaced without --force', () => {
  rocelab(at.folder, 'plot', 'a', '--out', 'twice')
  const before = svg('twice', 'rates.svg')
  const again = rocelab(at.folder, 'plot', 'b', '--out', 'twice')
  expect(again).toMatchObject({ code: 2, stdout: '' })
  expect(again.stderr).toMatch(/^twice: expected a folder without these figures, received completion.svg, .*--force/)
  expect(svg('twice', 'rates.svg')).toBe(before)
  expect(rocelab(at.folder, 'plot', 'b', '--out', 'twice', '--force').code).toBe(0)
})

test('arguments that are not results are reported, all at once', () => {
  const { code, stderr } = rocelab(at.folder, 'plot', 'a', 'nope', 'lesson.yaml', '--out', 'none')
  expect(code).toBe(2)
  expect(stderr).toMatch(/^nope: expected a result folder, .*\nlesson.yaml: expected a result folder/)
  expect(existsSync(path.join(at.folder, 'none'))).toBe(false)
})

test('slowdown by size and by tag can be added to the other figures', () => {
  rocelab(at.folder, 'plot', 'a', '--out', 'by')
  const one = rocelab(at.folder, 'plot', 'a', '--out', 'by', '--by', 'size')
  expect({ code: one.code, stdout: one.stdout }).toEqual({
    code: 0,
    stdout: `${path.join('by', 'slowdown-by-size.svg')}\n`,
  })
  expect(svg('by', 'slowdown-by-size.svg')).toContain('>one bin of 9 flows; 9 measured flows, all finished; a p95')
  const two = rocelab(at.folder, 'plot', 'a', 'b', '--out', 'by', '--by', 'tag', '--json')
  const { files } = JSON.parse(two.stdout) as { files: string[] }
  // Nine flows have no p95 and no p99.
  expect(files).toEqual([path.join('by', 'slowdown-by-tag-p50.svg')])
  for (const word of ['>crowd<', '>few<', '>a<', '>b<']) expect(svg('by', 'slowdown-by-tag-p50.svg')).toContain(word)
})

/** Width and height of a PNG file, from its header. */
function pixelsOf(file: string): number[] {
  const bytes = readFileSync(path.join(at.folder, file))
  expect([...bytes.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

test('title, size and format can be set', () => {
  const asked = ['--by', 'size', '--title', 'Fast & slow', '--size', '640x400']
  expect(rocelab(at.folder, 'plot', 'a', '--out', 'own', ...asked).code).toBe(0)
  expect(svg('own', 'slowdown-by-size.svg')).toMatch(/^<svg [^>]*width="640" height="400"/)
  expect(svg('own', 'slowdown-by-size.svg')).toContain('>Fast &amp; slow</text>')
  const { code, stdout } = rocelab(at.folder, 'plot', 'a', '--out', 'own', ...asked, '--format', 'png')
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${path.join('own', 'slowdown-by-size.png')}\n` })
  expect(pixelsOf('own/slowdown-by-size.png')).toEqual([1280, 800])
})

test('a bad size is reported before anything is drawn', () => {
  for (const size of ['800', '800x', '10x10', '99999x10', 'axb']) {
    const { code, stderr } = rocelab(at.folder, 'plot', 'a', '--out', 'sized', '--size', size)
    expect(code).toBe(2)
    expect(stderr).toContain('expected WIDTHxHEIGHT in pixels, each from 240 to 8000, such as 800x450')
  }
  expect(existsSync(path.join(at.folder, 'sized'))).toBe(false)
})

test('results in folders with equal names have different labels', () => {
  rocelab(at.folder, 'run', 'lesson.yaml', '--out', 'deep/a', '--quiet')
  expect(rocelab(at.folder, 'plot', 'a', 'deep/a', '--out', 'namesakes').code).toBe(0)
  for (const label of ['>a: busiest port<', '>deep/a: busiest port<']) {
    expect(svg('namesakes', 'queue-depth.svg')).toContain(label)
  }
})

test('a result with nothing to draw is reported', () => {
  const { code, stdout, stderr } = rocelab(at.folder, 'plot', 'bare', '--out', 'empty')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toContain('no completion times to draw: no measured flow finished')
  expect(stderr).toContain('no observations to draw')
})

test('observers that have no figure over time are not reported as missing', () => {
  rocelab(at.folder, 'run', 'quiet.yaml', '--out', 'quiet', '--quiet')
  const { code, stderr, stdout } = rocelab(at.folder, 'plot', 'quiet', '--out', 'quiet-plots')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.trim().split('\n')).toHaveLength(4)
})
