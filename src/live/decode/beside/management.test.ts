/** Stories of connection managers: what was lost, refused, never answered. */
import { describe, expect, test } from 'vitest'
import {
  type AnyConnectionMad,
  PLAIN_BITS,
  readConnectionMad,
  writeConnectionMad,
  writeUdPacket,
  writeRoceFrame,
  writeRocePacket,
} from '../../../core/wire/index.ts'
import { Decoder } from '../decoder.ts'
import { FACTS } from '../script.test-data.ts'

const SECOND = 1e12
/** Attribute of each message in a management datagram. */
const ATTRIBUTES = { REQ: 0x10, REJ: 0x12, REP: 0x13, RTU: 0x14, DREQ: 0x15, DREP: 0x16 }
/** Name, with "b:" if it is of the server, and fields. */
type Message = readonly [string, object?]
type Kind = keyof typeof ATTRIBUTES

/** A message with zeros but for what the story is about. */
function messageOf(kind: Kind, fields: object): Uint8Array {
  const mad = new Uint8Array(256)
  mad.set([1, 7, 2, 3])
  mad[17] = ATTRIBUTES[kind]
  const zeros = readConnectionMad(mad)!
  return writeConnectionMad({ ...zeros, ...fields } as AnyConnectionMad)
}

function datagramOf(kind: Kind, fields: object, psn: number): Uint8Array {
  const payload = messageOf(kind, { transactionId: 9n, ...fields })
  return writeUdPacket({ psn, destinationQp: 1, sourceQp: 1, queueKey: 0x80010000, payload })
}

/** A SEND to queue pair 31. */
function dataOf(fields: object): Uint8Array {
  const rest = { opcode: 4, isAckRequested: true, isSolicited: false, destinationQp: 31, padBytes: 0 }
  const bth = { ...PLAIN_BITS, psn: 0, ...rest, ...fields }
  return writeRocePacket({ bth, headers: {}, payload: new Uint8Array(4) })
}

/** Messages, a second apart; those that begin with "b:" come from the server. */
function decoded(...messages: readonly Message[]) {
  const decoder = new Decoder()
  messages.forEach(([text, fields = {}], i) => {
    const isBack = text.startsWith('b:')
    const [a, b] = [Uint8Array.of(10, 0, 0, 1), Uint8Array.of(10, 0, 0, 2)]
    const packet = text === 'data' ? dataOf(fields) : datagramOf(text.replace('b:', '') as Kind, fields, i)
    const ends = isBack ? { source: b, destination: a } : { source: a, destination: b }
    const rest = { dscp: 26, ecn: 2, hopLimit: 64, protocol: 17, identification: i, isUnfragmented: true }
    const ip = { version: 4 as const, ...ends, ...rest }
    const ports = { sourcePort: 50_000, destinationPort: 4791, hasChecksum: false }
    const bytes = writeRoceFrame({ link: { source: 1, destination: 2, tag: null }, ip, ...ports, packet })
    const record = { port: 0, link: 'ethernet' as const, timePs: i * SECOND, sizeBytes: bytes.length, bytes }
    decoder.add({ ...record, hasCrcError: false, comment: '' })
  })
  return decoder.end(FACTS)
}

const idsOf = (...messages: readonly Message[]): string[] =>
  decoded(...messages).findings.map(({ id }) => id.replace('capture-cm-', ''))

describe('a connection manager', () => {
  test('that is answered has no findings', () => {
    expect(
      idsOf(['REQ'], ['b:REP'], ['RTU'], ['DREQ', { transactionId: 10n }], ['b:DREP', { transactionId: 10n }]),
    ).toEqual([])
  })

  test.each([
    ['a REQ again', [['REQ'], ['REQ'], ['b:REP'], ['RTU']], ['repeated']],
    ['a REP again before RTU', [['REQ'], ['b:REP'], ['b:REP'], ['RTU']], ['repeated']],
    ['a REP again after RTU', [['REQ'], ['b:REP'], ['RTU'], ['b:REP'], ['RTU']], ['ready-lost']],
    ['a REQ without an answer', [['REQ']], ['unanswered']],
    ['a DREQ without an answer', [['DREQ']], ['unanswered']],
  ] as const)('%s', (_name, messages, found) => {
    expect(idsOf(...messages)).toEqual(found)
  })

  test('a rejection has its reason in words, and names the connection that was not to be', () => {
    const asked = { serviceId: 0x0106_1c06n, qp: 28 }
    const [one] = decoded(['REQ', asked], ['b:REJ', { reason: 8, rejected: 0 }]).findings
    expect(one!.values).toMatchObject({ message: 'REQ', reason: 8, by: '10.0.0.2', qp: 28, port: 7174 })
    expect(one!.subject.device).toBe('10.0.0.1 to 10.0.0.2')
    expect(one!.values['words']).not.toBe('')
  })

  test('that connects the same queue pairs again begins a new connection, and a REP again does not', () => {
    const data = (psn: number): Message => ['data', { psn }]
    const first: readonly Message[] = [['REQ', { qp: 30 }], ['b:REP', { qp: 31 }], ['RTU'], data(1), data(2)]
    const again: readonly Message[] = first.map(([name, fields = {}]) => [name, { ...fields, transactionId: 10n }])
    const connectionsOf = (...messages: readonly Message[]): number[] =>
      decoded(...messages)
        .connections.filter(({ service }) => service === 'rc')
        .map(({ directions: [one] }) => one!.packets)
    expect(connectionsOf(...first, ...again)).toEqual([2, 2])
    expect(decoded(...first, ...again).findings).toEqual([])
    expect(connectionsOf(...first, ['b:REP', { qp: 31 }], ...first.slice(3))).toEqual([4])
  })
})
