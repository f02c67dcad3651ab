/** rping between two endpoints, whose frames go over a pipe that loses some. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS } from '../../core/base/params.ts'
import { LiveEndpoint } from '../peer/endpoint.ts'
import { drawOf, HERE, MS, THERE } from './pipe.test-data.ts'
import { RPING_PORT, rpingData } from './rping.ts'
import { RpingPeer, type RpingOptions } from './rping-peer.ts'

const ETHERNET_BYTES = 14
const UDP = 17
/** Opcode of a RoCE frame over IPv4; -1: another frame. */
const opcodeOf = (frame: Uint8Array): number =>
  frame[12] === 8 && frame[13] === 0 && frame[ETHERNET_BYTES + 9] === UDP ? frame[ETHERNET_BYTES + 28]! : -1

class Network {
  readonly here: RpingPeer
  readonly there: RpingPeer
  nowPs = 0
  /** Whether a frame arrives; `nth` counts RoCE frames, from 1 on. */
  arrives: (nth: number, frame: Uint8Array) => boolean = () => true
  #frames = 0
  readonly #ends: readonly LiveEndpoint[]

  constructor(options: Partial<RpingOptions> = {}) {
    const made = [HERE, THERE].map((ip, at) => {
      const draw = drawOf(10 + at)
      const peer = new RpingPeer({ ip, draw, caGuid: BigInt(at), mtuBytes: 1024, ...options })
      const endpoint = new LiveEndpoint({ mac: 0x0200_0000_0001 + at, ip4: ip, ip6: null, draw, agent: peer.agent })
      peer.attach(endpoint)
      return { peer, endpoint }
    })
    this.#ends = made.map(({ endpoint }) => endpoint)
    this.here = made[0]!.peer
    this.there = made[1]!.peer
  }

  run(untilPs = 1e15): void {
    let flying: { readonly atPs: number; readonly to: LiveEndpoint; readonly frame: Uint8Array }[] = []
    while (this.nowPs < untilPs) {
      for (const [at, end] of this.#ends.entries()) {
        for (let frame = end.pollFrame(this.nowPs); frame !== null; frame = end.pollFrame(this.nowPs)) {
          const isRoce = opcodeOf(frame) >= 0
          if (isRoce && !this.arrives(++this.#frames, frame)) continue
          flying.push({ atPs: this.nowPs + MS / 10, to: this.#ends[1 - at]!, frame })
        }
      }
      const nextPs = Math.min(...this.#ends.map((end) => end.nextPs), ...flying.map(({ atPs }) => atPs))
      if (nextPs === NEVER_PS) return
      this.nowPs = Math.max(nextPs, this.nowPs + 1)
      const due = flying.filter(({ atPs }) => atPs <= this.nowPs)
      flying = flying.filter(({ atPs }) => atPs > this.nowPs)
      for (const { to, frame } of due) to.onFrame(this.nowPs, frame)
      for (const end of this.#ends) end.onTime(this.nowPs)
    }
  }
}

function pinged(count: number, sizeBytes: number, arrives: Network['arrives'] = () => true): Network {
  const network = new Network()
  network.arrives = arrives
  network.there.listen(RPING_PORT)
  network.here.connect(0, THERE, RPING_PORT, count, sizeBytes)
  network.run()
  return network
}

test('the data of a ping', () => {
  expect(String.fromCharCode(...rpingData(1, 20))).toBe('rdma-ping-1: BCDEFG\0')
  // After z comes A.
  expect(rpingData(0, 80)[12 + 59]).toBe(65)
})

describe('both roles', () => {
  test.each([
    ['64 bytes', 64],
    ['several packets', 5000],
    ['the longest buffers', 65_535],
  ])('%s, three pings', (_, sizeBytes) => {
    const { here, there } = pinged(3, sizeBytes)
    const [client, server] = [here.ended[0]!, there.ended[0]!]
    expect([client.rping.failure, client.rping.pings, client.rping.isFinished]).toEqual([null, 3, true])
    expect(server.rping.data).toEqual(rpingData(2, sizeBytes))
    expect(server.connection.end).toEqual({ cause: 'disconnected', by: 'other end' })
    expect([here.sessions, there.sessions]).toEqual([[], []])
  })

  test.each([5, 7, 9])('every %dth frame is lost: all pings are right', (every) => {
    const { here, there } = pinged(10, 3000, (nth) => nth % every !== every - 1)
    expect(here.ended[0]?.rping).toMatchObject({ failure: null, pings: 10, isFinished: true })
    expect(there.ended[0]?.connection.state).toBe('closed')
  })

  // A READ and its three responses in step with the losses: one of them is lost in each round.
  test.each([2, 3, 4])('every %dth frame is lost: all pings are right, or both ends have an end', (every) => {
    for (let phase = 0; phase < every; phase++) {
      const { here, there, nowPs } = pinged(10, 3000, (nth) => nth % every !== phase)
      expect([here.sessions, there.sessions]).toEqual([[], []])
      const failures = [here, there].map(({ ended }) => ended[0]?.rping.failure)
      expect(here.ended[0]?.rping.pings === 10 || failures.includes('status')).toBe(true)
      expect(nowPs).toBeLessThan(20_000 * MS)
    }
  })

  test('each frame of the exchange is lost once', () => {
    for (let lost = 1; lost <= 22; lost++) {
      const { here } = pinged(1, 64, (nth) => nth !== lost)
      expect([lost, here.ended[0]?.rping.pings, here.ended[0]?.rping.failure]).toEqual([lost, 1, null])
    }
  })

  test('counts outlive the queue pair', () => {
    const { here } = pinged(10, 3000, (nth) => nth % 7 !== 6)
    expect(here.ended[0]!.live.retransmissions).toBeGreaterThan(0)
    expect(here.ended[0]!.live.counts.sent).toBeGreaterThan(20)
  })

  test('a server that ends its connections: its client sees a disconnection by the other end', () => {
    const network = new Network()
    network.there.listen(RPING_PORT)
    network.here.connect(0, THERE, RPING_PORT, 1000)
    network.run(5 * MS)
    network.there.disconnect(network.nowPs)
    network.run()
    const [client, server] = [network.here.ended[0]!, network.there.ended[0]!]
    expect([client.connection.end, client.rping.isFinished]).toEqual([
      { cause: 'disconnected', by: 'other end' },
      false,
    ])
    expect(server.connection.end).toEqual({ cause: 'disconnected', by: 'this end' })
  })

  test('a server that rejects', () => {
    const network = new Network({ rejects: 28 })
    network.there.listen(RPING_PORT)
    network.here.connect(0, THERE, RPING_PORT, 1)
    network.run()
    expect(network.here.ended[0]?.connection.end).toEqual({ cause: 'rejected', by: 'other end', reason: 28 })
    expect(network.there.sessions).toEqual([])
  })

  test('several clients at once', () => {
    const network = new Network()
    network.there.listen(RPING_PORT)
    for (let client = 0; client < 5; client++) network.here.connect(0, THERE, RPING_PORT, 4)
    network.run()
    expect(network.here.ended.map(({ rping }) => rping.pings)).toEqual([4, 4, 4, 4, 4])
  })
})
