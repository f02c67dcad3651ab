import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RunJson } from '../../src/core/results/index.ts'
import { createFolder, ENDLESS, rocelab, startRocelab, inFlight, until } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'endless.yaml': ENDLESS })
})
afterEach(() => at.clear())

test('Ctrl-C ends a run with a readable result that is marked partial', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out', '--json')
  await inFlight(child)
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('stopping') as string })
  const json = JSON.parse(stdout) as RunJson
  expect(json).toMatchObject({ partial: true, flows: { finished: 0, unfinished: 8 } })
  expect(json.packetHops).toBeGreaterThan(0)
  expect(JSON.parse(readFileSync(path.join(at.folder, 'out', 'summary.json'), 'utf8'))).toMatchObject({ partial: true })
  expect(rocelab(at.folder, 'compare', 'out', 'out').stdout).toMatch(/flows unfinished +A 0, B 0, both 8/)
})

test('SIGTERM ends a run the same way with its own exit code', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out', '--quiet')
  await inFlight(child)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 143, stdout: 'out\n' })
})

test.skipIf(process.platform === 'win32')('SIGHUP ends a run the same way', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out', '--quiet')
  await inFlight(child)
  child.kill('SIGHUP')
  expect(await ended).toMatchObject({ code: 129, stdout: 'out\n' })
})

test('two signals of one key press count as one, and the result is readable', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out', '--quiet')
  await inFlight(child)
  child.kill('SIGINT')
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  expect(existsSync(path.join(at.folder, 'out', 'digest.txt'))).toBe(true)
})

test('an interrupted run keeps an existing complete result, and reports the folder of its own', async () => {
  const small = ['run', 'endless.yaml', '--set', 'workload.0.messageSize=1KB', '--set', 'workload.0.messages=1']
  expect(rocelab(at.folder, ...small, '--out', 'out').code).toBe(0)
  const summaryIn = (folder: string): string => readFileSync(path.join(at.folder, folder, 'summary.json'), 'utf8')
  const whole = summaryIn('out')
  const interrupted = async (...args: string[]): Promise<string> => {
    const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out', '--force', ...args)
    await inFlight(child)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect(code).toBe(130)
    return stdout
  }
  expect(await interrupted()).toMatch(/\npartial result in out-partial; the complete one in out is kept\n$/)
  expect(summaryIn('out')).toBe(whole)
  expect(JSON.parse(summaryIn('out-partial'))).toMatchObject({ partial: true })
  // A partial result is replaced by another; a foreign folder is not.
  expect(await interrupted('--seed', '2', '--quiet')).toBe('out-partial\n')
  expect(JSON.parse(summaryIn('out-partial'))).toMatchObject({ partial: true, seed: 2 })
  rmSync(path.join(at.folder, 'out-partial', 'summary.json'))
  expect(JSON.parse(await interrupted('--json'))).toMatchObject({ partial: true, folder: 'out-partial-2' })
  expect(summaryIn('out')).toBe(whole)
  // A partial result may be replaced in its own folder.
  rocelab(at.folder, ...small, '--out', 'out-partial-2', '--force')
  expect(JSON.parse(summaryIn('out-partial-2'))).toMatchObject({ partial: false })
})

test('a killed run leaves no folder with the name of its result', async () => {
  const { child, ended } = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'out')
  await inFlight(child)
  child.kill('SIGKILL')
  await ended
  expect(readdirSync(at.folder)).toEqual(['endless.yaml'])
})

test('an interrupted sweep keeps its points and says how to resume', async () => {
  const args = ['sweep', 'endless.yaml', '--param', 'workload.0.messageSize=10KB,1GB', '--jobs', '1', '--out', 'out']
  const small = ['--set', 'workload.0.messages=1', '--set', 'measure.stop=9000s']
  const { child, ended } = startRocelab(at.folder, ...args, ...small)
  await until(() => existsSync(path.join(at.folder, 'out', 'points.jsonl')) && logged() === 1)
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  expect(code).toBe(130)
  expect(stderr).toContain('1 of 2 points finished; repeat the command to run the others')
  expect(stdout).toMatch(/10KB +1 /)
  expect(stdout).toMatch(/1GB +0 /)
})

test('tables of an interrupted sweep are written next to those of a complete one', async () => {
  const small = ['--set', 'workload.0.messages=1', '--set', 'measure.stop=9000s', '--jobs', '1', '--out', 'out']
  const sweepOf = (sizes: string): string[] => [
    'sweep',
    'endless.yaml',
    '--param',
    `workload.0.messageSize=${sizes}`,
    ...small,
  ]
  const read = (name: string): string => readFileSync(path.join(at.folder, 'out', name), 'utf8')
  expect(rocelab(at.folder, ...sweepOf('10KB')).code).toBe(0)
  const whole = [read('sweep.csv'), read('sweep.json')]
  const { child, ended } = startRocelab(at.folder, ...sweepOf('10KB,20KB,1GB'))
  await until(() => logged() === 2)
  child.kill('SIGINT')
  const { code, stderr } = await ended
  expect(code).toBe(130)
  expect(stderr).toContain(
    'their tables are sweep-partial.csv and sweep-partial.json in out; sweep.json there is from a',
  )
  expect([read('sweep.csv'), read('sweep.json')]).toEqual(whole)
  expect(JSON.parse(read('sweep-partial.json'))).toMatchObject({ partial: true })
  expect(read('sweep-partial.csv').trimEnd().split('\n')).toHaveLength(4)
  // Tables of a complete sweep replace all of them.
  expect(rocelab(at.folder, ...sweepOf('10KB,20KB')).code).toBe(0)
  expect(readdirSync(path.join(at.folder, 'out')).toSorted()).toEqual(['points.jsonl', 'sweep.csv', 'sweep.json'])
  expect(JSON.parse(read('sweep.json'))).toMatchObject({ partial: false })
})

function logged(): number {
  return readFileSync(path.join(at.folder, 'out', 'points.jsonl'), 'utf8').split('\n').length - 1
}
