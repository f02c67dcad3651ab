/**
 * S1's Tables I to III held against runs: which signals a scheme gives and hears, what it adjusts, whether it starts at
 * full speed, and what it loses without PFC.
 * Source: S1 VI.
 */
import { US } from '../base/index.ts'
import { humanNumber, humanRate } from '../report/index.ts'
import type { Outcome } from './experiment.ts'
import { type Claim, exactClaim, type FindingsTable } from './findings.ts'
import { overSeeds } from './over-seeds.ts'
import { pairOf } from './survey-pair.ts'
import { figure10 } from './survey-rates.ts'
import { BDP_BYTES, incastOf, LINE_BPS, SCHEMES, shortOf, type SurveyedRun } from './survey-runs.ts'

type Row = SurveyedRun['row']

/** Goodput that a scheme may lose without PFC and not depend on it. */
const BEARABLE = 0.2
/** A flow that fills the path once has started at full speed if it is this near to line rate. */
const AT_ONCE = 1.05

/** The mean over seeds. */
const meanOf = (outcomes: readonly Outcome[], condition: string, key: string): number =>
  overSeeds(outcomes, condition, (measures) => measures[key] ?? NaN).mean

/** What a scheme showed, as means over seeds. */
interface Shown {
  readonly scheme: SurveyedRun
  readonly pauses: number
  readonly resumes: number
  readonly marks: number
  readonly cnps: number
  readonly slowestRateBps: number
  readonly bdpSlowdown: number
  readonly bdpUs: number
  readonly shortUs: number
  readonly goodputBps: { readonly pfc: number; readonly without: number }
  readonly dropsWithout: number
}

export function shownBy(outcomes: readonly Outcome[]): Shown[] {
  return SCHEMES.map((scheme) => {
    const { row, isPfc } = scheme
    const of = (condition: string, key: string): number => meanOf(outcomes, condition, key)
    return {
      scheme,
      pauses: of(incastOf(row, isPfc), 'pauses'),
      resumes: of(incastOf(row, isPfc), 'resumes'),
      marks: of(incastOf(row, isPfc), 'marks'),
      cnps: of(incastOf(row, isPfc), 'cnps'),
      slowestRateBps: of(incastOf(row, isPfc), 'slowestRateBps'),
      bdpSlowdown: of(shortOf(row), 'bdp slowdown'),
      bdpUs: of(shortOf(row), 'bdp us'),
      shortUs: of(shortOf(row), 'short us'),
      goodputBps: { pfc: of(incastOf(row, true), 'goodputBps'), without: of(incastOf(row, false), 'goodputBps') },
      dropsWithout: of(incastOf(row, false), 'drops'),
    }
  })
}

const lossWithout = ({ goodputBps }: Shown): number => 1 - goodputBps.without / goodputBps.pfc

export function tablesTable(shown: readonly Shown[]): FindingsTable {
  return {
    title: 'Tables I to III: seven senders of 1 MB to one, and short flows on idle paths',
    columns: [
      { head: 'scheme' },
      { head: 'pauses', align: 'right' },
      { head: 'marks', align: 'right' },
      { head: 'CNPs', align: 'right' },
      { head: `${BDP_BYTES / 1000} KB alone`, align: 'right' },
      { head: '100 KB alone', align: 'right' },
      { head: 'goodput, PFC', align: 'right' },
      { head: 'without', align: 'right' },
      { head: 'lost without', align: 'right' },
    ],
    rows: shown.map((each) => [
      each.scheme.row,
      humanNumber(each.pauses),
      humanNumber(each.marks, 4),
      humanNumber(each.cnps),
      `${humanNumber(each.bdpUs)} us`,
      `${humanNumber(each.shortUs)} us`,
      humanRate(each.goodputBps.pfc),
      humanRate(each.goodputBps.without),
      humanNumber(each.dropsWithout),
    ]),
  }
}

/* Table I. */

/** What Table I says: who is in it, and in S1's words. */
const SIGNALS: Readonly<
  Record<
    Row,
    {
      readonly paper: string
      readonly pauses: boolean
      readonly marks: boolean
      readonly cnps: boolean
      readonly why: string
    }
  >
> = {
  RoCE: { paper: 'PFC; Pause', pauses: true, marks: false, cnps: false, why: '' },
  DCTCP: {
    paper: 'ECN, packet loss; ECN-marked ACK',
    pauses: false,
    marks: true,
    cnps: false,
    why: 'That a loss is heard is shown by hand.',
  },
  TIMELY: {
    paper: 'RTT gradient, PFC; PFC',
    pauses: true,
    marks: false,
    cnps: false,
    why: 'What Table I does not list is there as well: round-trip times come back with ACKs, as S1 IV-C has it.',
  },
  DCQCN: { paper: 'ECN, PFC; CNP, PFC', pauses: true, marks: true, cnps: true, why: '' },
}

function tableOne(shown: Shown): Claim {
  const { scheme, pauses, marks, cnps } = shown
  const { row } = scheme
  const { paper, why, ...listed } = SIGNALS[row]
  const isAsListed = pauses > 0 === listed.pauses && marks > 0 === listed.marks && cnps > 0 === listed.cnps
  // Nothing but a round-trip time could have moved TIMELY's rate.
  const isUnlistedHeard = row === 'TIMELY' && shown.slowestRateBps < LINE_BPS
  const isLossHeard = row !== 'DCTCP' || windowBehindLoss() === WINDOW / 2
  const extra = row === 'DCTCP' ? `, a loss takes a window of ${WINDOW} to ${windowBehindLoss()}` : ''
  return exactClaim({
    id: `srv.table1.${row.toLowerCase()}`,
    statement: `${row}: the signals of Table I are there, and no others`,
    paper,
    measured: `${humanNumber(pauses)} pauses, ${humanNumber(marks, 4)} marks, ${humanNumber(cnps)} CNPs${extra}`,
    holds: isAsListed && isLossHeard && !isUnlistedHeard,
    reason: `What is listed occurs in the incast, what is not does not.${why === '' ? '' : ` ${why}`}`,
  })
}

/** Packets. */
const WINDOW = 20
const FLIGHT = 10

function dctcpAt(windowPackets: number, alpha: number, flight: number): ReturnType<typeof pairOf> {
  const pair = pairOf(['congestion: {kind: dctcp, g: 0.5}', 'qp: {ecnEcho: ack}'])
  pair.acknowledge(0, { cumulativePsn: 1, nextPsn: flight })
  Object.assign(pair.control, { windowPackets, alpha })
  return pair
}

function windowBehindLoss(): number {
  const { control } = dctcpAt(WINDOW, 1, FLIGHT)
  control.onLoss(0)
  return control.windowPackets
}

/* Table II. */

/** Growth of a window that is used, over one round trip without marks. */
function growth(): number {
  const pair = dctcpAt(WINDOW, 1, WINDOW)
  for (let i = 0; i < WINDOW; i++) pair.acknowledge(0, { cumulativePsn: i + 2, nextPsn: i + 1 + WINDOW })
  return pair.control.windowPackets - WINDOW
}

function tableTwo(shown: Shown): Claim {
  const { row } = shown.scheme
  const { paper, measured, holds, reason } = ADJUSTMENTS[row](shown)
  return exactClaim({
    id: `srv.table2.${row.toLowerCase()}`,
    statement: `${row}: adjusts to congestion as Table II has it`,
    paper,
    measured,
    holds,
    reason,
  })
}

const isReproduced = ({ verdict }: Claim): boolean => verdict === 'reproduced'

const ADJUSTMENTS: Readonly<
  Record<Row, (shown: Shown) => { paper: string; measured: string; holds: boolean; reason: string }>
> = {
  RoCE: ({ pauses, resumes, slowestRateBps }) => ({
    paper: 'sending rate; up: RESUME frame; down: PAUSE frame',
    measured: `${humanNumber(pauses)} pauses, ${humanNumber(resumes)} resumes; rate of each queue pair ${humanRate(slowestRateBps)} all the time`,
    holds: pauses > 0 && resumes > 0 && slowestRateBps === LINE_BPS,
    reason: 'Nothing but PFC frames slows a sender.',
  }),
  DCTCP: () => {
    const claims = figure8Dctcp()
    const up = growth()
    return {
      paper: 'congestion window; up: +1; down: by severity alpha',
      measured: `${humanNumber(up)} packets up in a round trip; cuts of Figure 8: ${claims.cuts}`,
      holds: Math.abs(up - 1) < 0.03 && claims.holds,
      reason: 'Up by one packet a round trip within 3 %: each ACK adds the inverse of a window that has grown already.',
    }
  },
  TIMELY: () => {
    const { ups, downs } = timelySteps()
    const isMultiplicative = ups.some(
      ({ slowBps, fastBps }) => Math.abs(fastBps / slowBps - FAST_BPS / SLOW_BPS) < 0.01,
    )
    const isDecreasing = ups.some(({ slowBps }) => slowBps < 0)
    const inMbps = (steps: readonly TimelyStep[]): string =>
      steps.map(({ slowBps, fastBps }) => `${humanNumber(slowBps / 1e6)} and ${humanNumber(fastBps / 1e6)}`).join(', ')
    return {
      paper:
        'sending rate; up: additive increase, gradient-based decrease, multiplicative increase; down: gradient-based decrease, multiplicative decrease',
      measured: `Mb/s at rates of ${SLOW_BPS / 1e9} and ${FAST_BPS / 1e9} Gb/s; up: ${inMbps(ups)}; down: ${inMbps(downs)}`,
      holds: isMultiplicative && isDecreasing && downs.every(({ slowBps }) => slowBps < 0),
      reason:
        'All that Table II lists is seen. It has a decrease and a multiplicative increase among the ways up; S1 IV-C has neither, and ' +
        'where the steps up are the same at both rates there is neither here: the table contradicts the text.',
    }
  },
  DCQCN: () => {
    const claims = figure10().claims
    const { control } = pairOf(['congestion: {kind: dcqcn, g: 0.5, alphaStart: 0.8}'])
    control.onCnp(0, 0)
    const cut = 1 - control.rateBps / LINE_BPS
    return {
      paper: "sending rate; up: QCN's increase; down: by severity alpha",
      measured: `${claims.filter(isReproduced).length} of ${claims.length} claims of Figure 10; alpha 0.8 cuts ${humanNumber(cut)} of the rate`,
      holds: claims.every(isReproduced) && Math.abs(cut - 0.4) < 1e-9,
      reason: 'Exact.',
    }
  },
}

/** Gb/s at which a step is tried, to tell a constant from a factor. */
const SLOW_BPS = 5e9
const FAST_BPS = 10e9
/** Round-trip times in microseconds, and whether the last of them lets the rate rise. */
const SERIES = [
  { rttsUs: [40, 40], isUp: true },
  { rttsUs: [100, 100], isUp: true },
  { rttsUs: [100, 90], isUp: true },
  { rttsUs: [100, 98, 96, 94, 92, 90], isUp: true },
  { rttsUs: [100, 105], isUp: false },
  { rttsUs: [600, 600], isUp: false },
] as const

interface TimelyStep {
  readonly slowBps: number
  readonly fastBps: number
}

/** The last step of each series, from both rates. */
function timelySteps(): { readonly ups: readonly TimelyStep[]; readonly downs: readonly TimelyStep[] } {
  const stepFrom = (rateBps: number, rttsUs: readonly number[]): number => {
    const pair = pairOf(['congestion: {kind: timely, serialization: counted}'])
    let beforeBps = rateBps
    rttsUs.forEach((rttUs, i) => {
      pair.control.rateBps = rateBps
      beforeBps = pair.control.rateBps
      pair.acknowledge(0, { cumulativePsn: (i + 1) * 16, newPackets: 16, rttPs: rttUs * US })
    })
    return pair.control.rateBps - beforeBps
  }
  const steps = SERIES.map(({ rttsUs, isUp }) => ({
    isUp,
    slowBps: stepFrom(SLOW_BPS, rttsUs),
    fastBps: stepFrom(FAST_BPS, rttsUs),
  }))
  return { ups: steps.filter(({ isUp }) => isUp), downs: steps.filter(({ isUp }) => !isUp) }
}

function figure8Dctcp(): { readonly cuts: string; readonly holds: boolean } {
  const cut = (alpha: number): number => {
    const pair = dctcpAt(WINDOW, alpha, FLIGHT)
    // All of a round trip marked: alpha goes half of the way to 1.
    for (let i = 0; i < FLIGHT; i++)
      pair.acknowledge(0, { cumulativePsn: i + 2, nextPsn: i + 1 + FLIGHT, marked: true })
    return pair.control.windowPackets
  }
  const cuts = [0, 0.6, 1].map((alpha) => ({
    alpha,
    after: cut(alpha),
    expected: WINDOW * (1 - (0.5 + alpha / 2) / 2),
  }))
  return {
    cuts: cuts.map(({ alpha, after }) => `${WINDOW} to ${humanNumber(after)} from alpha ${alpha}`).join(', '),
    holds: cuts.every(({ after, expected }) => Math.abs(after - expected) < 1e-9),
  }
}

/* Table III. */

const REQUIREMENTS: Readonly<
  Record<Row, { readonly isQuick: boolean; readonly isDependent: boolean; readonly why: string }>
> = {
  RoCE: { isQuick: true, isDependent: true, why: '' },
  DCTCP: { isQuick: false, isDependent: false, why: '' },
  TIMELY: {
    isQuick: true,
    isDependent: true,
    why: 'Here the first burst loses packets without PFC and little else: what takes the time is the rate, which has fallen to its floor with PFC and without.',
  },
  DCQCN: {
    isQuick: true,
    isDependent: true,
    why: 'Here the first burst loses packets without PFC, of which PFC loses none, but the rates that marks have cut take most of the time either way.',
  },
}

function tableThree(shown: Shown): Claim {
  const { row } = shown.scheme
  const { isQuick, isDependent, why } = REQUIREMENTS[row]
  const loss = lossWithout(shown)
  const isQuickHere = shown.bdpSlowdown <= AT_ONCE
  const isDependentHere = loss > BEARABLE
  const holds = isQuickHere === isQuick && isDependentHere === isDependent
  return exactClaim({
    id: `srv.table3.${row.toLowerCase()}`,
    statement: `${row}: quick start ${yesNo(isQuick)}, PFC dependency ${yesNo(isDependent)}`,
    paper: `${yesNo(isQuick)}; ${yesNo(isDependent)}`,
    measured: `one BDP alone takes ${humanNumber(shown.bdpSlowdown)} of its ideal; ${humanNumber(loss * 100)} % of the goodput lost without PFC, ${humanNumber(shown.dropsWithout)} packets dropped`,
    holds,
    reason:
      `Quick: at most ${AT_ONCE} of the ideal. Dependent: more than ${BEARABLE * 100} % of the goodput lost.` +
      ` Granularity, implementation and resource are declared and not measured.${holds || why === '' ? '' : ` ${why}`}`,
  })
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no')

/** Of every scheme that is here, and of all together the start of short flows. */
export function tableClaims(shown: readonly Shown[]): Claim[] {
  const slow = shown.filter(({ scheme }) => !REQUIREMENTS[scheme.row].isQuick)
  const quick = shown.filter(({ scheme }) => REQUIREMENTS[scheme.row].isQuick)
  const names = (all: readonly Shown[]): string => all.map(({ scheme }) => scheme.row).join(', ')
  const times = (all: readonly Shown[]): string =>
    all.map(({ bdpUs, shortUs }) => `${humanNumber(bdpUs)} and ${humanNumber(shortUs)}`).join(', ')
  return [
    ...shown.flatMap((each) => [tableOne(each), tableTwo(each), tableThree(each)]),
    exactClaim({
      id: `srv.vi.quick-start [${names(quick)} before ${names(slow)}]`,
      statement: 'Short flows: those with a slow start lose to those that begin at line rate',
      paper: 'RoCE, TIMELY, DCQCN, MP-RDMA, IRN before iWARP, DCTCP',
      measured: `${names(quick)}: ${times(quick)} us; ${names(slow)}: ${times(slow)} us (one BDP, 100 KB)`,
      holds:
        Math.max(...quick.map(({ bdpUs }) => bdpUs)) < Math.min(...slow.map(({ bdpUs }) => bdpUs)) &&
        Math.max(...quick.map(({ shortUs }) => shortUs)) < Math.min(...slow.map(({ shortUs }) => shortUs)),
      reason: 'Each of the first before each of the others, in both sizes.',
    }),
  ]
}
