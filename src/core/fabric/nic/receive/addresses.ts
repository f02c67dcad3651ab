/**
 * HOT. Addresses: where in its host's memory the payload of a data packet lies. Messages name an address of a working set:
 * one after another, or each at a place of its own that is drawn from the host's random stream, a queue pair's number and
 * the message's first PSN, so that a packet which is sent again has the address that it had before.
 * Units: bytes. A message that reaches the end of the working set continues at its start.
 */
import type { QueuePair } from '../../pairs/queue-pair.ts'

export interface AddressOptions {
  /** Bytes that messages address, at least 1. */
  readonly workingSetBytes: number
  /** Each queue pair has a working set of its own. */
  readonly isPerPair: boolean
  readonly isRandom: boolean
  /** 32 bits of the host's random stream. */
  readonly key: number
}

export class Addresses {
  private readonly options: AddressOptions

  constructor(options: AddressOptions) {
    this.options = options
  }

  /** Address of a packet's first byte. @param psn unbounded; at or above the sender's `una` */
  of(pair: QueuePair, psn: number): number {
    const { workingSetBytes, isPerPair, isRandom } = this.options
    const { payloadBytes } = pair.frames
    const regionBytes = isPerPair ? pair.id * workingSetBytes : 0
    if (!isRandom) return regionBytes + ((psn * payloadBytes) % workingSetBytes)
    const firstPsn = pair.sender.firstPsnOf(psn)
    const base = Math.floor((this.draw(pair.id, firstPsn) / 4294967296) * workingSetBytes)
    return regionBytes + ((base + (psn - firstPsn) * payloadBytes) % workingSetBytes)
  }

  /** Uniform 32-bit integer; murmur3's finalizer over the three numbers. */
  private draw(pair: number, psn: number): number {
    let h = this.options.key ^ Math.imul(pair + 1, 0x9e3779b1)
    h = mixed(h) ^ Math.imul(psn | 0, 0x85ebca77) ^ Math.imul((psn / 4294967296) | 0, 0xc2b2ae3d)
    return mixed(h) >>> 0
  }
}

function mixed(word: number): number {
  let h = word ^ (word >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}
