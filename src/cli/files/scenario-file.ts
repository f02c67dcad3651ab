/**
 * Scenario file: from what stands on the command line to a Scenario.
 */
import path from 'node:path'
import { InputError, type Issue } from '../../base/issue.ts'
import { createSimulation } from '../../lab/index.ts'
import {
  ISSUES_MAX,
  type Locations,
  readScenarioText,
  type ScenarioText,
  soundPart,
  UnsoundTree,
} from '../../scenario/index.ts'
import { readText } from './input-file.ts'

/** A scenario's text, with what is needed to read it again and again. */
export interface ScenarioFile {
  /** As the user named it. */
  readonly name: string
  /** False: standard input. */
  readonly isFile: boolean
  readonly text: string
  /** Where files named in it are looked for. */
  readonly folder: string
  /** Where the user stands: files named on the command line are looked for there. */
  readonly directory: string
}

/** What changes a scenario from outside. */
interface Changes {
  /** "path=value" texts, in order. */
  readonly sets?: readonly string[]
  readonly seed?: number | undefined
}

/** Reads the file, not yet what it says; "-" is standard input. Throws InputError. */
export function openScenario(directory: string, name: string): ScenarioFile {
  const folder = name === '-' ? directory : path.dirname(path.resolve(directory, name))
  const text = readText(directory, name, 'a scenario file')
  const isFile = name !== '-'
  return { name: isFile ? name : 'standard input', isFile, text, folder, directory }
}

/** The scenario in the file. Throws InputError with every mistake in it. */
export function readScenario(file: ScenarioFile, changes: Changes = {}): ScenarioText {
  try {
    return parsed(file, changes)
  } catch (error) {
    if (!(error instanceof UnsoundTree)) throw error
    throw new InputError([...error.issues, ...seenByNetwork(error.values, error.issues, error.locations)])
  }
}

function parsed(file: ScenarioFile, changes: Changes): ScenarioText {
  const seed = changes.seed === undefined ? [] : [`seed=${changes.seed}`]
  return readScenarioText(file.text, {
    file: file.name,
    ...(file.isFile ? {} : { defaultName: 'scenario' }),
    sets: [...(changes.sets ?? []), ...seed],
    readFile: (name, isOfSet) => {
      try {
        return readText(isOfSet ? file.directory : file.folder, name, 'a list')
      } catch (error) {
        // The list that names it is where the mistake is shown.
        if (!(error instanceof InputError)) throw error
        throw new Error(error.issues.map(reasonOf).join('; '), { cause: error })
      }
    },
  })
}

/** "text that is not UTF-8, line 3; save it as UTF-8" */
function reasonOf({ received, line, hint }: Issue): string {
  return [line === undefined ? received : `${received}, line ${line}`, ...(hint === '' ? [] : [hint])].join('; ')
}

/**
 * What `make` makes of a scenario; what it finds wrong with it is shown where it stands in the file.
 * @param options by the path of what they give beside the scenario: mistakes in that are told of the option.
 */
export function located<T>(
  { scenario, locations }: ScenarioText,
  make: () => T,
  options: Readonly<Record<string, string>> = {},
): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const ofOptions = error.issues.filter(({ path: name }) => options[name] !== undefined)
    const reported = ofOptions.map((issue) => ({ ...issue, path: options[issue.path]! }))
    const found = locations.located(error.issues.filter((issue) => !ofOptions.includes(issue)))
    if (found.length === 0) throw new InputError(reported)
    throw new InputError([...found, ...seenByNetwork(scenario, found, locations), ...reported])
  }
}

/** What building the rest of a scenario finds wrong, beside what is known: one mistake hides no other. */
function seenByNetwork(values: unknown, known: readonly Issue[], locations: Locations): Issue[] {
  if (known.length >= ISSUES_MAX) return []
  const rest = soundPart(
    values,
    known.map((issue) => issue.path),
  )
  if (rest === undefined) return []
  try {
    createSimulation(rest.scenario).close()
    return []
  } catch (error) {
    // A part is not what was asked for: nothing but mistakes of the input can be learnt from it.
    if (!(error instanceof InputError)) return []
    const found = locations.located(
      error.issues.flatMap((issue) => {
        const whole = rest.pathInWhole(issue.path)
        return whole === undefined || known.some(({ path: of }) => of === whole) ? [] : [{ ...issue, path: whole }]
      }),
    )
    // A switch that cannot be built hides the hosts behind it: what is found is taken out in turn.
    return found.length === 0 ? [] : [...found, ...seenByNetwork(values, [...known, ...found], locations)]
  }
}
