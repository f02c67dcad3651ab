/**
 * Table: shares of right explanations with their 95 % intervals, by kind and by scheme.
 */
import { textTable } from '../../src/show/index.ts'
import { firstCauses } from './counterfactual.ts'
import type { Score } from './one.ts'
import { SCHEME_NAMES } from './base.ts'
import { CAUSE_KINDS, type Kind } from './truth.ts'

/** 0.975 quantile of the normal distribution. */
const Z = 1.959963984540054

/** Wilson's 95 % interval of a share. */
export function wilson(hits: number, count: number): readonly [number, number] {
  if (count === 0) return [0, 1]
  const share = hits / count
  const middle = share + (Z * Z) / (2 * count)
  const half = Z * Math.sqrt((share * (1 - share)) / count + (Z * Z) / (4 * count * count))
  const scale = 1 + (Z * Z) / count
  return [(middle - half) / scale, (middle + half) / scale]
}

export const percent = (share: number): string => (100 * share).toFixed(0)

export function shareText(hits: number, count: number): string {
  if (count === 0) return '-'
  const [low, high] = wilson(hits, count)
  return `${percent(hits / count)} % (${percent(low)} to ${percent(high)})`
}

const NAMED_FIRST = 3

function rowOf(label: string, scores: readonly Score[]): string[] {
  const count = scores.length
  const hits = (isHit: (score: Score) => boolean): string => shareText(scores.filter(isHit).length, count)
  const seconds = scores.reduce((sum, score) => sum + score.cpuSeconds, 0) / count
  return [
    label,
    String(count),
    hits(({ rank }) => rank === 0),
    hits(({ rank, isKindRight }) => rank === 0 && isKindRight),
    hits(({ rank }) => rank >= 0 && rank < NAMED_FIRST),
    count === 0 ? '-' : seconds.toFixed(1),
  ]
}

/** The kind of the cause that saves most. */
export function kindOf({ drawn: { causes } }: Score): Kind {
  const [largest] = firstCauses(causes).toSorted((a, b) => b.saved - a.saved)
  return largest!.kind
}

function incidentTable(scores: readonly Score[]): string {
  const isTwo = ({ drawn: { causes } }: Score): boolean => causes.length > 1
  const rows = [
    ...CAUSE_KINDS.map((kind) =>
      rowOf(
        kind,
        scores.filter((score) => kindOf(score) === kind),
      ),
    ),
    ...SCHEME_NAMES.map((scheme) =>
      rowOf(
        `under ${scheme}`,
        scores.filter((score) => score.scheme === scheme),
      ),
    ),
    rowOf('two injected', scores.filter(isTwo)),
    rowOf('all incidents', scores),
  ]
  return textTable(
    ['first cause', 'incidents', 'named first', 'with its kind', `among ${NAMED_FIRST}`, 'CPU s each'].map(
      (head, i) => ({
        head,
        align: i === 0 ? ('left' as const) : ('right' as const),
      }),
    ),
    rows,
  )
}

/** Attempts at each kind, and those in which it changed too little. */
function refusedTable(scores: readonly Score[]): string {
  const rows = CAUSE_KINDS.map((kind) => {
    const drawn = scores.flatMap(({ drawn: { causes } }) => causes.filter((cause) => cause.kind === kind))
    const counted = drawn.filter(({ counts }) => counts).length
    const refused = scores.flatMap((score) => score.drawn.refused.filter((one) => one.kind === kind)).length
    return [kind, String(counted), String(drawn.length - counted), String(refused)]
  })
  return textTable(
    ['kind', 'counts', 'beside one that does', 'refused'].map((head, i) => ({
      head,
      align: i === 0 ? ('left' as const) : ('right' as const),
    })),
    rows,
  )
}

export function scoreText(scores: readonly Score[]): string {
  const incidents = scores.filter(({ form }) => form === 'incident')
  const healthy = scores.filter(({ form }) => form === 'healthy')
  const accused = healthy.filter(({ found }) => found.length > 0).length
  const [waitingPs, withoutPs] = ['waitingPs', 'withoutOriginPs'].map((name) =>
    incidents.reduce((sum, score) => sum + score[name as 'waitingPs' | 'withoutOriginPs'], 0),
  ) as [number, number]
  const parts = [
    ...(incidents.length === 0 ? [] : [incidentTable(incidents), refusedTable(incidents)]),
    ...(healthy.length === 0
      ? []
      : [
          `healthy runs with somebody accused: ${accused} of ${healthy.length}, ${shareText(accused, healthy.length)}\n`,
        ]),
    ...(incidents.length === 0
      ? []
      : [`waiting time of incidents without an origin: ${percent(withoutPs / waitingPs)} %\n`]),
  ]
  return parts.join('\n')
}
