/**
 * Findings as they are counted: of a kind and a connection the first few places are kept, with the values of the first, and
 * the rest is counted. So memory follows the connections and not the packets.
 */
import { assert } from '../../core/base/assert.ts'
import {
  type Finding,
  type FindingKind,
  foundAt,
  type Subject,
  type Value,
  type Values,
} from '../../core/findings/index.ts'
import { type Limits, MOST } from './limits.ts'
import { psnText } from './psn.ts'

/** Where in a file something was seen. */
export interface Sight {
  /** Number of the packet in the file, from 1, as Wireshark counts. */
  readonly frame: number
  readonly timePs: number
  /** null: it is not about a PSN. */
  readonly psn: number | null
}

/** A place that waits for what comes behind it: it counts once it is closed. */
export interface OpenSighting {
  kind: FindingKind
  readonly sight: Sight
  readonly values: Record<string, Value>
}

interface Counted {
  readonly kind: FindingKind
  readonly values: Record<string, Value>
  readonly sights: Sight[]
  count: number
}

/** Findings of one subject. */
export class Found {
  /** Sees each place as it is added. */
  onSight: ((kind: FindingKind, sight: Sight, values: Readonly<Record<string, Value>>) => void) | null = null
  #counted: Map<string, Counted> | null = null
  readonly #limits: Pick<Limits, 'sights'>

  constructor(limits: Pick<Limits, 'sights'> = MOST) {
    this.#limits = limits
  }

  /** @param values of its first place */
  add<V extends Values>(
    kind: FindingKind<V>,
    sight: Sight,
    values: Omit<V, 'count' | 'frame' | 'psn' | 'sights'>,
  ): void {
    this.onSight?.(erased(kind), sight, { ...values })
    this.#count(erased(kind), sight, values)
  }

  /** A place whose kind later packets may change. */
  open<V extends Values>(
    kind: FindingKind<V>,
    sight: Sight,
    values: Omit<V, 'count' | 'frame' | 'psn' | 'sights'>,
  ): OpenSighting {
    this.onSight?.(erased(kind), sight, { ...values })
    return { kind: erased(kind), sight, values: { ...values } }
  }

  /** It turns out to be of another kind, which has the same values. */
  change<V extends Values>(sighting: OpenSighting, kind: FindingKind<V>): void {
    if (sighting.kind.id === kind.id) return
    sighting.kind = erased(kind)
    this.onSight?.(sighting.kind, sighting.sight, sighting.values)
  }

  /** Counts an open place; `packets` of places add up. */
  close({ kind, sight, values }: OpenSighting): void {
    const isKnown = this.has(kind)
    this.#count(kind, sight, values)
    if (isKnown) this.raise(kind, 'packets', Number(values['packets'] ?? 0))
  }

  /** Adds to a number among the values of a finding that is there. */
  raise(kind: { readonly id: string }, name: string, by: number): void {
    const values = this.#counted?.get(kind.id)?.values
    if (values !== undefined) values[name] = Number(values[name] ?? 0) + by
  }

  /** Sets values of a finding that is there. */
  set(kind: { readonly id: string }, values: Record<string, Value>): void {
    const counted = this.#counted?.get(kind.id)
    if (counted !== undefined) Object.assign(counted.values, values)
  }

  /** The places of a finding as one of another kind. */
  copy(from: { readonly id: string }, to: FindingKind<never>, values: Record<string, Value>): void {
    const counted = this.#counted?.get(from.id)
    if (counted !== undefined) this.#counted!.set(to.id, { ...counted, kind: erased(to), values })
  }

  /** A finding turns out to be one of another kind. */
  rename(from: { readonly id: string }, to: FindingKind<never>): void {
    const counted = this.#counted?.get(from.id)
    if (counted === undefined) return
    this.#counted!.delete(from.id)
    this.#counted!.set(to.id, { ...counted, kind: erased(to) })
  }

  has(kind: { readonly id: string }): boolean {
    return this.#counted?.has(kind.id) ?? false
  }

  #count(kind: FindingKind, sight: Sight, values: Readonly<Record<string, Value>>): void {
    this.#counted ??= new Map()
    const known = this.#counted.get(kind.id)
    if (known === undefined) {
      this.#counted.set(kind.id, { kind, values: { ...values }, sights: [sight], count: 1 })
      return
    }
    known.count++
    if (known.sights.length < this.#limits.sights) known.sights.push(sight)
  }

  findings(subject: Subject): Finding[] {
    return [...(this.#counted?.values() ?? [])].map(({ kind, values, sights, count }) => {
      const [first] = sights
      assert(first !== undefined && sights.length <= count, 'found: a finding has no place, or more than it counts')
      const where: Subject = { ...subject, atPs: first.timePs, frame: first.frame }
      return foundAt(kind, where, {
        ...values,
        count,
        frame: first.frame,
        psn: textOf(first.psn),
        sights: sights.map(({ frame, timePs, psn }) => ({ frame, timePs, psn: textOf(psn) })),
      })
    })
  }
}

/** Values of all kinds are in one store, and each kind reads those that were stored with it. */
const erased = <V extends Values>(kind: FindingKind<V>): FindingKind => kind as unknown as FindingKind
const textOf = (psn: number | null): string | null => (psn === null ? null : psnText(psn))
