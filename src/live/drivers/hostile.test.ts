/** Ends that say nothing, or read nothing: neither keeps a program busy for ever. */
import { EventEmitter } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { LIVE_DEFAULTS } from '../../core/verbs/index.ts'
import { connectTo, listenAt, writeTo } from './stream.ts'
import { type EndedTest, runPerf, servePerf } from './perf-ends.ts'
import { UdpLink } from './udp-link.ts'

afterEach(() => void vi.useRealTimers())

const HOST = '127.0.0.1'
const OFFER = {
  program: 'ib_write_bw',
  pairs: 1,
  iterations: 4,
  sizeBytes: 64,
  depth: 1,
  mtuBytes: 1024,
  recovery: 'go-back-n',
  congestion: 'none',
  rateBps: LIVE_DEFAULTS.schemes.lineRateBps,
} as const
const SCRIPT = { seed: 0, rules: [], peer: undefined }
const SILENT = { silenceMs: 50, script: SCRIPT }
const never = new AbortController().signal

test('a client that says nothing more is left, and the next one is served', { timeout: 20_000 }, async () => {
  const link = await UdpLink.open(Uint8Array.of(127, 0, 0, 1), [0])
  const server = await listenAt({ host: HOST, port: 0 })
  const { port } = server.address() as AddressInfo
  let onEnd = (_test: EndedTest): void => {}
  const next = (): Promise<EndedTest> => new Promise((resolve) => (onEnd = resolve))
  const stop = servePerf(link, server, (ended) => onEnd(ended), SILENT)
  const first = next()
  const socket = await connectTo({ host: HOST, port })
  const record = { qp: 17, psn: 0, key: 1, address: 4096, reads: 1 }
  socket.write(`${JSON.stringify({ rocelab: 'perf', version: 1, ...OFFER, port: 9, records: [record] })}\n`)
  socket.resume()
  const { end, endpoint } = await first
  expect([end, endpoint.pairs.length]).toEqual(['silent', 0])
  const second = next()
  expect((await runPerf(OFFER, { host: HOST, port }, never, { ...SILENT, silenceMs: 10_000 })).end).toBe('done')
  await second
  stop()
  await link.close()
})

test('a server that says nothing is left', async () => {
  const server = createServer((socket) => socket.resume())
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  const { port } = server.address() as AddressInfo
  const { end } = await runPerf(OFFER, { host: HOST, port }, never, SILENT)
  expect(end).toBe('silent')
  server.close()
})

/** A socket whose other end reads nothing. */
class FullSocket extends EventEmitter {
  written = 0
  isStopped = false
  isGone = false
  write = (): boolean => ++this.written === 0
  pause = (): void => void (this.isStopped = true)
  resume = (): void => void (this.isStopped = false)
  isPaused = (): boolean => this.isStopped
  destroy = (): boolean => (this.isGone = this.emit('close'))
}

test('nothing is read from an end that does not read, until it does, or its time is over', () => {
  vi.useFakeTimers()
  const socket = new FullSocket()
  // As much of a socket as is used.
  const asSocket = socket as unknown as Socket
  writeTo(asSocket, new Uint8Array(1))
  writeTo(asSocket, new Uint8Array(1))
  expect([socket.written, socket.isStopped, socket.listenerCount('drain')]).toEqual([2, true, 1])
  socket.emit('drain')
  vi.advanceTimersByTime(1e6)
  expect([socket.isStopped, socket.isGone]).toEqual([false, false])
  writeTo(asSocket, new Uint8Array(1))
  vi.advanceTimersByTime(1e6)
  expect(socket.isGone).toBe(true)
})
