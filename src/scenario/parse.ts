/**
 * Scenario text in, Scenario or every mistake out.
 */
import { parseTree, type ParseOptions } from './parse-tree.ts'
import { scenarioRules } from './rules.ts'
import { scenarioParams, type Scenario } from './scenario.ts'

/**
 * Reads a scenario from YAML or JSON text.
 * Quantities carry units ("40Gbps", "2us", "240KB"), ratios are numbers or "1/16", `off` stands for null, a kind is
 * {kind: name, ...} or just its name, and a list of texts may be {file: PATH}. Everything left out takes its default.
 * @throws InputError with all mistakes at once, each with its place in the text.
 */
export function parseScenario(text: string, options: ParseOptions = {}): Scenario {
  return parseTree(scenarioParams, text, options, scenarioRules)
}
