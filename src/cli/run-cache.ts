/**
 * Run cache: results that are done while others are still to come, so that an interruption loses only what was
 * under way. A result is found again by what it was made of: the complete scenario and the program.
 */
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { readResult, type Result, resultFiles } from '../results/index.ts'
import { readFolder, writeFolder } from './result-folder.ts'

export class RunCache {
  readonly #folder: string
  readonly #shown: string

  /** `folder` need not be there; `shown` is its name for the user. */
  constructor(folder: string, shown: string) {
    this.#folder = folder
    this.#shown = shown
  }

  /** The result of that key, if it is there. */
  async find(key: string): Promise<Result | undefined> {
    const folder = path.join(this.#folder, key)
    return existsSync(folder) ? (await readResult(readFolder(folder, folder))).result : undefined
  }

  /** Keeps a result; it is there whole or not at all. */
  add(key: string, scenarioText: string, result: Result): void {
    writeFolder(path.join(this.#folder, key), path.join(this.#shown, key), resultFiles(result, { scenarioText }), true)
  }

  /** Forgets everything. */
  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
