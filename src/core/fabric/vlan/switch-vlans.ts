/**
 * VLANs of a switch: which frames its ports take, and the tag with which each leaves. An intake of all ports of one switch.
 * A frame is classified by the tag that it came with. Where it leaves with another, that is written before its buffer is
 * charged, so that the bytes which are stored and sent are those of the frame that leaves.
 * A bridged frame keeps its priority from tag to tag. A routed frame does not: its tag belongs to the subnet that it came
 * from, and no standard carries the PCP over ([MS-Scale] section 3). A new tag has priority 0.
 * Units: bytes of frames.
 */
import { INTS } from '../../base/memory.ts'
import { DROP_NO_ROUTE, DROP_VLAN } from '../counters.ts'
import type { Fabric } from '../fabric.ts'
import type { Intake } from '../link/intake.ts'
import type { Port } from '../link/port.ts'
import { CODEPOINT, KIND, PFC, SIZE } from '../packets.ts'
import { pcpOf, TAGGED, tagged, untagged } from './codepoints.ts'

const ints = INTS

/** Frames of one port. */
export interface PortVlan {
  readonly takesTagged: boolean
  readonly takesUntagged: boolean
  readonly sendsTagged: boolean
  /** A host is at the other end. */
  readonly isHost: boolean
}

export class SwitchVlans implements Intake {
  /** It takes every frame but those of PFC. */
  readonly isLast = true
  private readonly fabric: Fabric
  /** By local index; 0 unused. */
  private readonly ports: readonly PortVlan[]
  private readonly routes: boolean
  private readonly tagBytes: number

  /** @param routes the switch routes between subnets */
  constructor(fabric: Fabric, ports: readonly PortVlan[], routes: boolean, tagBytes: number) {
    this.fabric = fabric
    this.ports = ports
    this.routes = routes
    this.tagBytes = tagBytes
  }

  takes(packet: number, port: Port): boolean {
    // A PFC frame has no tag and belongs to the link.
    if (ints[packet | KIND] === PFC) return false
    const at = port.at!
    const input = this.ports[port.index]!
    const codepoint = ints[packet | CODEPOINT]!
    const isTagged = (codepoint & TAGGED) !== 0
    if (!(isTagged ? input.takesTagged : input.takesUntagged)) {
      this.fabric.drop(packet, at.node, DROP_VLAN)
      return true
    }
    const trafficClass = at.trafficClassOf(packet)
    const out = at.pathOf(packet)
    if (out < 0) {
      this.fabric.drop(packet, at.node, DROP_NO_ROUTE)
      return true
    }
    const output = this.ports[out]!
    const isRouted = this.routes && !(input.isHost && output.isHost)
    ints[packet | CODEPOINT] = output.sendsTagged
      ? tagged(codepoint, isRouted ? 0 : pcpOf(codepoint))
      : untagged(codepoint)
    ints[packet | SIZE]! += (output.sendsTagged ? this.tagBytes : 0) - (isTagged ? this.tagBytes : 0)
    at.take(packet, port.index, trafficClass, out)
    return true
  }
}
