/**
 * Captures of Linux's soft RoCE that the project does not ship, against counts that another program made of them. They are
 * read from a folder beside the checkout, or from the one that ROCELAB_SHARED names. Without it these tests are skipped, with
 * a warning.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodePacket, encodePacket } from '../../verbs/codec.ts'
import { VerbsPacket } from '../../verbs/packet.ts'
import { dissect } from '../dissect.ts'
import type { DissectedRoce } from '../dissected.ts'
import { writeRoceFrame } from '../frame.ts'
import { FORMAT_ROCE } from '../opcodes.ts'
import { roceFrameOf } from '../drawn-frames.test-data.ts'
import { writeRocePacket } from '../roce-packet.ts'
import { CaptureReader } from './capture-reader.ts'
import type { CaptureRecord } from './record.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../../shared')
const FOLDER = path.join(SHARED, 'live/captures')
const missing = !existsSync(FOLDER)
if (missing) console.warn(`captures of soft RoCE: skipped, missing ${FOLDER}`)

interface Direction {
  readonly source: string
  readonly destination: string
  readonly destinationQp: number
  readonly packets: number
  readonly payloadBytes: number
  readonly badIcrc: number
  readonly ectPackets: number
  readonly cePackets: number
}
interface Expected {
  readonly frames: number
  readonly rocePackets: number
  readonly directions: readonly Direction[]
}

const files = missing ? [] : readdirSync(FOLDER).filter((name) => name.endsWith('.pcapng'))
const expected = missing
  ? {}
  : (JSON.parse(readFileSync(path.join(FOLDER, 'expected.json'), 'utf8')) as Record<string, Expected>)

function recordsOf(file: string): CaptureRecord[] {
  const records: CaptureRecord[] = []
  const reader = new CaptureReader((record) => records.push(record))
  reader.push(readFileSync(path.join(FOLDER, file)))
  expect(reader.end()).toMatchObject({ format: 'pcapng', damage: null, recordCount: records.length })
  return records
}

const roceOf = (records: readonly CaptureRecord[]): DissectedRoce[] =>
  records.map(({ bytes, link }) => dissect(bytes, link)).filter((frame) => frame.kind === 'roce')

function addressOf(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const url = new URL(`http://[${Buffer.from(bytes).toString('hex').match(/.{4}/g)!.join(':')}]/`)
  return url.hostname.slice(1, -1)
}

function directionsOf(packets: readonly DissectedRoce[]): Direction[] {
  const directions = new Map<string, DissectedRoce[]>()
  for (const packet of packets) {
    const key = [packet.ip.source, packet.ip.destination, packet.bth.destinationQp].join(' ')
    directions.set(key, [...(directions.get(key) ?? []), packet])
  }
  return [...directions.values()].map((all) => ({
    source: addressOf(all[0]!.ip.source),
    destination: addressOf(all[0]!.ip.destination),
    destinationQp: all[0]!.bth.destinationQp,
    packets: all.length,
    // Management datagrams are counted apart.
    payloadBytes: all.reduce((sum, { bth, payloadBytes }) => sum + (bth.destinationQp === 1 ? 0 : payloadBytes), 0),
    badIcrc: all.filter(({ icrc }) => icrc === 'wrong').length,
    ectPackets: all.filter(({ ip }) => ip.ecn === 1 || ip.ecn === 2).length,
    cePackets: all.filter(({ ip }) => ip.ecn === 3).length,
  }))
}

describe.skipIf(missing)('captures of soft RoCE', () => {
  test('are all there', () => {
    expect(files.toSorted()).toEqual(Object.keys(expected).toSorted())
  })

  test.each(files)('%s: packets, payload, ICRCs and marks of each direction', (file) => {
    const { frames, rocePackets, directions } = expected[file]!
    const records = recordsOf(file)
    const packets = roceOf(records)
    expect([records.length, packets.length]).toEqual([frames, rocePackets])
    expect(packets.filter(({ flaw }) => flaw !== null)).toEqual([])
    const ours = new Map(directionsOf(packets).map((each) => [`${each.source} ${each.destinationQp}`, each]))
    expect(ours.size).toBe(directions.length)
    for (const each of directions) expect(each).toMatchObject(ours.get(`${each.source} ${each.destinationQp}`) ?? {})
  })

  test.each(files)('%s: packets and frames are written again byte for byte', (file) => {
    const records = recordsOf(file)
    const packets = records.flatMap(({ bytes, link }) => {
      const packet = dissect(bytes, link)
      return packet.kind === 'roce' ? [{ bytes, packet }] : []
    })
    expect(packets.length).toBe(expected[file]!.rocePackets)
    for (const { packet } of packets) expect(writeRocePacket(packet)).toEqual(Uint8Array.from(packet.packet))
    for (const { bytes, packet } of packets.filter((each) => each.packet.icrc === 'right'))
      expect(writeRoceFrame(roceFrameOf(packet)!)).toEqual(Uint8Array.from(bytes))
  })

  test.each(files)('%s: queue pairs write the requests and responses of connections with the same bits', (file) => {
    const packet = new VerbsPacket(4096)
    for (const { bth, packet: bytes } of roceOf(recordsOf(file)).filter(({ service }) => service === 'rc')) {
      expect(decodePacket(bytes, bytes.length, FORMAT_ROCE, packet)).toBe(true)
      const written = new Uint8Array(bytes.length)
      expect(encodePacket(packet, FORMAT_ROCE, written, bth)).toBe(bytes.length)
      expect(written).toEqual(Uint8Array.from(bytes))
    }
  })
})
