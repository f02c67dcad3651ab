/**
 * Scenarios: all inputs of a run, as text and as values.
 */
export { dataClasses, dscpTable, hostTable, usesVlans } from './class-map.ts'
export { quirksOf } from './compat.ts'
export { describeParam, type ParamRow, variableParams } from './describe.ts'
export {
  describeScenario,
  formatScenario,
  formatScenarioFiles,
  printScenario,
  type ScenarioFiles,
  scenarioJsonSchema,
} from './forms.ts'
export type { ProfileUse } from './profiles.ts'
export { parseScenario, readScenarioText, scenarioOf, type ScenarioText } from './parse.ts'
export type { ListFile } from './text/long-lists.ts'
export { parseTree, type ParseOptions, type Rule, type RuleIssue, UnsoundTree } from './text/parse-tree.ts'
export { ISSUES_MAX, setName, type Locations } from './text/locations.ts'
export type { FormatOptions, PrintOptions } from './text/print.ts'
export { checkScenario } from './rules/rules.ts'
export { isMixed, type SchemeSet, schemeSets } from './mix.ts'
export { scenarioParams, type Scenario } from './scenario.ts'
export { paramsOf, type Schemes, schemesOf } from './schemes.ts'
export { soundPart } from './sound-part.ts'
