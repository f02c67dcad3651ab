/**
 * Worker messages: what crosses between the program and its worker threads. A job is a complete scenario as text.
 */
import type { Result, RunJson } from '../results/index.ts'

export interface Job {
  readonly id: number
  readonly scenarioText: string
  /** A result holds every flow; a summary is some twenty numbers. */
  readonly wants: 'summary' | 'result'
}

export type FromWorker =
  | { readonly type: 'progress'; readonly id: number; readonly fraction: number; readonly packetHops: number }
  | { readonly type: 'summary'; readonly id: number; readonly summary: RunJson }
  | { readonly type: 'result'; readonly id: number; readonly result: Result }
  | { readonly type: 'failed'; readonly id: number; readonly isInput: boolean; readonly message: string }
