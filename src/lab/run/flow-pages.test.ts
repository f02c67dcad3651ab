import { expect, test } from 'vitest'
import { toObjects } from '../../core/results/table.ts'
import { parseScenario } from '../scenario/index.ts'
import { createSimulation } from '../simulation/simulation.ts'
import { runJson, summarize } from '../../core/results/summary.ts'
import { resultFiles } from '../../core/results/files.ts'
import type { Result } from '../../core/results/result.ts'
import { type ByteStore, FlowPages } from './flow-pages.ts'

const ROWS = 40_000

/** Bytes in memory that are refu beyond a size, and how many were taken at most. */
class Store implements ByteStore {
  readonly #bytes = new Uint8Array(1 << 24)
  readonly #room: number
  usedBytes = 0

  constructor(room = 1 << 24) {
    this.#room = room
  }

  write(at: number, bytes: Uint8Array): boolean {
    if (at + bytes.length > this.#room) return false
    this.#bytes.set(bytes, at)
    this.usedBytes = Math.max(this.usedBytes, at + bytes.length)
    return true
  }

  read(at: number, bytes: Uint8Array): void {
    bytes.set(this.#bytes.subarray(at, at + bytes.length))
  }
}

test.each([
  ['without a store', null],
  ['with a store', new Store()],
  ['with a store that is full after a while', new Store(300_000)],
  ['with a store that takes nothing', new Store(0)],
])('rows are as they were set, %s, in whatever order they are closed and changed', (_name, store) => {
  const pages = new FlowPages(2, store)
  const expected = new Float64Array(ROWS)
  for (let row = 0; row < ROWS; row++) {
    expect(pages.add()).toBe(row)
    pages.set(0, row, row)
    pages.set(1, row, -row)
    expected[row] = -row
    // Every second row stays open for long, and one for ever.
    if (row % 2 === 0 && row !== 1000) pages.close(row)
    if (row >= 9001 && row % 2 === 1) pages.close(row - 9000)
  }
  for (const row of [0, 1000, 5000, 1001, ROWS - 1]) {
    pages.set(1, row, 7)
    expected[row] = 7
    expect(pages.get(1, row)).toBe(7)
  }
  expect(Float64Array.from({ length: ROWS }, (_none, row) => pages.get(0, row))).toEqual(
    Float64Array.from({ length: ROWS }, (_none, row) => row),
  )
  expect(pages.read(1, 0, ROWS)).toEqual(expected)
  expect(pages.read(1, 4000, 9000)).toEqual(expected.slice(4000, 9000))
  expect((store?.usedBytes ?? 0) > 0).toBe(store?.write(0, new Uint8Array(8)) ?? false)
})

// Messages of their own queue pairs, of few queue pairs, work requests, and some that are still there at the stop.
const TEXT = `
topology: {kind: star, hosts: 4, linkRate: 100Gbps, linkDelay: 100ns}
workload:
  - {kind: poisson, load: 0.3, sizes: {kind: fixed, size: 64B}, tag: open}
  - {kind: closed-loop, pairs: ["0-3 0-3"], messageSize: 64B, tag: loop}
  - {kind: closed-loop, pairs: ["1 2"], messageSize: 256B, tag: work, workRequests: true, operation: read}
  - {kind: incast, senders: 2, sizeEach: 10MB, tag: large}
measure: {warmUp: 20us, window: 100us, stop: 500us}
`

function resultWith(store?: ByteStore): Result {
  const simulation = createSimulation(parseScenario(TEXT), store === undefined ? {} : { flowStore: store })
  while (simulation.advance(10_000));
  const result = simulation.result(false)
  simulation.close()
  return result
}

test('a result whose flows were kept outside of memory is the same in its summary, its tables and its files', () => {
  const store = new Store()
  const [plain, stored] = [resultWith(), resultWith(store)]
  expect(stored.flows.rowCount).toBeGreaterThan(30_000)
  expect(store.usedBytes).toBeGreaterThan(1_000_000)
  expect(runJson(stored, summarize(stored))).toEqual(runJson(plain, summarize(plain)))
  expect(Object.keys(summarize(plain).unfinishedReasons).length).toBeGreaterThan(0)
  const [ofStored, ofPlain] = [stored, plain].map((result) => resultFiles(result, { scenarioText: TEXT }))
  for (const [i, { path, data }] of ofStored!.entries()) {
    expect(Buffer.compare(data, ofPlain![i]!.data), path).toBe(0)
  }
  expect(toObjects(stored.flows)).toEqual(toObjects(plain.flows))
})

test('a simulation with a store gives its result once', () => {
  const simulation = createSimulation(parseScenario(TEXT), { flowStore: new Store() })
  simulation.advance(1000)
  simulation.result(true)
  expect(() => simulation.advance(1000)).toThrow('goes on after its result')
  simulation.close()
})
