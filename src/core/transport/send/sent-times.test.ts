/** Round trips of packets whose ACKs carry no time. */
import { expect, test } from 'vitest'
import { ACK_REQUEST, RETRANSMITTED, Segment } from '../segment.ts'
import { SentTimes } from './sent-times.ts'

const BASE = 500

/** Sends packets and returns the round trip that an ACK at a time shows; a minus: it is no sample. */
function ends(): {
  sends: (atPs: number, psn: number, flags?: number) => void
  shows: (atPs: number, psn: number) => number
} {
  const times = new SentTimes(BASE)
  return {
    sends: (atPs, psn, flags = ACK_REQUEST) => times.onSent(atPs, Object.assign(new Segment(), { psn, flags })),
    shows: (atPs, psn) => {
      const ack = new Segment()
      times.stamp(atPs, psn, ack)
      return (ack.flags & RETRANSMITTED) === 0 ? atPs - ack.sentPs : ack.sentPs - atPs
    },
  }
}

test('an ACK shows the round trip of the packet that it names, whatever was sent since', () => {
  const { sends, shows } = ends()
  sends(100, 7)
  sends(200, 8)
  sends(300, 0xff_ffff)
  expect([shows(1000, 8), shows(1300, 0xff_ffff)]).toEqual([800, 1000])
})

test('a packet that was sent twice gives no sample, and the control sees the last one (Karn)', () => {
  const { sends, shows } = ends()
  sends(100, 7)
  sends(110, 8)
  expect(shows(300, 7)).toBe(200)
  sends(400, 8, ACK_REQUEST | RETRANSMITTED)
  expect(shows(700, 8)).toBe(-200)
})

test('a packet gives one sample: the equal ACKs of duplicates give none', () => {
  const { sends, shows } = ends()
  sends(100, 7)
  expect([shows(300, 7), shows(5000, 7), shows(9000, 7)]).toEqual([200, -200, -200])
})

test('without a sample yet, it is the round trip expected; a NAK for nothing that arrived gives none', () => {
  const { sends, shows } = ends()
  sends(100, 7)
  expect([shows(300, 6), shows(300, -1), shows(300, 7)]).toEqual([-BASE, -BASE, 200])
})

test('a packet that left long before others gives none', () => {
  const { sends, shows } = ends()
  sends(100, 7)
  sends(200, 7 + 1024)
  expect([shows(300, 7), shows(300, 7 + 1024)]).toEqual([-BASE, 100])
})
