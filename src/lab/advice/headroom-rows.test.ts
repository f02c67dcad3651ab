import { describe, expect, test } from 'vitest'
import { headroomPlan, topologyOf } from '../index.ts'
import { parseScenario } from '../scenario/index.ts'
import { headroomRows } from './headroom-rows.ts'

const SHARED = '{kind: shared-buffer, size: 8MB}'

function rowsOf(buffer: string, family = 'off', topology = '{kind: star, hosts: 3, linkDelay: 200ns}'): string[] {
  const scenario = parseScenario(`
name: rows
topology: ${topology}
switch: {family: ${family}, buffer: ${buffer}}
workload: [{kind: incast, senders: 2}]`)
  return headroomRows(scenario, headroomPlan(scenario, topologyOf(scenario)))
}

describe('check says what each kind of port needs and has', () => {
  test('in the simulation', () => {
    expect(rowsOf(SHARED)).toEqual([
      expect.stringMatching(
        /^per class and port at 100 Gbps and 200 ns: needs 8\.\d+ KB, has 8\.\d+ KB, margin \d+ B$/,
      ),
      expect.stringMatching(/^hardware needs more, .* switch\.family$/),
      expect.stringMatching(/^7\.9\d MB left to share$/),
    ])
  })

  test('and on hardware of a family: by its formula, by what is shipped, or as an estimate', () => {
    expect(rowsOf(SHARED, 'spc1').join()).not.toMatch(/hardware needs more/)
    // The shipped row for 100 Gb/s and 40 m is 38,912 bytes.
    expect(rowsOf(SHARED, 'spc1')[0]).toMatch(/; spc1 needs 38\.9 KB, margin -30\.\d KB$/)
    expect(rowsOf(SHARED, 'th3')[0]).toMatch(/; th3 keeps 74\.4 KB \(DellEMC-Z9332f-O32\): too little$/)
    expect(rowsOf('{kind: shared-buffer, size: 8MB, headroom: 75KB}', 'th3')[0]).toMatch(/: enough$/)
    expect(rowsOf(SHARED, 'th3', '{kind: star, hosts: 3, linkDelay: 1us}')[0]).toMatch(
      /; th3: cannot tell, an estimate is [\d.]+ KB$/,
    )
  })

  test('for three kinds at most; an input queue shares nothing', () => {
    const topology =
      '{kind: dumbbell, rates: ["0: 10Gbps", "1: 25Gbps", "2: 40Gbps"], hostRate: 100Gbps, bottleneckRate: 100Gbps, bottleneckDelay: 1us}'
    const rows = rowsOf('{kind: input-queued}', 'off', topology)
    expect(rows).toHaveLength(5)
    expect(rows[3]).toBe('1 more kind of port: rocelab headroom FILE has it')
  })
})
