/**
 * Forms of a whole scenario: object, YAML text, JSON Schema, rows for lists.
 */
import { describeParam, type ParamRow } from './describe.ts'
import { paramJsonSchema } from './json-schema.ts'
import { longListsOf, type ListFile } from './text/long-lists.ts'
import { formatParam, printParam, type FormatOptions, type PrintOptions } from './text/print.ts'
import type { Scenario } from './scenario.ts'
import { paramsOf, paramsWith, type Schemes } from './schemes.ts'

/** The object form of a scenario: quantities as text, every key that is not hidden present and in the order of the params. */
export function printScenario(scenario: Scenario, options: PrintOptions = {}): unknown {
  return printParam(paramsOf(scenario), scenario, options)
}

/** The YAML text of a scenario. Parsed again it is the same scenario. */
export function formatScenario(scenario: Scenario, options: FormatOptions = {}): string {
  return formatParam(paramsOf(scenario), scenario, options)
}

/** A scenario as text, and the files of its long lists, which belong beside it. */
export interface ScenarioFiles {
  readonly text: string
  readonly lists: readonly ListFile[]
}

/**
 * As formatScenario, with long lists in files of their own, so that the text can be read again.
 * @param stem front of the names of these files: STEM.workload.0.flows.list
 */
export function formatScenarioFiles(scenario: Scenario, stem: string, options: FormatOptions = {}): ScenarioFiles {
  const lists = longListsOf(paramsOf(scenario), scenario, stem)
  return { text: formatScenario(scenario, { ...options, lists }), lists: [...lists.values()] }
}

/** JSON Schema 2020-12 of scenario files, for editors. */
export function scenarioJsonSchema(schemes: Schemes = {}): object {
  return paramJsonSchema(paramsWith(schemes), 'rocelab scenario')
}

/** Every param of a scenario as a flat row, except those that are hidden. */
export function describeScenario(schemes: Schemes = {}): ParamRow[] {
  return describeParam(paramsWith(schemes))
}
