/** PSNs on the wire of RoCE, held against a plain table, under any work, loss and retransmission. */
import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../base/random.ts'
import { NEVER_PS } from '../base/params.ts'
import { ACK, DATA, READ_REQUEST } from '../transport/segment.ts'
import { OP_FETCH_ADD, OP_READ, OP_WRITE } from './queues/operation.ts'
import { VerbsPacket } from './packet.ts'
import { Connection, type End, MTU } from './shared-psns.test-bench.ts'

/** First PSN of a request in either space and on the wire. */
interface Row {
  readonly psn: number
  readonly packets: number
  readonly response: number
  readonly responses: number
  readonly wire: number
}

describe('under any work, loss and retransmission each PSN on the wire is that of a plain table', () => {
  test.each([0, 2 ** 24 - 100])('from %i on', (firstPsn) => {
    const random = createRandomStreams(11).stream(`psns ${firstPsn}`)
    const one = new Connection(firstPsn, { readsOut: 4, readsIn: 4, retryLimit: null, ackInterval: 2 })
    const { near, far } = one
    const table: Row[] = []
    let end = { psn: firstPsn, response: firstPsn, wire: firstPsn }
    const post = (): void => {
      const operation = ([OP_WRITE, OP_READ, OP_FETCH_ADD] as const)[random.below(3)]!
      const packets = operation === OP_FETCH_ADD ? 1 : 1 + random.below(5)
      const responses = operation === OP_WRITE ? 0 : packets
      const row = { ...end, packets: responses > 0 ? 1 : packets, responses }
      table.push(row)
      end = { psn: row.psn + row.packets, response: row.response + responses, wire: row.wire + packets }
      one.post(operation, packets)
    }
    const wireOfRequest = (psn: number): number => {
      const row = table.find((each) => psn < each.psn + each.packets)
      return row === undefined ? end.wire + psn - end.psn : row.wire + psn - row.psn
    }
    const wireOfResponse = (psn: number): number => {
      const row = table.find((each) => psn < each.response + each.responses)!
      return row.wire + psn - row.response
    }
    /** Compared modulo 2^24. */
    const low = (psn: number): number => psn % 2 ** 24
    const whole = (psn: number): number => psn + (psn < (firstPsn % 2 ** 24) - 2 ** 23 ? 2 ** 24 : 0)
    const packet = new VerbsPacket(MTU)
    const kinds = new Set<string>()
    /** It leaves, and arrives unless it is lost. */
    const move = (from: End, name: string, wire: number, hear: (psn: number) => void): void => {
      kinds.add(name)
      from.psns.toWire(packet)
      expect([name, packet.psn]).toEqual([name, low(wire)])
      if (random.below(12) === 0) return
      if (packet.kind === READ_REQUEST) packet.kind = DATA
      if ((from === near ? far : near).psns.fromWire(packet)) hear(packet.psn)
    }
    const acts: readonly (() => boolean)[] = [
      () => {
        if (!near.requester.pollTransmit(one.nowPs, packet)) return false
        move(near, 'request', wireOfRequest(whole(packet.psn)), (psn) => {
          if (packet.kind === READ_REQUEST) far.responder.responses.sendAgainFrom(one.nowPs, psn, packet)
          else far.responder.onSegment(one.nowPs, packet)
        })
        return true
      },
      () => {
        if (!far.responder.hasReply || !far.responder.pollTransmit(one.nowPs, packet)) return false
        const psn = whole(packet.psn)
        const isAck = packet.kind === ACK
        const wire = isAck ? wireOfRequest(psn + 1) - 1 : wireOfRequest(psn)
        move(far, isAck ? 'ACK' : 'NAK', wire, () => near.requester.onSegment(one.nowPs, packet))
        return true
      },
      () => {
        if (!far.responder.responses.pollTransmit(one.nowPs, packet)) return false
        move(far, 'response', wireOfResponse(whole(packet.psn)), () =>
          near.requester.reads.onSegment(one.nowPs, packet),
        )
        return true
      },
      () => {
        const { reads } = near.requester
        if (!reads.hasReply || !reads.pollTransmit(one.nowPs, packet)) return false
        move(near, 'READ again', wireOfResponse(whole(packet.psn)), (psn) => {
          expect(packet.kind).toBe(READ_REQUEST)
          far.responder.responses.sendAgainFrom(one.nowPs, psn, packet)
        })
        return true
      },
    ]
    let done = 0
    for (let step = 0; step < 6000; step++) {
      if (table.length < 400 && near.pair.outstanding < 8 && random.below(2) === 0) post()
      const first = random.below(acts.length)
      const isMoved = acts.some((_, i) => acts[(first + i) % acts.length]!())
      done += near.done
      if (isMoved) continue
      const late = [near.requester, near.requester.reads].find(
        (half) => half.nextTimeoutPs === Math.min(near.requester.nextTimeoutPs, near.requester.reads.nextTimeoutPs),
      )!
      if (late.nextTimeoutPs === NEVER_PS) continue
      one.nowPs = late.nextTimeoutPs
      late.onTimeout(one.nowPs)
    }
    expect([done, [...kinds].sort()]).toEqual([table.length, ['ACK', 'NAK', 'READ again', 'request', 'response']])
    expect(done).toBe(400)
  })
})
