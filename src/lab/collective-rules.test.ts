/**
 * Rules of collectives on an idle switch: hierarchical all-reduces and exchanges by a matrix, and what holds for every
 * algorithm, at sizes from one host to 128, with a slow link and with a lost packet.
 */
import { describe, expect, test } from 'vitest'
import { numbersOf, tableOfKind } from '../core/results/index.ts'
import {
  ackRoom,
  alone,
  MIB,
  mistakesIn,
  receivedOf,
  runCollective,
  sentOf,
  sum,
  tau,
  times,
} from './idle.test-bench.ts'

describe('a hierarchical all-reduce', () => {
  const cases = [
    [2, 4],
    [4, 2],
    [4, 4],
    [1, 8],
    [8, 1],
  ].flatMap(([nodes, g]) => [0, 1].flatMap((acks) => [0, 10e6].map((h) => ({ nodes: nodes!, g: g!, acks, h }))))
  test.each(cases)('of $nodes nodes of $g, $h ps a step, ACK every $acks', ({ nodes, g, acks, h }) => {
    const sizeBytes = 16 * MIB
    const n = nodes * g
    const more = `nodeSize: ${g}`
    const [takenPs] = times(runCollective('all-reduce/hierarchical', { n, sizeBytes, h, acks, more }))
    const step = (bytes: number): number => alone(bytes) + ackRoom(bytes, acks) + h
    const expectedPs = 2 * (g - 1) * step(sizeBytes / g) + 2 * (nodes - 1) * step(sizeBytes / n)
    expect(Math.abs(takenPs! / expectedPs - 1)).toBeLessThan(acks === 0 ? 1e-4 : 0.005)
  })

  test('sends what two rings inside and one on each rail send, where parts are not equal', () => {
    const sizeBytes = 40_004
    const result = runCollective('all-reduce/hierarchical', {
      n: 12,
      sizeBytes,
      more: 'nodeSize: 4, channels: 3, slices: 2',
    })
    const [source, destination] = [numbersOf(result.flows, 'source'), numbersOf(result.flows, 'destination')]
    const bytes = numbersOf(result.flows, 'sizeBytes')
    const isInside = (row: number): boolean => Math.floor(source[row]! / 4) === Math.floor(destination[row]! / 4)
    const rows = Array.from({ length: result.flows.rowCount }, (_, row) => row)
    expect(sum(rows.filter(isInside).map((row) => bytes[row]!))).toBe(3 * 2 * 3 * sizeBytes)
    expect(sum(rows.filter((row) => !isInside(row)).map((row) => bytes[row]!))).toBe(2 * 2 * sizeBytes)
    // Rails: outside, a host speaks to those at its place.
    expect(rows.every((row) => isInside(row) || source[row]! % 4 === destination[row]! % 4)).toBe(true)
  })

  test('needs whole nodes', () => {
    expect(mistakesIn('kind: collective, algorithm: hierarchical, nodeSize: 3', 8)).toEqual(['algorithm'])
  })
})

describe('an all-to-all by a matrix', () => {
  const matrix = [
    [5, 100_000, 30_000, 0],
    [700_000, 0, 8, 40_000],
    [12, 350_004, 0, 4],
    [90_000, 0, 1_000_000, 77],
  ].map((row) => row.map((bytes) => 4 * bytes))
  const text = (rows: readonly number[][]): string => JSON.stringify(rows.map((row) => row.join(' ')))
  const off = (rows: readonly number[][]): number[][] =>
    rows.map((row, a) => row.map((bytes, b) => (a === b ? 0 : bytes)))

  test.each(['full', 'shift', 'pairwise'])('%s: sends it exactly, and not faster than its busiest host', (name) => {
    const more = `matrix: ${text(matrix)}, channels: 2, slices: 3`
    const result = runCollective(`all-to-all-v/${name}`, { n: 4, sizeBytes: 4, more })
    const columns = matrix.map((_, b) => sum(off(matrix).map((row) => row[b]!)))
    expect(sentOf(result, 4)).toEqual(off(matrix).map(sum))
    expect(receivedOf(result, 4)).toEqual(columns)
    const busiest = Math.max(...columns, ...off(matrix).map(sum))
    expect(times(result)[0]).toBeGreaterThan((busiest * 8e12) / 400e9)
    expect([...numbersOf(tableOfKind(result, 'collectives')!, 'sizeBytes')]).toEqual([busiest])
  })

  test.each(['full', 'shift', 'pairwise'])('%s of equal sizes takes what an all-to-all takes', (name) => {
    const rows = Array.from({ length: 8 }, () => Array.from({ length: 8 }, () => 2 * MIB))
    const plain = runCollective(`all-to-all/${name}`, { sizeBytes: 16 * MIB })
    const varied = runCollective(`all-to-all-v/${name}`, { sizeBytes: 4, more: `matrix: ${text(rows)}` })
    expect(times(varied)).toEqual(times(plain))
  })

  test('a host to which all others send is the bound', () => {
    const rows = Array.from({ length: 8 }, (_, a) =>
      Array.from({ length: 8 }, (__, b) => (b === 3 && a !== 3 ? MIB : 0)),
    )
    const [takenPs] = times(runCollective('all-to-all-v/full', { sizeBytes: 4, more: `matrix: ${text(rows)}` }))
    expect(takenPs! / (7 * tau(MIB) + alone(MIB) - tau(MIB))).toBeCloseTo(1, 3)
  })

  test('mistakes are found with their line', () => {
    const job = (rows: readonly string[]): string =>
      `kind: collective, operation: all-to-all-v, matrix: ${JSON.stringify(rows)}`
    expect(mistakesIn(job(['0 4']), 2)).toEqual(['matrix'])
    expect(mistakesIn(job(['0 4 4', '4 x']), 2)).toEqual(['matrix.0', 'matrix.1'])
    expect(mistakesIn(job(['0 4', '6 0']), 2)).toEqual(['matrix.1'])
    expect(mistakesIn(job(['0 1KiB', '1.5KiB 0B']), 2)).toEqual([])
    expect(mistakesIn('kind: collective, matrix: ["0 4", "4 0"]', 2)).toEqual(['matrix'])
  })
})

/** One algorithm of each operation. */
const ALL = [
  ...['ring', 'halving-doubling', 'recursive-doubling', 'double-binary-tree', 'hierarchical'].map(
    (a) => `all-reduce/${a}`,
  ),
  'reduce-scatter/ring',
  ...['ring', 'full', 'shift', 'pairwise'].map((a) => `all-gather/${a}`),
  ...['full', 'shift', 'pairwise'].map((a) => `all-to-all/${a}`),
  ...['broadcast', 'reduce'].flatMap((o) => ['binomial', 'chain'].map((a) => `${o}/${a}`)),
  'gather/direct',
  'scatter/direct',
  'barrier/dissemination',
]

describe('what holds for every algorithm', () => {
  test.each(ALL)('%s of one host: nothing', (name) => {
    const result = runCollective(name, { sizeBytes: MIB, more: 'group: ["3"], nodeSize: 1' })
    expect([times(result), result.flows.rowCount]).toEqual([[0], 0])
  })

  test.each(ALL)('%s of a buffer with fewer elements than the group has positions ends', (name) => {
    const result = runCollective(name, { sizeBytes: 12, more: 'nodeSize: 4, channels: 2, slices: 2' })
    expect(times(result)[0]).toBeGreaterThan(0)
    expect(sum(sentOf(result, 8))).toBe(sum(receivedOf(result, 8)))
  })

  test.each(ALL)('%s with the ranks in the opposite order takes the same time', (name) => {
    const [up, down] = ['"0-7"', '"7-0"'].map((group) =>
      times(runCollective(name, { sizeBytes: MIB, h: 1e6, more: `nodeSize: 4, group: [${group}]` })),
    )
    expect(down).toEqual(up)
  })
})

describe('many hosts, with ACKs', () => {
  const step = (bytes: number): number => alone(bytes) + ackRoom(bytes, 1)
  const halves = Array.from({ length: 7 }, (_, j) => MIB / 2 ** (j + 1))
  test.each([
    ['all-reduce/ring', 128, 2 * 127 * step(MIB / 128)],
    ['all-reduce/hierarchical', 128, 2 * 7 * step(MIB / 8) + 2 * 15 * step(MIB / 128)],
    ['all-reduce/halving-doubling', 128, 2 * sum(halves.map(step))],
    ['all-to-all/full', 48, 47 * (tau(8192) + ackRoom(8192, 1)) + alone(8192) - tau(8192)],
  ])('%s of %i takes its formula within 2 %%', (name, n, expectedPs) => {
    const sizeBytes = name === 'all-to-all/full' ? 48 * 8192 : MIB
    const [takenPs] = times(runCollective(name, { n, sizeBytes, acks: 1 }))
    expect(Math.abs(takenPs! / expectedPs - 1)).toBeLessThan(0.02)
  })
})

describe('double binary trees keep their bounds', () => {
  const sizes = [4, 5, 6, 7, 8, 9, 11, 13, 16, 23, 32, 47, 64]
  test.each(sizes.map((n, i) => ({ n, h: i % 2 === 0 ? 0 : 10e6 })))('$n hosts, $h ps a step', ({ n, h }) => {
    // Blocks of 128 KiB.
    const [slices, block] = [4, 128 * 1024]
    const sizeBytes = 2 * slices * block
    const [takenPs] = times(
      runCollective('all-reduce/double-binary-tree', { n, sizeBytes, h, more: `slices: ${slices}` }),
    )
    const latencyPs = 2 * Math.ceil(Math.log2(n)) * (alone(block) + h)
    const ratePs = 2 * (sizeBytes / block) * tau(block)
    expect(takenPs).toBeGreaterThan(Math.max(latencyPs, ratePs) * 0.999)
    expect(takenPs).toBeLessThan(1.12 * (latencyPs + ratePs))
  })
})

test('a link of half the rate slows each step of a ring by what its message takes longer', () => {
  const sizeBytes = 16 * MIB
  const [fastPs, slowPs] = [[], ['topology.rates=["0: 200Gbps"]']].map(
    (set) => times(runCollective('all-reduce/ring', { sizeBytes, set }))[0]!,
  )
  // Each step has one message out of it and one in; the ring goes at the pace of its slowest.
  const longer = (slowPs! - fastPs!) / 14
  expect(longer / tau(sizeBytes / 8)).toBeCloseTo(1, 1)
})

test('a lost packet delays only what depends on it', () => {
  const [n, steps] = [8, 14]
  /** By host and step. */
  const startsOf = (set: readonly string[]): number[][] => {
    const { flows } = runCollective('all-reduce/ring', {
      n,
      sizeBytes: 2 * MIB,
      acks: 1,
      set: ['qp.ackTimeout=200us', ...set],
    })
    const [source, start] = [numbersOf(flows, 'source'), numbersOf(flows, 'startPs')]
    const rows = Array.from({ length: flows.rowCount }, (_, row) => row)
    return Array.from({ length: n }, (_, host) =>
      rows.flatMap((row) => (source[row] === host ? [start[row]!] : [])).toSorted((a, b) => a - b),
    )
  }
  // With 64 packets a step, the 500th of host 2 is in its eighth.
  const [lostAt, lostIn] = [2, 7]
  const whole = startsOf([])
  const lossy = startsOf([`faults=[{kind: every-nth, n: 500, links: "${lostAt}>${n}"}]`])
  const rows = whole.flatMap((starts, host) =>
    starts.map((startPs, step) => {
      const away = (host - lostAt + n) % n
      return { away, behind: step - lostIn - away, latePs: Math.abs(lossy[host]![step]! - startPs) }
    }),
  )
  // It goes around with the part; those behind it on the link are late as far as it has not caught up.
  const late = rows.filter(({ away, behind }) => away >= 1 && behind === 0)
  const others = rows.filter(({ away, behind }) => away < 1 || behind < 0)
  expect(late.length + others.length).toBeGreaterThan((n * steps) / 2)
  expect(Math.min(...late.map(({ latePs }) => latePs))).toBeGreaterThan(2e6)
  expect(Math.max(...others.map(({ latePs }) => latePs))).toBeLessThan(0.1e6)
})
