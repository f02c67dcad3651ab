/**
 * Scenario file: from what stands on the command line to a Scenario.
 */
import path from 'node:path'
import { readFileSync } from 'node:fs'
import { InputError } from '../base/issue.ts'
import { readScenarioText, type ScenarioText } from '../scenario/index.ts'
import { pathReason, readText } from './files.ts'

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
export interface Changes {
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
  const seed = changes.seed === undefined ? [] : [`seed=${changes.seed}`]
  return readScenarioText(file.text, {
    file: file.name,
    ...(file.isFile ? {} : { defaultName: 'scenario' }),
    sets: [...(changes.sets ?? []), ...seed],
    readFile: (name, isOfSet) => {
      try {
        return readFileSync(path.resolve(isOfSet ? file.directory : file.folder, name), 'utf8')
      } catch (error) {
        throw new Error(pathReason(error) ?? String(error), { cause: error })
      }
    },
  })
}

/** What `make` makes of a scenario; what it finds wrong with it is shown where it stands in the file. */
export function placed<T>({ places }: ScenarioText, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof InputError ? new InputError(places.placed(error.issues)) : error
  }
}
