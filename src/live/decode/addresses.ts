/** Addresses of GIDs as text, and kinds of GIDs. */
import { addressText } from '../../core/wire/index.ts'

/** The address in a GID: an IPv4 address is in the last four bytes behind ffff (IBTA annex A17.4). */
export function gidText(gid: Uint8Array): string {
  const isMapped = gid.subarray(0, 10).every((byte) => byte === 0) && gid[10] === 0xff && gid[11] === 0xff
  return addressText(isMapped ? gid.subarray(12) : gid)
}

/** Kind of the GID that belongs to an address, as programs name it. */
export function gidKindOf(address: string): 'IPv4' | 'IPv6' | 'IPv6 link-local' {
  if (!address.includes(':')) return 'IPv4'
  return /^fe[89ab]/.test(address) ? 'IPv6 link-local' : 'IPv6'
}
