/**
 * Claims of the survey's Tables I to III: the signals of a scheme, the window or rate it adjusts, whether it starts at full
 * speed, and its losses without PFC.
 * Source: [Survey] VI.
 */
import { KB } from '../../base/index.ts'
import { humanNumber, humanRate } from '../../report/index.ts'
import { type Claim, exactClaim, type FindingsTable, rightColumn } from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { At } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { label, tableAt } from '../core/tables.ts'
import { ADJUSTMENTS, tcpWindows, WINDOW } from './adjustments.ts'
import { dctcpAt, pairOf } from './pair.ts'
import { BDP_BYTES, incastAt, LINE_BPS, LINES, type Scheme, SCHEMES, shortAt } from './runs.ts'

const NAMES: Readonly<Record<Scheme, string>> = {
  roce: 'RoCE',
  iwarp: 'iWARP',
  dctcp: 'DCTCP',
  timely: 'TIMELY',
  dcqcn: 'DCQCN',
  'mp-rdma': 'MP-RDMA',
  irn: 'IRN',
}

export function schemesTable(runs: Runs): FindingsTable {
  const cellOf = (where: At, of: string, text: (mean: number) => string) => (_: unknown, own: Runs) =>
    text(own.mean(of, where).mean)
  const us = (mean: number): string => `${humanNumber(mean)} us`
  const [alone, on, off] = [
    { example: 'short-flows' },
    { example: 'incast', pfc: 'on' },
    { example: 'incast', pfc: 'off' },
  ]
  return tableAt(runs, product({ scheme: SCHEMES }), {
    title: 'Tables I to III: short flows on idle paths, and seven senders of 1 MB to one host',
    columns: [
      label('scheme', ({ scheme }) => NAMES[scheme]),
      { ...rightColumn(`${BDP_BYTES / KB} KB alone`), cell: cellOf(alone, 'bdp us', us) },
      { ...rightColumn('100 KB alone'), cell: cellOf(alone, 'short us', us) },
      { ...rightColumn('goodput, PFC'), cell: cellOf(on, 'goodputBps', humanRate) },
      { ...rightColumn('without'), cell: cellOf(off, 'goodputBps', humanRate) },
    ],
  })
}

/* Table I. */

/** Signals that a network counts. */
const COUNTED = ['pauses', 'marks', 'cnps'] as const

interface Signals {
  readonly listed: readonly (typeof COUNTED)[number][]
  /** Reaction to losses, driven by hand. */
  readonly loss?: () => { readonly text: string; readonly holds: boolean }
  readonly why?: string
}

const SIGNALS: Readonly<Record<Scheme, Signals>> = {
  roce: { listed: ['pauses'] },
  iwarp: {
    listed: [],
    loss: () => {
      const [before, behind] = tcpWindows()
      const text = `ACKs for the packets after a loss reduce a window of ${before} to ${behind}`
      return { text, holds: behind === before! / 2 }
    },
    why: 'The reaction to a loss is driven by hand.',
  },
  dctcp: {
    listed: ['marks'],
    loss: () => {
      const { control } = dctcpAt(WINDOW, 10, 0.5, 1)
      control.onLoss(0, WINDOW)
      const behind = control.windowPackets
      return { text: `a loss reduces a window of ${WINDOW} to ${behind}`, holds: behind === WINDOW / 2 }
    },
    why: 'The reaction to a loss is driven by hand.',
  },
  timely: {
    listed: ['pauses'],
    why: 'ACKs, with which round-trip times are measured ([Survey] IV-C), are a signal that Table I does not list.',
  },
  dcqcn: { listed: ['pauses', 'marks', 'cnps'] },
  'mp-rdma': {
    listed: ['pauses', 'marks'],
    why: 'Initial windows of one BDP and marks keep the buffers below the threshold of PFC.',
  },
  irn: {
    listed: [],
    loss: () => {
      const pair = pairOf(['recovery: irn', 'qp: {ackInterval: 1, ackTimeout: 320us}'])
      const naks = pair.play({ packets: 5, lost: [2] }).answers.filter(({ kind }) => kind === 'NAK')
      const text = `packet 2 of 5 lost: ${naks.map(({ psn }) => `NAK ${psn}`).join(', ')}`
      return { text, holds: naks.length === 2 && naks.every(({ psn }) => psn === 2) }
    },
    why: 'By hand: each of the two packets after the lost one triggers a NACK.',
  },
}

function signalsClaim(runs: Runs, scheme: Scheme): Claim {
  const own = runs.where(incastAt(scheme, LINES[scheme].pfc))
  const { listed, loss, why } = SIGNALS[scheme]
  const [pauses, marks, cnps] = COUNTED.map((name) => own.mean(name).mean) as [number, number, number]
  const isAsListed = COUNTED.every((name, i) => [pauses, marks, cnps][i]! > 0 === listed.includes(name))
  // Only a round-trip time can have changed TIMELY's rate.
  const isUnlistedHeard = scheme === 'timely' && own.mean('slowestRateBps').mean < LINE_BPS
  const heard = loss?.()
  const counted = `${humanNumber(pauses)} pauses, ${humanNumber(marks, 4)} marks, ${humanNumber(cnps)} CNPs`
  return exactClaim({
    id: `srv.table1.${scheme}`,
    measured: heard === undefined ? counted : `${counted}; ${heard.text}`,
    holds: isAsListed && heard?.holds !== false && !isUnlistedHeard,
    reason: `Signals that are listed occur in the incast, others do not.${why === undefined ? '' : ` ${why}`}`,
  })
}

/* Table III. */

/** Share of the goodput that a scheme may lose without PFC before it counts as dependent on PFC. */
const BEARABLE = 0.2
/** Slowdown up to which a flow of one BDP counts as started at full speed. */
const AT_ONCE = 1.05
/** Schemes that do not start quickly; those that depend on PFC are those that run with it (LINES). */
const SLOW: readonly Scheme[] = ['iwarp', 'dctcp']
/** Why a scheme is not as in Table III. */
const WHY: Readonly<Partial<Record<Scheme, string>>> = {
  timely: 'Without PFC the first burst loses packets, but the rate falls to its minimum with and without PFC.',
  dcqcn: 'Without PFC the first burst loses packets, but rates cut by marks determine the completion in both cases.',
}

function requirementsClaim(runs: Runs, scheme: Scheme): Claim {
  const of = (at: At, measure: string): number => runs.mean(measure, at).mean
  const [slowdown, drops] = [of(shortAt(scheme), 'bdp slowdown'), of(incastAt(scheme, 'off'), 'drops')]
  const loss = 1 - of(incastAt(scheme, 'off'), 'goodputBps') / of(incastAt(scheme, 'on'), 'goodputBps')
  const isQuickRight = slowdown <= AT_ONCE === !SLOW.includes(scheme)
  const holds = isQuickRight && loss > BEARABLE === (LINES[scheme].pfc === 'on')
  const untried = ' Nothing is lost without PFC: this incast does not test the dependency.'
  const why = holds || WHY[scheme] === undefined ? '' : ` ${WHY[scheme]}`
  const claim = exactClaim({
    id: `srv.table3.${scheme}`,
    measured: `one BDP alone takes ${humanNumber(slowdown)} of its ideal; ${humanNumber(loss * 100)} % of the goodput lost without PFC, ${humanNumber(drops)} packets dropped`,
    holds,
    reason:
      `Quick: at most ${AT_ONCE} of the ideal. Dependent: more than ${BEARABLE * 100} % of the goodput lost.` +
      `${drops > 0 ? '' : untried} Granularity, implementation and resource are declared and not measured.${why}`,
  })
  return isQuickRight && drops === 0 ? { ...claim, verdict: 'undecided' } : claim
}

/** Short flows of the schemes that start slowly, and of the others. */
function startClaim(runs: Runs): Claim {
  const timesOf = (schemes: readonly Scheme[]) =>
    schemes.map((scheme) => ['bdp us', 'short us'].map((of) => runs.mean(of, shortAt(scheme)).mean))
  const quickest = SCHEMES.filter((scheme) => !SLOW.includes(scheme))
  const [quick, slow] = [timesOf(quickest), timesOf(SLOW)]
  const inWords = (schemes: readonly Scheme[], times: readonly (readonly number[])[]): string =>
    `${schemes.map((scheme) => NAMES[scheme]).join(', ')}: ${times.map((each) => each.map((us) => humanNumber(us)).join(' and ')).join(', ')} us`
  return exactClaim({
    id: 'srv.vi.quick-start',
    measured: `${inWords(quickest, quick)}; ${inWords(SLOW, slow)} (one BDP, 100 KB)`,
    holds: quick.every((fast) => slow.every((other) => fast.every((us, i) => us < other[i]!))),
    reason: 'Each of the first is faster than each of the others, for both sizes.',
  })
}

/** Claims of the three tables for every scheme, and one on the start of short flows for all together. */
export function tableClaims(runs: Runs): Claim[] {
  return [
    ...SCHEMES.flatMap((scheme) => [
      signalsClaim(runs, scheme),
      exactClaim({ id: `srv.table2.${scheme}`, ...ADJUSTMENTS[scheme](runs) }),
      requirementsClaim(runs, scheme),
    ]),
    startClaim(runs),
  ]
}
