/** Verbs queue pairs in the simulated NIC: through real switches, links and buffers, with loss, PFC and spraying. */
import { expect, test } from 'vitest'
import { createRandomStreams } from '../../src/base/random.ts'
import { bernoulliFault, VerbsGuest, VerbsPackets, type Network } from '../../src/fabric/index.ts'
import { buildNetwork } from '../../src/lab/network-builder.ts'
import { parseScenario } from '../../src/scenario/index.ts'
import {
  CONNECTION_DEFAULTS,
  Completion,
  CompletionQueue,
  Device,
  type MemoryRegion,
  type Mode,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_WRITE_IMMEDIATE,
  type QueuePair,
} from '../../src/verbs/index.ts'
import { FORMAT_IRN, FORMAT_ROCE } from '../../src/wire/index.ts'
import { ALL_RIGHTS } from '../support/verbs-pair.ts'

const MTU_BYTES = 512
const MEGABYTE = 1_000_000

interface Host {
  readonly pair: QueuePair
  readonly guest: VerbsGuest
  readonly memory: MemoryRegion
  readonly done: CompletionQueue
}

/** Two hosts of a leaf-spine with a connected queue pair each, in the corners. */
function connect(mode: Mode, sets: readonly string[], lossRate: number): { network: Network; hosts: readonly Host[] } {
  const text = `
name: corners
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 25Gbps, fabricRate: 25Gbps}
workload: [{kind: incast, senders: 1, receiver: 0, total: 1KB}]
`
  const random = createRandomStreams(1)
  const sink = { onDelivered: () => {}, onAcknowledged: () => {}, onFailed: () => {} }
  const built = buildNetwork(parseScenario(text, { sets }), random, sink)
  const { network, balance } = built
  if (lossRate > 0) {
    for (const port of network.ports) port.fault = bernoulliFault(lossRate, 'both', random.stream(`loss/${port.id}`))
    network.placePorts()
  }
  const packets = new VerbsPackets(MTU_BYTES)
  const { queue } = network.fabric
  const positions = [0, 3]
  const hosts = positions.map((position, at): Host => {
    const device = new Device({ draw: () => queue.draw() }, at === 0 ? 0x10_0000 : 0x7000_0000)
    const domain = device.allocateDomain()
    const done = new CompletionQueue(512)
    const pair = device.createQueuePair({ domain, sendCompletions: done, receiveCompletions: done })
    const nic = network.nics[position]!
    const guest = new VerbsGuest({ network, nic, packets, mtuBytes: MTU_BYTES, onActivity: () => {} })
    const flow = at
    const destination = positions[1 - at]!
    balance.addFlow?.(flow, {
      sourceAddress: position,
      destinationAddress: destination,
      sourcePort: 49152,
      destinationPort: 4791,
    })
    const format = mode === 'irn' ? FORMAT_IRN : FORMAT_ROCE
    guest.add({ pair, destination, flow, format, codepoint: 3, trafficClass: 3 })
    return { pair, guest, done, memory: device.register(domain, ALL_RIGHTS, new Uint8Array(3 * MEGABYTE)) }
  })
  for (const { pair } of hosts) {
    pair.modify(0, 'init')
    pair.modify(0, 'ready to receive', {
      ...CONNECTION_DEFAULTS,
      mode,
      mtuBytes: MTU_BYTES,
      remoteQp: 2,
      retryLimit: null,
    })
    pair.modify(0, 'ready to send')
  }
  return { network, hosts }
}

function statuses(queue: CompletionQueue): string[] {
  const completion = new Completion()
  const all: string[] = []
  while (queue.poll(completion)) all.push(`${completion.id}:${completion.status}`)
  return all
}

const CASES: readonly (readonly [string, Mode, readonly string[], number])[] = [
  ['RoCE with PFC', 'roce', [], 0],
  ['RoCE over links that lose', 'roce', [], 0.002],
  ['IRN without PFC over links that lose', 'irn', ['pfc.classes=[]'], 0.01],
  ['IRN with packets sprayed over two spines', 'irn', ['balance=spray'], 0],
]

test.each(CASES)('%s: every operation ends well, with the bytes in their places', (_name, mode, sets, lossRate) => {
  const { network, hosts } = connect(mode, sets, lossRate)
  const [a, b] = hosts as [Host, Host]
  const bytes = Uint8Array.from({ length: MEGABYTE }, (_, i) => (i * 31 + (i >> 9)) & 0xff)
  a.memory.bytes!.set(bytes)
  const far = { remoteAddress: b.memory.address + MEGABYTE, remoteKey: b.memory.key }
  const near = { region: a.memory, address: a.memory.address }
  for (const id of [100, 101]) {
    b.pair.postReceive({ id, region: b.memory, address: b.memory.address, lengthBytes: MEGABYTE })
  }
  a.pair.postSend(0, { id: 0, operation: OP_SEND, ...near, lengthBytes: 100_000 })
  a.pair.postSend(0, { id: 1, operation: OP_WRITE_IMMEDIATE, ...near, ...far, lengthBytes: MEGABYTE, immediate: 9 })
  const back = { region: a.memory, address: a.memory.address + MEGABYTE }
  a.pair.postSend(0, { id: 2, operation: OP_READ, ...back, ...far, lengthBytes: MEGABYTE })
  const counter = { remoteAddress: b.memory.address + 2 * MEGABYTE, remoteKey: b.memory.key }
  a.pair.postSend(0, {
    id: 3,
    operation: OP_FETCH_ADD,
    region: a.memory,
    address: back.address + MEGABYTE,
    ...counter,
    swap: 7n,
  })
  // The other way at the same time.
  b.pair.postSend(0, {
    id: 50,
    operation: OP_READ,
    region: b.memory,
    address: counter.remoteAddress + 8,
    remoteAddress: a.memory.address,
    remoteKey: a.memory.key,
    lengthBytes: 500_000,
  })
  for (const host of hosts) host.guest.wake()
  expect(network.advance(5_000_000, 1e12)).toBeLessThan(5_000_000)
  expect(statuses(a.done)).toEqual(['0:0', '1:0', '2:0', '3:0'])
  expect(statuses(b.done).toSorted()).toEqual(['100:0', '101:0', '50:0'])
  const there = b.memory.bytes!
  // Byte by byte by hand: a matcher takes half a minute for a megabyte.
  const holds = (memory: Uint8Array, at: number, length: number) =>
    memory.subarray(at, at + length).every((byte, i) => byte === bytes[i])
  expect(holds(there, 0, 100_000)).toBe(true)
  expect(holds(there, MEGABYTE, MEGABYTE)).toBe(true)
  expect(holds(a.memory.bytes!, MEGABYTE, MEGABYTE)).toBe(true)
  expect(holds(there, 2 * MEGABYTE + 8, 500_000)).toBe(true)
  expect(holds(there, MEGABYTE + 1, 1000)).toBe(false)
  expect(there[2 * MEGABYTE]).toBe(7)
  const { packets, counters } = network.fabric
  expect(packets.alive).toBe(0)
  const lost = counters.drops.reduce((sum, count) => sum + count, 0)
  expect(lost > 0).toBe(lossRate > 0)
  const again = hosts.reduce(
    (sum, { pair }) => sum + pair.requester.retransmissions + pair.responder.responses.retransmissions,
    0,
  )
  expect(again > 0).toBe(lossRate > 0 || sets.includes('balance=spray'))
})
