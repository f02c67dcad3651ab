import { describe, expect, test } from 'vitest'
import { Memory } from '../base/memory.ts'
import { createSerialization } from '../base/serialization.ts'
import { congestions } from '../transport/congestion/index.ts'
import type { CongestionDefinition } from '../transport/congestion/congestion.ts'
import { parseScenario } from '../scenario/index.ts'
import { Timers } from '../transport/timers.ts'
import { VerbsRateLimiter } from './verbs-rate-limiter.ts'

const US = 1e6
const LINE_BPS = 100e9

/** A limiter under the control of that name with its own defaults. */
function limiterOf(name: string): VerbsRateLimiter {
  const { congestion } = parseScenario(
    `{name: x, topology: {kind: star, hosts: 2}, workload: [{kind: incast, senders: 1}], congestion: ${name}}`,
  )
  const definition = congestions.find((one) => one.name === congestion.kind) as unknown as CongestionDefinition
  let order = 0
  const timers = new Timers({ draw: () => order++ }, new Memory())
  const control = definition.create(congestion as never, {
    sender: { una: 0, nxt: 0, end: 0, highest: 0, waitingPackets: 0, nextSendPs: 0 },
    lineRateBps: LINE_BPS,
    payloadBytes: 512,
    timers,
    wholeRates: false,
    baseRttPs: 8 * US,
    bdpPackets: 100,
    startPackets: 100,
    packetWireBytes: 600,
    largestRttPs: () => 8 * US,
  })
  return new VerbsRateLimiter({
    congestion: control,
    timers,
    serialization: createSerialization(1, 'nearest'),
    gapBytes: 20,
    isEcnCapable: true,
    cnpIntervalPs: 50 * US,
    cnpBytes: 64,
    cnpCodepoint: 48,
    movesDeadline: true,
  })
}

describe.each(['dcqcn', 'dcqcn-connectx4', 'qcn'])('%s around a queue pair', (name) => {
  const slow = (limiter: VerbsRateLimiter, nowPs: number): void =>
    name === 'qcn' ? limiter.onCnm(nowPs, 40) : limiter.onCnp(nowPs, nowPs - 2 * US)

  /** Rates at a few instants, when it is asked at every step and when it is asked only then. */
  const rates = (stepUs: number): number[] => {
    const limiter = limiterOf(name)
    const seen: number[] = []
    for (let us = 0; us <= 60_000; us += stepUs) {
      // Its rate moves once it is limited and packets go.
      if (us === 700 || us === 900) slow(limiter, us * US)
      if (us % 1000 === 0) {
        limiter.onSent(us * US, 600)
        seen.push(limiter.congestion.rateBps)
      } else limiter.availablePs(us * US)
    }
    return seen
  }

  test('is at every instant what it is when it is asked all the time', () => {
    const often = rates(1)
    expect(rates(100)).toEqual(often)
    expect(often[0]).toBe(LINE_BPS)
    expect(Math.min(...often)).toBeLessThan(0.9 * LINE_BPS)
    expect(often.at(-1)).toBeGreaterThan(Math.min(...often))
  })

  test('lets the next packet go when the last one is paid for, sooner when the rate rises', () => {
    const limiter = limiterOf(name)
    for (let i = 0; i < 4; i++) slow(limiter, i * 200 * US)
    const startPs = 1000 * US
    limiter.onSent(startPs, 600)
    const { rateBps } = limiter.congestion
    // To the picosecond, however it is rounded.
    expect(Math.abs(limiter.availablePs(startPs) - startPs - (620 * 8e12) / rateBps)).toBeLessThan(1)
    expect(limiter.nextChangePs).toBeGreaterThan(startPs)
  })
})

test('marks are answered once an interval', () => {
  const limiter = limiterOf('dcqcn')
  const answered = [0, 10, 49, 50, 51, 99, 100].filter((us) => limiter.answersMark(us * US))
  expect(answered).toEqual([0, 50, 100])
  expect(limiter.cnpsSent).toBe(3)
})
