/** Files without a RoCEv2 packet that is read: each has its reason; those with one have none. */
import { expect, test } from 'vitest'
import { Decoder } from '../decode/index.ts'
import { Script } from '../decode/script.test-data.ts'
import { CaptureReader } from '../../core/wire/index.ts'
import { pcapOf } from '../../../tests/capture/encapsulations.ts'
import { verdictText } from './decoded-text.ts'
import { unreadReasons } from './unread-text.ts'

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const MACS = '020000000002 020000000001'

function decoded(link: number, frames: readonly Uint8Array[]) {
  const decoder = new Decoder()
  const reader = new CaptureReader((record) => decoder.add(record))
  reader.push(pcapOf(link, frames))
  return decoder.end(reader.end())
}

/** TCP over IPv4 from one of two hosts. */
function tcp(from: number, ports: string, payload: Uint8Array): Uint8Array {
  const length = (40 + payload.length).toString(16).padStart(4, '0')
  const head = `${MACS} 0800 4500 ${length} 0000 4000 4006 0000 0a00000${from} 0a00000${3 - from} ${ports} 00000001 00000000 5018 0001 0000 0000`
  return new Uint8Array(Buffer.concat([hex(head), payload]))
}

const text = (line: string): Uint8Array => new TextEncoder().encode(line)
const record = (qp: string): Uint8Array =>
  text(`0000:0080:${qp}:000001:00000001:0000000000001000:${'00:'.repeat(10)}ff:ff:0a:00:00:01:\0`)

test('an exchange of perftest without its packets names its queue pairs', () => {
  const { exchanged, counts } = decoded(1, [
    tcp(1, 'd000 4853', record('000015')),
    tcp(2, '4853 d000', record('000016')),
  ])
  expect([exchanged, counts.tcp]).toEqual([{ program: 'perftest', qps: [0x15, 0x16], hasMore: false }, 2])
})

test.each([
  ['link type 258 (PKTAP)', 258, [new Uint8Array(60)]],
  ['link type 247 (InfiniBand)', 247, [new Uint8Array(60)]],
  ['link type 300,', 300, [new Uint8Array(60)]],
  ['RoCE version 1', 1, [hex(`${MACS} 8915 ${'00'.repeat(60)}`)]],
  ['iWARP on TCP port 7174', 1, [tcp(1, 'd000 1c06', text('MPA ID Req Frame\0\0\0\0'))]],
  ['EtherType 88e5 (MACsec)', 1, [hex(`${MACS} 88e5 ${'00'.repeat(60)}`)]],
  ['IP protocol 50 (ESP)', 1, [hex(`${MACS} 0800 4500 0028 0000 4000 4032 0000 0a000001 0a000002 ${'00'.repeat(40)}`)]],
  ['fragments', 1, [hex(`${MACS} 0800 4500 0028 0000 2000 4011 0000 0a000001 0a000002 ${'00'.repeat(40)}`)]],
  ['1 frame of TCP', 1, [tcp(1, 'd000 0050', text('GET /'))]],
  ['no frame', 1, []],
])('%s is a reason, which the verdict has too', (reason, link, frames) => {
  const file = decoded(link, frames)
  const reasons = unreadReasons(file)
  expect([reasons.length, reasons[0]]).toEqual([1, expect.stringContaining(reason)])
  expect(verdictText(file, [])).toContain(reasons[0])
})

test('packets of RoCEv2, and pauses, are reason enough to say nothing', () => {
  for (const script of [new Script().write(1), new Script().pause(9)])
    expect(unreadReasons(script.decoded())).toEqual([])
})
