/** How hosts of one Ethernet find each other: ARP, neighbour discovery, echo. */
export { ARP, readArp, writeArp } from './arp.ts'
export {
  multicastMac,
  NEIGHBOUR_HOP_LIMIT,
  PROTOCOL_ICMPV6,
  readNeighbour,
  solicitedNode,
  writeNeighbour,
} from './discovery.ts'
export { PROTOCOL_ICMP, readEcho, writeEcho } from './echo.ts'
