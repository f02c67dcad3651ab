/** Drivers: what comes first where frames wait and a timer has ended. */
import { createSocket } from 'node:dgram'
import { expect, test } from 'vitest'
import type { Party } from '../party.ts'
import { DatagramLink } from './datagram-link.ts'
import { Drive } from './drive.ts'
import type { FrameLink } from './frame-link.ts'

/** A party that waits for frames until its timer ends, and notes what happens. */
class Waiting implements Party {
  readonly events: string[] = []
  nextPs = Infinity
  readonly #count: number
  readonly #onEnd: () => void

  constructor(count: number, onEnd: () => void) {
    this.#count = count
    this.#onEnd = onEnd
  }

  onFrame(): void {
    this.events.push('frame')
    if (this.events.length < this.#count) return
    this.nextPs = Infinity
    this.#onEnd()
  }

  onTime(): void {
    this.events.push('timer')
    this.nextPs = Infinity
    this.#onEnd()
  }

  pollFrame(): null {
    return null
  }
}

/** Keeps this process from its event loop. */
function stall(ms: number): void {
  const end = process.hrtime.bigint() + BigInt(ms * 1e6)
  while (process.hrtime.bigint() < end);
}

test.each([1, 200])('%i frames that arrived while this process was not running come before a timer', async (count) => {
  const sender = createSocket('udp4')
  await new Promise<void>((done) => sender.bind(0, '127.0.0.1', done))
  const free = createSocket('udp4')
  await new Promise<void>((done) => free.bind(0, '127.0.0.1', done))
  const { port } = free.address()
  await new Promise<void>((done) => free.close(done))
  const link = await DatagramLink.open(port, sender.address().port)
  let finish = (): void => {}
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const party = new Waiting(count, finish)
  const drive = new Drive(party, link)
  party.nextPs = drive.nowPs + 5e9
  drive.wake()
  const sent = Array.from(
    { length: count },
    () => new Promise<unknown>((done) => sender.send(Uint8Array.of(1), port, '127.0.0.1', done)),
  )
  // Node sends them in this round.
  await new Promise((done) => process.nextTick(done))
  stall(20)
  await finished
  await Promise.all(sent)
  expect(party.events).toEqual(Array(count).fill('frame'))
  drive.stop()
  await link.close()
  sender.close()
})

test('frames without an end do not keep timers waiting for ever', async () => {
  const link: FrameLink = { onFrame: null, send: () => {}, close: async () => {} }
  const party = new Waiting(Infinity, () => {})
  const drive = new Drive(party, link)
  party.nextPs = 0
  while (!party.events.includes('timer')) {
    for (let n = 0; n < 40; n++) link.onFrame?.(new Uint8Array(1))
    await new Promise((done) => setImmediate(done))
  }
  expect(party.events.at(-1)).toBe('timer')
  drive.stop()
})
