/** Two ends of a test agree on it by lines of JSON; other versions, refusals and damaged records end it with a reason. */
import { expect, test } from 'vitest'
import type { ExchangeHost, PairRecord } from '../peer/exchange.ts'
import { PerfExchange } from './perf-exchange.ts'
import { type PerfOffer, readOffer } from './perf-offer.ts'

const OFFER: PerfOffer = {
  program: 'ib_write_bw',
  pairs: 2,
  iterations: 10,
  sizeBytes: 4096,
  depth: 8,
  mtuBytes: 1024,
  recovery: 'go-back-n',
  congestion: 'none',
  rateBps: 1e10,
}
const IP = new Uint8Array(16)

function endOf(role: 'client' | 'server') {
  const remotes: PairRecord[] = []
  const host = {
    isWorkDone: false as boolean,
    isAllPosted: false,
    figures: [0n, 0n, 0, 0, 0] as const,
    local: (index: number): PairRecord => ({ qp: 100 + index, psn: 7, ip: IP, key: 5, address: 4096, reads: 1 }),
    onRemote: (_: number, record: PairRecord) => void remotes.push(record),
  } satisfies ExchangeHost
  return { host, remotes, exchange: new PerfExchange(role, host, { offer: OFFER, port: 4791, addressFor: () => IP }) }
}

/** Everything that one end sends. */
function textOf({ exchange }: ReturnType<typeof endOf>): string {
  let text = ''
  for (let bytes = exchange.takeData(); bytes.length > 0; bytes = exchange.takeData())
    text += new TextDecoder().decode(bytes)
  return text
}
const pass = ({ exchange }: ReturnType<typeof endOf>, text: string): void => {
  // In pieces, as TCP may have it.
  for (const character of text) exchange.onData(new TextEncoder().encode(character))
}

test('a test from offer to done; the server is not done before its own work is', () => {
  const [client, server] = [endOf('client'), endOf('server')]
  const offer = textOf(client)
  pass(server, offer)
  expect([server.remotes.map(({ qp }) => qp), server.exchange.stage]).toEqual([[100, 101], 'opening'])
  pass(client, textOf(server))
  expect([client.remotes.length, client.exchange.stage]).toEqual([2, 'traffic'])
  pass(server, textOf(client))
  expect(server.exchange.stage).toBe('traffic')
  client.host.isWorkDone = true
  pass(server, textOf(client))
  expect([textOf(server), server.exchange.stage]).toEqual(['', 'traffic'])
  server.host.isWorkDone = true
  pass(client, textOf(server))
  expect([textOf(client), textOf(server)]).toEqual(['', ''])
  expect([client.exchange.stage, server.exchange.stage]).toEqual(['ended', 'ended'])
})

test.each([
  ['another version', { version: 2 }],
  ['a refusal', { refused: 'busy' }],
  ['too few records', { records: [] }],
  ['a number that is none', { records: [{}, {}] }],
  ['no port', { port: 0 }],
])('%s fails', (_, change) => {
  const [client, server] = [endOf('client'), endOf('server')]
  pass(server, textOf(client))
  pass(client, `${JSON.stringify({ ...(JSON.parse(textOf(server)) as object), ...change })}\n`)
  expect([client.exchange.stage, client.exchange.failure?.kind]).toEqual(['failed', 'content'])
  expect(client.remotes).toEqual([])
})

test('a line without end is refused', () => {
  const { exchange } = endOf('server')
  exchange.onData(new Uint8Array(1 << 19).fill(0x20))
  expect(exchange.failure?.kind).toBe('content')
})

test('offers that need too much, or that nobody knows, are none', () => {
  expect(readOffer({ ...OFFER })).toEqual(OFFER)
  for (const change of [
    { pairs: 0 },
    { pairs: 256, sizeBytes: 2 ** 22 },
    { program: 'ibv_rc_pingpong' },
    { mtuBytes: 1500 },
    { depth: 1e6 },
    { rateBps: -1 },
    { recovery: '../x' },
    { iterations: 1.5 },
  ])
    expect([change, readOffer({ ...OFFER, ...change })]).toEqual([change, null])
})

test('pieces of a line, and a second end of the work, are no sign of life', () => {
  const [client, server] = [endOf('client'), endOf('server')]
  pass(server, textOf(client))
  expect(server.exchange.heard).toBe(1)
  server.exchange.onData(new TextEncoder().encode('{"step":'))
  expect(server.exchange.heard).toBe(1)
  server.exchange.onData(new TextEncoder().encode('"ready"}\n{"step":"done"}\n'))
  expect([server.exchange.heard, server.exchange.failure]).toEqual([3, null])
  server.exchange.onData(new TextEncoder().encode('{"step":"done"}\n'))
  expect([server.exchange.heard, server.exchange.failure?.kind]).toEqual([3, 'content'])
})
