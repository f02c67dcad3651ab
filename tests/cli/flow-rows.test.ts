/**
 * Rows of flows in the files of a result: all, one for those posted together, or none.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCsv } from '../../src/core/results/index.ts'
import { createFolder, rocelab, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL })
  for (const rows of ['all', 'operations', 'off']) {
    const { code } = rocelab(at.folder, 'run', 'small.yaml', '--set', `measure.flows=${rows}`, '--out', rows)
    if (code !== 0) throw new Error(`run with flows ${rows}: exit code ${code}`)
  }
})
afterEach(() => at.clear())

const read = (...names: string[]): string => readFileSync(path.join(at.folder, ...names), 'utf8')

test('without rows the summary is that of all flows, and commands that need rows say what to do', () => {
  for (const rows of ['operations', 'off']) {
    expect(read(rows, 'summary.json')).toBe(read('all', 'summary.json'))
    expect(existsSync(path.join(at.folder, rows, 'flows.csv'))).toBe(false)
    for (const command of [
      ['explain', rows],
      ['report', rows],
      ['compare', 'all', rows],
      ['plot', rows],
    ]) {
      const { code, stderr } = rocelab(at.folder, ...command)
      expect({ command, code }).toEqual({ command, code: 2 })
      expect(stderr).toContain('--set measure.flows=all')
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    }
  }
  expect(existsSync(path.join(at.folder, 'off', 'operations.csv'))).toBe(false)
  expect(readCsv('operations', read('operations', 'operations.csv')).rowCount).toBeGreaterThan(0)
})

test('a run whose rows left memory leaves no other file than its result', () => {
  const text = SMALL.replace(
    /workload:[^]*?(?=\n\S|$)/,
    'workload: [{kind: closed-loop, pairs: ["0 1"], messages: 40000, messageSize: 64B}]',
  )
  const many = createFolder({ 'many.yaml': text })
  try {
    expect(rocelab(many.folder, 'run', 'many.yaml', '--out', 'out').code).toBe(0)
    expect(readdirSync(many.folder).toSorted()).toEqual(['many.yaml', 'out'])
    const csv = readFileSync(path.join(many.folder, 'out', 'flows.csv'), 'utf8')
    const flows = readCsv('flows', csv)
    expect(flows.rowCount).toBe(40_000)
    expect(flows.columns[0]!.data[39_999]).toBe(39_999)
  } finally {
    many.clear()
  }
})
