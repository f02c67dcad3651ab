/** Parsers of addresses on the command line of live commands. */
import { isIPv6 } from 'node:net'
import { readAddress } from '../../../live/drivers/index.ts'

/** An address of IPv4 or IPv6 as 4 or 16 bytes. */
export function ipAddress(input: string): Uint8Array {
  const address = readAddress(input)
  if (address !== null) return address
  throw new Error(`expected an address of IPv4 or IPv6, such as 192.0.2.2, received ${JSON.stringify(input)}`)
}

/** A hardware address of one station as a number. */
export function macAddress(input: string): number {
  const isRight = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(input)
  const mac = parseInt(input.replaceAll(':', ''), 16)
  if (isRight && Math.floor(mac / 2 ** 40) % 2 === 0) return mac
  throw new Error(
    `expected the hardware address of one station, such as 52:54:00:00:00:02, received ${JSON.stringify(input)}`,
  )
}

const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536

/** "LOCAL:REMOTE", two UDP ports. */
export function udpPorts(input: string): readonly [local: number, remote: number] {
  const [, local = '', remote = ''] = /^(\d{1,5}):(\d{1,5})$/.exec(input) ?? []
  const ports = [Number(local), Number(remote)] as const
  if (ports.every(isPort)) return ports
  throw new Error(`expected two UDP ports, such as 7001:7002, received ${JSON.stringify(input)}`)
}

export interface HostAddress {
  readonly host: string
  /** null: not given. */
  readonly port: number | null
  /** 4 or 16 bytes; null: the host is a name. */
  readonly address: Uint8Array | null
}

/** "HOST", "HOST:PORT", "IPV6" or "[IPV6]:PORT". */
export function hostAddress(input: string): HostAddress {
  const [, bracketed, plain, digits] = isIPv6(input)
    ? [input, input]
    : (/^(?:\[([^\]]+)\]|([^:\s]+))(?::(\d{1,5}))?$/.exec(input) ?? [])
  const host = bracketed ?? plain
  const port = digits === undefined ? null : Number(digits)
  if (host !== undefined && (port === null || isPort(port))) return { host, port, address: readAddress(host) }
  throw new Error(`expected HOST or HOST:PORT, such as 127.0.0.1:18515, received ${JSON.stringify(input)}`)
}
