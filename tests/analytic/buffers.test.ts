/** Buffers of real switches against what the equations say: fixed points of dynamic thresholds, and headroom. */
import { describe, expect, test } from 'vitest'
import { dynamicFixedPointBytes } from '../../src/core/fabric/formulas.ts'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const FRAME = 1024 + 62

describe('dynamic thresholds come to rest where alpha * (S - U) says', () => {
  /** Depth of the queue at output 1 of the hub from 2 ms on; `senders` hosts at 100 Gb/s keep their own outputs at 1 Gb/s full. */
  function depths(senders: number, alpha: number): Float64Array {
    const hub = 2 * senders
    const hosts = Array.from({ length: senders }, (_, i) => i)
    const result = run(
      parseScenario(
        JSON.stringify({
          name: 'threshold',
          topology: {
            kind: 'graph',
            nodes: hub + 1,
            switches: [hub],
            links: [
              ...hosts.map((i) => `${senders + i} ${hub} 1Gbps 0ps`),
              ...hosts.map((i) => `${i} ${hub} 100Gbps 0ps`),
            ],
          },
          pfc: { classes: [] },
          qp: { ackInterval: 0 },
          switch: {
            buffer: { kind: 'shared-buffer', size: '9MB', reserve: '0B', pool: 'whole', alpha, egressAlpha: 128 },
          },
          workload: [{ kind: 'trace', flows: hosts.map((i) => `${i} ${senders + i} 100MB 0us op=send`) }],
          measure: { end: 'stop', stop: '3ms' },
          observe: [{ kind: 'queue-depth', ports: `${hub}:1`, interval: '3us' }],
        }),
      ),
    )
    const [table] = result.series
    const late = numbersOf(table!, 'timePs').findIndex((ps) => ps >= 2e9)
    return numbersOf(table!, 'queueBytes').slice(late)
  }

  test.each([
    [1, 1 / 16, 529_412],
    [1, 1 / 64, 138_462],
    [4, 1 / 16, 450_000],
  ])('%i congested ports at alpha %d: %i bytes each, within a packet', (senders, alpha, bytes) => {
    expect(Math.round(dynamicFixedPointBytes(alpha, 9e6, senders))).toBe(bytes)
    const found = depths(senders, alpha)
    expect(found.length).toBeGreaterThan(300)
    expect(Math.abs(Math.max(...found) - bytes)).toBeLessThanOrEqual(FRAME)
    expect(Math.abs(Math.min(...found) - bytes)).toBeLessThanOrEqual(FRAME)
  })
})

describe('headroom of the input-queued switch at 40 Gb/s and 2 us', () => {
  /** One host fills its input at line rate towards an output that hardly moves; another keeps the way back busy. */
  function into(xoffBytes: number, offsetNs: number): Result {
    return run(
      parseScenario(
        JSON.stringify({
          name: 'headroom',
          topology: {
            kind: 'graph',
            nodes: 4,
            switches: [3],
            links: ['0 3 40Gbps 2us', '1 3 1Mbps 0ps', '2 3 40Gbps 2us'],
          },
          qp: { ackInterval: 0 },
          switch: { buffer: { kind: 'input-queued', portBuffer: '240KB', xoff: `${xoffBytes}B` } },
          workload: [{ kind: 'trace', flows: ['0 1 600KiB 0us op=send', `2 0 600KiB ${offsetNs}ns op=send`] }],
          measure: { end: 'stop', stop: '200us' },
        }),
      ),
    )
  }
  /** Frames last 221.2 ns: every phase of the reverse traffic, in steps of 10 ns. */
  const offsets = Array.from({ length: 23 }, (_, i) => 10 * i)
  const dropsAt = (xoffBytes: number): number[] =>
    offsets.map((offsetNs) => {
      const { counters } = into(xoffBytes, offsetNs)
      expect(counters.pauseFrames).toBe(1)
      return counters.drops['buffer full'] ?? 0
    })

  test.each([216_000, 216_108])('T-PFC-2: nothing is lost with XOFF at %i bytes', (xoffBytes) => {
    expect(Math.max(...dropsAt(xoffBytes))).toBe(0)
  })

  test('T-PFC-2: three packets or more are lost in the worst case with XOFF at 220,000 bytes', () => {
    expect(Math.max(...dropsAt(220_000))).toBeGreaterThanOrEqual(3)
  })
})
