/** Jobs and collectives in `rocelab run --json`, and the numbers of a run that follow from them; null where there is no number. */
import {
  countShape,
  flagShape,
  listOf,
  numberShape,
  objectOf,
  optional,
  orNull,
  type Shape,
  textShape,
} from '../../base/shape.ts'
import { mean } from '../quantiles.ts'
import type { CollectiveTimes, JobTimes } from './jobs.ts'

type Json<T> = { readonly [K in keyof T]: T[K] extends number ? number | null : T[K] }

/** Earlier versions knew no bounds. */
export type JobJson = Omit<Json<JobTimes>, 'isBound'> & { readonly isBound?: boolean | undefined }
export type CollectiveJson = Json<CollectiveTimes>

/** Fields of a run with jobs. */
export interface JobsJson {
  readonly jobs: readonly JobJson[]
  readonly collectives: readonly CollectiveJson[]
}

export function jobsJson(jobs: readonly JobTimes[], collectives: readonly CollectiveTimes[]): JobsJson {
  return { jobs: jobs.map(withNulls), collectives: collectives.map(withNulls) }
}

function withNulls<T extends object>(times: T): Json<T> {
  const entries = Object.entries(times).map(([name, value]) => [name, Number.isNaN(value) ? null : (value as unknown)])
  // Every field is there, and only numbers have become null.
  return Object.fromEntries(entries) as Json<T>
}

const measure = orNull(numberShape)

export const jobShape: Shape<readonly JobJson[]> = listOf(
  objectOf<JobJson>({
    tag: textShape,
    ranks: countShape,
    iterations: countShape,
    stepPs: measure,
    idealStepPs: measure,
    evenStepPs: measure,
    isBound: optional(flagShape),
  }),
)

export const collectiveShape: Shape<readonly CollectiveJson[]> = listOf(
  objectOf<CollectiveJson>({
    tag: textShape,
    operation: textShape,
    algorithm: textShape,
    ranks: countShape,
    sizeBytes: countShape,
    elementBytes: countShape,
    iterations: countShape,
    meanPs: measure,
    idealMeanPs: measure,
    algorithmBps: measure,
    busBps: measure,
    lateMeanPs: measure,
    lastMost: textShape,
  }),
)

/** A number of several jobs or collectives: their mean, as nccl-tests has the average of bus bandwidths; null: none has it. */
export function meanOf<T>(all: readonly T[] | undefined, of: (one: T) => number | null): number | null {
  const known = (all ?? []).flatMap((one) => of(one) ?? [])
  return known.length === 0 ? null : mean(known)
}

/** Step time over the idle one; null where that is a bound. */
export function stepRatio({ stepPs, idealStepPs, isBound = false }: JobJson): number | null {
  return isBound || stepPs === null || idealStepPs === null || idealStepPs === 0 ? null : stepPs / idealStepPs
}
