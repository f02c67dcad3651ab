/**
 * Scenario text in, Scenario or every mistake out.
 */
import { readTree, type ParseOptions } from './text/parse-tree.ts'
import type { Locations } from './text/locations.ts'
import { scenarioRules } from './rules/rules.ts'
import { scenarioParams, type Scenario } from './scenario.ts'

interface ScenarioOptions extends ParseOptions {
  /** Name of a scenario that has none, not empty; absent: the file's. */
  readonly defaultName?: string
}

/**
 * Reads a scenario from YAML or JSON text.
 * Quantities carry units ("40Gbps", "2us", "240KB"), ratios are numbers or "1/16", `off` stands for null, a kind is
 * {kind: name, ...} or just its name, and a list of texts may be {file: PATH}. Everything left out takes its default; the
 * name, that of the file.
 * @throws InputError with all mistakes at once, each with its place in the text.
 */
export function parseScenario(text: string, options: ScenarioOptions = {}): Scenario {
  return readScenarioText(text, options).scenario
}

/** A scenario, and where its values stand in the text. */
export interface ScenarioText {
  readonly scenario: Scenario
  readonly locations: Locations
}

/** As parseScenario; also tells where what is found wrong when the scenario is built stands in the text. */
export function readScenarioText(text: string, options: ScenarioOptions = {}): ScenarioText {
  const { values, locations } = readTree(scenarioParams, text, options, scenarioRules)
  return {
    scenario: values.name === '' ? { ...values, name: options.defaultName ?? nameOf(options.file) } : values,
    locations,
  }
}

/** The name of a scenario that has none: its file's, without folders and ending. It is never empty. */
function nameOf(file: string | undefined): string {
  const base = /[^\\/]*$/.exec(file ?? '')?.[0] ?? ''
  return base.replace(/(?<=.)\.[^.]*$/, '').replace(/\p{Cc}/gu, '') || 'scenario'
}
