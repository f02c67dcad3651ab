/**
 * What S3 says of every one of the sixteen settings of its Tables 3 to 9, held against those that are run: IRN is always
 * better than RoCE with PFC; without congestion control PFC always makes IRN worse; with it PFC helps IRN a little at most.
 * Each setting has a row, over the three metrics together. A row tells what holds there, and nothing of the settings
 * that are not run.
 * Source: S3 abstract and section 4.4.1.
 */
import type { Outcome } from './experiment.ts'
import { type Claim, claimOf, everySeedClaim } from './findings.ts'
import { CONTROL_NAMES, METRICS } from './irn-arms.ts'
import type { CellPlace } from './irn-cells.ts'
import { ratioOverSeeds, ratiosOf } from './over-seeds.ts'

/** The most that PFC helps IRN, percent, as the paper has it for TIMELY and for DCQCN. */
const MOST_HELP = { timely: 1.6, dcqcn: 5 } as const
const HELP_POINTS = 3

export function alwaysClaims(outcomes: readonly Outcome[], place: CellPlace): Claim[] {
  const { setting, control, irn, irnPfc, rocePfc, isCutShort } = place
  const where = `[${setting}, ${CONTROL_NAMES[control]}]`
  /** IRN over another, a list of the seeds for each metric. */
  const over = (to: string): number[][] => METRICS.map(({ key }) => ratiosOf(outcomes, { of: irn, to }, (m) => m[key]!))
  const worstMetric = (ratios: readonly (readonly number[])[]): number[] =>
    ratios[0]!.map((_, seed) => Math.max(...ratios.map((ofMetric) => ofMetric[seed]!)))
  const gains = worstMetric(over(rocePfc)).map((ratio) => 100 * (1 - ratio))
  const better = ['irn.abstract.6-83', 'irn.441.a.always-better'].map((id) =>
    everySeedClaim({
      id: `${id} ${where}`,
      statement: 'IRN has less than RoCE with PFC in all three metrics: by, where it is least',
      paper: '6 to 83 %',
      values: gains,
      holds: (percent) => percent > 0,
      counts: 'above 0',
      unit: ' %',
      cutShort: isCutShort ? 'direction' : undefined,
      why: ONE_SETTING,
    }),
  )
  if (control === 'none') {
    const degraded = everySeedClaim({
      id: `irn.441.b.pfc-always-degrades-nocc ${where}`,
      statement: 'PFC makes none of the three metrics of IRN better: IRN with PFC over IRN, where it is least',
      paper: 'up to 2.4 x',
      values: worstMetric(over(irnPfc)).map((ratio) => 1 / ratio),
      holds: (ratio) => ratio >= 1,
      counts: 'at least 1',
      unit: ' x',
      cutShort: isCutShort ? 'direction' : undefined,
      why: ONE_SETTING,
    })
    return [...better, degraded]
  }
  const most = MOST_HELP[control === 'dcqcn' ? 'dcqcn' : 'timely']
  const helped = METRICS.map(({ key, name }) => {
    const { mean, low, high, count } = ratioOverSeeds(outcomes, { of: irn, to: irnPfc }, (m) => m[key]!)
    return { name, percent: { mean: 100 * (mean - 1), low: 100 * (low - 1), high: 100 * (high - 1), count } }
  }).reduce((largest, next) => (next.percent.mean > largest.percent.mean ? next : largest))
  const improved = claimOf({
    id: `irn.441.c.improvement ${where}`,
    statement: 'PFC makes IRN better by, in the metric that it helps most',
    paper: `at most ${most} %`,
    measured: helped.percent,
    unit: ' %',
    band: { low: -Infinity, high: most + HELP_POINTS },
    tolerance: `${HELP_POINTS} percentage points`,
    cutShort: isCutShort ? null : undefined,
    why: `The metric is the ${helped.name}. ${ONE_SETTING}`,
  })
  return [...better, improved]
}

const ONE_SETTING =
  'One setting of the sixteen: the range is that of all of them, and what counts is that it holds in each.'
