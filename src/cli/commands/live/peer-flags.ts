/** Options of `peer`: their forms, and what they must have in common. */
import { defaultFlag, fileFlag, givenFlag, requiredFlag, valueFlag } from '../../flags.ts'
import type { FlagsOf } from '../../command.ts'
import { InputError, type Issue } from '../../../core/base/issue.ts'
import {
  PINGPONG_PORT,
  PROGRAM_NAMES,
  type ProgramName,
  PROGRAMS,
  RPING_PORT,
  schemesOf,
  type SessionPlan,
} from '../../../live/index.ts'
import { RPING_BYTES, RPING_BYTES_MAX } from '../../../live/cm/rping.ts'
import type { TcpAddress } from '../../../live/drivers/index.ts'
import { addressText } from '../../../core/wire/index.ts'
import { type Parser, wholeNumber, wordOf } from '../../parsers.ts'
import {
  durationMs,
  type HostAddress,
  hostAddress,
  ipAddress,
  macAddress,
  mtuOf,
  schemeFlags,
  schemeNames,
  sizeOf,
  udpPorts,
} from './live-flags.ts'

export const PEER_PROGRAMS = [...PROGRAM_NAMES, 'rping'] as const
export type PeerProgram = (typeof PEER_PROGRAMS)[number]

const MEMORY_BYTES = 4 * 2 ** 20
const RECEIVES = 100

export const peerFlags = {
  link: requiredFlag(
    'LOCAL:REMOTE',
    udpPorts,
    'UDP ports on 127.0.0.1: where frames arrive, and where they are sent to',
  ),
  ip: requiredFlag('ADDRESS', ipAddress, 'Own IPv4 or IPv6 address'),
  mac: valueFlag('MAC', macAddress, 'Own hardware address [default = 52:54:01 and the end of the IP address]'),
  connect: valueFlag(
    'HOST[:PORT]',
    hostAddress,
    'Be the client of this server: its TCP address; for rping its RDMA address',
  ),
  tcp: valueFlag(
    'HOST[:PORT]',
    hostAddress,
    `TCP address to listen at as the server [default = 127.0.0.1:${PINGPONG_PORT}]`,
  ),
  iterations: defaultFlag(
    'N',
    wholeNumber(1, 1e9),
    '1000',
    'Requests of each queue pair, as -n of the programs; pings of an rping client, as its -C',
  ),
  size: valueFlag(
    'SIZE',
    sizeOf,
    'Bytes of a request, as -s; of an rping client, as its -S [default = that of PROGRAM]',
  ),
  pairs: valueFlag('N', wholeNumber(1, 1024), 'Queue pairs, as -q of perftest [default = 1]'),
  mtu: defaultFlag('N', mtuOf, '1024', 'Path MTU, as -m'),
  memory: valueFlag('SIZE', sizeOf, 'Memory of each queue pair for the other end [default = 4MiB]'),
  receives: valueFlag('N', wholeNumber(0, 65_536), `Receives that are kept posted [default = ${RECEIVES}]`),
  dscp: valueFlag('N', wholeNumber(0, 63), 'DSCP of all packets of the queue pairs [default = 0]'),
  ...schemeFlags,
  script: fileFlag('FILE', 'Faults on frames from here (out) and to here (in); - reads standard input'),
  capture: fileFlag('FILE', 'Write all frames as pcapng'),
  for: valueFlag('TIME', durationMs, 'End after TIME, such as 10s'),
  json: givenFlag('Print one JSON object instead of text'),
} as const

export type PeerFlags = FlagsOf<typeof peerFlags>

export const peerAliases = { n: 'iterations', s: 'size', q: 'pairs', m: 'mtu' } as const

export const programName: Parser<PeerProgram> = wordOf(PEER_PROGRAMS)

/** The TCP address of a flag, with the port of the programs where it names none. */
export function tcpOf(address: HostAddress | undefined): TcpAddress {
  const { host, port } = address ?? { host: '127.0.0.1', port: null }
  return { host, port: port ?? PINGPONG_PORT }
}

/** An rping to be run; `target` null: as the server. */
export interface RpingPlan {
  readonly program: 'rping'
  readonly role: 'server' | 'client'
  readonly ip: Uint8Array
  readonly target: { readonly ip: Uint8Array; readonly port: number } | null
  readonly iterations: number
  readonly sizeBytes: number
  readonly mtuBytes: number
}

export type PeerPlan = SessionPlan | RpingPlan

type Wrong = (path: string, expected: string, received: string, hint?: string) => void

/** @param more mistakes that were found elsewhere. @throws InputError with every mistake */
export function planOf(flags: PeerFlags, program: PeerProgram, more: readonly Issue[]): PeerPlan {
  const issues: Issue[] = [...more]
  const wrong: Wrong = (path, expected, received, hint = '') => void issues.push({ path, expected, received, hint })
  const [local, remote] = flags.link
  if (local === remote) wrong('--link', 'two ports that differ', `${local}:${remote}`)
  if (!isHost(flags.ip)) wrong('--ip', 'the address of one host', addressText(flags.ip))
  const plan = program === 'rping' ? rpingPlan(flags, wrong) : sessionPlan(flags, program, wrong)
  if (issues.length > 0) throw new InputError(issues)
  return plan
}

/** Neither a group, nor unspecified. */
function isHost(ip: Uint8Array): boolean {
  const first = ip[0]!
  return ip.some((byte) => byte !== 0) && (ip.length === 4 ? first > 0 && first < 224 : first !== 0xff)
}

function sessionPlan(flags: PeerFlags, program: ProgramName, wrong: Wrong): SessionPlan {
  const { operation, sizeBytes: usualBytes, exchange, behaviour } = PROGRAMS[program]
  const { size: sizeBytes = usualBytes, memory: memoryBytes = MEMORY_BYTES, pairs = 1, receives = RECEIVES } = flags
  if (operation === PROGRAMS.ib_atomic_bw.operation && sizeBytes !== 8)
    wrong('--size', `8 for ${program}`, `${sizeBytes}`)
  // Offsets of short requests go round in a page.
  const neededBytes = Math.max(sizeBytes, 4096)
  if (memoryBytes < neededBytes)
    wrong('--memory', `${neededBytes} bytes or more for requests of ${sizeBytes}`, `${memoryBytes}`)
  if (pairs > 1 && (exchange === 'pingpong' || behaviour !== 'stream')) wrong('--pairs', `1 for ${program}`, `${pairs}`)
  if (flags.connect !== undefined && flags.tcp !== undefined)
    wrong('--tcp', 'nothing beside --connect', flags.tcp.host, 'a client does not listen')
  const { ip, iterations, mtu: mtuBytes, dscp = 0 } = flags
  const role = flags.connect === undefined ? 'server' : 'client'
  const schemes = schemesOf(schemeNames(flags))
  const common = { program, role, ip, pairs, iterations, sizeBytes, mtuBytes, memoryBytes, receives } as const
  return { ...common, trafficClass: dscp << 2, schemes }
}

/** Options that mean nothing to rping. */
const FOREIGN = ['tcp', 'pairs', 'memory', 'receives', 'dscp', 'recovery', 'congestion', 'rate'] as const

function rpingPlan(flags: PeerFlags, wrong: Wrong): RpingPlan {
  for (const name of FOREIGN) if (flags[name] !== undefined) wrong(`--${name}`, 'nothing beside rping', 'a value')
  const { connect, ip, iterations, size: sizeBytes = RPING_BYTES, mtu: mtuBytes } = flags
  if (sizeBytes > RPING_BYTES_MAX) wrong('--size', `at most ${RPING_BYTES_MAX} bytes for rping`, `${sizeBytes}`)
  const role = connect === undefined ? 'server' : 'client'
  const common = { program: 'rping', role, ip, iterations, sizeBytes, mtuBytes } as const
  if (connect === undefined) return { ...common, target: null }
  const { address } = connect
  const example = ip.length === 4 ? '192.0.2.1' : '2001:db8::1'
  if (address?.length !== ip.length)
    wrong('--connect', `an address of the version of --ip, such as ${example}`, connect.host)
  else if (address.every((byte, at) => byte === ip[at])) wrong('--connect', 'another address than --ip', connect.host)
  return { ...common, target: { ip: address ?? ip, port: connect.port ?? RPING_PORT } }
}
