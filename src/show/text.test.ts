import { expect, test } from 'vitest'
import { exampleResult } from '../core/results/example.test-data.ts'
import { compareResults, type Result, summarize } from '../core/results/index.ts'
import { compareText } from './compare-text.ts'
import { summaryText } from './summary-text.ts'

const COST = { cpuSeconds: 0.0021, wallSeconds: 0.5, peakRssBytes: 123_456_789 }

test('the summary says everything of a run, one subject a line', () => {
  const result = exampleResult()
  expect(summaryText(result, summarize(result), COST)).toBe(
    [
      'scenario          example, seed 7',
      'simulated time    50.0 us',
      'flows finished    3 of 5',
      'flows unfinished  2: retry limit 1, still sending at the stop 1',
      'measured          2 of 4 in the window',
      'slowdown          mean 3.00, p50 3.00, slowest of 2 flows 4.00 (2 did not finish)',
      'completion time   mean 3.00 us, p50 3.00 us, slowest of 2 flows 4.00 us (at the receiver, 2 did not finish)',
      'goodput           65.3 Gbps over 49.0 us',
      "untagged          2 of 4 finished, 65.1 Gbps, slowdown p50 3.00, slowest of 2 flows 4.00 (2 did not finish), Jain's index 0.492",
      "tag incast        1 of 1 finished, 3.20 Gbps, slowdown p50 -, slowest of 0 flows -, Jain's index 1.00",
      "fairness          Jain's index 0.549 between tags; a tag's own is between its flows",
      'drops             7: buffer full 5, link loss 2',
      'pause frames      12 (resume 11)',
      'paused time       host 2.00 us, tier 1 500 ns (sum over ports and classes)',
      'ECN marks         40',
      'CNPs              9',
      'retransmissions   8',
      'timeouts          3: last packet lost 3',
      'digest            0123456789abcdef',
      'packet-hops       1,000',
      'cost              0.00210 s CPU, 0.500 s wall, 476 k packet-hops per CPU second, peak memory 123 MB',
      '',
    ].join('\n'),
  )
})

test('an interrupted run says so, and a narrow terminal gets wrapped lines', () => {
  const result: Result = { ...exampleResult(), partial: true }
  const text = summaryText(result, summarize(result), undefined, { width: 60 })
  expect(text).toContain('partial')
  expect(text).not.toContain('cost')
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60)
})

test('a comparison names the worst flow and puts counters side by side', () => {
  const a = exampleResult()
  const slower = a.flows.columns.map((column) =>
    column.name === 'receivedPs' && column.type !== 'text'
      ? { ...column, data: column.data.map((ps, row) => (row === 1 ? ps + 400_000 : ps)) }
      : column,
  )
  const b: Result = {
    ...a,
    name: 'other',
    flows: { ...a.flows, columns: slower },
    counters: { ...a.counters, drops: { 'buffer full': 10 } },
  }
  const text = compareText(compareResults(a, b), { ascii: true })
  expect(text).toContain('untagged           A 3.000 us, B 3.200 us, B/A 1.0667 (2 of 4 flows)')
  expect(text).toContain('tag incast         A 2.500 us, B 2.500 us, B/A 1.0000 (1 flows)')
  expect(text).toContain('worst flow         host 1 to host 2, 2.00 KB at 1.50000 us: A 4.000 us, B 4.400 us')
  expect(text).toContain('deviation          median 0 %, p90 8.00 %, worst 10.0 %')
  expect(text).toMatch(/^drops: buffer full +5 +10 +2\.000$/m)
  expect(text).toMatch(/^drops: link loss +2 +0 +0$/m)
})
