/**
 * Flow store: rows of flows in a nameless file, so that a long run does not hold them in memory. Nothing of it outlives the
 * process: the file is made with the first rows and loses its name at once, where the system allows that.
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { ByteStore } from '../../lab/index.ts'
import { nearestOf } from './folders.ts'
import { clearTemporary, temporaryName } from './temporary.ts'

export class FlowStore implements ByteStore {
  readonly #file: string
  readonly #name: string
  #descriptor = -1

  /**
   * @param beside folder on whose disk the file is made; it need not exist
   * @param name apart from those of other threads
   */
  constructor(beside: string, name = 'flows') {
    this.#name = name
    this.#file = path.join(nearestOf(path.dirname(beside)), temporaryName(name))
  }

  /** A disk that is full or read-only takes nothing: the rows then stay in memory. */
  write(at: number, bytes: Uint8Array): boolean {
    try {
      this.#open()
      for (let done = 0; done < bytes.length;)
        done += writeSync(this.#descriptor, bytes, done, bytes.length - done, at + done)
      return true
    } catch {
      return false
    }
  }

  read(at: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.#descriptor, bytes, done, bytes.length - done, at + done)
      if (read === 0) throw new Error(`${this.#file} has lost rows of flows`)
      done += read
    }
  }

  close(): void {
    if (this.#descriptor < 0) return
    closeSync(this.#descriptor)
    this.#descriptor = -1
    rmSync(this.#file, { force: true })
  }

  #open(): void {
    if (this.#descriptor >= 0) return
    clearTemporary(path.dirname(this.#file), this.#name)
    this.#descriptor = openSync(this.#file, 'wx+')
    // Windows keeps the name of an open file; close() removes it there.
    if (process.platform !== 'win32') rmSync(this.#file, { force: true })
  }
}
