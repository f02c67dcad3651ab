/**
 * Pairs: which two directions are one connection. Known from the connection manager, from an exchange out of band or from the
 * source of datagrams; else guessed from an answer whose PSN was requested, between the same two addresses.
 */
import { assert } from '../../../core/base/assert.ts'
import type { JoinedBy } from '../decoded.ts'
import { Latest } from '../latest.ts'
import type { Direction } from './direction.ts'
import type { Packet } from '../packet.ts'

/** Known pairs that wait for their packets; the oldest are forgotten. */
const KNOWN_MAX = 65_536
/** Directions of two addresses that are looked through for a guess. */
const CANDIDATES_MAX = 256
const TRIALS_MAX = 64

export interface Known {
  readonly key: string
  readonly by: JoinedBy
  readonly mtuBytes: number | null
  readonly connectPs: number | null
}

export function keyOf(source: string, destination: string, destinationQp: number): string {
  return `${source}|${destination}|${destinationQp}`
}

export class Pairs {
  readonly #known = new Latest<string, Known>(KNOWN_MAX)
  readonly #joinedBy = new Map<Direction, JoinedBy>()
  /** Directions without a partner, by their addresses. */
  readonly #single = new Map<string, Set<Direction>>()
  readonly #directionOf: (key: string) => Direction | undefined
  readonly #close: (direction: Direction) => void

  /** @param close ends a direction, and its partner, as a connection of its own */
  constructor(directionOf: (key: string) => Direction | undefined, close: (direction: Direction) => void) {
    this.#directionOf = directionOf
    this.#close = close
  }

  /**
   * Two queue pairs that are known to be connected from here on: directions to each of them. Packets to them that were seen
   * before are those of a connection that had their numbers.
   */
  know(one: string, other: string, facts: Omit<Known, 'key'>): void {
    for (const key of [one, other]) {
      const before = this.#directionOf(key)
      if (before !== undefined) this.#close(before)
    }
    for (const [from, key] of [
      [one, other],
      [other, one],
    ] as const)
      this.#known.set(from, { ...facts, key })
  }

  /** A direction with its first packet. */
  add(direction: Direction): void {
    const known = this.#known.get(direction.key)
    if (known !== undefined) {
      this.#learn(direction, known)
      const other = this.#directionOf(known.key)
      if (other !== undefined && other.partner === null) return this.#join(direction, other, known.by)
    }
    const { source, destination } = direction
    const ends = `${source}|${destination}`
    const singles = this.#single.get(ends) ?? new Set()
    this.#single.set(ends, singles.add(direction))
  }

  /** Looks for the requests that an answer in this direction belongs to. */
  guess(answering: Direction, answer: Packet): void {
    const known = this.#known.get(answering.key)
    if (answering.trials++ >= TRIALS_MAX || known !== undefined) return
    const singles = this.#single.get(`${answering.destination}|${answering.source}`)
    if (singles === undefined) return
    const fitting: Direction[] = []
    let looked = 0
    for (const one of singles) {
      if (looked++ >= CANDIDATES_MAX) break
      if (!this.#known.has(one.key) && one.service === answering.service && one.dialogue.fits(answer)) fitting.push(one)
    }
    const samePort = fitting.filter(({ sourcePort }) => sourcePort === answering.sourcePort)
    const [only, ...more] = samePort.length > 0 ? samePort : fitting
    if (only !== undefined && more.length === 0) this.#join(answering, only, 'psns')
  }

  /** A datagram names its sender's queue pair. */
  datagram(direction: Direction, sourceQp: number): void {
    if (direction.partner !== null) return
    const other = this.#directionOf(keyOf(direction.destination, direction.source, sourceQp))
    if (other !== undefined && other.partner === null && other !== direction) this.#join(direction, other, 'datagrams')
  }

  joinedBy(direction: Direction): JoinedBy | null {
    return this.#joinedBy.get(direction) ?? null
  }

  forget(direction: Direction): void {
    this.#joinedBy.delete(direction)
    this.#unlist(direction)
  }

  #join(one: Direction, other: Direction, by: JoinedBy): void {
    assert(one.partner === null && other.partner === null, 'pairs: a direction has two partners')
    one.partner = other
    other.partner = one
    for (const direction of [one, other]) {
      this.#joinedBy.set(direction, by)
      this.#unlist(direction)
    }
    const mtuBytes = one.dialogue.mtuBytes ?? other.dialogue.mtuBytes
    one.dialogue.mtuBytes = other.dialogue.mtuBytes = mtuBytes
  }

  #unlist(direction: Direction): void {
    const ends = `${direction.source}|${direction.destination}`
    const singles = this.#single.get(ends)
    singles?.delete(direction)
    if (singles?.size === 0) this.#single.delete(ends)
  }

  #learn(direction: Direction, { mtuBytes, connectPs }: Omit<Known, 'key'>): void {
    direction.dialogue.mtuBytes ??= mtuBytes
    direction.connectPs ??= connectPs
  }
}
