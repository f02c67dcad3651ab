import { describe, expect, test } from 'vitest'
import type { Outcome } from '../core/plan.ts'
import { findingsHere, reportHere } from '../core/run-here.test-run.ts'
import { Runs, type ValueOf } from '../core/runs.ts'
import { ofThroughputs, percentOf, throughput, withoutTimeouts } from './comparisons.ts'
import { ALL_EXPOSED, lossyGbn, modelPercent, TAIL_EXPOSED } from './lossy-gbn.ts'
import { lossyAt, PACKETS, SCHEMES, TIMEOUTS_MS } from './runs.ts'

const SEEDS = [1, 2, 3, 4]
const { outcomes, findings } = findingsHere(lossyGbn, 'small', SEEDS)
const runs = new Runs(outcomes)
const GO_BACK_N = lossyAt('go-back-n', 10, 0.01)

test("the paper's claims on single losses and on its setting hold in every run", () => {
  expect(findings.claims).toHaveLength(12)
  const others = findings.claims.filter(({ verdict }) => verdict !== 'reproduced')
  // The seven values of Table 1 are those that the runs are given.
  expect(others.map(({ id, verdict }) => [id, verdict])).toEqual([['gbn.table1', 'input']])
})

test('the seed moves scripted losses, and nothing else is lost', () => {
  for (const [lost, drops] of Object.entries({ '4a': 1, '4b': 1, '4c': 2, '4d': 2 })) {
    expect(runs.values('drops', { lost, recovery: 'go-back-n' })).toEqual(SEEDS.map(() => drops))
  }
  const moved = runs.where({ lost: '4d', recovery: 'go-back-n' }).outcomes
  expect(new Set(moved.map(({ digest }) => digest)).size).toBe(SEEDS.length)
})

test('the table of causes counts messages and timeouts of all runs', () => {
  const { rows } = findings.tables.at(-1)!
  const counted = SCHEMES.map((scheme) =>
    ['messages', 'timeouts'].map((of) => runs.sum(of, lossyAt(scheme, 100, 0.01))),
  )
  expect(counted.map(([messages]) => messages)).toEqual(SCHEMES.map(() => 10 * SEEDS.length))
  expect(counted[0]![1]).toBeGreaterThan(0)
  expect(rows.slice(0, SCHEMES.length).map((row) => row.slice(1, 3).map(Number))).toEqual(counted)
})

describe('at a loss of 1 %', () => {
  test.each([100, 10])('with %i ms Check EPSN is far above Send Twice, and both together are best', (timeoutMs) => {
    const [original, twice, check, improved] = SCHEMES.map(
      (scheme) => throughput(runs, lossyAt(scheme, timeoutMs, 0.01)).mean,
    )
    expect(check).toBeGreaterThan(2 * Math.max(original!, twice!))
    expect(improved).toBeGreaterThan(check!)
  })

  test.each(TIMEOUTS_MS)('the model is within ten points with %d ms', (timeoutMs) => {
    const { mean } = throughput(runs, lossyAt('go-back-n', timeoutMs, 0.01))
    for (const exposed of [ALL_EXPOSED, TAIL_EXPOSED]) {
      expect(Math.abs(mean - modelPercent(0.01, timeoutMs, exposed))).toBeLessThan(10)
    }
  })

  test('nearly all timeouts are caused by a lost NAK or a packet lost twice, and Check EPSN has few of these', () => {
    const repairs: ValueOf = (m) => m['nak']! + m['twice']!
    const { count, mean } = percentOf(runs, [repairs, GO_BACK_N], ['timeouts', GO_BACK_N])
    expect([count, mean > 85]).toEqual([SEEDS.length, true])
    const all = ['nak', 'twice', 'lastPacket', 'lastAck'].map((of) => runs.sum(of, GO_BACK_N))
    expect(all.reduce((a, b) => a + b)).toBe(runs.sum('timeouts', GO_BACK_N))
    expect(runs.sum(repairs, GO_BACK_N)).toBeGreaterThan(10 * runs.sum(repairs, lossyAt('check-epsn', 10, 0.01)))
  })

  test('Check EPSN is better at 500 us only if each packet sent restarts the timer', () => {
    const at = (recovery: 'check-epsn' | 'go-back-n', timer: 'answer' | 'packet') =>
      lossyAt(recovery, 0.5, 0.01, { timer })
    const better = (timer: 'answer' | 'packet'): number =>
      ofThroughputs(runs, [at('check-epsn', timer), at('go-back-n', timer)]).measured.mean
    expect(better('packet')).toBeGreaterThan(2)
    expect(Math.abs(better('answer'))).toBeLessThan(1)
  })
})

test('an order of schemes is judged by the sign of the mean difference, and the seeds in which it holds are counted', () => {
  const points = Array.from({ length: 12 }, (_, i) => lossyGbn.points('full', i + 1)).flat()
  const verdicts = (...slowSeeds: readonly number[]) => {
    const all = points.map(({ at, seed }): Outcome => {
      const index = ['improved-gbn', 'check-epsn', 'send-twice', 'go-back-n'].indexOf(String(at['recovery']))
      // Best first, except in some seeds, in which the last two schemes and the first two are swapped.
      const time = 10 + (slowSeeds.includes(seed) ? [1, 0, 3, 2][index]! : index)
      const known = { messages: 10, timePs: at['loss'] === 0 ? 10 : time }
      const measures = new Proxy(known, { get: (own, key) => Reflect.get(own, key) ?? 1 })
      return { at, seed, digest: '', measures }
    })
    return lossyGbn
      .findings('full', all)
      .claims.filter(
        ({ id, check }) => id === 'gbn.fig6a.order-1pct' || (id === 'gbn.fig6b.improved-best' && check === '1 %'),
      )
      .map(({ seeds, verdict }) => [seeds?.held, verdict])
  }
  const all = [12, 'reproduced']
  expect(verdicts()).toEqual([all, all, all, all])
  const most = [11, 'reproduced']
  expect(verdicts(3)).toEqual([most, all, most, most])
  const half = [6, 'undecided']
  expect(verdicts(1, 3, 5, 7, 9, 11)).toEqual([half, all, half, half])
})

test('throughput in runs without a timeout leaves out the seeds that have one', () => {
  const at = lossyAt('check-epsn', 100, 0.001)
  const one = (where: typeof at, seed: number, timePs: number, timeouts: number): Outcome => {
    return { at: where, seed, digest: '', measures: { messages: 10, timePs, timeouts } }
  }
  const lossless = lossyAt('go-back-n', 100, 0)
  const known = new Runs([one(lossless, 1, 100, 0), one(at, 1, 400, 1), one(lossless, 2, 100, 0), one(at, 2, 125, 0)])
  expect(throughput(known, at)).toMatchObject({ count: 2, mean: (100 * 200) / 525 })
  expect(throughput(withoutTimeouts(known, [at]), at)).toMatchObject({ count: 1, mean: 80 })
})

test('scenarios of the four schemes differ only in the recovery of their hosts', () => {
  const points = lossyGbn.points('full', 1)
  const others = SCHEMES.map((scheme) => {
    const wanted = Object.entries(lossyAt(scheme, 100, 0.01))
    const { scenario } = points.find(({ at }) => wanted.every(([axis, value]) => at[axis] === value))!
    const { recovery, ...rest } = scenario
    expect(recovery.kind).toBe(scheme)
    return rest
  })
  for (const other of others) expect(other).toEqual(others[0])
})

describe('claims without a figure', () => {
  test.each(TIMEOUTS_MS)('only 500 us fire without losses if eight hosts send to one: %d ms', (timeoutMs) => {
    const at = lossyAt('go-back-n', timeoutMs, 0, { pattern: 'eight-senders' })
    expect(runs.sum('drops', at)).toBe(0)
    expect(runs.values('timeouts', at).map((count) => count > 100)).toEqual(SEEDS.map(() => timeoutMs === 0.5))
  })

  test('go-back-0 has less throughput, short messages suffer more and pipelined ones less', () => {
    const usual = lossyAt('go-back-n', 100, 0.001)
    const short = lossyAt('go-back-n', 100, 0.001, { pattern: '64-packets' })
    const pipelined = lossyAt('go-back-n', 100, 0.001, { pattern: 'eight-at-once' })
    expect(ofThroughputs(runs, [pipelined, short]).measured.mean).toBeGreaterThan(50)
    expect(throughput(runs, short).mean).toBeLessThan(20)
    expect(ofThroughputs(runs, [usual, lossyAt('go-back-0', 100, 0.001)]).measured.mean).toBeGreaterThan(20)
  })

  test('MP-RDMA sends more duplicates in short messages, which consist of the last window alone', () => {
    const [two, eight, large] = [2, 8, PACKETS].map((packets) => {
      const at = { recovery: 'mp-rdma', packets }
      return percentOf(runs, ['resent', at], ['dataPackets', at]).mean
    })
    expect(two).toBeGreaterThan(50)
    expect(eight).toBeGreaterThan(50)
    expect(large).toBeLessThan(2)
  })
})

test('throughput without losses is one hundred percent, and no run is above it', () => {
  const lossless = lossyAt('go-back-n', 100, 0)
  expect(throughput(runs, lossless)).toEqual({ count: SEEDS.length, mean: 100, low: 100, high: 100 })
  const messagePs = runs.values('timePs', lossless)[0]! / 10
  const alone = runs.where({ pattern: 'one-by-one' })
  expect(alone.outcomes.length).toBeGreaterThan(100)
  expect(alone.range((m) => m['timePs']! / m['messages']!).least).toBe(messagePs)
})

test('the full size has every loss rate with every scheme and timeout', () => {
  const points = lossyGbn.points('full', 7)
  // Without losses, random ones, scripted ones, go-back-0, two patterns, three timeouts with several senders, MP-RDMA.
  expect(points).toHaveLength(1 + 4 * (3 * 8 + 2) + 10 + 2 + 2 * 2 + 3 + 5)
  expect(points.every((point) => point.scenario.seed === 7)).toBe(true)
})

test('the report has a page, nine figures and the measures', async () => {
  const { files, findings: small } = await reportHere(lossyGbn, 'small', [1])
  expect(files.map((file) => file.path.replace(/^lossy-gbn-?/, ''))).toEqual([
    '.md',
    '.json',
    ...['2', '3', '6a', '6b', '6c', '7a', '7b', '7c', '7d'].map((name) => `figure-${name}.svg`),
    'claims.csv',
    '.csv',
  ])
  expect(small.claims.map(({ id }) => id)).toContain('gbn.table1')
  expect(files[0]?.text).not.toMatch(/NaN|undefined/)
})
