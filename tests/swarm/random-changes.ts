/**
 * Changes of any live parameter in random scenarios, at random times and sites. The parameters are found by their
 * declarations, so that a new one is drawn as soon as it says that it may change.
 */
import { isLike, type Param, US } from '../../src/core/base/params.ts'
import { type Scenario, scenarioParams } from '../../src/lab/scenario/index.ts'
import { hasWorkRequests } from '../../src/lab/scenario/rules/operations.ts'
import { randomWatchdog } from './random-watchdog.ts'
import type { Dice } from './dice.ts'
import type { Sites } from './random-fabric.ts'
import type { Values } from './random-scenario.ts'

interface Live {
  readonly path: string
  readonly param: Param
  readonly value: unknown
  readonly per: string
}

/** A change of some live parameter of the scenario. */
export function randomLiveChange(dice: Dice, values: Values, { switches }: Sites): Values {
  const found = liveParams(scenarioParams, '', values, false, '')
  // Work requests keep their schemes.
  const hasWork = hasWorkRequests(values as unknown as Scenario)
  const { path, param, value, per } = dice.one(hasWork ? found.filter((live) => live.per !== 'pair') : found)
  const isOfPairs = per === 'pair'
  return {
    path,
    value: path === 'switch.watchdog' ? JSON.stringify(printed(randomWatchdog(dice))) : otherValue(dice, param, value),
    at: dice.log(1, 400) * US,
    ...(per === 'port' && dice.chance(0.3)
      ? { nodes: 'switches', ports: 'hosts' }
      : { nodes: isOfPairs ? 'all' : dice.one(['all', 'switches', ...switches]), ports: 'all' }),
  }
}

/** Parameters below this one that may change during a run and that the scenario has. */
function liveParams(param: Param, path: string, value: unknown, live: boolean, per: string): Live[] {
  const isLive = param.live ?? live
  const part = param.per ?? per
  if (isLike(param) || value === undefined) return []
  const inside = (fields: Readonly<Record<string, Param>>): Live[] =>
    Object.entries(fields).flatMap(([key, field]) =>
      liveParams(field, path === '' ? key : `${path}.${key}`, (value as Values)[key], isLive, part),
    )
  if (param.type === 'group') return inside(param.fields)
  if (param.type !== 'variant') return isLive && part !== '' ? [{ path, param, value, per: part }] : []
  const { kind } = value as { readonly kind: string }
  const below = inside(param.definitions.find(({ name }) => name === kind)!.params)
  return path === 'switch.watchdog' ? [...below, { path, param, value, per: part }] : below
}

/** Another value, as text; some of them are refused. */
function otherValue(dice: Dice, param: Param, value: unknown): string {
  switch (param.type) {
    case 'flag':
      return String(value !== true)
    case 'choice':
      return dice.one(param.choices)
    case 'list':
      return JSON.stringify(dice.one<unknown>([[], [3], [3, 4], [0, 1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 1, 1, 1, 0.5, 2]]))
    case 'rate':
    case 'duration':
    case 'size':
    case 'count':
    case 'ratio': {
      if (param.off && dice.chance(0.2)) return 'off'
      const now = typeof value === 'number' ? value : TYPICAL[param.type]
      const drawn = dice.one([now * 2, now / 2, now * 10, now / 10, now + 1, param.min ?? 0])
      const least = Math.max(param.min ?? 0, drawn)
      const inRange = Math.min(param.max ?? Infinity, least)
      return param.type === 'ratio' ? String(inRange) : `${Math.round(inRange)}${UNITS[param.type]}`
    }
    default:
      return JSON.stringify(value)
  }
}

const TYPICAL = { rate: 10e9, duration: 20 * US, size: 5000, count: 2, ratio: 0.5 }
const UNITS = { rate: 'bps', duration: 'ps', size: 'B', count: '' }

/** A watchdog with units in its times. */
function printed(watchdog: Values): Values {
  return Object.fromEntries(
    Object.entries(watchdog).map(([key, value]) => [
      key,
      typeof value === 'number' ? `${value}ps` : value === null ? 'off' : value,
    ]),
  )
}
