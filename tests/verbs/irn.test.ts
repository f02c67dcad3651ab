/** IRN under verbs: the traces of its specification ([IRN] 5, appendix B). */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import type { Arrivals } from '../../src/core/transport/arrivals.ts'
import { RETRANSMITTED } from '../../src/core/transport/index.ts'
import {
  CONNECTION_DEFAULTS,
  nicStateOf,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  type SendWork,
} from '../../src/core/verbs/index.ts'
import {
  ACKNOWLEDGE,
  FORMAT_IRN,
  HAS_RECEIVE_SN,
  HAS_SEND_SEQUENCE,
  headersOf,
  READ_ACK,
  READ_NACK,
  READ_REQUEST_OPCODE,
} from '../../src/core/wire/index.ts'
import { VerbsPair, type VerbsPairOptions, type VerbsPassage } from '../support/verbs-pair.ts'

const pairOf = (o: VerbsPairOptions = {}) => new VerbsPair({ ...o, values: { mode: 'irn', ...o.values } })

/** ACKs and NACKs of B to A, as "NACK 0,1" or "ACK 5 msn 3". */
function listen(pair: VerbsPair): string[] {
  const answers: string[] = []
  pair.toA.rule(({ packet }) => {
    const { opcode, syndrome, psn, sackPsn, msn } = packet
    if (opcode !== ACKNOWLEDGE) return
    if (syndrome < 0x20) answers.push(`ACK ${psn + 1} msn ${msn}`)
    else answers.push(syndrome === 0x60 ? `NACK ${psn},${sackPsn}` : `NAK ${syndrome.toString(16)} ${psn}`)
  })
  return answers
}

const isAgain = ({ packet }: VerbsPassage) => (packet.flags & RETRANSMITTED) !== 0

test('T-IRNV-1: a WRITE, a SEND and a WRITE with immediate arrive as 1 2 4 3 0', () => {
  const pair = pairOf({ values: { initialCredits: 2 } })
  const answers = listen(pair)
  const from = pair.a.memory(4096)
  const to = pair.b.memory(8192)
  const lateUs = [50, 0, 1, 10, 2]
  pair.toB.rule((passage) => {
    if (isAgain(passage)) passage.copies = 0
    else passage.latePs = lateUs[passage.packet.psn]! * US
  })
  for (const id of [0, 1]) pair.b.receive({ id, region: to, address: to.address + 4096 * id, lengthBytes: 1024 })
  const source = { region: from, address: from.address }
  const target = { remoteAddress: to.address, remoteKey: to.key }
  pair.a.post({ id: 0, operation: OP_WRITE, ...source, ...target, lengthBytes: 2048 })
  pair.a.post({ id: 1, operation: OP_SEND, ...source, lengthBytes: 1024 })
  pair.a.post({ id: 2, operation: OP_WRITE_IMMEDIATE, ...source, ...target, lengthBytes: 2048 })
  pair.run(40 * US)
  const { arrivals } = Reflect.get(pair.b.pair.responder, 'recovery') as { arrivals: Arrivals }
  expect([1, 2, 3, 4].map((psn) => arrivals.classOf(psn))).toEqual([0b01, 0b11, 0b10, 0b11])
  expect(pair.b.received).toEqual([])
  pair.run()
  expect(answers).toEqual(['NACK 0,1', 'NACK 0,2', 'NACK 0,4', 'NACK 0,3', 'ACK 5 msn 3'])
  expect(pair.b.receiveLog).toEqual(['0:0', '1:0'])
  expect(pair.a.log).toEqual(['0:0', '1:0', '2:0'])
})

/** Ten Receive WQEs of 64 bytes in a shared queue; SENDs whose payload is their number, 5 us apart. */
function sharing() {
  const pair = pairOf({ sharedDepth: 16 })
  const from = pair.a.memory(64)
  const to = pair.b.memory(64 * 16)
  for (let id = 0; id < 10; id++) pair.b.receive({ id, region: to, address: to.address + 64 * id, lengthBytes: 64 })
  const send = (id: number): void => {
    from.bytes![0] = id + 1
    pair.a.post({ id, operation: OP_SEND, region: from, address: from.address, lengthBytes: 64 })
    pair.run(pair.nowPs + 5 * US)
  }
  return { pair, to, send }
}

test('T-IRNV-2: as many WQEs are taken from a shared queue as the SN needs', () => {
  const { pair, to, send } = sharing()
  pair.toB.rule((passage) => {
    const { psn } = passage.packet
    if ((psn > 0 && psn < 4) || isAgain(passage)) passage.copies = 0
  })
  send(0)
  expect([pair.b.shared!.count, pair.b.pair.receives.tail]).toEqual([9, 1])
  for (const id of [1, 2, 3, 4]) send(id)
  expect([pair.b.shared!.count, pair.b.pair.receives.tail]).toEqual([5, 5])
  expect([0, 1, 2, 3, 4].map((id) => to.bytes![64 * id])).toEqual([1, 0, 0, 0, 5])
  expect(pair.b.receiveLog).toEqual(['0:0'])
})

test('an early SEND that claims more Receive WQEs than packets are missing takes none of a shared queue', () => {
  const { pair, send } = sharing()
  pair.toB.rule((passage) => {
    if (isAgain(passage)) return
    if (passage.packet.psn === 1) passage.copies = 0
    else if (passage.packet.psn === 2) Object.assign(passage.packet, { receiveSn: 9 })
  })
  for (const id of [0, 1, 2]) send(id)
  expect(pair.b.shared!.count).toBe(9)
  pair.run()
  expect([pair.b.shared!.count, pair.b.receiveLog]).toEqual([7, ['0:0', '1:0', '2:0']])
})

describe('T-IRNV-3: one Receive WQE, two SENDs, the second as a probe, the first lost', () => {
  test.each([true, false])('a WQE was posted meanwhile: %s', (isPosted) => {
    const pair = pairOf({ values: { initialCredits: 1 } })
    const answers = listen(pair)
    const from = pair.a.memory(64)
    const to = pair.b.memory(256)
    const receive = (id: number) => pair.b.receive({ id, region: to, address: to.address + 64 * id, lengthBytes: 64 })
    const sent: string[] = []
    pair.toB.rule((passage) => {
      sent.push(`${passage.packet.psn} at ${Math.floor(passage.startPs / US)}`)
      if (passage.count === 0) passage.copies = 0
    })
    receive(0)
    for (const id of [0, 1])
      pair.a.post({ id, operation: OP_SEND, region: from, address: from.address, lengthBytes: 64 })
    pair.run(50 * US)
    // B came early and there was no WQE for it: dropped silently.
    expect([answers, pair.b.pair.responder.earlyDrops]).toEqual([[], 1])
    if (isPosted) receive(1)
    pair.run(110 * US)
    expect(sent).toEqual(['0 at 0', '1 at 0', '0 at 100', '1 at 102'])
    expect(answers).toEqual(['ACK 1 msn 1', isPosted ? 'ACK 2 msn 2' : 'NAK 2b 1'])
    if (!isPosted) receive(1)
    pair.run()
    expect(pair.a.log).toEqual(['0:0', '1:0'])
    expect(pair.b.receiveLog).toEqual(['0:0', '1:0'])
  })
})

test('T-IRNV-4: the second response of a READ is lost, and the responder sends it again', () => {
  const pair = pairOf()
  const to = pair.a.memory(4096)
  const from = pair.b.memory(4096)
  from.bytes!.fill(9)
  const heard: string[] = []
  const responses: number[] = []
  pair.toB.rule(({ packet: { opcode, psn, sackPsn } }) => {
    if (opcode === READ_ACK) heard.push(`READ-ACK ${psn + 1}`)
    if (opcode === READ_NACK) heard.push(`READ-NACK ${psn},${sackPsn}`)
  })
  pair.toA.rule((passage) => {
    if (passage.packet.opcode === ACKNOWLEDGE) return
    responses.push(passage.packet.psn)
    if (passage.packet.psn === 1 && !isAgain(passage)) passage.copies = 0
  })
  const target = { region: to, address: to.address, lengthBytes: 4096 }
  pair.a.post({ id: 1, operation: OP_READ, ...target, remoteAddress: from.address, remoteKey: from.key })
  pair.run()
  expect(heard).toEqual(['READ-ACK 1', 'READ-NACK 1,2', 'READ-NACK 1,3', 'READ-ACK 4'])
  expect(responses).toEqual([0, 1, 2, 3, 1])
  expect(to.bytes).toEqual(from.bytes)
  expect(pair.a.log).toEqual(['1:0'])
})

test('T-IRNV-4: the last response is lost, and the responder recovers by its own timeout', () => {
  const pair = pairOf()
  const to = pair.a.memory(1024)
  const from = pair.b.memory(1024)
  pair.toA.rule((passage) => {
    if (passage.packet.opcode !== ACKNOWLEDGE && !isAgain(passage)) passage.copies = 0
  })
  const target = { region: to, address: to.address, lengthBytes: 1024 }
  pair.a.post({ id: 1, operation: OP_READ, ...target, remoteAddress: from.address, remoteKey: from.key })
  pair.run()
  expect([pair.a.log, pair.b.pair.responder.responses.timeouts]).toEqual([['1:0'], 1])
  expect(pair.a.pair.requester.timeouts).toBe(0)
})

test('T-IRNV-5: an early atomic is stored, and executed after those before it', () => {
  const pair = pairOf()
  const from = pair.a.memory(64)
  const word = pair.b.memory(64)
  const view = new DataView(word.bytes!.buffer)
  pair.toB.rule((passage) => {
    if (passage.packet.psn === 0) passage.latePs = isAgain(passage) ? 0 : 30 * US
    if (isAgain(passage)) passage.copies = 0
  })
  const local = { region: from, address: from.address }
  pair.a.post({
    id: 0,
    operation: OP_WRITE,
    ...local,
    lengthBytes: 8,
    remoteAddress: word.address + 8,
    remoteKey: word.key,
  })
  pair.a.post({ id: 1, operation: OP_FETCH_ADD, ...local, remoteAddress: word.address, remoteKey: word.key, swap: 5n })
  pair.run(30 * US)
  expect([view.getBigUint64(0, true), pair.b.pair.responder.responses.executed]).toEqual([0n, 0])
  pair.run()
  expect([view.getBigUint64(0, true), pair.b.pair.responder.responses.executed]).toEqual([5n, 1])
  expect(pair.a.log).toEqual(['0:0', '1:0'])
})

describe('NIC state that IRN adds ([IRN] 6.1)', () => {
  test('160 bits of variables, 640 of bitmaps, 3 bytes per WQE, 10 bytes for all', () => {
    const state = nicStateOf(pairOf().values)
    expect([state.variableBits, state.bitmapBits, state.wqeBytes, state.sharedBytes]).toEqual([160, 640, 3, 10])
    const sideBits = (side: string) =>
      state.variables.filter((field) => field.side === side).reduce((bits, field) => bits + field.bits, 0)
    expect([sideBits('requester'), sideBits('responder')]).toEqual([52, 108])
  })
  test('24 + 24 + 4 = 52 bits at each end, 104 at both, and 56 at the responder for READs', () => {
    const { variables } = nicStateOf(pairOf().values)
    const of = (side: string) => variables.filter((field) => field.side === side).map(({ bits }) => bits)
    expect([of('requester'), of('responder')]).toEqual([
      [24, 24, 4],
      [24, 24, 4, 56],
    ])
    const forReads = variables.filter(({ name }) => name.includes('READ'))
    const bitsOf = (fields: typeof variables) => fields.reduce((sum, { bits }) => sum + bits, 0)
    expect([bitsOf(forReads), bitsOf(variables) - bitsOf(forReads)]).toEqual([56, 104])
  })
  test('five bitmaps of 128 bits: SACKs at each end, responses received, and two bits for each request', () => {
    const { bitmaps } = nicStateOf(pairOf().values)
    expect(bitmaps.map(({ name, side, bits }) => `${side}: ${name}, ${bits}`)).toEqual([
      'requester: selective acknowledgements of requests, 128',
      'requester: responses received, 128',
      'responder: requests received, two bits each, 256',
      'responder: selective acknowledgements of responses, 128',
    ])
  })
  test('bitmaps grow with the cap: 512 bits each for 100 Gb/s', () => {
    const selectiveRepeat = { ...CONNECTION_DEFAULTS.selectiveRepeat, capPackets: 276, bitmapBits: 512 }
    expect(nicStateOf(pairOf({ values: { selectiveRepeat } }).values).bitmapBits).toBe(2560)
  })
  test('RoCE mode adds none', () => {
    expect(nicStateOf(new VerbsPair().values)).toEqual({
      variables: [],
      bitmaps: [],
      variableBits: 0,
      bitmapBits: 0,
      wqeBytes: 0,
      sharedBytes: 0,
    })
  })
})

test('every READ response is acknowledged, with one of the eight free codes, and its sender has a timeout ([IRN] 5.2)', () => {
  const pair = pairOf()
  const to = pair.a.memory(4096)
  const from = pair.b.memory(4096)
  const heard: string[] = []
  pair.toB.rule(({ packet: { opcode, psn } }) => {
    if (opcode !== READ_REQUEST_OPCODE) heard.push(`${opcode >= 24 && opcode < 32 ? 'free' : opcode} ${psn + 1}`)
  })
  // The last of four is lost: only a timeout can show it.
  pair.toA.rule((passage) => {
    if (passage.packet.psn === 3 && !isAgain(passage)) passage.copies = 0
  })
  const target = { region: to, address: to.address, lengthBytes: 4096 }
  pair.a.post({ id: 1, operation: OP_READ, ...target, remoteAddress: from.address, remoteKey: from.key })
  pair.run()
  expect(heard).toEqual(['free 1', 'free 2', 'free 3', 'free 4'])
  expect([pair.a.log, pair.b.pair.responder.responses.timeouts]).toEqual([['1:0'], 1])
})

test('the MSN counts complete WRITEs and SENDs, READs and atomics, and its return completes the requests ([IRN] 5.3.3)', () => {
  const pair = pairOf()
  const from = pair.a.memory(4096)
  const to = pair.b.memory(4096)
  pair.b.receive({ id: 0, region: to, address: to.address, lengthBytes: 2048 })
  const msns: number[] = []
  const ended: number[] = []
  pair.toA.rule(({ packet: { msn } }) => {
    ended.push(pair.a.done.length)
    msns.push(msn)
  })
  const source = { region: from, address: from.address }
  const target = { remoteAddress: to.address, remoteKey: to.key }
  const requests: readonly Omit<SendWork, 'id'>[] = [
    { operation: OP_WRITE, ...source, ...target, lengthBytes: 2048 },
    { operation: OP_SEND, ...source, lengthBytes: 2048 },
    { operation: OP_READ, ...source, ...target, lengthBytes: 1024 },
    { operation: OP_FETCH_ADD, ...source, ...target, swap: 1n },
  ]
  requests.forEach((request, id) => {
    pair.a.post({ id, ...request })
    pair.run(pair.nowPs + 20 * US)
  })
  // Two packets each of the WRITE and the SEND; ACK and response of the READ and of the atomic.
  expect(msns).toEqual([0, 1, 1, 2, 3, 3, 4, 4])
  expect(ended).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
  expect(pair.a.log).toEqual(['0:0', '1:0', '2:0', '3:0'])
})

test('recv_WQE_SN is in every packet of a SEND and the last of a WRITE with immediate, and finds the Receive WQE ([IRN] 5.3.2)', () => {
  const pair = pairOf({ values: { initialCredits: 3 } })
  const from = pair.a.memory(2048)
  from.bytes!.fill(7)
  const to = pair.b.memory(6144)
  for (const id of [0, 1, 2]) pair.b.receive({ id, region: to, address: to.address + 2048 * id, lengthBytes: 2048 })
  const sns: string[] = []
  pair.toB.rule((passage) => {
    const { packet } = passage
    const hasSn = (headersOf(packet.opcode, FORMAT_IRN) & (HAS_SEND_SEQUENCE | HAS_RECEIVE_SN)) !== 0
    if (!isAgain(passage)) sns.push(hasSn ? `${packet.psn}: ${packet.receiveSn}` : `${packet.psn}: none`)
    // The first SEND arrives last.
    if (isAgain(passage)) passage.copies = 0
    else if (packet.psn < 2) passage.latePs = 50 * US
  })
  const source = { region: from, address: from.address }
  const target = { remoteAddress: to.address + 2048, remoteKey: to.key }
  pair.a.post({ id: 0, operation: OP_SEND, ...source, lengthBytes: 2048 })
  pair.a.post({ id: 1, operation: OP_WRITE_IMMEDIATE, ...source, ...target, lengthBytes: 2048 })
  pair.a.post({ id: 2, operation: OP_SEND, ...source, lengthBytes: 1024 })
  pair.run(30 * US)
  // The second SEND is in its own buffer already, the third.
  expect([0, 2047, 4096, 5119, 5120].map((at) => to.bytes![at])).toEqual([0, 0, 7, 7, 0])
  expect(pair.b.receiveLog).toEqual([])
  pair.run()
  expect(sns).toEqual(['0: 0', '1: 0', '2: none', '3: 1', '4: 2'])
  expect(pair.b.receiveLog).toEqual(['0:0', '1:0', '2:0'])
})
