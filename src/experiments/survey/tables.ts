/**
 * Claims of the survey's Tables I to III: the signals of a scheme, the window or rate it adjusts, whether it starts at full
 * speed, and its losses without PFC.
 * Source: [Survey] VI.
 */
import { humanNumber } from '../../report/index.ts'
import { type Claim, exact } from '../core/findings.ts'
import type { At } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { ADJUSTMENTS, tcpWindows, WINDOW } from './adjustments.ts'
import { dctcpAt, pairOf } from './pair.ts'
import { incastAt, LINE_BPS, LINES, type Scheme, SCHEMES, shortAt } from './runs.ts'
import { surveyOf } from './schemes.ts'
import type { Survey } from './words.ts'

/** The row of a scheme; RoCE is go-back-N without congestion control. */
const rowOf = (scheme: Scheme): Survey =>
  surveyOf('congestion', scheme === 'roce' ? 'none' : scheme) ?? surveyOf('recovery', scheme)!

/* Table I. */

/** Reactions to losses, driven by hand. */
const LOSSES: Readonly<Partial<Record<Scheme, () => { readonly text: string; readonly holds: boolean }>>> = {
  iwarp: () => {
    const [before, behind] = tcpWindows()
    const text = `ACKs for the packets after a loss reduce a window of ${before} to ${behind}`
    return { text, holds: behind === before! / 2 }
  },
  dctcp: () => {
    const { control } = dctcpAt(WINDOW, 10, 0.5, 1)
    control.onLoss(0, WINDOW)
    const behind = control.windowPackets
    return { text: `a loss reduces a window of ${WINDOW} to ${behind}`, holds: behind === WINDOW / 2 }
  },
  irn: () => {
    const pair = pairOf(['recovery: irn', 'qp: {ackInterval: 1, ackTimeout: 320us}'])
    const naks = pair.play({ packets: 5, lost: [2] }).answers.filter(({ kind }) => kind === 'NAK')
    const text = `packet 2 of 5 lost: ${naks.map(({ psn }) => `NAK ${psn}`).join(', ')}`
    return { text, holds: naks.length === 2 && naks.every(({ psn }) => psn === 2) }
  },
}
/** Added to the reason, with a space in front. */
const ON_SIGNALS: Readonly<Partial<Record<Scheme, string>>> = {
  timely: ' ACKs, with which round-trip times are measured ([Survey] IV-C), are a signal that Table I does not list.',
  'mp-rdma': ' Initial windows of one BDP and marks keep the buffers below the threshold of PFC.',
  irn: ' Each of the two packets after the lost one triggers a NACK.',
}

function signalsClaim(runs: Runs, scheme: Scheme): Claim {
  const { detection, notification } = rowOf(scheme)
  const own = runs.where(incastAt(scheme, LINES[scheme].pfc))
  const [pauses, marks, cnps] = ['pauses', 'marks', 'cnps'].map((of) => own.mean(of).mean) as [number, number, number]
  const isAsListed =
    pauses > 0 === detection.methods.includes('PFC') &&
    marks > 0 === detection.methods.includes('ECN') &&
    cnps > 0 === notification.signals.includes('CNP')
  // Only a round-trip time can have changed TIMELY's rate.
  const isUnlistedHeard = scheme === 'timely' && own.mean('slowestRateBps').mean < LINE_BPS
  const loss = LOSSES[scheme]?.()
  const counted = `${humanNumber(pauses)} pauses, ${humanNumber(marks, 4)} marks, ${humanNumber(cnps)} CNPs`
  return exact(`srv.table1.${scheme}`, isAsListed && loss?.holds !== false && !isUnlistedHeard, {
    measured: loss === undefined ? counted : `${counted}; ${loss.text}`,
    reason: `Signals that are listed occur in the incast, others do not.${ON_SIGNALS[scheme] ?? ''}`,
  })
}

/* Table III. */

/** Share of the goodput that a scheme may lose without PFC before it counts as dependent on PFC. */
const BEARABLE = 0.2
/** Slowdown up to which a flow of one BDP counts as started at full speed. */
const AT_ONCE = 1.05
const ON_PFC: Readonly<Partial<Record<Scheme, string>>> = {
  timely: ' Without PFC the first burst loses packets, but the rate falls to its minimum with and without PFC.',
  dcqcn: ' Without PFC the first burst loses packets, but rates cut by marks determine the completion in both cases.',
}

function requirementsClaim(runs: Runs, scheme: Scheme): Claim {
  const of = (at: At, measure: string): number => runs.mean(measure, at).mean
  const [slowdown, drops] = [of(shortAt(scheme), 'bdp slowdown'), of(incastAt(scheme, 'off'), 'drops')]
  const loss = 1 - of(incastAt(scheme, 'off'), 'goodputBps') / of(incastAt(scheme, 'on'), 'goodputBps')
  const { quickStart, pfcDependency } = rowOf(scheme)
  const isQuickRight = slowdown <= AT_ONCE === quickStart
  const untried = ' Nothing is lost without PFC: this incast does not test the dependency.'
  const claim = exact(`srv.table3.${scheme}`, isQuickRight && loss > BEARABLE === pfcDependency, {
    measured: `one BDP alone takes ${humanNumber(slowdown)} of its ideal; ${humanNumber(loss * 100)} % of the goodput lost without PFC, ${humanNumber(drops)} packets dropped`,
    reason:
      `Quick: at most ${AT_ONCE} of the ideal. Dependent: more than ${BEARABLE * 100} % of the goodput lost.` +
      `${drops > 0 ? '' : untried} Granularity, implementation and resource are declared and not measured.${ON_PFC[scheme] ?? ''}`,
  })
  return isQuickRight && drops === 0 ? { ...claim, verdict: 'undecided' } : claim
}

/** Times of short flows with the schemes that start quickly, or with the others. */
function started(runs: Runs, isQuick: boolean) {
  return SCHEMES.filter((scheme) => rowOf(scheme).quickStart === isQuick).map((scheme) => ({
    name: rowOf(scheme).row,
    timesUs: ['bdp us', 'short us'].map((of) => runs.mean(of, shortAt(scheme)).mean),
  }))
}

function startClaim(runs: Runs): Claim {
  const [quick, slow] = [started(runs, true), started(runs, false)]
  const inWords = (all: ReturnType<typeof started>): string => {
    const times = all.map(({ timesUs }) => timesUs.map((us) => humanNumber(us)).join(' and '))
    return `${all.map(({ name }) => name).join(', ')}: ${times.join(', ')} us`
  }
  return exact(
    'srv.vi.quick-start',
    quick.every((fast) => slow.every((other) => fast.timesUs.every((us, i) => us < other.timesUs[i]!))),
    {
      measured: `${inWords(quick)}; ${inWords(slow)} (one BDP, 100 KB)`,
      reason: 'Each of the first is faster than each of the others, for both sizes.',
    },
  )
}

/** Claims of the three tables for every scheme, and one on the start of short flows for all together. */
export function tableClaims(runs: Runs): Claim[] {
  return [
    ...SCHEMES.flatMap((scheme) => {
      const { holds, ...words } = ADJUSTMENTS[scheme](runs)
      return [signalsClaim(runs, scheme), exact(`srv.table2.${scheme}`, holds, words), requirementsClaim(runs, scheme)]
    }),
    startClaim(runs),
  ]
}
