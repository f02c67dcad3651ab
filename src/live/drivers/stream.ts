/** Stream: the TCP connection of an exchange out of band, as server of one client or as client. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface TcpAddress {
  readonly host: string
  readonly port: number
}

/** Rejects with the error of Node. */
export function listenAt(at: TcpAddress): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(at, () => resolve(server))
  })
}

/** The first connection, null: none before the signal. The server is closed then. */
export function acceptOne(server: Server, signal: AbortSignal): Promise<Socket | null> {
  return new Promise((resolve) => {
    const end = (socket: Socket | null): void => {
      server.close()
      resolve(socket)
    }
    server.once('connection', end)
    if (signal.aborted) end(null)
    signal.addEventListener('abort', () => end(null))
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
