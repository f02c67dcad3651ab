/** A responder that is sent packets one by one: what it says to each, and what it is silent about. */
import { describe, expect, test } from 'vitest'
import { US } from '../base/params.ts'
import {
  RNR_WAIT_US,
  SYNDROME_PSN_ERROR as OUT_OF_ORDER,
  SYNDROME_REMOTE_ACCESS as NO_ACCESS,
  SYNDROME_RNR as NOT_READY,
} from '../wire/aeth.ts'
import { READ_REQUEST_OPCODE as READ, SEND_ONLY, WRITE_FIRST, WRITE_LAST, WRITE_ONLY } from '../wire/opcodes.ts'
import { LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE } from './access.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from './connection-values.ts'
import { Device } from './device.ts'
import type { MemoryRegion } from './memory-region.ts'
import { VerbsPacket } from './packet.ts'
import { ReceiveQueue } from './receive-queue.ts'
import { Responder } from './responder.ts'

const MTU = 1024
const TIMER_CODE = 1

class Bench {
  nowPs = 0
  readonly device = new Device({ draw: () => 1 })
  readonly domain = this.device.allocateDomain()
  readonly region = this.device.register(this.domain, LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ, new Uint8Array(8 * MTU))
  readonly receives = new ReceiveQueue(8)
  readonly responder: Responder
  readonly failures: string[] = []
  completions = 0

  constructor(values: Partial<ConnectionValues> = {}) {
    const { device, domain, receives } = this
    this.responder = new Responder(
      {
        domain,
        receives,
        shared: null,
        isShared: false,
        regionOf: (key: number): MemoryRegion | null => device.regionOf(key),
        onReceived: () => {
          this.completions++
          receives.drop()
        },
        onResponderFailed: (status, event) => this.failures.push(`${status} ${event}`),
      },
      { ...CONNECTION_DEFAULTS, remoteQp: 2, mtuBytes: MTU, rnrTimerCode: TIMER_CODE, ...values },
    )
  }

  postReceive(): void {
    this.receives.post({ id: 1, region: this.region, address: this.region.address, lengthBytes: MTU })
  }

  /** A packet comes; what is said to it at once, as "syndrome psn msn" in hexadecimal, decimal, decimal. */
  hear(opcode: number, psn: number, fields: Partial<VerbsPacket> = {}): string[] {
    const { key, address } = this.region
    const packet = Object.assign(
      new VerbsPacket(MTU),
      { opcode, psn, key, virtualAddress: address, payloadBytes: opcode === READ ? 0 : MTU, isAckRequested: true },
      { lengthBytes: opcode === WRITE_FIRST ? 2 * MTU : MTU, hasPayload: opcode !== READ },
      fields,
    )
    this.responder.onRequest(this.nowPs, packet)
    return this.said()
  }

  said(): string[] {
    const said: string[] = []
    const out = new VerbsPacket(MTU)
    while (said.length < 9 && this.responder.hasAnswer && this.responder.pollAnswer(out)) {
      said.push(`${out.syndrome.toString(16)} ${out.psn} ${out.msn}`)
    }
    return said
  }

  /** PSNs of the responses that leave now. */
  responses(): number[] {
    const psns: number[] = []
    const out = new VerbsPacket(MTU)
    while (psns.length < 20 && this.responder.pollResponse(this.nowPs, out)) psns.push(out.psn)
    return psns
  }
}

const ACK = '1f'
const NAK = OUT_OF_ORDER.toString(16)
const RNR = (NOT_READY | TIMER_CODE).toString(16)
const WAIT_PS = RNR_WAIT_US[TIMER_CODE]! * US

describe('RoCE', () => {
  const benchOf = (values: Partial<ConnectionValues> = {}): Bench => new Bench({ hasCredits: false, ...values })

  test('a hole is reported once, and anew when it has been filled and there is another', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_ONLY, 0)).toEqual([`${ACK} 0 1`])
    expect(bench.hear(WRITE_ONLY, 2)).toEqual([`${NAK} 1 1`])
    expect(bench.hear(WRITE_ONLY, 3)).toEqual([])
    expect(bench.hear(WRITE_ONLY, 1)).toEqual([`${ACK} 1 2`])
    expect(bench.hear(WRITE_ONLY, 4)).toEqual([`${NAK} 2 2`])
    expect([bench.responder.naksSent, bench.responder.epsn]).toEqual([2, 2])
  })

  test('the first packet of all can be the one that is missing', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_ONLY, 1)).toEqual([`${NAK} 0 0`])
  })

  test('who is not ready says so, and is silent about what was sent before that was known', () => {
    const bench = benchOf()
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${RNR} 0 0`])
    bench.nowPs = WAIT_PS - 1
    expect(bench.hear(SEND_ONLY, 1)).toEqual([])
    // A copy of the one that was refused is refused anew, and the wait begins anew.
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${RNR} 0 0`])
    bench.nowPs = 2 * WAIT_PS - 2
    expect(bench.hear(SEND_ONLY, 1)).toEqual([])
    bench.nowPs = 2 * WAIT_PS - 1
    expect(bench.hear(SEND_ONLY, 1)).toEqual([`${NAK} 0 0`])
    bench.postReceive()
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${ACK} 0 1`])
    expect([bench.responder.rnrNaksSent, bench.responder.naksSent, bench.completions]).toEqual([2, 1, 1])
  })

  test('an ACK is for those who ask', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_FIRST, 0, { isAckRequested: false })).toEqual([])
    expect(bench.hear(WRITE_LAST, 1)).toEqual([`${ACK} 1 1`])
    expect(bench.hear(WRITE_LAST, 1, { isAckRequested: false })).toEqual([])
    expect(bench.hear(WRITE_FIRST, 0)).toEqual([`${ACK} 1 1`])
  })

  test('a copy takes no NAK back that has not left yet', () => {
    const bench = benchOf()
    const packet = (psn: number): VerbsPacket =>
      Object.assign(new VerbsPacket(MTU), {
        opcode: WRITE_ONLY,
        psn,
        key: bench.region.key,
        virtualAddress: bench.region.address,
        lengthBytes: MTU,
        payloadBytes: MTU,
        isAckRequested: true,
      })
    for (const psn of [0, 2, 0]) bench.responder.onRequest(0, packet(psn))
    expect(bench.said()).toEqual([`${NAK} 1 1`])
  })

  test('a READ is answered by its responses, of which a copy brings those that are asked for again', () => {
    const bench = benchOf()
    expect(bench.hear(READ, 0, { lengthBytes: 3 * MTU })).toEqual([])
    expect([bench.responses(), bench.responder.epsn, bench.responder.msn]).toEqual([[0, 1, 2], 3, 1])
    expect(bench.hear(READ, 1, { lengthBytes: 2 * MTU, virtualAddress: bench.region.address + MTU })).toEqual([])
    expect(bench.responses()).toEqual([1, 2])
    // A copy of a WRITE asks for none.
    expect([bench.hear(WRITE_ONLY, 3), bench.hear(WRITE_ONLY, 3), bench.responses()]).toEqual([
      [`${ACK} 3 2`],
      [`${ACK} 3 2`],
      [],
    ])
  })

  test('what is refused ends it, behind the responses that are due before', () => {
    const bench = benchOf()
    bench.hear(READ, 0, { lengthBytes: 2 * MTU })
    expect(bench.hear(WRITE_ONLY, 2, { key: 0x123456 })).toEqual([])
    expect(bench.hear(WRITE_ONLY, 2)).toEqual([])
    expect([bench.responses(), bench.failures]).toEqual([[0, 1], []])
    const out = new VerbsPacket(MTU)
    expect([bench.responder.hasAnswer, bench.responder.pollAnswer(out)]).toEqual([true, true])
    expect([out.syndrome, out.psn, bench.responder.naksSent]).toEqual([NO_ACCESS, 2, 1])
    expect(bench.failures).toEqual(['null access error'])
  })
})

describe('IRN', () => {
  const bench = (): Bench => new Bench({ mode: 'irn', hasCredits: false })

  test('each packet out of order is told of, as what is missing and what has come', () => {
    const { responder, region } = bench()
    const out = new VerbsPacket(MTU)
    const { key, address } = region
    const heard = [2, 3, 0, 0, 1].map((psn) => {
      const fields = { opcode: WRITE_ONLY, psn, key, virtualAddress: address, lengthBytes: MTU, payloadBytes: MTU }
      responder.onRequest(0, Object.assign(new VerbsPacket(MTU), fields))
      expect([responder.pollAnswer(out), responder.hasAnswer]).toEqual([true, false])
      return [out.syndrome, out.psn, out.sackPsn, out.msn]
    })
    expect(heard).toEqual([
      [OUT_OF_ORDER, 0, 2, 0],
      [OUT_OF_ORDER, 0, 3, 0],
      [0x1f, 0, 0, 1],
      [0x1f, 0, 0, 1],
      [0x1f, 3, 1, 4],
    ])
    expect(responder.naksSent).toBe(2)
  })

  test('what may not be done ahead of a hole is dropped without a word, and judged when it comes in order', () => {
    const one = bench()
    expect(one.hear(SEND_ONLY, 1)).toEqual([])
    expect([one.responder.earlyDrops, one.responder.rnrNaksSent]).toEqual([1, 0])
    expect(one.hear(WRITE_ONLY, 0)).toEqual([`${ACK} 0 1`])
    expect(one.hear(SEND_ONLY, 1)).toEqual([`${RNR} 1 1`])
    expect(one.responder.rnrNaksSent).toBe(1)
  })
})
