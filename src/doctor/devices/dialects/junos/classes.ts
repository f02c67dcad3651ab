/**
 * Forwarding classes of Junos and the numbers that they have as classes: a lossless one has the number of its PFC
 * priority, a lossy one that of its queue. Where a lossy one has a queue whose number is a priority of another class, the
 * two change places, so that no lossy packet seems to be lossless.
 * Source: Juniper, "Understanding CoS Forwarding Classes", "Understanding Default CoS Settings" (QFX Series).
 */
import { CLASS_COUNT, CLASSES } from '../../../../core/device-model/index.ts'
import type { Line } from '../text.ts'
import { type Branch, countOf } from '../tree.ts'

export interface ForwardingClass {
  readonly queue: number
  readonly isLossless: boolean
  /** Number as a class, 0 to 7; undefined: it has none, or the file does not tell. */
  readonly index: number | undefined
  /** Undefined: it comes with the system. */
  readonly line: Line | undefined
}

const BUILT_IN: Readonly<Record<string, readonly [queue: number, isLossless: boolean]>> = {
  'best-effort': [0, false],
  be: [0, false],
  fcoe: [3, true],
  'no-loss': [4, true],
  'network-control': [7, false],
  nc: [7, false],
}
/** Names that need no definition, whatever the platform makes of them. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(BUILT_IN),
  'expedited-forwarding',
  'assured-forwarding',
  'ef',
  'af',
  'mcast',
])

interface Written {
  readonly queue: number
  readonly isLossless: boolean
  readonly priority: number | undefined
  readonly line: Line
}

export class ForwardingClasses {
  readonly #written = new Map<string, Written>()
  readonly #isComplete: boolean
  /** Priorities of lossless classes, to their queues. */
  readonly #lossless = new Map<number, number>()

  constructor(cos: Branch | undefined, isComplete: boolean) {
    this.#isComplete = isComplete
    for (const own of cos?.all('forwarding-classes', 'class') ?? []) {
      const queue = countOf(own.value('queue-num'))
      const priority = countOf(own.value('pfc-priority'))
      this.#note(own.word, queue, own.at('no-loss') !== undefined, priority, own.value('queue-num')?.line ?? own.line)
    }
    for (const queue of cos?.all('forwarding-classes', 'queue') ?? [])
      for (const own of queue.all())
        this.#note(own.word, countOf(queue), own.at('no-loss') !== undefined, undefined, own.line)
    for (const { queue, isLossless, priority } of this.#written.values())
      if (isLossless) this.#lossless.set(priority ?? queue, queue)
  }

  #note(name: string, queue: number | undefined, isLossless: boolean, priority: number | undefined, line: Line): void {
    if (queue !== undefined) this.#written.set(name, { queue, isLossless, priority, line })
  }

  /** Those that are written down. */
  names(): string[] {
    return [...this.#written.keys()]
  }

  isKnown(name: string): boolean {
    return this.#written.has(name) || KNOWN_NAMES.has(name)
  }

  /** Undefined: there is none, or nothing is known of it. */
  get(name: string): ForwardingClass | undefined {
    const own = this.#written.get(name)
    if (own !== undefined) {
      const { queue, isLossless, priority, line } = own
      return { queue, isLossless, index: isLossless ? inRange(priority ?? queue) : this.lossyIndex(queue), line }
    }
    const [queue, isLossless] = (this.#isComplete && Object.hasOwn(BUILT_IN, name) && BUILT_IN[name]) || []
    if (queue === undefined) return undefined
    return { queue, isLossless: isLossless!, index: isLossless! ? queue : this.lossyIndex(queue), line: undefined }
  }

  /** Number of the class of lossy packets in a queue. In a part of a configuration nothing says that they are lossy. */
  lossyIndex(queue: number): number | undefined {
    if (!this.#isComplete) return undefined
    return lossyIndexOf(queue, this.#lossless, new Set([...this.#written.values()].map((each) => each.queue)))
  }

  /** The only lossless class with a number; undefined: there is none, there are several, or there may be more. */
  onlyLossless(): number | undefined {
    return this.#isComplete && this.#lossless.size === 1 ? inRange([...this.#lossless.keys()][0]!) : undefined
  }
}

/**
 * Number of the class of lossy packets in a queue; undefined: it has none.
 * @param lossless priorities of lossless classes, to their queues @param queues of all classes that are written
 */
export function lossyIndexOf(
  queue: number,
  lossless: ReadonlyMap<number, number>,
  queues: ReadonlySet<number>,
): number | undefined {
  const other = lossless.get(queue)
  if (other === undefined) return inRange(queue)
  const free = CLASSES.filter((index) => !lossless.has(index))
  return free.includes(other) ? other : free.find((i) => !queues.has(i))
}

const inRange = (index: number): number | undefined => (index < CLASS_COUNT ? index : undefined)
