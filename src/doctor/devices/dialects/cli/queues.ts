/**
 * Queues: classes of groups, and what a port does with the packets of an egress queue, by one name for the words of several
 * dialects.
 */
import { CLASS_COUNT, CLASSES } from '../../../../core/device-model/index.ts'
import type { PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { type Entry, lastOf } from './entries.ts'

/** A group that is not dropped, and its priorities. */
export interface Lossless {
  readonly group: number
  readonly priorities: readonly number[]
}

/**
 * Class of each group: the priority of its pauses, else its own number; a group without pauses whose number is the priority of
 * another one has a number that is left.
 */
export function classesOf(pauses: readonly Lossless[]): number[] {
  const classes: (number | undefined)[] = Array.from({ length: CLASS_COUNT })
  for (const { group, priorities } of pauses) classes[group] = priorities[0]
  const taken = new Set(pauses.flatMap(({ priorities }) => priorities))
  for (const group of CLASSES)
    if (classes[group] === undefined && !taken.has(group)) taken.add((classes[group] = group))
  const left = CLASSES.filter((index) => !taken.has(index))
  return classes.map((each, group) => each ?? left.shift() ?? group)
}

/** A setting and the line that it is from. */
interface Written<T> {
  readonly value: T
  readonly line: Line
}

export interface Queue {
  readonly schedule?: Written<number | 'strict' | 'round-robin'>
  /** Undefined: nothing is said of marking or of early drops. */
  readonly early?: Written<{
    /** Whether it marks packets; otherwise it drops them. */
    readonly marks: boolean
    readonly drops: boolean
    /** Bytes; undefined: not known. */
    readonly kminBytes?: number | undefined
    readonly kmaxBytes?: number | undefined
    readonly pmaxRatio?: number | undefined
    /** That has the thresholds, where it is another one. */
    readonly boundsLine?: Line | undefined
  }>
}

/** How a class of a policy is scheduled. */
export function scheduleIn(entries: readonly Entry[]): Queue['schedule'] {
  const [priority, bandwidth] = [lastOf(entries, 'priority'), lastOf(entries, 'bandwidth')]
  if (priority !== undefined) return { value: 'strict', line: priority.line }
  return bandwidth && { value: Number(bandwidth.args[0]), line: bandwidth.line }
}

/** Bytes of "150 kbytes"; undefined: another unit. Units are of 1000. */
export function bytesOf(number: string, unit: string): number | undefined {
  const factor = { bytes: 1, kbytes: 1000, mbytes: 1e6 }[unit]
  return factor === undefined || number === '' ? undefined : Number(number) * factor
}

/** @param index class at the port of the packets in the queue */
export function putQueue(queue: Queue, index: number, port: PortFacts): void {
  const { schedule, early } = queue
  const into = port.class(index)
  if (schedule !== undefined) into.put('schedule', schedule.value, schedule.line)
  if (early === undefined) return
  const { value, line } = early
  into.put('marks', value.marks, line)
  if (value.drops) into.put('dropsAtEgress', true, line)
  if (!value.marks) return
  for (const field of ['kminBytes', 'kmaxBytes', 'pmaxRatio'] as const)
    into.note(field, value[field], value.boundsLine ?? line)
}

/** Where nothing else is said, queues do not mark. */
export function putUnmarked(port: PortFacts, line: Line): void {
  for (const index of CLASSES)
    if (!port.class(index).has('marks')) port.class(index).put('marks', false, line, 'default')
}
