/**
 * The fault scripts that come with rocelab, between unmodified programs on two guests: what Linux does about each. Asserted are
 * what programs print, orders and counts, and never times. PSNs are those of the wire.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scoreOfGuests } from '../../scripts/score/captures/main.ts'
import { readPcapng } from '../../src/core/wire/captures/pcapng-reader.test-data.ts'
import { guestObstacle, GuestPair, SERVER } from '../../src/live/drivers/guests/index.ts'
import { CACHE } from './cache.ts'
import { begin, type Packet, play } from './story.ts'

const obstacle = guestObstacle()
if (obstacle !== null) console.warn(`fault scripts between guests: skipped, ${obstacle}`)

const both = (program: string, client = ''): [string, string] => [program, `${program} ${client} ${SERVER.ip4}`]
const PINGPONG = both('ibv_rc_pingpong -g 1 -n 100')
/** A message of pingpong is 4 packets; 100 of them go each way. */
const PACKETS = 800
const MESSAGES = 200
const perftest = (program: string): [string, string] => both(`${program} -F -x 1 -n 100`)
const rping = (options: string): [string, string] => [
  `rping -s -a ${SERVER.ip4} ${options}`,
  `rping -c -a ${SERVER.ip4} ${options}`,
]
/** A few of the captures of `npm run score -- captures`, of each fault one. */
const SEEDS = Array.from({ length: 10 }, (_, i) => 10_001 + i)
const SUCCESS = { client: { code: 0 }, server: { code: 0 } }

describe.skipIf(obstacle !== null)('between two guests', () => {
  let pair: GuestPair
  beforeAll(async () => {
    pair = await GuestPair.start({ cache: CACHE })
  }, 300_000)
  afterAll(() => pair?.stop())

  test('a lost packet in the middle of a message is asked for once', async () => {
    const { wire, ...ends } = await play(pair, 'middle-packet-lost', PINGPONG)
    expect(ends).toMatchObject(SUCCESS)
    const [lost] = wire.packets('data', 'drop')
    expect(wire.packets('nak').filter(({ seen }) => seen.bth.psn === lost!.seen.bth.psn)).toHaveLength(1)
    expect(wire.like('data', lost!).length).toBeGreaterThan(1)
  })

  test('a message whose last ACK is lost comes again', async () => {
    const { wire, ...ends } = await play(pair, 'last-ack-lost', PINGPONG)
    expect(ends).toMatchObject(SUCCESS)
    const [lost] = wire.packets('ack', 'drop')
    const isOfIt = ({ seen, direction }: Packet): boolean =>
      seen.bth.psn === lost!.seen.bth.psn && direction !== lost!.direction
    expect(wire.packets('data').filter(isOfIt).length).toBeGreaterThan(1)
  })

  test.each(['every-tenth-lost', 'bad-icrc', 'reordered'])('%s: passes, with NAKs', async (script) => {
    const { wire, ...ends } = await play(pair, script, PINGPONG)
    expect(ends).toMatchObject(SUCCESS)
    const [{ fitted, acted }] = wire.counts as [{ fitted: number; acted: number }]
    expect(acted).toBe(Math.floor(fitted / 10))
    expect(fitted).toBeGreaterThan(PACKETS)
    expect(wire.packets('nak').length).toBeGreaterThan(0)
  })

  test('everything twice: each copy of data is acknowledged', async () => {
    const { wire, ...ends } = await play(pair, 'everything-twice', PINGPONG)
    expect(ends).toMatchObject(SUCCESS)
    const acks = wire.packets('ack').filter(({ isMade }) => !isMade)
    expect(acks.length).toBeGreaterThanOrEqual(MESSAGES + PACKETS)
    expect(wire.packets('nak')).toEqual([])
  })

  test.each([
    ['receiver-not-ready', 3],
    ['receiver-never-ready', 200],
  ])('%s: the message is sent again after %i RNR NAKs, as rnr_retry 7 has no end', async (script, count) => {
    const { wire, ...ends } = await play(pair, script, PINGPONG)
    expect(ends).toMatchObject(SUCCESS)
    expect(wire.packets('rnr')).toHaveLength(count)
    expect(wire.packets('rnr').every(({ isMade }) => isMade)).toBe(true)
  })

  test.each([
    ['remote-access-error', 'remote access error (10)'],
    ['remote-operation-error', 'remote operation error (11)'],
  ])('%s: the sender of the refused packet says %s', async (script, words) => {
    const { wire, client, server } = await play(pair, script, PINGPONG)
    // A guest that was late repeats packets, so the 50th is not always the client's.
    const isClients = wire.packets('data', 'nak')[0]!.direction === 'out'
    expect(isClients ? client : server).toMatchObject({ code: 1, output: expect.stringContaining(words) })
    // The other's queue pair is in error without a completion: it waits.
    expect(isClients ? server : client.code).toBe(isClients ? null : 137)
  })

  test('a packet of a WRITE with half of its payload is an invalid request', async () => {
    const { wire, client } = await play(pair, 'truncated', perftest('ib_write_bw'))
    expect(client.code).not.toBe(0)
    expect(client.output).toMatch(/status 9/)
    expect(wire.packets('nak').map(({ seen }) => seen.view.getUint8(seen.aethAt))).toContain(0x61)
  })

  test('changed data with a right ICRC arrives, and a program that compares finds it', async () => {
    const { wire, client } = await play(pair, 'payload-changed', rping('-C 10 -V -v'))
    expect(client).toMatchObject({ code: 255, output: expect.stringContaining('data mismatch!') })
    expect(wire.packets('nak')).toEqual([])
  })

  test('a peer that vanishes is asked for ever: retry_cnt 7 has no end', async () => {
    const { wire, server } = await begin(pair, 'peer-vanishes', PINGPONG[0])
    const client = await pair.client.background(`exec ${PINGPONG[1]}`)
    // 8 transmissions are what the standard allows.
    const copies = (): number => {
      const [first] = wire.packets('data', 'vanish')
      return first === undefined ? 0 : wire.like('data', first).length
    }
    while (copies() < 12) await pair.client.run('sleep 0.2')
    expect(await client.isRunning()).toBe(true)
    await client.kill()
    await server.kill()
  })

  test('a pause: copies arrive too, and nothing fails', async () => {
    const { wire, ...ends } = await play(pair, 'pause', PINGPONG)
    expect(ends).toMatchObject(SUCCESS)
    expect(wire.packets('data').length).toBeGreaterThan(PACKETS)
  })

  test('a lost READ response is asked for', async () => {
    const { wire, ...ends } = await play(pair, 'read-response-lost', perftest('ib_read_lat -s 4096'))
    expect(ends).toMatchObject(SUCCESS)
    const [lost] = wire.packets('read-response', 'drop')
    expect(wire.packets('read-request').some(({ seen }) => seen.bth.psn === lost!.seen.bth.psn)).toBe(true)
    expect(wire.like('read-response', lost!).length).toBeGreaterThan(1)
  })

  test('an atomic whose answer is lost is executed once: the same value comes again', async () => {
    const { wire, ...ends } = await play(pair, 'atomic-response-lost', perftest('ib_atomic_lat'))
    expect(ends).toMatchObject(SUCCESS)
    const [lost] = wire.packets('atomic-response', 'drop')
    const values = wire.like('atomic-response', lost!).map(({ seen }) => seen.view.getBigUint64(seen.aethAt + 4))
    expect(values.length).toBeGreaterThan(1)
    expect(new Set(values).size).toBe(1)
  })

  test('a late NAK is followed all the same', async () => {
    const { wire, ...ends } = await play(pair, 'nak-late', PINGPONG)
    expect(ends).toMatchObject(SUCCESS)
    expect(wire.packets('nak', 'delay').length).toBeGreaterThan(0)
  })

  test('marks of congestion bring no CNP, and CNPs change nothing', async () => {
    const marked = await play(pair, 'congestion-marks', PINGPONG)
    expect(marked).toMatchObject(SUCCESS)
    expect(marked.wire.packets('data').every(({ seen }) => seen.roce.ip.ecn === 3)).toBe(true)
    expect(marked.wire.packets('cnp')).toEqual([])
    const notified = await play(pair, 'cnps', PINGPONG)
    expect(notified).toMatchObject(SUCCESS)
    expect(notified.wire.packets('cnp').length).toBeGreaterThan(20 * Math.floor(PACKETS / 10))
  })

  test('a rejected connection: the client ends, the server sees nothing', async () => {
    const { wire, client, server } = await play(pair, 'connection-rejected', rping('-C 3 -v'))
    expect(client.code).toBe(255)
    expect(client.output).toMatch(/REJECTED|error 28/)
    expect(server).toBeNull()
    expect(wire.packets('mad').map(({ seen }) => seen.mad?.kind)).toEqual(['REQ', 'REJ'])
  })

  test('a lost RTU: REP comes again, and the connection is there', async () => {
    const { wire, ...ends } = await play(pair, 'ready-to-use-lost', rping('-C 3 -v'))
    expect(ends).toMatchObject(SUCCESS)
    expect(wire.packets('mad').filter(({ seen }) => seen.mad?.kind === 'REP').length).toBeGreaterThan(1)
  })

  test.each(SEEDS)('the capture of seed %i is read rightly', async (seed) => {
    expect(await scoreOfGuests(pair, seed)).toMatchObject({ seed, mistakes: [] })
  })

  test('the box as a program: it counts, captures, and says which rule never acted', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-box-'))
    try {
      const file = path.join(folder, 'script.yaml')
      writeFileSync(file, '- {match: data, nth: 3, do: drop}\n- {match: {mad: REJ}, do: drop}\n')
      await pair.leave()
      const ports = pair.ends.map(({ localPort, remotePort }) => `${localPort}:${remotePort}`).join(',')
      const main = path.join(import.meta.dirname, '../../dist/cli/main.js')
      const args = ['box', '--ports', ports, '--script', file, '--capture', path.join(folder, 'all.pcapng'), '--json']
      const box = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
      const ended = new Promise<number | null>((resolve) => box.on('exit', resolve))
      let printed = ''
      box.stdout.on('data', (data: Buffer) => void (printed += data.toString()))
      await new Promise((resolve) => box.stderr.once('data', resolve))
      const server = await pair.server.background(`exec ${PINGPONG[0]}`)
      await pair.server.run('sleep 1')
      expect(await pair.client.run(PINGPONG[1])).toMatchObject({ code: 0 })
      expect(await server.ended()).toMatchObject({ code: 0 })
      box.kill('SIGINT')
      expect(await ended).toBe(1)
      const { rules } = JSON.parse(printed) as { rules: { fitted: number; acted: number }[] }
      expect(rules.map(({ acted }) => acted)).toEqual([1, 0])
      const { frames } = readPcapng(readFileSync(path.join(folder, 'all.pcapng')))
      expect(frames.filter(({ comment }) => comment !== '').map(({ comment }) => comment)).toEqual(['rule 1: drop'])
      expect(frames.length).toBeGreaterThan(rules[0]!.fitted)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
