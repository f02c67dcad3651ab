/**
 * Copies: the same packet once more, at another interface of the capture or at the same one, known by its ICRC, PSN and queue
 * pair within 10 ms. Where the capture cut the ICRC, the identification of IPv4 takes its place.
 */
import type { Direction } from '../flows/direction.ts'
import type { Packet } from '../packet.ts'
import { Sightings } from './sightings.ts'

/** Packets that are remembered by interface; a power of two. */
const HERE = 2 ** 16
/** Bits of PSN and queue pair beside the 32 of the ICRC. */
const REST_BITS = 21
const WITHIN_PS = 10e9

export type Copy = 'first' | 'copy' | 'marked' | 'doubled'

export class Copies {
  /** null: there is one interface. */
  #seen: Sightings | null = null
  #firstPort: number | null = null
  /** The latest packets of each interface, by their keys. */
  readonly #here = {
    keys: new Float64Array(HERE).fill(-1),
    timesPs: new Float64Array(HERE),
    ports: new Uint32Array(HERE),
    isMarked: new Uint8Array(HERE),
  }
  /** Copies at other interfaces. */
  joined = 0

  /** `marked`: a copy at another interface that is marked CE, as the first to be so; `doubled`: at the same interface. */
  /** @param direction null: it has no packet yet */
  look(packet: Packet, direction: Direction | null): Copy {
    const { record, roce, timePs } = packet
    const { port } = record
    this.#firstPort ??= port
    const key = keyOf(packet)
    if (key === null) return 'first'
    const isMarked = roce.ip.ecn === 3
    if (this.#seen === null && port !== this.#firstPort) this.#seen = this.#remembered()
    if (this.#isDoubled(packet, key, isMarked, direction)) return 'doubled'
    if (this.#seen === null) return 'first'
    const seen = this.#seen.look(key, timePs, port, isMarked)
    if (seen !== 'first') this.joined++
    return seen
  }

  #isDoubled(
    { record: { port }, timePs, psn, opcode }: Packet,
    key: number,
    isMarked: boolean,
    direction: Direction | null,
  ) {
    const { keys, timesPs, ports, isMarked: marks } = this.#here
    const at = (Math.floor(key / 2 ** REST_BITS) ^ Math.imul(key % 2 ** REST_BITS, 0x9e3779b1) ^ port) & (HERE - 1)
    const sincePs = keys[at] === key && ports[at] === port ? timePs - timesPs[at]! : Infinity
    if (sincePs <= WITHIN_PS && direction?.isDoubled(psn, opcode, sincePs) === true) return true
    keys[at] = key
    timesPs[at] = timePs
    ports[at] = port
    marks[at] = isMarked ? 1 : 0
    return false
  }

  #remembered(): Sightings {
    const seen = new Sightings()
    const { keys, timesPs, ports, isMarked } = this.#here
    for (const [at, key] of keys.entries()) if (key >= 0) seen.look(key, timesPs[at]!, ports[at]!, isMarked[at] === 1)
    return seen
  }
}

/** null: the packet has neither ICRC nor identification. */
function keyOf({ roce, record: { bytes }, psn, opcode }: Packet): number | null {
  const rest = (psn ^ Math.imul(roce.bth.destinationQp, 2053)) & (2 ** REST_BITS - 1)
  if (roce.icrc === 'cut') {
    const { ip } = roce
    if (ip.version === 6 || ip.identification === 0) return null
    return (ip.identification * 2 ** 16 + ((ip.source[3]! << 8) | opcode)) * 2 ** REST_BITS + rest
  }
  if (roce.packet.buffer !== bytes.buffer) return null
  const at = roce.packet.byteOffset - bytes.byteOffset + roce.packet.length
  const icrc = ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  return icrc * 2 ** REST_BITS + rest
}
