/** Ends of `rocelab perf` on sockets: the client of one test, and a server of any number of them, one at a time. */
import type { Server, Socket } from 'node:net'
import { InputError } from '../../base/issue.ts'
import type { LiveEndpoint } from '../peer/endpoint.ts'
import type { Role } from '../peer/exchange.ts'
import { Session } from '../peer/session.ts'
import { LINE_BYTES_MAX, lineBytes, readLine } from '../tools/lines.ts'
import { PerfExchange } from '../tools/perf-exchange.ts'
import { PerfMeter } from '../tools/perf-meter.ts'
import { checkSchemes, commonPlan, PERF_VERSION, type PerfOffer, readOffer } from '../tools/perf-offer.ts'
import { addressOfSocket } from './read-address.ts'
import { runSession } from './run-session.ts'
import { acceptAll, connectTo, type TcpAddress } from './stream.ts'
import { endpointOn, UdpLink } from './udp-link.ts'

const FIRST_LINE_MS = 10_000

/** One end of a test, which has ended. */
export interface PerfTest {
  readonly offer: PerfOffer
  readonly role: Role
  readonly session: Session
  readonly endpoint: LiveEndpoint
  readonly meter: PerfMeter
}

function testOn(link: UdpLink, offer: PerfOffer, role: Role, other: Uint8Array): PerfTest {
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
  return { offer, role, session, endpoint, meter: new PerfMeter(endpoint, session, offer) }
}

/** Runs a test as the client. Rejects with the error of Node: nobody listens there. */
export async function runPerf(offer: PerfOffer, to: TcpAddress, signal: AbortSignal): Promise<PerfTest> {
  const socket = await connectTo(to)
  let link: UdpLink | undefined
  try {
    link = await UdpLink.open(addressOfSocket(socket.localAddress), [0])
    const test = testOn(link, offer, 'client', addressOfSocket(socket.remoteAddress))
    await runSession(test.session, test.endpoint, link, socket, signal)
    return test
  } finally {
    socket.destroy()
    await link?.close()
  }
}

/** Serves tests on a link whose port is that of a server. @returns ends it */
export function servePerf(link: UdpLink, server: Server, onEnd: (test: PerfTest) => void): () => void {
  const abort = new AbortController()
  let isBusy = false
  const serve = async (socket: Socket): Promise<void> => {
    const bytes = await firstBytes(socket)
    if (bytes === null) return void socket.destroy()
    const offer = isBusy ? 'busy with the test of another client' : offerIn(bytes)
    if (typeof offer === 'string')
      return void socket.end(lineBytes({ rocelab: 'perf', version: PERF_VERSION, refused: offer }))
    isBusy = true
    try {
      const test = testOn(link, offer, 'server', addressOfSocket(socket.remoteAddress))
      test.session.onData(0, bytes)
      const run = runSession(test.session, test.endpoint, link, socket, abort.signal)
      socket.resume()
      await run
      onEnd(test)
    } finally {
      isBusy = false
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
    checkSchemes(offer)
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
