/**
 * Every note is given however its setting is written, and names the place.
 */
import { describe, expect, test } from 'vitest'
import { topology as topologyImporter } from '../../importers/topology.ts'
import { createSimulation } from '../../lab/index.ts'
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import { outlineOf } from '../outline.ts'
import { type Note, NOTE_IDS } from './note.ts'
import { BASE, type Cell } from './table-cells.test-data.ts'
import { TABLE } from './table.test-data.ts'

function notesOf(scenario: Scenario): readonly Note[] {
  const simulation = createSimulation(scenario)
  const { notes } = outlineOf(scenario, simulation)
  simulation.close()
  return notes
}

function scenarioOf({ sets, text, file }: Cell): Scenario {
  if (file === undefined) return parseScenario(text ?? BASE, { sets: [...(sets ?? [])] })
  const { scenario } = topologyImporter.import({ path: 'net.txt', readFile: () => file, options: {} })
  return parseScenario(JSON.stringify(scenario))
}

const COLUMNS = ['base', 'device', 'port', 'later', 'workload', 'imported'] as const

test('the table has a row for each note', () => {
  expect(TABLE.map(({ id }) => id).toSorted()).toEqual([...NOTE_IDS].toSorted())
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

test('of many devices three have a note, and the others are counted', () => {
  const notes = notesOf(parseScenario(BASE, { sets: ['switch.buffer.believedDelay=1ns'] }))
  const alike = notes.filter(({ id }) => id === 'headroom-for-another-cable')
  // Three leaves with two hosts, and both ends of six links to the spines.
  expect(alike.map(({ others }) => others)).toEqual([0, 0, 15])
})

test('of a device that changes often the first time is said', () => {
  const changes = [1, 2, 3, 4].map((i) => `{path: switch.buffer.alpha, value: 1/${16 + i}, nodes: leaf 1, at: ${i}us}`)
  const notes = notesOf(parseScenario(BASE, { sets: [`changes=[${changes.join(', ')}]`] }))
  expect(notes.map(({ id, subject }) => [id, subject.device, subject.atPs])).toEqual([
    ['alpha-differs-in-role', 'leaf 1', 1_000_000],
  ])
})

test('texts begin with their place, and are no longer than a paragraph', () => {
  const texts = cells.flatMap(({ cell }) => notesOf(scenarioOf(cell)).map(({ text }) => text))
  for (const text of texts) expect([text, text.length < 800]).toEqual([text, true])
  const [note] = notesOf(
    parseScenario(BASE, { sets: ['changes=[{path: pfc.refresh, value: 0, nodes: leaf 1, ports: host 2, at: 1ms}]'] }),
  )
  expect(note?.text.startsWith('leaf 1, port to host 2, from 1.00 ms: ')).toBe(true)
})
