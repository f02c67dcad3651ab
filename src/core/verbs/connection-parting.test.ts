/** Failed connection attempts and disconnecting, message by message. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS, US } from '../base/params.ts'
import type { ConnectionManager, ConnectionMessage } from './connection/manager.ts'
import { carry, end, pairOf } from './connection/manager.test-bench.ts'
import { CONNECTION_DEFAULTS } from './connection/values.ts'
import { OP_WRITE } from './queues/operation.ts'

const OFFER = { ...CONNECTION_DEFAULTS, qp: 5 }

function connected(): [ConnectionManager, ConnectionManager] {
  const [active, passive] = [end(), end()]
  passive.listen()
  active.connect(0)
  carry(active, passive)
  expect([active.state, passive.state]).toEqual(['connected', 'connected'])
  return [active, passive]
}

/** All messages that the end has to send now. */
function sayings(manager: ConnectionManager): ConnectionMessage[] {
  const all: ConnectionMessage[] = []
  for (let message = manager.poll(); message !== null; message = manager.poll()) all.push(message)
  return all
}

describe('no connection', () => {
  test('is made with invalid values, own or received', () => {
    const refusal = {
      kind: 'reject',
      reason:
        'values that no connection can have: mtuBytes: expected a whole number, from 1 to 65535, received 0; ' +
        'receivePsn: expected a whole number, from 0 to 16777215, received -1',
    }
    const offer = { ...OFFER, mtuBytes: 0, sendPsn: -1 }
    const passive = end()
    passive.listen()
    passive.onMessage(0, { kind: 'request', offer })
    expect([passive.state, passive.agreed, sayings(passive)]).toEqual(['refused', null, [refusal]])
    const active = end()
    active.connect(0)
    sayings(active)
    active.onMessage(0, { kind: 'reply', offer, mode: 'roce' })
    expect([active.state, active.agreed, active.nextTimeoutPs, sayings(active)]).toEqual([
      'refused',
      null,
      NEVER_PS,
      [refusal],
    ])
    expect([passive, active].map((one) => pairOf(one).state)).toEqual(['init', 'init'])
  })

  test('is made with a queue pair that has left its initial state', () => {
    const passive = end()
    passive.listen()
    pairOf(passive).modify(0, 'reset')
    passive.onMessage(0, { kind: 'request', offer: OFFER })
    const reason = 'the queue pair changed its state while it was being connected'
    expect([passive.state, passive.agreed, sayings(passive)]).toEqual(['refused', null, [{ kind: 'reject', reason }]])
    // The request comes again, as the rejection may have been lost.
    passive.onMessage(US, { kind: 'request', offer: OFFER })
    expect(sayings(passive)).toEqual([{ kind: 'reject', reason }])
  })

  test('is started with own values that are invalid in an offered mode', () => {
    const wrong = { selectiveRepeat: { ...CONNECTION_DEFAULTS.selectiveRepeat, nackThreshold: 0 } }
    expect(() => end({ offersIrn: true }, wrong)).toThrow('selectiveRepeat.nackThreshold: expected a whole number')
    expect(end({ offersIrn: false }, wrong).state).toBe('idle')
    expect(() => end({ offersIrn: false }, { mtuBytes: 0 })).toThrow('mtuBytes: expected a whole number')
  })

  test('follows a refusal: the queue pair that replied is in error, the one that asked may try again', () => {
    const reject = { kind: 'reject', reason: 'full' } as const
    const passive = end()
    passive.listen()
    passive.onMessage(0, { kind: 'request', offer: OFFER })
    passive.onMessage(US, reject)
    expect([passive.state, passive.reason, pairOf(passive).state]).toEqual(['refused', 'full', 'error'])
    const active = end()
    active.connect(0)
    active.onMessage(US, reject)
    expect([active.state, active.reason, active.nextTimeoutPs, pairOf(active).state]).toEqual([
      'refused',
      'full',
      NEVER_PS,
      'init',
    ])
  })
})

describe('offers', () => {
  test('offers contain IRN and byte numbers if supported, and the posted Receive WQEs', () => {
    const offerOf = (manager: ConnectionManager): object => {
      manager.connect(0)
      const [message] = sayings(manager)
      return message?.kind === 'request' ? message.offer : {}
    }
    expect(offerOf(end())).toMatchObject({ irn: { bitmapBits: 128, capPackets: 110 }, initialCredits: 0 })
    expect(offerOf(end())).not.toHaveProperty('lsnWindowBytes')
    const plain = end({ offersIrn: false }, { lsnWindowBytes: 5000 })
    for (const id of [1, 2, 3]) pairOf(plain).postReceive({ id, lengthBytes: 64 })
    expect(offerOf(plain)).toMatchObject({ lsnWindowBytes: 5000, initialCredits: 3 })
    expect(offerOf(end({ offersIrn: false }))).not.toHaveProperty('irn')
  })
})

describe('parting', () => {
  test('one end disconnects, the other confirms, and neither waits any longer', () => {
    const [active, passive] = connected()
    active.disconnect(US)
    expect(sayings(active)).toEqual([{ kind: 'disconnect' }])
    expect(active.nextTimeoutPs).toBe(101 * US)
    passive.onMessage(2 * US, { kind: 'disconnect' })
    expect([passive.state, pairOf(passive).state, sayings(passive)]).toEqual([
      'disconnected',
      'error',
      [{ kind: 'disconnected' }],
    ])
    active.onMessage(3 * US, { kind: 'disconnected' })
    expect([active.state, active.nextTimeoutPs, sayings(active)]).toEqual(['disconnected', NEVER_PS, []])
    // The confirmation may have been lost.
    passive.onMessage(4 * US, { kind: 'disconnect' })
    expect(sayings(passive)).toEqual([{ kind: 'disconnected' }])
  })

  test('both ends disconnect at once: each confirms and waits for its own confirmation', () => {
    const [active, passive] = connected()
    for (const one of [active, passive]) {
      one.disconnect(US)
      sayings(one)
      one.onMessage(2 * US, { kind: 'disconnect' })
      expect([one.state, sayings(one)]).toEqual(['disconnecting', [{ kind: 'disconnected' }]])
    }
  })

  test('without a disconnect nothing ends: a confirmation that was not requested is ignored', () => {
    const [active] = connected()
    active.onMessage(US, { kind: 'disconnected' })
    expect([active.state, pairOf(active).state]).toEqual(['connected', 'ready to send'])
    const asking = end()
    asking.connect(0)
    sayings(asking)
    for (const kind of ['disconnect', 'disconnected'] as const) asking.onMessage(US, { kind })
    expect([asking.state, asking.nextTimeoutPs, sayings(asking)]).toEqual(['requested', 100 * US, []])
  })

  test('after its connection has ended a queue pair ignores late messages', () => {
    const [active, passive] = connected()
    active.disconnect(US)
    carry(active, passive)
    passive.onMessage(5 * US, { kind: 'ready' })
    passive.onMessage(5 * US, { kind: 'reject', reason: 'late' })
    passive.onEstablished(5 * US)
    expect([passive.state, passive.reason, pairOf(passive).state, sayings(passive)]).toEqual([
      'disconnected',
      '',
      'error',
      [],
    ])
    // Work posted after that is flushed.
    const work = { id: 1, operation: OP_WRITE, lengthBytes: 0 } as const
    expect([pairOf(passive).postSend(5 * US, work), pairOf(passive).outstanding]).toEqual(['posted', 0])
  })
})
