/**
 * HOT. Trimmer: where a switch would drop a data packet, it cuts off the payload; the header goes on through a queue of its
 * own and reports the loss to the receiver.
 * Units: bytes of frames. Invariant: a packet is trimmed only when its header is charged to the buffer.
 * Source: CP (NSDI 2014), NDP (SIGCOMM 2017), Ultra Ethernet 1.0; docs/models/trimming.md.
 */
import { INTS } from '../../base/memory.ts'
import { DATA } from '../../transport/segment.ts'
import { REFUSED, type Buffer } from '../buffer/buffer.ts'
import type { Fabric } from '../fabric.ts'
import { KIND, SIZE } from '../packets.ts'

const ints = INTS

export interface Trimming {
  /** Bit per class of data that is trimmed. */
  readonly classes: number
  /** Size of the frame that is left. */
  readonly sizeBytes: number
  /** Its class, and the codepoint of that class. */
  readonly trafficClass: number
  readonly codepoint: number
  /** Packets that WRED would drop are trimmed too. */
  readonly early: boolean
}

export class Trimmer {
  /** Class of the header that is left. */
  readonly trafficClass: number
  /** Packets that WRED would drop are trimmed too. */
  readonly early: boolean
  private readonly options: Trimming
  private readonly fabric: Fabric
  private readonly buffer: Buffer

  constructor(options: Trimming, fabric: Fabric, buffer: Buffer) {
    this.options = options
    this.trafficClass = options.trafficClass
    this.early = options.early
    this.fabric = fabric
    this.buffer = buffer
  }

  /** Whether a packet of this class may be trimmed: it has payload to be cut off. */
  mayTrim(packet: number, trafficClass: number): boolean {
    const { classes, sizeBytes } = this.options
    return (classes & (1 << trafficClass)) !== 0 && ints[packet | KIND] === DATA && ints[packet | SIZE]! > sizeBytes
  }

  /** Charges the header of a packet that may be trimmed and is not charged, and trims the packet. @returns the buffer's verdict. */
  admit(packet: number, input: number, out: number): number {
    const { sizeBytes, trafficClass, codepoint } = this.options
    const admission = this.buffer.admit(input, trafficClass, out, sizeBytes)
    if (admission !== REFUSED) this.fabric.trim(packet, sizeBytes, codepoint)
    return admission
  }
}
