/** Tables of observers as the reader of stored results expects them: types and ranges of their columns. */
import { expect, test } from 'vitest'
import { createSimulation, run } from '../../src/lab/index.ts'
import { metrics } from '../../src/lab/metrics/index.ts'
import { type Result, type Table, withPart, writeParquet } from '../../src/core/results/index.ts'
import { readFlows, readSeries, SERIES_COLUMNS } from '../../src/core/results/stored/table.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

/** Tables of an observer beyond its first, which versions that did not write kinds did not have. */
const FURTHER: readonly string[] = ['autopsy/origins', 'autopsy/ports', 'counters/edges']
const SETS = [`observe=[${metrics.map(({ name }) => name).join(', ')}]`]
const typeOf = new Map(Object.entries(SERIES_COLUMNS).flatMap(([type, names]) => names.map((name) => [name, type])))

const incast = (recovery: string): string => `
name: watched
topology: {kind: star, hosts: 4}
recovery: ${recovery}
workload: [{kind: incast, senders: 3, receiver: 3, sizeEach: 100KB}]
`
const watched = (text: string): Result => run(parseScenario(text, { sets: SETS }))

test.each(['go-back-n', 'irn'])('every column of an observer has the type of its name, with %s', (recovery) => {
  const { series } = watched(incast(recovery))
  expect(series).toHaveLength(metrics.length + FURTHER.length)
  // `direction` is a text in one table and a number in another, and counters name ports.
  const columns = series
    .flatMap((table) => table.columns.filter(({ name }) => table.kind !== 'counters' || name !== 'port'))
    .filter(({ name }) => name !== 'direction')
  expect(columns.length).toBeGreaterThan(100)
  expect(columns.map(({ name, type }) => [name, type])).toEqual(columns.map(({ name }) => [name, typeOf.get(name)]))
})

test('every table is the sum of the parts that were new at several times', () => {
  const text = `${incast('irn')}
nic: {receive: {kind: pipeline}, watchdog: 200us}
switch: {watchdog: {kind: generic}, layer2: {kind: tables}}
faults: [{kind: pause-storm, hosts: host 3, from: 20us}, {kind: bernoulli, probability: 0.02}]
measure: {stop: 2ms}
`
  const simulation = createSimulation(parseScenario(text, { sets: SETS }))
  let seen: Table[] = []
  let reused = 0
  for (let isOpen = true; isOpen;) {
    isOpen = simulation.advance(700)
    seen = simulation.tables(seen).map((part) => {
      reused += part.fromRow
      return withPart(
        seen.find(({ name }) => name === part.rows.name),
        part,
      )
    })
  }
  const { series } = simulation.result(false)
  expect(series).toHaveLength(metrics.length + FURTHER.length)
  // The last intervals end with the run, which goes on after its last event.
  const whole = simulation.tables().map(({ rows }) => rows)
  expect(seen).toEqual(whole)
  expect(seen.map(({ kind }) => kind)).toEqual(series.map(({ kind }) => kind))
  expect(reused).toBeGreaterThan(0)
  simulation.close()
})

test.each([
  '',
  'faults: [{kind: pause-storm, hosts: host 3, from: 20us}]',
  'faults: [{kind: bernoulli, probability: 0.02}]',
])('every table is read as it was written: %s', async (faults) => {
  const { flows, series } = watched(`${incast('irn')}
nic: {receive: {kind: pipeline}, watchdog: 200us}
switch: {watchdog: {kind: generic}, layer2: {kind: tables}}
measure: {stop: 2ms}
${faults}
`)
  expect(await readFlows(writeParquet(flows), 'flows.parquet')).toEqual(flows)
  for (const table of series) {
    const file = `series/${table.name}.parquet`
    expect(await readSeries(writeParquet(table), file, table.name, table.kind)).toEqual(table)
  }
  // As a version that did not write kinds would have written them.
  for (const table of series.filter(({ kind }) => kind !== 'counters' && !FURTHER.includes(kind)))
    expect(await readSeries(writeParquet(table), `series/${table.name}.parquet`, table.name)).toEqual(table)
})
