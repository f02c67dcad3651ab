/**
 * The survey's worked examples of rates: rate recovery with QCN's increase (Figure 10), and the reaction of TIMELY to RTT
 * gradients (Figure 9). A further scheme for Figure 10 is an entry of RECOVERING.
 * Source: [Survey] IV-C, V-B.
 */
import { US } from '../../base/index.ts'
import type { ScriptedPair } from '../../lab/index.ts'
import { humanNumber } from '../../report/index.ts'
import { type Claim, exactClaim } from '../core/findings.ts'
import { pairOf, type Shown } from './pair.ts'

/* Figure 10. */

interface Recoverer {
  readonly scheme: string
  readonly lines: readonly string[]
  /** Signals congestion: the rate falls to half. */
  readonly notice: (control: ScriptedPair['control']) => void
  /** Time between two increases, microseconds. */
  readonly intervalUs: number
  readonly fastSteps: number
  readonly additiveGbps: number
}

const RECOVERING: readonly Recoverer[] = [
  {
    scheme: 'qcn',
    // The largest feedback, 63, halves the rate.
    lines: ['congestion: {kind: qcn, gd: 1/126, rateInterval: 50us, fastRecovery: 5, additiveRate: 5Mbps}'],
    notice: (control) => control.onCnm(0, 63),
    intervalUs: 50,
    fastSteps: 5,
    additiveGbps: 0.005,
  },
  {
    scheme: 'dcqcn',
    lines: ['congestion: {kind: dcqcn, rateInterval: 50us, fastRecovery: 5, additiveRate: 40Mbps}'],
    notice: (control) => control.onCnp(0, 0),
    intervalUs: 50,
    fastSteps: 5,
    additiveGbps: 0.04,
  },
]
/** Rate when congestion is signalled, Gb/s; the link is twice as fast, to leave room for active increase. */
const NOTICED_GBPS = 20
const INTERVALS = 10

interface Step {
  readonly interval: number
  readonly rateGbps: number
  readonly targetGbps: number
  readonly gainGbps: number
}

/** Rates at the ends of intervals after a cut to half. */
function stepsOf({ lines, notice, intervalUs }: Recoverer): Step[] {
  const pair = pairOf(lines, 2 * NOTICED_GBPS)
  const { control } = pair
  // As if the rate had been stable there.
  Object.assign(control, { rateBps: NOTICED_GBPS * 1e9, targetBps: NOTICED_GBPS * 1e9 })
  notice(control)
  let beforeGbps = control.rateBps / 1e9
  return Array.from({ length: INTERVALS }, (_, i) => {
    pair.passTo((i + 1) * intervalUs * US)
    const rateGbps = control.rateBps / 1e9
    const gainGbps = rateGbps - beforeGbps
    beforeGbps = rateGbps
    // R_c moves halfway to R_t.
    return { interval: i + 1, rateGbps, targetGbps: rateGbps + gainGbps, gainGbps }
  })
}

/** Figure 10 for all schemes or for one. */
export function figure10(only?: string): Shown {
  const recovering = RECOVERING.filter(({ scheme }) => only === undefined || only === scheme)
  const shown = recovering.map((recoverer) => ({ recoverer, steps: stepsOf(recoverer) }))
  return {
    tables: shown.map(({ recoverer: { scheme, fastSteps }, steps }) => ({
      title: `Figure 10: ${scheme} after a cut from ${NOTICED_GBPS} to ${NOTICED_GBPS / 2} Gb/s`,
      columns: ['interval', 'phase', 'R_t', 'R_c', 'gain', 'of the decrease', 'of the rate', 'survey'].map((head) => ({
        head,
      })),
      rows: steps.map(({ interval, rateGbps, targetGbps, gainGbps }) => [
        `${interval}`,
        interval <= fastSteps ? 'fast recovery' : 'active increase',
        `${humanNumber(targetGbps, 6)} Gb/s`,
        `${humanNumber(rateGbps, 6)} Gb/s`,
        `${humanNumber(gainGbps, 4)} Gb/s`,
        humanNumber(gainGbps / (NOTICED_GBPS / 2), 4),
        humanNumber(gainGbps / NOTICED_GBPS, 4),
        interval <= fastSteps ? `R_d / ${2 ** interval}` : 'grows with time',
      ]),
    })),
    claims: shown.flatMap(({ recoverer, steps }) => increaseClaims(recoverer, steps)),
  }
}

function increaseClaims({ scheme, fastSteps, additiveGbps }: Recoverer, steps: readonly Step[]): Claim[] {
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9
  const fast = steps.slice(0, fastSteps)
  const active = steps.slice(fastSteps)
  const halves = fast.filter(({ interval, gainGbps }) => isNear(gainGbps, NOTICED_GBPS / 2 / 2 ** interval)).length
  const fixed = fast.filter(({ targetGbps }) => isNear(targetGbps, NOTICED_GBPS)).length
  const raised = active.filter(({ targetGbps }, i) => isNear(targetGbps, NOTICED_GBPS + (i + 1) * additiveGbps)).length
  return [
    exactClaim({
      id: `srv.dcqcn.fast-recovery [${scheme}]`,
      statement: 'Fast recovery: R_t stays, R_c moves to the mean of both',
      paper: 'R_c := (R_c + R_t) / 2',
      measured: `so in ${fixed} of ${fast.length} intervals`,
      holds: fixed === fast.length && halves === fast.length,
      reason: 'Exact, to a billionth.',
    }),
    exactClaim({
      id: `srv.dcqcn.active-increase [${scheme}]`,
      statement: 'Active increase: R_t rises by R_AI, R_c moves to the mean of both',
      paper: 'R_t := R_t + R_AI; R_c := (R_c + R_t) / 2',
      measured: `so in ${raised} of ${active.length} intervals`,
      holds: raised === active.length,
      reason: 'Exact, to a billionth.',
    }),
    exactClaim({
      id: `srv.fig10.qcn-curve [${scheme}]`,
      statement: 'R_c gains R_d / 2^n at the end of interval n, and grows with time afterwards',
      paper: 'R_d/2, R_d/4, R_d/8, ...; then proportional to the time',
      measured: `${fast.map(({ gainGbps }) => humanNumber(gainGbps, 4)).join(', ')} Gb/s, then R_t by ${additiveGbps} Gb/s an interval`,
      holds: halves === fast.length && raised === active.length,
      reason:
        "Exact, with R_d read as the size of the decrease. The survey also calls it the rate at congestion; with that reading the gains are half of the survey's.",
    }),
  ]
}

/* Figure 9: TIMELY. */

/** RTTs with the survey's direction of the rate; the first only starts the series. */
const ROUND_TRIPS: readonly { readonly rttUs: number; readonly gradient: 'falls' | 'stays' | 'rises' }[] = [
  { rttUs: 100, gradient: 'stays' },
  { rttUs: 100, gradient: 'stays' },
  { rttUs: 98, gradient: 'falls' },
  { rttUs: 110, gradient: 'rises' },
  { rttUs: 112, gradient: 'rises' },
  { rttUs: 90, gradient: 'falls' },
]
const SEGMENT_PACKETS = 16

export function figure9(): Shown {
  const pair = pairOf(['congestion: {kind: timely, serialization: counted, additiveRate: 10Mbps}'])
  const { control } = pair
  control.rateBps = 10e9
  const steps = ROUND_TRIPS.map(({ rttUs, gradient }, i) => {
    const beforeBps = control.rateBps
    pair.acknowledge(0, { cumulativePsn: (i + 1) * SEGMENT_PACKETS, newPackets: SEGMENT_PACKETS, rttPs: rttUs * US })
    return { rttUs, gradient, stepBps: control.rateBps - beforeBps, ratio: control.rateBps / beforeBps }
  }).slice(1)
  const wrong = steps.filter(({ gradient, stepBps, ratio }) =>
    gradient === 'rises' ? !(ratio < 1) : Math.abs(stepBps - 10e6) > 1e-3,
  )
  return {
    tables: [
      {
        title: 'Figure 9: TIMELY with a series of round-trip times',
        columns: ['RTT', 'queue', 'rate', 'survey'].map((head) => ({ head })),
        rows: steps.map(({ rttUs, gradient, stepBps, ratio }) => [
          `${rttUs} us`,
          gradient,
          gradient === 'rises' ? `times ${humanNumber(ratio, 4)}` : `${humanNumber(stepBps / 1e6, 4)} Mb/s up`,
          gradient === 'rises' ? 'multiplicative decrease' : 'a constant up',
        ]),
      },
    ],
    claims: [
      exactClaim({
        id: 'srv.timely.gradient',
        statement: 'A gradient of 0 or less: additive increase; above 0: multiplicative decrease',
        paper: 'a constant up; a factor down',
        measured: `so in ${steps.length - wrong.length} of ${steps.length} round trips`,
        holds: wrong.length === 0,
        reason: 'Exact. The smoothed gradient has the sign of the last step in each of them.',
      }),
    ],
  }
}
