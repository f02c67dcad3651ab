/**
 * Worker messages: what crosses between the program and its worker threads. A job is a complete scenario as text.
 */
import type { Result, RunJson } from '../../results/index.ts'
import type { PointLimit } from '../../advice/sweep/point-limit.ts'

export interface Job {
  readonly id: number
  readonly scenarioText: string
  /** A result holds every flow; a summary is some twenty numbers. */
  readonly wants: 'summary' | 'result'
  /** Beyond it the run is stopped; none unless given. Of jobs that want a summary. */
  readonly limit?: PointLimit
  /** Given: the flows are wanted beside the summary, as a Parquet file that names this key. */
  readonly flowsKey?: string
}

export type FromWorker =
  | { readonly type: 'progress'; readonly id: number; readonly fraction: number; readonly packetHops: number }
  | {
      readonly type: 'summary'
      readonly id: number
      readonly summary: RunJson
      /** The limit that the run exceeded, where it was stopped; its flows are then not sent. */
      readonly stopped?: PointLimit
      readonly flows?: Uint8Array
    }
  | { readonly type: 'result'; readonly id: number; readonly result: Result }
  | { readonly type: 'failed'; readonly id: number; readonly isInput: boolean; readonly message: string }
