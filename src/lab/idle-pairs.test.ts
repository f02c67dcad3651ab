/**
 * Timers of queue pairs with nothing to send have no events. The twin is the same run in which no queue pair rests.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { QueuePair } from '../fabric/nic/queue-pair.ts'
import type { Result } from '../results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from './simulation.ts'

afterEach(() => vi.restoreAllMocks())

const play = (lines: string): Result =>
  run(
    parseScenario(`
name: idle
topology: {kind: star, hosts: 9, linkRate: 25Gbps, linkDelay: 1us}
workload: [{kind: poisson, load: 0.7, sizes: {kind: websearch}, workRequests: true}]
measure: {generate: 5ms}
${lines}`),
    { check: true },
  )

// Rates of a queue pair that is chosen are sampled while it is idle too.
const RATES =
  'observe: [{kind: rates, interval: 7us, pairs: "0-1"}, {kind: rates, interval: 9us, pairs: "2-8", table: more}]'
const QCN = 'congestion: {kind: qcn, rateInterval: 100us}\nswitch: {qcn: {classes: [3]}, ecn: {classes: []}}'

test.each(['congestion: dcqcn', 'congestion: dcqcn-connectx4', QCN])(
  '%s: a resting queue pair catches up to what its timers would have done',
  (lines) => {
    const unseen = play(lines)
    const resting = play(`${lines}\n${RATES}`)
    vi.spyOn(QueuePair.prototype as unknown as { rests(): boolean }, 'rests').mockReturnValue(false)
    const ticking = play(`${lines}\n${RATES}`)
    const { events } = ticking.counters
    expect(resting.counters.events).toBeLessThan(events)
    expect({ ...resting, counters: { ...resting.counters, events } }).toEqual(ticking)
    expect(unseen.digest).toBe(ticking.digest)
  },
)
