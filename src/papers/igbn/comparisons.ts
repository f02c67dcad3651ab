/**
 * Claims of the IGBN paper about throughputs under random losses, as data: how much a scheme keeps, which of two is
 * better, and where a curve bends. A claim that leaves open which loss rate it means has a check for each.
 * Throughput is the time that the messages of all runs would take without a loss over the time that they took. A mean of
 * the runs' throughputs would count one timeout in a run of few messages like a hundred in a run of many.
 * Units: percent.
 */
import type { Interval } from '../../core/results/index.ts'
import { ABOVE_ZERO, atLeast, atMost, type Band, between, type Claim, claim, near } from '../core/findings.ts'
import { ofSums } from '../core/over-seeds.ts'
import { product } from '../core/grid.ts'
import { keyOf } from '../core/plan.ts'
import { Runs, type ValueOf, type Where } from '../core/runs.ts'
import {
  LOSSES,
  type LossyAt,
  lossyAt,
  NAMES,
  percentText,
  type Scheme,
  SCHEMES,
  TIMEOUTS_MS,
  timeoutText,
  TIMERS,
} from './runs.ts'

interface Estimate {
  readonly measured: Interval
  /** One value per seed. */
  readonly values: readonly number[]
}

/** A function of sums over runs. Each column has a value per seed. */
function ofColumns(columns: readonly number[][], valueOf: (sums: readonly number[]) => number): Estimate {
  const rows = columns[0]!.map((_, seed) => columns.map((column) => column[seed]!))
  return { measured: ofSums(rows, valueOf), values: rows.map(valueOf) }
}

/** A measure, summed over the runs of a point. */
type Total = readonly [of: ValueOf, at: Where]

/** One total as a share of another, which lies between `least` and 100 %. */
export function percentOf(runs: Runs, part: Total, whole: Total, least = 0): Interval {
  const columns = [part, whole].map(([of, at]) => runs.values(of, at))
  return within(ofColumns(columns, ([a, b]) => (100 * a!) / b!).measured, least)
}

/** Time of a message without a loss, which is the same in every run, ps. */
export function messagePs(runs: Runs, pattern: LossyAt['pattern'] = 'one-by-one'): number {
  const lossless = runs.where({ pattern, loss: 0 })
  return lossless.sum('timePs') / lossless.sum('messages')
}

/** A function of the throughputs at several points: the only one, or the first less the second, unless given. */
export function ofThroughputs(
  runs: Runs,
  ats: readonly LossyAt[],
  valueOf: (percents: readonly number[]) => number = ([first, second = 0]) => first! - second,
): Estimate {
  const columns = ats.flatMap((at) => {
    const [own, basePs] = [runs.where(at), messagePs(runs, at.pattern)]
    return [own.values((m) => 100 * basePs * m['messages']!), own.values('timePs')]
  })
  const { measured, values } = ofColumns(columns, (sums) => valueOf(ats.map((_, i) => sums[2 * i]! / sums[2 * i + 1]!)))
  // No message is faster than without a loss.
  return { measured: ats.length === 1 ? within(measured, 0) : measured, values }
}

export const throughput = (runs: Runs, at: LossyAt): Interval => ofThroughputs(runs, [at]).measured

/** The repetitions without a timeout at any of the points, and the runs without losses. */
export function withoutTimeouts(runs: Runs, ats: readonly LossyAt[]): Runs {
  const timeouts = ats.map((at) => runs.values('timeouts', at))
  const clean = new Set(runs.seeds.filter((_, i) => timeouts.every((counts) => counts[i] === 0)))
  return new Runs(runs.outcomes.filter(({ at, seed }) => clean.has(seed) || at['loss'] === 0))
}

function within(interval: Interval, least: number): Interval {
  return { ...interval, low: Math.max(least, interval.low), high: Math.min(100, interval.high) }
}

interface Comparison {
  readonly id: string
  readonly check: string
  readonly ats: readonly LossyAt[]
  /** Above zero unless given; the seeds in which it holds are counted then. */
  readonly band?: Band | undefined
  /** A function of the throughputs there: the only one, or the first less the second, unless given. */
  readonly of?: (percents: readonly number[]) => number
  readonly unit?: string
  /** Only repetitions without a timeout count. */
  readonly isClean?: boolean
  readonly why?: string
}

/** A check with its name, points and band, and perhaps another function of the throughputs. */
const compare = (
  id: string,
  check: string,
  ats: readonly LossyAt[],
  band?: Band,
  more: Pick<Comparison, 'of' | 'unit' | 'isClean' | 'why'> = {},
): Comparison => ({ id, check, ats, band, ...more })

const runsOf = (scheme: Scheme) => (timeoutMs: number, loss: number) => lossyAt(scheme, timeoutMs, loss)
const original = runsOf('go-back-n')
const twice = runsOf('send-twice')
const checked = runsOf('check-epsn')
const improved = runsOf('improved-gbn')
/** Best first, in the order of the paper. */
const ORDER: readonly Scheme[] = ['improved-gbn', 'check-epsn', 'send-twice', 'go-back-n']
const original10 = (loss: number): LossyAt => original(10, loss)
const KNEE = [0.0001, 0.001, 0.01].map((loss) => original(100, loss))
/** Loss rates above 0.1 %. */
const MUCH_LOST = [0.002, 0.005, 0.01]

/** Throughputs that the paper's text gives, and by how much ours may differ. */
const PRINTED: readonly (readonly [id: string, at: LossyAt, percent: number, by: number, why?: string])[] = [
  ['gbn.fig2.1e-3', original(100, 0.001), 45, 15],
  ['gbn.fig2.1e-2', original(100, 0.01), 3, 2.5],
  [
    'gbn.fig6a.gbn-70-at-1e-4',
    original(100, 0.0001),
    70,
    25,
    'It contradicts the 45 % that the paper has at ten times the loss rate (see the remarks).',
  ],
  [
    'gbn.fig6a.ce-97.2',
    checked(100, 0.001),
    97.2,
    3,
    'Reasons 1 and 2 remain: two timeouts in a thousand messages, each as long as a hundred messages.',
  ],
  ['gbn.fig6a.improved-64', improved(100, 0.01), 64, 8],
  ['gbn.fig6b.improved-60', improved(10, 0.01), 60, 8],
  ['gbn.fig7a.10ms-13.2', original(10, 0.01), 13.2, 3],
  ['gbn.fig7c.ce-68-at-0.2', checked(100, 0.002), 68, 10],
  ['gbn.fig7c.ce-17.6-at-1', checked(100, 0.01), 17.6, 9],
]

/** The value of the paper's text, if it has one. */
export function paperPercent(at: LossyAt): number | undefined {
  return PRINTED.find(([, printed]) => keyOf(printed) === keyOf(at))?.[2]
}

const range = (values: readonly number[]): number => Math.max(...values) - Math.min(...values)
/** Range over the timeouts of one scheme less that of another. */
const wider = (percents: readonly number[]): number =>
  range(percents.slice(0, TIMEOUTS_MS.length)) - range(percents.slice(TIMEOUTS_MS.length))
const eachTimeout = (scheme: Scheme, loss: number): LossyAt[] =>
  TIMEOUTS_MS.map((timeoutMs) => lossyAt(scheme, timeoutMs, loss))

/** Goodput lost from the second of three points to the third, less `times` that lost from the first to the second. */
const bend =
  (times: number) =>
  ([low, knee, high]: readonly number[]): number =>
    knee! - high! - times * (low! - knee!)

const COMPARISONS: readonly Comparison[] = [
  compare('gbn.fig2.no-effect-below-1e-5', '', [original(100, 0.00001)], near(100, 3)),
  compare('gbn.fig7a.100ms-zero', '', [original(100, 0.01)], near(0, 3)),
  compare('gbn.fig7d.st-zero-at-1', '100 ms', [twice(100, 0.01)], near(0, 5)),
  compare('gbn.fig7d.st-zero-at-1', '10 ms', [twice(10, 0.01)], near(0, 15), {
    why: 'Send Twice cannot be below Go-Back-N, which has 13.2 % in the paper: only 100 ms can be meant.',
  }),
  compare('gbn.fig6a.ce-97.2', 'runs without a timeout', [checked(100, 0.001)], near(97.2, 3), { isClean: true }),
  compare('gbn.abstract.60-at-1pct', '', [improved(100, 0.01)], near(60, 8)),
  compare('gbn.intro.2.8pct-lower', '', [improved(100, 0.001)], near(2.8, 2), { of: ([kept]) => 100 - kept! }),
  ...product({ timeoutMs: TIMEOUTS_MS, loss: [0.00001, 0.0001, 0.0005] }).map(({ timeoutMs, loss }) =>
    compare(
      'gbn.fig7c.ce-good-below-0.1',
      `${timeoutText(timeoutMs)}, ${percentText(loss)}`,
      [checked(timeoutMs, loss)],
      atLeast(90),
      { why: 'Reasons 1 and 2 remain: one timeout in a thousand messages at a loss of 0.05 %.' },
    ),
  ),
  ...[100, 10].map((timeoutMs) =>
    compare('gbn.fig7d.st-starts-0.01', timeoutText(timeoutMs), [twice(timeoutMs, 0.0001)], atMost(99), {
      why: 'Timeouts of reasons 3 and 4 need two losses: at most eight messages in 100,000 have one. A single loss, in two messages of five, costs 6 of 910 us.',
    }),
  ),
  ...ORDER.slice(1).map((scheme, i) => {
    const better = ORDER[i]!
    const ats = [better, scheme].map((each) => lossyAt(each, 100, 0.01))
    return compare('gbn.fig6a.order-1pct', `${NAMES[better]} over ${NAMES[scheme]}`, ats)
  }),
  ...MUCH_LOST.map((loss) => {
    const ats = ORDER.map((scheme) => lossyAt(scheme, 10, loss))
    const of = ([best, ...others]: readonly number[]): number => best! - Math.max(...others)
    return compare('gbn.fig6b.improved-best', percentText(loss), ats, undefined, { of })
  }),
  ...[0.0001, 0.0002, 0.0005].map((loss) => {
    const ats = [checked(100, loss), improved(100, loss)]
    return compare('gbn.fig6a.ce-slightly-better-than-improved', percentText(loss), ats, ABOVE_ZERO, {
      isClean: true,
      why: 'In runs without a timeout. The copy of the last packet is sent while the sender waits for an ACK and costs no time: chance decides which is ahead.',
    })
  }),
  compare('gbn.fig6a.st-little-better-at-0.1', '', [twice(100, 0.001), original(100, 0.001)], between(0, 15)),
  ...MUCH_LOST.map((loss) =>
    compare('gbn.fig6b.ce-little-worse', percentText(loss), [improved(10, loss), checked(10, loss)], between(0, 15)),
  ),
  compare('gbn.fig6b.ce-much-better', '', [checked(10, 0.01), twice(10, 0.01)], atLeast(2), {
    of: ([a, b]) => a! / b!,
    unit: ' x',
  }),
  compare('gbn.fig2.knee-at-0.1pct', '0.01 % to 0.1 %', KNEE.slice(0, 2)),
  compare('gbn.fig2.knee-at-0.1pct', '0.1 % to 1 %', KNEE.slice(1)),
  compare('gbn.fig2.knee-at-0.1pct', 'steeper', KNEE, undefined, { of: bend(1) }),
  compare('gbn.fig7a.10ms-knee-0.2pct', '', [0.0005, 0.002, 0.01].map(original10), undefined, { of: bend(2) }),
  ...TIMERS.map(({ timer, name }) => {
    const ats = ORDER.map((scheme) => lossyAt(scheme, 0.5, 0.01, { timer }))
    return compare('gbn.fig6c.ten-percent', name, ats, between(1.03, 1.17), {
      of: ([a, b, c, d]) => (a! + b!) / (c! + d!),
      unit: ' x',
      why: 'A timer that runs from the last answer expires together with the NAK interval, and Go-Back-N repairs by one what Check EPSN repairs by the other.',
    })
  }),
  ...(['go-back-n', 'check-epsn', 'send-twice'] as const).map((scheme) => {
    const ats = [...eachTimeout(scheme, 0.01), ...eachTimeout('improved-gbn', 0.01)]
    return compare('gbn.fig7b.others-not-robust', NAMES[scheme], ats, undefined, { of: wider })
  }),
  ...(
    [
      ['gbn.fig7c.10ms-near-500us', checked],
      ['gbn.fig7d.st-500us-better', twice],
      ['gbn.sec3b.timeout-tradeoff', original],
    ] as const
  ).flatMap(([id, at]) => [
    compare(id, '500 us over 10 ms', [at(0.5, 0.01), at(10, 0.01)]),
    compare(id, '10 ms over 100 ms', [at(10, 0.01), at(100, 0.01)]),
  ]),
  ...[0.0001, 0.001].map((loss) =>
    compare('gbn.sec2.go-back-0-waste', percentText(loss), [original(100, loss), lossyAt('go-back-0', 100, loss)]),
  ),
  compare('gbn.sec2.short-and-nonpipelined-hurt', 'eight messages at once', [
    { ...original(100, 0.001), pattern: 'eight-at-once' },
    original(100, 0.001),
  ]),
  compare('gbn.sec2.short-and-nonpipelined-hurt', 'messages of 64 packets', [
    original(100, 0.001),
    { ...original(100, 0.001), pattern: '64-packets' },
  ]),
]

/** Throughputs that are close: the largest distance of two means within any of several sets of points. */
const CLOSE = [
  ...TIMERS.map(({ timer, name, losses }) => ({
    id: 'gbn.fig6c.all-equal',
    check: name,
    band: atMost(10),
    sets: losses
      .filter((loss) => loss <= 0.005)
      .map((loss) => SCHEMES.map((scheme) => lossyAt(scheme, 0.5, loss, { timer }))),
  })),
  {
    id: 'gbn.fig7b.improved-robust',
    check: '',
    band: atMost(6),
    sets: LOSSES.full.map((loss) => eachTimeout('improved-gbn', loss)),
  },
]

export function comparisonClaims(runs: Runs): Claim[] {
  const printed = PRINTED.map(([id, at, percent, by, why = '']) => {
    return compare(id, id === 'gbn.fig6a.ce-97.2' ? 'all runs' : '', [at], near(percent, by), { why })
  })
  return [
    ...[...printed, ...COMPARISONS].map(({ id, ats, of, band, isClean = false, ...words }) => {
      const { measured, values } = ofThroughputs(isClean ? withoutTimeouts(runs, ats) : runs, ats, of)
      const unit = ats.length === 1 ? ' %' : ' points'
      return claim(id, measured, band ?? ABOVE_ZERO, { unit, ...words, ...(band === undefined ? { values } : {}) })
    }),
    ...CLOSE.map(({ id, check, band, sets }) => {
      const pairs = sets.flatMap((ats) => ats.flatMap((a) => ats.filter((b) => b !== a).map((b) => [a, b])))
      const distances = pairs.map((pair) => ofThroughputs(runs, pair).measured)
      const spreads = sets.map((ats) => ofThroughputs(runs, ats, range).values)
      const most = distances.reduce((known, next) => (next.mean > known.mean ? next : known))
      const values = spreads[0]!.map((_, seed) => Math.max(...spreads.map((each) => each[seed]!)))
      return claim(id, most, band, { check, values, unit: ' points' })
    }),
  ]
}
