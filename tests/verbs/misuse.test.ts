/** Mistakes of programs: each is refused with a message or still works; nothing hangs and nothing is lost silently. */
import { describe, expect, test } from 'vitest'
import { InputError } from '../../src/core/base/issue.ts'
import { US } from '../../src/core/base/params.ts'
import { VerbsNetwork } from '../../src/lab/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import {
  Completion,
  CompletionQueue,
  CONNECTION_DEFAULTS,
  type ConnectionValues,
  type MemoryRegion,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_WRITE,
  type QueuePair,
  REMOTE_INVALID_REQUEST,
  SUCCESS,
  VerbsPacket,
} from '../../src/core/verbs/index.ts'
import { ALL_RIGHTS, VerbsPair } from '../support/verbs-pair.ts'

const issuesOf = (act: () => unknown): string[] => {
  try {
    act()
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path, expected }) => `${path}: ${expected}`)
  }
}

const SELECTIVE = CONNECTION_DEFAULTS.selectiveRepeat

interface End {
  readonly host: number
  readonly pair: QueuePair
  readonly memory: MemoryRegion
  readonly done: CompletionQueue
}

/** Three hosts on a switch, and functions that create queue pairs on them. */
function starWith(onActivity: (nowPs: number, pair: QueuePair) => void = () => {}) {
  const text =
    'name: star\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: incast, senders: 1, receiver: 0, total: 1KB}]\n'
  const network = new VerbsNetwork(parseScenario(text), { onActivity, isChecked: true })
  const endAt = (host: number): End => {
    const device = network.device(host)
    const domain = device.allocateDomain()
    const done = new CompletionQueue(64)
    const pair = device.createQueuePair({ domain, sendCompletions: done, receiveCompletions: done })
    return { host, pair, done, memory: device.register(domain, ALL_RIGHTS, new Uint8Array(10_000)) }
  }
  return { network, endAt }
}

const writeTo = ({ memory }: End, id: number, lengthBytes = 1000) =>
  ({ id, operation: OP_WRITE, lengthBytes, remoteAddress: memory.address, remoteKey: memory.key }) as const

function statusesOf({ done }: End): number[] {
  const completion = new Completion()
  const statuses: number[] = []
  while (done.poll(completion)) statuses.push(completion.status)
  return statuses
}

describe.each(['roce', 'irn'] as const)('%s: more READs and atomics than the other end has room for', (mode) => {
  /** A assumes that B accepts `readsOut`. */
  const pairWith = (readsOut: number, readsIn: number): VerbsPair => {
    const pair = new VerbsPair({ values: { mode, mtuBytes: 1024 }, isConnected: false })
    for (const [side, other, reads] of [
      [pair.a, pair.b, { readsOut, readsIn: 16 }],
      [pair.b, pair.a, { readsOut: 16, readsIn }],
    ] as const) {
      const values = { ...CONNECTION_DEFAULTS, mode, ...reads, remoteQp: other.pair.number }
      side.pair.modify(0, 'init')
      side.pair.modify(0, 'ready to receive', values)
      side.pair.modify(0, 'ready to send')
    }
    return pair
  }

  test('READs are refused with a status, and none is answered in part', () => {
    const pair = pairWith(16, 2)
    const far = pair.b.memory(64_000)
    for (let id = 0; id < 4; id++) {
      pair.a.post({ id, operation: OP_READ, lengthBytes: 50_000, remoteAddress: far.address, remoteKey: far.key })
    }
    pair.run()
    const statuses = pair.a.done.map(({ status }) => status)
    expect(statuses.filter((status) => status === REMOTE_INVALID_REQUEST)).toHaveLength(1)
    expect(pair.nowPs).toBeLessThan(300 * US)
  })

  test('atomics are executed once and answered, or refused and not executed', () => {
    const pair = pairWith(4, 1)
    const far = pair.b.memory(8)
    for (let id = 0; id < 3; id++) {
      pair.a.post({ id, operation: OP_FETCH_ADD, remoteAddress: far.address, remoteKey: far.key, swap: 1n })
    }
    pair.run()
    // Each response leaves before the next request arrives: there is room for all.
    expect(pair.a.done.map(({ status }) => status)).toEqual([SUCCESS, SUCCESS, SUCCESS])
    expect(far.low(far.address)).toBe(3)
  })

  test('as many as there is room for are answered, again and again', () => {
    const pair = pairWith(2, 2)
    const far = pair.b.memory(8000)
    for (let id = 0; id < 40; id++) {
      pair.a.post({ id, operation: OP_READ, lengthBytes: 3000, remoteAddress: far.address, remoteKey: far.key })
    }
    let packets = 0
    pair.toA.rule((passage) => void (++packets % 7 === 0 && (passage.copies = 0)))
    pair.run()
    expect(pair.a.done.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => SUCCESS))
  })
})

describe('values of a connection', () => {
  const bad: readonly (readonly [Partial<Record<keyof ConnectionValues, unknown>>, string])[] = [
    [{ capPackets: 0 }, 'capPackets'],
    [{ capPackets: NaN }, 'capPackets'],
    [{ lsnWindowBytes: 0 }, 'lsnWindowBytes'],
    [{ mtuBytes: 0 }, 'mtuBytes'],
    [{ mtuBytes: 100.5 }, 'mtuBytes'],
    [{ ackTimeoutPs: 0 }, 'ackTimeoutPs'],
    [{ mode: 'IRN' }, 'mode'],
    [{ readsOut: -1 }, 'readsOut'],
    [{ readsIn: 256 }, 'readsIn'],
    [{ rnrTimerCode: 32 }, 'rnrTimerCode'],
    [{ initialCredits: -3 }, 'initialCredits'],
    [{ sendPsn: 2 ** 24 }, 'sendPsn'],
    [{ receivePsn: 0.5 }, 'receivePsn'],
    [{ remoteQp: NaN }, 'remoteQp'],
    [{ retryLimit: -1 }, 'retryLimit'],
    [{ ackInterval: 0 }, 'ackInterval'],
    [{ mode: 'irn', selectiveRepeat: { ...SELECTIVE, bitmapBits: undefined } }, 'selectiveRepeat.bitmapBits'],
    [{ mode: 'irn', selectiveRepeat: undefined }, 'selectiveRepeat'],
    [{ mode: 'irn', selectiveRepeat: { ...SELECTIVE, rtoHighPs: NaN } }, 'selectiveRepeat.rtoHighPs'],
    [{ mode: 'irn', selectiveRepeat: { ...SELECTIVE, rtoLowPs: 0 } }, 'selectiveRepeat.rtoLowPs'],
    [{ mode: 'irn', selectiveRepeat: { ...SELECTIVE, rtoLowPs: 400 * US } }, 'selectiveRepeat.rtoLowPs'],
    [{ mode: 'irn', selectiveRepeat: { ...SELECTIVE, fetchDelayPs: -5 } }, 'selectiveRepeat.fetchDelayPs'],
    [{ mode: 'irn', selectiveRepeat: { ...SELECTIVE, bitmapBits: 2 ** 24 } }, 'selectiveRepeat.bitmapBits'],
    [{ capPackets: 2 ** 30 }, 'capPackets'],
    [{ mtuBytes: 2 ** 20 }, 'mtuBytes'],
    [{ lsnWindowBytes: 2 ** 31 }, 'lsnWindowBytes'],
    [{ hasCredits: 'no' }, 'hasCredits'],
  ]

  test.each(bad)('%j are refused by name, and the queue pair keeps its state', (values, path) => {
    const { a, b } = new VerbsPair({ isConnected: false })
    const whole = { ...CONNECTION_DEFAULTS, remoteQp: b.pair.number, ...values } as ConnectionValues
    a.pair.modify(0, 'init')
    expect(issuesOf(() => a.pair.modify(0, 'ready to receive', whole))[0]).toMatch(new RegExp(`^${path}: `))
    expect(a.pair.state).toBe('init')
    expect(a.pair.modify(0, 'ready to receive', { ...CONNECTION_DEFAULTS, remoteQp: b.pair.number })).toBe(true)
  })

  test('that conflict between two ends are refused at once', () => {
    const { network, endAt } = starWith()
    const [a, b] = [endAt(0), endAt(1)]
    expect(issuesOf(() => network.connect(a, b, { readsIn: 2, readsOut: 4, capPackets: 0 }))).toEqual([
      'capPackets: a whole number, from 1 to 8388608',
      'readsOut: at most readsIn, 2, which the other end has too',
    ])
    expect(a.pair.state).toBe('reset')
    // A complete set of values has an MTU and first PSNs, which the network sets: otherwise bytes would be cut off.
    const whole = { ...CONNECTION_DEFAULTS, mtuBytes: 4096, sendPsn: 5 }
    expect(issuesOf(() => network.connect(a, b, whole))).toEqual([
      `mtuBytes: ${network.mtuBytes}, which is the network's, or nothing`,
      "sendPsn: 0, which is the network's, or nothing",
    ])
    // Fewer are requested where fewer are accepted.
    network.connect(a, b, { readsIn: 2 })
    for (let id = 0; id < 6; id++) {
      const { memory } = b
      a.pair.postSend(0, {
        id,
        operation: OP_READ,
        lengthBytes: 3000,
        remoteAddress: memory.address,
        remoteKey: memory.key,
      })
    }
    network.run()
    expect(statusesOf(a)).toEqual([SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS])
  })
})

describe('a network', () => {
  test('names the end that cannot be connected, and the reason', () => {
    const { network, endAt } = starWith()
    const [a, b, c] = [endAt(0), endAt(1), endAt(2)]
    network.connect(a, b)
    expect(issuesOf(() => network.connect(a, c))).toEqual(['a.pair: a queue pair that is new, or reset'])
    expect(issuesOf(() => network.connect({ host: 9, pair: c.pair }, { host: 1, pair: c.pair }))).toEqual([
      'a.host: a host from 0 to 2',
      'b.pair: a queue pair of device(1)',
      'b.pair: another queue pair than that of a',
    ])
    for (const host of [3, -1, 0.5]) expect(issuesOf(() => network.device(host))).toEqual(['host: a host from 0 to 2'])
  })

  test.each([0, -1, 1.5, NaN])('has no packets of %s bytes', (mtuBytes) => {
    const scenario = parseScenario('name: n\ntopology: {kind: star}\nworkload: [{kind: incast, senders: 1}]\n')
    expect(issuesOf(() => new VerbsNetwork(scenario, { mtuBytes }))[0]).toMatch(/^mtuBytes: a whole number from 1 to/)
  })

  test('a queue pair that is reset and connected again sends to its new partner alone', () => {
    const { network, endAt } = starWith()
    const [a, b, c] = [endAt(0), endAt(1), endAt(2)]
    network.connect(a, b)
    for (let id = 0; id < 6; id++) a.pair.postSend(0, writeTo(b, id, 5000))
    network.run(3 * US)
    // In the middle of it: some of the packets are still in flight.
    for (const { pair } of [a, b]) pair.modify(network.nowPs, 'reset')
    network.connect(a, c)
    statusesOf(a)
    for (let id = 10; id < 16; id++) a.pair.postSend(network.nowPs, writeTo(c, id, 5000))
    network.run()
    expect(statusesOf(a)).toEqual([SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS])
    expect(a.pair.requester.retransmissions).toBe(0)
  })

  test('work that a callback posts on another host is sent too', () => {
    const relayed: number[] = []
    const { network, endAt } = starWith((nowPs, pair) => {
      if (pair !== a.pair || relayed.length > 0 || a.done.count === 0) return
      relayed.push(nowPs)
      x.pair.postSend(nowPs, writeTo(y, 7))
    })
    const [a, b, x, y] = [endAt(0), endAt(1), endAt(1), endAt(2)]
    network.connect(a, b)
    network.connect(x, y)
    a.pair.postSend(0, writeTo(b, 1))
    network.run()
    expect([statusesOf(a), statusesOf(x)]).toEqual([[SUCCESS], [SUCCESS]])
    expect(relayed).toHaveLength(1)
  })

  test('so is work posted at a time, or between two slices', () => {
    const { network, endAt } = starWith()
    const [a, b] = [endAt(0), endAt(1)]
    network.connect(a, b)
    network.at(5 * US, (nowPs) => void a.pair.postSend(nowPs, writeTo(b, 1)))
    network.run()
    expect(statusesOf(a)).toEqual([SUCCESS])
    a.pair.postSend(network.nowPs, writeTo(b, 2))
    while (network.advance(10));
    expect(statusesOf(a)).toEqual([SUCCESS])
  })
})

describe('outstanding PSNs', () => {
  test('a READ of more than half of the PSN range is too long; several wait for each other', () => {
    const half = 2 ** 23
    const pair = new VerbsPair({ values: { mtuBytes: 64 } })
    const far = pair.b.device.register(pair.b.domain, ALL_RIGHTS, null, 2 ** 31)
    const read = { id: 1, operation: OP_READ, remoteAddress: far.address, remoteKey: far.key } as const
    expect(pair.a.pair.postSend(0, { ...read, lengthBytes: half * 64 + 1 })).toBe('wrong length')
    const packet = new VerbsPacket(64)
    for (let id = 0; id < 2; id++) pair.a.post({ ...read, id, lengthBytes: half * 40 })
    expect([pair.a.pair.pollTransmit(0, packet), pair.a.pair.pollTransmit(0, packet)]).toEqual([true, false])
    // IRN responses have a space of their own, with a cap.
    const irn = new VerbsPair({ values: { mode: 'irn', mtuBytes: 64 } })
    expect(irn.a.pair.postSend(0, { ...read, lengthBytes: half * 64 + 1 })).toBe('posted')
  })

  test.each([1, 4, 7, 8])('an atomic is one packet, even where packets have %i bytes', (mtuBytes) => {
    const pair = new VerbsPair({ values: { mtuBytes } })
    const far = pair.b.memory(8)
    for (let id = 0; id < 2; id++) {
      pair.a.post({ id, operation: OP_FETCH_ADD, remoteAddress: far.address, remoteKey: far.key, swap: 1n })
    }
    pair.run()
    expect([pair.a.log, far.low(far.address)]).toEqual([['0:0', '1:0'], 2])
  })
})

test('a READ whose responses arrive after its timeout and before it is requested again completes', () => {
  const pair = new VerbsPair()
  const [near, far] = [pair.a.memory(3000), pair.b.memory(3000)]
  pair.a.post({
    id: 1,
    operation: OP_READ,
    lengthBytes: 3000,
    region: near,
    address: near.address,
    remoteAddress: far.address,
    remoteKey: far.key,
  })
  const [packet, answers] = [new VerbsPacket(1024), [] as VerbsPacket[]]
  pair.a.pair.pollTransmit(0, packet)
  pair.b.pair.onSegment(US, packet)
  for (let out = new VerbsPacket(1024); pair.b.pair.pollTransmit(US, out); out = new VerbsPacket(1024))
    answers.push(out)
  expect(answers).toHaveLength(3)
  // Its NIC is paused: nothing leaves meanwhile.
  pair.a.pair.onTimeout(pair.a.pair.nextTimeoutPs)
  for (const answer of answers) pair.a.pair.onSegment(400 * US, answer)
  pair.a.poll()
  expect([pair.a.log, pair.a.pair.requester.timeouts]).toEqual([['1:0'], 1])
})

test.each([
  ['of a reserved type', 0x45, []],
  ['with the reserved bit', 0x80 | 0x1f, ['1:0']],
])('an ACK or NAK %s', (_name, syndrome, log) => {
  const pair = new VerbsPair({ values: { ackTimeoutPs: null } })
  const far = pair.b.memory(64)
  pair.toA.rule(({ packet }) => void Object.assign(packet, { syndrome }))
  pair.a.post({ id: 1, operation: OP_WRITE, lengthBytes: 64, remoteAddress: far.address, remoteKey: far.key })
  pair.run()
  expect([pair.a.log, pair.a.pair.state]).toEqual([log, 'ready to send'])
})

test('a drained send queue goes on when a callback or a program restarts it', () => {
  const { network, endAt } = starWith()
  const [a, b] = [endAt(0), endAt(1)]
  network.connect(a, b)
  a.pair.modify(0, 'send queue drain')
  expect(a.pair.postSend(0, writeTo(b, 1))).toBe('posted')
  network.at(5 * US, (nowPs) => a.pair.modify(nowPs, 'ready to send'))
  network.run()
  expect(statusesOf(a)).toEqual([SUCCESS])
})

test('invalid operands, regions and numbers of work are refused; a region left out means none', () => {
  const pair = new VerbsPair()
  const far = pair.b.memory(8)
  const add = { id: 1, operation: OP_FETCH_ADD, remoteAddress: far.address, remoteKey: far.key }
  for (const wrong of [{ swap: 2n ** 64n }, { compare: -(2n ** 63n) - 1n }, { region: {} }, { id: 'x' }]) {
    expect(pair.a.pair.postSend(0, { ...add, ...wrong } as never)).toBe('wrong value')
  }
  expect(pair.b.pair.postReceive({ id: 1, lengthBytes: 8, region: {} } as never)).toBe('wrong value')
  expect(pair.b.pair.postReceive({ id: 1, lengthBytes: 8 })).toBe('posted')
  pair.a.post({ id: 2, operation: OP_SEND, lengthBytes: 8 })
  pair.a.post({ ...add, operation: OP_FETCH_ADD, swap: -1n })
  pair.run()
  expect([pair.a.log, pair.b.receiveLog, far.low(far.address)]).toEqual([['2:0', '1:0'], ['1:0'], 2 ** 32 - 1])
})

test('a packet with less room than the MTU is a bug of its driver, not a shorter message', () => {
  const pair = new VerbsPair()
  const [from, to] = [pair.a.memory(1024), pair.b.memory(1024)]
  const target = { remoteAddress: to.address, remoteKey: to.key }
  pair.a.pair.postSend(0, {
    id: 1,
    operation: OP_WRITE,
    region: from,
    address: from.address,
    lengthBytes: 1024,
    ...target,
  })
  expect(() => pair.a.pair.pollTransmit(0, new VerbsPacket(64))).toThrow(
    'out: expected a packet with room for the MTU, 1024 bytes, received room for 64',
  )
  expect(pair.a.pair.pollTransmit(0, new VerbsPacket(1024))).toBe(true)
})

test('values left out by a program without types are named, or refused like any other invalid value', () => {
  const { network, endAt } = starWith()
  const { pair } = endAt(0)
  expect(pair.postSend(0, undefined as never)).toBe('wrong state')
  expect(pair.postReceive(null as never)).toBe('wrong state')
  pair.modify(0, 'init')
  expect(pair.postReceive(null as never)).toBe('wrong value')
  const device = network.device(1)
  const done = new CompletionQueue(4)
  expect(issuesOf(() => device.createQueuePair(null as never))).toEqual(['plan: the options of a queue pair'])
  const plan = { domain: device.allocateDomain(), sendCompletions: done }
  expect(issuesOf(() => device.createQueuePair(plan as never))).toEqual(['receiveCompletions: a completion queue'])
  expect(issuesOf(() => pair.requester)).toEqual(['pair: a queue pair that is connected'])
})

test('a value of one mode is refused, not ignored, where no mode is named', () => {
  const { network, endAt } = starWith()
  const [a, b] = [endAt(0), endAt(1)]
  const unread = { retryLimit: 3, ackTimeoutPs: US, lsnWindowBytes: 4096, selectiveRepeat: SELECTIVE }
  const names = ['retryLimit', 'ackTimeoutPs', 'selectiveRepeat', 'lsnWindowBytes']
  expect(issuesOf(() => network.connect(a, b, unread))).toEqual(
    names.map((name) => `${name}: nothing, as the scenario has it, where values name no mode`),
  )
  network.connect(a, b, { ...unread, mode: 'roce' })
  expect(a.pair.state).toBe('ready to send')
})
