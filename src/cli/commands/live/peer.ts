/**
 * peer PROGRAM: stands in for one end of ibv_rc_pingpong or of a test of perftest, opposite the unmodified program.
 */
import { randomBytes, randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import { buildCommand } from '@stricli/core'
import { inputError } from '../../../base/issue.ts'
import { parseQuantity } from '../../../base/units.ts'
import { VERSION } from '../../../base/version.ts'
import { DatagramLink } from '../../../live/drivers/datagram-link.ts'
import { runSession } from '../../../live/drivers/run-session.ts'
import { acceptOne, connectTo, type TcpAddress } from '../../../live/drivers/stream.ts'
import {
  LiveEndpoint,
  PINGPONG_PORT,
  PROGRAM_NAMES,
  type ProgramName,
  PROGRAMS,
  Session,
  type SessionFailure,
  type SessionPlan,
} from '../../../live/peer/index.ts'
import { exactCount, humanDuration } from '../../../report/index.ts'
import { STATUS_NAMES } from '../../../verbs/index.ts'
import type { Context } from '../../context.ts'
import { EXIT_BUG, EXIT_INPUT, Failure, guarded } from '../../failure.ts'
import { givenFlag } from '../../flags.ts'
import { watchInterruption } from '../../interruption.ts'
import { wholeNumber } from '../../parsers.ts'
import { addressText, ipAddress, macAddress, tcpAddress, udpPorts } from './addresses.ts'

interface PeerFlags {
  readonly link: readonly [local: number, remote: number]
  readonly ip: Uint8Array
  readonly mac?: number
  readonly connect?: TcpAddress
  readonly tcp: TcpAddress
  readonly iterations: number
  readonly size?: number
  readonly pairs: number
  readonly mtu: number
  readonly memory: number
  readonly receives: number
  readonly json?: boolean
}

const MTUS = ['256', '512', '1024', '2048', '4096']

export const peerCommand = buildCommand<PeerFlags, [ProgramName], Context>({
  docs: {
    brief: 'Be the other end of ibv_rc_pingpong or perftest, with real RoCEv2 packets',
    fullDescription: [
      'Stands in for one end of PROGRAM, opposite the unmodified program on a machine or guest with a RoCE device.',
      'Without --connect it is the server, as the programs are without a host; with --connect it is the client.',
      'Frames go through UDP datagrams on 127.0.0.1, one Ethernet frame each, as -netdev dgram of QEMU has them.',
      `PROGRAM: ${PROGRAM_NAMES.join(', ')}.`,
      '',
      'Exit code 0: the program ran to its end; 1: it did not; 2: bad input.',
      '',
      'Examples:',
      '  rocelab peer ibv_rc_pingpong --link 7001:7002 --ip 192.0.2.2',
      '  rocelab peer ib_write_bw --link 7001:7002 --ip 192.0.2.2 --connect 127.0.0.1:18515 -n 1000 -s 65536',
      '  two peers, one for the other, in two shells:',
      '  rocelab peer ib_read_bw --link 7001:7002 --ip 192.0.2.2',
      '  rocelab peer ib_read_bw --link 7002:7001 --ip 192.0.2.1 --connect 127.0.0.1:18515',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Program to stand in for', placeholder: 'PROGRAM', parse: programName }],
    },
    flags: {
      link: {
        kind: 'parsed',
        parse: udpPorts,
        placeholder: 'LOCAL:REMOTE',
        brief: 'UDP ports on 127.0.0.1: where frames arrive, and where they are sent to',
      },
      ip: { kind: 'parsed', parse: ipAddress, placeholder: 'ADDRESS', brief: 'Own IPv4 or IPv6 address' },
      mac: {
        kind: 'parsed',
        parse: macAddress,
        optional: true,
        placeholder: 'MAC',
        brief: 'Own hardware address [default = 52:54:01 and the end of the IP address]',
      },
      connect: {
        kind: 'parsed',
        parse: tcpAddress(PINGPONG_PORT),
        optional: true,
        placeholder: 'HOST:PORT',
        brief: 'Be the client: TCP address of the server',
      },
      tcp: {
        kind: 'parsed',
        parse: tcpAddress(PINGPONG_PORT),
        default: `127.0.0.1:${PINGPONG_PORT}`,
        placeholder: 'HOST:PORT',
        brief: 'TCP address to listen at as the server',
      },
      iterations: {
        kind: 'parsed',
        parse: wholeNumber(1, 1e9),
        default: '1000',
        placeholder: 'N',
        brief: 'Requests of each queue pair, as -n of the programs',
      },
      size: {
        kind: 'parsed',
        parse: sizeOf,
        optional: true,
        placeholder: 'SIZE',
        brief: 'Bytes of a request, as -s [default = that of PROGRAM]',
      },
      pairs: {
        kind: 'parsed',
        parse: wholeNumber(1, 1024),
        default: '1',
        placeholder: 'N',
        brief: 'Queue pairs, as -q of perftest',
      },
      mtu: { kind: 'parsed', parse: mtuOf, default: '1024', placeholder: 'N', brief: 'Path MTU, as -m' },
      memory: {
        kind: 'parsed',
        parse: sizeOf,
        default: '4MiB',
        placeholder: 'SIZE',
        brief: 'Memory of each queue pair for the other end',
      },
      receives: {
        kind: 'parsed',
        parse: wholeNumber(0, 65_536),
        default: '100',
        placeholder: 'N',
        brief: 'Receives that are kept posted',
      },
      json: givenFlag('Print one JSON object instead of text'),
    },
    aliases: { n: 'iterations', s: 'size', q: 'pairs', m: 'mtu' },
  },
  func: guarded(runPeer),
})

async function runPeer(this: Context, flags: PeerFlags, program: ProgramName): Promise<void> {
  const plan = planOf(flags, program)
  const {
    ip,
    link: [localPort, remotePort],
  } = flags
  const { stderr, stdout } = this.process
  const say = (text: string): void => void (flags.json === true || stderr.write(`${text}\n`))
  const abort = new AbortController()
  const interruption = watchInterruption((text) => say(`rocelab: ${text}`))
  interruption.onRequest(() => abort.abort())
  const endpoint = new LiveEndpoint({
    mac: flags.mac ?? macFor(ip),
    ip4: ip.length === 4 ? ip : null,
    ip6: ip.length === 16 ? ip : null,
    draw: (below) => (below > 2 ** 31 ? randomBytes(4).readUInt32BE() % below : randomInt(below)),
  })
  const session = new Session(endpoint, plan)
  const link = await failing(() => DatagramLink.open(localPort, remotePort))
  try {
    const socket = await openStream(flags, say, abort.signal)
    if (socket !== null) await runSession(session, endpoint, link, socket, abort.signal)
  } finally {
    await link.close()
    interruption.release()
  }
  stdout.write(
    flags.json === true ? `${JSON.stringify(jsonOf(plan, session, endpoint))}\n` : textOf(plan, session, endpoint),
  )
  if (interruption.signal !== undefined) this.process.exitCode = interruption.exitCode
  else if (!session.isDone) this.process.exitCode = EXIT_BUG
}

/** null: interrupted before there was a client. */
function openStream(flags: PeerFlags, say: (text: string) => void, signal: AbortSignal): Promise<Socket | null> {
  const { connect, tcp } = flags
  if (connect !== undefined) return failing(() => connectTo(connect))
  const onListening = (): void => say(`listening at ${tcp.host}:${tcp.port}`)
  return failing(() => acceptOne(tcp, onListening, signal)).catch((error: unknown) => {
    if (signal.aborted) return null
    throw error
  })
}

/** Errors of sockets become messages. */
async function failing<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Failure(message, code === 'EADDRINUSE' || code === 'EACCES' ? EXIT_INPUT : EXIT_BUG)
  }
}

/** Throws InputError for values that do not go together. */
function planOf(flags: PeerFlags, program: ProgramName): SessionPlan {
  const { operation, sizeBytes: usualBytes, exchange, behaviour } = PROGRAMS[program]
  const sizeBytes = operation === PROGRAMS.ib_atomic_bw.operation ? 8 : (flags.size ?? usualBytes)
  // Offsets of short requests go round in a page.
  const neededBytes = Math.max(sizeBytes, 4096)
  if (flags.memory < neededBytes)
    throw inputError('--memory', `${neededBytes} bytes or more for requests of ${sizeBytes}`, `${flags.memory}`)
  if (flags.pairs > 1 && (exchange === 'pingpong' || behaviour !== 'stream'))
    throw inputError('--pairs', `1 for ${program}`, `${flags.pairs}`)
  return {
    program,
    role: flags.connect === undefined ? 'server' : 'client',
    ip: flags.ip,
    pairs: flags.pairs,
    iterations: flags.iterations,
    sizeBytes,
    mtuBytes: flags.mtu,
    memoryBytes: flags.memory,
    receives: flags.receives,
  }
}

function macFor(ip: Uint8Array): number {
  const [high = 0, middle = 0, low = 0] = ip.subarray(-3)
  return 0x525401000000 + high * 2 ** 16 + middle * 2 ** 8 + low
}

function programName(input: string): ProgramName {
  const found = PROGRAM_NAMES.find((name) => name === input)
  if (found !== undefined) return found
  throw new Error(`expected one of ${PROGRAM_NAMES.join(', ')}, received ${JSON.stringify(input)}`)
}

function mtuOf(input: string): number {
  if (MTUS.includes(input)) return Number(input)
  throw new Error(`expected one of ${MTUS.join(', ')}, received ${JSON.stringify(input)}`)
}

function sizeOf(text: string): number {
  const bytes = /^\d{1,10}$/.test(text) ? Number(text) : parseQuantity('size', text)
  if (bytes !== undefined && bytes >= 1 && bytes <= 2 ** 30) return bytes
  throw new Error(`expected a size from 1 to 1GiB, such as 65536 or 4MiB, received ${JSON.stringify(text)}`)
}

function failureText(failure: SessionFailure): string {
  switch (failure.kind) {
    case 'version':
      return `the other end speaks version ${JSON.stringify(failure.theirs)} of perftest's exchange, this one ${failure.ours}`
    case 'content':
      return `the exchange has ${JSON.stringify(failure.received)} where ${failure.expected} is expected`
    case 'closed':
      return `the other end closed the TCP connection before ${failure.waitingFor}`
    case 'status':
      return `a request failed: ${STATUS_NAMES[failure.status]} (${failure.status})`
    case 'bytes':
      return `message ${failure.message + 1} does not have the bytes that were sent`
    case 'address':
      return 'the other end has another version of IP than this one'
    default:
      return 'nobody answers for the IP address of the other end'
  }
}

function rowsOf(session: Session) {
  return session.livePairs.map((live, at) => ({
    qp: live.number,
    ...live.counts,
    retransmissions: live.retransmissions,
    timeouts: live.timeouts,
    ...(session.workers[at]?.completions ?? { sends: 0, receives: 0 }),
  }))
}

function textOf({ program, role }: SessionPlan, session: Session, { drops }: LiveEndpoint): string {
  const { failure } = session
  const took = Number.isNaN(session.elapsedPs) ? '' : `, ${humanDuration(session.elapsedPs)}`
  const outcome = session.isDone ? `done${took}` : failure === null ? 'interrupted' : failureText(failure)
  const lines = rowsOf(session).map(
    (row) =>
      `queue pair ${row.qp}: ${exactCount(row.sent)} packets sent, ${exactCount(row.retransmissions)} of them again, ` +
      `${exactCount(row.received)} received; NAKs ${row.naksSent} sent, ${row.naksReceived} received; ` +
      `RNR NAKs ${row.rnrNaksSent}, ${row.rnrNaksReceived}; timeouts ${row.timeouts}; ` +
      `completions ${exactCount(row.sends)} of sends, ${exactCount(row.receives)} of receives`,
  )
  const dropped = Object.entries(drops).filter(([, count]) => count > 0)
  if (dropped.length > 0) lines.push(`packets dropped: ${dropped.map(([reason, n]) => `${reason} ${n}`).join(', ')}`)
  return `${[`${program} as ${role}: ${outcome}`, ...lines].join('\n')}\n`
}

function jsonOf(plan: SessionPlan, session: Session, { drops }: LiveEndpoint): object {
  const { program, role, iterations, sizeBytes, mtuBytes } = plan
  return {
    schemaVersion: 1,
    version: VERSION,
    program,
    role,
    ip: addressText(plan.ip),
    iterations,
    sizeBytes,
    mtuBytes,
    isDone: session.isDone,
    failure: session.failure,
    elapsedPs: Number.isNaN(session.elapsedPs) ? null : session.elapsedPs,
    pairs: rowsOf(session),
    drops,
  }
}
