/**
 * Datagram link: each Ethernet frame, without FCS, is a UDP datagram on the loopback address, as QEMU's `-netdev dgram` has
 * it.
 */
import { createSocket, type Socket } from 'node:dgram'
import { plainBytes } from './bytes.ts'
import type { FrameLink } from './frame-link.ts'

/** QEMU's own socket holds some 100 frames; ours holds thousands. */
const BUFFER_BYTES = 4 * 2 ** 20
const HOST = '127.0.0.1'

export class DatagramLink implements FrameLink {
  onFrame: ((frame: Uint8Array) => void) | null = null
  readonly #socket: Socket
  readonly #remotePort: number
  #isOpen = true

  /**
   * @param localPort where frames arrive
   * @param remotePort where they are sent to, and where those that arrive come from
   * Rejects with the error of Node if the port cannot be had: EADDRINUSE.
   */
  static async open(localPort: number, remotePort: number): Promise<DatagramLink> {
    const socket = createSocket({
      type: 'udp4',
      recvBufferSize: BUFFER_BYTES,
      sendBufferSize: BUFFER_BYTES,
      // The address is one already: without a look-up a frame leaves at once.
      lookup: (host, _options, done) => done(null, host, 4),
    })
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.bind(localPort, HOST, resolve)
    })
    socket.removeAllListeners('error')
    return new DatagramLink(socket, remotePort)
  }

  private constructor(socket: Socket, remotePort: number) {
    this.#socket = socket
    this.#remotePort = remotePort
    // A datagram from another port does not come from the other end.
    socket.on('message', (frame, { port }) => {
      if (port === remotePort) this.onFrame?.(plainBytes(frame))
    })
    // An end that is not there yet, or no more, is no error of this one's.
    socket.on('error', () => {})
  }

  send(frame: Uint8Array): void {
    if (this.#isOpen) this.#socket.send(frame, this.#remotePort, HOST)
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()))
  }
}
