/** A party behind a line with faults: frames of both directions meet the script. */
import { expect, test } from 'vitest'
import type { Party } from '../party.ts'
import { FaultLine } from './fault-line.ts'
import { FaultyParty } from './faulty-party.ts'
import { ackOf, sendOf } from './frames.test-data.ts'
import { readFaultScript } from './read-script.ts'
import { see } from './seen.ts'

/** Acknowledges each packet that it takes. */
class Echo implements Party {
  readonly nextPs = Infinity
  readonly taken: number[] = []
  readonly #answers: Uint8Array[] = []
  onFrame(_nowPs: number, frame: Uint8Array): void {
    const { psn } = see(frame)!.bth
    this.taken.push(psn)
    this.#answers.push(ackOf(psn, 'in'))
  }
  pollFrame(): Uint8Array | null {
    return this.#answers.shift() ?? null
  }
  onTime(): void {}
}

test('lost on the way in, doubled on the way out, late by a timer of its own', () => {
  const script = [
    '- {match: data, direction: in, nth: 2, do: drop}',
    '- {match: ack, direction: out, nth: 1, do: duplicate}',
    '- {match: data, direction: in, nth: 4, do: {delay: 1us}}',
  ].join('\n')
  const echo = new Echo()
  const party = new FaultyParty(echo, new FaultLine(readFaultScript(script, 'script')))
  const sent: number[] = []
  const poll = (nowPs: number): void => {
    for (let frame = party.pollFrame(nowPs); frame !== null; frame = party.pollFrame(nowPs))
      sent.push(see(frame)!.bth.psn)
  }
  for (const psn of [1, 2, 3, 4]) {
    party.onFrame(0, sendOf(psn))
    poll(0)
  }
  expect([echo.taken, sent]).toEqual([
    [1, 3],
    [1, 1, 3],
  ])
  expect(party.nextPs).toBe(1e6)
  party.onTime(1e6)
  poll(1e6)
  expect([echo.taken, sent, party.nextPs]).toEqual([[1, 3, 4], [1, 1, 3, 4], Infinity])
})
