/**
 * `list matrix` agrees with the program: pairs that it shows as running do run, and refused pairs are refused with its message.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { InputError } from '../../src/core/base/issue.ts'
import type { MatrixCell } from '../../src/lab/advice/scheme-matrix.ts'
import { run } from '../../src/lab/index.ts'
import { summarize } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { NEEDS } from '../../src/lab/scenario/rules/needs.ts'
import { congestions } from '../../src/core/transport/congestion/index.ts'
import { recoveries } from '../../src/core/transport/recovery/index.ts'
import { Commands } from '../support/commands.ts'
import { createFolder, rocelab } from './program.ts'

/** Three senders to one receiver, with a queue that marks. */
const TINY = `name: tiny
topology: {kind: star, hosts: 4}
workload:
  - {kind: incast, senders: 3, receiver: 3, sizeEach: 60KB}
`
const at = createFolder({ 'tiny.yaml': TINY })
const commands = new Commands()
afterAll(() => {
  commands.stop()
  at.clear()
})

const cells = JSON.parse(rocelab(at.folder, 'list', 'matrix', '--json').stdout) as MatrixCell[]
const setsOf = ({ recovery, congestion }: MatrixCell): string[] => [`recovery=${recovery}`, `congestion=${congestion}`]
const named = (cell: MatrixCell): readonly [string, MatrixCell] => [`${cell.congestion} with ${cell.recovery}`, cell]

test('there is a cell for every pair', () => {
  const pairs = congestions.flatMap((congestion) => recoveries.map(({ name }) => [congestion.name, name]))
  expect(cells.map(({ congestion, recovery }) => [congestion, recovery])).toEqual(pairs)
  expect(cells.filter(({ runs }) => runs).length).toBeGreaterThan(50)
  expect(cells.filter(({ settings }) => settings.length > 0).length).toBeGreaterThan(10)
})

describe('a pair that runs', () => {
  test.each(cells.filter(({ runs }) => runs).map(named))('%s delivers everything', (_name, cell) => {
    const scenario = parseScenario(TINY, { sets: [...setsOf(cell), ...cell.settings] })
    expect(summarize(run(scenario, { check: true })).flows).toMatchObject({ total: 3, finished: 3 })
  })
})

/** Pairs that are refused, always or without the settings of their cell. */
const refusing = cells.filter(({ refusals }) => refusals.length > 0)

describe('a pair that is refused', () => {
  test.each(refusing.map(named))('%s gets the message of the matrix', (_name, cell) => {
    let shown = ''
    try {
      parseScenario(TINY, { sets: setsOf(cell) })
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      shown = error.message
    }
    expect(cell.refusals.filter(({ message }) => !shown.includes(message))).toEqual([])
    for (const { scheme, need, message } of cell.refusals) {
      expect([cell.recovery, cell.congestion]).toContain(scheme)
      expect(message).toMatch(new RegExp(`as ${scheme} needs .*\\b${NEEDS[need].name}`))
      expect(message).toMatch(/\((set |no )/)
    }
  })

  /** One pair for each message, as the program takes long to start. */
  const examples = [...new Map(refusing.map((cell) => [JSON.stringify(cell.refusals), cell])).values()]

  test.each(examples.map(named))('%s: the run ends with exit code 2', async (_name, cell) => {
    const sets = setsOf(cell).flatMap((set) => ['--set', set])
    const { code, stdout, stderr } = await commands.run(at.folder, ['run', 'tiny.yaml', ...sets])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    for (const { message } of cell.refusals) expect(stderr).toContain(message)
  })

  test('runs with the settings of its cell from the command line', () => {
    const helped = examples.find(({ runs }) => runs)
    const sets = [...setsOf(helped!), ...helped!.settings].flatMap((set) => ['--set', set])
    expect(rocelab(at.folder, 'run', 'tiny.yaml', '--quiet', ...sets).code).toBe(0)
  })
})

test('the text has a line for every control and one footnote for every rule and every setting', () => {
  const { stdout } = rocelab(at.folder, 'list', 'matrix')
  for (const { name } of congestions) expect(stdout).toMatch(new RegExp(`^${name} +(runs|refused)`, 'm'))
  const rules = cells.flatMap(({ runs, refusals }) => (runs ? [] : refusals.map(({ rule }) => rule)))
  const settings = cells.flatMap((cell) => (cell.settings.length === 0 ? [] : [`with ${cell.settings.join(' and ')}`]))
  for (const note of new Set([...rules, ...settings])) {
    const lines = stdout.split('\n').filter((line) => /^\[\d+\] /.test(line) && line.includes(note))
    expect(lines.length, note).toBeGreaterThan(0)
  }
  const notes = stdout.split('\n').filter((line) => /^\[\d+\] /.test(line))
  expect(notes.length).toBeLessThanOrEqual(new Set([...rules, ...settings]).size)
  expect(stdout).toMatch(/^CNP +dcqcn/m)
  expect(stdout).toMatch(/^multipath +mp-rdma +the other/m)
})
