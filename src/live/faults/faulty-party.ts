/** A party on whose frames a line acts, a script's for one: `in` goes to the party, `out` comes from it. */
import type { Party } from '../party.ts'
import type { Line } from './line.ts'

export class FaultyParty implements Party {
  readonly #party: Party
  readonly #line: Line

  constructor(party: Party, line: Line) {
    this.#party = party
    this.#line = line
  }

  get nextPs(): number {
    return Math.min(this.#party.nextPs, this.#line.nextPs)
  }

  onFrame(nowPs: number, frame: Uint8Array): void {
    this.#line.onFrame(nowPs, 'in', frame)
    this.#deliver(nowPs)
  }

  pollFrame(nowPs: number): Uint8Array | null {
    this.#deliver(nowPs)
    return this.#line.pollFrame(nowPs, 'out')
  }

  onTime(nowPs: number): void {
    this.#party.onTime(nowPs)
    this.#deliver(nowPs)
  }

  /** Gives the party what is due, and takes what it makes. */
  #deliver(nowPs: number): void {
    this.#take(nowPs)
    for (let frame = this.#line.pollFrame(nowPs, 'in'); frame !== null; frame = this.#line.pollFrame(nowPs, 'in')) {
      this.#party.onFrame(nowPs, frame)
      this.#take(nowPs)
    }
  }

  #take(nowPs: number): void {
    for (let frame = this.#party.pollFrame(nowPs); frame !== null; frame = this.#party.pollFrame(nowPs))
      this.#line.onFrame(nowPs, 'out', frame)
  }
}
