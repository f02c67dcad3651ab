/** Verbs queue pairs in the simulated NIC: through real switches, links and buffers, with loss, PFC and spraying. */
import { expect, test } from 'vitest'
import { ecmpHash } from '../../src/core/fabric/index.ts'
import { type SharedValues, VerbsNetwork } from '../../src/lab/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import {
  Completion,
  CompletionQueue,
  CONNECTION_DEFAULTS,
  FLUSHED,
  LOCAL_PROTECTION_ERROR,
  type MemoryRegion,
  type Mode,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  type QueuePair,
  REMOTE_ACCESS_ERROR,
} from '../../src/core/verbs/index.ts'
import { ALL_RIGHTS } from '../support/verbs-pair.ts'

const MEGABYTE = 1_000_000

interface Host {
  readonly host: number
  readonly pair: QueuePair
  readonly memory: MemoryRegion
  readonly done: CompletionQueue
}

/** Two hosts in opposite corners of a leaf-spine, with a connected queue pair each. */
function connect(
  mode: Mode,
  sets: readonly string[],
  onActivity: (nowPs: number, pair: QueuePair) => void = () => {},
  values: SharedValues = {},
): { network: VerbsNetwork; hosts: readonly [Host, Host] } {
  const text = `
name: corners
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 25Gbps, fabricRate: 25Gbps}
workload: [{kind: incast, senders: 1, receiver: 0, total: 1KB}]
`
  const network = new VerbsNetwork(parseScenario(text, { sets }), { onActivity, isChecked: true })
  const hostAt = (host: number): Host => {
    const device = network.device(host)
    const domain = device.allocateDomain()
    const done = new CompletionQueue(512)
    const pair = device.createQueuePair({ domain, sendCompletions: done, receiveCompletions: done })
    return { host, pair, done, memory: device.register(domain, ALL_RIGHTS, new Uint8Array(3 * MEGABYTE)) }
  }
  const hosts = [hostAt(0), hostAt(3)] as const
  network.connect(hosts[0], hosts[1], { mode, retryLimit: null, ...values })
  return { network, hosts }
}

function statuses(queue: CompletionQueue): string[] {
  const completion = new Completion()
  const all: string[] = []
  while (queue.poll(completion)) all.push(`${completion.id}:${completion.status}`)
  return all
}

const losing = (probability: number): string => `faults=[{kind: bernoulli, probability: ${probability}}]`
const CASES: readonly (readonly [string, Mode, readonly string[]])[] = [
  ['RoCE with PFC', 'roce', []],
  ['RoCE over lossy links', 'roce', [losing(0.002)]],
  ['IRN without PFC over lossy links', 'irn', ['pfc.classes=[]', losing(0.01)]],
  ['IRN with packets sprayed over two spines', 'irn', ['balance=spray']],
]

test('an MTU larger than the frames of the scenario is refused', () => {
  const TEXT = 'name: n\ntopology: {kind: star, hosts: 2}\nworkload: [{kind: incast, senders: 1}]\n'
  const scenario = parseScenario(TEXT)
  expect(() => new VerbsNetwork(scenario, { mtuBytes: 2048 })).toThrow('mtuBytes: expected at most 1024, which frames')
  // Without an MTU it is the largest path MTU that fits, at most 4096.
  const sizes = ['200B', '1000B', '1200B', '4200B', '9000B']
  const mtus = sizes.map((size) => new VerbsNetwork(parseScenario(TEXT, { sets: [`frames.payload=${size}`] })).mtuBytes)
  expect(mtus).toEqual([128, 512, 1024, 4096, 4096])
})

test.each(CASES)('%s: every operation succeeds, with the bytes in their places', (_name, mode, sets) => {
  const { network, hosts } = connect(mode, sets)
  const [a, b] = hosts
  const isLosing = sets.some((set) => set.startsWith('faults'))
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
  // The opposite direction at the same time.
  b.pair.postSend(0, {
    id: 50,
    operation: OP_READ,
    region: b.memory,
    address: counter.remoteAddress + 8,
    remoteAddress: a.memory.address,
    remoteKey: a.memory.key,
    lengthBytes: 500_000,
  })
  expect(network.run(1e12)).toBeGreaterThan(10_000)
  expect(statuses(a.done)).toEqual(['0:0', '1:0', '2:0', '3:0'])
  expect(statuses(b.done).toSorted()).toEqual(['100:0', '101:0', '50:0'])
  const there = b.memory.bytes!
  // Compared by hand: a matcher takes half a minute for a megabyte.
  const holds = (memory: Uint8Array, at: number, length: number) =>
    memory.subarray(at, at + length).every((byte, i) => byte === bytes[i])
  expect(holds(there, 0, 100_000)).toBe(true)
  expect(holds(there, MEGABYTE, MEGABYTE)).toBe(true)
  expect(holds(a.memory.bytes!, MEGABYTE, MEGABYTE)).toBe(true)
  expect(holds(there, 2 * MEGABYTE + 8, 500_000)).toBe(true)
  expect(holds(there, MEGABYTE + 1, 1000)).toBe(false)
  expect(there[2 * MEGABYTE]).toBe(7)
  const { packets, counters } = network.network.fabric
  expect(packets.alive).toBe(0)
  const lost = counters.drops.reduce((sum, count) => sum + count, 0)
  expect(lost > 0).toBe(isLosing)
  const again = hosts.reduce(
    (sum, { pair }) => sum + pair.requester.retransmissions + pair.responder.responses.retransmissions,
    0,
  )
  expect(again > 0).toBe(isLosing || sets.includes('balance=spray'))
})

test('a queue pair takes the path that the hash of its tuple selects: its hosts have addresses as in any scenario', () => {
  const tuple = { sourceAddress: 0x0a000001, destinationAddress: 0x0a000102, sourcePort: 49_152, destinationPort: 4791 }
  const leaf = 4
  const paths = [0, 1, 2, 3, 4, 5, 6, 7].map((seed) => {
    const sets = ['nic.addresses=["0: 10.0.0.1", "3: 10.0.1.2"]', `balance.seeds=["${leaf}: ${seed}"]`]
    const { network, hosts } = connect('roce', sets)
    const [{ pair, memory }, there] = hosts
    const far = { remoteAddress: there.memory.address, remoteKey: there.memory.key }
    const near = { region: memory, address: memory.address }
    pair.postSend(0, { id: 0, operation: OP_WRITE_IMMEDIATE, ...near, ...far, lengthBytes: 0, immediate: 9 })
    network.run(1e9)
    const up = network.network.switches[leaf]!.ports.filter((port) => port !== null && port.peer.node > leaf + 1)
    expect(up).toHaveLength(2)
    const path = up.findIndex((port) => port!.sentFrames > 0)
    expect(path).toBe(ecmpHash(seed, tuple) % 2)
    return path
  })
  expect(new Set(paths).size).toBe(2)
})

test.each(['roce', 'irn'] as const)(
  '%s: whatever ends a queue pair, its application gets completions of the flushed work',
  (mode) => {
    const reported: string[] = []
    const { network, hosts } = connect(mode, [], (_nowPs, pair) => {
      for (const end of hosts) if (end.pair === pair) reported.push(...statuses(end.done))
    })
    const [a, b] = hosts
    b.pair.postReceive({ id: 50, region: b.memory, address: b.memory.address, lengthBytes: 100 })
    const far = { remoteAddress: b.memory.address, remoteKey: b.memory.key }
    // The NAK of the WRITE waits for the responses of the READ, and ends the responder when it leaves.
    a.pair.postSend(0, { id: 0, operation: OP_READ, ...far, lengthBytes: 10_000 })
    a.pair.postSend(0, { id: 1, operation: OP_WRITE, ...far, remoteKey: 12_345, lengthBytes: 10 })
    network.run(1e12)
    expect([a.pair.state, b.pair.state]).toEqual(['error', 'error'])
    expect(reported.toSorted()).toEqual(['0:0', `1:${REMOTE_ACCESS_ERROR}`, `50:${FLUSHED}`])
    // An invalidated local key is detected when a packet should leave.
    const other = connect(mode, [], (_nowPs, pair) => {
      if (pair === other.hosts[0].pair) reported.push(...statuses(other.hosts[0].done))
    })
    reported.length = 0
    const { memory, pair } = other.hosts[0]
    const target = { remoteAddress: other.hosts[1].memory.address, remoteKey: other.hosts[1].memory.key }
    pair.postSend(0, {
      id: 2,
      operation: OP_WRITE,
      region: memory,
      address: memory.address,
      ...target,
      lengthBytes: 9000,
    })
    other.network.device(0).invalidate(memory.key)
    other.network.run(1e12)
    expect([reported, other.network.network.fabric.packets.alive]).toEqual([[`2:${LOCAL_PROTECTION_ERROR}`], 0])
  },
)

test('byte sequence numbers take four bytes of each packet on the wire', () => {
  const sentWith = (lsnWindowBytes: number | null): { frames: number; bytes: number } => {
    const { network, hosts } = connect('roce', [], undefined, { lsnWindowBytes })
    const [a, b] = hosts
    const work = { region: a.memory, address: a.memory.address, lengthBytes: 100_000 }
    a.pair.postSend(0, {
      id: 1,
      operation: OP_WRITE,
      ...work,
      remoteAddress: b.memory.address,
      remoteKey: b.memory.key,
    })
    network.run()
    expect(statuses(a.done)).toEqual(['1:0'])
    const { ports } = network.network
    return {
      frames: ports.reduce((sum, port) => sum + port.sentFrames, 0),
      bytes: ports.reduce((sum, port) => sum + port.sentBytes, 0),
    }
  }
  const [plain, numbered] = [sentWith(null), sentWith(1_000_000)]
  expect(numbered.frames).toBe(plain.frames)
  expect(numbered.bytes - plain.bytes).toBe(4 * plain.frames)
})

test('values that no connection can have are refused, all at once', () => {
  const selectiveRepeat = { ...CONNECTION_DEFAULTS.selectiveRepeat, capPackets: 500 }
  expect(() => connect('irn', [], undefined, { selectiveRepeat, lsnWindowBytes: 10_000 })).toThrow(
    'selectiveRepeat.capPackets: expected at most bitmapBits, 128, received 500\n' +
      'lsnWindowBytes: expected null, as IRN has no byte sequence numbers, received 10000 (or mode roce)',
  )
  expect(() => connect('irnn' as Mode, [])).toThrow('mode: expected irn or roce, received "irnn"')
})
