/**
 * Observers' tables that lack a column: for every table of two results with all observers, and each of its columns, the page,
 * the figures and the texts come out without it, or it is a mistake in the input that names file and column. Flows without a
 * column are refused when they are read (src/core/results/stored/table.test.ts).
 */
import { beforeAll, expect, test } from 'vitest'
import { reportedRun, resultFacts } from '../../src/lab/advice/reported-run.ts'
import { InputError } from '../../src/core/base/issue.ts'
import { run } from '../../src/lab/index.ts'
import { resultFigures } from '../../src/show/figure/index.ts'
import { runReport } from '../../src/show/html/index.ts'
import { differenceOf, explain, explainText, flowLifeText, pauseText } from '../../src/show/index.ts'
import type { Result, Table } from '../../src/core/results/index.ts'
import { noteFile } from '../../src/core/results/table.ts'
import { formatScenario, parseScenario } from '../../src/lab/scenario/index.ts'

const OBSERVE =
  'observe: [queue-depth, pause-intervals, pause-log, pause-tree, deadlock, drops, goodput, pair-goodput, rates, link-use, nic-receive, watchdog, watermarks, autopsy, server-state, counters]'
const SCENARIOS: Readonly<Record<string, string>> = {
  storm: `
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}
nic: {watchdog: 1ms}
switch: {watchdog: paper}
workload:
  - {kind: incast, senders: 3, receiver: 3, sizeEach: 60KB, tag: a}
  - {kind: pingmesh, interval: 100us, qp: {ackTimeout: 200us, retryLimit: 2}}
faults:
  - {kind: pause-storm, hosts: host 3, from: 5us}
measure: {stop: 3ms}
${OBSERVE}`,
  job: `
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}
congestion: dcqcn
workload:
  - {kind: collective, operation: all-reduce, algorithm: ring, size: 256KiB, channels: 2, tag: step}
${OBSERVE}`,
}

let results: Record<string, Result>
beforeAll(() => {
  results = Object.fromEntries(Object.entries(SCENARIOS).map(([name, text]) => [name, run(parseScenario(text))]))
})

const STYLE = { style: '', styleHash: '', script: '', scriptHash: '' }

/** Everything that is made of a result; what draws is given the damaged table alone, since drawing the others takes long. */
const MAKERS: Readonly<Record<string, (result: Result, whole: Result) => unknown>> = {
  report: (result) => {
    const scenarioText = formatScenario(parseScenario(JSON.stringify(result.scenario)))
    const stored = { result, scenarioText, scenarioList: () => undefined }
    return runReport([reportedRun(stored, { label: 'r', folder: 'r' })], STYLE)
  },
  plot: (result) => resultFigures([{ label: 'r', result }], {}),
  explain: (result) => explainText(explain(result, resultFacts(result))),
  flow: (result) => flowLifeText(result, 0),
  difference: (result, whole) => differenceOf(result, whole, new Set()),
  pauses: (result) => pauseText(result),
}

const DRAWING: ReadonlySet<string> = new Set(['report', 'plot'])

/** The table without one column, as if it had been read from a file. */
function lacking(table: Table, column: string): Table {
  return noteFile({ ...table, columns: table.columns.filter(({ name }) => name !== column) }, `${table.name}.parquet`)
}

test.each(Object.keys(SCENARIOS))('each column of each table of %s', { timeout: 240_000 }, (scenario) => {
  const whole = results[scenario]!
  const refused: string[] = []
  const faults: string[] = []
  for (const table of whole.series) {
    for (const { name } of table.columns) {
      const damaged = lacking(table, name)
      const among = whole.series.map((one) => (one === table ? damaged : one))
      for (const [maker, make] of Object.entries(MAKERS)) {
        try {
          make({ ...whole, series: DRAWING.has(maker) ? [damaged] : among }, whole)
        } catch (error) {
          const isPlain = error instanceof InputError && error.message.includes(`${table.name}.parquet: ${name}:`)
          if (isPlain) refused.push(`${maker} ${table.name} ${name}`)
          else faults.push(`${maker}, ${table.name} without ${name}: ${String(error)}`)
        }
      }
    }
  }
  expect(faults).toEqual([])
  for (const maker of DRAWING) expect(refused.filter((one) => one.startsWith(maker)).length, maker).toBeGreaterThan(20)
})
