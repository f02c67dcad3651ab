import { describe, expect, test } from 'vitest'
import { headroomPlan, topologyOf } from '../../index.ts'
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import { headroomNotes } from './headroom-notes.ts'

function scenarioWith(buffer: string, family = 'off', topology = '{kind: star, hosts: 3, linkDelay: 200ns}'): Scenario {
  return parseScenario(`
name: noted
topology: ${topology}
switch: {family: ${family}, buffer: ${buffer}}
workload: [{kind: incast, senders: 2}]`)
}

const SHARED = '{kind: shared-buffer, size: 8MB}'
const star = (rate: string, length: string): string => `{kind: star, hosts: 3, linkRate: ${rate}, linkDelay: ${length}}`
const managed = (bytes: number): string => `{kind: memory-manager, size: 160MB, cell: 254B, headroom: ${bytes}B}`

function factsOf(scenario: Scenario): unknown[] {
  const notes = headroomNotes(scenario, headroomPlan(scenario, topologyOf(scenario)))
  return notes.map(({ id, values }) => [id, values])
}
const idsOf = (scenario: Scenario): string[] =>
  headroomNotes(scenario, headroomPlan(scenario, topologyOf(scenario))).map(({ id }) => id)

test('none where both sums are kept, or where no family is named', () => {
  expect(idsOf(scenarioWith(SHARED))).toEqual([])
  expect(idsOf(scenarioWith('{kind: shared-buffer, size: 8MB, headroom: 40KB}', 'spc1'))).toEqual([])
  expect(idsOf(scenarioWith('{kind: shared-buffer, size: 8MB, headroomFormula: hardware}', 'spc1'))).toEqual([])
})

test('below what hardware needs', () => {
  // The shipped row for 100 Gb/s and 40 m, of lossless packets of 1,024 bytes, is 38,912 bytes.
  expect(factsOf(scenarioWith(SHARED, 'spc1'))).toEqual([
    ['headroom-below-family', expect.objectContaining({ family: 'spc1', neededBytes: 38_912, ports: 3 })],
  ])
})

test('below what the simulation can need there is one note, about that', () => {
  expect(factsOf(scenarioWith('{kind: shared-buffer, size: 8MB, headroom: 4KB}', 'spc1'))).toEqual([
    ['headroom-below-need', expect.objectContaining({ givenBytes: 4000 })],
  ])
})

describe('families without a public formula: shipped tables decide', () => {
  const th5 = (bytes: number, length = '40m', rate = '400Gbps'): string[] =>
    idsOf(scenarioWith(managed(bytes), 'th5', star(rate, length)))

  test('too little below the smallest row, enough from the largest on', () => {
    expect(factsOf(scenarioWith(managed(270_000), 'th5', star('400Gbps', '40m')))).toEqual([
      [
        'headroom-below-family',
        expect.objectContaining({ givenBytes: 270_000, leastShippedBytes: 445_770, mostShippedBytes: 445_770 }),
      ],
    ])
    expect(th5(445_769)).toEqual(['headroom-below-family'])
    expect(th5(445_770)).toEqual([])
    // An estimate says 1,112,774 bytes.
    expect(th5(1_621_535, '300m', '800Gbps')).toEqual(['headroom-below-family'])
    expect(th5(1_621_536, '300m', '800Gbps')).toEqual([])
  })

  test('between two rows the model of the switch decides', () => {
    expect([425_957, 425_958, 445_769, 445_770].map((bytes) => th5(bytes, '5m'))).toEqual([
      ['headroom-below-family'],
      ['headroom-of-family-unknown'],
      ['headroom-of-family-unknown'],
      [],
    ])
  })

  test('without a row nothing is known, and the sum is an estimate', () => {
    expect(factsOf(scenarioWith(managed(2_000_000), 'th5', star('400Gbps', '41m')))).toEqual([
      ['headroom-of-family-unknown', expect.objectContaining({ estimateBytes: expect.any(Number) })],
    ])
  })

  test('headroomFormula=hardware keeps the largest row', () => {
    const buffer = '{kind: shared-buffer, size: 80MB, headroomFormula: hardware}'
    const scenario = scenarioWith(buffer, 'th5', star('400Gbps', '5m'))
    expect(headroomPlan(scenario, topologyOf(scenario))?.kinds[0]?.givenBytes).toBe(445_770)
    expect(idsOf(scenario)).toEqual([])
  })

  test('a switch with its own shipped headroom has enough for its family, though less than its simulation can need', () => {
    const scenario = scenarioWith(
      '{kind: memory-manager, cell: 208B, headroom: 101088B}',
      'th2',
      star('100Gbps', '300m'),
    )
    const [kind] = headroomPlan(scenario, topologyOf(scenario))!.kinds
    expect([kind!.verdict, kind!.shipped.map(({ bytes }) => bytes)]).toEqual(['enough', [101_088]])
  })
})
