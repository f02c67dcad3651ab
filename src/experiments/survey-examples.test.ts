import { beforeAll, describe, expect, test } from 'vitest'
import type { Findings } from './findings.ts'
import { findingsHere, reportHere } from './run-here.test-run.ts'
import { surveyExamples } from './survey-examples.ts'

let findings: Findings
beforeAll(() => {
  ;({ findings } = findingsHere(surveyExamples, 'small', [1]))
})

const cellsOf = (title: string): readonly (readonly string[])[] =>
  findings.tables.find((table) => table.title.startsWith(title))?.rows ?? []

test('every claim has a verdict, and where it is against the survey the page says why', () => {
  const verdicts = Object.fromEntries(findings.claims.map(({ id, verdict }) => [id, verdict]))
  const against = findings.claims.filter(({ verdict }) => verdict === 'not reproduced')
  expect(Object.keys(verdicts)).toHaveLength(findings.claims.length)
  expect(against.map(({ id }) => id)).toEqual([
    'srv.fig8c.ecn-notify',
    'srv.table1.timely',
    'srv.table2.timely',
    'srv.table3.timely',
    'srv.table3.dcqcn',
  ])
  expect(against.filter(({ reason }) => reason.length < 80)).toEqual([])
  expect(findings.claims.length).toBeGreaterThan(25)
})

describe('what is driven by hand', () => {
  test('Figure 4: go-back-0 sends everything again, go-back-N from the lost packet on', () => {
    const again = Object.fromEntries(
      cellsOf('Figure 4').map(([from, recovery, , sent]) => [`${recovery} ${from}`, sent]),
    )
    expect(again).toMatchObject({
      'go-back-0 0': '0 0 1 2 3 4',
      'go-back-n 0': '2 3 4',
      'go-back-n 1': '2 3 4 5',
      'check-epsn 0': '2 3 4',
      'send-twice 0': '4 2 3 4 4',
    })
  })

  test('Figure 8: windows and rates are those of the paper', () => {
    const after = cellsOf('Figure 8(b)').map(([scheme, sender, , , , measured, paper]) => [
      scheme,
      sender,
      Number(measured),
      paper,
    ])
    expect(after).toEqual([
      ['ECN', 'S1', 10, '10'],
      ['ECN', 'S2', 15, '15'],
      ['DCTCP', 'S1', 14, '14'],
      ['DCTCP', 'S2', 19, '19'],
      ['DCQCN', 'S1', 12, '12'],
      ['DCQCN', 'S2', 18, '18'],
    ])
    expect(cellsOf('Figure 8(c)').map(([, , bitmap]) => bitmap)).toEqual(['00011', '011'])
  })

  test('Figure 10: the gap to the target halves five times, then the target moves', () => {
    const gains = cellsOf('Figure 10').map(([, , , , gain]) => Number.parseFloat(gain ?? ''))
    expect(gains.slice(0, 5)).toEqual([5, 2.5, 1.25, 0.625, 0.3125])
    expect(gains[9]).toBeCloseTo(0.04, 1)
  })

  test('Figure 9: a rising queue is answered by a factor, any other by a constant', () => {
    expect(cellsOf('Figure 9').map(([, queue, rate]) => [queue, rate?.split(' ')[0] === 'times'])).toEqual([
      ['stays', false],
      ['falls', false],
      ['rises', true],
      ['rises', true],
      ['falls', false],
    ])
  })
})

describe('what is run', () => {
  test('Figure 6: f2 is held up by PFC alone', () => {
    const [held, free] = cellsOf('Figures 5 and 6')
      .slice(2)
      .map(([, , f2]) => Number.parseFloat(f2 ?? ''))
    expect(held).toBeLessThan(11)
    expect(free).toBeGreaterThan(18)
  })

  test('only what listens to marks is marked, and only DCQCN has CNPs', () => {
    const signals = cellsOf('Tables I to III').map(([scheme, pauses, marks, cnps]) => [
      scheme,
      Number(pauses) > 0,
      Number(marks) > 0,
      Number(cnps) > 0,
    ])
    expect(signals).toEqual([
      ['RoCE', true, false, false],
      ['DCTCP', false, true, false],
      ['TIMELY', true, false, false],
      ['DCQCN', true, true, true],
    ])
  })
})

test('the report has all tables, a figure and the measures', async () => {
  const { files, text } = await reportHere(surveyExamples, 'small', [1])
  expect(files.map(({ path }) => path)).toEqual([
    'survey-examples.md',
    'survey-examples-pfc.svg',
    'survey-examples.csv',
  ])
  expect(text).toContain('Figure 8(b)')
  expect(files[0]?.text).toContain('| srv.fig4.gb0-vs-gbn |')
})
