/**
 * Forwarding classes for the classes of the model, which are the same at all ports of a Junos device. A lossless one has the
 * number of its class as its PFC priority, a lossy one follows from its queue.
 * Source: as the reader (dialects/junos/classes.ts).
 */
import { lossyIndexOf } from '../../dialects/junos/classes.ts'
import { knownOf, type PortSettings } from '../../../../core/device-model/index.ts'
import { isAnyKnown } from '../values.ts'
import type { WriteOptions } from '../writer.ts'
import type { Statement } from './statements.ts'

export interface ForwardingClass {
  readonly index: number
  readonly name: string
  readonly queue: number
  readonly isLossless: boolean
}

export interface ForwardingClasses {
  /** By the number of the class. */
  readonly of: ReadonlyMap<number, ForwardingClass>
  /** Class of the DSCPs that a classifier does not name; undefined: none. */
  readonly rest: number | undefined
}

/** Junos has a few more queues than classes. */
const QUEUES = Array.from({ length: 12 }, (_, i) => i)

/** Classes of which anything is to be said. @param isOfDscps whether also those that DSCPs have and nothing else */
function neededOf(ports: readonly PortSettings[], isOfDscps: boolean): number[] {
  const needed = ports.flatMap(({ classes, dscpToClass, pfcClasses, pfcWritten, trust }) => [
    ...classes.flatMap(({ queue, schedule, marks }, index) => (isAnyKnown(queue, schedule, marks) ? [index] : [])),
    ...(isOfDscps || knownOf(trust) === 'none' ? dscpToClass.flatMap((value) => knownOf(value) ?? []) : []),
    ...(knownOf(pfcClasses) ?? []),
    ...(knownOf(pfcWritten) ?? []),
  ])
  return [...new Set(needed)].sort((a, b) => a - b)
}

/** Those with PFC, and those whose queue no lossy class of their number can have. */
function losslessOf(ports: readonly PortSettings[], queues: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const priorities = new Set(ports.flatMap(({ pfcClasses }) => knownOf(pfcClasses) ?? []))
  const lossless = new Map([...priorities].map((index) => [index, queues.get(index) ?? index]))
  const all = new Set(queues.values())
  for (;;) {
    const other = [...queues].find(
      ([index, queue]) => !lossless.has(index) && lossyIndexOf(queue, lossless, all) !== index,
    )
    if (other === undefined) return lossless
    lossless.set(...other)
  }
}

export function forwardingClassesOf(ports: readonly PortSettings[], { nameOf }: WriteOptions): ForwardingClasses {
  const needed = neededOf(ports, true)
  const queues = new Map(
    needed.flatMap((index) => {
      const queue = ports.map(({ classes }) => knownOf(classes[index]?.queue)).find((one) => one !== undefined)
      return queue === undefined ? [] : [[index, queue] as const]
    }),
  )
  const lossless = losslessOf(ports, queues)
  const taken = new Set([...queues.values(), ...lossless.values()])
  for (const index of needed) {
    if (queues.has(index) || lossless.has(index)) continue
    // A queue of its own, if one has this number as a class.
    const own = QUEUES.find((one) => !taken.has(one) && lossyIndexOf(one, lossless, taken) === index)
    queues.set(index, own ?? index)
    taken.add(own ?? index)
  }
  const rest = lossyIndexOf(0, lossless, taken)
  const named = neededOf(ports, false)
  return {
    rest,
    of: new Map(
      needed
        .filter((index) => index !== rest || named.includes(index))
        .map((index) => {
          const queue = lossless.get(index) ?? queues.get(index) ?? index
          return [index, { index, name: nameOf(`forwarding-class ${index}`), queue, isLossless: lossless.has(index) }]
        }),
    ),
  }
}

export const classStatements = ({ of }: ForwardingClasses): Statement[] =>
  [...of.values()].map(({ index, name, queue, isLossless }) => ({
    words: `class ${name}`,
    beside: [`queue-num ${queue}`, ...(isLossless ? ['no-loss', `pfc-priority ${index}`] : [])],
  }))
