/**
 * Claims of the survey's Tables I to III: the signals of a scheme, the window or rate it adjusts, whether it starts at full
 * speed, and its losses without PFC.
 * Source: [Survey] VI.
 */
import { humanNumber, humanRate } from '../../report/index.ts'
import type { Outcome } from '../core/old/plan.ts'
import { type Claim, exactClaim, type FindingsTable } from '../core/findings.ts'
import { overSeeds } from '../core/old/over-seeds.ts'
import {
  CAP,
  cappedFlights,
  FAST_BPS,
  figure8Dctcp,
  growth,
  nacks,
  SLOW_BPS,
  tcpWindows,
  timelySteps,
  type TimelyStep,
  WINDOW,
  windowBehindLoss,
} from './by-hand.ts'
import { pairOf } from './pair.ts'
import { figure11 } from './paths.ts'
import { figure10 } from './rates.ts'
import { BDP_BYTES, incastOf, LINE_BPS, SCHEMES, shortOf, type SurveyedRun } from './runs.ts'

type Row = SurveyedRun['row']

/** Share of the goodput that a scheme may lose without PFC before it counts as dependent on PFC. */
const BEARABLE = 0.2
/** Slowdown up to which a flow of one BDP counts as started at full speed. */
const AT_ONCE = 1.05

/** The mean over seeds. */
const meanOf = (outcomes: readonly Outcome[], condition: string, key: string): number =>
  overSeeds(outcomes, condition, (measures) => measures[key] ?? NaN).mean

/** Observations of a scheme, as means over seeds. */
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
    title: 'Tables I to III: seven senders of 1 MB to one host, and short flows on idle paths',
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

/** Rows of Table I, in the survey's words. */
const SIGNALS: Readonly<
  Record<
    Row,
    {
      readonly paper: string
      readonly pauses: boolean
      readonly marks: boolean
      readonly cnps: boolean
      /** Reaction to losses, driven by hand. */
      readonly loss?: () => { readonly text: string; readonly holds: boolean }
      readonly why: string
    }
  >
> = {
  RoCE: { paper: 'PFC; Pause', pauses: true, marks: false, cnps: false, why: '' },
  iWARP: {
    paper: 'packet loss; ACK',
    pauses: false,
    marks: false,
    cnps: false,
    loss: () => {
      const [before, behind] = tcpWindows()
      const text = `ACKs for the packets after a loss reduce a window of ${before} to ${behind}`
      return { text, holds: behind === before! / 2 }
    },
    why: 'The reaction to a loss is driven by hand.',
  },
  DCTCP: {
    paper: 'ECN, packet loss; ECN-marked ACK',
    pauses: false,
    marks: true,
    cnps: false,
    loss: () => {
      const behind = windowBehindLoss()
      return { text: `a loss reduces a window of ${WINDOW} to ${behind}`, holds: behind === WINDOW / 2 }
    },
    why: 'The reaction to a loss is driven by hand.',
  },
  TIMELY: {
    paper: 'RTT gradient, PFC; PFC',
    pauses: true,
    marks: false,
    cnps: false,
    why: 'There is a signal that Table I does not list: round-trip times are measured with ACKs, as in [Survey] IV-C.',
  },
  DCQCN: { paper: 'ECN, PFC; CNP, PFC', pauses: true, marks: true, cnps: true, why: '' },
  'MP-RDMA': {
    paper: 'ECN, PFC; MP-RDMA ACK, PFC',
    pauses: true,
    marks: true,
    cnps: false,
    why: 'With marks and without pauses, initial windows of one BDP have kept the buffers below the threshold of PFC.',
  },
  IRN: {
    paper: 'packet loss; NACK',
    pauses: false,
    marks: false,
    cnps: false,
    loss: () => {
      const said = nacks()
      return { text: `packet 2 of 5 lost: ${said.join(', ')}`, holds: said.join() === 'NAK 2,NAK 2' }
    },
    why: 'By hand: each of the two packets after the lost one triggers a NACK.',
  },
}

function tableOne(shown: Shown): Claim {
  const { scheme, pauses, marks, cnps } = shown
  const { row } = scheme
  const { paper, why, loss, ...listed } = SIGNALS[row]
  const isAsListed = pauses > 0 === listed.pauses && marks > 0 === listed.marks && cnps > 0 === listed.cnps
  // Only a round-trip time can have changed TIMELY's rate.
  const isUnlistedHeard = row === 'TIMELY' && shown.slowestRateBps < LINE_BPS
  const heard = loss?.()
  const counted = `${humanNumber(pauses)} pauses, ${humanNumber(marks, 4)} marks, ${humanNumber(cnps)} CNPs`
  return exactClaim({
    id: `srv.table1.${row.toLowerCase()}`,
    statement: `${row}: the signals of Table I occur, and no others`,
    paper,
    measured: heard === undefined ? counted : `${counted}; ${heard.text}`,
    holds: isAsListed && heard?.holds !== false && !isUnlistedHeard,
    reason: `Signals that are listed occur in the incast, others do not.${why === '' ? '' : ` ${why}`}`,
  })
}

/* Table II. */

function tableTwo(shown: Shown): Claim {
  const { row } = shown.scheme
  const { paper, measured, holds, reason } = ADJUSTMENTS[row](shown)
  return exactClaim({
    id: `srv.table2.${row.toLowerCase()}`,
    statement: `${row}: adjusts to congestion as in Table II`,
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
    reason: 'Only PFC frames slow a sender.',
  }),
  iWARP: () => {
    const windows = tcpWindows()
    const [before, behind, ...later] = windows
    return {
      paper: 'congestion window; up: +1; down: /2',
      measured: `packets in flight before a loss, behind it and after round trips of ACKs: ${windows.join(', ')}`,
      // As many steps as round trips, or one less.
      holds: behind === before! / 2 && later.every((window, trip) => Math.abs(window - (behind! + trip + 1 / 2)) < 1),
      reason:
        'Down to half, exact; up by one packet per round trip, with at most one less in total: each ACK adds the inverse of a window that has already grown, and only whole packets are sent. ' +
        'In slow start, before the first loss, the step is per ACK, which Table II leaves out.',
    }
  },
  DCTCP: () => {
    const claims = figure8Dctcp()
    const up = growth()
    return {
      paper: 'congestion window; up: +1; down: by severity alpha',
      measured: `${humanNumber(up)} packets up in a round trip; cuts of Figure 8: ${claims.cuts}`,
      holds: Math.abs(up - 1) < 0.03 && claims.holds,
      reason:
        'Up by one packet per round trip within 3 %: each ACK adds the inverse of a window that has already grown.',
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
        'All changes listed in Table II have to occur. Its increases include a decrease and a multiplicative increase; [Survey] IV-C has neither, and ' +
        'increases of the same size at both rates mean that there is neither here: the table contradicts the text.',
    }
  },
  DCQCN: () => {
    const claims = figure10('dcqcn').claims
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
  'MP-RDMA': () => {
    const window = figure11().claims.find(({ id }) => id === 'srv.mprdma.window')!
    return {
      paper: 'congestion window; up: + 1 / window; down: - 1/2',
      measured: `${window.measured} of Figure 11`,
      holds: isReproduced(window),
      reason: 'Exact. The increase is per ACK, while that of iWARP and DCTCP is per round trip.',
    }
  },
  IRN: () => {
    const flights = cappedFlights()
    return {
      paper: 'sending rate; up and down: bounded by the bandwidth-delay product',
      measured: `with ${CAP} packets for the product, from ${Math.min(...flights)} to ${Math.max(...flights)} are in flight over ${flights.length - 1} ACKs`,
      holds: flights.every((packets) => packets === CAP),
      reason: 'Exact. The packets in flight are bounded; they are sent at line rate.',
    }
  },
}

/* Table III. */

const REQUIREMENTS: Readonly<
  Record<Row, { readonly isQuick: boolean; readonly isDependent: boolean; readonly why: string }>
> = {
  RoCE: { isQuick: true, isDependent: true, why: '' },
  iWARP: { isQuick: false, isDependent: false, why: '' },
  DCTCP: { isQuick: false, isDependent: false, why: '' },
  TIMELY: {
    isQuick: true,
    isDependent: true,
    why: 'Without PFC mainly the first burst loses packets: the completion time is determined by the rate, which falls to its minimum with and without PFC.',
  },
  DCQCN: {
    isQuick: true,
    isDependent: true,
    why: 'Without PFC the first burst loses packets, and with PFC none, but rates cut by marks determine the completion time in both cases.',
  },
  'MP-RDMA': {
    isQuick: true,
    isDependent: true,
    why: 'Seven windows of one BDP fit into the buffers, so that PFC does not act in this incast.',
  },
  IRN: { isQuick: true, isDependent: false, why: '' },
}

function tableThree(shown: Shown): Claim {
  const { row } = shown.scheme
  const { isQuick, isDependent, why } = REQUIREMENTS[row]
  const loss = lossWithout(shown)
  const isQuickHere = shown.bdpSlowdown <= AT_ONCE
  const isDependentHere = loss > BEARABLE
  const isQuickRight = isQuickHere === isQuick
  // An incast without losses does not show whether a scheme needs PFC.
  const isTried = shown.dropsWithout > 0
  const holds = isQuickRight && isDependentHere === isDependent
  const claim = exactClaim({
    id: `srv.table3.${row.toLowerCase()}`,
    statement: `${row}: quick start ${yesNo(isQuick)}, PFC dependency ${yesNo(isDependent)}`,
    paper: `${yesNo(isQuick)}; ${yesNo(isDependent)}`,
    measured: `one BDP alone takes ${humanNumber(shown.bdpSlowdown)} of its ideal; ${humanNumber(loss * 100)} % of the goodput lost without PFC, ${humanNumber(shown.dropsWithout)} packets dropped`,
    holds,
    reason:
      `Quick: at most ${AT_ONCE} of the ideal. Dependent: more than ${BEARABLE * 100} % of the goodput lost.` +
      (!isTried ? ' Nothing is lost in this incast without PFC, so that it does not test the dependency.' : '') +
      ` Granularity, implementation and resource are declared and not measured.${holds || why === '' ? '' : ` ${why}`}`,
  })
  return isQuickRight && !isTried ? { ...claim, verdict: 'undecided' } : claim
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no')

/** Claims of the three tables for every scheme, and one on the start of short flows for all together. */
export function tableClaims(shown: readonly Shown[]): Claim[] {
  const slow = shown.filter(({ scheme }) => !REQUIREMENTS[scheme.row].isQuick)
  const quick = shown.filter(({ scheme }) => REQUIREMENTS[scheme.row].isQuick)
  const names = (all: readonly Shown[]): string => all.map(({ scheme }) => scheme.row).join(', ')
  const times = (all: readonly Shown[]): string =>
    all.map(({ bdpUs, shortUs }) => `${humanNumber(bdpUs)} and ${humanNumber(shortUs)}`).join(', ')
  return [
    ...shown.flatMap((each) => [tableOne(each), tableTwo(each), tableThree(each)]),
    exactClaim({
      id: 'srv.vi.quick-start',
      statement: 'Short flows take longer with schemes that start slowly than with those that start at line rate',
      paper: 'RoCE, TIMELY, DCQCN, MP-RDMA, IRN before iWARP, DCTCP',
      measured: `${names(quick)}: ${times(quick)} us; ${names(slow)}: ${times(slow)} us (one BDP, 100 KB)`,
      holds:
        Math.max(...quick.map(({ bdpUs }) => bdpUs)) < Math.min(...slow.map(({ bdpUs }) => bdpUs)) &&
        Math.max(...quick.map(({ shortUs }) => shortUs)) < Math.min(...slow.map(({ shortUs }) => shortUs)),
      reason: 'Each of the first is faster than each of the others, for both sizes.',
    }),
  ]
}
