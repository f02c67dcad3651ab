/** Two connection managers agree on RoCE or IRN over a path that may lose, duplicate and reorder messages. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS, US } from '../../base/params.ts'
import { createRandomStreams } from '../../base/random.ts'
import { CompletionQueue } from '../queues/completion-queue.ts'
import type { ConnectionManager } from './manager.ts'
import { carry, end, pairOf } from './manager.test-bench.ts'
import { CONNECTION_DEFAULTS } from './values.ts'
import { Device } from '../device.ts'
import { OP_WRITE } from '../queues/operation.ts'
import { VerbsPacket } from '../packet.ts'

describe('the mode', () => {
  test.each([
    [true, true, 'irn'],
    [true, false, 'roce'],
    [false, true, 'roce'],
    [false, false, 'roce'],
  ])('one offers IRN: %s, the other: %s, and it is %s at both ends', (activeOffers, passiveOffers, mode) => {
    const active = end({ offersIrn: activeOffers })
    const passive = end({ offersIrn: passiveOffers })
    passive.listen()
    active.connect(0)
    carry(active, passive)
    expect([active.state, passive.state]).toEqual(['connected', 'connected'])
    expect([active.agreed?.mode, passive.agreed?.mode]).toEqual([mode, mode])
  })
})

test.each([
  ['roce', 3000, 5000, 3000],
  ['roce', 3000, null, null],
  ['roce', null, 3000, null],
  ['roce', null, null, null],
  // The LDCP draft uses them with go-back-N.
  ['irn', 3000, 5000, null],
] as const)(
  'byte sequence numbers over %s, windows of %s and %s bytes: %s at both ends',
  (mode, mine, theirs, agreed) => {
    const offersIrn = mode === 'irn'
    const active = end({ offersIrn }, { lsnWindowBytes: mine })
    const passive = end({ offersIrn }, { lsnWindowBytes: theirs })
    passive.listen()
    active.connect(0)
    carry(active, passive)
    expect([active.agreed?.lsnWindowBytes, passive.agreed?.lsnWindowBytes]).toEqual([agreed, agreed])
  },
)

test('both ends derive the same values, each from its own side', () => {
  const active = end({}, { mtuBytes: 4096, sendPsn: 100, readsOut: 16, readsIn: 2 })
  const small = { ...CONNECTION_DEFAULTS.selectiveRepeat, capPackets: 60, bitmapBits: 64 }
  const passive = end({}, { mtuBytes: 1024, sendPsn: 7, readsOut: 5, readsIn: 4, selectiveRepeat: small })
  passive.listen()
  active.connect(0)
  carry(active, passive)
  expect(active.agreed).toMatchObject({ mtuBytes: 1024, sendPsn: 100, receivePsn: 7, readsOut: 4, readsIn: 2 })
  expect(passive.agreed).toMatchObject({ mtuBytes: 1024, sendPsn: 7, receivePsn: 100, readsOut: 2, readsIn: 4 })
  expect([active.agreed, passive.agreed].map((values) => values?.selectiveRepeat.capPackets)).toEqual([60, 60])
})

test('a rejection carries its reason', () => {
  const active = end()
  const passive = end()
  passive.listen()
  passive.refuse('no such service')
  active.connect(0)
  carry(active, passive)
  expect([active.state, active.reason]).toEqual(['refused', 'no such service'])
})

test('a reply for IRN that one end did not offer is refused, and the other end receives the rejection', () => {
  const active = end({ offersIrn: false })
  active.connect(0)
  active.poll()
  const offer = { ...CONNECTION_DEFAULTS, qp: 5, irn: { bitmapBits: 128, capPackets: 110 } }
  active.onMessage(US, { kind: 'reply', offer, mode: 'irn' })
  expect([active.state, active.agreed, active.nextTimeoutPs]).toEqual(['refused', null, NEVER_PS])
  const refusal = active.poll()!
  expect(refusal).toEqual({ kind: 'reject', reason: 'the reply is for IRN, which one end did not offer' })

  const passive = end()
  passive.listen()
  passive.onMessage(0, { kind: 'request', offer })
  expect(passive.poll()).toMatchObject({ kind: 'reply', mode: 'irn' })
  passive.onMessage(US, refusal)
  expect([passive.state, passive.nextTimeoutPs]).toEqual(['refused', NEVER_PS])
  // Its reply comes once more and is rejected again.
  active.onMessage(US, { kind: 'reply', offer, mode: 'irn' })
  expect(active.poll()).toEqual(refusal)
})

test('a peer without IRN names no mode, and the connection is RoCE', () => {
  const active = end()
  active.connect(0)
  active.poll()
  active.onMessage(US, { kind: 'reply', offer: { ...CONNECTION_DEFAULTS, qp: 5 } })
  expect([active.state, active.agreed?.mode]).toEqual(['connected', 'roce'])
})

test('invalid times and retries are refused, all at once', () => {
  for (const retries of [NaN, -1, 1.5, 16]) {
    for (const responseTimeoutPs of [NaN, -5, 0, Infinity]) {
      expect(() => end({ retries, responseTimeoutPs })).toThrow(
        new RegExp(
          `responseTimeoutPs: expected a time above 0.*\\n?.*retries: expected a whole number, from 0 to 15`,
          'su',
        ),
      )
    }
  }
})

describe('out of order', () => {
  test('no manager connects, listens or refuses twice, or takes a queue pair in use', () => {
    const active = end()
    active.connect(0)
    expect(() => active.connect(0)).toThrow('connect(): expected a manager that is "idle"')
    expect(() => active.listen()).toThrow('listen(): expected a manager that is "idle"')
    expect(() => active.refuse('no')).toThrow('refuse(): expected a manager that is "listening"')
    const device = new Device({ draw: () => 1 })
    const queue = new CompletionQueue(4)
    const domain = device.allocateDomain()
    const pair = device.createQueuePair({ domain, sendCompletions: queue, receiveCompletions: queue })
    pair.modify(0, 'init')
    expect(() => end({ pair })).toThrow('pair: expected a queue pair that is new, or reset')
  })

  test('unexpected messages are ignored: ready before a reply, a rejection while listening, a reply without a request', () => {
    const passive = end()
    passive.listen()
    passive.onMessage(0, { kind: 'ready' })
    passive.onMessage(0, { kind: 'reject', reason: 'why' })
    passive.onMessage(0, { kind: 'reply', offer: { ...CONNECTION_DEFAULTS, qp: 5 }, mode: 'roce' })
    expect([passive.state, passive.reason, passive.agreed, passive.poll()]).toEqual(['listening', '', null, null])
  })

  test('a repeated request is answered again until the connection is established', () => {
    const passive = end()
    passive.listen()
    const request = { kind: 'request', offer: { ...CONNECTION_DEFAULTS, qp: 5 } } as const
    for (let i = 0; i < 2; i++) {
      passive.onMessage(i, request)
      expect(passive.poll()).toMatchObject({ kind: 'reply', mode: 'roce' })
    }
    expect(passive.poll()).toBe(null)
    passive.onMessage(2, { kind: 'ready' })
    passive.onMessage(3, request)
    expect([passive.state, passive.poll()]).toEqual(['connected', null])
  })
})

test('a request packet that arrives before ready-to-use establishes the connection', () => {
  for (const offersIrn of [true, false]) {
    const active = end({ offersIrn })
    const passive = end({ offersIrn })
    passive.listen()
    active.connect(0)
    passive.onMessage(0, active.poll()!)
    active.onMessage(0, passive.poll()!)
    // Ready-to-use is lost.
    expect(active.poll()).toEqual({ kind: 'ready' })
    const work = { id: 1, operation: OP_WRITE, lengthBytes: 0 } as const
    expect([passive.state, pairOf(passive).postSend(0, work)]).toEqual(['replied', 'wrong state'])
    const packet = new VerbsPacket(1024)
    expect([pairOf(active).postSend(0, work), pairOf(active).pollTransmit(0, packet)]).toEqual(['posted', true])
    // A packet out of order does not establish it.
    pairOf(passive).onSegment(US, Object.assign(new VerbsPacket(1024), packet, { psn: packet.psn + 500 }))
    expect(passive.state).toBe('replied')
    pairOf(passive).onSegment(US, packet)
    expect([passive.state, passive.nextTimeoutPs, pairOf(passive).state]).toEqual([
      'connected',
      NEVER_PS,
      'ready to send',
    ])
    expect(pairOf(passive).postSend(US, work)).toBe('posted')
    passive.onMessage(2 * US, { kind: 'ready' })
    passive.onTimeout(NEVER_PS)
    expect([passive.state, passive.poll()]).toEqual(['connected', null])
  }
})

describe('time', () => {
  test('a message is sent again when its timeout expires, and not before', () => {
    const active = end()
    active.connect(5 * US)
    active.poll()
    expect(active.nextTimeoutPs).toBe(105 * US)
    active.onTimeout(104 * US)
    expect(active.poll()).toBe(null)
    active.onTimeout(105 * US)
    expect(active.poll()).toMatchObject({ kind: 'request' })
    expect(active.nextTimeoutPs).toBe(205 * US)
  })

  test('without a pending message a timeout does nothing', () => {
    const idle = end()
    idle.onTimeout(NEVER_PS)
    expect([idle.state, idle.poll()]).toEqual(['idle', null])
  })

  test('an end that gets no reply leaves its queue pair in error', () => {
    const options = { retries: 0 }
    const active = end(options)
    active.connect(0)
    active.onTimeout(100 * US)
    expect([active.state, active.nextTimeoutPs, pairOf(active).state]).toEqual(['unanswered', NEVER_PS, 'error'])
  })
})

test('credits are used where both ends use them, starting with the posted Receive WQEs', () => {
  const credits = [
    [true, true],
    [true, false],
    [false, true],
  ].map(([mine, theirs]) => {
    const active = end({}, { hasCredits: mine! })
    const passive = end({}, { hasCredits: theirs! })
    const receive = { id: 1, region: null, address: 0, lengthBytes: 64 }
    expect([pairOf(passive).postReceive(receive), pairOf(passive).postReceive(receive)]).toEqual(['posted', 'posted'])
    passive.listen()
    active.connect(0)
    carry(active, passive)
    expect(pairOf(active).state).toBe('ready to send')
    return [active.agreed!.hasCredits, active.agreed!.initialCredits, passive.agreed!.initialCredits]
  })
  expect(credits).toEqual([
    [true, 2, 0],
    [false, 2, 0],
    [false, 2, 0],
  ])
})

test('an end without a reply sends 15 more requests and gives up', () => {
  const active = end()
  active.connect(0)
  let asked = 0
  carry(active, end(), () => {
    asked++
    return []
  })
  expect([active.state, asked]).toEqual(['unanswered', 16])
})

test('whatever is lost, duplicated or reordered, both ends are connected and agree', () => {
  const random = createRandomStreams(3).stream('way')
  let faults = 0
  for (let k = 0; k < 200; k++) {
    const active = end({ offersIrn: random.below(2) === 0 })
    const passive = end({ offersIrn: random.below(2) === 0 })
    passive.listen()
    active.connect(0)
    carry(active, passive, () => {
      const draw = random.below(10)
      if (draw < 5) return [US]
      faults++
      if (draw < 7) return []
      return draw < 9 ? [US, 2 * US] : [150 * US]
    })
    expect([active.state, passive.state]).toEqual(['connected', 'connected'])
    expect(active.agreed?.mode).toBe(passive.agreed?.mode)
  }
  expect(faults).toBeGreaterThan(200)
})

describe('parting', () => {
  function connected(): [ConnectionManager, ConnectionManager] {
    const [active, passive] = [end(), end()]
    passive.listen()
    active.connect(0)
    carry(active, passive)
    return [active, passive]
  }
  const statesOf = (...ends: readonly ConnectionManager[]): string[] =>
    ends.flatMap((one) => [one.state, pairOf(one).state])

  test('either end may disconnect, and outstanding work is flushed at both', () => {
    for (const who of [0, 1] as const) {
      const ends = connected()
      ends[who].disconnect(US)
      expect(statesOf(ends[who], ends[1 - who]!)).toEqual(['disconnecting', 'error', 'connected', 'ready to send'])
      carry(...ends)
      expect(statesOf(...ends)).toEqual(['disconnected', 'error', 'disconnected', 'error'])
    }
  })

  test('both ends disconnect, also at once, and whatever is lost, duplicated or late', () => {
    const random = createRandomStreams(4).stream('way')
    let faults = 0
    for (let k = 0; k < 200; k++) {
      const [active, passive] = connected()
      active.disconnect(US)
      if (random.below(2) === 0) passive.disconnect(US)
      carry(active, passive, () => {
        const draw = random.below(10)
        if (draw < 5) return [US]
        faults++
        if (draw < 7) return []
        return draw < 9 ? [US, 2 * US] : [150 * US]
      })
      expect(statesOf(active, passive)).toEqual(['disconnected', 'error', 'disconnected', 'error'])
    }
    expect(faults).toBeGreaterThan(200)
  })

  test('an end whose disconnect is never confirmed is disconnected all the same', () => {
    const [active, passive] = connected()
    active.disconnect(US)
    let asked = 0
    carry(active, passive, () => {
      asked++
      return []
    })
    expect([active.state, asked, passive.state]).toEqual(['disconnected', 16, 'connected'])
  })

  test('a disconnect also ends a connection that waits for ready-to-use; one that is not connected cannot disconnect', () => {
    const [active, passive] = [end(), end()]
    passive.listen()
    expect(() => passive.disconnect(0)).toThrow('disconnect(): expected a manager that is "connected"')
    active.connect(0)
    passive.onMessage(0, active.poll()!)
    active.onMessage(0, passive.poll()!)
    active.poll()
    active.disconnect(US)
    passive.onMessage(US, active.poll()!)
    expect(statesOf(passive)).toEqual(['disconnected', 'error'])
    const idle = end()
    idle.onMessage(0, { kind: 'disconnect' })
    idle.onMessage(0, { kind: 'disconnected' })
    expect([idle.state, idle.poll()]).toEqual(['idle', null])
  })

  test('the same queue pair connects again after a reset', () => {
    const [active, passive] = connected()
    active.disconnect(US)
    carry(active, passive)
    for (const one of [active, passive]) pairOf(one).modify(US, 'reset')
    const again = [active, passive].map((one) => end({ pair: pairOf(one) }))
    again[1]!.listen()
    again[0]!.connect(US)
    carry(again[0]!, again[1]!)
    expect(again.map(({ state }) => state)).toEqual(['connected', 'connected'])
  })
})
