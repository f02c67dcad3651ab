/**
 * M/D/1: packets of equal length that arrive at random at one output wait rho / (2 (1 - rho)) services on average
 * (Pollaczek and Khinchine). Arrivals are drawn here, not by the program's workloads.
 */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { interval95, mean, numbersOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { Dice } from '../swarm/dice.ts'

const SOURCES = 64
/** Frame of a SEND of 1024 bytes with preamble and gap, at 10 Gb/s: 884.8 ns. */
const SERVICE_PS = (1024 + 62 + 20) * 800

/** Mean wait of single-packet messages from many fast hosts into one output, in services; the first tenth is left out. */
function meanWait(load: number, seed: number, packets: number): number {
  const dice = new Dice(seed)
  let timePs = 0
  const flows = Array.from({ length: packets }, () => {
    timePs += Math.round((-Math.log(1 - dice.real()) * SERVICE_PS) / load)
    return `${dice.from(0, SOURCES - 1)} ${SOURCES} 1KiB ${timePs}ps op=send`
  })
  const hub = SOURCES + 1
  const links = Array.from({ length: SOURCES }, (_, host) => `${host} ${hub} 10000Gbps 1us`)
  const { flows: table, counters } = run(
    parseScenario(
      JSON.stringify({
        name: 'md1',
        topology: {
          kind: 'graph',
          nodes: SOURCES + 2,
          switches: [hub],
          links: [...links, `${SOURCES} ${hub} 10Gbps 1us`],
        },
        pfc: { classes: [] },
        switch: { buffer: { kind: 'shared-buffer', size: '100MB', alpha: 128, egressAlpha: 128 } },
        qp: { ackInterval: 0 },
        workload: [{ kind: 'trace', flows }],
      }),
    ),
  )
  expect(counters.drops).toEqual({})
  const [start, received, ideal] = ['startPs', 'receivedPs', 'idealPs'].map((name) => numbersOf(table, name))
  const waits = Array.from(received!, (ps, row) => ps - start![row]! - ideal![row]!).slice(packets / 10)
  expect(Math.min(...waits)).toBe(0)
  return mean(waits) / SERVICE_PS
}

test.each([
  [0.3, 8000],
  [0.5, 8000],
  [0.8, 16_000],
])('at load %d packets wait as long as the formula says, within the confidence of 12 seeds', (load, packets) => {
  const waits = interval95(Array.from({ length: 12 }, (_, seed) => meanWait(load, seed + 1, packets)))
  const theory = load / (2 * (1 - load))
  expect(waits.low).toBeLessThan(theory)
  expect(waits.high).toBeGreaterThan(theory)
  // And the interval is narrow enough to be meaningful.
  expect(waits.high - waits.low).toBeLessThan(0.25 * theory)
})
