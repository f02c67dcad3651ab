/**
 * Pauses as a signal of congestion: is the time that servers are paused, or the number of pause frames, more closely
 * correlated with the slowdown of their flows? One incast at a time in the network of two-tier-runs.ts, with every pause
 * time, alpha and number of senders. Runs keep sums over their senders, from which correlations over any set of runs follow.
 * Source: [MS-Scale] section 5.2, which claims it and has no measurement; section 6.2 for an alpha of 1/16 and 1/64.
 */
import { MS } from '../../base/index.ts'
import { completionsOf, numbersOf, type Result, sum, type Table } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Measures, Outcome, Point, Size } from '../core/old/plan.ts'
import { NETWORK } from './two-tier-runs.ts'

interface Setting {
  /** 512 bit times each: 839, 52 and 3.3 us at 40 Gb/s. */
  readonly quanta: number
  /** Share of the free buffer that a port may take before it pauses. */
  readonly alpha: string
}

interface Grid {
  readonly settings: readonly Setting[]
  readonly senders: readonly number[]
  readonly eachBytes: string
}

const settingsOf = (quanta: readonly number[], alphas: readonly string[]): Setting[] =>
  quanta.flatMap((each) => alphas.map((alpha) => ({ quanta: each, alpha })))

export const PAUSE_GRIDS: Readonly<Record<Size, Grid>> = {
  small: { settings: settingsOf([65_535, 256], ['1/64']), senders: [4, 12], eachBytes: '300KB' },
  full: {
    settings: settingsOf([65_535, 4096, 256], ['1/64', '1/16', '1/4']),
    senders: [4, 12, 40],
    eachBytes: '1MB',
  },
}

export const pauseConditionOf = ({ quanta, alpha }: Setting, senders: number): string =>
  `incast of ${senders}, ${quanta} quanta, alpha ${alpha}`

export const isPauseCondition = (condition: string): boolean => condition.startsWith('incast')

export function pausePoints(size: Size, seed: number): Point[] {
  const { settings, senders, eachBytes } = PAUSE_GRIDS[size]
  return settings.flatMap((setting) =>
    senders.map((count): Point => {
      const condition = pauseConditionOf(setting, count)
      const scenario = parseScenario(`
name: two-tier-${condition.replaceAll(/[^a-z0-9]+/g, '-')}
seed: ${seed}
topology: ${NETWORK}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: 9MB, alpha: ${setting.alpha}}}
pfc: {classes: [3], quanta: ${setting.quanta}}
qp: {ackInterval: 256, retryLimit: off}
workload: [{kind: incast, senders: ${count}, receiver: off, sizeEach: ${eachBytes}}]
observe: [{kind: pause-intervals, maxRows: 2000000}, {kind: pause-log, maxRows: 2000000}]
`)
      return { condition, seed, scenario }
    }),
  )
}

/** A sender of an incast. */
interface Sender {
  readonly slowdown: number
  readonly pausedMs: number
  readonly frames: number
}

const SUMS = ['senders', 'slowdown', 'pausedMs', 'frames', 'slowdown2', 'pausedMs2', 'frames2'] as const
const PRODUCTS = ['slowdownPausedMs', 'slowdownFrames'] as const
type SumKey = (typeof SUMS)[number] | (typeof PRODUCTS)[number]

export function pauseMeasures(result: Result): Measures {
  const [intervals, log] = result.series
  const pausedMs = pausedByHost(intervals!)
  const frames = framesByHost(log!)
  const { slowdown } = completionsOf(result)
  const all = Array.from(numbersOf(result.flows, 'source'), (host, row): Sender => {
    return { slowdown: slowdown[row]!, pausedMs: pausedMs.get(host) ?? 0, frames: frames.get(host) ?? 0 }
  })
  const over = (valueOf: (sender: Sender) => number): number => sum(all.map(valueOf))
  const sums: Record<SumKey, number> = {
    senders: all.length,
    slowdown: over((each) => each.slowdown),
    pausedMs: over((each) => each.pausedMs),
    frames: over((each) => each.frames),
    slowdown2: over((each) => each.slowdown * each.slowdown),
    pausedMs2: over((each) => each.pausedMs * each.pausedMs),
    frames2: over((each) => each.frames * each.frames),
    slowdownPausedMs: over((each) => each.slowdown * each.pausedMs),
    slowdownFrames: over((each) => each.slowdown * each.frames),
  }
  return { ...sums, drops: sum(Object.values(result.counters.drops)) }
}

/** Time that each host is paused. Hosts are the first nodes of the network, with one port and one paused class each. */
function pausedByHost(intervals: Table): ReadonlyMap<number, number> {
  const [startPs, endPs] = [numbersOf(intervals, 'startPs'), numbersOf(intervals, 'endPs')]
  const [node, tier] = [numbersOf(intervals, 'node'), numbersOf(intervals, 'tier')]
  const byHost = new Map<number, number>()
  for (let row = 0; row < intervals.rowCount; row++) {
    if (tier[row] !== 0) continue
    byHost.set(node[row]!, (byHost.get(node[row]!) ?? 0) + (endPs[row]! - startPs[row]!) / MS)
  }
  return byHost
}

/** Pause frames to each host, without resumes. */
function framesByHost(log: Table): ReadonlyMap<number, number> {
  const [node, nodeType, type] = [numbersOf(log, 'node'), numbersOf(log, 'nodeType'), numbersOf(log, 'type')]
  const byHost = new Map<number, number>()
  for (let row = 0; row < log.rowCount; row++) {
    if (nodeType[row] === 0 && type[row] === 1) byHost.set(node[row]!, (byHost.get(node[row]!) ?? 0) + 1)
  }
  return byHost
}

/** Correlations with the slowdown: of the time paused, and of the frames. */
export interface Correlations {
  readonly intervals: number
  readonly frames: number
}

/** Sets over which correlations are taken. */
export const VIEWS = {
  senders: 'senders of all settings',
  runs: 'incasts of all settings',
  alone: 'senders of each setting alone',
} as const
export type View = keyof typeof VIEWS

/** Correlations over the runs of one seed. */
export function correlationsOf(outcomes: readonly Outcome[], size: Size, view: View): Correlations {
  const all = outcomes.filter(({ condition }) => isPauseCondition(condition))
  if (view === 'senders') return overSenders(all)
  if (view === 'runs') return overRuns(all)
  const { settings, senders } = PAUSE_GRIDS[size]
  const each = settings.map((setting) => {
    const conditions = senders.map((count) => pauseConditionOf(setting, count))
    return overSenders(all.filter(({ condition }) => conditions.includes(condition)))
  })
  const middle = (valueOf: (of: Correlations) => number): number => sum(each.map(valueOf)) / each.length
  return { intervals: middle((of) => of.intervals), frames: middle((of) => of.frames) }
}

function overSenders(outcomes: readonly Outcome[]): Correlations {
  const total = (key: SumKey): number => sum(outcomes.map(({ measures }) => measures[key] ?? NaN))
  const of = (x: 'pausedMs' | 'frames', xy: SumKey): number =>
    correlation({
      count: total('senders'),
      x: total(x),
      y: total('slowdown'),
      xx: total(`${x}2`),
      yy: total('slowdown2'),
      xy: total(xy),
    })
  return { intervals: of('pausedMs', 'slowdownPausedMs'), frames: of('frames', 'slowdownFrames') }
}

/** Each incast once, by the means over its senders. */
function overRuns(outcomes: readonly Outcome[]): Correlations {
  const means = (key: SumKey): number[] =>
    outcomes.map(({ measures }) => (measures[key] ?? NaN) / (measures['senders'] ?? NaN))
  const y = means('slowdown')
  const of = (x: readonly number[]): number =>
    correlation({
      count: y.length,
      x: sum(x),
      y: sum(y),
      xx: sum(x.map((value) => value * value)),
      yy: sum(y.map((value) => value * value)),
      xy: sum(x.map((value, i) => value * y[i]!)),
    })
  return { intervals: of(means('pausedMs')), frames: of(means('frames')) }
}

/** A variance below this share of the square counts as rounding error. */
const NO_SPREAD = 1e-9

/** Pearson's correlation from sums; 0 if one of the two is constant. */
export function correlation(sums: Readonly<Record<'count' | 'x' | 'y' | 'xx' | 'yy' | 'xy', number>>): number {
  const { count, x, y, xx, yy, xy } = sums
  const [ofX, ofY] = [count * xx - x * x, count * yy - y * y]
  const isVaried = ofX > NO_SPREAD * count * xx && ofY > NO_SPREAD * count * yy
  return isVaried ? (count * xy - x * y) / Math.sqrt(ofX * ofY) : 0
}
