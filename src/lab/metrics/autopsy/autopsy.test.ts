/**
 * Stories in which it is known by hand where the time went, and the law: parts add up to the completion time. The observer
 * itself stops a run in which they do not.
 */
import { describe, expect, test } from 'vitest'
import { MS, US } from '../../../core/base/params.ts'
import { run } from '../../index.ts'
import { numbersOf, PARTS, type Result, textsOf } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'

const resultOf = (text: string): Result => run(parseScenario(`name: story\nobserve: [autopsy]\n${text}`))

/** Parts of a flow that are not 0, in microseconds. */
function partsOf({ flows }: Result, flow: number): Record<string, number> {
  const all = PARTS.map(({ column }) => [column, numbersOf(flows, column)[flow]! / US] as const)
  return Object.fromEntries(all.filter(([, us]) => us !== 0))
}

const at = (result: Result, column: string, flow: number): number => numbersOf(result.flows, column)[flow]!
const PAIR = 'topology: {kind: star, hosts: 2, linkRate: 8Gbps, linkDelay: 1us}\ncongestion: none\n'
const flowsOf = (...flows: string[]): string =>
  `workload: [{kind: trace, flows: [${flows.map((flow) => `"${flow}"`).join(', ')}]}]\n`

describe('alone in a network', () => {
  test('a packet is bits on two links, and light in them', () => {
    const result = resultOf(`${PAIR}${flowsOf('0 1 500B 0us')}`)
    const parts = partsOf(result, 0)
    expect(Object.keys(parts)).toEqual(['wirePs', 'propagationPs'])
    expect(parts['propagationPs']).toBe(2)
    expect(at(result, 'receivedPs', 0)).toBe(at(result, 'idealPs', 0))
  })

  test('a message is its own bytes; its short last packet catches up with a full one', () => {
    const result = resultOf(`${PAIR}${flowsOf('0 1 100500B 0us')}`)
    const parts = partsOf(result, 0)
    expect(Object.keys(parts)).toEqual(['ownPs', 'wirePs', 'propagationPs', 'queuePs'])
    expect(parts['ownPs']).toBeGreaterThan(100)
    expect(parts['queuePs']).toBeLessThan(1)
    expect(at(result, 'receivedPs', 0)).toBe(at(result, 'idealPs', 0))
  })

  test('a window of one packet is closed for a round trip before each further packet', () => {
    const result = resultOf(`${PAIR}qp: {window: 1000B, windowVariable: false}\n${flowsOf('0 1 3KB 0us')}`)
    const { windowPs } = partsOf(result, 0)
    // Two round trips of data and ACK, less the packet's own time on the first link.
    expect(windowPs).toBeGreaterThan(2 * 4)
    expect(windowPs).toBeLessThan(2 * 7)
  })

  test('a READ begins with the journey of its request', () => {
    const result = resultOf(`${PAIR}${flowsOf('0 1 3KB 0us op=read')}`)
    const { requestPs, requestWirePs, requestPropagationPs } = partsOf(result, 0)
    // It leaves at once; two links, each with 1 us of delay.
    expect(requestPs).toBeUndefined()
    expect(requestPropagationPs).toBe(2)
    expect(requestWirePs).toBeGreaterThan(0)
    expect(requestWirePs).toBeLessThan(0.3)
  })

  test('a message behind another on its queue pair waits for that', () => {
    const result = resultOf(`${PAIR}${flowsOf('0 1 100KB 0us connection=1', '0 1 1KB 0us connection=1')}`)
    const { behindPs } = partsOf(result, 1)
    // 100 packets of 1 KB and their headers.
    expect(behindPs).toBeGreaterThan(100)
    expect(behindPs).toBeLessThan(115)
  })

  test('two queue pairs of a NIC wait for each other', () => {
    const result = resultOf(
      `topology: {kind: star, hosts: 3, linkRate: 8Gbps, linkDelay: 1us}\ncongestion: none\n${flowsOf('0 1 100KB 0us', '0 2 100KB 0us')}`,
    )
    const [first, second] = [partsOf(result, 0), partsOf(result, 1)]
    expect(first['othersPs']! + second['othersPs']!).toBeGreaterThan(200)
    expect(first['queuePs'] ?? 0).toBe(0)
  })
})

describe('losses', () => {
  const lossy = (more: string): string => `${PAIR}qp: {ackTimeout: 500us}\npfc: {classes: []}\n${more}`

  test('the last packet is lost: nothing but the timeout shows it', () => {
    const result = resultOf(
      lossy(`faults: [{kind: every-nth, n: 10, until: 14us, links: 0-2}]\n${flowsOf('0 1 10KB 0us')}`),
    )
    const { timeoutWaitPs, nakWaitPs = 0 } = partsOf(result, 0)
    expect(at(result, 'timeouts', 0)).toBe(1)
    // The ACK of the packet before it has started the timer again.
    expect(timeoutWaitPs).toBeGreaterThan(500)
    expect(timeoutWaitPs).toBeLessThan(510)
    expect(nakWaitPs).toBe(0)
  })

  test('a packet in the middle is lost: a NAK shows it, and what follows is sent again', () => {
    const result = resultOf(
      lossy(`faults: [{kind: every-nth, n: 5, until: 8us, links: 0-2}]\n${flowsOf('0 1 10KB 0us')}`),
    )
    const { timeoutWaitPs = 0, resendPs } = partsOf(result, 0)
    expect(at(result, 'timeouts', 0)).toBe(0)
    expect(timeoutWaitPs).toBe(0)
    expect(resendPs).toBeGreaterThan(4)
  })
})

describe('pauses', () => {
  test('a server that storms, two switches away, is named as the origin', () => {
    const result = resultOf(`
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3, hostRate: 10Gbps, fabricRate: 10Gbps}
congestion: none
switch: {buffer: {size: 200KB}}
faults: [{kind: pause-storm, hosts: host 5, from: 10us, until: 2ms}]
qp: {ackTimeout: 20ms}
${flowsOf('0 5 1MB 0us', '1 4 1MB 0us')}measure: {stop: 8ms}`)
    // The second flow goes to another host, and shares the way up.
    expect(textsOf(result.flows, 'pausedBy')[1]).toBe('host 5')
    expect(at(result, 'pausedByPs', 1)).toBeGreaterThan(1 * MS)
  })

  test('an incast is named by the port that it fills', () => {
    const result = resultOf(`
topology: {kind: star, hosts: 9, linkRate: 10Gbps, linkDelay: 1us}
congestion: none
switch: {buffer: {size: 100KB}}
workload: [{kind: incast, senders: 8, receiver: 0, total: 4MB}]`)
    const named = new Set(textsOf(result.flows, 'pausedBy'))
    expect([...named]).toEqual(['switch port 1 to host 0'])
  })
})

test('a message that the run cuts off has parts up to the end of the run', () => {
  const result = resultOf(`${PAIR}${flowsOf('0 1 1MB 0us')}measure: {stop: 100us}`)
  const sum = Object.values(partsOf(result, 0)).reduce((total, us) => total + us, 0)
  expect(sum).toBe(100)
})

test('who went first in a queue adds up to the time in it', () => {
  const result = resultOf(`
topology: {kind: star, hosts: 4, linkRate: 10Gbps, linkDelay: 1us}
congestion: none
workload: [{kind: incast, senders: 3, receiver: 0, total: 60KB}]`)
  const hops = result.series.find(({ name }) => name === 'autopsy')!
  const waited = numbersOf(hops, 'queuePs')
  expect(waited.some((ps) => ps > 10 * US)).toBe(true)
  const parts = [1, 2, 3].map((i) => numbersOf(hops, `before${i}Ps`))
  const others = numbersOf(hops, 'beforeOthersPs')
  waited.forEach((ps, row) => {
    expect(parts.reduce((total, part) => total + part[row]!, others[row]!)).toBe(ps)
    expect(others[row]).toBeGreaterThanOrEqual(0)
    // Less than a frame: the port was never idle.
    expect(others[row]).toBeLessThan(1 * US)
  })
})
