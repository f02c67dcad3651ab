/**
 * Captures of runs under several schemes, as Wireshark reads them: no frame is malformed, every checksum is right, and the
 * fields are those that our own reader finds. IRN's extensions, which Wireshark takes for payload, are read by ours alone.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Result } from '../../src/core/results/index.ts'
import { type Capture, readFrame } from '../../src/core/wire/index.ts'
import { readPcapng } from '../../src/core/wire/captures/pcapng-reader.test-data.ts'
import { readBth } from '../../src/core/wire/bth.ts'
import {
  FORMAT_ROCE,
  HAS_AETH,
  HAS_ATOMIC_ETH,
  HAS_IETH,
  HAS_IMMEDIATE,
  HAS_RETH,
  headersOf,
} from '../../src/core/wire/opcodes.ts'
import { opcodeName } from '../../src/core/wire/opcode-names.ts'
import { readHeaders } from '../../src/core/wire/rc-headers.ts'
import { readTcp } from '../../src/core/wire/tcp.test-data.ts'
import { VerbsPacket } from '../../src/core/verbs/packet.ts'
import { rowsOf, runCaptured, RUNS } from './runs.ts'
import { dissect, TSHARK } from './tshark.ts'

if (TSHARK === undefined) console.warn('captures as Wireshark reads them: skipped, there is no tshark on this machine')

const FIELDS = [
  '_ws.malformed',
  'ip.checksum.status',
  'eth.fcs.status',
  'tcp.checksum.status',
  'frame.len',
  'frame.time_epoch',
  'frame.interface_name',
  'frame.packet_flags_direction',
  'frame.comment',
  'eth.src',
  'eth.dst',
  'vlan.priority',
  'ip.src',
  'ip.dst',
  'ip.dsfield.dscp',
  'ip.dsfield.ecn',
  'ip.id',
  'udp.srcport',
  'udp.dstport',
  'infiniband.bth.opcode',
  'infiniband.bth.psn',
  'infiniband.bth.destqp',
  'infiniband.bth.a',
  'infiniband.aeth.syndrome',
  'infiniband.aeth.msn',
  'infiniband.reth.va',
  'infiniband.reth.r_key',
  'infiniband.reth.dmalen',
  'infiniband.atomiceth.swapdt',
  'infiniband.atomiceth.cmpdt',
  'infiniband.immdt',
  'infiniband.ieth',
  'infiniband.invariant.crc',
  'tcp.seq_raw',
  'tcp.ack_raw',
  'tcp.len',
  'macc.opcode',
  'macc.cbfc.enbv',
  'macc.cbfc.pause_time.c3',
] as const
const CNP_OPCODE = 129
type Fields = Partial<Record<(typeof FIELDS)[number], string>>

/** The address as tshark writes it. */
const macOf = (address: number): string => address.toString(16).padStart(12, '0').match(/../g)!.join(':')
const hex = (value: number, digits: number): string => `0x${value.toString(16).padStart(digits, '0')}`

/** A number of 64 bits. */
const operand = (high: number, low: number): string => String(BigInt(high) * 2n ** 32n + BigInt(low))

/** Fields that our reader finds in a frame, as tshark prints them. */
function fieldsOf(bytes: Uint8Array): Fields {
  const frame = readFrame(bytes)!
  switch (frame.kind) {
    case 'mac-control': {
      const { control } = frame
      if (control.kind !== 'pfc') throw new Error('not PFC')
      return {
        'macc.opcode': '0x0101',
        'macc.cbfc.enbv': hex(control.vector, 4),
        'macc.cbfc.pause_time.c3': String(control.quanta[3]),
        'eth.src': macOf(control.source),
      }
    }
    case 'roce': {
      const view = new DataView(frame.packet.buffer)
      const bth = readBth(view, 0)!
      const headers = new VerbsPacket(0)
      const isKnown = readHeaders(view, 0, FORMAT_ROCE, headers) >= 0
      const has = (bit: number): boolean => isKnown && (headersOf(bth.opcode, FORMAT_ROCE) & bit) !== 0
      return {
        ...networkFields(frame),
        'udp.srcport': String(frame.sourcePort),
        'udp.dstport': String(frame.destinationPort),
        'infiniband.bth.opcode': String(bth.opcode),
        'infiniband.bth.psn': String(bth.psn),
        'infiniband.bth.destqp': hex(bth.destinationQp, 6),
        'infiniband.bth.a': bth.isAckRequested ? '1' : '0',
        'infiniband.aeth.syndrome': has(HAS_AETH) ? String(headers.syndrome) : '',
        'infiniband.aeth.msn': has(HAS_AETH) ? String(headers.msn) : '',
        'infiniband.reth.va': has(HAS_RETH | HAS_ATOMIC_ETH) ? hex(headers.virtualAddress, 16) : '',
        'infiniband.reth.r_key': has(HAS_RETH | HAS_ATOMIC_ETH) ? hex(headers.key, 8) : '',
        'infiniband.reth.dmalen': has(HAS_RETH) ? String(headers.lengthBytes) : '',
        'infiniband.atomiceth.swapdt': has(HAS_ATOMIC_ETH) ? operand(headers.swapHigh, headers.swapLow) : '',
        'infiniband.atomiceth.cmpdt': has(HAS_ATOMIC_ETH) ? operand(headers.compareHigh, headers.compareLow) : '',
        'infiniband.immdt': has(HAS_IMMEDIATE) ? hex(headers.immediate, 8).slice(2) : '',
        'infiniband.ieth': has(HAS_IETH) ? hex(headers.invalidateKey, 8).slice(2) : '',
        // Wireshark shows the bytes as a big-endian number; those of a CNP it does not show.
        'infiniband.invariant.crc':
          bth.opcode === CNP_OPCODE ? '' : hex(Buffer.from(Uint32Array.of(frame.icrc).buffer).readUInt32BE(), 8),
      }
    }
    case 'ip': {
      const segment = readTcp(frame.content)!
      return {
        ...networkFields(frame),
        'tcp.seq_raw': String(segment.sequence),
        'tcp.ack_raw': String(segment.acknowledgement),
        'tcp.len': String(segment.payload.length),
      }
    }
    default:
      throw new Error('a frame of another kind')
  }
}

function networkFields({ link, ip }: Extract<ReturnType<typeof readFrame>, { kind: 'roce' | 'ip' }>): Fields {
  if (ip.version !== 4) throw new Error('the simulation has IPv4 only')
  return {
    'eth.src': macOf(link.source),
    'eth.dst': macOf(link.destination),
    'vlan.priority': link.tag === null ? '' : String(link.tag.pcp),
    'ip.src': ip.source.join('.'),
    'ip.dst': ip.destination.join('.'),
    'ip.dsfield.dscp': String(ip.dscp),
    'ip.dsfield.ecn': String(ip.ecn),
    'ip.id': hex(ip.identification, 4),
  }
}

const countIn = (values: Iterable<string>, wanted: RegExp): number =>
  [...values].filter((text) => wanted.test(text)).length

describe.skipIf(TSHARK === undefined)('Wireshark', () => {
  describe.each(RUNS)('and our reader: $name', (captured) => {
    let result: Result
    let capture: Capture
    let rows: ReturnType<typeof rowsOf>
    let seen: ReturnType<typeof dissect<(typeof FIELDS)[number]>>
    beforeAll(() => {
      result = runCaptured(captured, ', fcs: true')
      const { data } = result.attachments![0]!
      capture = readPcapng(data)
      rows = rowsOf(result)
      seen = dissect(data, FIELDS)
    })

    test('see the same number of frames, and none that is malformed or has a wrong checksum', () => {
      expect(seen.length).toBeGreaterThan(100)
      expect([capture.frames.length, rows.length]).toEqual([seen.length, seen.length])
      // 1: right; frames of MAC control have no IP header.
      const bad = seen.filter(
        (frame, i) =>
          frame['_ws.malformed'] !== '' ||
          frame['ip.checksum.status'] === '0' ||
          frame['tcp.checksum.status'] === '0' ||
          (frame['eth.fcs.status'] !== '1') !== capture.frames[i]!.hasCrcError,
      )
      expect(bad).toEqual([])
    })

    test('find the same fields in every frame', () => {
      const ours = capture.frames.map(({ bytes }, i) => {
        const { 'infiniband.invariant.crc': icrc, ...fields } = fieldsOf(bytes.subarray(0, -4))
        const isShown = captured.isStandard || seen[i]!['infiniband.invariant.crc'] !== ''
        return isShown && icrc !== undefined ? { ...fields, 'infiniband.invariant.crc': icrc } : fields
      })
      const theirs = seen.map((frame, i) =>
        Object.fromEntries(Object.keys(ours[i]!).map((key) => [key, frame[key as keyof Fields]])),
      )
      expect(theirs).toEqual(ours)
      const icrcs = capture.frames.map(({ bytes }) => readFrame(bytes.subarray(0, -4))!)
      expect(icrcs.filter((frame) => frame.kind === 'roce' && !frame.isIcrcRight)).toEqual([])
    })

    test("find the observer's ports, times, directions, kinds, PSNs, sizes and comments", () => {
      const wanted = rows.map((row) => ({
        port: `${row.nodeName} port ${row.port}`,
        time: `${Math.floor(row.timePs / 1e12)}.${String(Math.floor(row.timePs / 1000) % 1e9).padStart(9, '0')}`,
        direction: row.direction === 'in' ? '0x00000001' : '0x00000002',
        length: String(row.encodedBytes),
        comment: row.comment,
      }))
      const got = seen.map((frame) => ({
        port: frame['frame.interface_name'],
        time: frame['frame.time_epoch'],
        direction: frame['frame.packet_flags_direction'],
        length: frame['frame.len'],
        comment: frame['frame.comment'],
      }))
      expect(got).toEqual(wanted)
      const withPsn = rows
        .map(({ kind, psn }, i) => [kind, psn, seen[i]!] as const)
        .filter(([, , frame]) => frame['infiniband.bth.opcode'] !== '')
      expect(withPsn.map(([, , frame]) => Number(frame['infiniband.bth.psn']))).toEqual(withPsn.map(([, psn]) => psn))
      expect(withPsn.map(([, , frame]) => opcodeName(Number(frame['infiniband.bth.opcode'])))).toEqual(
        withPsn.map(([kind]) => kind.replace(/ (?:RNR )?NAK$/, '')),
      )
    })

    test('show what the counters of the run count', () => {
      const { counters } = result
      const sent = rows.filter(({ direction }) => direction === 'out')
      const arrived = rows.length - sent.length
      const lost = countIn(
        rows.map(({ comment }) => comment),
        /lost on the link/,
      )
      const damaged = capture.frames.filter(({ hasCrcError }) => hasCrcError).length
      // A damaged frame arrives, and is lost on the link for its sender.
      expect(arrived + lost - damaged).toBe(counters.packetHops)
      expect(
        countIn(
          sent.map(({ kind }) => kind),
          /^PFC$/,
        ),
      ).toBe(counters.pauseFrames + counters.resumeFrames)
      expect(
        countIn(
          sent.map(({ comment }) => comment),
          /ECN-marked/,
        ),
      ).toBe(counters.ecnMarks)
      const hosts = sent.filter(({ nodeName }) => nodeName.startsWith('host'))
      expect(
        countIn(
          hosts.map(({ kind }) => kind),
          /^CNP$/,
        ),
      ).toBe(counters.cnps)
      const drops = Object.values(counters.drops).reduce((sum, count) => sum + count, 0)
      expect(
        countIn(
          rows.map(({ comment }) => comment),
          /dropped here/,
        ) -
          damaged +
          lost,
      ).toBe(drops)
    })
  })
})
