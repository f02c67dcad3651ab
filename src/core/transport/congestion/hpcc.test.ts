import { describe, expect, test } from 'vitest'
import { contextOf, ackEventOf } from '../../../../tests/support/control-world.ts'
import { hopsOf, report, type ReportedHop } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, GBPS, US, type ValuesOf } from '../../base/params.ts'
import { Hops } from '../hops.ts'
import { ACK, NAK } from '../segment.ts'
import { NO_WINDOW } from './congestion.ts'
import { hpcc, Hpcc } from './hpcc.ts'

type Values = ValuesOf<typeof hpcc.params>

/** A sender at 100 Gb/s over 12 us with crafted ACKs; each reports one port's progress since the one before. */
class Answered {
  readonly hpcc: Hpcc
  /** PSNs: acknowledged, next to send. */
  una = 0
  flight = 136
  hops: ReportedHop[] = [{ timePs: 0, sentBytes: 0, queueBytes: 0, rateBps: 100 * GBPS, port: 1 }]

  constructor(values: Partial<Values> = {}, wholeRates = false) {
    this.hpcc = new Hpcc(
      { ...defaultsOf(hpcc.params), ...values },
      contextOf({ lineRateBps: 100 * GBPS, largestRttPs: () => 12 * US, packetWireBytes: 1106, wholeRates }),
    )
  }

  /** The same telemetry again, `packets` later. */
  answer(packets = 1): this {
    this.una += packets
    this.hpcc.onAck(
      0,
      ackEventOf({
        cumulativePsn: this.una,
        nextPsn: this.una + this.flight,
        newPackets: packets,
        hops: hopsOf(...this.hops),
      }),
    )
    return this
  }

  /** The port has sent `sentBytes` in `sinceUs`, and holds a queue. */
  moved(sinceUs: number, sentBytes: number, queueBytes = 0, packets = 1): this {
    this.hops = this.hops.map((hop) => ({
      ...hop,
      timePs: hop.timePs + sinceUs * US,
      sentBytes: hop.sentBytes + sentBytes,
      queueBytes,
    }))
    return this.answer(packets)
  }
}

const state = ({ hpcc: { utilization, amount, reference } }: Answered): number[] => [
  Number(utilization.toFixed(9)),
  Number(amount.toFixed(4)),
  Number(reference.toFixed(4)),
]

describe('the text', () => {
  test('it starts with the BDP for T, and the step is a share of it', () => {
    const { hpcc: control } = new Answered()
    expect([control.amount, control.reference, control.utilization]).toEqual([150_000, 150_000, 1])
    // 150,000 bytes are 135.6 packets: one may go while less than W is in flight.
    expect([control.rateBps, control.windowPackets]).toEqual([100 * GBPS, 136])
  })

  test('the first ACK is only stored', () => {
    const flow = new Answered().answer()
    expect(state(flow)).toEqual([1, 150_000, 150_000])
    expect(flow.hpcc.rateBps).toBe(100 * GBPS)
  })

  test('T-HPCC-1: a full link without a queue takes the window to eta', () => {
    const flow = new Answered().answer().moved(6, 75_000)
    expect(state(flow)).toEqual([1, 142_575, 150_000])
    expect(flow.hpcc.rateBps).toBeCloseTo(95.05 * GBPS, 0)
    expect(flow.hpcc.windowPackets).toBe(Math.ceil(142_575 / 1106))
  })

  test('T-HPCC-2: a queue counts as bytes in flight, and U is smoothed over T', () => {
    const flow = new Answered().answer().moved(6, 75_000)
    // A picosecond later there is a queue.
    flow.moved(0.000001, 0, 30_000)
    flow.hpcc.utilization = 1
    flow.moved(6, 75_000, 45_000)
    expect(flow.hpcc.utilization).toBeCloseTo(1.1, 9)
    expect(flow.hpcc.amount).toBeCloseTo(129_620.4545, 4)
    expect(flow.hpcc.reference).toBe(150_000)
  })

  test('T-HPCC-3: below eta the step is added to the reference, which stays within a round trip', () => {
    const flow = new Answered().answer()
    flow.hpcc.utilization = 1.1
    flow.moved(6, 37_500)
    expect(state(flow)).toEqual([0.8, 150_075, 150_000])
    expect(flow.hpcc.rateBps).toBe(100 * GBPS)
  })

  test('T-HPCC-4: of two queues the shorter counts, so that a burst of the moment does not', () => {
    const flow = new Answered().answer().moved(6, 75_000, 30_000)
    expect(flow.hpcc.utilization).toBe(1)
  })

  test('the reference moves with the first ACK of a packet sent after its last move', () => {
    const flow = new Answered().answer()
    flow.moved(6, 75_000, 0, 136)
    expect(flow.hpcc.reference).toBe(150_000)
    flow.moved(6, 75_000, 0, 1)
    expect(flow.hpcc.reference).toBeCloseTo(142_575, 6)
    // The next round trip has just begun.
    flow.moved(6, 75_000, 0, 100)
    expect(flow.hpcc.reference).toBeCloseTo(142_575, 6)
  })

  test('after maxStage round trips of steps it jumps to eta although no link is full', () => {
    const flow = new Answered({ maxStage: 2 }).answer()
    flow.hpcc.reference = 50_000
    const windows = [1, 2, 3, 4].map(() => flow.moved(12, 75_000, 0, 137).hpcc.reference)
    expect(windows[0]).toBeCloseTo(50_075, 6)
    expect(windows[1]).toBeCloseTo(50_150, 6)
    expect(windows[2]).toBeCloseTo((50_150 * 0.95) / 0.5 + 75, 6)
    expect(windows[3]).toBeCloseTo(windows[2]! + 75, 6)
  })

  test('the busiest hop decides, with its own time between ACKs', () => {
    const flow = new Answered()
    const [first] = flow.hops as [ReportedHop]
    flow.hops = [first, { ...first, port: 2, rateBps: 400 * GBPS }, { ...first, port: 3, rateBps: 25 * GBPS }]
    flow.answer().moved(12, 36_000)
    // 24 Gb/s: a quarter of the first port, a sixteenth of the second, nearly all of the third.
    expect(flow.hpcc.utilization).toBeCloseTo(0.96, 9)
  })

  test('more than T between ACKs counts as T', () => {
    const flow = new Answered().answer().moved(120, 150_000)
    expect(flow.hpcc.utilization).toBeCloseTo(0.1, 9)
  })
})

describe('ACKs without new information', () => {
  test('without hops', () => {
    const flow = new Answered()
    flow.hops = []
    expect(state(flow.answer().answer())).toEqual([1, 150_000, 150_000])
  })

  test('repeated, or older than the stored telemetry', () => {
    const flow = new Answered().answer().moved(6, 75_000)
    const before = state(flow)
    expect(state(flow.answer())).toEqual(before)
    expect(state(flow.moved(-3, 0))).toEqual(before)
    // The stored telemetry is still the newest: the next ACK is 6 us later, and its bytes fill them.
    flow.moved(9, 75_000)
    expect(flow.hpcc.utilization).toBe(1)
  })

  test('over another path, which is then the one to compare with', () => {
    const flow = new Answered().answer()
    flow.hops = flow.hops.map((hop) => ({ ...hop, port: 9, sentBytes: 1e9 }))
    expect(state(flow.moved(6, 0))).toEqual([1, 150_000, 150_000])
    expect(flow.moved(6, 75_000, 60_000).hpcc.utilization).toBe(1)
    flow.hops = [...flow.hops, flow.hops[0]!]
    expect(state(flow.moved(6, 0, 1e6))).toEqual(state(new Answered().answer().moved(6, 75_000)))
  })
})

describe('bounds', () => {
  test('in an idle network the window stays bounded by the bytes a line holds', () => {
    const flow = new Answered().answer()
    for (let i = 0; i < 50; i++) flow.moved(12, 10, 0, 200)
    expect(flow.hpcc.reference).toBe(150_000)
    expect(flow.hpcc.amount).toBe(150_075)
    expect(flow.hpcc.rateBps).toBe(100 * GBPS)
  })

  test('a jam takes it to minRate, where one packet may still be in flight', () => {
    const flow = new Answered({ minRate: 0.5 * GBPS }).answer()
    for (let i = 0; i < 50; i++) flow.moved(12, 150_000, 3e6, 200)
    expect(flow.hpcc.rateBps).toBeCloseTo(0.5 * GBPS, 0)
    expect(flow.hpcc.windowPackets).toBe(1)
  })
})

describe('parameters', () => {
  test('additiveRate is W_AI over T', () => {
    const flow = new Answered({ additiveRate: 2 * GBPS }).answer().moved(12, 75_000, 0)
    expect(flow.hpcc.amount).toBeCloseTo(150_000 + 3000, 6)
  })

  test('baseRtt is T', () => {
    expect(new Answered({ baseRtt: 24 * US }).hpcc.amount).toBe(300_000)
  })

  test('with perAck: false an ACK within a round trip is not even stored', () => {
    const flow = new Answered({ perAck: false }).answer()
    flow.moved(6, 75_000, 50_000)
    expect(state(flow)).toEqual([1, 150_000, 150_000])
    flow.moved(6, 75_000, 0, 137)
    // 12 us and 150,000 bytes since the first answer: full, and no queue at its time.
    expect(state(flow)).toEqual([1, 142_575, 142_575])
  })

  test('whole rates stay whole, whatever the step', () => {
    for (const limit of ['rate', 'window'] as const) {
      const flow = new Answered({ limit, flows: 7 }, true).answer()
      for (let i = 0; i < 40; i++) {
        flow.moved(1 + (i % 5), 10_000 + 777 * i, 500 * (i % 3), 60)
        expect(flow.hpcc.rateBps % 1, limit).toBe(0)
      }
    }
  })

  test('limit: rate controls the rate alone, in whole bits', () => {
    const flow = new Answered({ limit: 'rate', additiveRate: 10e6, maxStage: 0 }, true).answer()
    expect([flow.hpcc.rateBps, flow.hpcc.windowPackets]).toEqual([100 * GBPS, NO_WINDOW])
    flow.moved(12, 130_000, 0, 137)
    // U = 0.8667: 100 Gb/s over 0.91 is above the line.
    expect(flow.hpcc.rateBps).toBe(100 * GBPS)
    flow.moved(12, 150_000, 60_000, 137).moved(12, 150_000, 60_000, 137)
    const rate = (reference: number, share: number): number => Math.floor(reference / (share / 0.95)) + 10e6
    expect(flow.hpcc.rateBps).toBe(rate(rate(100 * GBPS, 1), 1.4))
    expect(flow.hpcc.windowPackets).toBe(NO_WINDOW)
  })
})

describe('in a pair', () => {
  test('the receiver returns the telemetry of the packet that an ACK or NAK is for', () => {
    const pair = new Pair({ congestion: scheme(hpcc), qp: { ackInterval: 1 } })
    const echoed: string[] = []
    pair.forward.rule(
      report(({ count }) => [{ timePs: count, sentBytes: 10 * count, queueBytes: 0, rateBps: 1, port: 4 }]),
    )
    pair.forward.rule((passage) => {
      if (passage.count === 2) passage.copies = 0
    })
    pair.backward.rule(({ segment }) => {
      if (segment.kind === ACK || segment.kind === NAK)
        echoed.push(`${segment.kind === ACK ? 'ACK' : 'NAK'} ${segment.psn}: ${segment.hops.values[0]}`)
    })
    pair.postPackets(4, 'send')
    pair.runUntil(4 * US)
    expect(echoed.slice(0, 3)).toEqual(['ACK 0: 0', 'ACK 1: 1', 'NAK 2: 3'])
    expect(pair.run()).toBe('finished')
  })
})

test('hops are the same path if the same ports wrote them in the same order', () => {
  const hop = (port: number): ReportedHop => ({ timePs: port, sentBytes: 0, queueBytes: 0, rateBps: 1, port })
  const paths = [[], [1], [1, 2], [2, 1], [1, 2, 3]].map((ports) => hopsOf(...ports.map(hop)))
  paths.forEach((one, i) => paths.forEach((other, j) => expect(one.isSamePath(other)).toBe(i === j)))
  const copy = new Hops()
  copy.take(paths[2]!)
  expect(copy.isSamePath(paths[2]!)).toBe(true)
  expect(copy.values.slice(0, 10)).toEqual(paths[2]!.values.slice(0, 10))
})
