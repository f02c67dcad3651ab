/**
 * A guest, and a live endpoint of ours in this process as the other end of its programs, with or without a fault script.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type AddressInfo, createServer } from 'node:net'
import {
  acceptOne,
  connectTo,
  DatagramLink,
  listenAt,
  runRping,
  runSession,
  type SessionEnd,
  systemDraw,
} from '../../src/live/drivers/index.ts'
import {
  FaultLine,
  FaultyParty,
  LiveEndpoint,
  type Party,
  PerfMeter,
  type ProgramName,
  PROGRAMS,
  readFaultScript,
  type RuleCount,
  RpingPeer,
  type RpingSession,
  Session,
  type SessionPlan,
} from '../../src/live/index.ts'
import { ipv4Bytes } from '../../src/core/wire/ip.ts'
import { type Background, type Ended, Guest, guestSystem } from '../../src/live/drivers/guests/index.ts'
import { freeUdpPorts, HOST_IP4 } from '../../src/live/drivers/guests/guest.ts'
import { CACHE } from './cache.ts'
import { FOLDER, LISTENS, waiting } from './story.ts'

/** Addresses of the guest and of our end. */
export const GUEST_IP4 = '192.0.2.1'
export const OUR_IP4 = '192.0.2.2'
const OUR = {
  ip4: ipv4Bytes(0xc0000202),
  ip6: Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2),
}
const GUEST_IP4_BYTES = ipv4Bytes(0xc0000201)
const OUR_MAC = 0x525400000002
const CLIENT_LIMIT_MS = 30_000
/** Longer than any timeout of Linux here, shorter than the limit of a client. */
const SILENCE_MS = 4000

export interface Play {
  readonly program: ProgramName
  /** The guest has the other one. */
  readonly role: 'server' | 'client'
  readonly iterations?: number
  /** As -s, -q and -m of both ends. */
  readonly sizeBytes?: number
  readonly pairs?: number
  readonly mtuBytes?: number
  readonly isIp6?: boolean
  /** Options of the guest's program alone. */
  readonly options?: string
  readonly plan?: Partial<SessionPlan>
  /** Name of a script in scenarios/faults, between the two. */
  readonly script?: string
}

export interface Played {
  readonly end: SessionEnd
  readonly session: Session
  readonly endpoint: LiveEndpoint
  readonly meter: PerfMeter
  /** null: it had not ended a second after our end, and was killed. */
  readonly guest: Ended | null
  /** The script's rules. */
  readonly counts: readonly RuleCount[]
}

export interface PlayedRping {
  readonly session: RpingSession | null
  readonly guest: Ended | null
  readonly counts: readonly RuleCount[]
}

/** Number of a TCP port of the loopback address that is free. */
async function freeTcpPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

export class Opposite {
  readonly guest: Guest
  readonly #link: DatagramLink
  readonly #tcpPort: number

  static async start(): Promise<Opposite> {
    const system = await guestSystem({ cache: CACHE })
    const [ours, theirs] = (await freeUdpPorts(2)) as [number, number]
    const tcpPort = await freeTcpPort()
    const link = await DatagramLink.open(ours, theirs)
    const guest = await Guest.start(system, {
      name: 'guest',
      ip4: `${GUEST_IP4}/24`,
      ip6: '2001:db8::1/64',
      mac: '52:54:00:00:00:01',
      localPort: theirs,
      remotePort: ours,
      tcpPort,
    })
    await guest.knows({ ip4: OUR_IP4, ip6: '2001:db8::2', mac: '52:54:00:00:00:02' })
    return new Opposite(guest, link, tcpPort)
  }

  private constructor(guest: Guest, link: DatagramLink, tcpPort: number) {
    this.guest = guest
    this.#link = link
    this.#tcpPort = tcpPort
  }

  async play(play: Play): Promise<Played> {
    const { program, role, iterations = 100, pairs = 1, mtuBytes = 1024, isIp6 = false, script } = play
    const { exchange, sizeBytes: usualBytes } = PROGRAMS[program]
    const sizeBytes = play.sizeBytes ?? usualBytes
    const endpoint = new LiveEndpoint({ mac: OUR_MAC, ...OUR, draw: systemDraw })
    const session = new Session(endpoint, {
      program,
      role,
      ip: isIp6 ? OUR.ip6 : OUR.ip4,
      pairs,
      iterations,
      sizeBytes,
      mtuBytes,
      memoryBytes: 4 * 2 ** 20,
      receives: 100,
      ...play.plan,
    })
    const meter = new PerfMeter(endpoint, session, { program, sizeBytes })
    const { party, line } = faulty(endpoint, script)
    const gid = isIp6 ? 2 : 1
    const words = [
      program,
      exchange === 'pingpong' ? `-g ${gid}` : `-F -x ${gid}`,
      `-n ${iterations}`,
      ...(program.startsWith('ib_atomic') ? [] : [`-s ${sizeBytes}`]),
      ...(play.mtuBytes === undefined ? [] : [`-m ${mtuBytes}`]),
      ...(pairs > 1 ? [`-q ${pairs}`] : []),
      play.options ?? '',
    ].join(' ')
    const { signal } = new AbortController()
    const run: Run = (socket) => runSession(session, party, this.#link, socket, signal, SILENCE_MS)
    const { end, guest } = await (role === 'server' ? this.#serve(words, run) : this.#join(words, run))
    return { end, session, endpoint, meter, guest, counts: line?.counts ?? [] }
  }

  /** Our end is the server, and the guest's program its client. */
  async #serve(words: string, run: Run): Promise<{ end: SessionEnd; guest: Ended | null }> {
    const server = await listenAt({ host: '127.0.0.1', port: 0 })
    const { port } = server.address() as AddressInfo
    const accepted = acceptOne(server, AbortSignal.timeout(CLIENT_LIMIT_MS))
    const client = await this.guest.background(`exec ${words} -p ${port} ${HOST_IP4}`)
    const socket = await accepted
    if (socket === null) throw new Error(`${words}: it did not connect: ${await client.output()}`)
    const end = await run(socket)
    return { end, guest: await this.#endOf(client) }
  }

  /** Our end is the client of the guest's program. */
  async #join(words: string, run: Run): Promise<{ end: SessionEnd; guest: Ended | null }> {
    const server = await this.guest.background(`exec ${words}`)
    await this.guest.run(waiting(LISTENS))
    const end = await run(await connectTo({ host: '127.0.0.1', port: this.#tcpPort }))
    return { end, guest: await this.#endOf(server) }
  }

  /** rping with its own connection management: `count` pings. */
  async rping(role: 'server' | 'client', count: number, options = '', script?: string): Promise<PlayedRping> {
    const peer = new RpingPeer({ ip: OUR.ip4, draw: systemDraw, caGuid: 0x525400fffe000002n, mtuBytes: 1024 })
    const endpoint = new LiveEndpoint({ mac: OUR_MAC, ...OUR, draw: systemDraw, agent: peer.agent })
    peer.attach(endpoint)
    const { party, line } = faulty(endpoint, script)
    const isServer = role === 'server'
    const words = `rping -${isServer ? `c -a ${OUR_IP4}` : `s -a ${GUEST_IP4}`} -C ${count} ${options}`
    const begin = (): Promise<Background> => this.guest.background(`exec ${words}`)
    const listening = isServer ? null : await begin()
    if (!isServer) await this.guest.run(waiting(LISTENS))
    const target = isServer ? null : { ip: GUEST_IP4_BYTES, count }
    const abort = new AbortController()
    const running = runRping(peer, party, this.#link, target, abort.signal)
    const program = listening ?? (await begin())
    // A client that is rejected ends, and a server of ours sees nothing of it.
    const ended = isServer ? await program.ended(CLIENT_LIMIT_MS) : null
    const limit = setTimeout(() => abort.abort(), isServer ? SILENCE_MS : CLIENT_LIMIT_MS)
    const session = await running
    clearTimeout(limit)
    return { session, guest: ended ?? (await this.#endOf(program)), counts: line?.counts ?? [] }
  }

  /** Waits a second for the end of a program, then kills it: null. */
  async #endOf(program: Background): Promise<Ended | null> {
    for (let tries = 0; tries < 10 && (await program.isRunning()); tries++) await this.guest.run('sleep 0.1')
    if (!(await program.isRunning())) return program.ended()
    await program.kill()
    return null
  }

  async stop(): Promise<void> {
    this.guest.stop()
    await this.#link.close()
  }
}

type Run = (socket: Awaited<ReturnType<typeof connectTo>>) => Promise<SessionEnd>

function faulty(endpoint: LiveEndpoint, script: string | undefined): { party: Party; line: FaultLine | null } {
  if (script === undefined) return { party: endpoint, line: null }
  const file = path.join(FOLDER, `${script}.yaml`)
  const line = new FaultLine(readFaultScript(readFileSync(file, 'utf8'), file))
  return { party: new FaultyParty(endpoint, line), line }
}
