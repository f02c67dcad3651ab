/** Payload on a link: sizes of headers alone, without anything measured. */

/** Headers, check sums, preamble and gap of a packet, bytes. Untagged and over IPv4; a tag adds 4, IPv6 20. */
const OVERHEAD_BYTES = { roce: 82, ib: 26 } as const
const TAG_AND_IPV6_BYTES = 24
/** Only the first packet of a WRITE has its header (RETH); a SEND has none. */
const FIRST_BYTES: Readonly<Record<string, number>> = { write: 16, send: 0, read: 8, atomic: 28 }

export interface Wire {
  readonly rateBps: number
  readonly link: 'ib' | 'roce'
  readonly mtuBytes: number
}

/** Time on the link of a message, nanoseconds. */
export function messageNs(
  { rateBps, link, mtuBytes }: Wire,
  sizeBytes: number,
  operation: string,
  isLong = false,
): number {
  const packets = Math.max(1, Math.ceil(sizeBytes / mtuBytes))
  const overhead = OVERHEAD_BYTES[link] + (isLong && link === 'roce' ? TAG_AND_IPV6_BYTES : 0)
  return (8e9 * (sizeBytes + packets * overhead + (FIRST_BYTES[operation] ?? 0))) / rateBps
}

/** Payload that a link carries of messages of a size, bit/s, with the longest and the shortest headers. */
export function payloadBps(wire: Wire, sizeBytes: number, operation: string): readonly [from: number, to: number] {
  const rate = (isLong: boolean): number => (8e9 * sizeBytes) / messageNs(wire, sizeBytes, operation, isLong)
  return [rate(true), rate(false)]
}

/** "8 x 65,536 B in 1,337 ns". */
export const wireForm = ({ rateBps, link, mtuBytes }: Wire): string =>
  `${rateBps / 1e9} Gb/s, MTU ${mtuBytes}, ${OVERHEAD_BYTES[link]} B of headers a packet`
