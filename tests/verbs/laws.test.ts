/** Laws of verbs in the simulated network: they hold, and each catches its bug. */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import { VerbsNetwork } from '../../src/lab/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { CompletionQueue, type Mode, OP_READ, OP_WRITE, type QueuePair } from '../../src/core/verbs/index.ts'
import { ALL_RIGHTS } from '../support/verbs-pair.ts'

interface Ends {
  readonly network: VerbsNetwork
  /** An application that posts requests and READs. */
  readonly near: QueuePair
  readonly far: QueuePair
}

/** WRITEs and READs in progress in a network that loses packets. */
function inFlight(mode: Mode): Ends {
  const text = `
name: laws
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 1, hostRate: 25Gbps, fabricRate: 25Gbps}
pfc: {classes: []}
faults: [{kind: bernoulli, probability: 0.01}]
workload: [{kind: incast, senders: 1, receiver: 0}]
`
  const network = new VerbsNetwork(parseScenario(text), { isChecked: true })
  const endAt = (host: number) => {
    const device = network.device(host)
    const domain = device.allocateDomain()
    const done = new CompletionQueue(64)
    const pair = device.createQueuePair({ domain, sendCompletions: done, receiveCompletions: done })
    return { host, pair, memory: device.register(domain, ALL_RIGHTS, null, 1_000_000) }
  }
  const [a, b] = [endAt(0), endAt(1)]
  network.connect(a, b, { mode, retryLimit: null })
  const work = { remoteAddress: b.memory.address, remoteKey: b.memory.key, lengthBytes: 50_000 }
  for (let id = 0; id < 20; id++) a.pair.postSend(0, { id, operation: id % 2 === 0 ? OP_WRITE : OP_READ, ...work })
  for (let limitPs = 0; a.pair.requester.queue.head < 3; limitPs += 10 * US) network.run(limitPs)
  return { network, near: a.pair, far: b.pair }
}

const BUGS: readonly (readonly [string, (ends: Ends) => void, RegExp])[] = [
  [
    'a packet that is never freed',
    ({ network }) => network.network.fabric.packets.alloc(),
    /packets made, .* but \d+ held/,
  ],
  [
    'an ACK for data that has not arrived',
    ({ near, far }) => Object.assign(near.requester, { una: far.responder.epsn + 1 }),
    /acknowledged up to PSN \d+, the other end expects \d+/,
  ],
  [
    'a request that is completed but incomplete',
    ({ near, far }) => Object.assign(near.requester.queue, { head: far.responder.msn + 1 }),
    /requests done, the other end has \d+ messages/,
  ],
  [
    'a READ that is completed but not executed',
    ({ near, far }) => Object.assign(near.requester.reads, { deliveredMessages: far.responder.responses.executed + 1 }),
    /READs and atomics done, the other end has executed \d+/,
  ],
  [
    'a message reported too early',
    ({ near, far }) => Object.assign(near.requester, { msn: far.responder.msn + 1 }),
    /\d+ messages acknowledged, the other end has \d+/,
  ],
  [
    'packets accepted that were never sent',
    ({ near, far }) => {
      const { endPsn } = near.requester.queue
      Object.assign(Reflect.get(far.responder, 'recovery') as object, { epsn: endPsn + 1 })
    },
    /the other end expects PSN \d+, only \d+ posted/,
  ],
  [
    'messages made of nothing',
    ({ near, far }) => {
      const { tail } = near.requester.queue
      Object.assign(far.responder, { deliveredMessages: tail + 1 })
    },
    /the other end has \d+ messages, only \d+ posted/,
  ],
]

describe.each(['roce', 'irn'] as const)('%s', (mode) => {
  test('the laws hold at all times, with requests outstanding, complete, lost and retransmitted', () => {
    const { network, near, far } = inFlight(mode)
    const { requester } = near
    expect(requester.queue.head).toBeGreaterThan(0)
    expect(near.outstanding).toBeGreaterThan(0)
    network.run(1e12)
    expect([near.outstanding, far.responder.msn]).toEqual([0, 20])
    expect(requester.retransmissions).toBeGreaterThan(0)
    network.close()
  })

  test.each(BUGS)('%s is caught', (_name, bug, law) => {
    const ends = inFlight(mode)
    bug(ends)
    expect(() => ends.network.run(ends.network.nowPs)).toThrow(law)
    ends.network.close()
  })
})

test('a queue pair that failed, was reset and connected again is judged by its new requests alone', () => {
  const { network, near, far } = inFlight('roce')
  near.modify(network.nowPs, 'error')
  network.run(network.nowPs + 50 * US)
  for (const pair of [near, far]) pair.modify(network.nowPs, 'reset')
  network.run(network.nowPs + 50 * US)
  network.connect({ host: 0, pair: near }, { host: 1, pair: far })
  near.postSend(network.nowPs, { id: 99, operation: OP_WRITE, lengthBytes: 0 })
  network.run(1e12)
  expect([near.outstanding, far.responder.msn]).toEqual([0, 1])
  network.close()
})
