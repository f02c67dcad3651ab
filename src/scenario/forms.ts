/**
 * Forms of a whole scenario: object, YAML text, JSON Schema, rows for lists.
 */
import { describeParam, type ParamRow } from './describe.ts'
import { paramJsonSchema } from './json-schema.ts'
import { formatParam, printParam, type FormatOptions, type PrintOptions } from './text/print.ts'
import { scenarioParams, type Scenario } from './scenario.ts'

/** The object form of a scenario: quantities as text, every key present and in the order of the params. */
export function printScenario(scenario: Scenario, options: PrintOptions = {}): unknown {
  return printParam(scenarioParams, scenario, options)
}

/** The YAML text of a scenario. Parsed again it is the same scenario. */
export function formatScenario(scenario: Scenario, options: FormatOptions = {}): string {
  return formatParam(scenarioParams, scenario, options)
}

/** JSON Schema 2020-12 of scenario files, for editors. */
export function scenarioJsonSchema(): object {
  return paramJsonSchema(scenarioParams, 'rocelab scenario')
}

/** Every param of a scenario as a flat row. */
export function describeScenario(): ParamRow[] {
  return describeParam(scenarioParams)
}
