/**
 * Sound part: what is left of a scenario when everything that has a mistake is taken out, so that what only the network
 * can tell (hosts and links that are not there) is looked for beside other mistakes, and all are told at once.
 */
import { defaultOf } from '../base/params.ts'
import { isRecord } from './text/read.ts'
import { scenarioParams, type Scenario } from './scenario.ts'
import { stepsOf } from './text/locations.ts'

/** What each says of itself can be judged whatever is wrong with its neighbours. */
const LISTS = ['workload', 'faults', 'observe'] as const

/** What the items of the lists are read against: with a mistake in one of them nothing can be said of them. */
const GROUND = ['topology', 'classes', 'frames', 'measure', 'time']

/** What switches do. What endpoints ask of it was agreed: where one is wrong, these and the endpoints' are defaults. */
const FABRIC = ['switch', 'pfc'] as const

/** How endpoints work. They agree with one another: where one is wrong, all take their defaults. */
const ENDPOINTS = ['balance', 'nic', 'qp', 'recovery', 'congestion'] as const

interface SoundPart {
  /** It can be built; its lists may be empty. */
  readonly scenario: Scenario
  /** A path in it as a path in the whole; undefined: of nothing that was there, so that it is nobody's mistake. */
  readonly pathInWhole: (path: string) => string | undefined
}

/**
 * @param values of a scenario; undefined where something could not be read.
 * @param wrong paths of its mistakes.
 * @returns undefined where nothing can be said.
 */
export function soundPart(values: unknown, wrong: readonly string[]): SoundPart | undefined {
  if (!isRecord(values)) return undefined
  const paths = wrong.map(stepsOf)
  const isWrong = (name: string): boolean => paths.some((path) => path[0] === name)
  if (GROUND.some((name) => isWrong(name) || values[name] === undefined)) return undefined
  const isUnsound = (name: string): boolean => isWrong(name) || values[name] === undefined
  const replaced: readonly (typeof FABRIC | typeof ENDPOINTS)[number][] = FABRIC.some(isUnsound)
    ? [...FABRIC, ...ENDPOINTS]
    : ENDPOINTS.some(isUnsound)
      ? ENDPOINTS
      : []
  const kept: Record<string, number[]> = {}
  const lists = LISTS.map((name) => {
    const items = values[name]
    // What observers can look at depends on the others.
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
