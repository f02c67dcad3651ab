/**
 * Changes of parameters: which may have another value at single devices or change at a time, and the scenario with some
 * of its changes applied.
 */
import { InputError, type Issue } from '../base/issue.ts'
import type { Param, Part } from '../base/params.ts'
import { applyOverrides } from './text/overrides.ts'
import { printParam } from './text/print.ts'
import { type Reader, readParam } from './text/read.ts'
import { scenarioParams, type Scenario } from './scenario.ts'

/** How far the value at a path may vary. */
export interface Variation {
  /** Parts of the network that may have their own value; null: one value holds everywhere. */
  readonly per: Part | null
  /** It may change during a run. */
  readonly live: boolean
}

const FIXED: Variation = { per: null, live: false }

/** How far the value at "switch.buffer.alpha" may vary. Paths that do not exist may not. */
export function variationOf(path: string, scenario: Scenario): Variation {
  let param: Param | undefined = scenarioParams
  let value: unknown = scenario
  let found = FIXED
  for (const step of path.split('.')) {
    param = inside(param, step, value)
    if (param === undefined) return FIXED
    value = (value as Record<string, unknown> | null | undefined)?.[step]
    found = { per: param.per ?? found.per, live: param.live ?? found.live }
  }
  return found
}

/** The param one step below another; undefined: there is none. */
function inside(param: Param, step: string, value: unknown): Param | undefined {
  switch (param.type) {
    case 'group':
      return param.fields[step]
    case 'variant': {
      if (step === 'kind') return param
      const kind = (value as { readonly kind?: string } | null)?.kind
      return param.definitions.find((definition) => definition.name === kind)?.params[step]
    }
    case 'list':
      return param.item
    default:
      return undefined
  }
}

/**
 * The scenario with the changes at these indexes applied, in this order. It keeps its list of changes.
 * @throws InputError at `changes.<index>` for a path or value that does not fit
 */
export function withChanges(scenario: Scenario, indexes: readonly number[]): Scenario {
  if (indexes.length === 0) return scenario
  const issues: Issue[] = []
  let tree: unknown = printParam(scenarioParams, scenario)
  let changed = scenario
  for (const index of indexes) {
    const { path, value } = scenario.changes[index]!
    const { value: next, mistakes } = applyOverrides(scenarioParams, tree, [`${path}=${value}`])
    for (const { expected, received, hint } of mistakes)
      issues.push({ path: `changes.${index}.path`, expected, received, hint })
    if (mistakes.length > 0) continue
    const reader: Reader = { root: scenarioParams, readFile: undefined, mistakes: [], files: [], values: {} }
    const read = readParam(reader, scenarioParams, next, [])
    // Other groups may be missing where the scenario itself has mistakes, which are reported at their own place.
    const mistaken = reader.mistakes.filter((mistake) => mistake.path[0] === path.split('.')[0])
    for (const { expected, received, hint } of mistaken)
      issues.push({ path: `changes.${index}.value`, expected, received, hint })
    if (mistaken.length > 0) continue
    tree = next
    changed = read as Scenario
  }
  if (issues.length > 0) throw new InputError(issues)
  return changed
}
