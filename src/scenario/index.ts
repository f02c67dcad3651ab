/**
 * Scenarios: everything a run depends on, as text and as values.
 */
export { dataClasses } from './class-map.ts'
export { describeParam, type ParamRow } from './describe.ts'
export { describeScenario, formatScenario, printScenario, scenarioJsonSchema } from './forms.ts'
export { paramJsonSchema } from './json-schema.ts'
export { parseScenario, readScenarioText, type ScenarioText } from './parse.ts'
export { parseTree, type ParseOptions, type Rule, type RuleIssue, UnsoundTree } from './text/parse-tree.ts'
export { ISSUES_MAX, setName, type Locations } from './text/places.ts'
export { formatParam, printParam, type FormatOptions, type PrintOptions } from './text/print.ts'
export { checkScenario } from './rules/rules.ts'
export { isMixed, type SchemeSet, schemeSets } from './mix.ts'
export { measureParams, scenarioParams, type Scenario } from './scenario.ts'
export { soundPart } from './sound-part.ts'
