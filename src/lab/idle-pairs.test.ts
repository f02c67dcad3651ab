/**
 * Timers of queue pairs with nothing to send, or that wait for the port, have no events. In the twin they have.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { QueuePair } from '../core/fabric/pairs/queue-pair.ts'
import type { Result } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './simulation/simulation.ts'

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

test('the rate of a queue pair that waits for nothing but the port is raised when a packet leaves', () => {
  const text = `
topology: {kind: star, hosts: 5, linkRate: 100Gbps, linkDelay: 1us}
congestion: dcqcn
workload: [{kind: closed-loop, pairs: ["0-3 4"], qpsPerPair: 1000, messageSize: 1GB}]
measure: {stop: 5ms, end: stop}`
  const waiting = run(parseScenario(text))
  vi.spyOn(QueuePair.prototype as unknown as { dozes(): boolean }, 'dozes').mockReturnValue(false)
  const ticking = run(parseScenario(text))
  expect(waiting.counters.events).toBeLessThan(0.8 * ticking.counters.events)
  expect(waiting.digest).toBe(ticking.digest)
})

test('responses of a READ that are asked for again when all have left', () => {
  const text = `
name: storage
seed: 2
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 25Gbps}
congestion: dcqcn
recovery: go-back-n
pfc: {classes: []}
qp: {ackTimeout: 320us, receiveRepost: 2us}
verbs: {sendDepth: 32, receives: 8, signalEvery: 4}
workload:
  - {kind: closed-loop, pairs: ["0 7", "1 7"], operation: send-immediate, messageSize: 16KB, outstanding: 16, messages: 200, tag: append}
  - {kind: closed-loop, pairs: ["7 2"], operation: read, workRequests: true, messageSize: 64KB, outstanding: 4, messages: 100, tag: read}
  - {kind: closed-loop, pairs: ["7 3"], operation: fetch-and-add, messageSize: 8B, messages: 500, tag: number}
  - {kind: incast, senders: 4, total: 400KB, repetitions: 10, interval: 200us, tag: plain}
faults: [{kind: bernoulli, probability: 0.001}]`
  const resting = run(parseScenario(text), { check: true })
  vi.spyOn(QueuePair.prototype as unknown as { rests(): boolean }, 'rests').mockReturnValue(false)
  expect(resting.digest).toBe(run(parseScenario(text), { check: true }).digest)
})
