/** Capture files, read piece by piece: they may be larger than memory. */
import { closeSync, fstatSync, openSync } from 'node:fs'
import path from 'node:path'
import { InputError, issuesIn } from '../../core/base/issue.ts'
import { type CaptureFacts, CaptureReader, type CaptureRecord } from '../../core/wire/index.ts'
import { fileMistake } from './files.ts'
import { readInto } from './input-file.ts'

const CHUNK_BYTES = 2 ** 20
const STANDARD_INPUT = 0

/** Bytes of a record are lent: they change once `onRecord` has returned. @param file "-": standard input @param onProgress share of the file that was read; 0 where its size is not known. @throws InputError */
export function readCapture(
  directory: string,
  file: string,
  onRecord: (record: CaptureRecord, application: string) => void,
  onProgress: (share: number) => void,
): CaptureFacts {
  const reader = new CaptureReader(onRecord, { isLending: true })
  const descriptor = opened(directory, file)
  try {
    const { size } = fstatSync(descriptor)
    const chunk = new Uint8Array(CHUNK_BYTES)
    for (let at = 0; ;) {
      const count = nextBytes(descriptor, chunk, file)
      if (count === 0) break
      reader.push(chunk.subarray(0, count))
      at += count
      onProgress(size === 0 ? 0 : at / size)
    }
    return reader.end()
  } catch (error) {
    throw new InputError(issuesIn(error, file))
  } finally {
    if (descriptor !== STANDARD_INPUT) closeSync(descriptor)
  }
}

function opened(directory: string, file: string): number {
  try {
    return file === '-' ? STANDARD_INPUT : openSync(path.resolve(directory, file), 'r')
  } catch (error) {
    throw fileMistake(error, file, 'a capture file')
  }
}

function nextBytes(descriptor: number, chunk: Uint8Array, file: string): number {
  try {
    return readInto(descriptor, chunk)
  } catch (error) {
    throw fileMistake(error, file, 'a capture file')
  }
}
