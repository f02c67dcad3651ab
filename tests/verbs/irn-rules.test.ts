/**
 * Rules of IRN for the operations of verbs, one by one: WQEs, placement, order, sequence numbers ([IRN] 5, appendix B).
 */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import { RETRANSMITTED } from '../../src/core/transport/index.ts'
import { OP_FETCH_ADD, OP_READ, OP_SEND, OP_WRITE, OP_WRITE_IMMEDIATE } from '../../src/core/verbs/index.ts'
import { ACKNOWLEDGE, READ_ACK } from '../../src/core/wire/index.ts'
import { VerbsPair, type VerbsPairOptions, type VerbsPassage } from '../support/verbs-pair.ts'

const pairOf = (o: VerbsPairOptions = {}) => new VerbsPair({ ...o, values: { mode: 'irn', ...o.values } })
const isAgain = ({ packet }: VerbsPassage) => (packet.flags & RETRANSMITTED) !== 0

/** A pair, memory at both ends, and the fields that most requests share. */
function memories(o: VerbsPairOptions = {}) {
  const pair = pairOf(o)
  const from = pair.a.memory(8192)
  const to = pair.b.memory(8192)
  from.bytes!.fill(7)
  const local = { region: from, address: from.address }
  const remote = { remoteAddress: to.address, remoteKey: to.key }
  return { pair, from, to, local, remote }
}

/** Drops the first packet of A once. */
function loseFirst(pair: VerbsPair): void {
  pair.toB.rule((passage) => {
    if (passage.packet.psn === 0 && !isAgain(passage)) passage.copies = 0
  })
}

describe('Receive WQEs (5.1)', () => {
  test('a WRITE needs none; a WRITE with immediate uses one at its end, which makes its CQE', () => {
    const { pair, local, remote } = memories({ values: { initialCredits: 1 } })
    pair.a.post({ id: 0, operation: OP_WRITE, ...local, ...remote, lengthBytes: 2048 })
    pair.run()
    expect([pair.a.log, pair.b.receiveLog]).toEqual([['0:0'], []])
    pair.b.receive({ id: 9, region: null, address: 0, lengthBytes: 0 })
    pair.a.post({ id: 1, operation: OP_WRITE_IMMEDIATE, ...local, ...remote, lengthBytes: 2048, immediate: 5 })
    const taken: number[] = []
    while (pair.step()) taken.push(pair.b.pair.receives.head)
    // Two packets arrive, and the WQE is used with the second.
    expect([taken[0], taken.at(-1)]).toEqual([0, 1])
    expect(pair.b.received).toMatchObject([{ id: 9, status: 0, hasImmediate: true, immediate: 5, lengthBytes: 2048 }])
  })

  test('a READ and an atomic need none, and an atomic is one packet', () => {
    const { pair, local, remote } = memories()
    const sent: number[] = []
    pair.toB.rule(({ packet }) => {
      if (packet.opcode !== READ_ACK) sent.push(packet.psn)
    })
    pair.a.post({ id: 0, operation: OP_READ, ...local, ...remote, lengthBytes: 4096 })
    pair.a.post({ id: 1, operation: OP_FETCH_ADD, ...local, ...remote, swap: 1n })
    pair.run()
    expect([sent, pair.a.log, pair.b.received]).toEqual([[0, 1], ['0:0', '1:0'], []])
    expect(pair.b.pair.receives.tail).toBe(0)
  })

  test('a SEND is placed where its Receive WQE says', () => {
    const { pair, to, local } = memories({ values: { initialCredits: 2 } })
    for (const [id, offset] of [[3, 4096] as const, [4, 1024] as const])
      pair.b.receive({ id, region: to, address: to.address + offset, lengthBytes: 1024 })
    for (const id of [0, 1]) pair.a.post({ id, operation: OP_SEND, ...local, lengthBytes: 100 + id })
    pair.run()
    const filled = [...to.bytes!.entries()].filter(([, byte]) => byte === 7).map(([at]) => at)
    expect([filled.length, filled[0], filled[100], filled[101], filled.at(-1)]).toEqual([201, 1024, 1124, 4096, 4195])
    expect(pair.b.receiveLog).toEqual(['3:0', '4:0'])
  })
})

test('the response to an atomic is like a READ response of one packet: in the response space, acknowledged by the requester (5.2)', () => {
  const { pair, local, remote } = memories()
  const spoken: string[] = []
  pair.toA.rule((passage) => {
    if (passage.packet.opcode === ACKNOWLEDGE) return
    spoken.push(`response ${passage.packet.psn}`)
    if (spoken.length === 1) passage.copies = 0
  })
  pair.toB.rule(({ packet }) => {
    if (packet.opcode === READ_ACK) spoken.push(`READ-ACK ${packet.psn + 1}`)
  })
  pair.a.post({ id: 0, operation: OP_FETCH_ADD, ...local, ...remote, swap: 1n })
  pair.a.post({ id: 1, operation: OP_READ, ...local, ...remote, lengthBytes: 1024 })
  pair.run(US * 90)
  // The lost response of the atomic is reported as that of a READ would be, and sent again.
  expect(spoken).toEqual(['response 0', 'response 1', 'response 0', 'READ-ACK 2'])
  expect([pair.a.log, pair.b.pair.responder.responses.executed]).toEqual([['0:0', '1:0'], 2])
})

describe('early packets', () => {
  test('are placed in memory at once, and bitmaps of the size of the cap record them (5.3)', () => {
    const { pair, to, local, remote } = memories()
    loseFirst(pair)
    pair.a.post({ id: 0, operation: OP_WRITE, ...local, ...remote, lengthBytes: 3072 })
    pair.run(2 * US)
    expect([0, 1023, 1024, 3071].map((at) => to.bytes![at])).toEqual([0, 0, 7, 7])
    const { responder } = pair.b.pair
    expect([1, 2, 3].map((psn) => responder.holds(psn))).toEqual([true, true, false])
    expect(responder.epsn).toBe(0)
    expect([pair.values.selectiveRepeat.capPackets, pair.values.selectiveRepeat.bitmapBits]).toEqual([110, 128])
    pair.run()
    expect(to.bytes!.subarray(0, 3072)).toEqual(new Uint8Array(3072).fill(7))
  })

  test('may be the last of a WRITE: polling its last byte shows it while the first packet is missing (5.3.4)', () => {
    const { pair, to, local, remote } = memories()
    loseFirst(pair)
    pair.a.post({ id: 0, operation: OP_WRITE, ...local, ...remote, lengthBytes: 2048 })
    while (to.bytes![2047] === 0) expect(pair.step()).toBe(true)
    expect([to.bytes![0], pair.a.log]).toEqual([0, []])
    pair.run()
    expect([to.bytes![0], pair.a.log]).toEqual([7, ['0:0']])
  })

  test('may be overwritten by a retransmitted older message, unless the newer one waits for it (5.3.4)', () => {
    // Two WRITEs to one address; the first is lost once. Returns the final bytes.
    const last = (between: 'nothing' | 'fence behind a READ' | 'completion'): number => {
      const { pair, from, to, local, remote } = memories()
      from.bytes![1] = 8
      loseFirst(pair)
      const write = { operation: OP_WRITE, ...remote, region: from, lengthBytes: 1 } as const
      pair.a.post({ id: 0, ...write, address: from.address })
      if (between === 'completion') pair.run()
      const isFenced = between === 'fence behind a READ'
      if (isFenced) pair.a.post({ id: 1, operation: OP_READ, ...local, ...remote, lengthBytes: 0 })
      pair.a.post({ id: 2, ...write, address: from.address + 1, isFenced })
      pair.run()
      return to.bytes![0]!
    }
    expect([last('nothing'), last('completion'), last('fence behind a READ')]).toEqual([7, 8, 8])
  })

  test('READ requests wait in the slots of their read_WQE_SN, and are executed in order when all earlier packets have arrived (5.3.2)', () => {
    const { pair, to, local, remote } = memories()
    const sns: number[] = []
    const lateUs = [10, 30, 4, 2]
    pair.toB.rule((passage) => {
      const { packet } = passage
      if (packet.opcode === READ_ACK) return
      if (isAgain(passage)) passage.copies = 0
      else {
        if (packet.psn > 1) sns.push(packet.readSn)
        passage.latePs = lateUs[packet.psn]! * US
      }
    })
    const responses: number[] = []
    pair.toA.rule(({ packet }) => {
      if (packet.opcode !== ACKNOWLEDGE) responses.push(packet.payloadBytes)
    })
    // The first packet of the WRITE arrives after 10 us, the second after 30.
    pair.a.post({ id: 0, operation: OP_WRITE, ...local, ...remote, lengthBytes: 2048 })
    // The second READ arrives first.
    const answer = { region: local.region, address: local.address + 4096 }
    pair.a.post({ id: 1, operation: OP_READ, ...answer, ...remote, lengthBytes: 8 })
    pair.a.post({ id: 2, operation: OP_READ, ...answer, ...remote, lengthBytes: 16 })
    pair.run(20 * US)
    const { responder } = pair.b.pair
    expect([sns, responder.epsn, responder.responses.executed, responses]).toEqual([[0, 1], 1, 0, []])
    pair.run()
    expect([responses, pair.a.log, to.bytes![2047]]).toEqual([[8, 16], ['0:0', '1:0', '2:0'], 7])
  })
})

test('requests and responses are numbered separately in IRN, and in one sequence in RoCE (5.4)', () => {
  const numbers = (mode: 'irn' | 'roce'): readonly (readonly number[])[] => {
    const { pair, local, remote } = memories({ values: { mode } })
    const requests: number[] = []
    const responses: number[] = []
    pair.toB.rule(({ packet }) => {
      if (packet.opcode !== READ_ACK) requests.push(packet.psn)
    })
    pair.toA.rule(({ packet }) => {
      if (packet.opcode !== ACKNOWLEDGE) responses.push(packet.psn)
    })
    pair.a.post({ id: 0, operation: OP_READ, ...local, ...remote, lengthBytes: 4096 })
    for (const id of [1, 2]) pair.a.post({ id, operation: OP_WRITE, ...local, ...remote, lengthBytes: 8 })
    pair.run()
    return [requests, responses]
  }
  expect(numbers('irn')).toEqual([
    [0, 1, 2],
    [0, 1, 2, 3],
  ])
  expect(numbers('roce')).toEqual([
    [0, 4, 5],
    [0, 1, 2, 3],
  ])
})

describe('a WRITE with immediate and a shared receive queue (B.2)', () => {
  /** SENDs of 64 bytes and a WRITE with immediate of three packets; the packets of `lost` are lost once. */
  const sharing = (lost: readonly number[]) => {
    const { pair, to, local, remote } = memories({ sharedDepth: 8, values: { hasCredits: false } })
    for (let id = 0; id < 4; id++)
      pair.b.receive({ id, region: to, address: to.address + 4096 + 64 * id, lengthBytes: 64 })
    pair.toB.rule((passage) => {
      if (lost.includes(passage.packet.psn) && !isAgain(passage)) passage.copies = 0
    })
    const write = (id: number): void =>
      pair.a.post({ id, operation: OP_WRITE_IMMEDIATE, ...local, ...remote, lengthBytes: 3072, immediate: 5 })
    const send = (id: number): void => pair.a.post({ id, operation: OP_SEND, ...local, lengthBytes: 64 })
    return { pair, write, send }
  }

  test('without outstanding SENDs it completes the first WQE of the queue, when all of it has arrived', () => {
    const { pair, write } = sharing([0, 1])
    write(0)
    const { responder } = pair.b.pair
    // Its last packet has arrived and its first comes again, but not yet the second.
    while (responder.epsn === 0) expect(pair.step()).toBe(true)
    expect([responder.epsn, responder.holds(2), pair.b.received]).toEqual([1, true, []])
    pair.run()
    expect([pair.b.shared!.count, pair.b.receiveLog]).toEqual([3, ['0:0']])
  })

  test('with WQEs taken for SENDs it completes the first outstanding one of these', () => {
    const { pair, write, send } = sharing([0])
    write(0)
    send(1)
    pair.run(2.5 * US)
    // The SEND came early and has its own WQE, the second.
    expect([pair.b.shared!.count, pair.b.pair.receives.tail, pair.b.received]).toEqual([2, 2, []])
    pair.run()
    expect([pair.b.shared!.count, pair.b.receiveLog]).toEqual([2, ['0:0', '1:0']])
    expect(pair.b.received.map(({ hasImmediate }) => hasImmediate)).toEqual([true, false])
  })
})

test('an RNR NACK makes the sender go back N, and packets out of order that would cause one are dropped silently (B.3, B.4)', () => {
  const { pair, to, local } = memories({ values: { hasCredits: false } })
  const sent: number[] = []
  const answers: string[] = []
  pair.toB.rule(({ packet }) => sent.push(packet.psn))
  pair.toA.rule(({ packet: { syndrome, psn } }) => {
    answers.push(syndrome < 0x20 ? `ACK ${psn + 1}` : `${syndrome < 0x40 ? 'RNR' : 'NACK'} ${psn}`)
  })
  for (const id of [0, 1, 2]) pair.a.post({ id, operation: OP_SEND, ...local, lengthBytes: 64 })
  pair.run(5 * US)
  // All three arrived, and there was no Receive WQE for any.
  expect([sent, answers]).toEqual([[0, 1, 2], ['RNR 0']])
  for (const id of [0, 1, 2]) pair.b.receive({ id, region: to, address: to.address + 64 * id, lengthBytes: 64 })
  pair.run()
  expect([sent.slice(3), answers.slice(1)]).toEqual([
    [0, 1, 2],
    ['ACK 1', 'ACK 2', 'ACK 3'],
  ])
  expect(pair.a.log).toEqual(['0:0', '1:0', '2:0'])
})

test('requests of one packet: no more in flight than may be outstanding, however large the cap (5.3, footnote 4)', () => {
  const most = (sendDepth: number): number => {
    const { pair, local, remote } = memories({ sendDepth, delayPs: 20 * US })
    const work = { operation: OP_WRITE, ...local, ...remote, lengthBytes: 64 } as const
    let posted = 0
    let largest = 0
    do {
      while (posted < 400 && pair.a.pair.postSend(pair.nowPs, { id: posted, ...work }) === 'posted') posted++
      const { una, nxt } = pair.a.pair.requester
      largest = Math.max(largest, nxt - una)
    } while (pair.step())
    expect(pair.a.done).toHaveLength(400)
    return largest
  }
  expect([most(16), most(400)]).toEqual([16, 110])
})
