import { describe, expect, test } from 'vitest'
import { run } from '../index.ts'
import { parseScenario } from '../scenario/index.ts'

interface Story {
  readonly recovery?: string
  readonly operation?: string
  readonly messages?: number
  readonly outstanding?: number
  readonly qp?: string
  /** Faults of data to host 1, and of ACKs and NAKs to host 0. */
  readonly faults?: readonly string[]
}

/** Messages of 400 packets from host 0 to host 1 through one switch, by default one after the other; an ACK for every 100th packet. */
function timeoutsOf(story: Story): Readonly<Record<string, number>> {
  const { recovery = 'go-back-n', operation = 'write', messages = 1, outstanding = 1, faults = [] } = story
  const result = run(
    parseScenario(`
name: story
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 1us}
recovery: ${recovery}
qp: {${story.qp ?? 'ackInterval: 100, ackTimeout: 1ms, retryLimit: off'}}
workload: [{kind: closed-loop, pairs: ["0 1"], operation: ${operation}, messageSize: 400KiB, messages: ${messages}, outstanding: ${outstanding}}]
faults: [${faults.join(', ')}]
measure: {end: drain}
`),
    { check: true },
  )
  expect(result.counters.payloadBytesDelivered).toBe(messages * 409_600)
  return result.counters.timeouts
}

/** Every nth data packet, or ACK or NAK, is lost. Faults in a row count packets that earlier ones let pass. */
const data = (nth: number): string => `{kind: every-nth, n: ${nth}, links: "2>1", packets: data}`
const control = (nth: number): string => `{kind: every-nth, n: ${nth}, links: "2>0", packets: control}`
/** Packets sent after a lost one until it is sent again. */
const BEHIND = 21
/** Packet 310, and the fourth ACK or NAK, which is its NAK. */
const LOST_WITH_ITS_NAK = [data(310), control(4)]
const LOST_TWICE = [data(310), data(310 + BEHIND)]

describe('the four reasons of the paper', () => {
  test('1: the last packet of the message is lost', () => {
    expect(timeoutsOf({ faults: [data(400)] })).toEqual({ 'last packet lost': 1 })
  })

  test('1: it is also the reason when more packets at the end are lost', () => {
    expect(timeoutsOf({ faults: [data(399), data(399)] })).toEqual({ 'last packet lost': 1 })
  })

  test('2: the ACK of the last packet is lost', () => {
    expect(timeoutsOf({ faults: [control(4)] })).toEqual({ 'last ACK lost': 1 })
  })

  test('3: the NAK is lost', () => {
    expect(timeoutsOf({ faults: LOST_WITH_ITS_NAK })).toEqual({ 'NAK lost': 1 })
  })

  test('4: the packet is lost a second time', () => {
    expect(timeoutsOf({ faults: LOST_TWICE })).toEqual({ 'packet lost twice': 1 })
  })

  test('Send Twice takes away the first two and leaves the others', () => {
    const recovery = 'send-twice'
    expect(timeoutsOf({ recovery, faults: [data(400)] })).toEqual({})
    expect(timeoutsOf({ recovery, faults: [control(4)] })).toEqual({})
    expect(timeoutsOf({ recovery, faults: LOST_WITH_ITS_NAK })).toEqual({ 'NAK lost': 1 })
  })

  test('Check EPSN takes away the last two and leaves the others', () => {
    const recovery = 'check-epsn'
    expect(timeoutsOf({ recovery, faults: LOST_WITH_ITS_NAK })).toEqual({})
    expect(timeoutsOf({ recovery, faults: LOST_TWICE })).toEqual({})
    expect(timeoutsOf({ recovery, faults: [data(400)] })).toEqual({ 'last packet lost': 1 })
    expect(timeoutsOf({ recovery, faults: [control(4)] })).toEqual({ 'last ACK lost': 1 })
  })

  test('a packet is lost again and then its NAK: the timeout waited for the NAK', () => {
    const recovery = '{kind: go-back-n, nakInterval: 15us}'
    expect(timeoutsOf({ recovery, faults: LOST_TWICE })).toEqual({})
    expect(timeoutsOf({ recovery, faults: [...LOST_TWICE, control(5)] })).toEqual({ 'NAK lost': 1 })
  })
})

describe('other causes', () => {
  test('an ACK in the middle is lost, and the timeout does not wait for the next', () => {
    const qp = 'ackInterval: 100, ackTimeout: 35us, retryLimit: off'
    expect(timeoutsOf({ qp, messages: 10 })).toEqual({})
    expect(timeoutsOf({ qp, messages: 10, faults: [control(39)] })).toEqual({ 'other loss': 1 })
  })

  test('a packet is lost, and the gate suppresses its NAK', () => {
    const faults = [data(310), data(310 + BEHIND + 40)]
    expect(timeoutsOf({ faults })).toEqual({})
    expect(timeoutsOf({ recovery: '{kind: go-back-n, nakGate: strict}', faults })).toEqual({ 'other loss': 1 })
  })

  test('nothing is lost, and the ACK takes longer than the timeout', () => {
    const timeouts = timeoutsOf({ qp: 'ackInterval: 1, ackTimeout: 4us, retryLimit: off' })
    expect(Object.keys(timeouts)).toEqual(['no loss'])
  })

  test('the request of a READ is lost', () => {
    const faults = ['{kind: ip-id, lowByte: 0, links: "2>0", packets: control}']
    expect(timeoutsOf({ operation: 'read', faults })).toEqual({ 'READ request lost': 1 })
  })

  test('the request of a READ is lost before others: no timeout, as the responder sends a NAK', () => {
    const reads = { operation: 'read', messages: 5, outstanding: 5, faults: [control(4)] }
    expect(timeoutsOf(reads)).toEqual({})
    expect(timeoutsOf({ ...reads, qp: 'ackTimeout: off' })).toEqual({})
  })

  test('the request of a READ and then that NAK are lost: the cause is the request', () => {
    const faults = [control(4), '{kind: every-nth, n: 1, links: "2>1", packets: control}']
    expect(timeoutsOf({ operation: 'read', messages: 5, outstanding: 5, faults })).toEqual({ 'READ request lost': 1 })
  })

  test('the last response of a READ is lost', () => {
    expect(timeoutsOf({ operation: 'read', faults: [data(400)] })).toEqual({ 'last packet lost': 1 })
  })
})

test.each([
  { recovery: 'go-back-n', loss: 0.006, messages: 300, kinds: 4 },
  { recovery: 'go-back-0', loss: 0.006, messages: 100, kinds: 1 },
  { recovery: 'send-twice', loss: 0.006, messages: 300, kinds: 2 },
  { recovery: 'check-epsn', loss: 0.006, messages: 1000, kinds: 2 },
  { recovery: 'improved-gbn', loss: 0.08, messages: 400, kinds: 1 },
])('every timeout of many with $recovery has one cause', ({ recovery, loss, messages, kinds }) => {
  // The run itself stops when the sum is another.
  const faults = [`{kind: bernoulli, probability: ${loss}, links: "2>0, 2>1", packets: both}`]
  expect(Object.keys(timeoutsOf({ recovery, messages, faults })).length).toBeGreaterThanOrEqual(kinds)
})
