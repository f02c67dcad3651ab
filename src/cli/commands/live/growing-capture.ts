/**
 * A capture file that grows while frames are seen: what has been written is whole at any time, so that an interruption loses
 * only frames of the last turn of the event loop. Each frame is there once, as it goes on, at the end where it came in.
 * Where the disk is full, the file keeps all frames that fit.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { VERSION } from '../../../core/base/version.ts'
import type { FaultEvent } from '../../../live/index.ts'
import { type CapturedFrame, FORMAT_ROCE, pcapngFrames, pcapngHead, withFormats } from '../../../core/wire/index.ts'
import { EXIT_BUG, Failure } from '../../failure.ts'
import { writeFailure } from '../../files/files.ts'
import { codeOf } from '../../files/system-error.ts'

/** The capture that the options of a command ask for. */
export function captureFor(
  directory: string,
  { capture, script = 'no script' }: { readonly capture?: string; readonly script?: string },
  names: readonly string[],
  format: number,
): GrowingCapture | undefined {
  return capture === undefined ? undefined : new GrowingCapture(directory, capture, script, names, format)
}

export class GrowingCapture {
  /** Called once if the file cannot be written any more; close() throws then. */
  onFailure: (() => void) | null = null
  readonly #descriptor: number
  readonly #file: string
  #sizeBytes = 0
  #failure: unknown
  #frames: CapturedFrame[] = []

  /** @param names of the two ends @param format FORMAT_ bits of the packets. @throws InputError, Failure if the file cannot be written */
  constructor(
    directory: string,
    file: string,
    comment: string,
    names: readonly string[],
    format: number = FORMAT_ROCE,
  ) {
    this.#file = file
    const interfaces = names.map((name) => ({ name, rateBps: 0, snapBytes: 0, fcsBytes: 0, seen: 0, leftOut: 0 }))
    try {
      this.#descriptor = openSync(path.resolve(directory, file), 'w')
      const application = withFormats(`rocelab ${VERSION}`, [[0, format]])
      this.#write(pcapngHead({ application, comment, interfaces }))
    } catch (error) {
      throw writeFailure(error, file, 'a file to write')
    }
  }

  add({ timePs, direction, rule, action, frame, isMade }: FaultEvent): void {
    if (this.#failure !== undefined) return
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

  /** @throws Failure if frames are missing */
  close(): void {
    this.#flush()
    closeSync(this.#descriptor)
    const error = this.#failure
    if (error === undefined) return
    const isFull = codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
    const why = isFull ? 'no space left on the disk' : (error as Error).message
    throw new Failure(`${why}: ${this.#file} has the frames up to then, and no others`, EXIT_BUG)
  }

  #flush(): void {
    if (this.#frames.length === 0 || this.#failure !== undefined) return
    const bytes = pcapngFrames(this.#frames)
    this.#frames = []
    try {
      this.#write(bytes)
    } catch (error) {
      this.#failure = error
      this.onFailure?.()
    }
  }

  /** Blocks that do not fit are left out whole. */
  #write(bytes: Uint8Array): void {
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written)
      this.#sizeBytes += written
    } catch (error) {
      this.#sizeBytes += wholeBlocks(bytes, written)
      // Devices and pipes have no end that could be set back.
      if (fstatSync(this.#descriptor).isFile()) ftruncateSync(this.#descriptor, this.#sizeBytes)
      throw error
    }
  }
}

/** Bytes of the blocks that end within the first `end` bytes; each has its length at byte 4. */
function wholeBlocks(bytes: Uint8Array, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at + 8 <= end && at + view.getUint32(at + 4, true) <= end) at += view.getUint32(at + 4, true)
  return at
}
