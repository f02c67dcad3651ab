/**
 * HOT. Event list: sorts a list of events by (time, order), in place: a merge sort of the ascending runs that it consists of.
 * Shapes: an event is a record of event-record.ts, named by its slot; -1 ends a list.
 */
import { DOUBLES, INTS } from '../base/memory.ts'
import { EVENT_NEXT, EVENT_ORDER } from './event-record.ts'

const times = DOUBLES
const links = INTS

/** Sorts the list that begins with a slot. @returns its first slot */
export function sortedList(slot: number): number {
  let first = slot
  for (let runs = 2; runs > 1;) {
    runs = 0
    let last = -1
    let rest = first
    while (rest >= 0) {
      const left = rest
      const right = cutRun(left)
      rest = right < 0 ? -1 : cutRun(right)
      const head = right < 0 ? left : merge(left, right)
      if (last < 0) first = head
      else links[(last << 1) | EVENT_NEXT] = head
      last = lastOf(head)
      runs++
    }
  }
  return first
}

/** Last slot of the list that begins with a slot. */
export function lastOf(slot: number): number {
  let at = slot
  while (links[(at << 1) | EVENT_NEXT]! >= 0) at = links[(at << 1) | EVENT_NEXT]!
  return at
}

/** Ends the ascending run that begins with a slot, and returns the slot behind it, or -1. */
function cutRun(slot: number): number {
  let at = slot
  for (;;) {
    const next = links[(at << 1) | EVENT_NEXT]!
    if (next >= 0 && isBefore(at, next)) {
      at = next
      continue
    }
    links[(at << 1) | EVENT_NEXT] = -1
    return next
  }
}

/** Merges two sorted lists. @returns the first slot */
function merge(left: number, right: number): number {
  const first = isBefore(left, right) ? left : right
  let a = first === left ? links[(left << 1) | EVENT_NEXT]! : left
  let b = first === left ? right : links[(right << 1) | EVENT_NEXT]!
  let last = first
  while (a >= 0 && b >= 0) {
    const next = isBefore(a, b) ? a : b
    if (next === a) a = links[(a << 1) | EVENT_NEXT]!
    else b = links[(b << 1) | EVENT_NEXT]!
    links[(last << 1) | EVENT_NEXT] = next
    last = next
  }
  links[(last << 1) | EVENT_NEXT] = a >= 0 ? a : b
  return first
}

function isBefore(a: number, b: number): boolean {
  return times[a]! < times[b]! || (times[a]! === times[b]! && times[a | EVENT_ORDER]! < times[b | EVENT_ORDER]!)
}
