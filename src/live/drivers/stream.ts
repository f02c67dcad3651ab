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

const CONNECTIONS_MAX = 1024
/** An end that has gone without a word is noticed by TCP itself, some minutes after this. */
const KEEP_ALIVE_MS = 30_000

/** Takes all connections until it is closed. @returns closes the server and what is open */
export function acceptAll(server: Server, onSocket: (socket: Socket) => void): () => void {
  const open = new Set<Socket>()
  server.maxConnections = CONNECTIONS_MAX
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => {})
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    onSocket(socket)
  })
  return () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
}

/** How long an end may leave what was sent to it unread. */
const UNREAD_MS = 10_000

/** Sends bytes; nothing more is read from an end that leaves them unread, and then its connection is ended. */
export function writeTo(socket: Socket, bytes: Uint8Array): void {
  if (socket.write(bytes) || socket.isPaused()) return
  const timer = setTimeout(() => socket.destroy(), UNREAD_MS)
  socket.pause()
  socket.once('close', () => clearTimeout(timer))
  socket.once('drain', () => {
    clearTimeout(timer)
    socket.resume()
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
