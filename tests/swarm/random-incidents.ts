/**
 * Incidents in random scenarios: losses for a time, links that flap, switches that reboot, and parameters that differ at
 * some devices or change at a time. From dice of their own, so that the other parts of earlier cases stay the same.
 */
import { US } from '../../src/core/base/params.ts'
import type { Dice } from './dice.ts'

type Values = Record<string, unknown>

const LOSSES = ['bernoulli', 'every-nth', 'ip-id', 'gilbert-elliott', 'corruption']

/** The faults, some of them for a time only, and now and then another. */
export function withTimes(dice: Dice, faults: readonly Values[], names: readonly string[]): Values[] {
  const timed = faults.map((fault) => (LOSSES.includes(fault['kind'] as string) ? { ...fault, ...times(dice) } : fault))
  if (!dice.chance(0.15)) return timed
  const down = dice.log(1, 300) * US
  const node = dice.one(names)
  const converge = dice.seldom(0, () => dice.log(1, 200) * US, 0.5)
  const other = dice.chance(0.5)
    ? {
        kind: 'switch-down',
        switches: node,
        down,
        up: dice.seldom<number | null>(null, () => down + dice.log(1, 200) * US, 0.75),
        converge,
      }
    : {
        kind: 'link-flap',
        links: node,
        from: dice.log(1, 300) * US,
        down: dice.log(1, 50) * US,
        interval: dice.log(51, 300) * US,
        until: dice.seldom<number | null>(null, () => dice.log(301, 1000) * US, 0.9),
        converge,
      }
  return [...timed, other]
}

function times(dice: Dice): Values {
  const from = dice.seldom(0, () => dice.log(1, 100) * US, 0.15)
  return { from, until: dice.seldom<number | null>(null, () => from + dice.log(1, 300) * US, 0.2) }
}

/** Mostly no changes, at times several. @param names of switches */
export function randomChanges(dice: Dice, values: Values, names: readonly string[]): Values[] {
  if (!dice.chance(0.2)) return []
  return Array.from({ length: dice.from(1, 3) }, () => {
    const [path, value] = dice.one(changesOf(dice, values))
    const nodes = dice.one(['all', 'switches', 'hosts', ...names])
    const isPort = !path.startsWith('switch.buffer.xonOffset') && path !== 'classes.dscpMap'
    return {
      path,
      value: JSON.stringify(value),
      at: dice.seldom(0, () => dice.log(1, 400) * US, 0.7),
      nodes,
      ports: isPort ? dice.one(['all', 'all', 'all', 'hosts']) : 'all',
    }
  })
}

function changesOf(dice: Dice, values: Values): [string, unknown][] {
  const { buffer } = values['switch'] as { readonly buffer: Values }
  const ofBuffer: [string, unknown][] =
    buffer['kind'] === 'shared-buffer'
      ? [
          ['switch.buffer.alpha', dice.one([1 / 64, 1 / 16, 0.5, 8])],
          ['switch.buffer.xonOffset', `${dice.one([0, 3, 20])}KB`],
        ]
      : [['switch.buffer.xoff', `${Math.max(1, Math.floor((buffer['portBuffer'] as number) / dice.from(2, 5)))}B`]]
  return [
    ...ofBuffer,
    ['pfc.classes', dice.one<readonly number[]>([[], [3], [3, 4]])],
    ['pfc.quanta', dice.one([1, 100, 65_535])],
    ['switch.ecn.kmin', `${dice.one([1, 2])}KB`],
    ['switch.weights', [1, 2, 3, 1, 1, 1, 1, 1]],
    ['switch.scheduler', dice.one(['round-robin', 'dwrr'])],
    ['qp.retryLimit', dice.one([2, 7])],
  ]
}
