/**
 * The first minute: `rocelab` alone prints help and leaves nothing behind, `rocelab tour` tells one incident whose remedy
 * cures it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exactCount } from '../../src/core/base/format.ts'
import type { RunJson, WhyJson } from '../../src/core/results/index.ts'
import { createFolder, rocelab } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder()
})
afterAll(() => at.clear())

test('without a command, help is printed and nothing written', () => {
  const alone = rocelab(at.folder)
  expect(alone).toEqual(rocelab(at.folder, '--help'))
  expect(alone.code).toBe(0)
  expect(alone.stdout).toContain('rocelab tour')
  expect(readdirSync(at.folder)).toEqual([])
})

test('the tour runs the remedy that the explanation names, which helps, and shows numbers of both', () => {
  const { code, stdout, stderr } = rocelab(at.folder, 'tour')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const summaryOf = (name: string): RunJson =>
    JSON.parse(readFileSync(path.join(at.folder, 'results/tour', name, 'summary.json'), 'utf8')) as RunJson
  const [broken, cured] = ['broken', 'cured'].map(summaryOf) as [RunJson, RunJson]
  expect(cured.flows.finished).toBeGreaterThan(5 * broken.flows.finished)
  for (const { flows } of [broken, cured])
    expect(stdout).toContain(` ${exactCount(flows.finished)} of ${exactCount(flows.finished + flows.unfinished)}`)
  const { causes, remedies } = JSON.parse(
    readFileSync(path.join(at.folder, 'results/tour/broken/why.json'), 'utf8'),
  ) as WhyJson
  expect(causes[0]!.suspects).toMatchObject([{ kind: 'pause-storm', device: 'host 0' }])
  expect(stdout).toContain(`: ${remedies[0]!.sets.join(' ')}\n`)
  const page = /^page +(\S+)$/m.exec(stdout)![1]!
  expect(readFileSync(path.join(at.folder, page), 'utf8')).toContain('<!doctype html>')
  expect(existsSync(path.join(at.folder, 'results/tour/cured/digest.txt'))).toBe(true)
})

test('a second tour replaces the first, and no folder of others', () => {
  expect(rocelab(at.folder, 'tour', '--quiet').code).toBe(0)
  expect(readdirSync(path.join(at.folder, 'results/tour')).toSorted()).toEqual(['broken', 'cured', 'report.html'])
  const other = createFolder({ 'results/tour/broken/notes.txt': 'mine' })
  expect(rocelab(other.folder, 'tour').code).toBe(2)
  expect(readdirSync(path.join(other.folder, 'results/tour/broken'))).toEqual(['notes.txt'])
  other.clear()
})
