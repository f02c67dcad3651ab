/** The pages on results name every field, column and status of a result, and no other status. */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { STATUS } from '../../src/lab/run/status.ts'
import { type RunJson, runJson, summarize } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { SMALL } from '../cli/program.ts'
import { quotedIn, read } from './pages.ts'

const columnsPage = read('docs/models/result-columns.md')
const quoted = new Set(quotedIn(read('docs/models/results.md')))
const quotedColumns = new Set(quotedIn(columnsPage))
const result = run(parseScenario(SMALL))

test('every field of the JSON is on the page', () => {
  const json: RunJson = runJson(result, summarize(result))
  const names = Object.entries(json).flatMap(([name, value]) =>
    name === 'flows' ? Object.keys(value as object).map((part) => `flows.${part}`) : [name],
  )
  expect(names.length).toBeGreaterThan(25)
  expect(names.filter((name) => !quoted.has(name))).toEqual([])
  for (const part of [...Object.keys(json.slowdown), ...Object.keys(json.completionPs)]) expect(quoted).toContain(part)
})

test('every column of flows.csv is on the page', () => {
  const names = result.flows.columns.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(15)
  expect(names.filter((name) => !quotedColumns.has(name))).toEqual([])
})

test('the table of statuses is that of the program', () => {
  const table = columnsPage.slice(columnsPage.indexOf('| status | meaning |'), columnsPage.indexOf('The reasons in'))
  const rows = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, text = '']) => text)
  expect([...rows, STATUS.notDue].toSorted()).toEqual(Object.values(STATUS).toSorted())
})
