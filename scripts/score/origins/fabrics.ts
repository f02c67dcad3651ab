/**
 * Fabrics of incidents for the localiser: DCQCN over PFC, two and three tiers, racks of one host and of several, loads that
 * leave room and loads that leave next to none, and incasts that congestion control handles.
 */
import { numbersOf, type Result, tableOfKind } from '../../../src/core/results/index.ts'
import { type Base, drawBase, fatTree, leafSpine, type Setting, type Shape } from '../base.ts'
import type { Draw } from '../../../src/core/base/draw.ts'
import { incastSource } from '../injections.ts'
import type { Values } from '../tree.ts'
import type { Kind } from '../truth.ts'

/** Two podsets, in which leaf l leads to spines of its own: two ToRs of a podset meet at its leaves alone. */
const podsets = (tors: number, serversPerTor: number, hostGbps: number, fabricGbps: number): Shape => ({
  topology: {
    kind: 'clos-podset',
    podsets: 2,
    leaves: 2,
    tors,
    serversPerTor,
    spines: 4,
    serverRate: `${hostGbps}Gbps`,
    torLeafRate: `${fabricGbps}Gbps`,
    leafSpineRate: `${fabricGbps}Gbps`,
  },
  hosts: 2 * tors * serversPerTor,
  hostGbps,
})

/** Those of which four racks or more have the same switches above. */
const WIDE: readonly Shape[] = [
  leafSpine(4, 2, 4, [25, 100]),
  leafSpine(4, 4, 6, [25, 100]),
  leafSpine(6, 2, 3, [40, 100]),
  leafSpine(4, 4, 4, [40, 40]),
  leafSpine(5, 4, 4, [100, 100]),
  leafSpine(8, 2, 2, [25, 50]),
  leafSpine(10, 4, 2, [40, 40]),
  leafSpine(16, 4, 1, [40, 40]),
  leafSpine(12, 2, 2, [50, 100]),
  podsets(4, 2, 25, 50),
  podsets(8, 1, 40, 40),
  podsets(4, 4, 25, 100),
]
const SHAPES: readonly Shape[] = [
  ...WIDE,
  podsets(3, 3, 50, 100),
  fatTree(25, 50, 100),
  fatTree(40, 40, 40),
  fatTree(25, 25, 25, 6),
]

/** Several polls of 1 ms in each. */
const SETTING: Setting = {
  shapes: SHAPES,
  load: [0.3, 0.9],
  runBits: 1e9,
  generatePs: [5e9, 26e9],
  largeFromGbps: 0,
  bufferSizes: ['4MB', '8MB', '16MB'],
  alphas: [1 / 16, 1 / 8, 1 / 4],
  beside: (draw, shape, generatePs) => (draw.chance(0.7) ? oneIncast(draw, shape, generatePs) : []),
}

/** Kinds that do harm in some of these fabrics alone. */
const SETTINGS: Partial<Readonly<Record<Kind, Partial<Setting>>>> = {
  deadlock: { shapes: WIDE },
  // Bursts that the buffer takes as it is meant to be.
  alpha: {
    bufferSizes: ['8MB', '16MB'],
    alphas: [1 / 8, 1 / 4],
    beside: (draw, shape, generatePs) => [besideIncast(draw, shape, generatePs, { length: 3, use: 2 })],
  },
  // Only ports that pause use their headroom.
  'small-headroom': {
    bufferSizes: ['2MB', '4MB', '8MB'],
    alphas: [1 / 64, 1 / 32, 1 / 16],
    beside: (draw, shape, generatePs) => [besideIncast(draw, shape, generatePs, { length: 3, use: 2 })],
  },
}

const oneIncast: NonNullable<Setting['beside']> = (draw, shape, generatePs) => [besideIncast(draw, shape, generatePs)]

/** Incasts at random receivers. */
function besideIncast(
  draw: Draw,
  { hosts, hostGbps }: Shape,
  generatePs: number,
  times: { readonly length: number; readonly use: number } = { length: 1, use: 1 },
): Values {
  const plan = {
    lengthPs: times.length * draw.scaled(20e6, 100e6),
    use: times.use * draw.between(0.05, 0.3),
    senders: () => draw.whole(4, Math.min(10, hosts - 1)),
  }
  const source = incastSource(draw, { hostRateBps: hostGbps * 1e9, generatePs }, plan)
  return { ...source, receiver: 'off', tag: 'beside' }
}

/** Messages are long enough to lose a packet, or to be overtaken. */
const LEAST_KB: Partial<Readonly<Record<Kind, number>>> = { 'bad-cable': 64, reordering: 64, alpha: 32 }

export function drawFabric(draw: Draw, kinds: readonly Kind[]): Base {
  const leastKb = Math.max(0, ...kinds.map((kind) => LEAST_KB[kind] ?? 0))
  // Healthy runs have incasts in each, so that there is something to be silent about.
  const usual = kinds.length > 0 ? SETTING : { ...SETTING, beside: oneIncast }
  const setting = kinds.reduce<Setting>((whole, kind) => ({ ...whole, ...SETTINGS[kind] }), usual)
  return drawBase(draw, { schemes: ['dcqcn'], leastKb }, setting)
}

/** A healthy port is held for this share of an interval of polls at most (ours, as the localiser's). */
const HEALTHY_PAUSE = 0.01
export const INTERVAL_PS = 1e9
/** Headroom that is too small harms nobody where nothing pauses: bursts hold ports of such a fabric this share of a run. */
const BURSTS_PAUSE = 0.25

/** Largest share of a window for which a port was held. */
export function mostPaused(result: Result, windowPs: number): number {
  const table = tableOfKind(result, 'pause-intervals')!
  const [startPs, endPs] = [numbersOf(table, 'startPs'), numbersOf(table, 'endPs')]
  const [node, port] = [numbersOf(table, 'node'), numbersOf(table, 'port')]
  const heldPs = new Map<string, number>()
  for (let row = 0; row < table.rowCount; row++) {
    for (let fromPs = startPs[row]!; fromPs < endPs[row]!;) {
      const window = Math.floor(fromPs / windowPs)
      const untilPs = Math.min(endPs[row]!, (window + 1) * windowPs)
      const key = `${node[row]!} ${port[row]!} ${window}`
      heldPs.set(key, (heldPs.get(key) ?? 0) + untilPs - fromPs)
      fromPs = untilPs
    }
  }
  return [...heldPs.values()].reduce((most, each) => Math.max(most, each), 0) / windowPs
}

export const isPaused = (result: Result): boolean => mostPaused(result, INTERVAL_PS) > HEALTHY_PAUSE

export function isHealthy(result: Result, kinds: readonly Kind[]): boolean {
  if (!kinds.includes('small-headroom')) return !isPaused(result)
  return mostPaused(result, result.simulatedPs) <= BURSTS_PAUSE
}
