/**
 * Packet trimming in a network: an incast into a shallow buffer whose losses are reported by headers, and losses of those.
 * All laws are checked in every run.
 */
import { describe, expect, test } from 'vitest'
import { numbersOf, type Result, summarize } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { createSimulation } from './index.ts'

/** Eight hosts send 50 KB each to a ninth at once, over a switch that holds some 60 packets. */
function incast(...sets: string[]): Result {
  const text = `
name: incast
topology: {kind: star, hosts: 9}
pfc: {classes: []}
switch: {buffer: {kind: shared-buffer, size: 120KB}}
recovery: irn
qp: {ackTimeout: 320us}
workload: [{kind: incast, senders: 8, receiver: 8, total: 400KB}]
`
  const simulation = createSimulation(parseScenario(text, { sets }), { check: true })
  while (simulation.advance(5000));
  const result = simulation.result(false)
  simulation.close()
  return result
}

const TRIMMING = 'switch.trimming.of=lossy'
const timeoutsOf = ({ counters }: Result): number => Object.values(counters.timeouts).reduce((sum, n) => sum + n, 0)
const finishedOf = (result: Result): number =>
  numbersOf(result.flows, 'receivedPs').filter((ps) => !Number.isNaN(ps)).length

describe('IRN', () => {
  test('has no timeout, and a shorter tail', () => {
    const [without, trimmed] = [incast(), incast(TRIMMING)]
    expect([finishedOf(without), finishedOf(trimmed)]).toEqual([8, 8])
    expect([timeoutsOf(without) > 0, timeoutsOf(trimmed)]).toEqual([true, 0])
    expect(trimmed.counters.drops).toEqual({})
    expect(trimmed.counters.retransmissions).toBe(trimmed.counters.trimmed)
    expect(summarize(trimmed).maxCompletionPs).toBeLessThan(summarize(without).maxCompletionPs / 10)
  })

  test('the last packet of a message, trimmed, costs a round trip and no timeout', () => {
    // Two messages of two packets that come at the same time: there is no room for their last packets.
    const sets = [
      'topology.hosts=3',
      'switch.buffer={kind: shared-buffer, size: 2KB, reserve: 0B, alpha: 1}',
      'workload=[{kind: incast, senders: 2, receiver: 2, total: 4KB}]',
    ]
    const [without, trimmed] = [incast(...sets), incast(TRIMMING, ...sets)]
    expect(without.counters.timeouts).toEqual({ 'last packet lost': 2 })
    expect([timeoutsOf(trimmed), finishedOf(trimmed)]).toEqual([0, 2])
    expect(trimmed.counters.trimmed).toBeGreaterThan(0)
    expect(summarize(trimmed).maxCompletionPs).toBeLessThan(15e6)
    expect(summarize(without).maxCompletionPs).toBeGreaterThan(100e6)
  })

  test('with trimmed: ignore the NIC drops the headers', () => {
    const result = incast(TRIMMING, 'recovery={kind: irn, trimmed: ignore}')
    expect(finishedOf(result)).toBe(8)
    expect(result.counters.drops).toEqual({ trimmed: result.counters.trimmed })
    expect(timeoutsOf(result)).toBeGreaterThan(0)
  })

  test('a header that is dropped itself ends in the timeout', () => {
    // A class for which nothing is reserved, and which may take next to nothing of the pool.
    const row = 'byClass: [{class: 7, alpha: 0.001, egressAlpha: 0.001}]'
    const result = incast(TRIMMING, `switch.buffer={kind: shared-buffer, size: 120KB, reserve: 0B, ${row}}`)
    expect(finishedOf(result)).toBe(8)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(timeoutsOf(result)).toBeGreaterThan(0)
  })

  test.each([
    ['READ responses', 'workload=[{kind: incast, senders: 8, receiver: 8, total: 400KB, operation: read}]'],
    ['SENDs', 'workload=[{kind: incast, senders: 8, receiver: 8, total: 400KB, operation: send, workRequests: true}]'],
    [
      'READs of work requests',
      'workload=[{kind: incast, senders: 8, receiver: 8, total: 400KB, operation: read, workRequests: true}]',
    ],
  ])('%s are sent again at once too', (_what, workload) => {
    const result = incast(TRIMMING, workload, 'verbs.receives=64')
    expect([finishedOf(result), timeoutsOf(result)]).toEqual([8, 0])
    expect(result.counters.trimmed).toBeGreaterThan(0)
  })

  test('packets that WRED would drop are trimmed where trimming is early', () => {
    const sets = ['switch.wred={classes: [3], threshold: 10KB}', 'switch.buffer.size=2MB', TRIMMING]
    const [early, late] = [incast(...sets), incast(...sets, 'switch.trimming.early=false')]
    expect(early.counters.trimmed).toBeGreaterThan(0)
    expect([early.counters.drops, timeoutsOf(early)]).toEqual([{}, 0])
    expect(late.counters.drops['WRED']).toBeGreaterThan(0)
  })

  test('classes that are not listed lose their packets', () => {
    const result = incast('switch.trimming={of: listed, classes: [2]}')
    expect([result.counters.trimmed, result.digest]).toEqual([0, incast().digest])
  })

  test('marks of headers are echoed, and trimming alone does not mark', () => {
    const dctcp = ['congestion=dctcp', 'qp.ecnEcho=ack', 'switch.ecn.kmin=1MB', 'switch.ecn.kmax=1MB', TRIMMING]
    const quiet = incast(...dctcp)
    expect([quiet.counters.trimmed > 0, quiet.counters.ecnMarks, timeoutsOf(quiet)]).toEqual([true, 0, 0])
  })
})

describe('go-back-N', () => {
  test('takes a trimmed packet for a loss', () => {
    const result = incast(TRIMMING, 'recovery=go-back-n')
    const { counters } = result
    expect(counters.drops).toEqual({ trimmed: counters.trimmed })
    expect(counters.dataPacketsDropped).toBe(counters.trimmed)
    expect(counters.timeouts['last packet lost']).toBeGreaterThan(0)
  })

  test('with trimmed: nak asks for it', () => {
    const result = incast(TRIMMING, 'recovery={kind: go-back-n, trimmed: nak}')
    expect([finishedOf(result), result.counters.drops]).toEqual([8, {}])
    expect(timeoutsOf(result)).toBeLessThan(timeoutsOf(incast(TRIMMING, 'recovery=go-back-n')))
  })
})

describe('in a switch', () => {
  test('bytes cut off are counted: the frame without the size that is left', () => {
    // Frames of 1086 bytes, and some of 1102: first packets have a RETH.
    const whole = 'workload=[{kind: incast, senders: 8, receiver: 8, total: 384KiB}]'
    for (const size of [64, 300]) {
      const { trimmed, trimmedBytes } = incast(TRIMMING, whole, `switch.trimming.size=${size}B`).counters
      const firsts = trimmedBytes - trimmed * (1086 - size)
      expect(trimmed).toBeGreaterThan(100)
      expect([firsts % 16, firsts >= 0, firsts / 16 < trimmed]).toEqual([0, true, true])
    }
  })

  test('a frame that is no longer than its header would be is dropped', () => {
    const { counters } = incast(TRIMMING, 'switch.trimming.size=2KB')
    expect([counters.trimmed, counters.drops['buffer full']! > 0]).toEqual([0, true])
    // Full packets are frames of 1,086 bytes; the last of each message is shorter.
    const least = (sizeBytes: number): number => incast(TRIMMING, `switch.trimming.size=${sizeBytes}B`).counters.trimmed
    expect([least(1086), least(1085) > 0]).toEqual([0, true])
  })

  test('a timeout after a header that the NIC ignores has the cause of the packet', () => {
    const sets = ['workload=[{kind: incast, senders: 8, receiver: 8, total: 8KB}]', 'switch.buffer.size=4KB']
    const small = ['switch.buffer.reserve=0B', 'switch.buffer.alpha=1']
    const result = incast(TRIMMING, 'recovery={kind: irn, trimmed: ignore}', ...sets, ...small)
    expect(result.counters.drops['trimmed']).toBeGreaterThan(0)
    expect(Object.keys(result.counters.timeouts)).toContain('last packet lost')
  })

  test('packets of a lossless class are trimmed only where it is listed', () => {
    const lossless = ['pfc.classes=[3]', 'switch.buffer={kind: shared-buffer, size: 120KB, headroom: 0B, reserve: 0B}']
    expect(incast(TRIMMING, ...lossless).counters.trimmed).toBe(0)
    expect(incast('switch.trimming={of: listed, classes: [3]}', ...lossless).counters.trimmed).toBeGreaterThan(0)
  })
})

/** The figures of docs/models/trimming.md, on a smaller case. */
describe('an incast of more senders than a link has room for their headers', () => {
  const many = (...sets: string[]): Result =>
    incast(
      'topology.hosts=25',
      'switch.buffer.size=400KB',
      'qp.retryLimit=off',
      'workload=[{kind: incast, senders: 24, receiver: 24, total: 1MB}]',
      'measure.stop=20ms',
      ...sets,
    )
  const SHARED = ['switch.strictClasses=[6]', 'switch.scheduler=dwrr', 'switch.weights=[1, 1, 1, 5, 1, 1, 1, 3]']

  test('collapses where headers go before all data, and does not where they have a share of the link', () => {
    const [strict, shared] = [many(TRIMMING), many(TRIMMING, ...SHARED)]
    expect([finishedOf(shared), timeoutsOf(shared), shared.counters.drops]).toEqual([24, 0, {}])
    const ratio = strict.counters.trimmed / shared.counters.trimmed
    expect(ratio).toBeGreaterThan(5)
    expect(summarize(strict).maxCompletionPs / summarize(shared).maxCompletionPs).toBeGreaterThan(5)
  })

  test('with a share IRN ends sooner by notices than by drops', () => {
    const [shared, dropped] = [many(TRIMMING, ...SHARED), many()]
    expect(timeoutsOf(dropped)).toBeGreaterThan(0)
    expect(summarize(shared).maxCompletionPs).toBeLessThan(summarize(dropped).maxCompletionPs / 2)
  })
})
