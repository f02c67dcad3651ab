/**
 * Traffic classes of a NIC as its tools print them: one for each priority, and a schedule for each traffic class.
 */
import { knownOf, CLASS_COUNT, type PortSettings } from '../../../../core/device-model/index.ts'

export type Kind = 'strict' | 'ets' | 'vendor'

export interface TrafficClasses {
  /** Traffic class of each priority. */
  readonly ofPriority: readonly number[]
  /** "vendor": nobody knows the schedule. By traffic class. */
  readonly kinds: readonly Kind[]
  /** Shares in percent; 0 where they decide nothing. By traffic class. */
  readonly weights: readonly number[]
  /** Whether the traffic class has a priority. */
  readonly isUsed: readonly boolean[]
}

/**
 * Undefined: nothing is known of them. Tools print all eight priorities: one of which nobody knows the traffic class has one
 * of its own.
 */
export function trafficClassesOf({ classes }: Pick<PortSettings, 'classes'>): TrafficClasses | undefined {
  const queues = classes.map(({ queue }) => knownOf(queue))
  const schedules = classes.map(({ schedule }) => knownOf(schedule))
  if ([...queues, ...schedules].every((one) => one === undefined)) return undefined
  const numbers = Array.from({ length: CLASS_COUNT }, (_, i) => i)
  const free = numbers.filter((one) => !queues.includes(one))
  const ofPriority = queues.map((queue) => queue ?? free.shift() ?? 0)
  const scheduleOf = (trafficClass: number): number | string | undefined =>
    schedules.find((one, priority) => ofPriority[priority] === trafficClass && one !== undefined)
  const isUsed = numbers.map((one) => ofPriority.includes(one))
  const isShared = schedules.some((one) => one !== undefined)
  return {
    ofPriority,
    isUsed,
    kinds: numbers.map((one) => {
      const schedule = scheduleOf(one)
      if (schedule === 'strict') return 'strict'
      return typeof schedule === 'number' || (isShared && !isUsed[one]) ? 'ets' : 'vendor'
    }),
    weights: numbers.map((one) => {
      const schedule = scheduleOf(one)
      return typeof schedule === 'number' ? schedule : 0
    }),
  }
}

/** "0,0,0,1,0,0,0,0" for priority 3. */
export const flagsOf = (priorities: readonly number[]): number[] =>
  Array.from({ length: CLASS_COUNT }, (_, i) => (priorities.includes(i) ? 1 : 0))
