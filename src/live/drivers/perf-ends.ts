/** Ends of `rocelab perf` on sockets: the client of one test, and a server of any number of them, one at a time. */
import type { Server, Socket } from 'node:net'
import { InputError } from '../../core/base/issue.ts'
import type { LiveEndpoint } from '../peer/endpoint.ts'
import type { Party } from '../party.ts'
import type { Role } from '../peer/exchange.ts'
import { FaultLine } from '../faults/fault-line.ts'
import { FaultyParty } from '../faults/faulty-party.ts'
import type { FaultScript } from '../faults/script.ts'
import { Session } from '../peer/session.ts'
import { LINE_BYTES_MAX, lineBytes, readLine } from '../tools/lines.ts'
import { PerfExchange } from '../tools/perf-exchange.ts'
import { PerfMeter } from '../tools/perf-meter.ts'
import { commonPlan, formatUnder, PERF_VERSION, type PerfOffer, readOffer } from '../tools/perf-offer.ts'
import { addressOfSocket } from './read-address.ts'
import { runSession, type SessionEnd } from './run-session.ts'
import { acceptAll, connectTo, type TcpAddress } from './stream.ts'
import { endpointOn, UdpLink } from './udp-link.ts'

/** How long a connection may take to say which test it wants. */
const FIRST_LINE_MS = 10_000

/** One end of a test, which has ended. */
interface PerfTest {
  readonly offer: PerfOffer
  readonly role: Role
  readonly session: Session
  readonly endpoint: LiveEndpoint
  readonly meter: PerfMeter
  /** Faults on the frames of this end. */
  readonly line: FaultLine
}

/** A test, and how it ended. */
export type EndedTest = PerfTest & { readonly end: SessionEnd }

/** Bounds of a test at one end, and faults on its frames. */
export interface PerfLimits {
  /** How long nothing may come from the other end, neither a line nor a packet for a queue pair; then the test ends. */
  readonly silenceMs: number
  /** Faults on frames from this end (out) and to it (in). */
  readonly script: FaultScript
}

const partyOf = ({ endpoint, line }: PerfTest, { rules }: FaultScript): Party =>
  rules.length === 0 ? endpoint : new FaultyParty(endpoint, line)

/** @param script of faults, anew for each test */
function testOn(link: UdpLink, offer: PerfOffer, role: Role, other: Uint8Array, script: FaultScript): PerfTest {
  const { network, ports } = link
  const port = ports[0]!
  const endpoint = endpointOn(link)
  const addressFor = (from: number): Uint8Array => network.aliasOf({ ip: other, port: from })
  const exchange = { offer, port, addressFor }
  const session = new Session(endpoint, {
    ...commonPlan(offer),
    role,
    ip: network.ip,
    port,
    exchange: (host) => new PerfExchange(role, host, exchange),
  })
  const line = new FaultLine(script, () => {}, formatUnder(offer))
  return { offer, role, session, endpoint, meter: new PerfMeter(endpoint, session, offer), line }
}

/**
 * Runs a test as the client. Rejects with the error of Node: nobody listens there.
 */
export async function runPerf(
  offer: PerfOffer,
  to: TcpAddress,
  signal: AbortSignal,
  { silenceMs, script }: PerfLimits,
): Promise<EndedTest> {
  const socket = await connectTo(to)
  let link: UdpLink | undefined
  try {
    link = await UdpLink.open(addressOfSocket(socket.localAddress), [0])
    const test = testOn(link, offer, 'client', addressOfSocket(socket.remoteAddress), script)
    const end = await runSession(test.session, partyOf(test, script), link, socket, signal, silenceMs)
    return { ...test, end }
  } finally {
    socket.destroy()
    await link?.close()
  }
}

/**
 * Serves tests on a link whose port is that of a server.
 * @returns ends it
 */
export function servePerf(
  link: UdpLink,
  server: Server,
  onEnd: (test: EndedTest) => void,
  { silenceMs, script }: PerfLimits,
): () => void {
  const abort = new AbortController()
  let isBusy = false
  const serve = async (socket: Socket): Promise<void> => {
    const bytes = await firstBytes(socket)
    if (bytes === null) return void socket.destroy()
    const offer = isBusy ? 'busy with the test of another client' : offerIn(bytes)
    if (typeof offer === 'string')
      return void socket.end(lineBytes({ rocelab: 'perf', version: PERF_VERSION, refused: offer }))
    isBusy = true
    let endpoint: LiveEndpoint | undefined
    try {
      const test = testOn(link, offer, 'server', addressOfSocket(socket.remoteAddress), script)
      ;({ endpoint } = test)
      test.session.onData(0, bytes)
      const run = runSession(test.session, partyOf(test, script), link, socket, abort.signal, silenceMs)
      socket.resume()
      onEnd({ ...test, end: await run })
    } finally {
      isBusy = false
      endpoint?.pairs.forEach((live) => endpoint?.destroyPair(live))
      link.onFrame = null
      link.network.releaseAll()
    }
  }
  const close = acceptAll(server, (socket) => void serve(socket).catch(() => socket.destroy()))
  return () => {
    abort.abort()
    close()
  }
}

/** A text: why it is refused. */
function offerIn(bytes: Uint8Array): PerfOffer | string {
  const text = new TextDecoder().decode(bytes)
  const fields = readLine(text.slice(0, text.indexOf('\n')))
  if (fields === null || fields['rocelab'] !== 'perf') return 'not a line of rocelab perf'
  if (fields['version'] !== PERF_VERSION) return `this server speaks version ${PERF_VERSION}`
  const offer = readOffer(fields)
  if (offer === null) return 'a test that is not known, or that needs too much memory'
  try {
    formatUnder(offer)
    return offer
  } catch (error) {
    if (error instanceof InputError) return 'schemes that do not work here'
    throw error
  }
}

/** Bytes up to the first end of a line, after which the socket is paused; null: none in time, or too much. */
function firstBytes(socket: Socket): Promise<Uint8Array | null> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const end = (result: Uint8Array | null): void => {
      clearTimeout(timer)
      socket.off('data', onData)
      socket.pause()
      resolve(result)
    }
    const timer = setTimeout(() => end(null), FIRST_LINE_MS)
    const onData = (more: Buffer): void => {
      bytes = Buffer.concat([bytes, more])
      if (bytes.includes(0x0a)) end(bytes)
      else if (bytes.length > LINE_BYTES_MAX) end(null)
    }
    socket.on('data', onData)
    socket.once('close', () => end(null))
  })
}
