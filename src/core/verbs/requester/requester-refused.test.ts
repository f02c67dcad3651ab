/** A refused request while earlier ones are outstanding: it fails in order, and neither it nor later ones are sent. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS } from '../../base/params.ts'
import {
  SYNDROME_PSN_ERROR,
  SYNDROME_REMOTE_ACCESS as NO_ACCESS,
  SYNDROME_REMOTE_OPERATION as FAULT,
} from '../../wire/aeth.ts'
import { READ_RESPONSE_ONLY as ONLY } from '../../wire/opcodes.ts'
import { LOCAL_WRITE } from '../access.ts'
import { Device } from '../device.ts'
import { OP_READ, OP_SEND, OP_WRITE } from '../queues/operation.ts'
import { Bench, MTU } from './requester.test-bench.ts'
import { PSNS_MAX } from '../queues/send-queue.ts'
import {
  LOCAL_PROTECTION_ERROR,
  REMOTE_ACCESS_ERROR,
  REMOTE_OPERATION_ERROR,
  RETRY_EXCEEDED,
} from '../queues/status.ts'

/** Requests 0 to 2, all sent; the first is a READ whose request is acknowledged. */
function readAndTwo(): Bench {
  const bench = new Bench({ mode: 'irn', retryLimit: 1 })
  bench.post(OP_READ)
  bench.post(OP_WRITE)
  bench.post(OP_WRITE)
  expect(bench.psns()).toEqual([0, 1, 2])
  bench.ack(0, 1)
  return bench
}

describe('after a READ whose responses are outstanding', () => {
  test('it fails when the READ is complete', () => {
    const bench = readAndTwo()
    bench.nak(NO_ACCESS, 1, 1)
    expect([bench.done, bench.failed]).toEqual([[], []])
    bench.response(ONLY, 0, 1)
    expect([bench.done, bench.failed]).toEqual([[0], [`1:${REMOTE_ACCESS_ERROR}`]])
  })

  test('neither it nor later ones are sent again, and no timeout runs for them', () => {
    const bench = readAndTwo()
    bench.nak(NO_ACCESS, 1, 1)
    bench.post(OP_SEND)
    expect(bench.psns()).toEqual([])
    expect([bench.requester.nextTimeoutPs, bench.requester.nextSendPs, bench.failed]).toEqual([NEVER_PS, NEVER_PS, []])
    bench.response(ONLY, 0, 1)
    expect(bench.failed).toEqual([`1:${REMOTE_ACCESS_ERROR}`])
  })

  test('an earlier one refused afterwards fails instead, a later one does not', () => {
    const bench = new Bench({ mode: 'irn' })
    for (let id = 0; id < 4; id++) bench.post(OP_READ)
    bench.sends()
    bench.ack(3, 4)
    bench.nak(NO_ACCESS, 2, 4)
    bench.nak(FAULT, 3, 4)
    bench.nak(FAULT, 1, 4)
    expect(bench.failed).toEqual([])
    bench.response(ONLY, 0, 4)
    expect([bench.done, bench.failed]).toEqual([[0], [`1:${REMOTE_OPERATION_ERROR}`]])
  })

  test('the first of a queue can be refused', () => {
    const bench = readAndTwo()
    bench.nak(NO_ACCESS, 0, 1)
    expect([bench.failed, bench.psns()]).toEqual([[`0:${REMOTE_ACCESS_ERROR}`], []])
  })
})

describe.each(['roce', 'irn'] as const)('a local key is invalidated in the middle of a request (%s)', (mode) => {
  /** The second of three WRITEs, when two of its four packets have left; nothing is acknowledged. */
  function takenAway(): Bench {
    const device = new Device({ draw: () => 0 }, 0)
    const region = device.register(device.allocateDomain(), LOCAL_WRITE, null, 4 * MTU)
    const bench = new Bench({ mode })
    bench.post(OP_WRITE, 2)
    bench.post(OP_WRITE, 4, region)
    bench.post(OP_WRITE)
    expect(bench.psns(4)).toEqual([0, 1, 2, 3])
    device.invalidate(region.key)
    return bench
  }

  test('no more of it leaves, and it fails when earlier requests are complete', () => {
    const bench = takenAway()
    expect([bench.psns(), bench.failed]).toEqual([[], []])
    bench.ack(0, 0)
    expect([bench.done, bench.failed]).toEqual([[], []])
    bench.ack(1, 1)
    expect([bench.done, bench.failed]).toEqual([[0], [`1:${LOCAL_PROTECTION_ERROR}`]])
  })

  test('lost packets before it are sent again, its own are not', () => {
    const bench = takenAway()
    expect(bench.psns()).toEqual([])
    // Packets 1 and 2 are lost, 3 has arrived.
    bench.ack(0, 0)
    bench.nak(SYNDROME_PSN_ERROR, 1, 0, { sackPsn: 3 })
    expect([bench.psns(), bench.failed]).toEqual([[1], []])
    bench.ack(1, 1)
    expect([bench.done, bench.failed]).toEqual([[0], [`1:${LOCAL_PROTECTION_ERROR}`]])
  })

  test('after a timeout too, only packets before it are sent again', () => {
    const bench = takenAway()
    expect(bench.psns()).toEqual([])
    expect(bench.timeout()).toEqual(mode === 'roce' ? [0, 1] : [0])
    bench.ack(1, 1)
    expect(bench.failed).toEqual([`1:${LOCAL_PROTECTION_ERROR}`])
  })
})

test('a NAK for a READ whose responses have arrived is answered with another READ-ACK', () => {
  const bench = new Bench({ mode: 'irn' })
  bench.post(OP_READ)
  bench.post(OP_READ)
  bench.sends()
  bench.ack(1, 0)
  bench.response(ONLY, 0, 2)
  expect(bench.done).toEqual([])
  bench.said()
  bench.nak(NO_ACCESS, 0, 0)
  expect([bench.failed, bench.said()]).toEqual([[], ['ACK 0']])
  bench.ack(1, 2)
  bench.response(ONLY, 1, 2)
  expect([bench.done, bench.failed]).toEqual([[0, 1], []])
})

test('if nothing is outstanding and an earlier request is incomplete, the other end is inconsistent: the request is given up', () => {
  const bench = new Bench({ mode: 'irn' })
  bench.post(OP_WRITE)
  bench.post(OP_WRITE)
  bench.sends()
  // PSN 0 is acknowledged, and its message is not counted.
  bench.nak(NO_ACCESS, 1, 0)
  expect(bench.failed).toEqual([`0:${RETRY_EXCEEDED}`])
})

test('at most half of the PSN range is outstanding, responses of READs counted (RoCE)', () => {
  const half = PSNS_MAX / 2
  const leaving = (second: number): number[] => {
    const bench = new Bench({ mtuBytes: 64, readsOut: 4, capPackets: PSNS_MAX })
    bench.post(OP_READ, half)
    bench.post(OP_READ, second)
    return bench.psns()
  }
  expect(leaving(half)).toEqual([0, 1])
  expect(leaving(half + 1)).toEqual([0])
  const bench = new Bench({ mode: 'irn', mtuBytes: 64, readsOut: 4, capPackets: PSNS_MAX })
  bench.post(OP_READ, half)
  bench.post(OP_READ, half + 1)
  expect(bench.psns()).toEqual([0, 1])
})
