/**
 * Run cache: results that are done while others are still to come, so that an interruption loses only what was
 * under way. A result is found again by what it was made of: the complete scenario and the program.
 */
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { InputError } from '../../base/issue.ts'
import { readResult, type Result, resultFiles } from '../../results/index.ts'
import { readerOf, writeFolder } from './result-folder.ts'
import { clearTemporary, temporaryName } from './temporary.ts'

/** A name that program-key.ts makes. */
const KEY = /^[0-9a-f]{32}$/

export class RunCache {
  readonly #folder: string
  readonly #shown: string

  /** `folder` need not be there; `shown` is its name for the user. */
  constructor(folder: string, shown: string) {
    this.#folder = folder
    this.#shown = shown
  }

  /** The result of that key, if it is there and whole; one that is damaged is to be made again. */
  async find(key: string): Promise<Result | undefined> {
    const folder = path.join(this.#folder, key)
    if (!existsSync(folder)) return undefined
    try {
      return (await readResult(readerOf(folder, folder))).result
    } catch (error) {
      if (error instanceof InputError) return undefined
      throw error
    }
  }

  /** Keeps a result; it is there whole or not at all. */
  add(key: string, scenarioText: string, result: Result): void {
    const files = resultFiles(result, { scenarioText }).filter((file) => !file.path.endsWith('.csv'))
    writeFolder(path.join(this.#folder, key), path.join(this.#shown, key), files, true)
  }

  /** Takes away every result, also those that another program left; what is no result of ours stays. */
  clear(): void {
    if (!existsSync(this.#folder)) return
    clearTemporary(this.#folder)
    const names = readdirSync(this.#folder)
    const ours = names.filter((name) => KEY.test(name))
    for (const name of ours) {
      // First out of the way: half of a result is none.
      const gone = path.join(this.#folder, temporaryName(name))
      renameSync(path.join(this.#folder, name), gone)
      rmSync(gone, { recursive: true, force: true })
    }
    if (ours.length === names.length) rmdirSync(this.#folder)
  }
}
