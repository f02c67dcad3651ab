/** Live connections: requests that never succeed end, by a number of timeouts without progress, whatever else the other end says. */
import { describe, expect, test } from 'vitest'
import { assert } from '../base/assert.ts'
import { MS, NEVER_PS } from '../base/params.ts'
import { ACK } from '../transport/segment.ts'
import { ACKNOWLEDGE, isReadResponse, READ_REQUEST_OPCODE } from '../wire/opcodes.ts'
import { LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE } from './access.ts'
import type { ConnectionValues } from './connection/values.ts'
import { Device } from './device.ts'
import { liveConnection } from './live-schemes.ts'
import { VerbsPacket } from './packet.ts'
import type { QueuePair } from './queue-pair.ts'
import { Completion, CompletionQueue } from './queues/completion-queue.ts'
import { OP_READ, OP_WRITE } from './queues/operation.ts'
import { RETRY_EXCEEDED, SUCCESS } from './queues/status.ts'

const MTU = 1024
const TIMEOUT_PS = 10 * MS
const RETRIES = 7

/** Whether a packet arrives; `nth` counts those of both ends, from 1 on. */
type Path = (packet: VerbsPacket, nth: number, fromRequester: boolean) => boolean

/** A requester with a region of its own and one at the other end, and a path between them that takes no time. */
class Bench {
  nowPs = 0
  readonly log: string[] = []
  readonly local: QueuePair
  readonly remote: QueuePair
  readonly path: Path
  readonly #completions = new CompletionQueue(16)
  #packets = 0

  constructor(path: Path, given: Partial<ConnectionValues> = {}) {
    this.path = path
    let orders = 0
    const device = new Device({ draw: () => ++orders })
    const domain = device.allocateDomain()
    const plan = { domain, sendCompletions: this.#completions, receiveCompletions: new CompletionQueue(4) }
    const [local, remote] = [device.createQueuePair(plan), device.createQueuePair(plan)]
    const region = (): ReturnType<Device['register']> =>
      device.register(domain, LOCAL_WRITE | REMOTE_READ | REMOTE_WRITE, new Uint8Array(8 * MTU))
    this.here = region()
    this.there = region()
    for (const [pair, { number: remoteQp }] of [
      [local, remote],
      [remote, local],
    ] as const) {
      pair.modify(0, 'init')
      const own = { mtuBytes: MTU, ackTimeoutPs: TIMEOUT_PS, retryLimit: RETRIES, hasCredits: false }
      const values = { ...own, ...given, remoteQp }
      pair.modify(0, 'ready to receive', liveConnection(values, {}, { draw: () => ++orders }))
      pair.modify(0, 'ready to send')
    }
    this.local = local
    this.remote = remote
  }

  readonly here: ReturnType<Device['register']>
  readonly there: ReturnType<Device['register']>

  post(operation: typeof OP_READ | typeof OP_WRITE, packets: number): void {
    const { address: remoteAddress, key: remoteKey } = this.there
    const { address } = this.here
    const where = { region: this.here, address, remoteAddress, remoteKey, lengthBytes: packets * MTU }
    assert(
      this.local.postSend(this.nowPs, { id: 1, operation, ...where }) === 'posted',
      'a request that cannot be posted',
    )
  }

  /** Runs until a request is complete, or nothing can happen; gives its status, null: none. */
  status(limitPs: number): number | null {
    const entry = new Completion()
    const ends = [this.local, this.remote]
    while (this.nowPs < limitPs) {
      for (let moved = true; moved;) {
        moved = false
        for (const [at, pair] of ends.entries()) moved = this.#move(pair, ends[1 - at]!, at === 0) || moved
      }
      if (this.#completions.poll(entry)) return entry.status
      const nextPs = Math.min(...ends.map((pair) => Math.min(pair.nextTimeoutPs, pair.nextSendPs)))
      if (nextPs === NEVER_PS || nextPs > limitPs) return null
      this.nowPs = Math.max(this.nowPs, nextPs)
      for (const pair of ends) if (pair.nextTimeoutPs <= this.nowPs) pair.onTimeout(this.nowPs)
    }
    return null
  }

  #move(from: QueuePair, to: QueuePair, isRequester: boolean): boolean {
    const packet = new VerbsPacket(MTU)
    if (!from.pollTransmit(this.nowPs, packet)) return false
    if (packet.opcode === READ_REQUEST_OPCODE) this.log.push(`${Math.round(this.nowPs / MS)}`)
    if (this.path(packet, ++this.#packets, isRequester)) to.onSegment(this.nowPs, packet)
    return true
  }
}

describe('a READ', () => {
  test('one of whose responses is always lost ends after as many equal timeouts as retries, and one', () => {
    for (const lost of [0, 1]) {
      // By address: the response that carries the packet `lost` of the region.
      const bench = new Bench((packet) => !isReadResponse(packet.opcode) || packet.psn !== lost)
      bench.post(OP_READ, 3)
      expect([bench.status(60_000 * MS), Math.round(bench.nowPs / TIMEOUT_PS)]).toEqual([RETRY_EXCEEDED, RETRIES + 1])
      // At once, as the gap shows, and after each timeout.
      expect(bench.log).toEqual(['0', '0', ...Array.from({ length: RETRIES }, (_, at) => `${(at + 1) * 10}`)])
    }
  })

  test.each([2, 3, 4, 5])('every %dth packet is lost: it succeeds or ends', (every) => {
    for (let phase = 0; phase < every; phase++) {
      const bench = new Bench((_, nth) => nth % every !== phase)
      bench.post(OP_READ, 3)
      const status = bench.status(60_000 * MS)
      expect([SUCCESS, RETRY_EXCEEDED]).toContain(status)
      expect(bench.nowPs).toBeLessThanOrEqual(4 * (RETRIES + 1) * TIMEOUT_PS)
    }
  })

  test('each response that is accepted begins the count anew', () => {
    // Of each response the sixth copy arrives, and none ahead of it.
    let [next, copies] = [0, 0]
    const bench = new Bench((packet) => {
      if (!isReadResponse(packet.opcode)) return true
      if (packet.psn !== next || ++copies < 6) return false
      next++
      copies = 0
      return true
    })
    bench.post(OP_READ, 4)
    expect(bench.status(60_000 * MS)).toBe(SUCCESS)
    expect(bench.nowPs / TIMEOUT_PS).toBeGreaterThan(RETRIES + 1)
  })
})

test('an ACK that is repeated for ever does not put off the end of a WRITE whose next packet is lost', () => {
  const ack = new VerbsPacket(MTU)
  const bench = new Bench((packet, _, fromRequester) => !fromRequester || packet.psn !== 1, { ackInterval: 1 })
  bench.post(OP_WRITE, 2)
  const repeat = (): void => {
    Object.assign(ack, { opcode: ACKNOWLEDGE, kind: ACK, psn: 0, msn: 0, syndrome: 0x1f, destinationQp: 2, flags: 0 })
    bench.local.onSegment(bench.nowPs, ack)
  }
  let status: number | null = null
  for (let step = 1; step < 400 && status === null; step++) {
    const untilPs = (step * TIMEOUT_PS) / 4
    status = bench.status(untilPs)
    bench.nowPs = Math.max(bench.nowPs, untilPs)
    if (status === null) repeat()
  }
  expect(status).toBe(RETRY_EXCEEDED)
  expect(Math.floor(bench.nowPs / TIMEOUT_PS)).toBe(RETRIES + 1)
})
