/**
 * The report of a run of many flows, without running one: every flow of one size and host pair after the other.
 */
import { pageAssets } from '../../src/cli/report/page-assets.ts'
import { runReport } from '../../src/show/html/index.ts'
import { createTable, type Result, summarize } from '../../src/core/results/index.ts'
import { exampleResult } from '../../src/core/results/example.test-data.ts'

export function manyFlows(count: number): string {
  const integers = (name: string, valueOf: (row: number) => number) =>
    ({ name, type: 'integer', data: Float64Array.from({ length: count }, (_, row) => valueOf(row)) }) as const
  const texts = (name: string, valueOf: (row: number) => string) =>
    ({ name, type: 'text', data: Array.from({ length: count }, (_, row) => valueOf(row)) }) as const
  const startPs = (row: number): number => row * 1e6
  const tookPs = (row: number): number => 2e6 + ((row * 7919) % 9973) * 1e4
  const flows = createTable('flows', [
    integers('flow', (row) => row),
    integers('source', (row) => row % 64),
    integers('destination', (row) => (row + 1) % 64),
    integers('sizeBytes', (row) => 1000 * (1 + (row % 100))),
    integers('startPs', startPs),
    integers('receivedPs', (row) => startPs(row) + tookPs(row)),
    integers('acknowledgedPs', (row) => startPs(row) + tookPs(row) + 1e6),
    integers('idealPs', () => 2e6),
    integers('idealAcknowledgedPs', () => 3e6),
    integers('trafficClass', () => 3),
    integers('measured', () => 1),
    integers('retransmissions', () => 0),
    integers('timeouts', () => 0),
    texts('tag', (row) => `tag ${row % 5}`),
    texts('status', () => 'finished'),
  ])
  const result: Result = { ...exampleResult(), simulatedPs: count * 1e6, flows, series: [] }
  const run = { label: 'many', folder: 'many', result, summary: summarize(result), scenarioText: '', facts: null }
  return runReport([run], pageAssets())
}
