/** Reports of experiments read back from their folders. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ReportedReproduction } from '../../../show/index.ts'
import { experiments } from '../../index.ts'
import { readClaims } from './claims-csv.ts'
import { readReport, reportedName } from './stored-report.ts'

const ROOT = path.join(import.meta.dirname, '../../../../docs/experiments')
const folders = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** Reads a folder of docs, with some of its files replaced; undefined removes one. */
async function reportIn(
  folder: string,
  replaced: Readonly<Record<string, string | undefined>> = {},
): Promise<ReportedReproduction> {
  const files = readdirSync(path.join(ROOT, folder))
  const read = (name: string): string | undefined => {
    if (Object.hasOwn(replaced, name)) return replaced[name]
    const file = path.join(ROOT, folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }
  return readReport({ name: reportedName(files)!, folder, read, experiments })
}
const textIn = (folder: string, name: string): string => readFileSync(path.join(ROOT, folder, name), 'utf8')

test('every folder of docs/experiments is read, with all claims of its file and their verdicts', async () => {
  expect(folders.length).toBeGreaterThan(25)
  const others: string[] = []
  for (const folder of folders) {
    const report = await reportIn(folder)
    const checks = report.claims.flatMap(({ id, checks: own }) => own.map(({ verdict }) => `${id} ${verdict}`))
    const expected = readClaims(textIn(folder, `${folder}-claims.csv`)).map(({ id, verdict }) => `${id} ${verdict}`)
    expect(checks.toSorted(), folder).toEqual(expected.toSorted())
    expect(checks.length, folder).toBeGreaterThan(0)
    expect(report.figures.length + report.tables.length, folder).toBeGreaterThan(0)
    expect(report.command, folder).toMatch(/^rocelab reproduce \S+ --size (small|full) --seeds [\d.,]+$/)
    if (report.storedWhy !== '') others.push(folder)
  }
  // Their pages say that they are of an earlier program.
  expect(others).toEqual(['irn-loads', 'irn-scale'])
}, 60_000)

test('a word that is no verdict is refused, and not counted as something else', async () => {
  const name = 'clos-ecmp-claims.csv'
  const changed = textIn('clos-ecmp', name).replace(',reproduced,', ',reprodused,')
  await expect(reportIn('clos-ecmp', { [name]: changed })).rejects.toThrow(
    /verdict of .*: expected one of not reproduced, .*, received "reprodused"/,
  )
})

describe('a report of this program', () => {
  test('has figures with the values of the paper first, claims with ranges, and no title in the figures', async () => {
    const { figures, claims, storedWhy, title, source, size, seeds, version } = await reportIn('clos-ecmp')
    expect(storedWhy).toBe('')
    expect({ title, source, size, version }).toEqual({
      title: expect.stringContaining('ECMP') as unknown,
      source: expect.stringContaining('[MS-Scale]') as unknown,
      size: 'full',
      version: '0.1.0',
    })
    expect(seeds).toBe('1..10')
    expect(figures[0]!.hasPaper).toBe(true)
    expect(figures[0]!.svg).not.toContain('font-weight="bold"')
    expect(claims.some(({ checks }) => checks.some(({ range }) => range !== undefined))).toBe(true)
  })

  test('has claims of several checks once, with their state', async () => {
    const { claims } = await reportIn('pfc-roce')
    expect(claims.map(({ id, state, checks }) => [id, state, checks.length])).toEqual([
      ['irn.fig3.range', 'undecided', 5],
      ['irn.fig6.range', 'partly', 8],
    ])
  })
})

test('a figure of the IRN paper is held to the value of each metric in Table 3, not to the range of all', async () => {
  const { claims } = await reportIn('irn')
  const checksOf = (id: string) => claims.find((claim) => claim.id === id)!.checks
  let held = 0
  for (const [id, what, width] of [
    ['irn.fig1.range', 'IRN over RoCE + PFC', (paper: number) => paper / 4],
    ['irn.fig2.range', 'IRN over IRN + PFC', (paper: number) => paper / 4],
    ['irn.fig4.range', 'IRN over RoCE + PFC', (paper: number) => paper / 4],
    ['irn.fig5.range', 'IRN over IRN + PFC', () => 0.03],
  ] as const) {
    for (const { check, range } of checksOf(id)) {
      const cell = checksOf('irn.table3.cells').find((one) => one.check === `70 %, ${check}, ${what}`)!
      const paper = 1 / Number(cell.paper)
      expect(range!.bandLow, `${id} ${check}`).toBeCloseTo(paper - width(paper), 2)
      expect(range!.bandHigh, `${id} ${check}`).toBeCloseTo(paper + width(paper), 2)
      held++
    }
  }
  expect(held).toBe(3 + 3 + 6 + 6)
  const control = checksOf('irn.fig4.range').map(({ check, verdict }) => [check, verdict])
  expect(Object.fromEntries(control)).toEqual({
    'TIMELY, average slowdown': 'reproduced',
    'TIMELY, average FCT': 'reproduced',
    'TIMELY, 99% FCT': 'not reproduced',
    'DCQCN, average slowdown': 'not reproduced',
    'DCQCN, average FCT': 'reproduced',
    'DCQCN, 99% FCT': 'undecided',
  })
})

describe('a report of another program is as it was stored', () => {
  test('where its claims differ from what follows from the runs', async () => {
    const name = 'pfc-roce-claims.csv'
    const changed = textIn('pfc-roce', name).replace(',undecided,', ',reproduced,')
    const report = await reportIn('pfc-roce', { [name]: changed })
    expect(report.storedWhy).toBe('from its runs this program concludes otherwise on some claims')
    expect(report.claims[0]!.state).toBe('partly')
    expect(report.tables).toMatchObject([{ title: 'RoCE with and without PFC, all flows' }])
    expect(report.tables[0]!.rows).toHaveLength(9)
    expect(report.tables[0]!.columns.at(-1)).toEqual({ head: 'pause frames', align: 'right' })
    expect(report.figures).toMatchObject([{ name: 'pfc-roce-ratio', svg: textIn('pfc-roce', 'pfc-roce-ratio.svg') }])
    expect(report.remarks).toHaveLength(3)
  })

  test('where its runs are others', async () => {
    const runs = textIn('pfc-roce', 'pfc-roce.csv').replaceAll('no-pfc', 'never')
    expect((await reportIn('pfc-roce', { 'pfc-roce.csv': runs })).storedWhy).toContain('other runs')
  })

  test('and one of an earlier version, or a damaged one, is refused', async () => {
    const reads = (json: string | undefined) => reportIn('pfc-roce', { 'pfc-roce.json': json })
    await expect(reads(undefined)).rejects.toThrow(
      'pfc-roce.json: expected the report of this version, received no such file (rocelab reproduce pfc-roce --from pfc-roce.csv',
    )
    const info = JSON.parse(textIn('pfc-roce', 'pfc-roce.json')) as Record<string, unknown>
    await expect(reads(JSON.stringify({ ...info, size: 'huge' }))).rejects.toThrow(
      'pfc-roce.json: size: expected "small"',
    )
    const figures = [{ name: '../../secret', title: '', hasPaper: true }]
    await expect(reads(JSON.stringify({ ...info, figures }))).rejects.toThrow(
      'figures[0].name: expected part of a file',
    )
  })
})

test('a folder has a report if it has runs and their page or claims', () => {
  expect(reportedName(['a.md', 'b.csv'])).toBeUndefined()
  expect(reportedName(['a.json', 'a.csv'])).toBeUndefined()
  expect(reportedName(['README.md', 'a.csv', 'a.md'])).toBe('a')
  expect(reportedName(['a.csv', 'a.json', 'a-claims.csv'])).toBe('a')
})
