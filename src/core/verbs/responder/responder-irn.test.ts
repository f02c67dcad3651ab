/**
 * A responder in IRN mode, packet by packet: arrivals ahead of a hole, their acknowledgement, and in-order execution.
 */
import { describe, expect, test } from 'vitest'
import { ACK as SAYS_ACK } from '../../transport/segment.ts'
import { READ_REQUEST_OPCODE as READ, SEND_ONLY, WRITE_ONLY } from '../../wire/opcodes.ts'
import { LOCAL_WRITE, REMOTE_WRITE } from '../access.ts'
import type { ConnectionValues } from '../connection/values.ts'
import { VerbsPacket } from '../packet.ts'
import { ACK, Bench, MTU, NAK, REFUSED, RNR, WAIT_PS } from './responder.test-bench.ts'

describe('IRN', () => {
  const irn = (values: Partial<ConnectionValues> = {}): Bench => new Bench({ mode: 'irn', ...values })

  test('each packet out of order triggers a NACK with the missing and the received PSN', () => {
    const bench = irn()
    const heard = [2, 3, 0, 0, 1].map((psn) => bench.hear(WRITE_ONLY, psn))
    expect(heard).toEqual([[`${NAK} 0 0 (2)`], [`${NAK} 0 0 (3)`], [`${ACK} 0 1`], [`${ACK} 0 1`], [`${ACK} 3 4`]])
    expect([bench.responder.naksSent, bench.responder.holds(3)]).toEqual([2, false])
  })

  test('the data of an early packet is placed at once, and its operation is completed in order', () => {
    const bench = irn()
    for (let k = 0; k < 2; k++) bench.postReceive()
    bench.takes(SEND_ONLY, 2, { receiveSn: 1 })
    bench.takes(READ, 1)
    expect([bench.completions, bench.responses(), bench.responder.holds(1), bench.responder.holds(2)]).toEqual([
      [],
      [],
      true,
      true,
    ])
    bench.takes(SEND_ONLY, 0)
    expect([bench.completions, bench.responses(), bench.responder.msn]).toEqual([[`0:${MTU}`, `2:${MTU}`], [0], 3])
    expect(bench.said()).toEqual([`${ACK} 2 3`])
  })

  test('an invalid packet ahead of a hole is dropped silently, and judged when it arrives in order', () => {
    const bench = irn()
    expect(bench.hear(SEND_ONLY, 1)).toEqual([])
    expect([bench.responder.earlyDrops, bench.responder.rnrNaksSent]).toEqual([1, 0])
    expect(bench.hear(WRITE_ONLY, 0)).toEqual([`${ACK} 0 1`])
    expect(bench.hear(SEND_ONLY, 1)).toEqual([`${RNR} 1 1`])
    expect(bench.responder.rnrNaksSent).toBe(1)
  })

  test('so is one after a packet that met an RNR NAK, until the wait is over', () => {
    const bench = irn()
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${RNR} 0 0`])
    bench.nowPs = WAIT_PS - 1
    expect([bench.hear(WRITE_ONLY, 1), bench.responder.holds(1)]).toEqual([[], false])
    bench.nowPs = WAIT_PS
    expect([bench.hear(WRITE_ONLY, 1), bench.responder.holds(1)]).toEqual([[`${NAK} 0 0 (1)`], true])
  })

  test('a packet that has arrived is not judged again', () => {
    const bench = irn()
    expect(bench.hear(WRITE_ONLY, 1)).toEqual([`${NAK} 0 0 (1)`])
    bench.device.invalidate(bench.region.key)
    expect([bench.hear(WRITE_ONLY, 1), bench.responder.earlyDrops]).toEqual([[`${NAK} 0 0 (1)`], 0])
    expect([bench.hear(WRITE_ONLY, 2), bench.responder.earlyDrops]).toEqual([[], 1])
  })

  test('a duplicate READ request triggers an ACK and no responses', () => {
    const bench = irn()
    expect([bench.hear(READ, 0), bench.responses()]).toEqual([[`${ACK} 0 1`], [0]])
    expect([bench.hear(READ, 0), bench.responses()]).toEqual([[`${ACK} 0 1`], []])
  })

  test('a refused request ends it when all earlier responses are acknowledged, and is not acknowledged meanwhile', () => {
    const bench = irn()
    bench.hear(READ, 0)
    bench.takes(WRITE_ONLY, 1, { key: 5 })
    bench.takes(WRITE_ONLY, 0)
    expect([bench.responses(), bench.said(), bench.failures]).toEqual([[0], [], []])
    const ack = Object.assign(new VerbsPacket(MTU), { kind: SAYS_ACK, psn: 0 })
    bench.responder.responses.onSegment(0, ack)
    expect([bench.said(), bench.failures]).toEqual([[`${REFUSED} 1 1`], ['null access error']])
  })

  test('a READ whose memory is invalidated between arrival and execution is refused then', () => {
    const bench = irn()
    bench.takes(READ, 1)
    bench.said()
    bench.device.invalidate(bench.region.key)
    const other = bench.device.register(bench.domain, LOCAL_WRITE | REMOTE_WRITE, new Uint8Array(MTU))
    bench.takes(WRITE_ONLY, 0, { key: other.key, virtualAddress: other.address })
    expect([bench.said(), bench.responses(), bench.failures]).toEqual([[`${REFUSED} 1 2`], [], ['null access error']])
  })

  test('without READ-ACKs for its responses it fails', () => {
    const bench = irn({ retryLimit: 0 })
    bench.hear(READ, 0)
    bench.responses()
    const { responses } = bench.responder
    bench.nowPs = responses.nextTimeoutPs
    responses.onTimeout(bench.nowPs)
    expect(bench.failures).toEqual(['null fatal'])
  })
})
