/** Ends of `rocelab ping` on sockets: a prober towards one host, and a responder for all that come. */
import { connect, type Server, type Socket } from 'node:net'
import { addressText } from '../../core/wire/index.ts'
import { lineBytes, LineReader } from '../tools/lines.ts'
import { Prober, type ProberPlan } from '../tools/prober.ts'
import { Responder } from '../tools/responder.ts'
import { Drive } from './drive.ts'
import { readAddress } from './read-address.ts'
import { acceptAll, writeTo } from './stream.ts'
import { endpointOn, type UdpLink } from './udp-link.ts'

/** Time between two attempts to have a control connection. */
const RETRY_MS = 1000

export class PingEnd {
  readonly prober: Prober
  readonly #drive: Drive
  readonly #to: { readonly ip: Uint8Array; readonly port: number }
  readonly #onDone: () => void
  #socket: Socket | null = null
  #timer: NodeJS.Timeout | undefined
  #isDone = false
  #isStopped = false

  /** @param onDone called once, when all probes have ended */
  constructor(
    link: UdpLink,
    to: { readonly ip: Uint8Array; readonly port: number },
    plan: Omit<ProberPlan, 'ports' | 'addressFor'>,
    onDone: () => void,
  ) {
    const endpoint = endpointOn(link)
    const addressFor = (port: number): Uint8Array => link.network.aliasOf({ ip: to.ip, port })
    this.#to = to
    this.#onDone = onDone
    this.prober = new Prober(endpoint, { ...plan, ports: link.ports, addressFor })
    this.#drive = new Drive(endpoint, link, () => this.#afterwards())
    this.#connect()
  }

  /** Ends; probes without an end are unfinished. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.prober.finish(this.#drive.nowPs)
    this.#drive.stop()
    this.#socket?.destroy()
  }

  #connect(): void {
    const reader = new LineReader()
    const socket = connect({ host: addressText(this.#to.ip), port: this.#to.port, noDelay: true, keepAlive: true })
    socket.on('error', () => {})
    socket.on('connect', () => {
      this.#socket = socket
      this.prober.onOpen(this.#drive.nowPs)
      this.#drive.wake()
    })
    socket.on('data', (bytes) => {
      const lines = reader.take(bytes)
      const areRight = lines?.every((line) => this.prober.onLine(this.#drive.nowPs, line)) === true
      if (!areRight) socket.destroy()
      this.#drive.wake()
    })
    socket.on('close', () => {
      if (this.#socket === socket) {
        this.#socket = null
        this.prober.onClose()
      }
      if (!this.#isStopped) this.#timer = setTimeout(() => this.#connect(), RETRY_MS)
    })
  }

  #afterwards(): void {
    for (const line of this.prober.takeLines()) if (this.#socket !== null) writeTo(this.#socket, lineBytes(line))
    if (!this.#isDone && this.prober.isDone) {
      this.#isDone = true
      this.#onDone()
    }
  }
}

/** Answers probes of all that come to a server, whose port is that of the link. @returns ends it */
export function respondOn(link: UdpLink, server: Server): () => void {
  const responder = new Responder(endpointOn(link), {
    port: link.ports[0]!,
    addressFor: (other, from) => link.network.aliasOf({ ip: other, port: from }),
    release: (other, from) => link.network.release({ ip: other, port: from }),
  })
  const drive = new Drive(responder.endpoint, link)
  const close = acceptAll(server, (socket) => {
    const ip = readAddress(socket.remoteAddress ?? '')
    if (ip === null) {
      socket.destroy()
      return
    }
    const reader = new LineReader()
    const visitor = responder.open(ip)
    socket.on('close', () => visitor.close())
    socket.on('data', (bytes) => {
      for (const line of reader.take(bytes) ?? ['']) {
        const answer = visitor.onLine(drive.nowPs, line)
        if (answer === null) {
          socket.destroy()
          return
        }
        if (answer !== 'later') writeTo(socket, lineBytes(answer))
      }
      drive.wake()
    })
  })
  return () => {
    close()
    drive.stop()
  }
}
