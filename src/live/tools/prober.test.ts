/** A prober and a responder at both ends of a pipe in simulated time: round trips, losses, and queue pairs that are made anew. */
import { expect, test } from 'vitest'
import { LINE, Memory } from '../../core/base/memory.ts'
import { drawOf, endpointOf, IPV6 } from '../peer/pipe.test-bench.ts'
import { type Probe, Prober } from './prober.ts'
import { Responder } from './responder.ts'

const MS = 1e9
const DELAY_PS = 10e6

/** @param isLost of the n-th frame of RoCE that the prober sends */
function probesOf(ports: readonly number[], count: number, isLost: (n: number) => boolean): Probe[] {
  const ends = [endpointOf(0), endpointOf(1)] as const
  const probes: Probe[] = []
  const prober = new Prober(ends[0], {
    ports,
    intervalPs: 100 * MS,
    timeoutPs: 50 * MS,
    count,
    addressFor: () => IPV6[1]!,
    onProbe: (probe) => probes.push(probe),
  })
  const responder = new Responder(ends[1], { port: 4791, addressFor: () => IPV6[0]!, release: () => {} })
  const visitor = responder.open(IPV6[0]!)
  const events: { atPs: number; run: () => void }[] = []
  let [nowPs, n] = [0, 0]
  prober.onOpen(0)
  while (!prober.isDone && nowPs < 60e12) {
    ends.forEach((end, from) => {
      for (let frame = end.pollFrame(nowPs); frame !== null; frame = end.pollFrame(nowPs)) {
        const copy = frame
        if (from === 0 && copy[20] === 17 && isLost(++n)) continue
        events.push({ atPs: nowPs + DELAY_PS, run: () => ends[1 - from]!.onFrame(nowPs, copy) })
      }
    })
    for (const line of prober.takeLines()) {
      const answer = visitor.onLine(nowPs, JSON.stringify(line))
      events.push({ atPs: nowPs + DELAY_PS, run: () => void prober.onLine(nowPs, JSON.stringify(answer)) })
    }
    nowPs = Math.max(nowPs, Math.min(...ends.map(({ nextPs }) => nextPs), ...events.map(({ atPs }) => atPs)))
    const due = events.filter(({ atPs }) => atPs <= nowPs)
    due.forEach((event) => events.splice(events.indexOf(event), 1))
    due.forEach(({ run }) => run())
    ends.forEach((end) => end.onTime(nowPs))
  }
  return probes
}

test('a probe takes a round trip, on each of its source ports', () => {
  const probes = probesOf([50_001, 50_002], 5, () => false)
  expect(probes.map(({ status }) => status)).toEqual(Array<string>(10).fill('ok'))
  expect(probes.filter(({ port }) => port === 50_002)).toHaveLength(5)
  // The first waits for the hardware address besides.
  for (const { rttPs } of probes.slice(2)) expect(rttPs).toBe(2 * DELAY_PS)
})

test('a lost packet is a lost probe, and is not sent again; the next has a new queue pair', () => {
  const probes = probesOf([50_001], 6, (n) => n === 3)
  expect(probes.map(({ status }) => status)).toEqual(['ok', 'ok', 'retry-exceeded', 'ok', 'ok', 'ok'])
  expect(probes[2]!.agePs).toBeGreaterThanOrEqual(50 * MS)
})

test('an answer to an older question connects nothing', () => {
  const endpoint = endpointOf(0)
  const probes: Probe[] = []
  const prober = new Prober(endpoint, {
    ports: [50_001],
    intervalPs: 100 * MS,
    timeoutPs: 50 * MS,
    count: 1,
    addressFor: () => IPV6[1]!,
    onProbe: (probe) => probes.push(probe),
  })
  prober.onOpen(0)
  const answer = { rocelab: 'ping', version: 1, path: 50_001, port: 4791, qp: 77, psn: 1, key: 1, address: 4096 }
  expect(prober.onLine(0, JSON.stringify({ ...answer, asked: 1 }))).toBe(true)
  expect(prober.onLine(0, JSON.stringify({ ...answer, version: 2 }))).toBe(false)
  endpoint.onTime(3e12)
  expect(probes.map(({ status }) => status)).toEqual(['unreachable'])
})

test('a responder refuses what is not a line of a prober', () => {
  const responder = new Responder(endpointOf(1), { port: 4791, addressFor: () => IPV6[0]!, release: () => {} })
  const visitor = responder.open(IPV6[0]!)
  const line = { rocelab: 'ping', version: 1, port: 50_001, qp: drawOf(1)(1000) + 2, psn: 5 }
  for (const change of [{ version: 2 }, { port: 0 }, { qp: 1 }, { psn: 2 ** 24 }, { rocelab: 'perf' }])
    expect(visitor.onLine(0, JSON.stringify({ ...line, ...change }))).toBeNull()
  expect(visitor.onLine(0, '[')).toBeNull()
  expect(visitor.onLine(0, JSON.stringify(line))).toMatchObject({ path: 50_001, asked: line.qp, port: 4791 })
})

const lineOf = (port: number): string => JSON.stringify({ rocelab: 'ping', version: 1, port, qp: 17, psn: 0 })

/** Where the next region of memory would be. */
function nextOffset(): number {
  const memory = new Memory()
  const at = memory.take(LINE)
  memory.release()
  return at
}

test('paths that are asked for again and again leave nothing behind, and are answered at a limited rate', () => {
  const endpoint = endpointOf(1)
  const responder = new Responder(endpoint, { port: 4791, addressFor: () => IPV6[0]!, release: () => {} })
  const [one, other] = [responder.open(IPV6[0]!), responder.open(IPV6[1]!)]
  const answered = (visitor: typeof one, nowPs: number): number =>
    Array.from({ length: 2000 }, () => visitor.onLine(nowPs, lineOf(5000))).filter((line) => line !== 'later').length
  one.onLine(0, lineOf(5000))
  const before = nextOffset()
  expect([answered(one, 0), answered(other, 0)]).toEqual([255, 256])
  // A second later one may ask as often again; a queue pair is there for each of the two.
  expect([answered(one, 1e12), answered(one, 1e12), endpoint.pairs.length]).toEqual([256, 0, 2])
  other.close()
  expect(nextOffset()).toBe(before)
  one.close()
  expect([endpoint.pairs.length, nextOffset() < before]).toEqual([0, true])
})

test('an old connection that ends takes no path from the new one of the same prober', () => {
  const endpoint = endpointOf(1)
  const released: number[] = []
  const release = (_ip: Uint8Array, port: number): void => void released.push(port)
  const responder = new Responder(endpoint, { port: 4791, addressFor: () => IPV6[0]!, release })
  const [old, now] = [responder.open(IPV6[0]!), responder.open(IPV6[0]!)]
  old.onLine(0, lineOf(5000))
  now.onLine(0, lineOf(5000))
  old.close()
  expect([endpoint.pairs.length, released]).toEqual([1, [5000]])
  now.close()
  expect([endpoint.pairs.length, released]).toEqual([0, [5000, 5000]])
})
