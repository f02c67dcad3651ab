import { describe, expect, test } from 'vitest'
import { MS } from '../../../base/params.ts'
import type { Readings } from './rule.ts'
import { watchdogRules } from './rules.ts'

/** A poll of 100 ms in the middle of a storm: a packet waits, none is sent, pauses arrive and never end. */
const STORM: Readings = {
  occupancyBytes: 1086,
  txPackets: 0,
  pfcRxPackets: 100,
  on2off: 0,
  pausedPs: 100 * MS,
  intervalPs: 100 * MS,
  isPaused: true,
  wasPaused: true,
  isPauseReceived: true,
}

/** Rules that see a storm in these readings. */
const seeing = (change: Partial<Readings>): string[] =>
  watchdogRules.filter((rule) => rule.holds({ ...STORM, ...change })).map(({ name }) => name)

describe('rules that see a storm', () => {
  test.each<[string, Partial<Readings>, string[]]>([
    ['in the middle of it', {}, ['generic', 'broadcom', 'nvidia', 'teralynx', 'cisco', 'paper']],
    ['where no packet waits', { occupancyBytes: 0 }, ['generic', 'broadcom', 'teralynx', 'cisco']],
    ['where one packet was sent', { txPackets: 1 }, ['broadcom', 'cisco']],
    ['where no PFC frame arrived', { pfcRxPackets: 0 }, ['nvidia', 'cisco']],
    ['where a pause ended once', { on2off: 1 }, ['generic', 'nvidia', 'teralynx', 'cisco']],
    ['at the first poll of it', { wasPaused: false }, ['generic', 'nvidia', 'teralynx', 'cisco']],
    ['after it', { isPaused: false }, ['generic', 'nvidia', 'teralynx']],
    ['paused for 99 % of the poll', { pausedPs: 99 * MS }, ['generic', 'broadcom', 'teralynx', 'cisco', 'paper']],
    ['paused for 80 % of the poll', { pausedPs: 80 * MS }, ['generic', 'broadcom', 'cisco', 'paper']],
    ['paused for 80 %, no packet waits', { pausedPs: 80 * MS, occupancyBytes: 0 }, ['broadcom', 'cisco']],
    [
      'paused for 81 %, no packet waits, no frame',
      { pausedPs: 81 * MS, occupancyBytes: 0, pfcRxPackets: 0 },
      ['generic', 'cisco'],
    ],
    ['not paused at all', { pausedPs: 0, isPaused: false, wasPaused: false, pfcRxPackets: 0 }, []],
  ])('%s', (_name, change, expected) => {
    expect(seeing(change)).toEqual(expected)
  })
})

test('a storm is over without PFC frames; for Cisco when the last one no longer pauses', () => {
  const quiet = (change: Partial<Readings>): string[] =>
    watchdogRules.filter((rule) => rule.isQuiet({ ...STORM, ...change })).map(({ name }) => name)
  expect(quiet({})).toEqual([])
  expect(quiet({ pfcRxPackets: 0 })).toEqual(['generic', 'broadcom', 'nvidia', 'teralynx', 'paper'])
  expect(quiet({ isPauseReceived: false })).toEqual(['cisco'])
})

test('rules have names of their own, a source and the same parameters', () => {
  expect(new Set(watchdogRules.map(({ name }) => name)).size).toBe(watchdogRules.length)
  const keys = watchdogRules.map(({ params }) => Object.keys(params).join())
  expect(new Set(keys).size).toBe(1)
  for (const { source } of watchdogRules) expect(source).toMatch(/sonic-swss|MS-Scale/)
})
