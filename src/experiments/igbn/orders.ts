/**
 * Claims on orders: which scheme is better with one timeout, and at which loss rate a curve bends.
 * Source: [IGBN] Figures 2, 6(a), 6(b) and 7(a).
 */
import type { Claim } from '../core/findings.ts'
import type { LossyEstimates } from './estimates.ts'
import { ABOVE, above, judged } from './judged.ts'
import type { LossyScheme } from './model.ts'
import { NAMES, randomCondition, type TimeoutMs } from './runs.ts'

const NEAR_ZERO =
  'Both are near zero, and the claim allows for noise here. At this loss rate Send Twice avoids one timeout in twenty-five, ' +
  'which few seeds show.'
const FREE_COPY =
  'The copy of the last packet is sent while the sender waits for the ACK of the original, so it costs no time if messages follow one another. ' +
  'Both repair every loss of these runs alike, and chance decides which is ahead.'

/** Best first, in the order of the paper. */
const ORDER: readonly LossyScheme[] = ['improved-gbn', 'check-epsn', 'send-twice', 'go-back-n']

export const percentText = (loss: number): string => `${Number((100 * loss).toPrecision(3))} %`

export function orderClaims(estimates: LossyEstimates): Claim[] {
  const at = (timeoutMs: TimeoutMs, loss: number) => (scheme: LossyScheme) => randomCondition(scheme, timeoutMs, loss)
  const order = ORDER.slice(0, -1).map((scheme, i) => {
    const next = ORDER[i + 1]!
    const [first, second] = [scheme, next].map(at(100, 0.01)) as [string, string]
    return above({
      id: `gbn.fig6a.order-1pct [${NAMES[scheme]} over ${NAMES[next]}]`,
      statement: `With 100 ms at a loss of 1 % ${NAMES[scheme]} is better than ${NAMES[next]}`,
      paper: 'better',
      measured: estimates.margin(first, second),
      values: estimates.bySeed([first, second], ([a, b]) => a! - b!),
      ...(next === 'go-back-n' ? { why: NEAR_ZERO } : {}),
    })
  })
  const best = MUCH_LOST.map((loss) => {
    const conditions = ORDER.map(at(10, loss))
    const [improved, ...others] = conditions as [string, ...string[]]
    const margins = others.map((other) => estimates.margin(improved, other))
    return above({
      id: `gbn.fig6b.improved-best [${percentText(loss)}]`,
      statement: `With 10 ms at a loss of ${percentText(loss)} Improved is better than the next best`,
      paper: 'best',
      measured: margins.reduce((least, next) => (next.mean < least.mean ? next : least)),
      values: estimates.bySeed(conditions, ([a, ...rest]) => a! - Math.max(...rest)),
    })
  })
  return [...order, ...best, ...byHowMuch(estimates), ...bends(estimates)]
}

/** Loss rates above 0.1 %. */
const MUCH_LOST = [0.002, 0.005, 0.01] as const

/** Claims on how much better one scheme is than another. */
function byHowMuch(estimates: LossyEstimates): Claim[] {
  const [improved, checked] = (['improved-gbn', 'check-epsn'] as const).map(
    (scheme) => (loss: number) => randomCondition(scheme, 10, loss),
  ) as [(loss: number) => string, (loss: number) => string]
  const hasNone = (m: Readonly<Record<string, number>>): boolean => m['timeouts'] === 0
  const copies = [0.0001, 0.0002, 0.0005].map((loss) => {
    const [first, second] = (['check-epsn', 'improved-gbn'] as const).map((scheme) =>
      randomCondition(scheme, 100, loss),
    )
    return judged({
      ...ABOVE,
      id: `gbn.fig6a.ce-slightly-better-than-improved [${percentText(loss)}]`,
      statement: `With 100 ms at a loss of ${percentText(loss)} Check EPSN is better than Improved, in runs without a timeout`,
      paper: 'a little better',
      measured: estimates.margin(first!, second!, hasNone),
      whyNot: FREE_COPY,
    })
  })
  return [
    ...copies,
    judged({
      id: 'gbn.fig6a.st-little-better-at-0.1',
      statement: 'With 100 ms at a loss of 0.1 % Send Twice is better than Go-Back-N by',
      paper: 'only a little',
      measured: estimates.margin(randomCondition('send-twice', 100, 0.001), randomCondition('go-back-n', 100, 0.001)),
      unit: ' points',
      band: { low: 0, high: 15 },
      tolerance: 'not worse, and at most 15 percentage points',
    }),
    ...MUCH_LOST.map((loss) =>
      judged({
        id: `gbn.fig6b.ce-little-worse [${percentText(loss)}]`,
        statement: `With 10 ms at a loss of ${percentText(loss)} Check EPSN is worse than Improved by`,
        paper: 'a little',
        measured: estimates.margin(improved(loss), checked(loss)),
        unit: ' points',
        band: { low: 0, high: 15 },
        tolerance: 'worse, by at most 15 percentage points',
      }),
    ),
    judged({
      id: 'gbn.fig6b.ce-much-better',
      statement: 'With 10 ms at a loss of 1 % Check EPSN is better than Send Twice',
      paper: 'much better',
      measured: estimates.ratio([checked(0.01)], [randomCondition('send-twice', 10, 0.01)]),
      unit: ' x',
      band: { low: 2, high: Infinity },
      tolerance: 'twice as good',
    }),
  ]
}

/** Claims on the loss rate from which the throughput of Go-Back-N falls faster. */
function bends(estimates: LossyEstimates): Claim[] {
  const at = (timeoutMs: TimeoutMs, ...losses: number[]): string[] =>
    losses.map((loss) => randomCondition('go-back-n', timeoutMs, loss))
  const decades = [
    { name: '0.01 % to 0.1 %', losses: [0.0001, 0.001] },
    { name: '0.1 % to 1 %', losses: [0.001, 0.01] },
  ]
  const falls = decades.map(({ name, losses }) => {
    const [before, behind] = at(100, ...losses) as [string, string]
    return above({
      id: `gbn.fig2.knee-at-0.1pct [${name}]`,
      statement: `The throughput of Go-Back-N falls from a loss of ${name}`,
      paper: 'falls',
      measured: estimates.margin(before, behind),
      values: estimates.bySeed([before, behind], ([a, b]) => a! - b!),
    })
  })
  const steeper = ([low, knee, high]: readonly number[]): number => knee! - high! - (low! - knee!)
  const sharper = ([low, knee, high]: readonly number[]): number => knee! - high! - 2 * (low! - knee!)
  const knee = at(100, 0.0001, 0.001, 0.01)
  const later = at(10, 0.0005, 0.002, 0.01)
  return [
    ...falls,
    above({
      id: 'gbn.fig2.knee-at-0.1pct [steeper]',
      statement: 'The throughput of Go-Back-N falls more from 0.1 to 1 % than from 0.01 to 0.1 %',
      paper: 'rapidly beyond 0.1 %',
      measured: estimates.combined(knee, steeper),
      values: estimates.bySeed(knee, steeper),
    }),
    above({
      id: 'gbn.fig7a.10ms-knee-0.2pct',
      statement:
        'With 10 ms the throughput of Go-Back-N falls more than twice as much from a loss of 0.2 to 1 % as from 0.05 to 0.2 %',
      paper: 'sharply beyond 0.2 %',
      measured: estimates.combined(later, sharper),
      values: estimates.bySeed(later, sharper),
    }),
  ]
}
