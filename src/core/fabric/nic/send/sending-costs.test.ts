/**
 * Sending costs: the rate is that of the slowest stage (work requests of a queue pair, payload reads, posting, link),
 * the latency of a message the sum of all. Measured numbers are those of docs/models/nic.md.
 */
import { describe, expect, test } from 'vitest'
import { numberColumns, type Result } from '../../../results/index.ts'
import { run } from '../../../../lab/index.ts'
import { parseScenario } from '../../../../lab/scenario/index.ts'

const KIB = 1024

interface Wish {
  readonly gbps: number
  readonly kib: number
  readonly pairs?: number
  readonly depth?: number
  readonly messages?: number
  readonly loop?: string
  readonly more?: string
  readonly topology?: string
  readonly choice?: string
  readonly acks?: number
}

/** Two hosts and a closed loop from one to the other. ACKs go the other way, where nothing else does. */
function loopRun(send: string, wish: Wish): Result {
  const { gbps, kib, pairs = 1, depth = 128, messages = 1000, loop = '', more = '', choice = 'bound', acks = 4 } = wish
  const topology = wish.topology ?? `{kind: star, hosts: 2, linkRate: ${gbps}Gbps, linkDelay: 300ns}`
  return run(
    parseScenario(`
name: sending
topology: ${topology}
frames: {payload: 4096B}
congestion: none
qp: {ackInterval: ${acks}}
nic: {send: {${send}}, portChoice: ${choice}}
switch: {buffer: {kind: shared-buffer, size: 64MB}}
${more}
workload:
  - {kind: closed-loop, pairs: ["0 1"], qpsPerPair: ${pairs}, messageSize: ${kib * KIB}B, outstanding: ${depth}, messages: ${messages}, ${loop}}
`),
  )
}

/** Payload in Gb/s, between the quarters of the messages in the order of their last bytes. */
function payloadGbps(result: Result): number {
  const [receivedPs, sizeBytes] = numberColumns(result.flows, ['receivedPs', 'sizeBytes'])
  const order = [...receivedPs.keys()].toSorted((a, b) => receivedPs[a]! - receivedPs[b]!)
  const [from, to] = [Math.floor(order.length / 4), Math.floor((3 * order.length) / 4)]
  let bytes = 0
  for (const row of order.slice(from + 1, to + 1)) bytes += sizeBytes[row]!
  return (bytes * 8e3) / (receivedPs[order[to]!]! - receivedPs[order[from]!]!)
}

function finished(result: Result): number {
  return numberColumns(result.flows, ['receivedPs'])[0]!.filter((ps) => ps > 0).length
}

/** As messages, and as work requests of verbs queue pairs, as `rocelab perftest` posts them. */
const KINDS = ['workRequests: false', 'workRequests: true']

describe.each(KINDS)('rates of a closed loop, %s', (loop) => {
  test.each<[send: string, wish: Wish, gbps: number, within: number]>([
    ['workRequestGap: 344.9ns', { gbps: 400, kib: 16 }, 380, 0.003],
    ['workRequestGap: 344.9ns', { gbps: 400, kib: 128 }, 392.1, 0.003],
    ['workRequestGap: 344.9ns', { gbps: 400, kib: 16, pairs: 8, messages: 250 }, 391.8, 0.003],
    ['readRate: 111.86Gbps', { gbps: 200, kib: 64, messages: 200 }, 111.86, 0.005],
    ['readRate: 400Gbps', { gbps: 200, kib: 64, messages: 200 }, 196.07, 0.003],
    ['readRate: 200Gbps', { gbps: 200, kib: 64, messages: 200, pairs: 4 }, 196.07, 0.003],
    ['postTime: 1.17us', { gbps: 400, kib: 32, depth: 16 }, 224, 0.01],
    ['postTime: 1.17us', { gbps: 400, kib: 32, depth: 4, pairs: 4, messages: 250 }, 224, 0.01],
    ['messageGap: 100ns', { gbps: 400, kib: 1, pairs: 4, messages: 250 }, 81.92, 0.005],
  ])('%s: %o gives %d Gb/s', (send, wish, gbps, within) => {
    expect(Math.abs(payloadGbps(loopRun(send, { ...wish, loop })) / gbps - 1)).toBeLessThan(within)
  })

  test('READs are reads of payload at the host that has the data, and are posted by the host that asks', () => {
    const reads = `operation: read, ${loop}`
    const wish = { gbps: 200, kib: 64, messages: 200, loop: reads }
    expect(payloadGbps(loopRun('readRate: 111.86Gbps', wish)) / 111.86).toBeCloseTo(1, 2)
    const onlyAt = (host: number): string => `changes: [{path: nic.send.postTime, nodes: host ${host}, value: 5us}]`
    // 64 KiB in 5 us; data flow from host 0.
    expect(payloadGbps(loopRun('', { ...wish, more: onlyAt(1) })) / 104.86).toBeCloseTo(1, 2)
    expect(payloadGbps(loopRun('', { ...wish, more: onlyAt(0) }))).toBeGreaterThan(190)
  })
})

describe('two NICs of a host', () => {
  const twoPorts = (send: string, qps: number, gbps: number): number =>
    payloadGbps(
      loopRun(send, {
        gbps,
        kib: 64,
        pairs: qps,
        messages: 400,
        topology: `{kind: rails, rails: 2, groups: 1, hostsPerGroup: 2, spines: 0, hostRate: ${gbps}Gbps, hostDelay: 300ns}`,
      }),
    )

  test('below one host bridge share what it can read', () => {
    const bridge = 'readRate: 234Gbps, readBridge: left'
    expect(twoPorts(bridge, 2, 200) / 234).toBeCloseTo(1, 2)
    expect(twoPorts(bridge, 1, 400) / 234).toBeCloseTo(1, 2)
    expect(twoPorts(bridge, 1, 200) / 196.07).toBeCloseTo(1, 2)
  })

  test('without one read each for itself', () => {
    expect(twoPorts('readRate: 234Gbps', 2, 200) / (2 * 196.07)).toBeCloseTo(1, 2)
  })

  test('below one host bridge get equal shares', () => {
    const result = run(
      parseScenario(`
name: shares
topology: {kind: rails, rails: 2, groups: 1, hostsPerGroup: 2, spines: 0, hostRate: 200Gbps, hostDelay: 300ns}
frames: {payload: 4096B}
congestion: none
qp: {ackInterval: 4}
nic: {send: {readRate: 234Gbps, readBridge: left}}
workload: [{kind: trace, flows: ["0 1 20MB 0us", "0 1 20MB 0us"]}]
`),
    )
    const [receivedPs] = numberColumns(result.flows, ['receivedPs'])
    for (const ps of receivedPs!) expect((20e6 * 8e3) / ps / 117).toBeCloseTo(1, 2)
  })
})

describe('the latency of a message', () => {
  const SENDS = ['postTime: 1us', 'readRate: 100Gbps', 'messageGap: 3us', 'workRequestGap: 2us'] as const

  /** When messages of a trace are received and acknowledged, ns. */
  function received(send: string, flows: string, more = ''): number[] {
    const result = run(
      parseScenario(`
name: latency
topology: {kind: star, hosts: 3, linkRate: 100Gbps}
frames: {payload: 1000B}
nic: {send: {${send}}}
workload: [{kind: trace, flows: [${flows}]${more}}]
`),
    )
    return [...numberColumns(result.flows, ['receivedPs'])[0]!].map((ps) => ps / 1e3)
  }

  test.each(['', ', workRequests: true'])('of one packet grows by the sum of the parts%s', (more) => {
    const flow = '"0 1 1000B 1us"'
    const [plain] = received('', flow, more)
    const [posted] = received(SENDS[0], flow, more)
    const [read] = received(SENDS[1], flow, more)
    const [all] = received(SENDS.join(', '), flow, more)
    expect(posted! - plain!).toBeCloseTo(1000, 6)
    expect(read! - plain!).toBeCloseTo(80, 6)
    expect(all! - plain!).toBeCloseTo(1080, 6)
  })

  test('in a queue pair waits for the gap, from the start of the one before to its own', () => {
    const flows =
      '"0 1 1000B 0us connection=1", "0 1 3000B 0us connection=1", "0 1 1000B 0us connection=1", "0 1 1000B 0us connection=2"'
    const [first, second, third, other] = received(SENDS[3], flows)
    const [, twoPackets] = received('', '"0 1 1000B 0us", "0 1 3000B 5us"')
    expect(other! - first!).toBeLessThan(200)
    // Packets within a message do not wait.
    expect(second! - 2000).toBeCloseTo(twoPackets! - 5000, 6)
    expect(third! - first!).toBeCloseTo(4000, 6)
  })

  test('is that of the posting order: messages of a host are posted one after the other', () => {
    const [first, second, third] = received(SENDS[0], '"0 1 1000B 0us", "0 2 1000B 0us", "1 2 1000B 0us"')
    expect(second! - first!).toBeCloseTo(1000, 6)
    expect(third).toBe(first)
  })
})

describe('losses', () => {
  const lossy = (send: string, schemes: string, more = ''): Result =>
    run(
      parseScenario(`
name: lossy
topology: {kind: star, hosts: 3, linkRate: 100Gbps}
${schemes}
qp: {ackTimeout: 100us${schemes.includes('mp-rdma') ? ', ecnEcho: ack' : ''}}
nic: {send: {${send}}}
faults: [{kind: every-nth, n: 50, links: "host 0>switch", packets: data}]
workload: [{kind: closed-loop, pairs: ["0 2", "1 2"], messageSize: 20KB, outstanding: 4, messages: 100${more}}]
`),
    )
  const ALL = 'workRequestGap: 2us, readRate: 90Gbps, postTime: 300ns, messageGap: 100ns'

  test.each(['go-back-n', 'irn', 'mp-rdma', 'tcp', 'improved-gbn'])(
    'are repaired by %s, and the run repeats itself',
    (recovery) => {
      const schemes = `recovery: ${recovery}${recovery === 'mp-rdma' ? '\ncongestion: mp-rdma' : ''}`
      const result = lossy(ALL, schemes)
      expect(result.counters.retransmissions).toBeGreaterThan(0)
      expect(finished(result)).toBe(200)
      expect(lossy(ALL, schemes).digest).toBe(result.digest)
    },
  )

  test.each(['write', 'send', 'read'])('are repaired for work requests: %s', (operation) => {
    const result = lossy(ALL, 'recovery: irn', `, operation: ${operation}, workRequests: true`)
    expect(result.counters.retransmissions).toBeGreaterThan(0)
    expect(finished(result)).toBe(200)
  })

  test('a packet that is sent again is read again, but waits for no gap', () => {
    const once = (send: string): number => {
      const result = run(
        parseScenario(`
name: once
topology: {kind: star, hosts: 2, linkRate: 100Gbps, linkDelay: 5us}
frames: {payload: 1000B}
recovery: irn
congestion: none
nic: {send: {${send}}}
faults: [{kind: every-nth, n: 3, until: 5.4us, links: "host 0>switch", packets: data}]
workload: [{kind: trace, flows: ["0 1 20000B 0us"]}]
`),
      )
      expect(result.counters.retransmissions).toBe(1)
      return numberColumns(result.flows, ['receivedPs'])[0]![0]! / 1e3
    }
    expect(once('workRequestGap: 900us')).toBe(once(''))
    expect(once('readRate: 400Gbps') - once('')).toBe(2 * 20)
  })
})

test('a class that is paused does not hold back reads of another', () => {
  const result = run(
    parseScenario(`
name: paused
topology: {kind: star, hosts: 4, linkRate: 100Gbps}
pfc: {classes: [3]}
congestion: none
switch: {buffer: {kind: shared-buffer, size: 2MB}}
nic: {send: {readRate: 150Gbps}}
workload: [{kind: trace, flows: ["0 2 2MB 0us", "1 2 2MB 0us", "0 3 500KB 50us class=1"]}]
`),
  )
  expect(result.counters.pauseFrames).toBeGreaterThan(0)
  const [receivedPs] = numberColumns(result.flows, ['receivedPs'])
  // Half of the link at least, while class 3 has the other half of its receiver.
  expect(receivedPs![2]! - 50e6).toBeLessThan(1.1 * 2 * 500e3 * 80)
})

describe('faults of hosts and links', () => {
  test('a server that dies drops what it has read', () => {
    const result = run(
      parseScenario(`
name: dead
topology: {kind: star, hosts: 3, linkRate: 100Gbps}
qp: {ackTimeout: 50us, retryLimit: 2}
nic: {send: {readRate: 90Gbps, workRequestGap: 1us, postTime: 100ns}}
faults: [{kind: server-down, hosts: host 0, down: 20us, up: 100us}]
workload: [{kind: closed-loop, pairs: ["0 2", "1 0"], messageSize: 20KB, outstanding: 4, messages: 100}]
measure: {stop: 2ms}
`),
    )
    expect(result.counters.drops['host down']).toBeGreaterThan(0)
  })

  test('queue pairs move to the other port of their host', () => {
    const result = run(
      parseScenario(`
name: moved
topology: {kind: planes, planes: 2, leaves: 1, spines: 1, hostsPerLeaf: 2, hostRate: 100Gbps}
qp: {ackTimeout: 50us}
nic: {send: {readRate: 90Gbps, readBridge: one, workRequestGap: 1us}}
faults: [{kind: link-down, links: host 0 plane 0, down: 20us, up: 300us, converge: 10us}]
workload: [{kind: closed-loop, pairs: ["0 1"], qpsPerPair: 2, messageSize: 20KB, outstanding: 4, messages: 200}]
`),
    )
    expect(finished(result)).toBe(400)
  })

  test.each(['spray', 'least-queue'])('ports by %s: a queue pair keeps one gap over all of them', (choice) => {
    const both = loopRun('workRequestGap: 2us', {
      gbps: 200,
      kib: 16,
      messages: 300,
      topology: '{kind: planes, planes: 2, leaves: 1, spines: 1, hostsPerLeaf: 2, hostRate: 200Gbps}',
      acks: 1,
      more: 'recovery: irn',
      choice,
    })
    expect(payloadGbps(both) / ((16.384 * 8) / 2)).toBeCloseTo(1, 2)
  })
})

test.each([
  ['compat: hpcc\nnic: {send: {workRequestGap: 1us}}', 'nic.send: expected nothing that costs time under compat=hpcc'],
  ['nic: {send: {readBridge: left}}', 'nic.send.readBridge: expected off without nic.send.readRate'],
])('settings that do not go together are refused: %s', (text, message) => {
  expect(() => parseScenario(`name: refused\n${text}\n`)).toThrow(message)
})
