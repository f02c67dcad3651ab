/**
 * Hub: joins two ends whose network is UDP datagrams, each an Ethernet frame without FCS, as QEMU's `-netdev dgram` sends
 * them. A line between the ends says what becomes of the frames.
 */
import { createSocket, type Socket } from 'node:dgram'
import { DIRECTIONS, type Line } from '../faults/line.ts'

/** UDP ports of the loopback address. */
export interface HubEnd {
  /** Where the end sends its frames to. */
  readonly localPort: number
  /** Where the end takes frames. */
  readonly remotePort: number
}

/** QEMU's own socket holds some 100 frames; ours holds thousands. */
const BUFFER_BYTES = 4 * 2 ** 20
const HOST = '127.0.0.1'
/** The longest wait of a timer of Node. */
const WAIT_MS_MAX = 2 ** 30

export class Hub {
  readonly #line: Line
  readonly #ends: readonly HubEnd[]
  readonly #sockets: readonly Socket[]
  readonly #startNs = process.hrtime.bigint()
  #timer: NodeJS.Timeout | undefined
  #isOpen = true

  /** Rejects with the error of Node if a port cannot be had: EADDRINUSE. */
  static async open(first: HubEnd, second: HubEnd, line: Line): Promise<Hub> {
    const options = { type: 'udp4' as const, recvBufferSize: BUFFER_BYTES, sendBufferSize: BUFFER_BYTES }
    const sockets = [first, second].map(() => createSocket(options))
    const hub = new Hub([first, second], sockets, line)
    try {
      await Promise.all(sockets.map((socket, at) => bound(socket, hub.#ends[at]!.localPort)))
    } catch (error) {
      await hub.close()
      throw error
    }
    return hub
  }

  private constructor(ends: readonly HubEnd[], sockets: readonly Socket[], line: Line) {
    this.#ends = ends
    this.#sockets = sockets
    this.#line = line
    sockets.forEach((socket, at) => {
      socket.on('message', ({ buffer, byteOffset, byteLength }) => {
        // Not as a Buffer, whose slices share its bytes.
        this.#line.onFrame(this.nowPs, at === 0 ? 'out' : 'in', new Uint8Array(buffer, byteOffset, byteLength))
        this.#work()
      })
      // An end that is not there yet, or no more, is no error of the other's.
      socket.on('error', () => {})
    })
  }

  /** Time since the hub was opened. */
  get nowPs(): number {
    return Number(process.hrtime.bigint() - this.#startNs) * 1000
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearTimeout(this.#timer)
    await Promise.all(this.#sockets.map((socket) => new Promise<void>((done) => socket.close(() => done()))))
  }

  #work(): void {
    if (!this.#isOpen) return
    for (const direction of DIRECTIONS) {
      const to = direction === 'in' ? 0 : 1
      let frame = this.#line.pollFrame(this.nowPs, direction)
      for (; frame !== null; frame = this.#line.pollFrame(this.nowPs, direction))
        this.#sockets[to]!.send(frame, this.#ends[to]!.remotePort, HOST)
    }
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#line.nextPs === Infinity) return
    const waitMs = Math.ceil((this.#line.nextPs - this.nowPs) / 1e9)
    this.#timer = setTimeout(() => this.#work(), Math.min(WAIT_MS_MAX, Math.max(0, waitMs)))
  }
}

function bound(socket: Socket, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(port, HOST, resolve)
  })
}
