/**
 * Sound part: the scenario without everything that has a mistake. It can still be built, so that mistakes which only the
 * network shows (hosts and links that do not exist) are reported together with the others.
 */
import { defaultOf } from '../../core/base/params.ts'
import { isRecord } from './text/read.ts'
import { scenarioParams, type Scenario } from './scenario.ts'
import { stepsOf } from './text/locations.ts'

/** Lists whose items can be checked independently: a wrong item is removed, the others stay. */
const LISTS = ['workload', 'faults', 'changes', 'observe'] as const

/** Groups that every item of the lists depends on: with a mistake in one of them nothing can be checked. */
const REQUIRED = ['topology', 'classes', 'frames', 'measure', 'time']

/** Groups of the switches. Endpoints may depend on them: if one is wrong, these and the endpoints' take their defaults. */
const FABRIC = ['switch', 'pfc'] as const

/** Groups of the endpoints. They depend on one another: if one is wrong, all take their defaults. */
const ENDPOINTS = ['balance', 'nic', 'qp', 'recovery', 'congestion'] as const

interface SoundPart {
  /** A scenario that can be built; its lists may be empty. */
  readonly scenario: Scenario
  /** Maps a path in the sound part to one in the whole; undefined for a replaced group, whose issues are not the user's. */
  readonly pathInWhole: (path: string) => string | undefined
}

/**
 * @param values of a scenario; undefined where a value could not be read
 * @param wrong paths of its mistakes
 * @returns undefined if nothing can be checked
 */
export function soundPart(values: unknown, wrong: readonly string[]): SoundPart | undefined {
  if (!isRecord(values)) return undefined
  const paths = wrong.map(stepsOf)
  const isWrong = (name: string): boolean => paths.some((path) => path[0] === name)
  if (REQUIRED.some((name) => isWrong(name) || values[name] === undefined)) return undefined
  const isUnsound = (name: string): boolean => isWrong(name) || values[name] === undefined
  const replaced: readonly (typeof FABRIC | typeof ENDPOINTS)[number][] = FABRIC.some(isUnsound)
    ? [...FABRIC, ...ENDPOINTS]
    : ENDPOINTS.some(isUnsound)
      ? ENDPOINTS
      : []
  const kept: Record<string, number[]> = {}
  const lists = LISTS.map((name) => {
    const items = values[name]
    // Observers depend on the groups above.
    const isOpen = Array.isArray(items) && (name !== 'observe' || replaced.length === 0)
    const isWhole = !paths.some((path) => path[0] === name && path.length === 1)
    const wrongItems = new Set(paths.filter((path) => path[0] === name).map((path) => path[1]))
    kept[name] = isOpen && isWhole ? [...items.keys()].filter((index) => !wrongItems.has(index)) : []
    return [name, kept[name].map((index) => (items as readonly unknown[])[index])]
  })
  const defaults = replaced.map((name) => [name, defaultOf(scenarioParams.fields[name])])
  const rest = { name: 'scenario', description: '', seed: 1 }
  const scenario = { ...values, ...rest, ...Object.fromEntries([...lists, ...defaults]) } as Scenario
  const pathInWhole = (path: string): string | undefined => {
    const [name, index, ...inItem] = path.split('.')
    if (kept[name!] === undefined) return replaced.some((each) => each === name) ? undefined : path
    const item = kept[name!]![Number(index)]
    return item === undefined ? undefined : [name, item, ...inItem].join('.')
  }
  return { scenario, pathInWhole }
}
