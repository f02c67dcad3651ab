/** Loss cuts of rate controls, where they are configured; windows react to losses without this (aimd.test.ts). */
import { describe, expect, test } from 'vitest'
import { AckedFlow } from '../../../../tests/support/acked-flow.ts'
import { lose } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, GBPS, MBPS, NEVER_PS, NS, US, type ValuesOf } from '../../base/params.ts'
import { DATA } from '../segment.ts'
import { FIRST_CONGESTION_TIMER, Timers } from '../timers.ts'
import { dcqcn, Dcqcn, dcqcnConnectX4 } from './dcqcn.ts'
import { PatchedTimely, patchedTimely } from './patched-timely.ts'
import { Timely, timely } from './timely.ts'

describe('TIMELY', () => {
  const flowOf = (values: Partial<ValuesOf<typeof timely.params>>): AckedFlow<Timely> =>
    new AckedFlow((context) => new Timely({ ...defaultsOf(timely.params), ...values }, context))

  test('a loss cuts by its share once per episode, a timeout each time, and minRate is the floor', () => {
    const flow = flowOf({ lossCut: 0.5, minRate: 4 * GBPS })
    flow.flight = 100
    const rates = [() => flow.nak(), () => flow.nak(), () => flow.timeout(), () => flow.timeout(), () => flow.timeout()]
    expect(
      rates.map((happen) => {
        happen()
        return flow.control.rateBps / GBPS
      }),
    ).toEqual([20, 20, 10, 5, 4])
  })

  test('a loss of what was sent after the episode began cuts again', () => {
    const flow = flowOf({ lossCut: 0.25 })
    flow.flight = 10
    flow.nak()
    flow.answer({ packets: 10 })
    flow.nak()
    expect(flow.control.rateBps).toBe(40 * GBPS * 0.75 ** 2)
  })

  test('without it neither losses nor timeouts change anything', () => {
    const flow = flowOf({})
    flow.nak()
    flow.timeout()
    expect(flow.control.rateBps).toBe(40 * GBPS)
  })

  test('a loss resets the count of rises', () => {
    const flow = flowOf({ lossCut: 0.5, segment: 1 })
    flow.control.rateBps = GBPS
    const steps = [100, 99, 98, 97, 96, 95].map((us) => {
      if (us === 95) flow.timeout()
      const beforeBps = flow.control.rateBps
      flow.rttPs = us * US
      flow.answer({})
      return Math.round((flow.control.rateBps - beforeBps) / MBPS)
    })
    // The first RTT is only kept; the fifth rise in a row would have been one of 50 Mb/s.
    expect(steps).toEqual([0, 10, 10, 10, 10, 10])
  })

  test('over go-back-N: two losses of one round trip are one cut', () => {
    const pair = new Pair({ congestion: scheme(timely, { lossCut: 0.5 }), delayPs: 10 * US })
    pair.forward.rule(lose(DATA, 50, 1))
    pair.forward.rule(lose(DATA, 60, 1))
    pair.postPackets(130)
    expect(pair.run()).toBe('finished')
    // Below tLow, so that each segment of 16 packets adds 10 Mb/s.
    const gbps = pair.sender.congestion.rateBps / GBPS
    expect(gbps).toBeGreaterThanOrEqual(20)
    expect(gbps).toBeLessThan(20.1)
  })
})

test('patched TIMELY backs off in the same way', () => {
  const flow = new AckedFlow(
    (context) => new PatchedTimely({ ...defaultsOf(patchedTimely.params), lossCut: 0.5 }, context),
  )
  flow.nak()
  flow.nak()
  expect(flow.control.rateBps).toBe(20 * GBPS)
})

describe('DCQCN', () => {
  const flowOf = (definition: typeof dcqcn | typeof dcqcnConnectX4, values: Partial<ValuesOf<typeof dcqcn.params>>) => {
    const timers = new Timers({ draw: () => 1 })
    const flow = new AckedFlow((context) => new Dcqcn({ ...defaultsOf(definition.params), ...values }, context), {
      timers,
    })
    flow.flight = 100
    const ratesOf = (): number[] => [flow.control.targetBps / GBPS, flow.control.rateBps / GBPS]
    return { flow, timers, ratesOf }
  }

  test('a loss takes its share once per episode, and the rate comes back as after a CNP; alpha stays', () => {
    const { flow, timers, ratesOf } = flowOf(dcqcn, { lossCut: 0.25, byteCounter: 1e15 })
    flow.nak()
    expect(ratesOf()).toEqual([40, 30])
    flow.nak()
    expect(ratesOf()).toEqual([40, 30])
    expect([timers.nextPs, timers.nextSlot]).toEqual([55 * US, FIRST_CONGESTION_TIMER])
    flow.control.onTimer(55 * US, FIRST_CONGESTION_TIMER)
    expect(ratesOf()).toEqual([40, 35])
    expect(flow.control.alphaAt(55 * US)).toBe(1)
  })

  test('each timeout takes it, down to minRate', () => {
    const { flow, ratesOf } = flowOf(dcqcn, { lossCut: 0.5, minRate: 8 * GBPS })
    const rates = [1, 2, 3].map(() => {
      flow.timeout()
      return ratesOf()
    })
    expect(rates).toEqual([
      [40, 20],
      [20, 10],
      [10, 8],
    ])
  })

  test('without it neither losses nor timeouts change anything', () => {
    const { flow, timers, ratesOf } = flowOf(dcqcn, {})
    flow.nak()
    flow.timeout()
    expect(ratesOf()).toEqual([40, 40])
    expect(timers.nextPs).toBe(NEVER_PS)
  })

  test('a windowed machine begins with a loss as with a CNP: CNPs behind it cut at its checks', () => {
    const { flow, timers, ratesOf } = flowOf(dcqcnConnectX4, { lossCut: 0.5 })
    flow.nak()
    expect(ratesOf()).toEqual([40, 20])
    flow.control.onCnp(1 * US, 1 * US)
    expect(ratesOf()).toEqual([40, 20])
    const { nextPs, nextSlot } = timers
    expect(nextPs).toBe(4 * US + 1 * NS)
    flow.control.onTimer(nextPs, nextSlot)
    // The target stays where it was before the loss, since no increase came between the two cuts.
    expect(flow.control.targetBps).toBe(40 * GBPS)
    expect(flow.control.rateBps).toBeLessThan(10.2 * GBPS)
  })

  test('no loss takes more than maxCut', () => {
    const { flow, ratesOf } = flowOf(dcqcnConnectX4, { lossCut: 0.9 })
    flow.timeout()
    expect(ratesOf()).toEqual([40, 20])
  })
})
