import { expect, test } from 'vitest'
import { run } from '../../lab/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { dropsOf, pauseSpansOf, timelineOf, traceText } from './timeline.ts'

const RESULT = run(
  parseScenario(`
name: traced
topology: {kind: star, hosts: 5, linkRate: 10Gbps}
congestion: none
qp: {ackTimeout: 1ms}
switch: {buffer: {size: 100KB}}
workload: [{kind: incast, senders: 4, receiver: 0, total: 800KB, repetitions: 2, interval: 100us}]
faults: [{kind: bernoulli, probability: 0.01}]
observe: [pause-intervals, drops, {kind: queue-depth, interval: 10us}]
`),
)

interface Event {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur: number
  readonly args?: { readonly heldBy?: string; readonly heldByPs?: number }
}

test('a trace has a slice for each flow and pause, and slices of one lane never overlap', () => {
  const { traceEvents } = JSON.parse(traceText(timelineOf(RESULT))) as { traceEvents: Event[] }
  const slices = traceEvents.filter(({ ph }) => ph === 'X')
  const { startPs } = pauseSpansOf(RESULT, Infinity)
  expect(startPs.length).toBeGreaterThan(0)
  expect(slices).toHaveLength(RESULT.flows.rowCount + startPs.length)
  const lanes = new Map<string, Event[]>()
  for (const slice of slices) {
    const key = `${slice.pid} ${slice.tid}`
    lanes.set(key, [...(lanes.get(key) ?? []), slice])
  }
  for (const lane of lanes.values()) {
    lane.sort((a, b) => a.ts - b.ts)
    lane.slice(1).forEach((slice, i) => expect(slice.ts).toBeGreaterThanOrEqual(lane[i]!.ts + lane[i]!.dur - 1e-6))
  }
  for (const { ph, ts, dur } of slices) {
    expect(ph).toBe('X')
    expect(ts).toBeGreaterThanOrEqual(0)
    expect(dur).toBeGreaterThanOrEqual(0)
  }
})

test('drops are instants, queues counters, and every process has a name', () => {
  const { traceEvents } = JSON.parse(traceText(timelineOf(RESULT))) as { traceEvents: Event[] }
  expect(traceEvents.filter(({ ph }) => ph === 'i')).toHaveLength(dropsOf(RESULT, Infinity).timePs.length)
  expect(traceEvents.some(({ ph }) => ph === 'C')).toBe(true)
  const named = new Set(traceEvents.filter(({ name }) => name === 'process_name').map(({ pid }) => pid))
  for (const { pid } of traceEvents) expect(named).toContain(pid)
})

test('of many pauses the longest are kept, in the order of their beginnings', () => {
  const all = pauseSpansOf(RESULT, Infinity)
  const some = pauseSpansOf(RESULT, 3)
  expect(some.startPs).toHaveLength(3)
  const lengths = Array.from(all.startPs, (ps, row) => all.endPs[row]! - ps).toSorted((a, b) => b - a)
  const kept = Array.from(some.startPs, (ps, row) => some.endPs[row]! - ps).toSorted((a, b) => b - a)
  expect(kept).toEqual(lengths.slice(0, 3))
  expect(Array.from(some.startPs)).toEqual(Array.from(some.startPs).toSorted((a, b) => a - b))
})

test('the parts of a life lie one behind the other within its flow, with the origin of each wait', () => {
  const result = run(
    parseScenario(`
name: lives
topology: {kind: star, hosts: 5, linkRate: 10Gbps}
congestion: none
switch: {buffer: {size: 100KB}}
workload:
  - {kind: incast, senders: 4, receiver: 0, total: 800KB}
  - {kind: trace, flows: ["0 1 3KB 10us op=read"]}
measure: {completion: sender, stop: 400us}
observe: [autopsy]
`),
  )
  const { traceEvents } = JSON.parse(traceText(timelineOf(result))) as { traceEvents: Event[] }
  const slices = traceEvents.filter(({ ph }) => ph === 'X')
  const flows = slices.filter(({ name }) => name.startsWith('flow '))
  expect(flows).toHaveLength(result.flows.rowCount)
  const origins = new Set<string>()
  for (const flow of flows) {
    const at = slices.indexOf(flow)
    const next = slices.findIndex((slice, i) => i > at && flows.includes(slice))
    const parts = slices.slice(at + 1, next < 0 ? undefined : next)
    let untilUs = flow.ts
    for (const part of parts) {
      expect([part.pid, part.tid]).toEqual([flow.pid, flow.tid])
      expect(part.ts).toBeCloseTo(untilUs, 6)
      untilUs = part.ts + part.dur
      if (part.args?.heldBy === undefined) continue
      origins.add(`${part.name}: ${part.args.heldBy}`)
      expect(part.args.heldByPs! / 1e6).toBeLessThanOrEqual(part.dur + 1e-6)
    }
    expect(untilUs).toBeCloseTo(flow.ts + flow.dur, 6)
  }
  expect(origins).toContain('paused at the NIC: switch port 1 to host 0')
  // A READ begins with its request.
  const read = slices.findIndex(({ name }) => name === 'flow 4 to host 1')
  expect(slices[read + 1]!.name).toBe('READ request')
})
