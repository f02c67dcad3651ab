/**
 * Every note is given however its setting is written, and names the place.
 */
import { describe, expect, test } from 'vitest'
import { topology as topologyImporter } from '../../../importers/topology.ts'
import { FABRIC_FINDINGS, type Finding, findingText, SCENARIO_FINDINGS } from '../../../core/findings/index.ts'
import { createSimulation } from '../../index.ts'
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import { outlineOf } from '../outline.ts'
import { BASE, type Cell, change, changing } from './table-cells.test-data.ts'
import { TABLE } from './table.test-data.ts'

function notesOf(scenario: Scenario): readonly Finding[] {
  const simulation = createSimulation(scenario)
  const { findings: notes } = outlineOf(scenario, simulation)
  simulation.close()
  return notes
}

function scenarioOf({ sets, text, file }: Cell): Scenario {
  if (file === undefined) return parseScenario(text ?? BASE, { sets: [...(sets ?? [])] })
  const { scenario } = topologyImporter.import({ path: 'net.txt', readFile: () => file, options: {} })
  return parseScenario(JSON.stringify(scenario))
}

/** Rules of fabrics, which have tests of their own beside their files. */
const RULES: ReadonlySet<string> = new Set(FABRIC_FINDINGS.map(({ id }) => id))

const COLUMNS = ['base', 'device', 'port', 'later', 'workload', 'imported'] as const

test('the table has a row for each note', () => {
  const ids = TABLE.map(({ id }) => id).filter((id) => !RULES.has(id))
  expect(ids.toSorted()).toEqual(SCENARIO_FINDINGS.map(({ id }) => id).toSorted())
})

const cells = TABLE.flatMap((row) =>
  COLUMNS.flatMap((column) => {
    const entry = row[column]
    return typeof entry === 'string' ? [] : [{ id: row.id, column, cell: entry }]
  }),
)

test('the base has no notes', () => {
  expect(notesOf(parseScenario(BASE))).toEqual([])
})

describe('each way to write a setting gives its note', () => {
  test.each(cells)('$id, $column', ({ id, cell }) => {
    const notes = notesOf(scenarioOf(cell)).filter((note) => note.id === id)
    const { device, port, workload, atPs, values } = cell
    const subject = Object.fromEntries(
      Object.entries({ device, port, workload, atPs }).filter(([, value]) => value !== undefined),
    )
    const found = notes.map((note) => ({ subject: note.subject, values: note.values }))
    expect(found).toContainEqual({
      subject: expect.objectContaining(subject),
      values: expect.objectContaining(values ?? {}),
    })
    // No place is named that is not meant.
    const given = { device, workload, atPs }
    const named = (['device', 'workload', 'atPs'] as const).filter(
      (name) => given[name] === undefined && notes.some((note) => note.subject[name] !== undefined),
    )
    expect(named).toEqual([])
  })
})

test('the same mistake at many places is one finding, at the worst of them, with a list of the others', () => {
  const notes = notesOf(
    parseScenario(BASE, {
      sets: [changing(change('switch.buffer.believedDelay', '1ns', 'nodes: switches, ports: hosts'))],
    }),
  )
  const alike = notes.filter(({ id }) => id === 'buf03')
  // Three leaves with two hosts.
  expect(alike.map(({ also }) => also.length)).toEqual([5])
  const ports = [alike[0]!, ...alike[0]!.also].map(({ subject: { device, port } }) => `${device} ${port}`)
  expect(new Set(ports).size).toBe(6)
})

test('places are listed from the worst on', () => {
  const short = (node: string, delay: string): string => change('switch.buffer.believedDelay', delay, `nodes: ${node}`)
  const notes = notesOf(parseScenario(BASE, { sets: [changing(short('leaf 0', '100ns'), short('leaf 2', '1ns'))] }))
  const [one] = notes.filter(({ id }) => id === 'buf03')
  expect([one!, ...one!.also].map(({ subject }) => subject.device)).toEqual(['leaf 2', 'leaf 0'])
})

test('of a device that changes often the first time is said', () => {
  const changes = [1, 2, 3, 4].map((i) => `{path: switch.buffer.alpha, value: 1/${16 + i}, nodes: leaf 1, at: ${i}us}`)
  const notes = notesOf(parseScenario(BASE, { sets: [`changes=[${changes.join(', ')}]`] }))
  expect(notes.map(({ id, subject }) => [id, subject.device, subject.atPs])).toEqual([
    ['buf05', 'leaf 1', 1_000_000],
    ['buf04', 'leaf 1', 1_000_000],
  ])
})

test('the words of each finding are those of the golden file', async () => {
  const lines = TABLE.flatMap((row) =>
    COLUMNS.flatMap((column) => {
      const cell = row[column]
      if (typeof cell === 'string') return []
      const notes = notesOf(scenarioOf(cell)).filter(({ id }) => id === row.id)
      return notes.map((note) => `${row.id}, ${column}: ${findingText(note)}`)
    }),
  )
  for (const line of lines) expect([line, line.length < 900]).toEqual([line, true])
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('notes.golden.txt')
})
