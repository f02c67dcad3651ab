/** Stream: the TCP connection of an exchange out of band, as server of one client or as client. */
import { connect, createServer, type Socket } from 'node:net'

export interface TcpAddress {
  readonly host: string
  readonly port: number
}

/** Listens, and gives the first connection; the listening socket is closed then. Rejects with the error of Node. */
export function acceptOne(at: TcpAddress, onListening: () => void, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      server.close()
      resolve(socket)
    })
    server.once('error', reject)
    server.listen({ ...at, signal }, onListening)
    signal.addEventListener('abort', () => reject(new Error('interrupted')))
  })
}

/** Connects. Rejects with the error of Node. */
export function connectTo(to: TcpAddress): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(to)
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', reject)
  })
}
