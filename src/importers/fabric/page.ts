/**
 * Page: where each value of a scenario that is made from files of a fabric comes from, and what was left out of it.
 */
import { knownOf } from '../../core/device-model/index.ts'
import type { Plain, Value } from '../../doctor/index.ts'

/**
 * taken: read in a file; default: nobody wrote it, and the device has it by itself; assumed: no file tells it; left out: a
 * file tells it, and the scenario does not have it.
 */
export const PAGE_KINDS = ['taken', 'default', 'assumed', 'left out'] as const
export type PageKind = (typeof PAGE_KINDS)[number]

export interface PageEntry {
  readonly kind: PageKind
  /** Key of the scenario; of what is left out, its name in the model of configurations. */
  readonly key: string
  /** As it is in the scenario; null: off. What is left out has the value of the file. */
  readonly value: Plain | null
  /** '': the fabric. */
  readonly device: string
  /** '': the device. */
  readonly port: string
  /** '': no file. */
  readonly file: string
  readonly line: number
  /** Why it was assumed or left out, or how it was read; '': the value says all. */
  readonly reason: string
}

/** A device, or one of its ports. */
export interface Spot {
  readonly device: string
  readonly port: string
}

export const FABRIC: Spot = { device: '', port: '' }

/** A value that no file tells, and why this one. */
export interface Assumption<T> {
  readonly value: T
  readonly reason: string
}

export class Page {
  readonly #entries = new Map<string, PageEntry>()

  get entries(): readonly PageEntry[] {
    return [...this.#entries.values()]
  }

  /** A value of a file, whatever has become of it in the scenario. */
  read(key: string, { device, port }: Spot, from: Value, value: Plain | null, reason = ''): void {
    const kind = from.state === 'default' ? 'default' : 'taken'
    this.#add({ kind, key, value, device, port, ...originOf(from), reason })
  }

  assumed(key: string, { device, port }: Spot, value: Plain | null, reason: string): void {
    this.#add({ kind: 'assumed', key, value, device, port, file: '', line: 0, reason })
  }

  leftOut(key: string, { device, port }: Spot, value: Value | undefined, reason: string): void {
    const plain = knownOf(value) ?? null
    this.#add({ kind: 'left out', key, value: plain, device, port, ...originOf(value), reason })
  }

  /**
   * The value of a file, or else what is assumed.
   * @param shown as the scenario writes it
   */
  take<T extends Plain, O extends Plain | null>(
    key: string,
    spot: Spot,
    value: Value<T> | undefined,
    otherwise: Assumption<O>,
    shown: (own: T) => Plain = (own) => own,
  ): T | O {
    const read = knownOf(value)
    if (value === undefined || read === undefined) {
      this.assumed(key, spot, otherwise.value, otherwise.reason)
      return otherwise.value
    }
    this.read(key, spot, value, shown(read))
    return read
  }

  /** A key at a place has one entry: the first. */
  #add(entry: PageEntry): void {
    const id = JSON.stringify([entry.key, entry.device, entry.port])
    if (!this.#entries.has(id)) this.#entries.set(id, entry)
  }
}

function originOf(value: Value | undefined): { file: string; line: number } {
  const { file = '', line = 0 } = value !== undefined && 'origin' in value ? (value.origin ?? {}) : {}
  return { file, line }
}
