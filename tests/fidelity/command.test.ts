/** The command `fidelity`: its table, its JSON, and its message for a folder without runs. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from '@stricli/core'
import { expect, test } from 'vitest'
import { application } from '../../src/cli/application.ts'
import type { Context } from '../../src/cli/context.ts'
import { R3, R6_IRN, RUNS } from './cases.ts'

/** Runs the command; returns its output and exit code. */
async function fidelity(...args: string[]): Promise<{ out: string; error: string; code: number }> {
  const output = { out: '', error: '' }
  const process: Context['process'] = {
    stdout: { write: (text) => void (output.out += text) },
    stderr: { write: (text) => void (output.error += text) },
    env: {},
  }
  const propose = (): Promise<string[]> => Promise.resolve([])
  const context: Context = { process, directory: RUNS, env: {}, text: {}, terminal: undefined, propose }
  await run(application, ['fidelity', ...args], context)
  return { ...output, code: Number(process.exitCode ?? 0) }
}

test('fidelity prints one row per case', async () => {
  const { out, code } = await fidelity(R3)
  const [head = '', , row = '', ...rest] = out.split('\n')
  const heads = 'case,flows,exact,median,p90,worst,worst flow,mean ratio,PFC theirs,ours,equal'
  expect(head.split(/ {2,}/).join(',')).toBe(heads)
  expect(row.split(/ {2,}/)).toEqual([R3, '16', '16', '0 %', '0 %', '0 %', '-', '1.00000', '328', '328', '328'])
  expect(rest).toEqual([''])
  expect(code).toBe(0)
})

test('fidelity names the worst flow, and accepts another clock', async () => {
  const { out } = await fidelity(R3, '--rounding', 'truncate', '--json')
  const [found] = JSON.parse(out) as [{ exact: number; worst: { flow: string } }]
  expect(found.exact).toBe(0)
  expect(found.worst.flow).toMatch(/^\d+>0 499800B at 2000000000ns$/)
})

test('fidelity reports why a case is not compared, and continues', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-'))
  cpSync(path.join(RUNS, R6_IRN), path.join(folder, 'pint'), { recursive: true })
  const config = path.join(folder, 'pint', 'config.txt')
  writeFileSync(config, readFileSync(config, 'utf8').replace('CC_MODE 1', 'CC_MODE 10'))
  const { out, code } = await fidelity(folder)
  rmSync(folder, { recursive: true })
  expect(out).toContain('pint: not compared')
  expect(out).toContain('CC_MODE: expected one of')
  expect(code).toBe(0)
})

test.each([
  ['no such folder', path.join('no', 'such'), 'no/such: expected a folder of reference runs'],
  ['a folder without runs', path.resolve(RUNS, '../../swarm'), 'folders with config.txt and fct.txt, received none'],
])('%s is bad input', async (_what, folder, message) => {
  const { error, code } = await fidelity(folder)
  expect(error).toContain(message)
  expect(code).toBe(2)
})
