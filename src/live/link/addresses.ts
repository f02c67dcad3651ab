/** Addresses of IP as bytes, 4 or 16, and as the GIDs of RoCEv2 (IBTA annex A17): IPv4 a.b.c.d is ::ffff:a.b.c.d. */

const IPV4_AT = 12
/** Source port of packets to queue pair 1: any is taken; this is the one that Linux's soft RoCE derives from its number. */
export const MAD_PORT = 0xd872

export function gidOf(ip: Uint8Array): Uint8Array {
  if (ip.length === 16) return ip.slice()
  return Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...ip)
}

export function ipOfGid(gid: Uint8Array): Uint8Array {
  const isIpv4 = gid.subarray(0, IPV4_AT).every((byte, at) => byte === (at < 10 ? 0 : 0xff))
  return isIpv4 ? gid.slice(IPV4_AT) : gid.slice()
}

/** False also where one is of another version, or null. */
export function isSameAddress(one: Uint8Array, other: Uint8Array | null): boolean {
  return other !== null && one.length === other.length && one.every((byte, at) => byte === other[at])
}

/** UDP source port that Linux derives from a flow label of 20 bits (rdma_flow_label_to_udp_sport()). */
export function portOfFlowLabel(label: number): number {
  return 0xc000 | ((label & 0x3fff) ^ (label >> 14))
}

/** Whether a host can have the address, so that it may be answered: no group, not unspecified, not of one's own host. */
export function isHost(ip: Uint8Array): boolean {
  const [first = 0] = ip
  if (ip.length === 4) return first !== 0 && first !== 127 && first < 224
  return first !== 0xff && ip.subarray(0, 15).some((byte) => byte !== 0)
}
