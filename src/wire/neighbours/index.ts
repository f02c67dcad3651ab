/** How hosts of one Ethernet find each other: ARP, neighbour discovery, echo. */
export { ARP, type ArpMessage, readArp, writeArp } from './arp.ts'
export {
  multicastMac,
  NEIGHBOUR_HOP_LIMIT,
  type NeighbourMessage,
  PROTOCOL_ICMPV6,
  readNeighbour,
  solicitedNode,
  writeNeighbour,
} from './discovery.ts'
export { type EchoMessage, PROTOCOL_ICMP, readEcho, writeEcho } from './echo.ts'
