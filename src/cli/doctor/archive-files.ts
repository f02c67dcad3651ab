/**
 * Files of archives (tar, zip) and packed files (gzip, xz), read in one pass and never written. Names that lead out of a
 * folder, devices and pipes are refused; links are skipped. Sizes are counted as bytes come, whatever headers say, and what is
 * kept is kept packed. The reader of tar is strict: of four that were tried it alone reported every damaged header and every
 * archive that was cut.
 */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { createGunzip, deflateRawSync, inflateRawSync } from 'node:zlib'
import { createTarDecoder } from 'modern-tar'
import xz from 'xz-decompress'
import { fileError, InputError, inputError } from '../../core/base/issue.ts'
import { humanBytes } from '../../show/index.ts'
import { fileMistake } from '../files/files.ts'
import { collectedText, lineCount, LINES_MAX } from '../files/input-file.ts'
import {
  type Budget,
  DEPTH_MAX,
  type Entry,
  type Found,
  type FoundFile,
  inOrder,
  isPacked,
  isTar,
  PACKED_FILE_BYTES_MAX,
  type Skipped,
} from './found.ts'
import { zipEntries } from './zip-entries.ts'

const EXPECTED = 'a whole archive: tar, zip, gzip or xz'
/** Kinds of entries that hold no file and nothing bad. */
const LINKS: readonly unknown[] = ['link', 'symlink']
const PLAIN: readonly unknown[] = ['file', undefined]
/** First bytes of forms. */
const MAGIC: readonly (readonly [form: string, bytes: string])[] = [
  ['gzip', '1f8b'],
  ['xz', 'fd377a585a00'],
  ['zip', '504b0304'],
  ['zip', '504b0506'],
  ['bzip2', '425a68'],
  ['zstd', '28b52ffd'],
  ['7z', '377abcaf271c'],
  ['rar', '526172211a07'],
]
const NOT_READ: readonly string[] = ['bzip2', 'zstd', '7z', 'rar']
/** Where a tar archive has its mark, and the mark. */
const [TAR_AT, TAR_MARK] = [257, 'ustar']
const HEAD_BYTES = 512

/** @param shown the archive as the user named it. Throws InputError if it cannot be read whole. */
export async function filesInArchive(file: string, shown: string, budget: Budget): Promise<Found> {
  const source = createReadStream(file)
  try {
    return await new Opening(budget).open(source, file, shown, true)
  } catch (error) {
    throw mistakeOf(error, shown)
  } finally {
    source.destroy()
  }
}

type Bytes = AsyncIterable<Uint8Array>

interface Peeked {
  readonly head: Buffer
  readonly all: Bytes
  /** Has to be called, whether all was read or not: a reader of xz keeps others waiting. */
  readonly close: () => Promise<void>
}

/** Its first bytes, and all of it. */
async function peeked(source: Bytes): Promise<Peeked> {
  const chunks: Uint8Array[] = []
  let length = 0
  const iterator = source[Symbol.asyncIterator]()
  while (length < HEAD_BYTES) {
    const { done, value } = await iterator.next()
    if (done === true) break
    chunks.push(value)
    length += value.length
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* chunks
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  }
  const close = async (): Promise<void> => {
    await iterator.return?.().catch(() => {})
  }
  return { head: Buffer.concat(chunks), all: all(), close }
}

const hasTarMark = (head: Buffer): boolean => head.toString('latin1', TAR_AT, TAR_AT + TAR_MARK.length) === TAR_MARK
const formOf = (head: Buffer): string => MAGIC.find(([, bytes]) => head.toString('hex').startsWith(bytes))?.[0] ?? ''

/** An archive whose archives are not opened. */
interface Outer extends Found {
  readonly archives: readonly (readonly [name: string, bytes: Buffer])[]
}

class Opening {
  readonly #budget: Budget

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Files of an archive; one without a name is all that a packed file holds. @param isOuter whether archives in it are opened */
  async open(source: Bytes, name: string, shown: string, isOuter: boolean): Promise<Found> {
    return this.#withInner(await this.#opened(source, name, shown, isOuter), shown)
  }

  async #opened(source: Bytes, name: string, shown: string, isOuter: boolean): Promise<Outer> {
    const { head, all } = await peeked(source)
    const form = formOf(head)
    if (NOT_READ.includes(form)) return only([], [{ file: '', why: `${form}, which is not read: unpack it` }])
    if (form === 'zip') return this.#entries(zipEntries(await wholeOf(all, this.#budget), this.#budget), shown, isOuter)
    if (form === '') {
      if (!isTar(name) && !hasTarMark(head)) return only([await this.#held('', shown, all, true)], [])
      return this.#entries(tarEntries(counted(all, this.#budget)), shown, isOuter)
    }
    const unpacked = await peeked(form === 'gzip' ? gunzipped(all) : unxzed(all))
    try {
      if (isTar(name) || hasTarMark(unpacked.head))
        return await this.#entries(tarEntries(counted(unpacked.all, this.#budget)), shown, isOuter)
      return only([await this.#held('', shown, unpacked.all, true)], [])
    } finally {
      await unpacked.close()
    }
  }

  async #entries(entries: AsyncIterable<Entry>, shown: string, isOuter: boolean): Promise<Outer> {
    const files = new Map<string, FoundFile>()
    const folders: string[] = []
    const skipped: Skipped[] = []
    // Opened when the outer one is read: one reader of xz works at a time.
    const archives: (readonly [name: string, bytes: Buffer])[] = []
    for await (const { header, body } of entries) {
      this.#budget.file()
      const name = nameOf(header, shown)
      if (name === undefined || !PLAIN.includes(header.type)) {
        for await (const _ of body);
        if (name === undefined) continue
        if (header.type === 'directory') folders.push(name)
        if (LINKS.includes(header.type)) skipped.push({ file: name, why: 'a link' })
      } else if (!isPacked(name)) files.set(name, await this.#held(name, `${shown}/${name}`, body, false))
      else if (isOuter) archives.push([name, await wholeOf(body, this.#budget)])
      else {
        for await (const _ of body);
        skipped.push({ file: name, why: 'an archive in an archive' })
      }
    }
    return { files: [...files.values()], folders, skipped, archives }
  }

  /** With the archives in it, each of which costs itself if it cannot be read. */
  async #withInner({ archives, ...outer }: Outer, shown: string): Promise<Found> {
    const [files, skipped] = [[...outer.files], [...outer.skipped]]
    for (const [name, bytes] of archives) {
      try {
        const inner = below(name, await this.open(Readable.from([bytes]), name, `${shown}/${name}`, false))
        files.push(...inner.files)
        skipped.push(...inner.skipped)
      } catch (error) {
        skipped.push({ file: name, why: reasonOf(mistakeOf(error, `${shown}/${name}`)) })
      }
    }
    return { files: inOrder(files), folders: outer.folders, skipped }
  }

  /** A file, kept packed. @param isCounted whether its bytes still count */
  async #held(file: string, shown: string, body: Bytes, isCounted: boolean): Promise<FoundFile> {
    const blocks: Buffer[] = []
    let open: Uint8Array[] = []
    let [length, openBytes, lines] = [0, 0, 0]
    const close = (): void => {
      const block = deflateRawSync(Buffer.concat(open), { level: 1 })
      this.#budget.held(block.length)
      blocks.push(block)
      open = []
      openBytes = 0
    }
    let fault: unknown
    for await (const chunk of body) {
      if (isCounted) this.#budget.bytes(chunk.length)
      length += chunk.length
      lines += lineCount(chunk)
      if (fault !== undefined || lines > LINES_MAX || length > PACKED_FILE_BYTES_MAX) continue
      open.push(chunk)
      openBytes += chunk.length
      if (openBytes < BLOCK_BYTES) continue
      if (blocks.length === 0) fault = faultOf(shown, Buffer.concat(open))
      close()
    }
    if (length > PACKED_FILE_BYTES_MAX) {
      const expected = `a text of at most ${humanBytes(PACKED_FILE_BYTES_MAX)}`
      return refused(file, inputError(shown, expected, `one of ${humanBytes(length)}`))
    }
    if (lines > LINES_MAX)
      return refused(file, inputError(shown, `a text of at most ${LINES_MAX} lines`, `one of ${lines}`))
    if (fault !== undefined) return refused(file, fault)
    close()
    return { file, text: () => collectedText(shown, Buffer.concat(blocks.map((block) => inflateRawSync(block)))) }
  }
}

/** Files are packed in blocks of this size. */
const BLOCK_BYTES = 2 ** 20

/** Why a file that begins so is no text; undefined: it may be one. */
function faultOf(shown: string, bytes: Buffer): unknown {
  try {
    collectedText(shown, bytes.subarray(0, HEAD_BYTES))
    return undefined
  } catch (error) {
    return error
  }
}

const only = (files: readonly FoundFile[], skipped: readonly Skipped[]): Outer => ({
  files,
  folders: [],
  skipped,
  archives: [],
})

/** Why an archive is not read. Throws again what is no mistake of it alone, such as limits of all files. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof InputError) || error.issues.some(({ file }) => file === undefined)) throw error
  return error.issues.map(({ received }) => received).join(', ')
}

function refused(file: string, error: unknown): FoundFile {
  return {
    file,
    text: () => {
      throw error
    },
  }
}

/** Files of an archive, below its name. */
export function below(name: string, { files, skipped }: Found): Found {
  const put = <T extends { readonly file: string }>(each: T): T => ({
    ...each,
    file: each.file === '' ? name : `${name}/${each.file}`,
  })
  return { files: files.map(put), folders: [], skipped: skipped.map(put) }
}

async function* tarEntries(source: Bytes): AsyncGenerator<Entry> {
  for await (const { header, body } of ReadableStream.from(source).pipeThrough(createTarDecoder({ strict: true })))
    yield { header, body }
}

function gunzipped(source: Bytes): Bytes {
  const gunzip = createGunzip()
  const from = Readable.from(source)
  from.on('error', (error) => gunzip.destroy(error))
  return from.pipe(gunzip)
}

const unxzed = (source: Bytes): Bytes =>
  new xz.XzReadableStream(ReadableStream.from(source)) as ReadableStream<Uint8Array>

async function* counted(source: Bytes, budget: Budget): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    budget.bytes(chunk.length)
    yield chunk
  }
}

/** All bytes of an archive that has to be in memory. */
async function wholeOf(body: Bytes, budget: Budget): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) {
    budget.held(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Its path below the archive; undefined: passed over. Throws InputError for one that leads out. */
function nameOf({ name, type, pax }: Entry['header'], shown: string): string | undefined {
  const refuse = (received: string): InputError =>
    fileError(shown, 'files and folders below it', received, 'pack it anew')
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
  if (known !== error) return known
  // The readers of archives say so: it is cut, or no such archive. That of xz throws texts.
  const received = error instanceof Error ? error.message : String(error)
  return fileError(shown, EXPECTED, received)
}
