import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RunJson } from '../../src/results/index.ts'
import { createFolder, ENDLESS, rocelab, startRocelab, underWay, until } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'endless.yaml': ENDLESS })
})
afterEach(() => at.clear())

test('Ctrl-C ends a run with a whole result that says it is partial', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out', '--json')
  await underWay(child)
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('stopping') as string })
  const json = JSON.parse(stdout) as RunJson
  expect(json).toMatchObject({ partial: true, flows: { finished: 0, unfinished: 8 } })
  expect(json.packetHops).toBeGreaterThan(0)
  expect(JSON.parse(readFileSync(path.join(at.folder, 'out', 'summary.json'), 'utf8'))).toMatchObject({ partial: true })
  expect(rocelab(at.folder, 'compare', 'out', 'out').stdout).toMatch(/flows unfinished +A 0, B 0, both 8/)
})

test('a termination ends it the same way with its own code', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out', '--quiet')
  await underWay(child)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 143, stdout: 'out\n' })
})

test.skipIf(process.platform === 'win32')('a terminal that goes away ends it the same way', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out', '--quiet')
  await underWay(child)
  child.kill('SIGHUP')
  expect(await ended).toMatchObject({ code: 129, stdout: 'out\n' })
})

test('two signals of one key press are one, and the result is whole', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out', '--quiet')
  await underWay(child)
  child.kill('SIGINT')
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  expect(existsSync(path.join(at.folder, 'out', 'digest.txt'))).toBe(true)
})

test('a run that is killed leaves nothing under the name of its result', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out')
  await underWay(child)
  child.kill('SIGKILL')
  await ended
  expect(readdirSync(at.folder)).toEqual(['endless.yaml'])
})

test('a sweep that is interrupted keeps its points and says how to go on', async () => {
  const args = ['sweep', 'endless.yaml', '--param', 'workload.0.messageSize=10KB,1GB', '--jobs', '1', '--out', 'out']
  const small = ['--set', 'workload.0.messages=1', '--set', 'measure.stop=9000s']
  const { child, ended } = startRocelab(at.folder, ...args, ...small)
  await until(() => existsSync(path.join(at.folder, 'out', 'points.jsonl')) && logged() === 1)
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  expect(code).toBe(130)
  expect(stderr).toContain('1 of 2 points finished; the same command does the others')
  expect(stdout).toMatch(/10KB +1 /)
  expect(stdout).toMatch(/1GB +0 /)
})

function logged(): number {
  return readFileSync(path.join(at.folder, 'out', 'points.jsonl'), 'utf8').split('\n').length - 1
}
