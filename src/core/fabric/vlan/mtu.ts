/**
 * MTU of a port: longer frames are dropped on arrival, as a real port does, which counts them as oversize.
 * Units: bytes.
 */
import { INTS } from '../../base/memory.ts'
import { DROP_MTU } from '../counters.ts'
import type { Fabric } from '../fabric.ts'
import type { Intake } from '../link/intake.ts'
import type { Port } from '../link/port.ts'
import { CODEPOINT, KIND, PFC, SIZE } from '../packets.ts'
import { TAGGED } from './codepoints.ts'

const ints = INTS

/** Ethernet header and FCS. */
export const ETHERNET_BYTES = 18

export class Mtu implements Intake {
  private readonly fabric: Fabric
  /** Longest frame without a tag. */
  private readonly frameBytes: number
  private readonly tagBytes: number

  /** @param mtuBytes longest packet: the frame without Ethernet header, FCS and tag */
  constructor(fabric: Fabric, mtuBytes: number, tagBytes: number) {
    this.fabric = fabric
    this.frameBytes = mtuBytes + ETHERNET_BYTES
    this.tagBytes = tagBytes
  }

  takes(packet: number, port: Port): boolean {
    if (ints[packet | KIND] === PFC) return false
    const isTagged = (ints[packet | CODEPOINT]! & TAGGED) !== 0
    if (ints[packet | SIZE]! <= this.frameBytes + (isTagged ? this.tagBytes : 0)) return false
    this.fabric.drop(packet, port.node, DROP_MTU)
    return true
  }
}
