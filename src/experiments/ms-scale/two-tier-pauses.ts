/**
 * Pauses as a signal of congestion: is the time that servers are paused, or the number of pause frames, more closely
 * correlated with the slowdown of their flows? One incast at a time in the network of two-tier-runs.ts, with every pause
 * time, alpha and number of senders. Runs keep sums over their senders, from which correlations over any set of runs follow.
 * Source: [MS-Scale] section 5.2, which claims it and has no measurement; section 6.2 for an alpha of 1/16 and 1/64.
 */
import { MS } from '../../base/index.ts'
import { completionsOf, mean, numbersOf, type Result, sum, tableOfKind } from '../../results/index.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf, rowsWhere } from '../core/measures.ts'
import type { Measures, Outcome, Point, Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { NETWORK } from './two-tier-runs.ts'

/** Shares of the free buffer that a port may take before it pauses, in the names of scenarios. */
const NAMES = { '1/64': '1-64', '1/16': '1-16', '1/4': '1-4' }

/** Quanta are 512 bit times each: 839, 52 and 3.3 us at 40 Gb/s. */
const settingsOf = (size: Size) =>
  size === 'small'
    ? product({ quanta: [65_535, 256], alpha: ['1/64'] })
    : product({ quanta: [65_535, 4096, 256], alpha: ['1/64', '1/16', '1/4'] })

export function pausePoints(size: Size, seed: number): Point[] {
  const fanIns = size === 'small' ? [4, 12] : [4, 12, 40]
  const eachBytes = size === 'small' ? '300KB' : '1MB'
  const grid = settingsOf(size).flatMap((setting) => fanIns.map((fanIn) => ({ traffic: 'incast', ...setting, fanIn })))
  return pointsAt(
    grid,
    seed,
    ({ quanta, alpha, fanIn }) => `
name: two-tier-incast-of-${fanIn}-${quanta}-quanta-alpha-${NAMES[alpha]}
seed: ${seed}
topology: ${NETWORK}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: 9MB, alpha: ${alpha}}}
pfc: {classes: [3], quanta: ${quanta}}
qp: {ackInterval: 256, retryLimit: off}
workload: [{kind: incast, senders: ${fanIn}, receiver: off, sizeEach: ${eachBytes}}]
observe: [{kind: pause-intervals, maxRows: 2000000}, {kind: pause-log, maxRows: 2000000}]
`,
  )
}

/** Sums over senders of their slowdown, time paused and pause frames, and of squares and products. */
export function pauseMeasures(result: Result): Measures {
  const intervals = tableOfKind(result, 'pause-intervals')!
  const log = tableOfKind(result, 'pause-log')!
  const [node, startPs, endPs] = ['node', 'startPs', 'endPs'].map((name) => numbersOf(intervals, name))
  const [pausedNode, type] = [numbersOf(log, 'node'), numbersOf(log, 'type')]
  const { slowdown } = completionsOf(result)
  const senders = Array.from(numbersOf(result.flows, 'source'), (host, row) => ({
    slowdown: slowdown[row]!,
    // A host has one port and one paused class.
    pausedMs: rowsWhere(intervals, (each) => node![each] === host).reduce(
      (total, each) => total + (endPs![each]! - startPs![each]!) / MS,
      0,
    ),
    frames: rowsWhere(log, (each) => pausedNode[each] === host && type[each] === 1).length,
  }))
  const over = (valueOf: (sender: (typeof senders)[number]) => number): number => sum(senders.map(valueOf))
  return {
    senders: senders.length,
    slowdown: over((each) => each.slowdown),
    pausedMs: over((each) => each.pausedMs),
    frames: over((each) => each.frames),
    slowdown2: over((each) => each.slowdown * each.slowdown),
    pausedMs2: over((each) => each.pausedMs * each.pausedMs),
    frames2: over((each) => each.frames * each.frames),
    slowdownPausedMs: over((each) => each.slowdown * each.pausedMs),
    slowdownFrames: over((each) => each.slowdown * each.frames),
    drops: dropsOf(result),
  }
}

/** Measures that may be correlated with the slowdown, with their product with it. */
export const SIGNALS = {
  intervals: { of: 'pausedMs', product: 'slowdownPausedMs' },
  frames: { of: 'frames', product: 'slowdownFrames' },
} as const
export type Signal = keyof typeof SIGNALS

/** Sets over which correlations are taken. */
export const VIEWS = {
  senders: 'senders of all settings',
  runs: 'incasts of all settings',
  alone: 'senders of each setting alone',
} as const
export type View = keyof typeof VIEWS

/** Correlation of a signal with the slowdown, a value per seed. */
export function correlationsOf(runs: Runs, size: Size, view: View, signal: Signal): number[] {
  const incasts = runs.where({ traffic: 'incast' })
  const ofSeed = (own: Runs, seed: number): Outcome[] => own.outcomes.filter((outcome) => outcome.seed === seed)
  const overSenders = (own: Runs, seed: number): number =>
    correlation(ofSeed(own, seed).map(({ measures }) => sumsOf(measures, signal)))
  return incasts.seeds.map((seed) => {
    if (view === 'senders') return overSenders(incasts, seed)
    if (view === 'alone') return mean(settingsOf(size).map((setting) => overSenders(incasts.where(setting), seed)))
    // Each incast once, by the means over its senders.
    return correlation(
      ofSeed(incasts, seed).map(({ measures }) => {
        const { count, x, y } = sumsOf(measures, signal)
        return sumsOfOne(x / count, y / count)
      }),
    )
  })
}

type Sums = Readonly<Record<'count' | 'x' | 'y' | 'xx' | 'yy' | 'xy', number>>

export const sumsOfOne = (x: number, y: number): Sums => ({ count: 1, x, y, xx: x * x, yy: y * y, xy: x * y })

function sumsOf(measures: Measures, signal: Signal): Sums {
  const { of, product: xy } = SIGNALS[signal]
  const [count, x, y, xx, yy] = ['senders', of, 'slowdown', `${of}2`, 'slowdown2'].map((key) => measures[key]!)
  return { count: count!, x: x!, y: y!, xx: xx!, yy: yy!, xy: measures[xy]! }
}

/** A variance below this share of the square counts as rounding error. */
const NO_SPREAD = 1e-9

/** Pearson's correlation from sums of parts; 0 if one of the two is constant. */
export function correlation(parts: readonly Sums[]): number {
  const total = (key: keyof Sums): number => sum(parts.map((part) => part[key]))
  const [count, x, y, xx, yy] = [total('count'), total('x'), total('y'), total('xx'), total('yy')]
  const [ofX, ofY] = [count * xx - x * x, count * yy - y * y]
  const isVaried = ofX > NO_SPREAD * count * xx && ofY > NO_SPREAD * count * yy
  return isVaried ? (count * total('xy') - x * y) / Math.sqrt(ofX * ofY) : 0
}
