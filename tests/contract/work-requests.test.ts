/**
 * The contract of work requests: whatever is lost, trimmed, marked or reordered, each completes once, in order and
 * successfully, its bytes are at their addresses, and atomics are executed once. Checked for each recovery with each
 * congestion control that it can be combined with; every case mixes all operations that the recovery supports.
 */
import { describe, expect, test } from 'vitest'
import { schemeMatrix } from '../../src/lab/advice/scheme-matrix.ts'
import { VerbsNetwork } from '../../src/lab/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { recoveries } from '../../src/core/transport/recovery/index.ts'
import {
  Completion,
  CompletionQueue,
  isAnswered,
  type MemoryRegion,
  OP_COMPARE_SWAP,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_SEND_IMMEDIATE,
  OP_SEND_INVALIDATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  type Operation,
  type QueuePair,
  SUCCESS,
} from '../../src/core/verbs/index.ts'
import { BUDGET, FIRST_SEED } from '../support/pair-cases.ts'
import { ALL_RIGHTS } from '../support/verbs-pair.ts'
import { Dice } from '../swarm/dice.ts'

const CASES = 110 * BUDGET
const MTU = 256
const OPERATIONS: readonly Operation[] = [
  OP_SEND,
  OP_SEND_IMMEDIATE,
  OP_SEND_INVALIDATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  OP_READ,
  OP_COMPARE_SWAP,
  OP_FETCH_ADD,
]
/**
 * Layout of each side's memory: a word for the atomics, data to be read, and from here on separate areas for writes and
 * receives.
 */
const STILL_OFFSET = 64
const FRESH_OFFSET = 8192
const MEMORY_BYTES = 65_536

/** A queue before the slow links between the switches, with room for a few packets. */
const TRIMMED = [
  'topology.fabricRate=5Gbps',
  'pfc.classes=[]',
  'switch.trimming.of=lossy',
  'switch.buffer={kind: shared-buffer, size: 1200B, reserve: 0B, alpha: 8, egressAlpha: 8}',
]

/** With go-back-0 a message that the buffer never holds in full is restarted for ever. */
const mayTrim = (sets: readonly string[]): boolean => !sets.includes('recovery=go-back-0')

/** Go-back-N and its extensions use trimmed headers only if configured. */
const hearingOf = (sets: readonly string[]): string[] =>
  ['go-back-n', 'send-twice', 'check-epsn', 'improved-gbn'].some((name) => sets.includes(`recovery=${name}`))
    ? ['recovery.trimmed=nak']
    : []

interface Request {
  readonly operation: Operation
  readonly lengthBytes: number
  /** Offset of its bytes at the poster, and at the other end (written or read). */
  readonly nearOffset: number
  readonly farOffset: number
  readonly isFenced: boolean
}

/** READs and atomics are not supported by every recovery. */
function operationsOf(recovery: string): readonly Operation[] {
  const definition = recoveries.find(({ name }) => name === recovery)!
  const isSilent = 'whyNoRequests' in definition
  return OPERATIONS.filter((operation) => !isSilent || !isAnswered(operation))
}

/** Each operation once and some more of them, each with bytes of its own. */
function planRequests(dice: Dice, operations: readonly Operation[]): Request[] {
  const all = [...operations, ...Array.from({ length: dice.from(0, 4) }, () => dice.one(operations))]
  let nearOffset = STILL_OFFSET
  let farOffset = FRESH_OFFSET
  return all
    .map((operation) => ({ operation, at: dice.from(0, 1000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ operation }): Request => {
      const lengthBytes = operation > OP_READ ? 8 : dice.log(1, 6 * MTU)
      const request = {
        operation,
        lengthBytes,
        nearOffset: operation === OP_READ ? farOffset : nearOffset,
        farOffset: operation > OP_READ ? 0 : operation === OP_READ ? STILL_OFFSET : farOffset,
        isFenced: dice.chance(0.1),
      }
      nearOffset = (nearOffset + lengthBytes) % (FRESH_OFFSET - 8 * MTU)
      farOffset += lengthBytes
      return request
    })
}

interface Side {
  readonly host: number
  readonly pair: QueuePair
  readonly sent: CompletionQueue
  readonly received: CompletionQueue
  readonly memory: MemoryRegion
}

const byteOf = (offset: number): number => (offset * 31 + (offset >> 7)) & 0xff

/** Violations found in one case, as text; and the faults that occurred. */
function wrongsOf(seed: number, sets: readonly string[], operations: readonly Operation[]) {
  const dice = new Dice(seed)
  const loss = dice.one([0, 0.003, 0.02, 0.08])
  const isSprayed = dice.chance(0.4)
  const trims = new Dice(seed ^ 0x7217)
  const isTrimmed = trims.chance(0.3) && mayTrim(sets)
  const text = `
name: contract
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 1, hostRate: 25Gbps, fabricRate: 25Gbps}
frames: {payload: ${MTU}B}
qp: {ackTimeout: 40us, retryLimit: off, readAcks: true}
switch: {ecn: {kmin: 2KB, kmax: 8KB, pmax: 0.5}}
workload: [{kind: incast, senders: 1}]
`
  const scenario = parseScenario(text, {
    sets: [
      ...sets,
      ...(isSprayed ? ['balance=spray'] : []),
      ...(isTrimmed ? [...TRIMMED, ...(trims.chance(0.5) ? hearingOf(sets) : [])] : []),
      ...(loss > 0 ? [`faults=[{kind: bernoulli, probability: ${loss}}]`] : []),
      `seed=${seed}`,
    ],
  })
  const network = new VerbsNetwork(scenario, { mtuBytes: MTU, isChecked: true, onActivity: (nowPs) => look(nowPs) })
  const sideAt = (host: number): Side => {
    const device = network.device(host)
    const domain = device.allocateDomain()
    const [sent, received] = [new CompletionQueue(64), new CompletionQueue(64)]
    const pair = device.createQueuePair({ domain, sendCompletions: sent, receiveCompletions: received })
    const memory = device.register(domain, ALL_RIGHTS, new Uint8Array(MEMORY_BYTES))
    for (let at = STILL_OFFSET; at < FRESH_OFFSET; at++) memory.bytes![at] = byteOf(at)
    return { host, pair, sent, received, memory }
  }
  const [a, b] = [sideAt(0), sideAt(1)]
  network.connect(a, b, { readsOut: dice.one([1, 16]), hasCredits: dice.chance(0.7) })
  const requests = planRequests(dice, operations)
  const takers = requests.filter(({ operation }) => operation < OP_WRITE || operation === OP_WRITE_IMMEDIATE)
  // Some Receive WQEs are posted late, so that the first SENDs find none.
  const early = dice.from(0, takers.length)
  const receive = (request: Request): void => {
    const { memory, pair } = b
    const { farOffset } = request
    pair.postReceive({
      id: farOffset,
      region: memory,
      address: memory.address + farOffset,
      lengthBytes: request.lengthBytes,
    })
  }
  takers.slice(0, early).forEach(receive)
  network.at(60e6, () => takers.slice(early).forEach(receive))
  requests.forEach((request, id) => {
    const { operation, lengthBytes, nearOffset, farOffset, isFenced } = request
    const invalidateKey = operation === OP_SEND_INVALIDATE ? network.device(1).register(0, ALL_RIGHTS, null, 1).key : 0
    a.pair.postSend(0, {
      id,
      operation,
      region: a.memory,
      address: a.memory.address + nearOffset,
      lengthBytes,
      remoteAddress: b.memory.address + farOffset,
      remoteKey: b.memory.key,
      invalidateKey,
      immediate: id,
      compare: 0n,
      swap: 1n,
      isFenced,
    })
  })
  const wrongs: string[] = []
  const completion = new Completion()
  let done = 0
  let taken = 0
  const look = (nowPs: number): void => {
    while (a.sent.poll(completion)) {
      const { id, status } = completion
      if (id !== done++ || status !== SUCCESS) wrongs.push(`request ${id} is number ${done} done, status ${status}`)
    }
    while (b.received.poll(completion)) {
      const due = takers[taken++]
      if (due === undefined || completion.id !== due.farOffset || completion.status !== SUCCESS)
        wrongs.push(`receive ${completion.id} is number ${taken} done, status ${completion.status}, at ${nowPs} ps`)
    }
  }
  network.run(5e12)
  if (done !== requests.length) wrongs.push(`${done} of ${requests.length} requests done`)
  if (taken !== takers.length) wrongs.push(`${taken} of ${takers.length} receives done`)
  for (const { operation, lengthBytes, nearOffset, farOffset } of requests) {
    if (operation > OP_READ) continue
    const [to, at, from] = operation === OP_READ ? [a, nearOffset, farOffset] : [b, farOffset, nearOffset]
    for (let k = 0; k < lengthBytes; k++) {
      if (to.memory.bytes![at + k] === byteOf(from + k)) continue
      wrongs.push(`byte ${k} of operation ${operation} is not there`)
      break
    }
  }
  const adds = requests.filter(({ operation }) => operation === OP_FETCH_ADD).length
  const firstSwap = requests.findIndex(({ operation }) => operation === OP_COMPARE_SWAP)
  const firstAdd = requests.findIndex(({ operation }) => operation === OP_FETCH_ADD)
  // The compare-and-swap of 0 for 1 succeeds once, if it is the first.
  const word = adds + (firstSwap >= 0 && (firstAdd < 0 || firstSwap < firstAdd) ? 1 : 0)
  if (b.memory.low(b.memory.address) !== word) wrongs.push(`the word is ${b.memory.low(b.memory.address)}, not ${word}`)
  const drops = network.network.fabric.counters.drops.reduce((sum, count) => sum + count, 0)
  const resent = a.pair.requester.retransmissions + b.pair.responder.responses.retransmissions
  const { trimmed } = network.network.fabric.counters
  network.close()
  return { wrongs, isFaulty: drops > 0 || resent > 0, trimmed }
}

/** A host kernel's timeouts would be longer than the cases. */
const QUICK: Readonly<Record<string, readonly string[]>> = {
  tcp: ['recovery.rtoInitial=320us', 'recovery.rtoMin=160us', 'recovery.delayedAck=20us'],
}

/** Settings of every second case. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = { ldcp: ['congestion.windowUnit=bytes'] }

const CELLS = schemeMatrix().filter(({ runs }) => runs)

describe.each(recoveries.map(({ name }) => name))('%s', (recovery) => {
  const operations = operationsOf(recovery)
  const controls = CELLS.filter((cell) => cell.recovery === recovery)

  test.each(controls)(`with $congestion: ${CASES} cases of all operations from seed ${FIRST_SEED}`, (cell) => {
    const sets = [`recovery=${recovery}`, `congestion=${cell.congestion}`, ...(QUICK[recovery] ?? []), ...cell.settings]
    const broken: string[] = []
    let faulty = 0
    let trimmed = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const outcome = wrongsOf(
        seed,
        [...sets, ...(seed % 2 === 0 ? (OTHERWISE[cell.congestion] ?? []) : [])],
        operations,
      )
      const { wrongs, isFaulty } = outcome
      trimmed += outcome.trimmed
      if (wrongs.length > 0) broken.push(`seed ${seed}: ${wrongs.slice(0, 3).join('; ')}`)
      if (isFaulty) faulty++
    }
    expect(broken).toEqual([])
    expect(faulty / CASES, 'share of cases in which something was wrong').toBeGreaterThan(0.3)
    expect(trimmed > 0, 'packets are trimmed').toBe(mayTrim(sets))
  })
})
