/** Exchanges out of band: bytes as the programs write them, in pieces of any length, and what is refused. */
import { expect, test } from 'vitest'
import { ipv4Bytes } from '../../core/wire/ip.ts'
import type { ExchangeHost, PairRecord } from './exchange.ts'
import { portOfPairs } from './live-pair.ts'
import { PerftestExchange } from './perftest.ts'
import { PingpongExchange } from './pingpong.ts'

const own: PairRecord = {
  qp: 0x11,
  psn: 0x247344,
  ip: ipv4Bytes(0xc0000202),
  key: 0x695,
  address: 0x55843483b000,
  reads: 1,
}
function hostOf(heard: unknown[], isWorkDone = true): ExchangeHost {
  const figures = [8192n, 5n, 3.5, 3.25, 0.5] as const
  return {
    local: () => own,
    onRemote: (...given) => void heard.push(given),
    isWorkDone,
    isAllPosted: isWorkDone,
    figures,
  }
}
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

test('a pingpong server answers the line of a client and waits for its "done"', () => {
  const heard: unknown[] = []
  const server = new PingpongExchange('server', hostOf(heard), 1024)
  const line = Buffer.from('0000:000012:d37ec8:00000000000000000000ffffc0000201\0done\0', 'latin1')
  for (const byte of line.subarray(0, 52)) server.onData(Uint8Array.of(byte))
  expect(latin(server.takeData())).toBe('0000:000011:247344:00000000000000000000ffffc0000202\0')
  expect([server.stage, heard]).toEqual([
    'opening',
    [[0, { qp: 0x12, psn: 0xd37ec8, ip: ipv4Bytes(0xc0000201), key: 0, address: 0, reads: 1 }, 1024]],
  ])
  server.onData(line.subarray(52))
  expect(server.stage).toBe('ended')
})

test('a perftest client writes its record in the form of the program', () => {
  const plan = { pairs: 1, mtuBytes: 1024, barriers: 1, closing: 'report' } as const
  const client = new PerftestExchange('client', hostOf([]), plan)
  const answers = ['6.06'.padEnd(16, '\0'), '\0\0\x10\0', '\0\0\0@', '3\0']
  const asked = answers.map((answer) => {
    const bytes = latin(client.takeData())
    client.onData(Buffer.from(answer, 'latin1'))
    return bytes
  })
  expect(asked).toEqual(answers)
  expect(latin(client.takeData())).toBe(
    '0000:0001:000011:247344:00000695:000055843483b000:00:00:00:00:00:00:00:00:00:00:ff:ff:c0:00:02:02:00000000:\0',
  )
})

test('an end of the stream is expected where a program says nothing after its traffic', () => {
  const begun = (host: ExchangeHost): PerftestExchange => {
    const plan = { pairs: 1, mtuBytes: 1024, barriers: 1, closing: 'none' } as const
    const server = new PerftestExchange('server', host, plan)
    const record = `0000:0001:000012:247344:00000695:000055843483b000:${'00:'.repeat(16)}00000000:\0`
    server.onData(Buffer.from(`${'6.06'.padEnd(16, '\0')}\0\0\x10\0\0\0\0@3\0${record.repeat(3)}`, 'latin1'))
    return server
  }
  expect(begun(hostOf([])).stage).toBe('ended')
  const waiting = { ...hostOf([], false), isAllPosted: true }
  const patient = begun(waiting)
  patient.onEnd()
  expect([patient.stage, patient.failure]).toEqual(['traffic', null])
  const early = begun(hostOf([], false))
  early.onEnd()
  expect(early.failure?.kind).toBe('closed')
})

test('another version of perftest is refused with both versions', () => {
  const plan = { pairs: 1, mtuBytes: 1024, barriers: 1, closing: 'report' } as const
  const server = new PerftestExchange('server', hostOf([]), plan)
  server.onData(Buffer.from('5.93'.padEnd(16, '\0'), 'latin1'))
  expect([server.stage, server.failure]).toEqual(['failed', { kind: 'version', ours: '6.06', theirs: '5.93' }])
})

test('a stream that ends too early or never makes sense fails, and is not kept', () => {
  const short = new PingpongExchange('server', hostOf([]), 1024)
  short.onData(Buffer.from('0000:'))
  short.onEnd()
  expect(short.failure?.kind).toBe('closed')
  const noise = new PingpongExchange('server', hostOf([]), 1024)
  noise.onData(new Uint8Array(1e6).fill(0x7a))
  expect(noise.failure?.kind).toBe('content')
})

test('the source port between two queue pairs is that of Linux', () => {
  // 0x11 * 0x11 = 0x121: all of it is in the low 14 bits.
  expect(portOfPairs(0x11, 0x11)).toBe(0xc121)
  expect(portOfPairs(0x123456, 0xabcdef)).toBe(portOfPairs(0xabcdef, 0x123456))
})
