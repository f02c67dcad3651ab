/** Options of live commands: addresses, sizes, MTUs and times, loss recovery and congestion control. */
import { isIPv6 } from 'node:net'
import { parseQuantity } from '../../../core/base/units.ts'
import { readAddress } from '../../../live/drivers/index.ts'
import type { SchemeNames } from '../../../live/index.ts'
import { LIVE_DEFAULTS } from '../../../core/verbs/index.ts'
import type { FlagsOf } from '../../command.ts'
import { valueFlag } from '../../flags.ts'
import { anyText, type Parser, parser, quantity, wordOf } from '../../parsers.ts'

/** An address of IPv4 or IPv6 as 4 or 16 bytes. */
export const ipAddress: Parser<Uint8Array> = parser(
  'an address of IPv4 or IPv6, such as 192.0.2.2',
  (input) => readAddress(input) ?? undefined,
)

/** A hardware address of one station as a number. */
export const macAddress: Parser<number> = parser(
  'the hardware address of one station, such as 52:54:00:00:00:02',
  (input) => {
    const isRight = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(input)
    const mac = parseInt(input.replaceAll(':', ''), 16)
    return isRight && Math.floor(mac / 2 ** 40) % 2 === 0 ? mac : undefined
  },
)

const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536

/** "LOCAL:REMOTE", two UDP ports. */
export const udpPorts: Parser<readonly [local: number, remote: number]> = parser(
  'two UDP ports, such as 7001:7002',
  (input) => {
    const [, local = '', remote = ''] = /^(\d{1,5}):(\d{1,5})$/.exec(input) ?? []
    const ports = [Number(local), Number(remote)] as const
    return ports.every(isPort) ? ports : undefined
  },
)

export interface HostAddress {
  readonly host: string
  /** null: not given. */
  readonly port: number | null
  /** 4 or 16 bytes; null: the host is a name. */
  readonly address: Uint8Array | null
}

/** "HOST", "HOST:PORT", "IPV6" or "[IPV6]:PORT". */
export const hostAddress: Parser<HostAddress> = parser('HOST or HOST:PORT, such as 127.0.0.1:18515', (input) => {
  const [, bracketed, plain, digits] = isIPv6(input)
    ? [input, input]
    : (/^(?:\[([^\]]+)\]|([^:\s]+))(?::(\d{1,5}))?$/.exec(input) ?? [])
  const host = bracketed ?? plain
  const port = digits === undefined ? null : Number(digits)
  if (host === undefined || (port !== null && !isPort(port))) return undefined
  return { host, port, address: readAddress(host) }
})

const mtuText = wordOf(['256', '512', '1024', '2048', '4096'])
export const mtuOf = (input: string): number => Number(mtuText(input))

/** Bytes of a request or of memory. */
export const sizeOf: Parser<number> = parser('a size from 1 to 1GiB, such as 65536 or 4MiB', (input) => {
  const bytes = /^\d{1,10}$/.test(input) ? Number(input) : parseQuantity('size', input)
  return bytes !== undefined && bytes >= 1 && bytes <= 2 ** 30 ? bytes : undefined
})

/** Milliseconds. */
export const durationMs: Parser<number> = parser('a duration such as 10s', (input) => {
  const durationPs = parseQuantity('duration', input) ?? 0
  return durationPs > 0 ? Math.ceil(durationPs / 1e9) : undefined
})

export function recoveryFlag(brief: string) {
  return valueFlag('NAME', anyText, `${brief} [default = go-back-n]`)
}

export const schemeFlags = {
  recovery: recoveryFlag('Loss recovery at both ends, such as improved-gbn or irn'),
  congestion: valueFlag('NAME', anyText, 'Congestion control at both ends, such as dcqcn [default = none]'),
  rate: valueFlag(
    'RATE',
    quantity('rate', Number.MIN_VALUE, 1e13, 'a rate such as 1Gbps'),
    'Most that is sent [default = 10Gbps]',
  ),
}

export function schemeNames({ recovery, congestion, rate }: FlagsOf<typeof schemeFlags>): SchemeNames {
  const { schemes } = LIVE_DEFAULTS
  return {
    recovery: recovery ?? 'go-back-n',
    congestion: congestion ?? schemes.congestion.kind,
    rateBps: rate ?? schemes.lineRateBps,
  }
}
