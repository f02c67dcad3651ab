/**
 * What sending costs: the rate is that of the slowest stage (work requests of a queue pair, payload reads, posting, link),
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
}

/** Two hosts and a closed loop from one to the other. ACKs go the other way, where nothing else does. */
function loopRun(send: string, wish: Wish): Result {
  const { gbps, kib, pairs = 1, depth = 128, messages = 1000, loop = '', more = '' } = wish
  const topology = wish.topology ?? `{kind: star, hosts: 2, linkRate: ${gbps}Gbps, linkDelay: 300ns}`
  return run(
    parseScenario(`
name: sending
topology: ${topology}
frames: {payload: 4096B}
congestion: none
qp: {ackInterval: 4}
nic: {send: {${send}}}
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

test('try', () => {
  for (const workRequests of ['', 'workRequests: true'])
    for (const [send, wish] of [
      ['', { gbps: 400, kib: 16 }],
      ['workRequestGap: 344.9ns', { gbps: 400, kib: 16 }],
      ['workRequestGap: 344.9ns', { gbps: 400, kib: 128 }],
      ['workRequestGap: 344.9ns', { gbps: 400, kib: 16, pairs: 8 }],
      ['readRate: 111.86Gbps', { gbps: 200, kib: 64 }],
      ['readRate: 111.86Gbps', { gbps: 200, kib: 64, loop: 'operation: read' }],
      ['readRate: 190Gbps', { gbps: 200, kib: 64 }],
      ['readRate: 196Gbps', { gbps: 200, kib: 64 }],
      ['readRate: 200Gbps', { gbps: 200, kib: 64 }],
      ['readRate: 400Gbps', { gbps: 200, kib: 64 }],
      ['postTime: 1.17us', { gbps: 400, kib: 32, depth: 16 }],
      ['postTime: 1.17us', { gbps: 400, kib: 32, depth: 4, pairs: 4 }],
    ] as [string, Wish][]) {
      const result = loopRun(send, { ...wish, loop: `${wish.loop ?? ''}, ${workRequests}`.replace(/^, /, '') })
      console.log(workRequests, send, JSON.stringify(wish), payloadGbps(result), result.counters.timeouts, result.digest)
    }
})
describe
