/**
 * Run cache: stores finished results until all are done, so that an interruption loses only the runs in progress. A result
 * is keyed by the complete scenario and the program (program-key.ts).
 */
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { InputError } from '../../core/base/issue.ts'
import { readResult, type Result, type ResultExtras, resultFiles } from '../../core/results/index.ts'
import { TEXT_LENGTH_MAX } from '../../core/notation/index.ts'
import { formatScenarioFiles, parseScenario } from '../../lab/scenario/index.ts'
import { inside } from './inside.ts'
import { readerOf, writeFolder } from './result-folder.ts'
import { clearTemporary, temporaryName } from './temporary.ts'

/** Form of a key. */
const KEY = /^[0-9a-f]{32}$/

export class RunCache {
  readonly #folder: string
  readonly #shown: string

  /** Throws InputError for a link. @param folder need not exist. @param shown the folder as the user named it. */
  constructor(folder: string, shown: string) {
    this.#folder = inside(path.dirname(folder), path.dirname(shown), path.basename(folder))
    this.#shown = shown
  }

  /** Whether there is a result of a key, perhaps a damaged one. */
  holds(key: string): boolean {
    return existsSync(this.#folderOf(key))
  }

  /** The result of a key; undefined if it is missing or damaged. */
  async find(key: string): Promise<Result | undefined> {
    const folder = this.#folderOf(key)
    if (!existsSync(folder)) return undefined
    try {
      return (await readResult(readerOf(folder, folder))).result
    } catch (error) {
      if (error instanceof InputError) return undefined
      throw error
    }
  }

  /** Removes the result of a key if it is damaged. */
  async drop(key: string): Promise<void> {
    if (!this.holds(key) || (await this.find(key)) !== undefined) return
    rmSync(this.#folderOf(key), { recursive: true, force: true })
  }

  /** Stores a result atomically. */
  add(key: string, scenarioText: string, result: Result): void {
    const files = resultFiles(result, extrasOf(scenarioText)).filter((file) => !file.path.endsWith('.csv'))
    writeFolder(this.#folderOf(key), path.join(this.#shown, key), files, true)
  }

  /** Removes all results, also those of other versions of the program; other files stay. */
  clear(): void {
    if (!existsSync(this.#folder)) return
    clearTemporary(this.#folder)
    const names = readdirSync(this.#folder)
    const ours = names.filter((name) => KEY.test(name))
    for (const name of ours) {
      // Renamed first, so that an interrupted removal leaves no incomplete result.
      const gone = path.join(this.#folder, temporaryName(name))
      renameSync(path.join(this.#folder, name), gone)
      rmSync(gone, { recursive: true, force: true })
    }
    if (ours.length === names.length) rmdirSync(this.#folder)
  }

  #folderOf(key: string): string {
    return inside(this.#folder, this.#shown, key)
  }
}

/** The scenario as its result stores it: a text that is too long to be read again leaves its lists to files. */
function extrasOf(scenarioText: string): ResultExtras {
  if (scenarioText.length <= TEXT_LENGTH_MAX) return { scenarioText }
  const { text, lists } = formatScenarioFiles(parseScenario(scenarioText, { isOwn: true }), 'scenario')
  return { scenarioText: text, scenarioLists: lists }
}
