/**
 * RDMA IP CM: what a REQ says about ports and IP addresses, in its service ID and at the start of its private data. Programs of
 * librdmacm connect with it.
 * Source: IBTA annex A11.
 */

/** Bytes of the header, and those after it that are the program's. */
const HEADER_BYTES = 36
export const IP_PRIVATE_BYTES = 56
/** Number of the IP protocol whose ports a service ID stands for. */
export const PORT_SPACE_TCP = 6
const SERVICE_PREFIX = 0x01n

/** A port as a service. */
export interface IpService {
  /** Number of an IP protocol: 6 TCP, 17 UDP. */
  readonly protocol: number
  readonly port: number
}

/** Content of the private data of a REQ. */
export interface IpRequest {
  /** Both of 4, or both of 16 bytes. */
  readonly source: Uint8Array
  readonly destination: Uint8Array
  readonly sourcePort: number
  /** The program's own private data, 56 bytes. */
  readonly user: Uint8Array
}

export function writeIpServiceId({ protocol, port }: IpService): bigint {
  return (SERVICE_PREFIX << 24n) | BigInt((protocol << 16) | port)
}

/** null: the service ID stands for no port. */
export function readIpServiceId(serviceId: bigint): IpService | null {
  if (serviceId >> 24n !== SERVICE_PREFIX) return null
  const low = Number(serviceId & 0xffffffn)
  return { protocol: low >> 16, port: low & 0xffff }
}

/** Private data of a REQ, 92 bytes. */
export function writeIpRequest({ source, destination, sourcePort, user }: IpRequest): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + IP_PRIVATE_BYTES)
  // Version 0.0 of the header, then the version of IP in the upper four bits.
  bytes[1] = source.length === 4 ? 0x40 : 0x60
  bytes[2] = sourcePort >> 8
  bytes[3] = sourcePort & 0xff
  bytes.set(source, 20 - source.length)
  bytes.set(destination, HEADER_BYTES - destination.length)
  bytes.set(user.subarray(0, IP_PRIVATE_BYTES), HEADER_BYTES)
  return bytes
}

/** null: another version, or an IP version that does not exist. */
export function readIpRequest(privateData: Uint8Array): IpRequest | null {
  const versions = new Map([
    [4, 4],
    [6, 16],
  ])
  const addressBytes = versions.get((privateData[1] ?? 0) >> 4)
  if (privateData.length < HEADER_BYTES || privateData[0] !== 0 || addressBytes === undefined) return null
  return {
    source: privateData.slice(20 - addressBytes, 20),
    destination: privateData.slice(HEADER_BYTES - addressBytes, HEADER_BYTES),
    sourcePort: (privateData[2]! << 8) | privateData[3]!,
    user: privateData.slice(HEADER_BYTES),
  }
}
