/**
 * Event record: time, order and code of an event, and the next of its list. It lies in a slot of the event queue, or at
 * the front of its owner's record where the owner has at most one event at a time.
 * Units: picoseconds. Shape: a slot is half of a record's offset in the memory, a multiple of 4; doubles at slot | FIELD,
 * integers at (slot << 1) | FIELD.
 */
import { assert } from '../base/assert.ts'
import { DOUBLES, INTS } from '../base/memory.ts'

const times = DOUBLES
const ints = INTS

/** Doubles: time */
export const EVENT_PS = 0
export const EVENT_ORDER = 1
/** Integers: code */
export const EVENT_CODE = 4
/** and next slot of the list, -1 at its end. */
export const EVENT_NEXT = 5
/** Integers from here on are the owner's. */
export const EVENT_INTS = 6
/** Set in the code of an event that lies in a slot of the queue. */
export const POOLED = 1

/** In the checked program, the code of an event that has been taken. */
export const TAKEN = -1

/** Its owner's record has no event in the queue. For the checked program; a record at offset 0 always seems to have none. */
export function expectIdle(record: number): void {
  assert(ints[record | EVENT_CODE]! <= 0, 'a record with an event in the queue gets another, or is freed')
}

/** Whether one event comes before another. */
export function isBefore(a: number, b: number): boolean {
  const aPs = times[a]!
  const bPs = times[b]!
  return aPs < bPs || (aPs === bPs && times[a | EVENT_ORDER]! < times[b | EVENT_ORDER]!)
}
