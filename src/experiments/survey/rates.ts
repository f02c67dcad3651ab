/**
 * The survey's worked examples of rates, driven by hand: the reaction of TIMELY to RTT gradients (Figure 9), and rate
 * recovery with QCN's increase (Figure 10).
 * Source: [Survey] IV-C, V-B.
 */
import { US } from '../../base/index.ts'
import type { ScriptedPair } from '../../lab/index.ts'
import { humanNumber } from '../../report/index.ts'
import { type Claim, exact } from '../core/findings.ts'
import { pairOf } from './pair.ts'

/* Figure 9. */

const SEGMENT_PACKETS = 16
const ADDITIVE_BPS = 10e6

/** Changes of TIMELY's rate by a series of RTTs, each from the same rate. The first RTT only starts the series. */
export function timelySteps(rateBps: number, rttsUs: readonly number[]): number[] {
  const pair = pairOf(['congestion: {kind: timely, serialization: counted}'])
  return rttsUs.map((rttUs, i) => {
    pair.control.rateBps = rateBps
    pair.acknowledge(0, { cumulativePsn: (i + 1) * SEGMENT_PACKETS, newPackets: SEGMENT_PACKETS, rttPs: rttUs * US })
    return pair.control.rateBps - rateBps
  })
}

const ROUND_TRIPS = [
  { rttUs: 100, rises: false },
  { rttUs: 100, rises: false },
  { rttUs: 98, rises: false },
  { rttUs: 110, rises: true },
  { rttUs: 112, rises: true },
  { rttUs: 90, rises: false },
]

export function gradientClaim(): Claim {
  const rttsUs = ROUND_TRIPS.map(({ rttUs }) => rttUs)
  const stepsBps = timelySteps(10e9, rttsUs)
  const isAsSaid = ROUND_TRIPS.map(({ rises }, i) =>
    rises ? stepsBps[i]! < 0 : Math.abs(stepsBps[i]! - ADDITIVE_BPS) <= 1e-3,
  ).slice(1)
  const right = isAsSaid.filter(Boolean).length
  return exact('srv.timely.gradient', right === isAsSaid.length, {
    measured: `so in ${right} of ${isAsSaid.length} round trips`,
    reason: `Exact, with round trips of ${rttsUs.join(', ')} us; in each the smoothed gradient has the sign of the last step.`,
  })
}

/* Figure 10. */

interface Recoverer {
  readonly scheme: 'qcn' | 'dcqcn'
  readonly parameters: string
  /** Signals congestion: the rate falls to half. */
  readonly notice: (control: ScriptedPair['control']) => void
  readonly additiveGbps: number
}

export const DCQCN: Recoverer = {
  scheme: 'dcqcn',
  parameters: 'additiveRate: 40Mbps',
  notice: (control) => control.onCnp(0, 0),
  additiveGbps: 0.04,
}
/** The largest feedback, 63, halves the rate. */
export const QCN: Recoverer = {
  scheme: 'qcn',
  parameters: 'additiveRate: 5Mbps, gd: 1/126',
  notice: (control) => control.onCnm(0, 63),
  additiveGbps: 0.005,
}

/** Rate when congestion is signalled, Gb/s; the link is twice as fast, to leave room for active increase. */
const NOTICED_GBPS = 20
const INTERVAL_US = 50
const INTERVALS = 10
const FAST = 5

/** Gain and target of the rate at the ends of intervals after a cut to half. */
export function recoveryOf({ scheme, parameters, notice }: Recoverer): { gainGbps: number; targetGbps: number }[] {
  const schemeText = `congestion: {kind: ${scheme}, rateInterval: ${INTERVAL_US}us, fastRecovery: ${FAST}, ${parameters}}`
  const pair = pairOf([schemeText], 2 * NOTICED_GBPS)
  const { control } = pair
  // As if the rate had been stable there.
  Object.assign(control, { rateBps: NOTICED_GBPS * 1e9, targetBps: NOTICED_GBPS * 1e9 })
  notice(control)
  let beforeGbps = control.rateBps / 1e9
  return Array.from({ length: INTERVALS }, (_, i) => {
    pair.passTo((i + 1) * INTERVAL_US * US)
    const rateGbps = control.rateBps / 1e9
    const gainGbps = rateGbps - beforeGbps
    beforeGbps = rateGbps
    // R_c moves halfway to R_t.
    return { gainGbps, targetGbps: rateGbps + gainGbps }
  })
}

export function increaseClaims(recoverer: Recoverer): Claim[] {
  const { scheme: check, additiveGbps } = recoverer
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9
  const steps = recoveryOf(recoverer)
  const [fast, active] = [steps.slice(0, FAST), steps.slice(FAST)]
  const halves = fast.filter(({ gainGbps }, i) => isNear(gainGbps, NOTICED_GBPS / 2 ** (i + 2))).length
  const fixed = fast.filter(({ targetGbps }) => isNear(targetGbps, NOTICED_GBPS)).length
  const raised = active.filter(({ targetGbps }, i) => isNear(targetGbps, NOTICED_GBPS + (i + 1) * additiveGbps)).length
  const reason = 'Exact, to a billionth.'
  const gains = fast.map(({ gainGbps }) => humanNumber(gainGbps, 4)).join(', ')
  const [isFixed, isRaised] = [fixed === FAST && halves === FAST, raised === active.length]
  return [
    exact('srv.dcqcn.fast-recovery', isFixed, { check, measured: `so in ${fixed} of ${FAST} intervals`, reason }),
    exact('srv.dcqcn.active-increase', isRaised, {
      check,
      measured: `so in ${raised} of ${active.length} intervals`,
      reason,
    }),
    exact('srv.fig10.qcn-curve', halves === FAST && isRaised, {
      check,
      measured: `${gains} Gb/s, then R_t by ${additiveGbps} Gb/s an interval`,
      reason:
        'Exact, with R_d read as the size of the decrease. The survey also calls it the rate at congestion, of which the gains are half as much.',
    }),
  ]
}
