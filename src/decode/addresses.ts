/** Addresses as text: IPv4 dotted, IPv6 by RFC 5952. */

export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!)
  let [bestAt, bestLength] = [-1, 1]
  for (let i = 0; i < 8; i++) {
    let length = 0
    while (groups[i + length] === 0) length++
    if (length > bestLength) [bestAt, bestLength] = [i, length]
  }
  const hex = groups.map((group) => group.toString(16))
  if (bestAt < 0) return hex.join(':')
  return `${hex.slice(0, bestAt).join(':')}::${hex.slice(bestAt + bestLength).join(':')}`
}

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
