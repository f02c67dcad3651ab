import { describe, expect, test } from 'vitest'
import type { Measures, Outcome } from '../core/old/plan.ts'
import { findingsHere, reportHere } from '../core/old/run-here.test-run.ts'
import { correlation, correlationsOf, PAUSE_GRIDS, pauseConditionOf } from './two-tier-pauses.ts'
import { IDLE, LOADED, quantileKey } from './two-tier-runs.ts'
import { twoTier } from './two-tier.ts'

const { outcomes, findings } = findingsHere(twoTier, 'small', [1])
const measures = (condition: string): Measures => outcomes.find((each) => each.condition === condition)!.measures

describe('cut short', () => {
  const [idle, loaded] = [measures(IDLE), measures(LOADED[0]!)]

  test('probes of an idle network take propagation and transmission times, and more under load', () => {
    // Two links of 2 m and two of 20 m each way, 570 bytes and the ACK four times: 1.2 us.
    expect(idle[quantileKey('other', 0.5)]).toBeGreaterThan(0.8)
    expect(idle[quantileKey('other', 0.5)]).toBeLessThan(1.5)
    expect(idle[quantileKey('same', 0.5)]).toBeLessThan(idle[quantileKey('other', 0.5)]!)
    expect(loaded[quantileKey('other', 0.99)]).toBeGreaterThan(20 * idle[quantileKey('other', 0.99)]!)
    expect([idle['openProbes'], loaded['openProbes']]).toEqual([0, 0])
  })

  test('servers share four uplinks, and nothing is lost', () => {
    expect(loaded['meanServerBps']).toBeLessThan(((4 * 40e9) / 20) * (1024 / 1106) * 1.01)
    expect(loaded['meanServerBps']).toBeGreaterThan(3e9)
    expect([idle['drops'], loaded['drops'], idle['pauseFrames']]).toEqual([0, 0, 0])
    expect(loaded['pauseFrames']).toBeGreaterThan(0)
  })

  test('short pause times need more frames for the same time paused', () => {
    const [long, short] = [65_535, 256].map((quanta) => measures(pauseConditionOf({ quanta, alpha: '1/64' }, 12)))
    expect(long!['frames']).toBeGreaterThan(0)
    expect(short!['frames']).toBeGreaterThan(2 * long!['frames']!)
    expect(short!['pausedMs']! / long!['pausedMs']!).toBeCloseTo(1, 0)
  })

  test('has no claims', () => {
    expect(findings.claims).toEqual([])
    expect(findings.tables.map(({ rows }) => rows.length)).toEqual([6, 1, 4, 3])
  })
})

describe('correlation', () => {
  const sumsOf = (points: readonly (readonly [x: number, y: number])[]) => ({
    count: points.length,
    x: points.reduce((total, [x]) => total + x, 0),
    y: points.reduce((total, [, y]) => total + y, 0),
    xx: points.reduce((total, [x]) => total + x * x, 0),
    yy: points.reduce((total, [, y]) => total + y * y, 0),
    xy: points.reduce((total, [x, y]) => total + x * y, 0),
  })

  test('is 1 on a rising line, -1 on a falling one, and 0 if one of the two is constant', () => {
    expect(
      correlation(
        sumsOf([
          [1, 3],
          [2, 5],
          [4, 9],
        ]),
      ),
    ).toBeCloseTo(1)
    expect(
      correlation(
        sumsOf([
          [1, 9],
          [2, 7],
          [4, 3],
        ]),
      ),
    ).toBeCloseTo(-1)
    expect(
      correlation(
        sumsOf([
          [0.1, 3],
          [0.1, 5],
          [0.1, 9],
        ]),
      ),
    ).toBe(0)
    expect(
      correlation(
        sumsOf([
          [1, 1],
          [2, -2],
          [3, 1],
        ]),
      ),
    ).toBeCloseTo(0)
  })

  test('of frames is lower over all settings, but may be high within each setting', () => {
    const { settings, senders } = PAUSE_GRIDS.full
    // One sender per incast, paused as long as it is slow; frames depend on the pause time too.
    const made: Outcome[] = settings.flatMap((setting) =>
      senders.map((slowdown) => {
        const frames = (slowdown * 65_535) / setting.quanta
        const sums = {
          senders: 1,
          slowdown,
          pausedMs: slowdown,
          frames,
          slowdown2: slowdown * slowdown,
          pausedMs2: slowdown * slowdown,
          frames2: frames * frames,
          slowdownPausedMs: slowdown * slowdown,
          slowdownFrames: slowdown * frames,
        }
        return { condition: pauseConditionOf(setting, slowdown), seed: 1, digest: '', measures: sums }
      }),
    )
    for (const view of ['senders', 'runs'] as const) {
      const { intervals, frames } = correlationsOf(made, 'full', view)
      expect(intervals).toBeCloseTo(1)
      expect(frames).toBeLessThan(0.9)
    }
    const alone = correlationsOf(made, 'full', 'alone')
    expect([alone.intervals, alone.frames]).toEqual([expect.closeTo(1), expect.closeTo(1)])
  })
})

describe('at full size', () => {
  test('every claim has runs', () => {
    const known = Object.fromEntries(
      [...new Set(outcomes.flatMap((outcome) => Object.keys(outcome.measures)))].map((key, i) => [key, 1 + i]),
    )
    const all = [1, 2].flatMap((seed) =>
      twoTier.plan.points('full', seed).map(({ condition }) => ({ condition, seed, digest: '', measures: known })),
    )
    const { claims, tables } = twoTier.plan.conclude(all, 'full')
    expect(claims.map(({ id }) => id.replace(/ \[.*/, ''))).toEqual([
      ...Array.from({ length: 3 }, () => 'rce.fig8.7gbps'),
      ...Array.from({ length: 3 }, () => 'rce.mon.pause-interval-better'),
    ])
    expect(claims.filter(({ measured }) => measured === '-')).toEqual([])
    for (const table of tables) expect(table.rows.flat(), table.title).not.toContain('-')
  })
})

test('the report has a page, three figures and the measures', async () => {
  const { files } = await reportHere(twoTier, 'small', [1])
  expect(files.map(({ path }) => path)).toEqual([
    'two-tier.md',
    'two-tier.json',
    'two-tier-latency.svg',
    'two-tier-servers.svg',
    'two-tier-pauses.svg',
    'two-tier.csv',
  ])
})
