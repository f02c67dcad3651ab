import { expect, test } from 'vitest'
import { contextOf, ackEventOf } from '../../../../tests/support/control-world.ts'
import type { CongestionContext } from './congestion.ts'
import { MpRdmaWindow } from './mp-rdma.ts'

const windowOf = (
  values: { initialWindow?: number | null; minWindow?: number } = {},
  context: Partial<CongestionContext> = {},
): MpRdmaWindow => new MpRdmaWindow({ initialWindow: null, minWindow: 1, ...values }, contextOf(context))

const clean = ackEventOf({ cumulativePsn: 0 })
const marked = ackEventOf({ cumulativePsn: 0, marked: true })
const nack = ackEventOf({ cumulativePsn: 0, marked: true, isNak: true })

test('an unmarked ACK adds 1 / window, a marked one takes half a packet, a NACK has no effect', () => {
  const control = windowOf({ initialWindow: 4 })
  control.onAck(0, clean)
  expect(control.windowPackets).toBe(4.25)
  control.onAck(0, marked)
  expect(control.windowPackets).toBe(3.75)
  control.onAck(0, nack)
  expect(control.windowPackets).toBe(3.75)
})

test('it never falls below its least', () => {
  const control = windowOf({ initialWindow: 4, minWindow: 2 })
  for (let i = 0; i < 10; i++) control.onAck(0, marked)
  expect(control.windowPackets).toBe(2)
  control.onSurplus()
  control.onTimeout()
  expect(control.windowPackets).toBe(2)
})

test('begins with the BDP, and again after an idle period', () => {
  const control = windowOf({}, { bdpPackets: 90 })
  expect(control.windowPackets).toBe(90)
  control.onTimeout()
  expect(control.windowPackets).toBe(45)
  control.onStart()
  expect(control.windowPackets).toBe(90)
})

test('a network without a path still has a window', () => {
  expect(windowOf({}, { bdpPackets: NaN }).windowPackets).toBe(1)
})

test('grows only if the window limits the sender, not while packets wait for the line', () => {
  const sender = { una: 0, nxt: 9, end: 100, highest: 9, waitingPackets: 1, nextSendPs: 0 }
  const control = windowOf({ initialWindow: 10 }, { sender })
  control.onAck(0, clean)
  expect(control.windowPackets).toBe(10)
  sender.waitingPackets = 0
  control.onAck(0, clean)
  expect(control.windowPackets).toBe(10.1)
})
