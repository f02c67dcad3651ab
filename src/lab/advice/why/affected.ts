/**
 * Affected: the messages that are slow or do not end, and their numbers with and without a suspect.
 */
import { SLOW } from '../../../show/index.ts'
import { COUNTS } from './judging.ts'
import { type Gain, type Ideals, numbersIn, type Numbers, type Sample } from './sample.ts'

/** Messages of these tags that are slow in this run, or did not end; all of these tags where none is. */
export function affectedIn(sample: Sample, ideals: Ideals, tags: ReadonlySet<string>): (key: string) => boolean {
  const affected = new Set(
    [...sample.byKey]
      .filter(([key, sent]) => tags.has(sent.tag) && (!sent.isDone || ideals.slowdownOf(key, sent) >= SLOW))
      .map(([key]) => key),
  )
  if (affected.size === 0) return (key) => tags.has(sample.byKey.get(key)?.tag ?? '')
  return (key) => affected.has(key)
}

/** Time of the iterations of a job; Infinity: they did not end. */
export interface StepTimes {
  readonly tag: string
  readonly beforePs: number
  readonly afterPs: number
}

export interface Effect {
  /** Tag of the messages that are counted; '': all that are affected. */
  readonly of: string
  readonly before: Numbers
  readonly after: Numbers
  /** The job whose steps gain most; null: there is none. */
  readonly step: StepTimes | null
}

/**
 * Numbers of the affected messages with and without a suspect: of all of them, or of one tag alone where only that tag
 * gains a fifth.
 */
export function effectOf(
  before: Sample,
  after: Sample,
  ideals: Ideals,
  tags: ReadonlySet<string>,
  { tag }: Gain,
): Effect | null {
  const numbersOf = (own: ReadonlySet<string>): Pick<Effect, 'before' | 'after'> => {
    const isIn = affectedIn(before, ideals, own)
    return { before: numbersIn(before, ideals, isIn), after: numbersIn(after, ideals, isIn) }
  }
  const all = numbersOf(tags)
  // Nobody is left who could suffer.
  if (all.before.flows === 0) return null
  const step = stepOf(before, after, tags)
  const own = tag === '' || isPlain(all) ? null : numbersOf(new Set([tag]))
  return own === null || own.before.flows === 0 ? { ...all, of: '', step } : { ...own, of: tag, step }
}

const isPlain = ({ before, after }: Pick<Effect, 'before' | 'after'>): boolean =>
  after.unfinished < before.unfinished ||
  after.meanSlowdown <= (1 - COUNTS) * before.meanSlowdown ||
  after.tailSlowdown <= (1 - COUNTS) * before.tailSlowdown

function stepOf(before: Sample, after: Sample, tags: ReadonlySet<string>): StepTimes | null {
  const steps = [...before.jobs].flatMap(([tag, beforePs]): StepTimes[] => {
    const afterPs = after.jobs.get(tag)
    return afterPs === undefined || !tags.has(tag) ? [] : [{ tag, beforePs, afterPs }]
  })
  const shareOf = ({ beforePs, afterPs }: StepTimes): number => (afterPs === Infinity ? 1 : afterPs / beforePs)
  return steps.toSorted((a, b) => shareOf(a) - shareOf(b))[0] ?? null
}
