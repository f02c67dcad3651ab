/**
 * pcapng: capture files of one section, as Wireshark reads them, with Ethernet interfaces.
 * Times are nanoseconds since the start of a simulation, shown as since 1970: Wireshark computes finer ones wrong from 18.4 ms
 * of each second on, where 10^9 times their count exceeds 64 bits. An option of our own has the picoseconds beside them.
 * Source: draft-ietf-opsawg-pcapng.
 */

/** Types of blocks. */
export const BLOCK = {
  section: 0x0a0d0d0a,
  interface: 1,
  oldPacket: 2,
  simplePacket: 3,
  statistics: 5,
  packet: 6,
} as const
export const BYTE_ORDER = 0x1a2b3c4d
const ETHERNET = 1

/** Codes of options; some codes mean another thing in another block. */
export const OPTION = {
  end: 0,
  comment: 1,
  application: 4,
  name: 2,
  speed: 8,
  resolution: 9,
  fcsLength: 13,
  timeOffset: 14,
  flags: 2,
  dropCount: 4,
  received: 4,
  dropped: 5,
  droppedBySystem: 7,
  /** In packets of ours: picoseconds above the time, 2 bytes; codes with the highest bit are for local use. */
  picoseconds: 0x8001,
} as const

/** Decimal places of the times written, and the picoseconds of one of them. */
const NANOSECONDS = 9
const NS_PS = 1000
/** The beginning of the name of the program, in files whose options for local use are ours. */
export const OWN_PROGRAM = 'rocelab '
export const INBOUND = 1
const OUTBOUND = 2
/** The frame's FCS was wrong: a bit of link-layer errors. */
export const CRC_ERROR = 2 ** 24

export interface CaptureInterface {
  readonly name: string
  readonly rateBps: number
  /** Most bytes kept of a frame; 0: all. */
  readonly snapBytes: number
  /** Bytes of FCS at the end of each frame, 0 or 4. */
  readonly fcsBytes: number
  /** Frames seen, and how many of them are not in the file. */
  readonly seen: number
  readonly leftOut: number
}

export interface CapturedFrame {
  /** Index of its interface. */
  readonly port: number
  /** When its first bit was at the port. */
  readonly timePs: number
  readonly direction: 'in' | 'out'
  readonly hasCrcError: boolean
  /** Length on the wire, with the FCS where the interface has it. */
  readonly sizeBytes: number
  /** Its first bytes. */
  readonly bytes: Uint8Array
  /** Empty: none. */
  readonly comment: string
}

export interface Capture {
  /** The program that made it, and a comment on the whole. */
  readonly application: string
  readonly comment: string
  readonly interfaces: readonly CaptureInterface[]
  /** In order of time. */
  readonly frames: readonly CapturedFrame[]
}

/** Bytes of a part of a file, or somewhat more. */
const PART_BYTES = 2 ** 20

/** A capture file. @param count number of frames. @param frameAt the frames, asked for once each in order */
export function writePcapng(
  head: Omit<Capture, 'frames'>,
  count: number,
  frameAt: (index: number) => CapturedFrame,
): Uint8Array {
  const [whole] = pcapngParts(head, count, frameAt, Infinity)
  return whole!.slice()
}

/** The same part by part; a part is valid until the next one is asked for. */
export function* pcapngParts(
  head: Omit<Capture, 'frames'>,
  count: number,
  frameAt: (index: number) => CapturedFrame,
  partBytes: number = PART_BYTES,
): Generator<Uint8Array> {
  const out = new Blocks()
  writeHead(out, head)
  for (let i = 0; i < count; i++) {
    writeFrame(out, frameAt(i))
    if (out.length >= partBytes) yield out.taken()
  }
  head.interfaces.forEach(({ seen, leftOut }, port) => {
    out.begin(BLOCK.statistics)
    out.word(port)
    out.time(0)
    out.long(OPTION.received, seen)
    out.long(OPTION.dropped, leftOut)
    out.end()
  })
  yield out.taken()
}

/** The beginning of a capture file that grows: a whole file at any time, without statistics of its interfaces. */
export function pcapngHead(head: Omit<Capture, 'frames'>): Uint8Array {
  const out = new Blocks()
  writeHead(out, head)
  return out.taken().slice()
}

/** Frames to append to it. */
export function pcapngFrames(frames: readonly CapturedFrame[]): Uint8Array {
  const out = new Blocks()
  for (const frame of frames) writeFrame(out, frame)
  return out.taken().slice()
}

function writeHead(out: Blocks, { application, comment, interfaces }: Omit<Capture, 'frames'>): void {
  out.begin(BLOCK.section)
  out.word(BYTE_ORDER)
  out.word(1)
  // Length of the section: not given.
  out.word(0xffffffff)
  out.word(0xffffffff)
  out.text(OPTION.application, application)
  out.text(OPTION.comment, comment)
  out.end()
  for (const { name, rateBps, snapBytes, fcsBytes } of interfaces) {
    out.begin(BLOCK.interface)
    out.word(ETHERNET)
    out.word(snapBytes)
    out.text(OPTION.name, name)
    out.long(OPTION.speed, rateBps)
    out.option(OPTION.resolution, Uint8Array.of(NANOSECONDS))
    out.option(OPTION.fcsLength, Uint8Array.of(fcsBytes))
    out.end()
  }
}

function writeFrame(out: Blocks, frame: CapturedFrame): void {
  const { bytes, comment } = frame
  out.begin(BLOCK.packet)
  out.word(frame.port)
  out.time(Math.floor(frame.timePs / NS_PS))
  out.word(bytes.length)
  out.word(frame.sizeBytes)
  out.bytes(bytes)
  const direction = frame.direction === 'in' ? INBOUND : OUTBOUND
  out.small(OPTION.flags, 4, direction + (frame.hasCrcError ? CRC_ERROR : 0))
  const restPs = frame.timePs % NS_PS
  if (restPs > 0) out.small(OPTION.picoseconds, 2, restPs)
  if (comment !== '') out.text(OPTION.comment, comment)
  out.end()
}

/** Blocks one after the other, in a buffer that grows. Little-endian. */
class Blocks {
  #data = new Uint8Array(4096)
  #view = new DataView(this.#data.buffer)
  #at = 0
  #start = 0
  #hasOptions = false

  begin(type: number): void {
    this.#start = this.#at
    this.#hasOptions = false
    this.word(type)
    this.word(0)
  }

  word(value: number): void {
    this.#reserve(4)
    this.#view.setUint32(this.#at, value, true)
    this.#at += 4
  }

  time(timeNs: number): void {
    this.word(Math.floor(timeNs / 2 ** 32))
    this.word(timeNs % 2 ** 32)
  }

  /** Bytes, padded with zeros to whole words. */
  bytes(bytes: Uint8Array): void {
    const padded = (bytes.length + 3) & ~3
    this.#reserve(padded)
    this.#data.set(bytes, this.#at)
    this.#data.fill(0, this.#at + bytes.length, this.#at + padded)
    this.#at += padded
  }

  option(code: number, value: Uint8Array): void {
    this.#hasOptions = true
    this.word(code | (value.length << 16))
    this.bytes(value)
  }

  /** An option of at most four bytes. */
  small(code: number, valueBytes: number, value: number): void {
    this.#hasOptions = true
    this.word(code | (valueBytes << 16))
    this.word(value)
  }

  text(code: number, text: string): void {
    this.option(code, new TextEncoder().encode(text))
  }

  long(code: number, value: number): void {
    const bytes = new Uint8Array(8)
    const view = new DataView(bytes.buffer)
    view.setUint32(0, value % 2 ** 32, true)
    view.setUint32(4, Math.floor(value / 2 ** 32), true)
    this.option(code, bytes)
  }

  /** Ends the block: its length stands at both ends. */
  end(): void {
    if (this.#hasOptions) this.word(OPTION.end)
    const length = this.#at + 4 - this.#start
    this.word(length)
    this.#view.setUint32(this.#start + 4, length, true)
  }

  get length(): number {
    return this.#at
  }

  /** All blocks since the last call; valid until the next one begins. */
  taken(): Uint8Array {
    const taken = this.#data.subarray(0, this.#at)
    this.#at = 0
    return taken
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#data.length) return
    const wider = new Uint8Array(Math.max(2 * this.#data.length, this.#at + more))
    wider.set(this.#data)
    this.#data = wider
    this.#view = new DataView(wider.buffer)
  }
}
