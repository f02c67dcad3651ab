/** Agenda: what is due when, in a heap. Entries at one time go by class, then rank, then number. */
import { Heap } from '../../base/heap.ts'

/**
 * Classes of entries: a message inside a host has arrived, an operation is done, a lane has room, a message may be posted, a
 * control message.
 */
export const INSIDE = 0
export const DONE = 1
export const LANE = 2
export const POST = 3
export const CONTROL = 4

export interface Entry {
  readonly timePs: number
  readonly class: number
  readonly rank: number
  /** Number of an operation or of a lane. */
  readonly id: number
}

export class Agenda extends Heap<Entry> {
  constructor() {
    super(isBefore)
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  if (a.timePs !== b.timePs) return a.timePs < b.timePs
  if (a.class !== b.class) return a.class < b.class
  return a.rank === b.rank ? a.id < b.id : a.rank < b.rank
}
