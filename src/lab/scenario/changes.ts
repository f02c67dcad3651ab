/**
 * Changes of parameters: which may have another value at single devices or change at a time, and the scenario with some
 * of its changes applied.
 */
import { InputError, inputError, type Issue } from '../../core/base/issue.ts'
import type { Param, ParamFields, Part } from '../../core/base/params.ts'
import { applyOverrides } from './text/overrides.ts'
import { printParam } from './text/print.ts'
import { type Reader, readParam } from './text/read.ts'
import type { Scenario } from './scenario.ts'
import { paramsOf } from './schemes.ts'

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
  let param: Param | undefined = paramsOf(scenario)
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

/** The written form of the value at a path that exists, without what is as by default. */
export function printAt(scenario: Scenario, path: string): unknown {
  let param: Param = paramsOf(scenario)
  let value: unknown = scenario
  for (const step of path.split('.')) {
    param = inside(param, step, value) ?? param
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  const printed = printParam(param, value, { compact: true })
  // A kind with no values of its own is its name.
  const isKind = param.type === 'variant' && Object.keys(printed as object).length === 1
  return isKind ? (printed as { readonly kind: string }).kind : printed
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
  const issues: Issue[] = []
  let changed = scenario
  for (const index of indexes) {
    try {
      changed = withChange(changed, index)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      issues.push(...error.issues)
    }
  }
  if (issues.length > 0) throw new InputError(issues)
  return changed
}

/**
 * The scenario with one of its changes applied. Only the group that the path begins with is printed and read again, so
 * that the cost of a change does not grow with the scenario.
 */
function withChange(scenario: Scenario, index: number): Scenario {
  const { path, value } = scenario.changes[index]!
  const group = path.split('.')[0]!
  const root = paramsOf(scenario)
  const fields: ParamFields = root.fields
  const param: Param | undefined = Object.hasOwn(fields, group) ? fields[group] : undefined
  // Cast: the group is one of the keys of a scenario, or undefined.
  const current = (scenario as unknown as Readonly<Record<string, unknown>>)[group]
  // A group is missing where it has mistakes of its own, which are reported at their own place.
  const tree = param === undefined || current === undefined ? {} : { [group]: printParam(param, current) }
  const { value: next, mistakes } = applyOverrides(root, tree, [`${path}=${value}`])
  if (mistakes.length > 0) throw new InputError(mistakes.map((each) => issueOf(`changes.${index}.path`, each)))
  // A path with an equals sign was read as a shorter one, and a value.
  if (param === undefined)
    throw inputError(`changes.${index}.path`, 'a parameter, such as qp.retryLimit', JSON.stringify(path))
  const reader: Reader = { root, readFile: undefined, mistakes: [], files: [], values: { ...scenario } }
  const read = readParam(reader, param, (next as Readonly<Record<string, unknown>>)[group], [group])
  if (reader.mistakes.length > 0)
    throw new InputError(reader.mistakes.map((each) => issueOf(`changes.${index}.value`, each)))
  return { ...scenario, [group]: read }
}

function issueOf(path: string, { expected, received, hint }: Pick<Issue, 'expected' | 'received' | 'hint'>): Issue {
  return { path, expected, received, hint }
}
