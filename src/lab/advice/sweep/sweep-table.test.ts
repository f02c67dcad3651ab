import { describe, expect, test } from 'vitest'
import { numbersOf, type RunJson, writeCsv } from '../../../core/results/index.ts'
import { isBeyond, joinedLimit, limitText, parsePointLimit } from './point-limit.ts'
import type { Plan } from './points.ts'
import type { FinishedPoint } from './finished-points.ts'
import { baselineOf, type SweepRow, sweepRows, sweepTable } from './sweep-table.ts'
import { parseColumns, sweepText } from './sweep-text.ts'

const AXES = [
  { path: 'congestion', values: ['none', 'dcqcn'] },
  { path: 'load', values: ['0.3', '0.7'] },
]
const SEEDS = [1, 2, 3]
const points = ['none', 'dcqcn'].flatMap((congestion) =>
  ['0.3', '0.7'].flatMap((load) =>
    SEEDS.map((seed) => ({ key: `${congestion} ${load} ${seed}`, values: { congestion, load }, seed })),
  ),
)
const PLAN: Plan = {
  name: 'made up',
  axes: AXES,
  seeds: SEEDS,
  points: points.map((point, id) => ({ id, scenarioText: '', ...point })),
  key: '',
}

/** A summary with these numbers and zeros elsewhere. */
function summaryOf(mean: number, pausedPs = 0): RunJson {
  const spread = { mean, p50: mean, p95: mean, p99: mean, p999: mean, max: mean }
  const counted = { measured: 1, measuredFinished: 1, withoutIdeal: 0 }
  const flows = { finished: 1, unfinished: 0, unacknowledged: 0, unposted: 0, ...counted }
  const none = { drops: {}, ecnMarks: 0, cnps: 0, pauseFrames: 0, pausedPs: { host: pausedPs, 'tier 1': pausedPs } }
  return {
    slowdown: spread,
    completionPs: spread,
    goodputBps: 1e9,
    flows,
    ...none,
    tags: {},
    tagJainIndex: null,
    // The table reads these fields only.
  } as unknown as RunJson
}

/** Seeds differ by a factor of up to 100; with equal seeds, DCQCN has half the value of none. */
const finished: readonly FinishedPoint[] = points.map((point) => {
  const ofSeed = [2, 20, 200][point.seed - 1] ?? NaN
  return { ...point, summary: summaryOf(point.values.congestion === 'dcqcn' ? ofSeed / 2 : ofSeed) }
})
const rowOf = (rows: readonly SweepRow[], congestion: string, load: string): SweepRow =>
  rows.find(({ values }) => values['congestion'] === congestion && values['load'] === load) as SweepRow

describe('ratios to a baseline', () => {
  test('are taken seed by seed, so that differences between seeds cancel', () => {
    const row = rowOf(sweepRows(PLAN, finished, { congestion: 'none' }), 'dcqcn', '0.7')
    // The intervals of the means themselves extend from far below zero to far above.
    expect(row.metrics.slowdownMean.low).toBeLessThan(0)
    expect(row.ratios?.slowdownMean).toEqual({ count: 3, mean: 0.5, low: 0.5, high: 0.5 })
  })

  test('are taken to the row that is otherwise equal', () => {
    const doubled = finished.map((point) => ({
      ...point,
      summary: point.values['load'] === '0.7' ? summaryOf(8) : summaryOf(2),
    }))
    const byControl = sweepRows(PLAN, doubled, { congestion: 'none' })
    expect(byControl.map(({ ratios }) => ratios?.slowdownMean.mean)).toEqual([1, 1, 1, 1])
    const byLoad = sweepRows(PLAN, doubled, { load: '0.3' })
    expect(byLoad.map(({ ratios }) => ratios?.slowdownMean.mean)).toEqual([1, 4, 1, 4])
  })

  test('leave out seeds that one of the two rows lacks, and show the number of pairs', () => {
    const gone = finished.filter(({ key }) => key !== 'none 0.7 2')
    const rows = sweepRows(PLAN, gone, { congestion: 'none' })
    expect(rowOf(rows, 'dcqcn', '0.7').ratios?.slowdownMean.count).toBe(2)
    expect(sweepText(PLAN, rows, { baseline: { congestion: 'none' }, columns: ['slowdownMean'] })).toMatch(
      /dcqcn +0\.7 +3 .* 0\.500 \(2 of 3\)\n/,
    )
  })

  test('do not exist if the baseline is 0', () => {
    const { ratios } = rowOf(sweepRows(PLAN, finished, { congestion: 'none' }), 'dcqcn', '0.3')
    expect(ratios?.pausedPs).toMatchObject({ count: 0, mean: NaN })
  })

  test('have columns of their own in the CSV', () => {
    const table = sweepTable(PLAN, sweepRows(PLAN, finished, { congestion: 'none' }))
    expect(Array.from(numbersOf(table, 'slowdownP99Ratio'))).toEqual([1, 1, 0.5, 0.5])
    expect(Array.from(numbersOf(table, 'slowdownP99RatioSeeds'))).toEqual([3, 3, 3, 3])
    expect(writeCsv(sweepTable(PLAN, sweepRows(PLAN, finished)))).not.toContain('Ratio')
  })

  test('are refused for a parameter or value that the sweep does not have', () => {
    expect(baselineOf([], AXES)).toBeUndefined()
    expect(baselineOf(['load=0.3', 'congestion=none'], AXES)).toEqual({ load: '0.3', congestion: 'none' })
    expect(() => baselineOf(['congestoin=none'], AXES)).toThrow('did you mean congestion?')
    expect(() => baselineOf(['congestion=timely'], AXES)).toThrow("one of congestion's values: none, dcqcn")
    expect(() => baselineOf(['load=0.3', 'load=0.7'], AXES)).toThrow('each path once')
    expect(() => baselineOf(['load=0.3'], [])).toThrow('a sweep with --param')
  })
})

describe('points that were stopped', () => {
  const stopped = finished.map((point): FinishedPoint =>
    point.key === 'none 0.7 3' ? { ...point, stopped: { simulatedPs: 1e9 } } : point,
  )

  test('are excluded from means and counted separately', () => {
    const row = rowOf(sweepRows(PLAN, stopped), 'none', '0.7')
    expect(row).toMatchObject({ seeds: 2, stopped: 1, metrics: { slowdownMean: { count: 2, mean: 11 } } })
    expect(Array.from(numbersOf(sweepTable(PLAN, sweepRows(PLAN, stopped)), 'stopped'))).toEqual([0, 1, 0, 0])
  })

  test('have a column in the text only if there are any', () => {
    expect(sweepText(PLAN, sweepRows(PLAN, stopped), {})).toMatch(
      /seeds +stopped at limit .*\n(.*\n)+ +none +0\.7 +2 +1 /,
    )
    expect(sweepText(PLAN, sweepRows(PLAN, finished), {})).not.toContain('stopped')
  })

  test('would be stopped again by the same limit and by a lower one', () => {
    expect(isBeyond({ simulatedPs: 10 }, { simulatedPs: 10 })).toBe(true)
    expect(isBeyond({ simulatedPs: 10 }, { simulatedPs: 5, packetHops: 99 })).toBe(true)
    expect(isBeyond({ simulatedPs: 10 }, { simulatedPs: 11 })).toBe(false)
    expect(isBeyond({ packetHops: 10 }, { simulatedPs: 5 })).toBe(false)
    expect(isBeyond({ packetHops: 10 }, {})).toBe(false)
  })

  test('a limit is a simulated time, packet-hops, or both', () => {
    expect(parsePointLimit('10ms')).toEqual({ simulatedPs: 1e10 })
    expect(parsePointLimit('20Mhops')).toEqual({ packetHops: 2e7 })
    expect(parsePointLimit('1.1Mhops')).toEqual({ packetHops: 1_100_000 })
    expect(parsePointLimit('1 hops')).toEqual({ packetHops: 1 })
    for (const text of ['10', '0ms', '0hops', '0.4hops', '1.Mhops', '-1ms', 'hops', '1Thops']) {
      expect(() => parsePointLimit(text), text).toThrow('expected a simulated time such as 10ms')
    }
    expect(limitText(joinedLimit([{ simulatedPs: 1e10 }, { packetHops: 2e7 }]))).toBe(
      '10.0 ms or 20,000,000 packet-hops',
    )
    expect(() => joinedLimit([{ simulatedPs: 1 }, { simulatedPs: 2 }])).toThrow('at most one simulated time')
  })
})

describe('the table', () => {
  const paused = finished.map((point) => ({ ...point, summary: summaryOf(3, 5e6) }))

  test('has quantiles and the paused time of all tiers together', () => {
    const text = sweepText(PLAN, sweepRows(PLAN, paused), {})
    for (const head of ['p50', 'p95', 'p99', 'p99.9']) expect(text).toContain(` slowdown ${head} `)
    expect(text).toMatch(/paused time\n/)
    expect(text).toContain('10.0 us\n')
    expect(text).not.toContain('hidden')
  })

  test('shows how many columns are hidden for lack of width', () => {
    const narrow = sweepText(PLAN, sweepRows(PLAN, paused), { width: 80 })
    expect(Math.max(...narrow.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    const all = sweepText(PLAN, sweepRows(PLAN, paused), {})
    const columnsOf = (text: string): number => (text.split('\n')[0] ?? '').split(/ {2,}/).filter(Boolean).length
    expect(columnsOf(narrow)).toBeLessThan(columnsOf(all))
    expect(narrow).toContain(`\n${columnsOf(all) - columnsOf(narrow)} columns hidden (--columns all / --csv)\n`)
  })

  test('fits a narrow terminal with ratios too', () => {
    const rows = sweepRows(PLAN, paused, { congestion: 'none' })
    const text = sweepText(PLAN, rows, { width: 80, baseline: { congestion: 'none' } })
    const table = text.split('\n').filter((line) => !line.startsWith('/ base'))
    expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(text).toMatch(/^congestion +load +seeds +slowdown +\/ base/)
  })

  test('shows the columns that were asked for, whatever their width', () => {
    const columns = parseColumns('pausedPs,slowdownP999')
    expect(sweepText(PLAN, sweepRows(PLAN, paused), { width: 20, columns }).split('\n')[0]).toMatch(
      /seeds +paused time +slowdown p99\.9$/,
    )
    expect(sweepText(PLAN, sweepRows(PLAN, paused), { width: 20, columns })).not.toContain('hidden')
    const all = sweepText(PLAN, sweepRows(PLAN, paused), { width: 20, columns: parseColumns('all') })
    expect(all.split('\n')[0]).toMatch(/ unacknowledged +never posted +without ideal$/)
    expect(() => parseColumns('slowdownP98,x')).toThrow(/received slowdownP98, x \(did you mean slowdownP9/)
  })

  test('has metrics by tag only if runs have several tags', () => {
    const tagged = finished.map((point) => {
      const of = (goodputBps: number): RunJson['tags'][string] => ({
        flows: 3,
        finished: 2,
        measured: 3,
        measuredFinished: 2,
        withoutIdeal: 0,
        slowdownMean: 2,
        slowdownP50: 2,
        slowdownP99: 4,
        slowdownMax: 4,
        completionMeanPs: 1e6,
        completionP99Ps: 2e6,
        completionMaxPs: 2e6,
        goodputBps,
        jainIndex: 0.5,
      })
      const tags = { storage: of(point.seed * 1e9), '': of(4e9) }
      return { ...point, summary: { ...point.summary, tags, tagJainIndex: 0.75 } }
    })
    const rows = sweepRows(PLAN, tagged, { congestion: 'none' })
    const [first] = rows
    expect(first?.metrics['goodputBps[storage]']).toMatchObject({ mean: 2e9, count: 3 })
    expect(first?.metrics['unfinished[]']).toMatchObject({ mean: 1 })
    expect(first?.metrics.tagJainIndex).toMatchObject({ mean: 0.75 })
    const text = sweepText(PLAN, rows, { columns: parseColumns('goodputBps[storage],slowdownP99[],jainIndex[gone]') })
    expect(text.split('\n')[0]).toMatch(
      /goodput, storage +\/ base +slowdown p99, untagged +\/ base +Jain's index, gone$/,
    )
    expect(text.split('\n')[2]).toMatch(/2\.00 Gbps .* 4\.00 +1\.00 +-$/)
    expect(writeCsv(sweepTable(PLAN, rows))).toContain(',goodputBps[storage],goodputBps[storage]Low,')
    expect(writeCsv(sweepTable(PLAN, sweepRows(PLAN, finished)))).not.toContain('[')
    expect(() => parseColumns('drops[storage]')).toThrow(/received drops\[storage\]/)
  })
})
