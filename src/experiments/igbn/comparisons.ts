/**
 * Claims of the IGBN paper about throughputs under random losses, as data: how much a scheme keeps, which of two is
 * better, and where a curve bends. A claim that leaves open which loss rate it means has a check for each.
 */
import { ABOVE_ZERO, atLeast, atMost, type Band, between, type Claim, claimOf, near } from '../core/findings.ts'
import { keyOf } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { ofThroughputs, withoutTimeouts } from './estimates.ts'
import {
  LOSSES,
  type LossyAt,
  lossyAt,
  NAMES,
  percentText,
  type Scheme,
  SCHEMES,
  TIMEOUTS_MS,
  TIMERS,
  timeoutText,
} from './runs.ts'

interface Comparison {
  readonly id: string
  readonly check?: string
  readonly ats: readonly LossyAt[]
  /** A function of the throughputs there: the only one, or the first less the second, unless given. */
  readonly of?: (percents: readonly number[]) => number
  /** Above zero unless given; the seeds in which it holds are counted then. */
  readonly band?: Band
  readonly unit?: string
  /** Only repetitions without a timeout count. */
  readonly isClean?: boolean
  readonly why?: string
}

const runsOf = (scheme: Scheme) => (timeoutMs: number, loss: number) => lossyAt(scheme, timeoutMs, loss)
const original = runsOf('go-back-n')
const twice = runsOf('send-twice')
const checked = runsOf('check-epsn')
const improved = runsOf('improved-gbn')
/** Best first, in the order of the paper. */
const ORDER: readonly Scheme[] = ['improved-gbn', 'check-epsn', 'send-twice', 'go-back-n']
/** Loss rates above 0.1 %. */
const MUCH_LOST = [0.002, 0.005, 0.01]

/** Throughputs that the paper's text gives, and by how much ours may differ. */
const PRINTED: readonly (Pick<Comparison, 'id' | 'check' | 'why'> & {
  readonly at: LossyAt
  readonly percent: number
  readonly by: number
})[] = [
  { id: 'gbn.fig2.1e-3', at: original(100, 0.001), percent: 45, by: 15 },
  { id: 'gbn.fig2.1e-2', at: original(100, 0.01), percent: 3, by: 2.5 },
  {
    id: 'gbn.fig6a.gbn-70-at-1e-4',
    at: original(100, 0.0001),
    percent: 70,
    by: 25,
    why: 'It contradicts the 45 % that the paper has at ten times the loss rate (see the remarks).',
  },
  {
    id: 'gbn.fig6a.ce-97.2',
    check: 'all runs',
    at: checked(100, 0.001),
    percent: 97.2,
    by: 3,
    why: 'Reasons 1 and 2 remain: two timeouts in a thousand messages, each as long as a hundred messages.',
  },
  { id: 'gbn.fig6a.improved-64', at: improved(100, 0.01), percent: 64, by: 8 },
  { id: 'gbn.fig6b.improved-60', at: improved(10, 0.01), percent: 60, by: 8 },
  { id: 'gbn.fig7a.10ms-13.2', at: original(10, 0.01), percent: 13.2, by: 3 },
  { id: 'gbn.fig7c.ce-68-at-0.2', at: checked(100, 0.002), percent: 68, by: 10 },
  { id: 'gbn.fig7c.ce-17.6-at-1', at: checked(100, 0.01), percent: 17.6, by: 9 },
]

/** The value of the paper's text, if it has one. */
export function paperPercent(at: LossyAt): number | undefined {
  return PRINTED.find((printed) => keyOf(printed.at) === keyOf(at))?.percent
}

const range = (values: readonly number[]): number => Math.max(...values) - Math.min(...values)
/** Range over the timeouts of one scheme less that of another. */
const wider = (percents: readonly number[]): number =>
  range(percents.slice(0, TIMEOUTS_MS.length)) - range(percents.slice(TIMEOUTS_MS.length))
const eachTimeout = (scheme: Scheme, loss: number): LossyAt[] =>
  TIMEOUTS_MS.map((timeoutMs) => lossyAt(scheme, timeoutMs, loss))

const COMPARISONS: readonly Comparison[] = [
  { id: 'gbn.fig2.no-effect-below-1e-5', ats: [original(100, 0.00001)], band: near(100, 3) },
  { id: 'gbn.fig7a.100ms-zero', ats: [original(100, 0.01)], band: near(0, 3) },
  { id: 'gbn.fig7d.st-zero-at-1', check: '100 ms', ats: [twice(100, 0.01)], band: near(0, 5) },
  {
    id: 'gbn.fig7d.st-zero-at-1',
    check: '10 ms',
    ats: [twice(10, 0.01)],
    band: near(0, 15),
    why: 'Send Twice cannot be below Go-Back-N, which has 13.2 % in the paper: only 100 ms can be meant.',
  },
  {
    id: 'gbn.fig6a.ce-97.2',
    check: 'runs without a timeout',
    ats: [checked(100, 0.001)],
    band: near(97.2, 3),
    isClean: true,
  },
  { id: 'gbn.abstract.60-at-1pct', ats: [improved(100, 0.01)], band: near(60, 8) },
  { id: 'gbn.intro.2.8pct-lower', ats: [improved(100, 0.001)], of: ([kept]) => 100 - kept!, band: near(2.8, 2) },
  ...TIMEOUTS_MS.flatMap((timeoutMs) =>
    [0.00001, 0.0001, 0.0005].map((loss) => ({
      id: 'gbn.fig7c.ce-good-below-0.1',
      check: `${timeoutText(timeoutMs)}, ${percentText(loss)}`,
      ats: [checked(timeoutMs, loss)],
      band: atLeast(90),
      why: 'Reasons 1 and 2 remain: one timeout in a thousand messages at a loss of 0.05 %.',
    })),
  ),
  ...[100, 10].map((timeoutMs) => ({
    id: 'gbn.fig7d.st-starts-0.01',
    check: timeoutText(timeoutMs),
    ats: [twice(timeoutMs, 0.0001)],
    band: atMost(99),
    why: 'Timeouts of reasons 3 and 4 need two losses: at most eight messages in 100,000 have one. A single loss, in two messages of five, costs 6 of 910 us.',
  })),
  ...ORDER.slice(1).map((scheme, i) => ({
    id: 'gbn.fig6a.order-1pct',
    check: `${NAMES[ORDER[i]!]} over ${NAMES[scheme]}`,
    ats: [lossyAt(ORDER[i]!, 100, 0.01), lossyAt(scheme, 100, 0.01)],
  })),
  ...MUCH_LOST.map((loss): Comparison => ({
    id: 'gbn.fig6b.improved-best',
    check: percentText(loss),
    ats: ORDER.map((scheme) => lossyAt(scheme, 10, loss)),
    of: ([best, ...others]) => best! - Math.max(...others),
  })),
  ...[0.0001, 0.0002, 0.0005].map((loss) => ({
    id: 'gbn.fig6a.ce-slightly-better-than-improved',
    check: percentText(loss),
    ats: [checked(100, loss), improved(100, loss)],
    band: ABOVE_ZERO,
    isClean: true,
    why: 'In runs without a timeout. The copy of the last packet is sent while the sender waits for an ACK and costs no time: chance decides which is ahead.',
  })),
  { id: 'gbn.fig6a.st-little-better-at-0.1', ats: [twice(100, 0.001), original(100, 0.001)], band: between(0, 15) },
  ...MUCH_LOST.map((loss) => ({
    id: 'gbn.fig6b.ce-little-worse',
    check: percentText(loss),
    ats: [improved(10, loss), checked(10, loss)],
    band: between(0, 15),
  })),
  {
    id: 'gbn.fig6b.ce-much-better',
    ats: [checked(10, 0.01), twice(10, 0.01)],
    of: ([a, b]) => a! / b!,
    band: atLeast(2),
    unit: ' x',
  },
  { id: 'gbn.fig2.knee-at-0.1pct', check: '0.01 % to 0.1 %', ats: [original(100, 0.0001), original(100, 0.001)] },
  { id: 'gbn.fig2.knee-at-0.1pct', check: '0.1 % to 1 %', ats: [original(100, 0.001), original(100, 0.01)] },
  {
    id: 'gbn.fig2.knee-at-0.1pct',
    check: 'steeper',
    ats: [original(100, 0.0001), original(100, 0.001), original(100, 0.01)],
    of: ([low, knee, high]) => knee! - high! - (low! - knee!),
  },
  {
    id: 'gbn.fig7a.10ms-knee-0.2pct',
    ats: [original(10, 0.0005), original(10, 0.002), original(10, 0.01)],
    of: ([low, knee, high]) => knee! - high! - 2 * (low! - knee!),
  },
  ...TIMERS.map(({ timer, name }): Comparison => ({
    id: 'gbn.fig6c.ten-percent',
    check: name,
    ats: ORDER.map((scheme) => lossyAt(scheme, 0.5, 0.01, { timer })),
    of: ([a, b, c, d]) => (a! + b!) / (c! + d!),
    band: between(1.03, 1.17),
    unit: ' x',
    why: 'A timer that runs from the last answer expires together with the NAK interval, and Go-Back-N repairs by one what Check EPSN repairs by the other.',
  })),
  ...(['go-back-n', 'check-epsn', 'send-twice'] as const).map((scheme) => ({
    id: 'gbn.fig7b.others-not-robust',
    check: NAMES[scheme],
    ats: [...eachTimeout(scheme, 0.01), ...eachTimeout('improved-gbn', 0.01)],
    of: wider,
  })),
  ...[
    { at: checked, id: 'gbn.fig7c.10ms-near-500us' },
    { at: twice, id: 'gbn.fig7d.st-500us-better' },
    { at: original, id: 'gbn.sec3b.timeout-tradeoff' },
  ].flatMap(({ at, id }) => [
    { id, check: '500 us over 10 ms', ats: [at(0.5, 0.01), at(10, 0.01)] },
    { id, check: '10 ms over 100 ms', ats: [at(10, 0.01), at(100, 0.01)] },
  ]),
  ...[0.0001, 0.001].map((loss) => ({
    id: 'gbn.sec2.go-back-0-waste',
    check: percentText(loss),
    ats: [original(100, loss), lossyAt('go-back-0', 100, loss)],
  })),
  {
    id: 'gbn.sec2.short-and-nonpipelined-hurt',
    check: 'eight messages at once',
    ats: [{ ...original(100, 0.001), pattern: 'eight-at-once' }, original(100, 0.001)],
  },
  {
    id: 'gbn.sec2.short-and-nonpipelined-hurt',
    check: 'messages of 64 packets',
    ats: [original(100, 0.001), { ...original(100, 0.001), pattern: '64-packets' }],
  },
]

/** Throughputs that are close: the largest distance of two means within any of several sets of points. */
const CLOSE = [
  ...TIMERS.map(({ timer, name, losses }) => ({
    claim: { id: 'gbn.fig6c.all-equal', check: name, band: atMost(10) },
    sets: losses
      .filter((loss) => loss <= 0.005)
      .map((loss) => SCHEMES.map((scheme) => lossyAt(scheme, 0.5, loss, { timer }))),
  })),
  {
    claim: { id: 'gbn.fig7b.improved-robust', check: '', band: atMost(6) },
    sets: LOSSES.full.map((loss) => eachTimeout('improved-gbn', loss)),
  },
]

export function comparisonClaims(runs: Runs): Claim[] {
  const printed = PRINTED.map(({ at, percent, by, ...claim }): Comparison => {
    return { ...claim, ats: [at], band: near(percent, by) }
  })
  return [
    ...[...printed, ...COMPARISONS].map(({ ats, of, band, isClean = false, ...claim }) => {
      const { measured, values } = ofThroughputs(isClean ? withoutTimeouts(runs, ats) : runs, ats, of)
      const held = band === undefined ? { band: ABOVE_ZERO, values } : { band }
      return claimOf({ unit: ats.length === 1 ? ' %' : ' points', ...claim, measured, ...held })
    }),
    ...CLOSE.map(({ claim, sets }) => {
      const pairs = sets.flatMap((ats) => ats.flatMap((a) => ats.filter((b) => b !== a).map((b) => [a, b])))
      const distances = pairs.map((pair) => ofThroughputs(runs, pair).measured)
      const spreads = sets.map((ats) => ofThroughputs(runs, ats, range).values)
      return claimOf({
        ...claim,
        measured: distances.reduce((most, next) => (next.mean > most.mean ? next : most)),
        values: spreads[0]!.map((_, seed) => Math.max(...spreads.map((each) => each[seed]!))),
        unit: ' points',
      })
    }),
  ]
}
