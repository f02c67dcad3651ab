/** A job as a trace: a process for each rank, and an arrow from each send to its receive. */
import { expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { jobEvents } from './job-trace.ts'

const events = jobEvents(
  run(
    parseScenario(
      'workload: [{kind: collective, size: 40KB, channels: 2, iterations: 2, stepTime: 1us}]\ntopology: {kind: star, hosts: 4}',
    ),
  ),
)
const slices = events.filter(({ ph }) => ph === 'X')

test('a process for each rank and one for the critical path', () => {
  const names = events.flatMap(({ name, args }) => (name === 'process_name' ? [args!['name']] : []))
  const ranks = Array.from({ length: 4 }, (_, rank) => `collective rank ${rank} (host ${rank})`)
  expect(names).toEqual(['critical path of collective', ...ranks])
})

test('slices of a track do not overlap, and have the names of their steps', () => {
  const until = new Map<string, number>()
  for (const { pid, tid, ts, dur } of slices) {
    const key = `${pid} ${tid}`
    expect(ts).toBeGreaterThanOrEqual((until.get(key) ?? 0) - 1e-6)
    until.set(key, ts! + dur!)
  }
  // Two channels of six steps, twice, on four ranks: each with a send and a receive.
  const steps = slices.filter(({ name }) => name.startsWith('all-reduce ring step'))
  expect(steps).toHaveLength(2 * 6 * 2 * 4 * 2)
})

test('each message has an arrow from its send to its receive', () => {
  const at = (ph: 's' | 'f') => new Map(events.flatMap((event) => (event.ph === ph ? [[event.id, event]] : [])))
  const [begins, ends] = [at('s'), at('f')]
  expect(begins.size).toBe(2 * 6 * 2 * 4)
  for (const [id, begin] of begins) {
    const end = ends.get(id)!
    expect(end.ts).toBeGreaterThan(begin.ts!)
    // Both lie in a slice, and go to another rank.
    for (const { pid, tid, ts } of [begin, end]) {
      const isIn = slices.some(
        (one) => one.pid === pid && one.tid === tid && one.ts! <= ts! && ts! <= one.ts! + one.dur!,
      )
      expect(isIn).toBe(true)
    }
    expect(end.pid).not.toBe(begin.pid)
  }
})
