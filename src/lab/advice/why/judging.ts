/**
 * Judging: when a gain makes a cause, and when a remedy helps.
 */
import type { Gain, Numbers } from './sample.ts'
import type { Side, Suspect, SuspectKind } from './suspect.ts'

/** A cause changes the mean or the tail of the messages by a fifth or more. */
export const COUNTS = 0.2
/**
 * Messages that move by chance move to either side: deviations beyond it, and the square of those beyond doubt, which it takes
 * where neither a rule nor the autopsy suspects it, or its equals are nearly the same.
 */
const LIKELY = 1
const SURE = 9
const FEW = 6
const FAULTS: ReadonlySet<SuspectKind> = new Set([
  'pause-storm',
  'dead-server',
  'dead-switch',
  'lossy-link',
  'failed-uplink',
  'broadcast',
])

/**
 * Whether a gain makes a cause: a fifth of a number, and by more messages than chance moves. A fault is wrong by itself, and
 * counts where it holds some messages up beyond doubt, or some do not finish with it that finish without it.
 */
export function counts(
  { share, by, faster, slower, deviations, isPlain }: Gain,
  suspects: readonly Suspect[],
): boolean {
  const [net, moved] = [faster - slower, faster + slower]
  if (suspects.every(isFault) && net >= FEW && net * net >= SURE * moved) return true
  if (share < COUNTS || by === 'job' || isPlain) return share >= COUNTS
  if (suspects.every(isFault)) return deviations > 0 || by === 'unfinished'
  const is = (side: Side): boolean => suspects.every(({ sides }) => sides.has(side))
  if (is('rule')) return deviations > -LIKELY
  const isOfLoad = suspects.every(({ stage }) => stage === 'load')
  const isLikely = isOfLoad || (is('autopsy') && !suspects.some(({ isSlight = false }) => isSlight))
  return isLikely ? deviations >= LIKELY : deviations > 0 && deviations * deviations >= SURE
}

/** Standing of what is no cause. also: in its two runs it does as much as one. small: it holds some messages up beyond doubt. cleared: neither. */
export function standingOf(gain: Gain, suspects: readonly Suspect[]): 'also' | 'small' | 'cleared' {
  if (counts(gain, suspects)) return 'also'
  return gain.deviations > 0 && gain.deviations * gain.deviations >= SURE ? 'small' : 'cleared'
}

export const isFault = ({ kind }: Suspect): boolean => FAULTS.has(kind)

/** Whether a rule of `check` finds one of them wrong. */
export const isWrong = (suspects: readonly Suspect[]): boolean => suspects.some(({ sides }) => sides.has('rule'))

/** A remedy that helps: better by a twentieth. */
const HELPS = 0.05

export function isWorse(before: Numbers, after: Numbers): boolean {
  const most = 1 + HELPS
  return (['meanSlowdown', 'tailSlowdown', 'tailPs'] as const).some((number) => after[number] > most * before[number])
}

export function helps(before: Numbers, after: Numbers): boolean {
  if (after.unfinished > before.unfinished || isWorse(before, after)) return false
  const shares = [after.meanSlowdown / before.meanSlowdown, after.tailSlowdown / before.tailSlowdown]
  return after.unfinished < before.unfinished || Math.min(...shares) <= 1 - HELPS
}
