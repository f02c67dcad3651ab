/** Two connection agents: connecting, rejecting, disconnecting, and what lost, doubled and late messages do. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { readConnectionMad, writeConnectionMad } from '../../core/wire/index.ts'
import type { Exchange } from './exchange.ts'
import type { Connection } from './host.ts'
import { delayOf } from './messages.ts'
import { HERE, MS, type Path, Pipe, PORT } from './pipe.test-data.ts'

const states = ({ active, passive }: Pipe): string[] => [active.last, passive.last].map(({ state }) => state)

function connected(path?: Path): Pipe {
  const pipe = new Pipe()
  if (path !== undefined) pipe.path = path
  pipe.connect()
  pipe.run()
  return pipe
}

/** Loses the nth message of a kind, and no other. */
const losing =
  (kind: string, lost = 1): Path =>
  (message, nth) =>
    message.kind === kind && nth === lost ? [] : [MS]

describe('connecting', () => {
  test('three messages, and each end sends from the PSN that the other named', () => {
    const pipe = connected()
    expect(pipe.log).toEqual(['REQ', 'rep', 'RTU'])
    expect(states(pipe)).toEqual(['connected', 'connected'])
    const [mine, theirs] = [pipe.active.last, pipe.passive.last]
    expect(mine.values).toMatchObject({
      sendPsn: theirs.values?.receivePsn,
      receivePsn: theirs.values?.sendPsn,
      remoteQp: theirs.pair?.number,
    })
    expect(theirs.values?.remoteQp).toBe(mine.pair?.number)
    expect(mine.values?.sendPsn).not.toBe(mine.values?.receivePsn)
    expect([mine.pair?.state, theirs.pair?.state]).toEqual(['ready to send', 'ready to send'])
    expect(mine.udpPort).toBe(theirs.udpPort)
  })

  test('starting PSN in the messages is what their receiver begins with', () => {
    const pipe = new Pipe()
    const starting: Record<string, number> = {}
    pipe.path = (message) => {
      if (message.kind === 'REQ' || message.kind === 'REP') starting[message.kind] = message.startingPsn
      return [MS]
    }
    pipe.connect()
    pipe.run()
    expect(pipe.active.last.values).toMatchObject({ receivePsn: starting['REQ'], sendPsn: starting['REP'] })
    expect(pipe.passive.last.values).toMatchObject({ receivePsn: starting['REP'], sendPsn: starting['REQ'] })
  })

  test('limits of both ends', () => {
    const pipe = new Pipe()
    pipe.passive.answer = () => pipe.passive.offer({ mtuBytes: 4096, readsOut: 3, readsIn: 4, rnrRetryLimit: 2 })
    pipe.connect({ mtuBytes: 512, readsOut: 16, readsIn: 1, retryLimit: 5, rnrRetryLimit: null })
    pipe.run()
    expect(pipe.active.last.values).toMatchObject({ mtuBytes: 512, readsOut: 4, readsIn: 1, rnrRetryLimit: 2 })
    expect(pipe.passive.last.values).toMatchObject({ mtuBytes: 512, readsOut: 1, readsIn: 4, rnrRetryLimit: null })
    expect(pipe.passive.last.values?.retryLimit).toBe(5)
  })

  test('100 in a row leave nothing behind', () => {
    const pipe = new Pipe()
    for (let count = 0; count < 100; count++) {
      const connection = pipe.connect()
      pipe.run(pipe.nowPs + 10 * MS)
      expect(states(pipe)).toEqual(['connected', 'connected'])
      pipe.active.agent.disconnect(pipe.nowPs, connection)
      pipe.run(pipe.nowPs + 10 * MS)
    }
    pipe.run()
    expect([pipe.active.agent.count, pipe.passive.agent.count, pipe.passive.requests]).toEqual([0, 0, 100])
    expect(new Set([...pipe.active.connections, ...pipe.passive.connections].map(({ localId }) => localId)).size).toBe(
      200,
    )
  })
})

describe('messages lost, doubled and late', () => {
  test.each([
    ['REQ', ['REQ', 'REQ', 'rep', 'RTU']],
    ['REP', ['REQ', 'rep']],
    ['RTU', ['REQ', 'rep', 'RTU', 'rep', 'RTU']],
  ])('the first %s lost: both connect', (kind, log) => {
    const pipe = connected(losing(kind))
    expect(states(pipe)).toEqual(['connected', 'connected'])
    expect(pipe.log.slice(0, log.length)).toEqual(log)
    expect(pipe.passive.requests).toBe(1)
  })

  test('everything twice: one connection, and one disconnection', () => {
    const pipe = connected(() => [MS, 2 * MS])
    expect(states(pipe)).toEqual(['connected', 'connected'])
    pipe.active.agent.disconnect(pipe.nowPs, pipe.active.last)
    pipe.run()
    expect(states(pipe)).toEqual(['closed', 'closed'])
    expect([pipe.passive.requests, pipe.passive.agent.count]).toEqual([1, 0])
    expect(pipe.passive.states).toEqual(['replied', 'connected', 'time wait', 'closed'])
  })

  test('a REQ and an RTU that come again after the end connect nothing', () => {
    const pipe = connected((message) => (message.kind === 'REQ' || message.kind === 'RTU' ? [MS, 60 * MS] : [MS]))
    const late = new Pipe()
    late.path = (message) => (message.kind === 'REQ' || message.kind === 'RTU' ? [MS, 60 * MS] : [MS])
    const connection = late.connect()
    late.run(10 * MS)
    late.active.agent.disconnect(late.nowPs, connection)
    late.run(30 * MS)
    expect(states(late)).toEqual(['time wait', 'time wait'])
    late.run()
    expect([late.passive.requests, late.log.includes('rej')]).toEqual([1, true])
    expect(states(late)).toEqual(['closed', 'closed'])
    expect(states(pipe)).toEqual(['connected', 'connected'])
  })

  test('a request of the queue pair stands for an RTU that is lost', () => {
    const pipe = new Pipe()
    pipe.path = (message) => (message.kind === 'RTU' ? [] : [MS])
    pipe.connect()
    pipe.run(5 * MS)
    expect(states(pipe)).toEqual(['connected', 'replied'])
    pipe.passive.last.pair?.listener?.onEstablished(pipe.nowPs)
    expect(states(pipe)).toEqual(['connected', 'connected'])
    pipe.run()
    expect(pipe.log).toEqual(['REQ', 'rep', 'RTU'])
  })

  test('nobody answers: 16 times the REQ, then it is known', () => {
    const pipe = connected(() => [])
    expect(pipe.log.filter((kind) => kind === 'REQ')).toHaveLength(16)
    expect(pipe.active.last).toMatchObject({ state: 'closed', end: { cause: 'unanswered', message: 'REQ' } })
    expect(pipe.active.last.pair?.state).toBe('error')
  })

  test('an RTU that never comes: the passive end gives up, and says so', () => {
    const pipe = connected((message) => (message.kind === 'RTU' ? [] : [MS]))
    expect(pipe.passive.last.end).toEqual({ cause: 'unanswered', message: 'REP' })
    expect(pipe.active.last.end).toEqual({ cause: 'rejected', by: 'other end', reason: 4 })
  })

  test('MRA: the active end waits for longer, with no copy of its REQ', () => {
    const pipe = new Pipe()
    pipe.passive.answer = () => 'later'
    pipe.connect()
    pipe.run(400 * MS)
    expect(pipe.log).toEqual(['REQ', 'REQ', 'mra'])
    pipe.passive.agent.decide(pipe.nowPs, pipe.passive.last, pipe.passive.offer())
    pipe.run()
    expect(pipe.log).toEqual(['REQ', 'REQ', 'mra', 'rep', 'RTU'])
    expect(states(pipe)).toEqual(['connected', 'connected'])
  })
})

describe('rejections', () => {
  const rejected = (reason: number) => ({ state: 'closed', end: { cause: 'rejected', by: 'other end', reason } })

  test('nobody listens: 8', () => {
    const pipe = new Pipe()
    pipe.connect()
    pipe.passive.agent.ignore(PORT)
    pipe.run()
    expect(pipe.log).toEqual(['REQ', 'rej'])
    expect(pipe.active.last).toMatchObject(rejected(8))
    expect(pipe.active.last.pair?.state).toBe('error')
  })

  test('the program does not want: 28, and the REJ may be lost', () => {
    const pipe = new Pipe()
    pipe.passive.answer = () => ({ reason: 28 })
    pipe.path = losing('REJ')
    pipe.connect()
    pipe.run()
    expect(pipe.log).toEqual(['REQ', 'rej', 'REQ', 'rej'])
    expect(pipe.active.last).toMatchObject(rejected(28))
    expect(pipe.passive.agent.count).toBe(0)
  })

  test('an MTU that is too large: 26', () => {
    const pipe = new Pipe()
    pipe.connect({ mtuBytes: 4096 })
    pipe.run()
    expect(pipe.active.last).toMatchObject(rejected(26))
  })

  test.each([
    ['another service than reliable connections', { transportService: 1 }, 9],
    ['another GID than its own', { remoteGid: new Uint8Array(16) }, 12],
    ['a private header that is not known', { privateData: new Uint8Array(92).fill(0x50) }, 28],
    ['a service that is no port', { serviceId: 5n }, 8],
    ['an MTU that does not exist', { mtu: 9 }, 26],
  ])('%s', (_, changes, reason) => {
    const { active, passive } = new Pipe()
    passive.agent.listen(PORT)
    active.agent.connect(0, passive.ip, PORT, active.offer())
    const request = readConnectionMad(active.agent.pollMad(0)!.mad)!
    if (request.kind !== 'REQ') throw new Error('no REQ')
    passive.agent.onMad(0, { ip: HERE, port: 1 }, writeConnectionMad({ ...request, ...changes }))
    expect(readConnectionMad(passive.agent.pollMad(0)!.mad)).toMatchObject({ kind: 'REJ', reason })
    expect(passive.requests).toBe(0)
  })

  test('the active end gives up while it is asked for', () => {
    const pipe = new Pipe()
    pipe.passive.answer = () => 'later'
    const connection = pipe.connect()
    pipe.run(5 * MS)
    pipe.active.agent.disconnect(pipe.nowPs, connection)
    pipe.run()
    expect(pipe.log).toEqual(['REQ', 'REJ'])
    expect(pipe.passive.last.end).toEqual({ cause: 'rejected', by: 'other end', reason: 4 })
    expect(states(pipe)).toEqual(['closed', 'closed'])
  })
})

describe('disconnecting', () => {
  test('DREQ and DREP; the numbers are remembered for as long as packets may live', () => {
    const pipe = connected()
    pipe.passive.agent.disconnect(pipe.nowPs, pipe.passive.last)
    pipe.run(pipe.nowPs + 5 * MS)
    expect(pipe.log.slice(3)).toEqual(['dreq', 'DREP'])
    expect(states(pipe)).toEqual(['time wait', 'time wait'])
    expect([pipe.active.last.end, pipe.passive.last.end]).toEqual([
      { cause: 'disconnected', by: 'other end' },
      { cause: 'disconnected', by: 'this end' },
    ])
    const fromPs = pipe.nowPs
    pipe.run()
    expect(states(pipe)).toEqual(['closed', 'closed'])
    // The ACK timeout of 320 us is rounded up to the least wait, 67 ms.
    expect(pipe.nowPs - fromPs).toBeGreaterThan(60 * MS)
    expect(pipe.nowPs - fromPs).toBeLessThan(70 * MS)
  })

  test('both at once', () => {
    const pipe = connected()
    for (const end of [pipe.active, pipe.passive]) end.agent.disconnect(pipe.nowPs, end.last)
    pipe.run()
    expect(pipe.log.slice(3).toSorted()).toEqual(['DREP', 'DREQ', 'drep', 'dreq'])
    expect(states(pipe)).toEqual(['closed', 'closed'])
  })

  test('a DREQ and a DREP lost', () => {
    for (const kind of ['DREQ', 'DREP']) {
      const pipe = connected(losing(kind))
      pipe.active.agent.disconnect(pipe.nowPs, pipe.active.last)
      pipe.run()
      expect(pipe.log.filter((name) => name === 'DREQ')).toHaveLength(2)
      expect(pipe.active.last.end).toEqual({ cause: 'disconnected', by: 'this end' })
      expect(pipe.passive.last.end).toEqual({ cause: 'disconnected', by: 'other end' })
    }
  })

  test('a DREQ for a connection that nobody knows is confirmed; other messages for it are dropped', () => {
    const { active, passive } = connected()
    const ids = { transactionId: 7n, localId: 3, remoteId: 4 }
    const from = { ip: HERE, port: 99 }
    const privateData = new Uint8Array(220)
    passive.agent.onMad(0, from, writeConnectionMad({ kind: 'DREQ', ...ids, qp: 5, privateData }))
    const answer = passive.agent.pollMad(0)!
    expect(readConnectionMad(answer.mad)).toMatchObject({ kind: 'DREP', transactionId: 7n, localId: 4, remoteId: 3 })
    expect(answer.to).toEqual(from)
    for (const kind of ['RTU', 'DREP'] as const) {
      passive.agent.onMad(0, from, writeConnectionMad({ kind, ...ids, privateData }))
      active.agent.onMad(0, from, writeConnectionMad({ kind, ...ids, privateData }))
    }
    expect([passive.agent.pollMad(0), active.agent.pollMad(0)]).toEqual([null, null])
  })

  test('another address cannot disconnect', () => {
    const { active, passive } = connected()
    const { localId, pair } = passive.last
    const dreq = { kind: 'DREQ', transactionId: 7n, localId: active.last.localId, remoteId: localId } as const
    const mad = writeConnectionMad({ ...dreq, qp: pair!.number, privateData: new Uint8Array(220) })
    passive.agent.onMad(0, { ip: Uint8Array.of(192, 0, 2, 9), port: 1 }, mad)
    expect(passive.last.state).toBe('connected')
    passive.agent.onMad(0, { ip: HERE, port: 1 }, mad)
    expect(passive.last.state).toBe('time wait')
  })
})

describe('an end that began anew', () => {
  test('a queue pair that still belongs to a connection: 10, and the old connection ends', () => {
    const pipe = connected()
    const old: Connection = pipe.passive.last
    const again = new Pipe()
    again.connect()
    const request = readConnectionMad(again.active.agent.pollMad(0)!.mad)!
    const mad = writeConnectionMad({ ...request, transactionId: 1n, localId: 1 } as typeof request)
    pipe.passive.agent.onMad(pipe.nowPs, { ip: HERE, port: 1 }, mad)
    const kinds = [0, 1].map(() => readConnectionMad(pipe.passive.agent.pollMad(0)!.mad))
    expect(kinds).toMatchObject([{ kind: 'REJ', reason: 10 }, { kind: 'DREQ' }])
    expect([old.state, pipe.passive.requests]).toEqual(['disconnecting', 1])
  })
})

test('of more than 64 half-open exchanges the oldest are dropped', () => {
  const pipe = new Pipe()
  pipe.path = (message) => (message.kind === 'REP' || message.kind === 'REJ' ? [] : [MS])
  for (let count = 0; count < 200; count++) pipe.connect()
  pipe.run(5 * MS)
  const all = pipe.passive.connections.map(({ state }) => state)
  expect(all.filter((state) => state === 'replied')).toHaveLength(64)
  expect(all.slice(-64).every((state) => state === 'replied')).toBe(true)
  expect(pipe.passive.connections[0]?.end).toEqual({ cause: 'dropped' })
  expect(pipe.passive.agent.count).toBe(64)
  pipe.run()
  expect(pipe.passive.agent.count).toBe(0)
})

describe('over any loss, doubling and delay', () => {
  const fate = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 2 })

  test('both ends agree, or both know that they failed, once the network is quiet again', () => {
    fc.assert(
      fc.property(fc.array(fate, { minLength: 1, maxLength: 60 }), (fates) => {
        const pipe = new Pipe()
        let sent = 0
        // The last fates are those of a network that works.
        pipe.path = () => (fates[sent++] ?? [1]).map((delay) => delay * MS)
        const connection = pipe.connect()
        pipe.run()
        const [mine, theirs] = [pipe.active.last, pipe.passive.connections.at(-1)]
        expect(theirs).toBeDefined()
        const isConnected = mine.state === 'connected'
        expect([mine.state, theirs?.state]).toEqual(Array(2).fill(isConnected ? 'connected' : 'closed'))
        const [sends, takes] = [theirs?.values?.sendPsn, mine.values?.receivePsn]
        expect(!isConnected || sends === takes).toBe(true)
        pipe.active.agent.disconnect(pipe.nowPs, connection)
        pipe.run()
        expect([pipe.active.agent.count, pipe.passive.agent.count]).toEqual([0, 0])
        expect(pipe.nowPs).toBeLessThan(60_000 * MS)
      }),
    )
  })
})

describe('answers to ends whose address is not proved', () => {
  test('a REQ has three answers at most: the REP twice, and the REJ', () => {
    const pipe = new Pipe()
    pipe.path = (message, nth) => (message.kind === 'REQ' && nth === 1 ? [MS] : [])
    pipe.connect()
    pipe.run()
    expect(pipe.log.filter((kind) => kind === kind.toLowerCase())).toEqual(['rep', 'rep', 'rej'])
  })

  test('each further REQ allows a further REP, and an MRA proves the address', () => {
    const pipe = new Pipe()
    pipe.path = (message) => (message.kind === 'REQ' ? [MS] : [])
    pipe.connect()
    pipe.run()
    const sent = (kind: string): number => pipe.log.filter((each) => each === kind).length
    expect([sent('REQ'), sent('rep') <= 2 * sent('REQ')]).toEqual([16, true])
    const proved = new Pipe()
    proved.path = (message) => (message.kind === 'RTU' ? [] : [MS])
    proved.connect()
    proved.run(5 * MS)
    const { localId: remoteId } = proved.passive.last
    const { localId, request } = proved.active.last as Exchange
    const mra = delayOf({ transactionId: request.transactionId, localId, remoteId }, 14)
    proved.passive.agent.onMad(proved.nowPs, { ip: HERE, port: 1 }, writeConnectionMad(mra))
    proved.run()
    expect(proved.log.filter((kind) => kind === 'rep').length).toBeGreaterThan(3)
  })

  test('1,000 strangers a second are answered, and those who are connected none the less', () => {
    const pipe = connected()
    const { agent } = pipe.passive
    const { request } = pipe.passive.last as Exchange
    let answers = 0
    for (let n = 0; n < 5000; n++) {
      const mad = writeConnectionMad({ ...request, transactionId: BigInt(n), localId: n + 10, qp: n + 10 })
      agent.onMad(pipe.nowPs, { ip: Uint8Array.of(10, 0, n >> 8, n & 255), port: 1 }, mad)
      while (agent.pollMad(pipe.nowPs) !== null) answers++
    }
    expect(answers).toBe(1000)
    pipe.active.agent.disconnect(pipe.nowPs, pipe.active.last)
    pipe.run()
    expect(states(pipe)).toEqual(['closed', 'closed'])
  })
})
