/**
 * VLAN of a NIC: it takes frames with a tag, or frames without; and a NIC with a VLAN tags what it sends.
 * Units: bytes of frames.
 */
import { INTS } from '../../base/memory.ts'
import { DROP_VLAN } from '../counters.ts'
import type { Fabric } from '../fabric.ts'
import type { Intake } from '../link/intake.ts'
import type { Port } from '../link/port.ts'
import { NicPackets } from '../nic-packets.ts'
import { CODEPOINT, KIND, PFC } from '../packets.ts'
import { TAGGED, tagged } from './codepoints.ts'

const ints = INTS

/** Drops frames that the NIC of a port does not take. */
export class NicVlan implements Intake {
  private readonly fabric: Fabric
  private readonly isTagged: boolean

  /** @param isTagged it takes frames with a tag; otherwise those without */
  constructor(fabric: Fabric, isTagged: boolean) {
    this.fabric = fabric
    this.isTagged = isTagged
  }

  takes(packet: number, port: Port): boolean {
    if (ints[packet | KIND] === PFC) return false
    const isTagged = (ints[packet | CODEPOINT]! & TAGGED) !== 0
    if (isTagged === this.isTagged) return false
    this.fabric.drop(packet, port.node, DROP_VLAN)
    return true
  }
}

/** Packets of NICs with a VLAN: the tag has the class of the packet's DSCP as its priority. */
export function taggedPackets(fabric: Fabric, classOfDscp: Uint8Array, tagBytes: number): NicPackets {
  return new NicPackets(
    {
      packets: fabric.packets,
      counters: fabric.counters,
      makePacket: (kind, direction, destination, sizeBytes, dscp) =>
        fabric.makePacket(kind, direction, destination, sizeBytes + tagBytes, tagged(dscp, classOfDscp[dscp]!)),
    },
    fabric.telemetry,
  )
}
