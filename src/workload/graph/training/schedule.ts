/**
 * Schedules of a pipeline: the order in which a stage works on its microbatches.
 * gpipe: all forward, then all backward. 1f1b: as many forward as there are stages behind it, then one forward and one
 * backward in turn, so that a stage keeps the activations of few microbatches.
 * Source: Huang et al., "GPipe" (2019); Narayanan et al., "PipeDream" (2019), the flushing variant of Megatron-LM.
 */

export const SCHEDULES = ['gpipe', '1f1b'] as const
export type Schedule = (typeof SCHEDULES)[number]

/** A pass of one microbatch through one stage. */
export interface Pass {
  readonly isForward: boolean
  readonly microbatch: number
}

/** All passes of a stage, in order. */
export function passesOf(schedule: Schedule, stage: number, stages: number, microbatches: number): Pass[] {
  const ahead = schedule === 'gpipe' ? microbatches : Math.min(microbatches, stages - 1 - stage)
  const passes: Pass[] = []
  for (let i = 0; i < microbatches + ahead; i++) {
    if (i < microbatches) passes.push({ isForward: true, microbatch: i })
    if (i >= ahead) passes.push({ isForward: false, microbatch: i - ahead })
  }
  return passes
}
