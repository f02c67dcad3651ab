/** Two processes of the program speak RoCEv2 with each other over the loopback address, with and without faults. */
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CaptureRecord, CaptureReader } from '../../src/core/wire/index.ts'
import { createFolder, type Ended, rocelab, startRocelab, inFlight, until } from './program.ts'

let at: ReturnType<typeof createFolder>
let ports: readonly number[]
let isBoxed: boolean
beforeEach(async () => {
  at = createFolder()
  isBoxed = false
  ports = await freePorts()
})
afterEach(() => at.clear())

/** Two free ports of UDP, one of TCP, and two of UDP more, for a box between the ends. */
async function freePorts(): Promise<number[]> {
  const sockets = Array.from({ length: 4 }, () => createSocket('udp4'))
  const udp = await Promise.all(
    sockets.map(
      (socket) => new Promise<number>((done) => socket.bind(0, '127.0.0.1', () => done(socket.address().port))),
    ),
  )
  await Promise.all(sockets.map((socket) => new Promise<void>((done) => socket.close(() => done()))))
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise<void>((done) => server.close(() => done()))
  const tcp = typeof address === 'object' && address !== null ? address.port : 0
  return [...udp.slice(0, 2), tcp, ...udp.slice(2)]
}

const argsOf = (program: string, end: 'server' | 'client', more: readonly string[]): string[] => {
  const [one, other, tcp, boxOne, boxOther] = ports
  const isServer = end === 'server'
  const [serverTo, clientTo] = isBoxed ? [boxOne, boxOther] : [other, one]
  const link = isServer ? `${one}:${serverTo}` : `${other}:${clientTo}`
  const address = isServer ? '192.0.2.2' : '192.0.2.1'
  const stream = program === 'rping' ? '192.0.2.2' : `127.0.0.1:${tcp}`
  const role = isServer ? (program === 'rping' ? [] : ['--tcp', stream]) : ['--connect', stream]
  return ['peer', program, '--link', link, '--ip', address, ...role, ...more]
}

/** Both ends of a program, the server first. */
async function both(
  program: string,
  server: readonly string[],
  client: readonly string[],
): Promise<{ server: Ended; client: Ended }> {
  const first = startRocelab(at.folder, ...argsOf(program, 'server', server))
  let said = ''
  first.child.stderr!.on('data', (text: string) => (said += text))
  await until(() => said.includes('listening') || first.child.exitCode !== null)
  const second = startRocelab(at.folder, ...argsOf(program, 'client', [...client, '--json']))
  return { server: await first.ended, client: await second.ended }
}

const factsOf = ({ stdout }: Ended): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>

describe.each([
  ['ibv_rc_pingpong', ['-n', '50']],
  ['rping', ['-n', '20']],
])('%s', (program, counts) => {
  const serverCounts = program === 'rping' ? [] : counts

  test('between two processes', async () => {
    const { server, client } = await both(program, serverCounts, counts)
    expect([server.code, client.code]).toEqual([0, 0])
    expect(server.stdout).toMatch(new RegExp(`^${program} as server: done`))
    expect(factsOf(client)).toMatchObject({ program, role: 'client', isDone: true, rules: [] })
  })

  test('with a script: each rule that acted is counted and captured, and lost packets come again', async () => {
    const script =
      '- {match: data, direction: in, nth: 5, do: drop}\n- {match: ack, direction: out, nth: 3, do: drop}\n'
    at.clear()
    at = createFolder({ 'faults.yaml': script })
    const flags = ['--script', 'faults.yaml', '--capture', 'all.pcapng']
    const { server, client } = await both(program, [...serverCounts, ...flags], counts)
    expect([server.code, client.code]).toEqual([0, 0])
    expect(server.stderr).toMatch(/rule 1 \(line 1\) acts: drop, in\n/)
    expect(server.stderr).toMatch(/rule 2 \(line 2\) acts: drop, out\n/)
    expect(server.stdout).toMatch(/\n +1 +1 +data +drop +\d+ +1\n +2 +2 +ack +drop +\d+ +1\n$/)
    expect(factsOf(client)['pairs']).toMatchObject([{ retransmissions: expect.any(Number) as number }])
    const records: CaptureRecord[] = []
    const reader = new CaptureReader((record) => records.push(record))
    reader.push(new Uint8Array(readFileSync(path.join(at.folder, 'all.pcapng'))))
    reader.end()
    expect(records.filter(({ comment }) => comment === 'rule 1: drop')).toHaveLength(1)
  })

  test('"close" ends the connection at once, and the other end sees it', async () => {
    at.clear()
    at = createFolder({ 'close.yaml': '- {match: data, direction: in, nth: 5, do: close}\n' })
    const { server, client } = await both(program, [...serverCounts, '--script', 'close.yaml'], ['-n', '100000'])
    expect(server).toMatchObject({ code: 0, stdout: expect.stringContaining('closed by the script') as string })
    expect(client.code).toBe(1)
    expect(factsOf(client)).toMatchObject({ isDone: false })
  })
})

test.each(['go-back-n', 'irn'])(
  'a box between two of ours with %s loses what its script says, and its capture says where',
  async (recovery) => {
    isBoxed = true
    writeFileSync(path.join(at.folder, 'drop.yaml'), '- {match: data, direction: out, nth: 5, do: drop}\n')
    const [server, client, , boxServer, boxClient] = ports
    const joined = `${boxClient}:${client},${boxServer}:${server}`
    const boxFlags = ['--script', 'drop.yaml', '--recovery', recovery, '--capture', 'box.pcapng', '--json']
    const box = startRocelab(at.folder, 'box', '--ports', joined, ...boxFlags)
    let said = ''
    box.child.stderr!.on('data', (text: string) => (said += text))
    await until(() => said.includes('open') || box.child.exitCode !== null)
    const counts = ['-n', '10', '-s', '8192', '--recovery', recovery]
    const ends = await both('ib_write_bw', counts, counts)
    box.child.kill('SIGINT')
    const { code, stdout } = await box.ended
    expect([ends.server.code, ends.client.code, code]).toEqual([0, 0, 0])
    expect(factsOf({ code, stdout, stderr: '' })['rules']).toMatchObject([{ acted: 1 }])
    const { findings } = factsOf(rocelab(at.folder, 'decode', 'box.pcapng', '--json')) as { findings: { id: string }[] }
    const ids = findings.map(({ id }) => id)
    // The packet is in the capture, at the end where it came in.
    expect(ids).toContain('capture-loss-after')
    expect(ids).toContain('capture-retransmission-nak')
    expect(ids).not.toContain('capture-loss-before')
  },
)

test('a client of perftest prints its latency, and all its packets have the DSCP that was asked for', async () => {
  const flags = ['-n', '20', '--dscp', '26', '--capture', 'all.pcapng']
  const { client } = await both('ib_write_lat', ['-n', '20'], flags)
  expect([client.code, factsOf(client)['latency']]).toEqual([
    0,
    expect.objectContaining({ typicalUs: expect.any(Number), p99Us: null }),
  ])
  const records: CaptureRecord[] = []
  const reader = new CaptureReader((record) => records.push(record))
  reader.push(new Uint8Array(readFileSync(path.join(at.folder, 'all.pcapng'))))
  reader.end()
  // The first interface of the file is this end; frames of IPv4 have their DSCP in the upper bits of byte 15.
  const sent = records.filter(({ bytes, port }) => port === 0 && bytes[12] === 8 && bytes[13] === 0)
  expect(sent.length).toBeGreaterThanOrEqual(40)
  expect(sent.filter(({ bytes }) => bytes[15]! >> 2 !== 26)).toEqual([])
})

test('IRN on both ends: a lost packet is sent again alone, and the capture is read with its headers', async () => {
  writeFileSync(path.join(at.folder, 'drop.yaml'), '- {match: data, nth: 5, do: drop}\n')
  const counts = ['-n', '10', '-s', '8192', '--recovery', 'irn']
  const { server, client } = await both('ib_write_bw', counts, [
    ...counts,
    '--script',
    'drop.yaml',
    '--capture',
    'irn.pcapng',
  ])
  expect([server.code, client.code]).toEqual([0, 0])
  const file = path.join(at.folder, 'irn.pcapng')
  const decoded = () => {
    const { code, stdout, stderr } = rocelab(at.folder, 'decode', 'irn.pcapng', '--json')
    const { findings, connections, counts: found } = JSON.parse(stdout) as Record<string, unknown>
    return { code, stderr, story: { findings, connections }, irnAcks: (found as { irnAcks: number }).irnAcks }
  }
  const own = decoded()
  expect([own.code, own.stderr, own.irnAcks]).toEqual([0, '', 0])
  expect(JSON.stringify(own.story.findings)).not.toContain('length')
  // Another program has written the file anew: nothing says that it is IRN.
  const text = readFileSync(file).toString('latin1')
  expect(text).toContain('formats=1:*')
  writeFileSync(file, Buffer.from(text.replace('formats=1:*', 'written new'), 'latin1'))
  const foreign = decoded()
  expect([foreign.code, foreign.irnAcks, foreign.story]).toEqual([0, 0, own.story])
  expect(foreign.stderr).toMatch(/^irn\.pcapng: \d+ ACKs have the headers of IRN/)
})

test('a rule that never acted gives the exit code 1', async () => {
  at.clear()
  at = createFolder({ 'never.yaml': '- {match: atomic, do: drop}\n' })
  const { server, client } = await both('rping', ['--script', 'never.yaml'], ['-n', '2'])
  expect([server.code, client.code]).toEqual([1, 0])
  expect(server.stdout).toContain('never acted')
})

test('a script rejects the connection of a client, which says why', async () => {
  at.clear()
  at = createFolder({ 'reject.yaml': '- {match: {mad: REQ}, do: {reject: 28}}\n' })
  const { server, client } = await both('rping', ['--script', 'reject.yaml', '--for', '4s'], ['-n', '2'])
  expect([server.code, client.code]).toEqual([0, 1])
  expect(factsOf(client)['connectionEnd']).toEqual({ cause: 'rejected', by: 'other end', reason: 28 })
})

test('Ctrl-C prints what happened so far and exits with 130', async () => {
  const { child, ended } = startRocelab(at.folder, ...argsOf('rping', 'server', []))
  await inFlight(child)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  expect(code).toBe(130)
  expect(stdout).toMatch(/^rping as server: /)
})

describe('bad input', () => {
  test('all mistakes of the options and of the script are said at once', () => {
    at.clear()
    at = createFolder({ 'bad.yaml': '- {match: data, do: explode}\n' })
    const flags = ['--link', '7:7', '--ip', '224.0.0.1', '--pairs', '3', '--size', '1MiB', '--script', 'bad.yaml']
    const { code, stderr } = rocelab(at.folder, 'peer', 'rping', ...flags, '--connect', 'elsewhere')
    expect(code).toBe(2)
    const marks = stderr.split('\n').map((text) => /^(?:bad\.yaml:\d+|--\w+)/.exec(text)?.[0])
    expect(marks.filter(Boolean)).toEqual(['bad.yaml:1', '--link', '--ip', '--pairs', '--size', '--connect'])
  })

  test('ports in use are mistakes, both at once', async () => {
    const [one = 0, , tcp = 0] = ports
    const udp = createSocket('udp4')
    const server = createServer()
    await new Promise<void>((done) => udp.bind(one, '127.0.0.1', done))
    await new Promise<void>((done) => server.listen(tcp, '127.0.0.1', done))
    const { code, stderr } = await startRocelab(at.folder, ...argsOf('ib_read_bw', 'server', [])).ended
    udp.close()
    server.close()
    expect(code).toBe(2)
    expect(stderr).toMatch(/^--link: .*another program has[^]*\n--tcp: .*another program has/)
  })

  test('nobody listens: a message and no stack', () => {
    const { code, stderr } = rocelab(at.folder, ...argsOf('ib_read_bw', 'client', []))
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^rocelab: .*ECONNREFUSED/) as string })
  })

  test('a client with the address of the server', () => {
    const [one, other] = ports
    const args = ['peer', 'rping', '--link', `${one}:${other}`, '--ip', '192.0.2.2', '--connect', '192.0.2.2']
    expect(rocelab(at.folder, ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--connect: /) as string,
    })
  })
})

test('where two ends have one hardware address, both say so', async () => {
  const mac = ['--mac', '52:00:00:00:00:01']
  const { server, client } = await both('rping', mac, [...mac, '-n', '1'])
  expect(server.stdout).toContain('another station has the hardware address of this one')
  expect(factsOf(client)).toMatchObject({ hasTwin: true })
})

test.skipIf(process.platform !== 'linux')(
  'a full device ends a capture with a message, after what happened so far',
  async () => {
    const server = startRocelab(at.folder, ...argsOf('rping', 'server', ['--capture', '/dev/full']))
    const { code, stderr } = await server.ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/no space left on the disk: \/dev\/full/)
  },
)
