/**
 * Parses the text of a scenario into a Scenario, or reports every mistake.
 */
import { readTree, type ParseOptions, valuesOf } from './text/parse-tree.ts'
import type { Locations } from './text/locations.ts'
import { type ProfileUse, withProfiles } from './profiles.ts'
import { scenarioRules } from './rules/rules.ts'
import type { Scenario } from './scenario.ts'
import { paramsWith, type Schemes } from './schemes.ts'

/** Besides, the schemes from outside that the scenario may name. */
interface ScenarioOptions extends ParseOptions, Schemes {
  /** Name for a scenario without one, not empty; by default the file's. */
  readonly defaultName?: string
}

/**
 * Reads a scenario from YAML or JSON text.
 * Quantities carry units ("40Gbps", "2us", "240KB"), ratios are numbers or "1/16", `off` stands for null, a kind is
 * {kind: name, ...} or just its name, and a list may be {file: PATH}. Absent keys take their
 * defaults; the default name is that of the file.
 * @throws InputError with all mistakes, each with its location in the text.
 */
export function parseScenario(text: string, options: ScenarioOptions = {}): Scenario {
  return readScenarioText(text, options).scenario
}

/** The scenario in object form, as `printScenario` gives it and a text would. @throws InputError with all mistakes. */
export function scenarioOf(tree: unknown, schemes: Schemes = {}): Scenario {
  return valuesOf(paramsWith(schemes), withProfiles(tree).tree, scenarioRules)
}

/** A scenario, and the locations of its values in the text. */
export interface ScenarioText {
  readonly scenario: Scenario
  readonly locations: Locations
  /** Hardware that the text names, and what of it is not known. */
  readonly profiles: readonly ProfileUse[]
}

/** As parseScenario; also returns the locations, for mistakes that are found when the network is built. */
export function readScenarioText(text: string, options: ScenarioOptions = {}): ScenarioText {
  const { values, locations, tree } = readTree(
    paramsWith(options),
    text,
    { ...options, prepare: (given) => withProfiles(given).tree },
    scenarioRules,
  )
  return {
    scenario: values.name === '' ? { ...values, name: options.defaultName ?? nameOf(options.file) } : values,
    locations,
    profiles: withProfiles(tree).uses,
  }
}

/** Name for a scenario without one: the file name without folders and extension. Never empty. */
function nameOf(file: string | undefined): string {
  const base = /[^\\/]*$/.exec(file ?? '')?.[0] ?? ''
  return base.replace(/(?<=.)\.[^.]*$/, '').replace(/\p{Cc}/gu, '') || 'scenario'
}
