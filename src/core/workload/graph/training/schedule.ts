/**
 * Schedules of a pipeline: the order in which a stage works on its microbatches.
 * gpipe: all forward, then all backward. 1f1b: as many forward as there are stages behind it, then one forward and one
 * backward in turn, so that a stage keeps the activations of few microbatches. Where a stage has several chunks of the
 * model, a microbatch goes through the first chunks of all stages, then through the second ones, and so on; as many
 * microbatches as there are stages follow each other through a chunk.
 * Source: Huang et al., "GPipe" (2019); Narayanan et al., "PipeDream" (2019), the flushing variant of Megatron-LM; Narayanan
 * et al., "Efficient Large-Scale Language Model Training on GPU Clusters" (2021) 2.2, the interleaved schedule.
 */

export const SCHEDULES = ['gpipe', '1f1b'] as const
export type Schedule = (typeof SCHEDULES)[number]

/** A pass of one microbatch through one chunk of a stage. */
export interface Pass {
  readonly isForward: boolean
  readonly microbatch: number
  readonly chunk: number
}

export interface PipelineShape {
  readonly schedule: Schedule
  readonly stages: number
  /** A multiple of the stages where these have several chunks. */
  readonly microbatches: number
  /** By stage; absent: one each. */
  readonly chunks?: number
}

/** All passes of a stage, in order. */
export function passesOf({ schedule, stages, microbatches, chunks = 1 }: PipelineShape, stage: number): Pass[] {
  const total = microbatches * chunks
  const behind = stages - 1 - stage
  const ahead = schedule === 'gpipe' ? total : chunks === 1 ? behind : 2 * behind + (chunks - 1) * stages
  const first = Math.min(total, ahead)
  const passes: Pass[] = []
  for (let i = 0; i < total + first; i++) {
    if (i < total) passes.push({ isForward: true, ...spotOf(i, stages, chunks) })
    if (i < first) continue
    const { microbatch, chunk } = spotOf(i - first, stages, chunks)
    passes.push({ isForward: false, microbatch, chunk: chunks - 1 - chunk })
  }
  return passes
}

/** Microbatch and chunk of the i-th pass forward. */
function spotOf(i: number, stages: number, chunks: number): Omit<Pass, 'isForward'> {
  const round = Math.floor(i / (stages * chunks))
  return { microbatch: round * stages + (i % stages), chunk: Math.floor(i / stages) % chunks }
}
