import { describe, expect, test } from 'vitest'
import type { At, Outcome } from '../core/plan.ts'
import { findingsHere } from '../core/run-here.test-run.ts'
import { Runs } from '../core/runs.ts'
import { correlation, correlationsOf, IDLE, loadedOf, sumsOfOne, twoTier, type View } from './two-tier.ts'

const { outcomes, findings } = findingsHere(twoTier, 'small', [1])
const of = (measure: string, at: At): number => new Runs(outcomes).mean(measure, at).mean

describe('cut short', () => {
  const loaded = loadedOf('small')[0]!

  test('probes of an idle network take propagation and transmission times, and more under load', () => {
    // Two links of 2 m and two of 20 m each way, 570 bytes and the ACK four times: 1.2 us.
    expect(of('otherP500Us', IDLE)).toBeGreaterThan(0.8)
    expect(of('otherP500Us', IDLE)).toBeLessThan(1.5)
    expect(of('allP990Us', loaded)).toBeGreaterThan(20 * of('allP990Us', IDLE))
    expect([IDLE, loaded].map((at) => of('openProbes', at))).toEqual([0, 0])
  })

  test('servers share four uplinks, and nothing is lost', () => {
    expect(of('meanServerBps', loaded)).toBeLessThan(((4 * 40e9) / 20) * (1024 / 1106) * 1.01)
    expect(of('meanServerBps', loaded)).toBeGreaterThan(3e9)
    expect([of('drops', IDLE), of('drops', loaded), of('pauseFrames', IDLE)]).toEqual([0, 0, 0])
    expect(of('pauseFrames', loaded)).toBeGreaterThan(0)
  })

  test('short pause times need more frames for the same time paused', () => {
    const [long, short] = [65_535, 256].map((quanta) => ({ quanta, alpha: '1/64', fanIn: 12 }))
    expect(of('frames', long!)).toBeGreaterThan(0)
    expect(of('frames', short!)).toBeGreaterThan(2 * of('frames', long!))
    expect(of('pausedMs', short!) / of('pausedMs', long!)).toBeCloseTo(1, 0)
  })

  test('has no claims', () => {
    expect(findings.claims).toEqual([])
  })
})

describe('correlation', () => {
  test.each([
    ['on a rising line', [3, 5, 9], [1, 2, 4], 1],
    ['on a falling one', [9, 7, 3], [1, 2, 4], -1],
    ['if one of the two is constant', [3, 5, 9], [0.1, 0.1, 0.1], 0],
    ['of a line with a parabola', [1, -2, 1], [1, 2, 3], 0],
  ])('%s', (_, ys, xs, expected) => {
    expect(correlation(xs.map((x, i) => sumsOfOne(x, ys[i]!)))).toBeCloseTo(expected)
  })

  test('of frames is lower over all settings, but may be high within each setting', () => {
    // One sender per incast, paused as long as it is slow; frames depend on the pause time too.
    const made = twoTier.points('full', 1).flatMap(({ at }): Outcome[] => {
      if (at['traffic'] !== 'incast') return []
      const slowdown = Number(at['fanIn'])
      const frames = (slowdown * 65_535) / Number(at['quanta'])
      const measures = {
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
      return [{ at, seed: 1, digest: '', measures }]
    })
    const over = (view: View, signal: 'intervals' | 'frames') => correlationsOf(new Runs(made), 'full', view, signal)
    for (const view of ['senders', 'runs'] as const) {
      expect(over(view, 'intervals')).toEqual([expect.closeTo(1)])
      expect(over(view, 'frames')[0]).toBeLessThan(0.9)
    }
    expect([over('alone', 'intervals'), over('alone', 'frames')]).toEqual([[expect.closeTo(1)], [expect.closeTo(1)]])
  })
})

test('every claim has runs at full size', () => {
  const known = Object.fromEntries(outcomes.flatMap(({ measures }) => Object.keys(measures)).map((key, i) => [key, i]))
  const all = [1, 2].flatMap((seed) =>
    twoTier.points('full', seed).map(({ at }) => ({ at, seed, digest: '', measures: known })),
  )
  const { claims } = twoTier.findings('full', all)
  expect(claims.map(({ id }) => id)).toEqual([
    ...Array.from({ length: 3 }, () => 'rce.fig8.7gbps'),
    ...Array.from({ length: 3 }, () => 'rce.mon.pause-interval-better'),
  ])
  expect(claims.filter(({ measured }) => measured === '-')).toEqual([])
})
