/** A request that was refused while others before it are under way: it fails in its turn, and nothing from it on is sent. */
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
import { OP_READ, OP_SEND, OP_WRITE } from '../work/operation.ts'
import { Bench, MTU } from './requester.test-bench.ts'
import { PSNS_MAX } from '../work/send-queue.ts'
import { LOCAL_PROTECTION_ERROR, REMOTE_ACCESS_ERROR, REMOTE_OPERATION_ERROR, RETRY_EXCEEDED } from '../work/status.ts'

/** Requests 0 to 2, all sent; the first is a READ, whose request has been acknowledged. */
function readAndTwo(): Bench {
  const bench = new Bench({ mode: 'irn', retryLimit: 1 })
  bench.post(OP_READ)
  bench.post(OP_WRITE)
  bench.post(OP_WRITE)
  expect(bench.psns()).toEqual([0, 1, 2])
  bench.ack(0, 1)
  return bench
}

describe('behind a READ whose responses are under way', () => {
  test('it fails when the READ is done', () => {
    const bench = readAndTwo()
    bench.nak(NO_ACCESS, 1, 1)
    expect([bench.done, bench.failed]).toEqual([[], []])
    bench.response(ONLY, 0, 1)
    expect([bench.done, bench.failed]).toEqual([[0], [`1:${REMOTE_ACCESS_ERROR}`]])
  })

  test('neither it nor what is behind it leaves again, and nothing waits for its answer', () => {
    const bench = readAndTwo()
    bench.nak(NO_ACCESS, 1, 1)
    bench.post(OP_SEND)
    expect(bench.psns()).toEqual([])
    expect([bench.requester.nextTimeoutPs, bench.requester.nextSendPs, bench.failed]).toEqual([NEVER_PS, NEVER_PS, []])
    bench.response(ONLY, 0, 1)
    expect(bench.failed).toEqual([`1:${REMOTE_ACCESS_ERROR}`])
  })

  test('one before it that is refused later fails instead, one behind it does not', () => {
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

  test('the first of a queue can be it', () => {
    const bench = readAndTwo()
    bench.nak(NO_ACCESS, 0, 1)
    expect([bench.failed, bench.psns()]).toEqual([[`0:${REMOTE_ACCESS_ERROR}`], []])
  })
})

describe.each(['roce', 'irn'] as const)('a local key is taken away in the midst of a request (%s)', (mode) => {
  /** Of the second of three WRITEs, when two of its four packets have left; nothing is acknowledged. */
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

  test('nothing more of it leaves, and it fails when what is before it is done', () => {
    const bench = takenAway()
    expect([bench.psns(), bench.failed]).toEqual([[], []])
    bench.ack(0, 0)
    expect([bench.done, bench.failed]).toEqual([[], []])
    bench.ack(1, 1)
    expect([bench.done, bench.failed]).toEqual([[0], [`1:${LOCAL_PROTECTION_ERROR}`]])
  })

  test('what is before it goes again where it was lost, and what was lost of it does not', () => {
    const bench = takenAway()
    expect(bench.psns()).toEqual([])
    // Packets 1 and 2 are lost, 3 has come.
    bench.ack(0, 0)
    bench.nak(SYNDROME_PSN_ERROR, 1, 0, { sackPsn: 3 })
    expect([bench.psns(), bench.failed]).toEqual([[1], []])
    bench.ack(1, 1)
    expect([bench.done, bench.failed]).toEqual([[0], [`1:${LOCAL_PROTECTION_ERROR}`]])
  })

  test('as does what nobody has answered, when its time is up', () => {
    const bench = takenAway()
    expect(bench.psns()).toEqual([])
    expect(bench.timeout()).toEqual(mode === 'roce' ? [0, 1] : [0])
    bench.ack(1, 1)
    expect(bench.failed).toEqual([`1:${LOCAL_PROTECTION_ERROR}`])
  })
})

test('a READ that is refused when its responses have come is not refused: it is told of them again', () => {
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

test('where nothing is owed and what is before it is not done, the other end contradicts itself: it is given up', () => {
  const bench = new Bench({ mode: 'irn' })
  bench.post(OP_WRITE)
  bench.post(OP_WRITE)
  bench.sends()
  // PSN 0 is there, and the message that it was is not.
  bench.nak(NO_ACCESS, 1, 0)
  expect(bench.failed).toEqual([`0:${RETRY_EXCEEDED}`])
})

test('no more PSNs are under way than can be told from old ones, responses of READs counted (RoCE)', () => {
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
