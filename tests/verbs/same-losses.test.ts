/**
 * The same losses, the same reaction: between two ends whose packets are passed as they are, between two whose packets are
 * written to bytes, and in a simulated network of two hosts, requests leave in the same order and are sent again for the
 * same reasons. Every n-th data packet of the requester is lost, those that were lost before included.
 */
import { describe, expect, test } from 'vitest'
import { GBPS, MS, US } from '../../src/core/base/params.ts'
import { VerbsNetwork } from '../../src/lab/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { DATA } from '../../src/core/transport/segment.ts'
import {
  CompletionQueue,
  CONNECTION_DEFAULTS,
  liveSchemes,
  type Mode,
  OP_WRITE,
  type QueuePair,
  VerbsPacket,
} from '../../src/core/verbs/index.ts'
import { ALL_RIGHTS, VerbsPair } from '../support/verbs-pair.ts'

interface Case {
  readonly recovery: string
  readonly mode: Mode
}
const CASES: readonly Case[] = [
  { recovery: 'go-back-n', mode: 'roce' },
  { recovery: 'improved-gbn', mode: 'roce' },
  { recovery: 'irn', mode: 'irn' },
]

/** Packets of each of the two WRITEs. */
const PACKETS = 30
const MTU = 1024
const WINDOW = 5
/** Above all waits: NAKs recover what they can. */
const TIMEOUT_PS = 2 * MS

interface Reaction {
  /** PSNs of the data packets in the order in which they left, lost ones included. */
  readonly sent: number[]
  readonly retransmissions: number
  readonly timeouts: number
  /** Packets that came behind a gap, and NAKs. */
  readonly outOfSequence: number
  readonly naks: number
}

function reactionOf(near: QueuePair, far: QueuePair, sent: number[]): Reaction {
  const { retransmissions, timeouts } = near.requester
  const { outOfSequence, naksSent } = far.responder
  expect([near.outstanding, near.state]).toEqual([0, 'ready to send'])
  return { sent, retransmissions, timeouts, outOfSequence, naks: naksSent }
}

const VALUES = {
  ackTimeoutPs: TIMEOUT_PS,
  capPackets: WINDOW,
  selectiveRepeat: {
    ...CONNECTION_DEFAULTS.selectiveRepeat,
    capPackets: WINDOW,
    rtoLowPs: TIMEOUT_PS,
    rtoHighPs: TIMEOUT_PS,
  },
}

/** @param isDirect packets are passed as they are. */
function overPipe({ recovery, mode }: Case, every: number, isDirect: boolean): Reaction {
  const pair = new VerbsPair({
    values: { ...VALUES, mode },
    delayPs: 5 * US,
    isDirect,
    schemesOf: (connection, order) =>
      liveSchemes({ recovery: { kind: recovery }, lineRateBps: 40 * GBPS }, connection, order),
  })
  const sent: number[] = []
  pair.toB.rule((passage) => {
    if (passage.packet.kind !== DATA) return
    sent.push(passage.packet.psn)
    if (sent.length % every === 0) passage.copies = 0
  })
  const memory = pair.b.memory(PACKETS * MTU)
  const far = { remoteAddress: memory.address, remoteKey: memory.key }
  for (const id of [1, 2]) pair.a.post({ id, operation: OP_WRITE, lengthBytes: PACKETS * MTU, ...far })
  pair.run()
  return reactionOf(pair.a.pair, pair.b.pair, sent)
}

function inNetwork({ recovery, mode }: Case, every: number): Reaction {
  const text = `
name: two hosts
topology: {kind: star, hosts: 2, linkRate: 40Gbps}
pfc: {classes: []}
recovery: ${recovery}
qp: {ackTimeout: 2ms, retryLimit: off}
faults: [{kind: every-nth, n: ${every}, links: "host 0>switch", packets: data}]
workload: [{kind: incast, senders: 1, receiver: 0}]
`
  const network = new VerbsNetwork(parseScenario(text), { isChecked: true, mtuBytes: MTU })
  const endAt = (host: number) => {
    const device = network.device(host)
    const domain = device.allocateDomain()
    const done = new CompletionQueue(64)
    const pair = device.createQueuePair({ domain, sendCompletions: done, receiveCompletions: done })
    return { host, pair, memory: device.register(domain, ALL_RIGHTS, null, PACKETS * MTU) }
  }
  const [near, far] = [endAt(0), endAt(1)]
  // A mode has a recovery of its own; the scenario's is that of connections without one.
  network.connect(near, far, recovery === 'improved-gbn' ? { capPackets: WINDOW } : { ...VALUES, mode })
  const sent: number[] = []
  const { requester } = near.pair
  const poll = requester.pollTransmit.bind(requester)
  requester.pollTransmit = (nowPs: number, out: VerbsPacket) => {
    const isSent = poll(nowPs, out)
    if (isSent) sent.push(out.psn)
    return isSent
  }
  const work = { remoteAddress: far.memory.address, remoteKey: far.memory.key, lengthBytes: PACKETS * MTU }
  for (const id of [1, 2]) near.pair.postSend(0, { id, operation: OP_WRITE, ...work })
  network.run(1e12)
  const reaction = reactionOf(near.pair, far.pair, sent)
  network.close()
  return reaction
}

describe.each(CASES)('$recovery', (one) => {
  test.each([4, 7, 11, 29, 1000])('every %i-th packet lost', (every) => {
    const direct = overPipe(one, every, true)
    expect(overPipe(one, every, false)).toEqual(direct)
    expect(inNetwork(one, every)).toEqual(direct)
    expect(direct.naks > 0).toBe(every < 1000)
  })
})
