/**
 * Golden digests: every scenario in scenarios/ gives the same events as when its digest was recorded.
 * They run in the built program, as a user's do. A change that means to move them says MODEL: in its commit and is followed by `UPDATE_DIGESTS=1 npm test -- tests/golden`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { RunJson } from '../../src/core/results/index.ts'
import { formatScenario, parseScenario } from '../../src/lab/scenario/index.ts'
import { createFolder } from '../cli/program.ts'
import { Commands } from '../support/commands.ts'

interface Golden {
  readonly digest: string
  readonly packetHops: number
  readonly finished: number
}

const FOLDER = path.resolve(import.meta.dirname, '..', '..', 'scenarios')
const FILE = path.join(import.meta.dirname, 'digests.json')
const isUpdate = process.env['UPDATE_DIGESTS'] !== undefined

const names = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'))
const known = (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}) as Record<string, Golden>
const found: Record<string, Golden> = {}
const commands = new Commands()

test('every scenario has a digest and every digest a scenario', () => {
  expect(names.length).toBeGreaterThanOrEqual(6)
  expect(isUpdate ? names : Object.keys(known)).toEqual(names)
})

test.each(names)('%s gives the same events as recorded', async (name) => {
  const { folder, clear } = createFolder()
  const { stdout, stderr } = await commands.run(folder, ['run', path.join(FOLDER, name), '--json', '--out', 'out'])
  clear()
  expect(stderr).toBe('result in out\n')
  const { digest, packetHops, flows } = JSON.parse(stdout) as RunJson
  found[name] = { digest, packetHops, finished: flows.finished }
  expect(found[name]).toEqual(isUpdate ? found[name] : known[name])
})

test.each(names)('%s is named after its scenario, and is the same when printed and parsed again', (name) => {
  const scenario = parseScenario(readFileSync(path.join(FOLDER, name), 'utf8'), { file: name })
  expect(`${scenario.name}.yaml`).toBe(name)
  expect(parseScenario(formatScenario(scenario))).toEqual(scenario)
})

afterAll(() => {
  commands.stop()
  if (isUpdate) writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`)
})
