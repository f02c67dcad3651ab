/**
 * Files of a tar archive, with gzip or without, read in one pass and never written. Names that lead out of a folder,
 * devices and pipes are refused; links are skipped. Sizes are counted as bytes come, whatever headers say. The reader of tar is
 * strict: of four that were tried it alone reported every damaged header and every archive that was cut.
 */
import { createReadStream, openSync, readSync, closeSync } from 'node:fs'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { createGunzip } from 'node:zlib'
import { createTarDecoder, type TarHeader } from 'modern-tar'
import { InputError } from '../../base/issue.ts'
import { fileMistake } from '../files/files.ts'
import { textOfBytes } from '../files/input-file.ts'
import { type Budget, DEPTH_MAX, type Found, type FoundFile, inOrder, isArchive, type Skipped } from './found.ts'

const GZIP = [0x1f, 0x8b]
const isGzip = (bytes: Uint8Array): boolean => GZIP.every((byte, i) => bytes[i] === byte)
const EXPECTED = 'a whole tar archive, with gzip or without'
/** Kinds of entries that hold no file and nothing bad. */
const LINKS: readonly unknown[] = ['link', 'symlink']
const PLAIN: readonly unknown[] = ['file', undefined]

/** @param shown the archive as the user named it. Throws InputError if it cannot be read whole. */
export async function filesInArchive(file: string, shown: string, budget: Budget): Promise<Found> {
  let head: Uint8Array
  try {
    head = firstBytes(file)
  } catch (error) {
    throw fileMistake(error, shown, EXPECTED)
  }
  return filesIn(createReadStream(file), isGzip(head), shown, budget, true)
}

function firstBytes(file: string): Uint8Array {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = new Uint8Array(GZIP.length)
    readSync(descriptor, bytes)
    return bytes
  } finally {
    closeSync(descriptor)
  }
}

/** @param isOuter whether archives in it are opened, too */
async function filesIn(
  source: Readable,
  isPacked: boolean,
  shown: string,
  budget: Budget,
  isOuter: boolean,
): Promise<Found> {
  const files = new Map<string, FoundFile>()
  const folders: string[] = []
  const skipped: Skipped[] = []
  try {
    const tar = ReadableStream.from(counted(isPacked ? unpacked(source) : source, budget))
    for await (const { header, body } of tar.pipeThrough(createTarDecoder({ strict: true }))) {
      budget.file()
      const name = nameOf(header, shown)
      const bytes = await bytesOf(body)
      if (name === undefined) continue
      if (header.type === 'directory') folders.push(name)
      if (LINKS.includes(header.type)) skipped.push({ file: name, why: 'a link' })
      if (!PLAIN.includes(header.type)) continue
      if (!isArchive(name)) files.set(name, { file: name, text: () => textOfBytes(`${shown}/${name}`, bytes) })
      else if (isOuter) {
        const inner = await filesIn(Readable.from([bytes]), isGzip(bytes), `${shown}/${name}`, budget, false)
        for (const each of inner.files) files.set(`${name}/${each.file}`, { ...each, file: `${name}/${each.file}` })
        skipped.push(...inner.skipped.map((each) => ({ ...each, file: `${name}/${each.file}` })))
      } else skipped.push({ file: name, why: 'an archive in an archive' })
    }
  } catch (error) {
    throw mistakeOf(error, shown)
  } finally {
    source.destroy()
  }
  return { files: inOrder([...files.values()]), folders, skipped }
}

function unpacked(source: Readable): Readable {
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  return source.pipe(gunzip)
}

async function* counted(source: Readable, budget: Budget): AsyncGenerator<Uint8Array> {
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    budget.bytes(chunk.length)
    yield chunk
  }
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Its path below the archive; undefined: passed over. Throws InputError for one that leads out. */
function nameOf({ name, type, pax }: TarHeader, shown: string): string | undefined {
  const refuse = (received: string): InputError =>
    new InputError([{ path: '', file: shown, expected: 'files and folders below it', received, hint: 'pack it anew' }])
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (name.startsWith('/') || name.includes('\\') || /^[a-z]:/i.test(name)) throw refuse(`an absolute path: ${name}`)
  if (parts.includes('..')) throw refuse(`a path that leads out: ${name}`)
  if (type === 'character-device' || type === 'block-device') throw refuse(`a device: ${name}`)
  if (type === 'fifo') throw refuse(`a named pipe: ${name}`)
  if (Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse'))) throw refuse(`a file with holes: ${name}`)
  if (parts.length === 0 || parts.length > DEPTH_MAX + 1) return undefined
  return parts.some((part) => part.startsWith('.')) ? undefined : parts.join('/')
}

function mistakeOf(error: unknown, shown: string): unknown {
  if (error instanceof InputError) return error
  const known = fileMistake(error, shown, EXPECTED)
  if (known !== error || !(error instanceof Error)) return known
  // The readers of gzip and tar say so: it is cut, or no such archive.
  return new InputError([{ path: '', file: shown, expected: EXPECTED, received: error.message, hint: '' }])
}
