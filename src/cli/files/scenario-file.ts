/**
 * Scenario file: reads the scenario that a command line names, with its --set and --seed options.
 */
import path from 'node:path'
import { InputError, inputError, type Issue } from '../../core/base/issue.ts'
import { defaultsOf } from '../../core/base/params.ts'
import { createSimulation } from '../../lab/index.ts'
import { counters } from '../../lab/metrics/index.ts'
import { TEXT_LENGTH_MAX } from '../../core/notation/index.ts'
import {
  formatScenario,
  formatScenarioFiles,
  ISSUES_MAX,
  type Locations,
  readScenarioText,
  type Scenario,
  type ScenarioText,
  soundPart,
  UnsoundTree,
} from '../../lab/scenario/index.ts'
import { writeText, type WriteTextOptions } from './files.ts'
import { readText } from './input-file.ts'

/** A scenario's text, and its origin for messages and for files that it names. */
export interface ScenarioFile {
  /** As the user named it. */
  readonly name: string
  /** False for standard input. */
  readonly isFile: boolean
  readonly text: string
  /** Folder to which files named in the scenario are relative. */
  readonly folder: string
  /** Current directory, to which files named on the command line are relative. */
  readonly directory: string
}

/** Changes by options of the command line. */
interface Changes {
  /** "path=value" texts, in order. */
  readonly sets?: readonly string[]
  readonly seed?: number | undefined
}

/** Reads the text without parsing it; "-" is standard input. Throws InputError. */
export function openScenario(directory: string, name: string): ScenarioFile {
  const folder = name === '-' ? directory : path.dirname(path.resolve(directory, name))
  const text = readText(directory, name, 'a scenario file')
  const isFile = name !== '-'
  return { name: isFile ? name : 'standard input', isFile, text, folder, directory }
}

/** Parses the scenario. Throws InputError with every mistake in it. */
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
        // Reported at the list in the scenario that names the file.
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
 * Calls `make`; InputErrors get the position in the scenario file, and the mistakes that the rest of the network shows.
 * @param options names of options by the path that they set: mistakes at such a path are reported at the option.
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

/** Further mistakes, found by building the scenario without its mistaken parts, so that one mistake hides no other. */
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
    // Only input errors count, since a partial scenario may fail for other reasons.
    if (!(error instanceof InputError)) return []
    const found = locations.located(
      error.issues.flatMap((issue) => {
        const whole = rest.pathInWhole(issue.path)
        return whole === undefined || known.some(({ path: of }) => of === whole) ? [] : [{ ...issue, path: whole }]
      }),
    )
    // Repeated without the parts just found: a switch that cannot be built hides mistakes of the hosts behind it.
    return found.length === 0 ? [] : [...found, ...seenByNetwork(values, [...known, ...found], locations)]
  }
}

/** The scenario as one text, behind a head of comments. Throws InputError if that would be too long to be read again. */
export function wholeScenarioText(scenario: Scenario, head = ''): string {
  const text = `${head}${formatScenario(scenario, { compact: true })}`
  if (text.length <= TEXT_LENGTH_MAX) return text
  const received = `one text of ${text.length} characters`
  throw inputError('--out', 'a file to write', received, 'its long lists are then written into files beside it')
}

/** Writes the scenario, and its long lists into files beside it, which come first: the scenario names them. */
export function writeScenario(
  directory: string,
  out: string,
  scenario: Scenario,
  { head = '', ...options }: WriteTextOptions & { readonly head?: string },
): void {
  const { dir, name } = path.parse(out)
  const { text, lists } = formatScenarioFiles(scenario, name, { compact: true })
  for (const list of lists) writeText(directory, path.join(dir, list.name), list.text, options)
  writeText(directory, out, `${head}${text}`, options)
}

/** The scenario with the observer `autopsy`, which changes no event. */
export function withAutopsy(scenario: Scenario): Scenario {
  if (scenario.observe.some(({ kind }) => kind === 'autopsy')) return scenario
  return { ...scenario, observe: [...scenario.observe, { kind: 'autopsy', acks: false, table: null, maxRows: null }] }
}

/** The scenario with the observer `counters`, if it has none. */
export function withCounters(scenario: Scenario): Scenario {
  if (scenario.observe.some(({ kind }) => kind === 'counters')) return scenario
  return { ...scenario, observe: [...scenario.observe, { kind: 'counters', ...defaultsOf(counters.params) }] }
}
