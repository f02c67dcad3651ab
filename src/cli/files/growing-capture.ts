/**
 * A capture file that grows while frames are seen: what has been written is whole at any time, so that an interruption loses
 * only frames of the last turn of the event loop. Each frame is there once, as it goes on, at the end where it came in.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { VERSION } from '../../base/version.ts'
import type { FaultEvent } from '../../live/faults/fault-line.ts'
import { type CapturedFrame, pcapngFrames, pcapngHead } from '../../wire/index.ts'
import { writeFailure } from './files.ts'

export class GrowingCapture {
  readonly #descriptor: number
  #frames: CapturedFrame[] = []

  /** @param names of the two ends. @throws InputError if the file cannot be written */
  constructor(directory: string, file: string, comment: string, names: readonly string[]) {
    try {
      this.#descriptor = openSync(path.resolve(directory, file), 'w')
    } catch (error) {
      throw writeFailure(error, file, 'a file to write')
    }
    const interfaces = names.map((name) => ({ name, rateBps: 0, snapBytes: 0, fcsBytes: 0, seen: 0, leftOut: 0 }))
    writeSync(this.#descriptor, pcapngHead({ application: `rocelab ${VERSION}`, comment, interfaces }))
  }

  add({ timePs, direction, rule, action, frame, isMade }: FaultEvent): void {
    if (this.#frames.length === 0) setImmediate(() => this.#flush())
    const words = rule < 0 ? action : `rule ${rule + 1}: ${action}${isMade ? ', made here' : ''}`
    this.#frames.push({
      port: direction === 'out' ? 0 : 1,
      timePs,
      direction: 'in',
      hasCrcError: false,
      sizeBytes: frame.length,
      bytes: frame,
      comment: action === 'pass' ? '' : words,
    })
  }

  close(): void {
    this.#flush()
    closeSync(this.#descriptor)
  }

  #flush(): void {
    if (this.#frames.length === 0) return
    const bytes = pcapngFrames(this.#frames)
    this.#frames = []
    for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at)
  }
}
