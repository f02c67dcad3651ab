/**
 * Entries of a zip archive, one at a time, in the order of its directory, which has to agree with the sizes of what is there.
 */
import { promisify } from 'node:util'
import { type Entry as ZipEntry, fromBuffer, type ZipFile } from 'yauzl'
import type { Budget, Entry } from './found.ts'

/** Bits of the mode of Unix that tell the kind, and those of a symbolic link. */
const [KIND_BITS, LINK_BITS] = [0o170000, 0o120000]
const MODE_SHIFT = 16

export async function* zipEntries(bytes: Buffer, budget: Budget): AsyncGenerator<Entry> {
  const zip = await promisify((done: (error: Error | null, zip: ZipFile) => void) =>
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: true, decodeStrings: true }, done),
  )()
  for (let entry = await nextOf(zip); entry !== undefined; entry = await nextOf(zip)) {
    const mode = (entry.externalFileAttributes >>> MODE_SHIFT) & KIND_BITS
    const type = entry.fileName.endsWith('/') ? 'directory' : mode === LINK_BITS ? 'symlink' : 'file'
    yield { header: { name: entry.fileName, type }, body: type === 'file' ? bodyOf(zip, entry, budget) : nothing() }
  }
}

function nextOf(zip: ZipFile): Promise<ZipEntry | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      zip.removeAllListeners()
      act()
    }
    zip.once('entry', (entry: ZipEntry) => settle(() => resolve(entry)))
    zip.once('end', () => settle(() => resolve(undefined)))
    zip.once('error', (error: Error) => settle(() => reject(error)))
    zip.readEntry()
  })
}

async function* bodyOf(zip: ZipFile, entry: ZipEntry, budget: Budget): AsyncGenerator<Uint8Array> {
  const stream = await promisify(
    zip.openReadStream.bind(zip) as (
      entry: ZipEntry,
      done: (error: Error | null, stream: NodeJS.ReadableStream) => void,
    ) => void,
  )(entry)
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    budget.bytes(chunk.length)
    yield chunk
  }
}

// eslint-disable-next-line require-yield
async function* nothing(): AsyncGenerator<Uint8Array> {}
