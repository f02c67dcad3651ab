/**
 * Claims on how much each scheme depends on the timeout.
 * Source: [IGBN] Figures 6(c) and 7.
 */
import type { Claim } from '../core/findings.ts'
import type { LossyEstimates } from './estimates.ts'
import { above, judged } from './judged.ts'
import type { LossyScheme } from './model.ts'
import { percentText } from './orders.ts'
import {
  FOLLOWING_LOSSES,
  followingCondition,
  LOSSES,
  NAMES,
  randomCondition,
  SCHEMES,
  TIMEOUTS_MS,
  type TimeoutMs,
  timeoutText,
} from './runs.ts'

export function timeoutClaims(estimates: LossyEstimates): Claim[] {
  return [...shortClaims(estimates), ...robustClaims(estimates), ...betterClaims(estimates), ...goodClaims(estimates)]
}

const range = (values: readonly number[]): number => Math.max(...values) - Math.min(...values)

/** A claim that throughputs are close: the largest distance within any of several sets of conditions. */
function widest(
  estimates: LossyEstimates,
  sets: readonly (readonly string[])[],
  {
    tolerance,
    ...input
  }: { readonly id: string; readonly statement: string; readonly paper: string; readonly tolerance: number },
): Claim {
  const { interval, between } = sets
    .map((conditions) => estimates.spread(conditions))
    .reduce((most, next) => (next.interval.mean > most.interval.mean ? next : most))
  const spreads = sets.map((conditions) => estimates.bySeed(conditions, range))
  const values = spreads[0]!.map((_, seed) => Math.max(...spreads.map((each) => each[seed]!)))
  return judged({
    ...input,
    measured: interval,
    values,
    unit: ' points',
    band: { low: -Infinity, high: tolerance },
    tolerance: `${tolerance} percentage points`,
    why: `The value is the largest distance of means, between ${between.join(' and ')}.`,
  })
}

/** Claims for a timeout as long as the NAK interval. */
function shortClaims(estimates: LossyEstimates): Claim[] {
  const atHalf = (scheme: LossyScheme, loss: number): string => randomCondition(scheme, 0.5, loss)
  const readings = [
    { name: 'timer from the last answer', losses: LOSSES.full, at: atHalf },
    { name: 'timer from the last packet', losses: FOLLOWING_LOSSES.full, at: followingCondition },
  ]
  return readings.flatMap(({ name, losses, at }) => {
    const alike = losses.filter((loss) => loss <= 0.005).map((loss) => SCHEMES.map((scheme) => at(scheme, loss)))
    const of = (schemes: readonly LossyScheme[]): string[] => schemes.map((scheme) => at(scheme, 0.01))
    return [
      widest(estimates, alike, {
        id: `gbn.fig6c.all-equal [${name}]`,
        statement: 'With 500 us all four are almost alike, up to a loss of 0.5 %',
        paper: 'almost alike',
        tolerance: 10,
      }),
      judged({
        id: `gbn.fig6c.ten-percent [${name}]`,
        statement: 'With 500 us at a loss of 1 % Improved and Check EPSN are better than the others by',
        paper: '10 %',
        measured: estimates.ratio(of(['improved-gbn', 'check-epsn']), of(['send-twice', 'go-back-n'])),
        unit: ' x',
        band: { low: 1.03, high: 1.17 },
        tolerance: '0.07',
        whyNot:
          'The timeout is as long as the NAK interval. A timer that runs from the last ACK or NAK expires together with the NAK interval, and go-back-N ' +
          'repairs by one what Check EPSN repairs by the other; a timer that runs from the last packet sent expires later.',
      }),
    ]
  })
}

/** Claims that Improved depends little on the timeout, and the others more. */
function robustClaims(estimates: LossyEstimates): Claim[] {
  const at = (scheme: LossyScheme, loss: number): string[] =>
    TIMEOUTS_MS.map((timeoutMs) => randomCondition(scheme, timeoutMs, loss))
  const robust = LOSSES.full.map((loss) => at('improved-gbn', loss))
  const wider = (throughputs: readonly number[]): number =>
    range(throughputs.slice(0, TIMEOUTS_MS.length)) - range(throughputs.slice(TIMEOUTS_MS.length))
  return [
    widest(estimates, robust, {
      id: 'gbn.fig7b.improved-robust',
      statement: 'Improved is almost the same with every timeout, at every loss rate',
      paper: 'almost the same',
      tolerance: 6,
    }),
    ...(['go-back-n', 'check-epsn', 'send-twice'] as const).map((scheme) => {
      const conditions = [...at(scheme, 0.01), ...at('improved-gbn', 0.01)]
      return above({
        id: `gbn.fig7b.others-not-robust [${NAMES[scheme]}]`,
        statement: `At a loss of 1 % ${NAMES[scheme]} with one timeout is further from itself with another than Improved is`,
        paper: 'not the same',
        measured: estimates.combined(conditions, wider),
        values: estimates.bySeed(conditions, wider),
      })
    }),
  ]
}

/** Claims that shorter timeouts are better. */
function betterClaims(estimates: LossyEstimates): Claim[] {
  const better = (id: string, scheme: LossyScheme, [short, long]: readonly [TimeoutMs, TimeoutMs]): Claim => {
    const [first, second] = [short, long].map((timeoutMs) => randomCondition(scheme, timeoutMs, 0.01)) as [
      string,
      string,
    ]
    return above({
      id: `${id} [${timeoutText(short)} over ${timeoutText(long)}]`,
      statement: `At a loss of 1 % ${NAMES[scheme]} is better with ${timeoutText(short)} than with ${timeoutText(long)}`,
      paper: 'better',
      measured: estimates.margin(first, second),
      values: estimates.bySeed([first, second], ([a, b]) => a! - b!),
    })
  }
  const steps = [
    [0.5, 10],
    [10, 100],
  ] as const
  return [
    ...steps.map((step) => better('gbn.fig7c.10ms-near-500us', 'check-epsn', step)),
    ...steps.map((step) => better('gbn.fig7d.st-500us-better', 'send-twice', step)),
    ...steps.map((step) => better('gbn.sec3b.timeout-tradeoff', 'go-back-n', step)),
  ]
}

/** Claims on the loss rate at which the throughput of a scheme begins to decrease. */
function goodClaims(estimates: LossyEstimates): Claim[] {
  const good = TIMEOUTS_MS.flatMap((timeoutMs) =>
    [0.00001, 0.0001, 0.0005].map((loss) =>
      judged({
        id: `gbn.fig7c.ce-good-below-0.1 [${timeoutText(timeoutMs)}, ${percentText(loss)}]`,
        statement: `Check EPSN with ${timeoutText(timeoutMs)} keeps at a loss of ${percentText(loss)}`,
        paper: 'good',
        measured: estimates.throughput(randomCondition('check-epsn', timeoutMs, loss)),
        unit: ' %',
        band: { low: 90, high: Infinity },
        tolerance: '10 percentage points below the lossless throughput',
        whyNot:
          'Check EPSN leaves the timeouts of reasons 1 and 2, one in a thousand messages at a loss of 0.05 %, and with 100 ms each of them takes the time of a hundred messages.',
      }),
    ),
  )
  const begins = ([100, 10] as const).map((timeoutMs) =>
    judged({
      id: `gbn.fig7d.st-starts-0.01 [${timeoutText(timeoutMs)}]`,
      statement: `Send Twice with ${timeoutText(timeoutMs)} keeps at a loss of 0.01 %`,
      paper: 'less than without a loss',
      measured: estimates.throughput(randomCondition('send-twice', timeoutMs, 0.0001)),
      unit: ' %',
      band: { low: -Infinity, high: 99 },
      tolerance: 'visibly less: one percentage point or more',
      whyNot:
        'Only timeouts cost much, and those of reasons 3 and 4 need two losses: at this loss rate at most eight in 100,000 messages have one. A ' +
        'single loss, which two messages in five have, costs 6 of 910 us.',
    }),
  )
  return [...good, ...begins]
}
