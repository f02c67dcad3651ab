/**
 * Table: shares of right answers with their 95 % intervals, by kind and by scheme.
 */
import { quantile } from '../../../src/core/results/index.ts'
import { textTable } from '../../../src/show/index.ts'
import { SCHEME_NAMES } from '../base.ts'
import { firstCauses } from '../counterfactual.ts'
import { shareText } from '../table.ts'
import { type Kind, WHY_KINDS } from '../truth.ts'
import type { WhyScore } from './one.ts'

const NAMED_FIRST = 3

function rowOf(label: string, scores: readonly WhyScore[]): string[] {
  const hits = (isHit: (score: WhyScore) => boolean): string => shareText(scores.filter(isHit).length, scores.length)
  return [
    label,
    String(scores.length),
    hits(({ rank }) => rank === 0),
    hits((score) => score.rank === 0 && score.isKindRight),
    hits(({ rank }) => rank >= 0 && rank < NAMED_FIRST),
  ]
}

/** The kind of the cause that saves most. */
function kindOf({ drawn: { causes } }: WhyScore): Kind {
  const [largest] = firstCauses(causes).toSorted((a, b) => b.saved - a.saved)
  return largest!.kind
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  textTable(
    heads.map((head, i) => ({ head, align: i === 0 ? ('left' as const) : ('right' as const) })),
    rows.map((row) => [...row]),
  )

function incidentTable(scores: readonly WhyScore[]): string {
  const rowsBy = (all: readonly string[], of: (score: WhyScore) => string, prefix = ''): string[][] =>
    all.map((one) =>
      rowOf(
        `${prefix}${one}`,
        scores.filter((score) => of(score) === one),
      ),
    )
  const two = scores.filter(({ drawn: { causes } }) => causes.length > 1)
  return table(
    ['first cause', 'incidents', 'named first', 'with its kind', `among ${NAMED_FIRST}`],
    [
      ...rowsBy(WHY_KINDS, kindOf),
      ...rowsBy(SCHEME_NAMES, ({ scheme }) => scheme, 'under '),
      rowOf('two injected', two),
      rowOf('all incidents', scores),
    ],
  )
}

/** Attempts at each kind that were refused, by reason. */
function refusedTable(scores: readonly WhyScore[]): string {
  const reasons = ['fabric', 'sign', 'harm', 'long'] as const
  const refused = scores.flatMap(({ drawn }) => drawn.refused)
  const rows = WHY_KINDS.map((kind) => {
    const taken = scores.flatMap(({ drawn }) => drawn.causes).filter((cause) => cause.kind === kind).length
    const counts = reasons.map((why) => refused.filter((one) => one.kind === kind && one.why === why).length)
    return [kind, String(taken), ...counts.map(String)]
  })
  return table(['kind', 'counts', ...reasons.map((reason) => `refused: ${reason}`)], rows)
}

/** Answers to runs without an injection. */
function plainText(label: string, scores: readonly WhyScore[], wanted: (score: WhyScore) => boolean): string[] {
  if (scores.length === 0) return []
  const accused = scores.filter(({ answer }) => answer.causes.some(({ device }) => device !== undefined))
  const verdicts = (['causes', 'load', 'calm', 'unknown'] as const).map(
    (verdict) => `${scores.filter(({ answer }) => answer.verdict === verdict).length} ${verdict}`,
  )
  const right = shareText(scores.filter(wanted).length, scores.length)
  return [`${label}: right in ${right}; a device is accused in ${accused.length}; ${verdicts.join(', ')}\n`]
}

export function whyText(scores: readonly WhyScore[]): string {
  const of = (form: WhyScore['form']): WhyScore[] => scores.filter((score) => score.form === form)
  const incidents = of('incident')
  const times = scores.map(({ answer: { seconds, runSeconds } }) => seconds / runSeconds)
  const failed = scores.filter(({ answer }) => answer.failure !== undefined)
  return [
    ...(incidents.length > 0 ? [incidentTable(incidents), refusedTable(incidents)] : []),
    ...plainText('healthy runs', of('healthy'), ({ answer }) => answer.causes.length === 0),
    ...plainText('loaded runs', of('loaded'), ({ answer }) => answer.verdict === 'load'),
    ...(times.length > 0
      ? [`time of an answer over that of its run, median: ${quantile(times, 0.5).toFixed(1)}\n`]
      : []),
    ...failed.map(({ form, seed, answer }) => `failed: ${form} ${seed}: ${answer.failure!}\n`),
  ].join('\n')
}
