/**
 * UDP link: packets of RoCEv2 between two ends of rocelab in plain UDP datagrams, without rights. Neither a NIC nor Linux's soft
 * RoCE can be the other end: their datagrams over IPv6 have no checksum and the kernel drops them before the socket, and ours
 * over IPv4 have an identification that is not that of the ICRC.
 */
import { createSocket, type Socket } from 'node:dgram'
import { addressText } from '../../core/wire/index.ts'
import { LiveEndpoint } from '../peer/endpoint.ts'
import { DatagramNetwork } from '../link/datagram-network.ts'
import { plainBytes } from './bytes.ts'
import type { FrameLink } from './frame-link.ts'
import { systemDraw } from './random.ts'
import { addressOfSocket, readAddress } from './read-address.ts'

const BUFFER_BYTES = 4 * 2 ** 20

export class UdpLink implements FrameLink {
  onFrame: ((frame: Uint8Array) => void) | null = null
  readonly network: DatagramNetwork
  readonly ports: readonly number[]
  readonly #sockets: ReadonlyMap<number, Socket>

  /**
   * Rejects with the error of Node if a port cannot be had: EADDRINUSE.
   * @param ip own address, 4 or 16 bytes
   * @param ports that are used; 0: any that is free
   */
  static async open(ip: Uint8Array, ports: readonly number[]): Promise<UdpLink> {
    const type = ip.length === 4 ? ('udp4' as const) : ('udp6' as const)
    const sockets = ports.map(() => createSocket({ type, recvBufferSize: BUFFER_BYTES, sendBufferSize: BUFFER_BYTES }))
    const bound = await Promise.allSettled(sockets.map((socket, at) => bind(socket, ports[at]!, addressText(ip))))
    const failed = bound.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') {
      sockets.forEach((socket) => socket.close())
      throw failed.reason
    }
    return new UdpLink(ip, sockets)
  }

  private constructor(ip: Uint8Array, sockets: readonly Socket[]) {
    this.ports = sockets.map((socket) => socket.address().port)
    this.network = new DatagramNetwork(ip, this.ports)
    this.#sockets = new Map(sockets.map((socket, at) => [this.ports[at]!, socket]))
    for (const [port, socket] of this.#sockets) {
      socket.on('message', (datagram, { address, port: remotePort }) => {
        const from = readAddress(address)
        const frame = from && this.network.onDatagram({ ip: from, port: remotePort }, port, plainBytes(datagram))
        if (frame !== null) this.onFrame?.(frame)
      })
      // An end that is not there yet, or no more, is no error of this one's.
      socket.on('error', () => {})
    }
  }

  send(frame: Uint8Array): void {
    const outcome = this.network.onFrame(frame)
    if (outcome === null) return
    // Later: the party that sends now cannot take a frame at the same time.
    if ('answer' in outcome) queueMicrotask(() => this.onFrame?.(outcome.answer))
    else {
      const { to, localPort, payload } = outcome.datagram
      // Errors are those of the network, such as no route: a packet that is lost.
      this.#sockets.get(localPort)!.send(payload, to.port, addressText(to.ip), () => {})
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sockets.values()].map((socket) => new Promise<void>((done) => socket.close(done))))
  }
}

function bind(socket: Socket, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind({ port, address, exclusive: true }, () => {
      socket.removeAllListeners('error')
      resolve()
    })
  })
}

/** An endpoint in the network of a link. */
export function endpointOn({ network }: UdpLink): LiveEndpoint {
  return new LiveEndpoint({ mac: network.mac, ip4: null, ip6: network.ip, draw: systemDraw })
}

/** The own address that datagrams to another have; nothing is sent. Rejects with the error of Node: no route. */
export async function localAddressFor(ip: Uint8Array): Promise<Uint8Array> {
  const socket = createSocket(ip.length === 4 ? 'udp4' : 'udp6')
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.connect(9, addressText(ip), () => resolve())
    })
    return addressOfSocket(socket.address().address)
  } finally {
    socket.close()
  }
}
