/**
 * Stories in which one cause takes most of the time, and what it is named.
 */
import { describe, expect, test } from 'vitest'
import { US } from '../../../core/base/params.ts'
import { run } from '../../index.ts'
import { ACK_PARTS, numbersOf, PARTS, type Result, textsOf } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'

const resultOf = (text: string, observer = 'autopsy'): Result =>
  run(parseScenario(`name: story\nobserve: [${observer}]\n${text}`), { check: true })

/** Parts of a flow in microseconds; those that are 0 are left out. */
function partsOf({ flows }: Result, flow: number, parts = PARTS): Record<string, number> {
  const all = parts.map(({ column }) => [column, numbersOf(flows, column)[flow]! / US] as const)
  return Object.fromEntries(all.filter(([, us]) => us !== 0))
}

/** The part with most of the time. */
function largestOf(result: Result, flow: number): string {
  const [largest] = Object.entries(partsOf(result, flow)).toSorted((a, b) => b[1] - a[1])
  return largest![0]
}

const at = (result: Result, column: string, flow: number): number => numbersOf(result.flows, column)[flow]!
const star = (hosts: number): string => `topology: {kind: star, hosts: ${hosts}, linkRate: 8Gbps, linkDelay: 1us}\n`
const flowsOf = (...flows: string[]): string =>
  `workload: [{kind: trace, flows: [${flows.map((flow) => `"${flow}"`).join(', ')}]}]\n`
const LOSSY = 'pfc: {classes: []}\nqp: {ackTimeout: 500us}\ncongestion: none\n'

describe('the sender', () => {
  test('paced far below the line rate: the rate, and nothing else but its bytes', () => {
    // Above tHigh the rate falls with every answer.
    const result = resultOf(`${star(2)}congestion: {kind: timely, tLow: 2ps, tHigh: 3ps}\n${flowsOf('0 1 300KB 0us')}`)
    expect(largestOf(result, 0)).toBe('ratePs')
    const { ratePs, ownPs, propagationPs, wirePs, ...others } = partsOf(result, 0)
    expect(others).toEqual({})
    expect(ratePs).toBeGreaterThan(3 * ownPs!)
    expect(propagationPs! + wirePs!).toBeLessThan(5)
  })

  test('three packets on a queue pair: the third is behind exactly two', () => {
    const one = '0 1 1000B 0us connection=1'
    const result = resultOf(`${star(2)}congestion: none\n${flowsOf(one, one, one)}`)
    const { behindPs, ...others } = partsOf(result, 2)
    const { wirePs } = partsOf(result, 0)
    expect(behindPs).toBeCloseTo(wirePs!, 9)
    expect(Object.keys(others)).toEqual(['wirePs', 'propagationPs'])
  })

  test("IRN's cap of packets in flight on a long path", () => {
    const result = resultOf(
      `topology: {kind: star, hosts: 2, linkRate: 8Gbps, linkDelay: 50us}\nrecovery: {kind: irn, cap: 10}\n${LOSSY}${flowsOf('0 1 100KB 0us')}`,
    )
    expect(largestOf(result, 0)).toBe('capPs')
  })

  test('no Receive WQE: the wait after an RNR NAK', () => {
    const send = '0 1 1KB 0us op=send connection=1'
    const result = resultOf(
      `${star(2)}congestion: none\nqp: {receiveQueue: 1, receiveRepost: 20us, rnrTimer: 9}\n${flowsOf(send, send)}`,
    )
    expect(largestOf(result, 1)).toBe('rnrPs')
    // Code 9 is 240 us.
    expect(partsOf(result, 1)['rnrPs']).toBeGreaterThan(240)
    expect(partsOf(result, 1)['rnrPs']).toBeLessThan(250)
  })

  test('work requests beyond the depth of the send queue are behind those in it', () => {
    const flows = Array.from({ length: 4 }, () => '0 1 10KB 0us connection=1')
    const text = flowsOf(...flows).replace('kind: trace', 'kind: trace, workRequests: true')
    const result = resultOf(`${star(2)}congestion: none\nverbs: {sendDepth: 1}\n${text}`)
    expect(largestOf(result, 3)).toBe('behindPs')
    // Each before it has its bytes on the link, and a round trip until its CQE.
    expect(partsOf(result, 3)['behindPs']).toBeGreaterThan(3 * (10 + 4))
  })
})

describe('losses', () => {
  test('a hole that is filled by the third copy of its packet: two timeouts', () => {
    // The message is one packet; its first two copies are lost.
    const lost = 'faults: [{kind: bernoulli, probability: 1, links: "0>2", until: 600us}]\n'
    const result = resultOf(`${star(2)}${LOSSY}${lost}${flowsOf('0 1 1KB 0us')}`)
    expect(at(result, 'timeouts', 0)).toBe(2)
    const { timeoutWaitPs, resendPs } = partsOf(result, 0)
    // Less the packet itself, which is on the link twice.
    expect(timeoutWaitPs! + resendPs!).toBeGreaterThan(998)
    expect(timeoutWaitPs! + resendPs!).toBeLessThan(1000)
    expect(resendPs).toBeGreaterThan(1)
    expect(resendPs).toBeLessThan(1.2)
  })

  test('a loss near the end under IRN: until the NACK, then that packet again', () => {
    const lost = 'faults: [{kind: every-nth, n: 9, until: 35us, links: "0>2"}]\n'
    const text = `topology: {kind: star, hosts: 2, linkRate: 8Gbps, linkDelay: 20us}\nrecovery: irn\n${LOSSY}${lost}${flowsOf('0 1 10KB 0us')}`
    const result = resultOf(text)
    expect(at(result, 'retransmissions', 0)).toBe(1)
    const { nakWaitPs, timeoutWaitPs, propagationPs } = partsOf(result, 0)
    expect(timeoutWaitPs).toBeUndefined()
    // A round trip of four links, and two more for the copy that fills the hole.
    expect(nakWaitPs).toBeGreaterThan(80)
    expect(nakWaitPs).toBeLessThan(85)
    expect(propagationPs).toBe(40)
  })

  test('a packet lost twice, found by a NACK and then by a timeout: a wait counts from the last packet on', () => {
    // Every packet that leaves in the times of the two copies of packet 2 is lost.
    const lost = (from: number, until: number): string =>
      `{kind: bernoulli, probability: 1, links: "0>2", from: ${from}us, until: ${until}us}`
    const text = `${star(2)}recovery: irn\n${LOSSY}faults: [${lost(2.5, 3.4)}, ${lost(10, 20)}]\n${flowsOf('0 1 5KB 0us')}`
    const result = resultOf(text)
    expect([at(result, 'timeouts', 0), at(result, 'retransmissions', 0)]).toEqual([1, 2])
    const { nakWaitPs = 0, timeoutWaitPs = 0 } = partsOf(result, 0)
    // The fifth packet is out at 5.61 us, the NACK is there at 8.80; the copy goes out then, and the next after 500 us.
    expect(nakWaitPs).toBeCloseTo(3.186, 3)
    expect(timeoutWaitPs).toBeGreaterThan(498.5)
    expect(timeoutWaitPs).toBeLessThan(499.5)
  })

  test("a READ's request is lost: its wait belongs to the request", () => {
    const lost = 'faults: [{kind: bernoulli, probability: 1, packets: control, links: "1>2", until: 100us}]\n'
    const result = resultOf(`${star(2)}${LOSSY}${lost}${flowsOf('0 1 10KB 0us op=read')}`)
    expect(largestOf(result, 0)).toBe('requestPs')
    expect(partsOf(result, 0)['requestPropagationPs']).toBe(2)
  })

  test('a trimmed packet shows the loss at once', () => {
    const result = resultOf(`${star(5)}${LOSSY}recovery: {kind: irn, cap: 100}
switch: {buffer: {size: 60KB}, trimming: {of: lossy}}
workload: [{kind: incast, senders: 4, receiver: 0, total: 400KB}]`)
    expect(result.counters.trimmed).toBeGreaterThan(0)
    const waits = [0, 1, 2, 3].map((flow) => partsOf(result, flow)['timeoutWaitPs'] ?? 0)
    expect(waits).toEqual([0, 0, 0, 0])
  })
})

describe('the network and the receiver', () => {
  test('sprayed packets: the copy that completes a message is the one that came by the slow spine', () => {
    const result = resultOf(`
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, rates: ["leaf 0-spine 1: 2Gbps"]}
congestion: none
recovery: irn
balance: spray
pfc: {classes: []}
qp: {ackTimeout: 50ms}
${flowsOf('0 2 30KB 0us', '1 3 30KB 0us')}`)
    const hops = result.series.find(({ name }) => name === 'autopsy')!
    const nodes = textsOf(hops, 'nodeName')
    const third = numbersOf(hops, 'hop').reduce<string[]>(
      (all, hop, row) => (hop === 2 ? [...all, nodes[row]!] : all),
      [],
    )
    expect(third).toEqual(['spine 1', 'spine 1'])
    for (const flow of [0, 1]) expect(largestOf(result, flow)).toBe('queuePs')
  })

  test('a slow receive pipeline pauses its switch: it is the origin, and the queue in front of it the part', () => {
    const result = resultOf(`
${star(3)}congestion: none
nic: {receive: {kind: pipeline, packetTime: 5us, buffer: 64KB, missPenalty: 0ns}}
${flowsOf('0 1 1MB 0us', '2 1 1MB 0us')}measure: {stop: 20ms}`)
    expect(new Set(textsOf(result.flows, 'pausedBy'))).toEqual(new Set(['host 1']))
    for (const flow of [0, 1]) {
      expect(largestOf(result, flow)).toBe('pausedPs')
      expect(partsOf(result, flow)['receivePs']).toBeGreaterThan(100)
    }
    expect(at(result, 'pausedByPs', 0)).toBeGreaterThan(at(result, 'receivedPs', 0) / 2)
  })

  test('a link of the NIC that goes down in the middle of a message', () => {
    const result = resultOf(
      `${star(2)}${LOSSY}faults: [{kind: link-down, links: 0-2, down: 20us, up: 300us}]\n${flowsOf('0 1 100KB 0us')}`,
    )
    expect(largestOf(result, 0)).toBe('linkDownPs')
    expect(partsOf(result, 0)['linkDownPs']).toBeGreaterThan(275)
  })
})

describe('acks: true', () => {
  const acked = '{kind: autopsy, acks: true}'

  test('an ACK that is not held is bits and light', () => {
    const result = resultOf(`${star(2)}congestion: none\n${flowsOf('0 1 10KB 0us')}`, acked)
    const parts = partsOf(result, 0, ACK_PARTS)
    expect(Object.keys(parts)).toEqual(['ackWirePs', 'ackPropagationPs'])
    expect(parts['ackPropagationPs']).toBe(2)
  })

  test('an ACK waits for the data that its host sends', () => {
    const result = resultOf(`${star(2)}congestion: none\n${flowsOf('0 1 10KB 0us', '1 0 1MB 0us')}`, acked)
    const { ackHeldPs } = partsOf(result, 0, ACK_PARTS)
    expect(ackHeldPs).toBeGreaterThan(0)
    expect(ackHeldPs).toBeLessThan(1.2)
  })

  test('an unsignalled work request waits for the CQE of a later one', () => {
    const flows = Array.from({ length: 4 }, () => '0 1 10KB 0us connection=1')
    const text = flowsOf(...flows).replace('kind: trace', 'kind: trace, workRequests: true')
    const result = resultOf(`${star(2)}congestion: none\nverbs: {signalEvery: 4}\n${text}`, acked)
    const held = [0, 1, 2, 3].map((flow) => partsOf(result, flow, ACK_PARTS)['ackHeldPs'] ?? 0)
    expect(held[0]).toBeGreaterThan(30)
    expect(held[3]).toBe(0)
  })
})
