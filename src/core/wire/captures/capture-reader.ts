/**
 * Reader of capture files, pcap or pcapng by content, whose bytes come in pieces of any length. A file that is cut off or
 * damaged gives the records before that place.
 */
import { inputError, type InputError } from '../../base/issue.ts'
import { PcapRecords, pcapStart } from './pcap.ts'
import { BLOCK, CRC_ERROR } from './pcapng.ts'
import { PcapngBlocks } from './pcapng-blocks.ts'
import type { CapturingInterface, RawPacket } from './raw-packet.ts'
import { LINK_TYPES } from '../outer/links.ts'
import type { CaptureFacts, CaptureRecord } from './record.ts'
import { UnitReader } from './units.ts'

/** First bytes of files that other programs have packed. */
const PACKED: readonly (readonly [string, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]],
]
const MAGIC_BYTES = 4

type Format = Pick<CaptureFacts, 'format'> & { readonly units: PcapRecords | PcapngBlocks; readonly reader: UnitReader }

export class CaptureReader {
  readonly #onRecord: (record: CaptureRecord, application: string) => void
  /** First bytes of the file, until they say what it is. */
  #head = new Uint8Array(0)
  #format: Format | null = null
  /** Time of the first record since 1970. */
  #startPs: bigint | null = null
  #timePs = 0
  #recordCount = 0
  readonly #unreadable = new Map<number, number>()
  readonly #isLending: boolean

  /**
   * @param onRecord takes a record, and the program that made its section ("" where the file does not say)
   * @param isLending bytes of a record are those of the file, and may change once `onRecord` has returned
   */
  constructor(onRecord: (record: CaptureRecord, application: string) => void, { isLending = false } = {}) {
    this.#onRecord = onRecord
    this.#isLending = isLending
  }

  /** The chunk may be used again afterwards. @throws InputError where the bytes are no capture file */
  push(chunk: Uint8Array): void {
    if (this.#format !== null) return this.#format.reader.push(chunk)
    const bytes = new Uint8Array(this.#head.length + chunk.length)
    bytes.set(this.#head)
    bytes.set(chunk, this.#head.length)
    if (bytes.length < MAGIC_BYTES) this.#head = bytes
    else {
      this.#format = this.#formatOf(bytes)
      this.#format.reader.push(bytes)
    }
  }

  /** @throws InputError where the bytes were no capture file */
  end(): CaptureFacts {
    if (this.#format === null) throw notCapture(this.#head)
    const { format, units, reader } = this.#format
    reader.end()
    const interfaces = units instanceof PcapngBlocks ? units.interfaces : []
    const lost = interfaces.map((each) => each.lost ?? each.lostBetween).filter((count) => count !== null)
    return {
      format,
      interfaces: units instanceof PcapngBlocks ? interfaces.map(({ name }) => name) : [''],
      startNs: this.#startPs === null ? null : this.#startPs / 1000n,
      recordCount: this.#recordCount,
      unreadable: this.#unreadable,
      lostByCapture: lost.length === 0 ? null : lost.reduce((sum, count) => sum + count, 0),
      damage: reader.damage,
    }
  }

  #formatOf(bytes: Uint8Array): Format {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const onPacket = (packet: RawPacket<CapturingInterface>): void => this.#read(packet)
    if (view.getUint32(0) === BLOCK.section) {
      const units = new PcapngBlocks(onPacket)
      return { format: 'pcapng', units, reader: new UnitReader(units) }
    }
    const start = pcapStart(view)
    if (start === null) throw notCapture(bytes)
    const units = new PcapRecords(start, onPacket)
    return { format: 'pcap', units, reader: new UnitReader(units) }
  }

  #read(packet: RawPacket<CapturingInterface>): void {
    const { from, time, restPs, bytes, at, keptBytes, flags } = packet
    const link = LINK_TYPES.get(from.linkType)
    if (link === undefined) {
      this.#unreadable.set(from.linkType, (this.#unreadable.get(from.linkType) ?? 0) + 1)
      return
    }
    if (time !== null) {
      this.#startPs ??= from.clock.sinceEpochPs(time.high, time.low) + BigInt(restPs)
      this.#timePs = from.clock.afterPs(this.#startPs, time.high, time.low) + restPs
    }
    // A packet's own flags say more than its interface.
    const fcsBytes = link === 'ethernet' ? (flags >> 5) & 15 || from.fcsBytes : 0
    const sizeBytes = Math.max(0, Math.max(packet.sizeBytes, keptBytes) - fcsBytes)
    this.#recordCount++
    const end = at + Math.min(keptBytes, sizeBytes)
    const units = this.#format?.units
    this.#onRecord(
      {
        port: from.port,
        link,
        timePs: this.#timePs,
        sizeBytes,
        bytes: this.#isLending ? bytes.subarray(at, end) : bytes.slice(at, end),
        hasCrcError: (flags & CRC_ERROR) !== 0,
        comment: packet.comment,
        rateBps: from.rateBps,
      },
      units instanceof PcapngBlocks ? units.application : '',
    )
  }
}

function notCapture(head: Uint8Array): InputError {
  const packed = PACKED.find(([, magic]) => magic.every((byte, i) => head[i] === byte))
  const received =
    head.length === 0 ? 'no bytes' : packed === undefined ? 'other bytes' : `bytes packed with ${packed[0]}`
  return inputError('', 'a pcap or pcapng file', received, packed === undefined ? '' : 'unpack it first')
}
