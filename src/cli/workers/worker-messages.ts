/**
 * Worker messages: messages between the main thread and its workers. A job is a complete scenario as text.
 */
import type { Result, RunJson } from '../../core/results/index.ts'
import type { PointLimit } from '../../lab/advice/sweep/point-limit.ts'

export interface Job {
  readonly id: number
  readonly scenarioText: string
  /** A result holds every flow; a summary about twenty numbers. */
  readonly wants: 'summary' | 'result'
  /** Limit at which the run is stopped; none by default. Only for jobs that want a summary. */
  readonly limit?: PointLimit
  /** If given, the flows are sent with the summary, as a Parquet file whose metadata holds this key. */
  readonly flowsKey?: string
  /** Folder beside which rows of flows are kept while it runs. Only for jobs that want a summary. */
  readonly folder?: string
}

export type FromWorker =
  | { readonly type: 'progress'; readonly id: number; readonly fraction: number; readonly packetHops: number }
  | {
      readonly type: 'summary'
      readonly id: number
      readonly summary: RunJson
      /** The limit that the run exceeded, if it was stopped; its flows are then not sent. */
      readonly stopped?: PointLimit
      readonly flows?: Uint8Array
    }
  | { readonly type: 'result'; readonly id: number; readonly result: Result }
  | { readonly type: 'failed'; readonly id: number; readonly isInput: boolean; readonly message: string }
