/**
 * Live queue pairs: congestion controls over packets that are written to bytes and read again. Round trips are those that the
 * sender measures, marks come back as CNPs, and whatever is lost, doubled or late, each request happens exactly once.
 */
import { describe, expect, test } from 'vitest'
import { MBPS, GBPS, MS, US } from '../../src/core/base/params.ts'
import { CE, CNP, ECT_0 } from '../../src/core/transport/segment.ts'
import {
  type ConnectionValues,
  decodePacket,
  encodePacket,
  LIVE_DEFAULTS,
  liveSchemes,
  type Mode,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_WRITE,
  type SchemeChoice,
  VerbsPacket,
} from '../../src/core/verbs/index.ts'
import { FORMAT_ROCE, readBth, writeCnp } from '../../src/core/wire/index.ts'
import { fc } from '../support/properties.ts'
import { VerbsPair, type VerbsPath } from '../support/verbs-pair.ts'

const MTU = 1024
const CONTROLS: readonly SchemeChoice[] = [
  { kind: 'none' },
  { kind: 'dcqcn' },
  { kind: 'timely' },
  { kind: 'patched-timely' },
  { kind: 'swift' },
  { kind: 'aimd' },
  { kind: 'cubic' },
]

function pairOf(congestion: SchemeChoice, mode: Mode = 'roce', given: Partial<ConnectionValues> = {}): VerbsPair {
  return new VerbsPair({
    values: { ...LIVE_DEFAULTS.connection, mode, ackInterval: 1, ...given },
    delayPs: 20 * US,
    psns: [0xff_fff0, 77],
    schemesOf: (connection, order) =>
      liveSchemes({ congestion, lineRateBps: 10 * GBPS, baseRttPs: 50 * US }, connection, order),
  })
}

/** Posts a request of every kind, twice, with the bytes that each moves. */
function postAll(pair: VerbsPair): { readonly check: () => void } {
  const { a, b } = pair
  const size = 20 * MTU
  const [near, far] = [a.memory(4 * size), b.memory(4 * size)]
  near.bytes!.forEach((_, i, bytes) => (bytes[i] = (i * 7 + (i >> 8)) & 0xff))
  const expected = near.bytes!.slice(0, size)
  const at = { remoteAddress: far.address, remoteKey: far.key, region: near }
  for (const round of [0, 1]) {
    b.receive({ id: 50 + round, region: far, address: far.address + size, lengthBytes: size })
    a.post({ id: 10 * round, operation: OP_WRITE, ...at, address: near.address, lengthBytes: size })
    a.post({ id: 10 * round + 1, operation: OP_SEND, region: near, address: near.address, lengthBytes: size })
    a.post({ id: 10 * round + 2, operation: OP_READ, ...at, address: near.address + size, lengthBytes: size })
    const counter = { ...at, remoteAddress: far.address + 2 * size, address: near.address + 2 * size }
    a.post({ id: 10 * round + 3, operation: OP_FETCH_ADD, ...counter, swap: 5n })
  }
  return {
    check: () => {
      expect(a.log).toEqual([0, 1, 2, 3, 10, 11, 12, 13].map((id) => `${id}:0`))
      expect(b.receiveLog).toEqual(['50:0', '51:0'])
      expect(far.low(far.address + 2 * size)).toBe(10)
      for (const [bytes, from] of [
        [far.bytes!, 0],
        [far.bytes!, size],
        [near.bytes!, size],
      ] as const)
        expect(Buffer.compare(bytes.subarray(from, from + size), expected)).toBe(0)
    },
  }
}

describe.each(CONTROLS)('$kind', (congestion) => {
  test.each(['roce', 'irn'] as const)('whatever happens to packets, all happens exactly once (%s)', (mode) => {
    const fate = fc.constantFrom('lost', 'doubled', 'late', 'marked', 'fine', 'fine', 'fine', 'fine')
    fc.assert(
      fc.property(fc.array(fate, { maxLength: 150 }), fc.array(fate, { maxLength: 60 }), (there, back) => {
        const pair = pairOf(congestion, mode, { retryLimit: null })
        const happens = (path: VerbsPath, fates: readonly string[]) =>
          path.rule((passage) => {
            const what = fates[passage.count]
            if (what === 'lost') passage.copies = 0
            if (what === 'doubled') passage.copies = 2
            if (what === 'late') passage.latePs = 100 * US
            if (what === 'marked') passage.isMarked = true
          })
        happens(pair.toB, there)
        happens(pair.toA, back)
        const { check } = postAll(pair)
        expect(pair.run(100_000 * MS)).toBe(true)
        check()
      }),
      { numRuns: 25 },
    )
  })
})

describe('CNPs', () => {
  /** A pair whose WRITEs, or the responses of whose READs, all meet congestion for a while. */
  function marked(operation: typeof OP_WRITE | typeof OP_READ): { readonly pair: VerbsPair; readonly cnps: number[] } {
    const pair = pairOf({ kind: 'dcqcn' })
    const path = operation === OP_WRITE ? pair.toB : pair.toA
    const back = operation === OP_WRITE ? pair.toA : pair.toB
    path.rule((passage) => void (passage.isMarked = passage.startPs < 2 * MS))
    const cnps: number[] = []
    back.rule(({ packet, startPs }) => void (packet.kind === CNP && cnps.push(startPs)))
    const [near, far] = [pair.a.memory(4000 * MTU), pair.b.memory(4000 * MTU)]
    const where = { region: near, address: near.address, remoteAddress: far.address, remoteKey: far.key }
    pair.a.post({ id: 1, operation, ...where, lengthBytes: 4000 * MTU })
    return { pair, cnps }
  }

  test('answer marked WRITEs, at most one per 50us, and slow the requester down', () => {
    const { pair, cnps } = marked(OP_WRITE)
    pair.run(2 * MS)
    expect(cnps.length).toBeGreaterThan(10)
    expect(cnps.slice(1).every((atPs, i) => atPs - cnps[i]! >= 50 * US)).toBe(true)
    const { requester, responder } = pair.a.pair
    expect(requester.congestion.rateBps).toBeLessThan(2 * GBPS)
    expect(responder.responses.congestion.rateBps).toBe(10 * GBPS)
    // It recovers, and nothing was sent twice.
    pair.run(2000 * MS)
    expect([pair.a.log, requester.retransmissions]).toEqual([['1:0'], 0])
    expect(requester.congestion.rateBps).toBeGreaterThan(2 * GBPS)
  })

  test('answer marked READ responses, and slow their sender down', () => {
    const { pair, cnps } = marked(OP_READ)
    pair.run(2 * MS)
    expect(cnps.length).toBeGreaterThan(10)
    const { requester, responder } = pair.b.pair
    expect(responder.responses.congestion.rateBps).toBeLessThan(2 * GBPS)
    expect(requester.congestion.rateBps).toBe(10 * GBPS)
    pair.run(2000 * MS)
    expect(pair.a.log).toEqual(['1:0'])
  })

  test('of another end are 28 bytes; passed in by a call they do the same', () => {
    const { pair } = marked(OP_WRITE)
    const packet = new VerbsPacket(MTU)
    const bytes = writeCnp(pair.a.pair.number)
    expect(decodePacket(bytes, bytes.length, FORMAT_ROCE, packet)).toBe(true)
    pair.a.pair.pollTransmit(0, new VerbsPacket(MTU))
    const rateBps = () => pair.a.pair.requester.congestion.rateBps / MBPS
    pair.a.pair.onSegment(0, packet)
    const once = rateBps()
    pair.a.pair.onCnp(0)
    expect([once, rateBps()]).toEqual([5000, 2500])
    // Not one of another queue pair.
    packet.destinationQp++
    pair.a.pair.onSegment(0, packet)
    expect(rateBps()).toBe(2500)
  })

  test('are due for a driver beside the ACK of the same packet', () => {
    const { pair } = marked(OP_WRITE)
    const packet = new VerbsPacket(MTU)
    pair.a.pair.pollTransmit(0, packet)
    expect(packet.ecn).toBe(ECT_0)
    Object.assign(packet, { ecn: CE, isAckRequested: true, flags: packet.flags | 4 })
    pair.b.pair.onSegment(0, packet)
    const said: (string | undefined)[] = []
    while (pair.b.pair.pollTransmit(0, packet)) {
      const bytes = new Uint8Array(100)
      const length = encodePacket(packet, FORMAT_ROCE, bytes)
      const bth = readBth(new DataView(bytes.buffer), 0)!
      said.push(`${bth.opcode.toString(16)} ${bth.isBackwardMarked} ${length}`)
      expect(bth.destinationQp).toBe(pair.a.pair.number)
    }
    expect(said).toEqual(['81 true 28', '11 false 16'])
  })
})

describe('round trips', () => {
  /** Rates of TIMELY while the way there takes longer and longer. */
  test('that grow slow TIMELY down, though no ACK carries a time', () => {
    const congestion = { kind: 'timely', minRtt: 40 * US, tLow: 10 * US }
    const pair = pairOf(congestion)
    pair.toB.rule((passage) => void (passage.latePs = passage.startPs / 4))
    const memory = pair.b.memory(2000 * MTU)
    const far = { remoteAddress: memory.address, remoteKey: memory.key }
    pair.a.post({ id: 1, operation: OP_WRITE, ...far, lengthBytes: 2000 * MTU })
    pair.run(MS)
    expect(pair.a.pair.requester.congestion.rateBps).toBeLessThan(9 * GBPS)
  })

  test('are the same as where ACKs carry times', () => {
    const windows = [false, true].map((isDirect) => {
      const pair = new VerbsPair({
        values: { ...LIVE_DEFAULTS.connection, ackInterval: 1 },
        delayPs: 15 * US,
        isDirect,
        schemesOf: (connection, order) =>
          liveSchemes({ congestion: { kind: 'swift' }, lineRateBps: 10 * GBPS }, connection, order),
      })
      const memory = pair.b.memory(500 * MTU)
      const far = { remoteAddress: memory.address, remoteKey: memory.key }
      pair.a.post({ id: 1, operation: OP_WRITE, ...far, lengthBytes: 500 * MTU })
      pair.run()
      return [pair.a.pair.requester.congestion.windowPackets, pair.nowPs]
    })
    expect(windows[0]).toEqual(windows[1])
    expect(windows[0]![0]).not.toBe(32)
  })
})
