import { beforeAll, describe, expect, test } from 'vitest'
import type { Findings } from '../core/findings.ts'
import { findingsHere, reportHere } from '../core/old/run-here.test-run.ts'
import { surveyExamples } from './survey-examples.ts'
import { jainOf, timelyClaims } from './timely.ts'

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
    'srv.table1.mp-rdma',
  ])
  // Those that lose nothing in the incast without PFC.
  for (const scheme of ['iwarp', 'dctcp', 'irn', 'mp-rdma']) {
    expect(verdicts[`srv.table3.${scheme}`], scheme).toBe('undecided')
  }
  expect(against.filter(({ reason }) => reason.length < 80)).toEqual([])
  expect(findings.claims.length).toBeGreaterThan(35)
  for (const figure of [
    'fig4.gb0-vs-gbn',
    'fig10.qcn-curve [qcn]',
    'fig11.mprdma',
    'fig13.slow-path',
    'fig14.gbn-vs-sr',
  ])
    expect(verdicts[`srv.${figure}`], figure).toBe('reproduced')
})

describe('what is driven by hand', () => {
  test('Figures 4 and 14: go-back-0 sends everything again, go-back-N from the lost packet on, IRN that packet', () => {
    const again = Object.fromEntries(
      cellsOf('Figures 4 and 14').map(([from, recovery, , sent]) => [`${recovery} ${from}`, sent]),
    )
    expect(again).toMatchObject({
      'go-back-0 0': '0 0 1 2 3 4',
      'go-back-n 0': '2 3 4',
      'go-back-n 1': '2 3 4 5',
      'irn 0': '2',
      'irn 1': '2',
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
    const reported = cellsOf('Figure 8(c)')
    expect(reported.map(([, , , bitmap]) => bitmap)).toEqual(['00011', '011', '-', '-'])
    // Up to three packets for each ACK; packets with the same mark share one.
    expect(reported.slice(2).map(([, , answers]) => answers)).toEqual(['ACK 1-3, ACK+ECE 4-5', 'ACK a, ACK+ECE b-c'])
  })

  test('Figure 10: the gap to the target halves five times, then the target moves', () => {
    const gainsOf = (scheme: string): number[] =>
      cellsOf(`Figure 10: ${scheme}`).map(([, , , , gain]) => Number.parseFloat(gain ?? ''))
    for (const scheme of ['qcn', 'dcqcn']) expect(gainsOf(scheme).slice(0, 5)).toEqual([5, 2.5, 1.25, 0.625, 0.3125])
    // Half of a step, and what is left of the gap.
    expect(gainsOf('dcqcn')[9]! - 0.04).toBeCloseTo(0.0085, 4)
    expect(gainsOf('qcn')[9]! - 0.005).toBeCloseTo(0.0096, 4)
  })

  test('Figure 11: two marked ACKs take a packet from the window and from their path', () => {
    expect(cellsOf('Figure 11').map(([, , , byPath]) => byPath)).toEqual(['2, 2, 1', '2, 2, 1', '3, 2, 0'])
  })

  test('Figure 13: a path that is late by more than delta gets nothing', () => {
    expect(cellsOf('Figure 13').map(([delta, , , byPath]) => [delta, byPath])).toEqual([
      ['3', '2, 2, 0'],
      ['32', '2, 2, 2'],
    ])
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
  test('Figure 6: only PFC holds up f2', () => {
    const [held, free] = cellsOf('Figures 5 and 6')
      .slice(2)
      .map(([, , f2]) => Number.parseFloat(f2 ?? ''))
    expect(held).toBeLessThan(11)
    expect(free).toBeGreaterThan(18)
  })

  test('only schemes that use marks are marked, and only DCQCN has CNPs', () => {
    const signals = cellsOf('Tables I to III').map(([scheme, pauses, marks, cnps]) => [
      scheme,
      Number(pauses) > 0,
      Number(marks) > 0,
      Number(cnps) > 0,
    ])
    expect(signals).toEqual([
      ['RoCE', true, false, false],
      ['iWARP', false, false, false],
      ['DCTCP', false, true, false],
      ['TIMELY', true, false, false],
      ['DCQCN', true, true, true],
      ['MP-RDMA', false, true, false],
      ['IRN', false, false, false],
    ])
  })
})

describe('bursts to one host', () => {
  test('a single flow takes longer than ideal only with slow start, and nothing is lost with or without PFC', () => {
    const rows = cellsOf('Bursts').map(([flows, scheme, , slowdown, lost, , pauses]) => [
      `${flows}, ${scheme}`,
      Number(slowdown) < 1.1,
      Number(lost) > 0,
      Number(pauses) > 0,
    ])
    expect(rows).toEqual([
      ['1, DCTCP, slow start', false, false, false],
      ['1, DCTCP, full window', true, false, false],
      ['1, DCQCN', true, false, false],
      ['7, DCTCP, slow start', false, false, false],
      ['7, DCTCP, full window', false, false, false],
      ['7, DCQCN', false, false, true],
    ])
  })

  test('every scheme has the same flows', () => {
    const flowsOf = (arm: string): unknown =>
      surveyExamples.plan.points('full', 3).find(({ condition }) => condition === `bursts of 4: ${arm}`)!.scenario
        .workload
    expect(flowsOf('DCTCP')).toEqual(flowsOf('DCQCN'))
  })
})

describe('long flows that hear of delay alone', () => {
  test("Jain's index is 1 for equal rates and the share of those that have anything for others", () => {
    expect(jainOf([3, 3, 3])).toBe(1)
    expect(jainOf([5, 0, 0, 0])).toBe(0.25)
  })

  test('the claim fails where both are given, and holds where either is not', () => {
    const verdictsOf = (jain: number, queueUs: (flows: number) => number): readonly string[] => {
      const outcomes = [2, 4, 8, 16, 32].flatMap((flows) =>
        ['TIMELY', 'patched TIMELY'].map((scheme) => ({
          condition: `${flows} long flows: ${scheme}`,
          seed: 1,
          digest: '',
          measures: { jain, queueUs: queueUs(flows) },
        })),
      )
      return timelyClaims(outcomes).map(({ verdict }) => verdict)
    }
    expect(verdictsOf(0.99, () => 50)).toEqual(['not reproduced', 'not reproduced'])
    expect(verdictsOf(0.7, () => 50)).toEqual(['reproduced', 'reproduced'])
    expect(verdictsOf(0.99, (flows) => 50 + 10 * flows)).toEqual(['reproduced', 'reproduced'])
  })
})

test('at full size every claim of bursts and long flows finds its runs', () => {
  const known = Object.fromEntries(['meanFctUs', 'jain', 'queueUs', 'queueSpreadUs'].map((key, i) => [key, 1 + i]))
  const outcomes = [1, 2].flatMap((seed) =>
    surveyExamples.plan.points('full', seed).map(({ condition }) => ({ condition, seed, digest: '', measures: known })),
  )
  const own = surveyExamples.plan
    .conclude(outcomes, 'full')
    .claims.filter(({ id }) => /slowstart-limit|timely-not-fair/.test(id))
  expect(own.map(({ id }) => id)).toEqual([
    'srv.dctcp-slowstart-limit [bursts of 1]',
    'srv.dctcp-slowstart-limit [bursts of 2]',
    'srv.dctcp-slowstart-limit [bursts of 4]',
    'srv.dctcp-slowstart-limit [bursts of 7]',
    'srv.timely-not-fair [TIMELY]',
    'srv.timely-not-fair [patched TIMELY]',
  ])
  expect(own.filter(({ measured }) => measured.includes('NaN') || measured === '-')).toEqual([])
})

test('the report has all tables, its figures and the measures', async () => {
  const { files, text } = await reportHere(surveyExamples, 'small', [1])
  expect(files.map(({ path }) => path)).toEqual([
    'survey-examples.md',
    'survey-examples.json',
    'survey-examples-pfc.svg',
    'survey-examples-bursts.svg',
    'survey-examples-timely-fairness.svg',
    'survey-examples-timely-delay.svg',
    'survey-examples-claims.csv',
    'survey-examples.csv',
  ])
  expect(text).toContain('Figure 8(b)')
  expect(files[0]?.text).toContain('| srv.fig4.gb0-vs-gbn |')
})
