/** Columns of observers as the reader of stored results expects them. */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { metrics } from '../../src/metrics/index.ts'
import { SERIES_COLUMNS } from '../../src/results/stored/table.ts'
import { parseScenario } from '../../src/scenario/index.ts'

const typeOf = new Map(Object.entries(SERIES_COLUMNS).flatMap(([type, names]) => names.map((name) => [name, type])))

test.each(['kind: go-back-n', 'kind: irn'])(
  'every column of an observer has the type of its name, with %s',
  (recovery) => {
    const { series } = run(
      parseScenario(`
name: watched
topology: {kind: star, hosts: 4}
switch: {buffer: {kind: shared-buffer, size: 400KB}}
recovery: {${recovery}}
workload: [{kind: incast, senders: 3, receiver: 3, sizeEach: 100KB}]
observe: [${metrics.map(({ name }) => name).join(', ')}]
`),
    )
    expect(series).toHaveLength(metrics.length)
    // `direction` is a text in one table and a number in another.
    const columns = series.flatMap((table) => table.columns).filter(({ name }) => name !== 'direction')
    expect(columns.length).toBeGreaterThan(100)
    expect(columns.map(({ name, type }) => [name, type])).toEqual(columns.map(({ name }) => [name, typeOf.get(name)]))
  },
)
