/**
 * Scenario file: from what stands on the command line to a Scenario.
 */
import path from 'node:path'
import { readFileSync } from 'node:fs'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { pathReason, readText } from './files.ts'

/** A scenario's text, with what is needed to read it again and again. */
export interface ScenarioFile {
  /** As the user named it. */
  readonly name: string
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
  return { name: name === '-' ? 'standard input' : name, text, folder, directory }
}

/** The scenario in the file. Throws InputError with every mistake in it. */
export function readScenario(file: ScenarioFile, changes: Changes = {}): Scenario {
  const seed = changes.seed === undefined ? [] : [`seed=${changes.seed}`]
  return parseScenario(file.text, {
    file: file.name,
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
