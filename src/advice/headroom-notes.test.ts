import { describe, expect, test } from 'vitest'
import { headroomPlan, topologyOf } from '../lab/index.ts'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { headroomNotes, headroomRows } from './headroom-notes.ts'

function scenarioWith(buffer: string, family = 'off', topology = '{kind: star, hosts: 3, linkDelay: 200ns}'): Scenario {
  return parseScenario(`
name: noted
topology: ${topology}
switch: {family: ${family}, buffer: ${buffer}}
workload: [{kind: incast, senders: 2}]`)
}

const rowsOf = (scenario: Scenario): string[] => headroomRows(scenario, headroomPlan(scenario, topologyOf(scenario)))
const notesOf = (scenario: Scenario): string[] => headroomNotes(scenario, headroomPlan(scenario, topologyOf(scenario)))

const SHARED = '{kind: shared-buffer, size: 8MB}'

describe('check says what each kind of port needs and has', () => {
  test('in the simulation', () => {
    expect(rowsOf(scenarioWith(SHARED))).toEqual([
      expect.stringMatching(
        /^per class and port at 100 Gbps and 200 ns: needs 8\.\d+ KB, has 8\.\d+ KB, margin \d+ B$/,
      ),
      expect.stringMatching(/^hardware needs more, .* switch\.family$/),
      expect.stringMatching(/^7\.9\d MB left to share$/),
    ])
  })

  test('and on hardware of a family', () => {
    expect(rowsOf(scenarioWith(SHARED, 'spc1')).join()).not.toMatch(/hardware needs more/)
    // The shipped row for 100 Gb/s and 40 m is 38,912 bytes.
    expect(rowsOf(scenarioWith(SHARED, 'spc1'))[0]).toMatch(/; spc1 needs 38\.9 KB, margin -30\.\d KB$/)
  })

  test('for three kinds at most; an input queue shares nothing', () => {
    const topology =
      '{kind: dumbbell, rates: ["0: 10Gbps", "1: 25Gbps", "2: 40Gbps"], hostRate: 100Gbps, bottleneckRate: 100Gbps, bottleneckDelay: 1us}'
    const rows = rowsOf(scenarioWith('{kind: input-queued}', 'off', topology))
    expect(rows).toHaveLength(5)
    expect(rows[3]).toBe('1 more kind of port: rocelab headroom FILE has it')
  })
})

describe('warnings', () => {
  test('none where both sums are kept, or where no family is named', () => {
    expect(notesOf(scenarioWith(SHARED))).toEqual([])
    expect(notesOf(scenarioWith('{kind: shared-buffer, size: 8MB, headroom: 40KB}', 'spc1'))).toEqual([])
    expect(notesOf(scenarioWith('{kind: shared-buffer, size: 8MB, headroomFormula: hardware}', 'spc1'))).toEqual([])
  })

  test('below what hardware needs, with the remedy', () => {
    const [note, ...others] = notesOf(scenarioWith(SHARED, 'spc1'))
    expect(others).toEqual([])
    expect(note).toMatch(/^headroom is enough in this simulation and too little for hardware/)
    expect(note).toMatch(/spc1 needs 38\.9 KB on links of 100 Gbps and 200 ns, and 8\.\d+ KB are kept/)
    expect(note).toMatch(/set switch\.buffer\.headroomFormula=hardware/)
  })

  test('below what the simulation can need there is one note, about that', () => {
    const [note, ...others] = notesOf(scenarioWith('{kind: shared-buffer, size: 8MB, headroom: 4KB}', 'spc1'))
    expect(others).toEqual([])
    expect(note).toMatch(/^class 3 is paused by PFC and may still lose packets: 8\.\d+ KB can arrive after XOFF/)
  })
})
