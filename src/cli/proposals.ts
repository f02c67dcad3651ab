/**
 * Proposals: completions of a word of the command line, for shells. A proposal is a whole word; one that ends in "=" or
 * "." is to be continued.
 */
import type { Param, ParamFields } from '../core/base/params.ts'
import { experiments } from '../papers/index.ts'
import { scenarioParams } from '../lab/scenario/index.ts'
import { catalog } from '../catalog.ts'

/** Arguments of `list` that are neither kinds nor names. */
export const LIST_TOPICS = ['survey', 'matrix', 'changes', 'findings', 'forms'] as const

/** Arguments of `list`. */
export function proposeListed(partial: string): readonly string[] {
  const kinds = catalog()
  const names = kinds.flatMap(({ name, entries }) => [name, ...entries.map((entry) => entry.name)])
  return startingWith(partial, [...LIST_TOPICS, ...names])
}

/** Names of experiments. */
export function proposeExperiment(partial: string): readonly string[] {
  return startingWith(
    partial,
    experiments.map(({ name }) => name),
  )
}

/** Completes "switch.ecn.k" to paths and "congestion=d" to values. */
export function proposeSetting(partial: string): readonly string[] {
  return proposeValues(partial, partial.indexOf('=') + 1)
}

/** Like proposeSetting with several values, of which the last is completed: "congestion=none,d". */
export function proposeAxis(partial: string): readonly string[] {
  return proposeValues(partial, Math.max(partial.indexOf('='), partial.lastIndexOf(',')) + 1)
}

/** @param from index at which the value to complete begins; 0 if there is only a path so far. */
function proposeValues(partial: string, from: number): readonly string[] {
  if (!partial.includes('=')) return proposePath(partial)
  const path = partial.slice(0, partial.indexOf('='))
  const before = partial.slice(0, from)
  const values = paramsAt(path.split('.')).flatMap(valuesOf)
  return startingWith(
    partial,
    values.map((value) => before + value),
  )
}

/** Paths extended by one name. */
function proposePath(partial: string): readonly string[] {
  const names = partial.split('.')
  const parents = names.slice(0, -1)
  const before = parents.map((name) => `${name}.`).join('')
  const proposals = paramsAt(parents).flatMap((param) =>
    Object.entries(fieldsOf(param)).flatMap(([name, child]) =>
      endingsOf(child).map((ending) => before + name + ending),
    ),
  )
  return startingWith(partial, proposals)
}

/** All params that a path may refer to: several definitions of a variant may have the same key. */
function paramsAt(names: readonly string[]): readonly Param[] {
  let params: readonly Param[] = [scenarioParams]
  for (const name of names) {
    params = params.flatMap((param) => {
      const fields = fieldsOf(param)
      const child = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (child !== undefined) return [child]
      return param.type === 'list' && /^\d+$/.test(name) ? [param.item] : []
    })
  }
  return params
}

function fieldsOf(param: Param): ParamFields {
  if (param.type === 'group') return param.fields
  if (param.type === 'list') return { '0': param.item }
  if (param.type !== 'variant') return {}
  return Object.assign({}, ...param.definitions.map((definition) => definition.params)) as ParamFields
}

/** Separators that may follow the name of a param in a path. */
function endingsOf({ type }: Param): readonly string[] {
  if (type === 'group' || type === 'list') return ['.']
  return type === 'variant' ? ['=', '.'] : ['=']
}

/** Keyword values of a param; numbers are not proposed. */
function valuesOf(param: Param): readonly string[] {
  if (param.type === 'variant') return param.definitions.map(({ name }) => name)
  if (param.type === 'choice') return param.choices
  if (param.type === 'flag') return ['true', 'false']
  return 'off' in param && param.off ? ['off'] : []
}

function startingWith(partial: string, words: readonly string[]): readonly string[] {
  return [...new Set(words)].filter((word) => word.startsWith(partial))
}
