/** Drawn RoCEv2 frames of several services in a pcap file: every field that Wireshark finds in them is what dissect() finds. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../src/core/base/random.ts'
import {
  type CaptureFacts,
  CaptureReader,
  type CaptureRecord,
  dissect,
  type DissectedRoce,
} from '../../src/core/wire/index.ts'
import { drawFrame, OPCODES, pcapOf } from '../../src/core/wire/drawn-frames.test-data.ts'
import { dissect as dissectByTshark, TSHARK } from './tshark.ts'

if (TSHARK === undefined)
  console.warn('drawn frames as Wireshark reads them: skipped, there is no tshark on this machine')

const COUNT = 50_000
/** Reliable and unreliable connections, unreliable datagrams, CNP. */
const SHOWN = OPCODES.filter((opcode) => opcode >> 5 !== 5)
const FIELDS = [
  'frame.time_epoch',
  'vlan.priority',
  'vlan.id',
  'ip.dsfield.ecn',
  'ipv6.tclass.ecn',
  'udp.srcport',
  'infiniband.bth.opcode',
  'infiniband.bth.se',
  'infiniband.bth.m',
  'infiniband.bth.padcnt',
  'infiniband.bth.tver',
  'infiniband.bth.p_key',
  'infiniband.bth.destqp',
  'infiniband.bth.a',
  'infiniband.bth.reserved7',
  'infiniband.bth.psn',
  'infiniband.deth.q_key',
  'infiniband.deth.srcqp',
  'infiniband.reth.va',
  'infiniband.reth.r_key',
  'infiniband.reth.dmalen',
  'infiniband.atomiceth.swapdt',
  'infiniband.atomiceth.cmpdt',
  'infiniband.aeth.syndrome',
  'infiniband.aeth.msn',
  'infiniband.atomicacketh.origremdt',
  'infiniband.immdt',
  'infiniband.ieth',
] as const
type Fields = Record<(typeof FIELDS)[number], string>

const hex = (value: number | bigint | undefined, digits: number): string =>
  value === undefined ? '' : `0x${value.toString(16).padStart(digits, '0')}`
const text = (value: number | bigint | boolean | undefined): string =>
  value === undefined ? '' : String(typeof value === 'boolean' ? Number(value) : value)

function fieldsOf({ timePs, bytes }: CaptureRecord): Fields {
  const frame = dissect(bytes, 'ethernet') as DissectedRoce
  const { ethernet, ip, bth, headers } = frame
  const { deth, reth, atomic, aeth } = headers
  return {
    'frame.time_epoch': `${1_700_000_000 + Math.floor(timePs / 1e12)}.${String((timePs % 1e12) / 1e3).padStart(9, '0')}`,
    'vlan.priority': text(ethernet?.tag?.pcp),
    'vlan.id': text(ethernet?.tag?.vid),
    'ip.dsfield.ecn': ip.version === 4 ? text(ip.ecn) : '',
    'ipv6.tclass.ecn': ip.version === 6 ? text(ip.ecn) : '',
    'udp.srcport': text(frame.sourcePort),
    'infiniband.bth.opcode': text(bth.opcode),
    'infiniband.bth.se': text(bth.isSolicited),
    'infiniband.bth.m': text(bth.isMigrated),
    'infiniband.bth.padcnt': text(bth.padBytes),
    'infiniband.bth.tver': text(bth.version),
    'infiniband.bth.p_key': text(bth.partition),
    'infiniband.bth.destqp': hex(bth.destinationQp, 6),
    'infiniband.bth.a': text(bth.isAckRequested),
    'infiniband.bth.reserved7': text(bth.reserved7),
    'infiniband.bth.psn': text(bth.psn),
    'infiniband.deth.q_key': hex(deth?.queueKey, 16),
    'infiniband.deth.srcqp': hex(deth?.sourceQp, 8),
    'infiniband.reth.va': hex(reth?.address ?? atomic?.address, 16),
    'infiniband.reth.r_key': hex(reth?.key ?? atomic?.key, 8),
    'infiniband.reth.dmalen': text(reth?.lengthBytes),
    'infiniband.atomiceth.swapdt': text(atomic?.operand),
    'infiniband.atomiceth.cmpdt': text(atomic?.compare),
    'infiniband.aeth.syndrome': aeth === undefined ? '' : text(((aeth.reserved ?? 0) << 7) | aeth.syndrome),
    'infiniband.aeth.msn': text(aeth?.msn),
    'infiniband.atomicacketh.origremdt': text(headers.original),
    'infiniband.immdt': hex(headers.immediate, 8).slice(2),
    'infiniband.ieth': hex(headers.invalidateKey, 8).slice(2),
  }
}

describe.skipIf(TSHARK === undefined)('drawn frames', () => {
  const records: CaptureRecord[] = []
  let facts: CaptureFacts
  let theirs: Fields[] = []
  beforeAll(() => {
    const random = createRandomStreams(1).stream('frames')
    const frames = Array.from({ length: COUNT }, (_, i) => ({
      seconds: 1_700_000_000 + Math.floor(i / 1000),
      fraction: (i % 1000) * 1_000_001,
      bytes: drawFrame(random, SHOWN).bytes,
    }))
    const file = pcapOf(frames, { magic: 0xa1b23c4d, isLittle: false })
    const reader = new CaptureReader((record) => records.push(record))
    reader.push(file)
    facts = reader.end()
    theirs = dissectByTshark(file, FIELDS)
  }, 120_000)

  test('have all opcodes, and the same fields in Wireshark and here', () => {
    expect(facts).toMatchObject({ format: 'pcap', startNs: 1_700_000_000_000_000_000n, recordCount: COUNT })
    expect(theirs.length).toBe(COUNT)
    const different = records.flatMap((record, i) => {
      const ours = fieldsOf(record)
      return FIELDS.filter((field) => ours[field] !== theirs[i]![field]).map((field) => [
        i,
        field,
        ours['infiniband.bth.opcode'],
        ours[field],
        theirs[i]![field],
      ])
    })
    expect(different.slice(0, 30)).toEqual([])
    expect(new Set(theirs.map((fields) => fields['infiniband.bth.opcode'])).size).toBe(SHOWN.length)
  })
})
