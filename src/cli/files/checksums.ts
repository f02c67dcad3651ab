/**
 * Checksums of a result: result.json holds the SHA-256 of each file, and of itself with zeros in place of its own. A file
 * that is not as it was written is refused before anything is made of it.
 * cost.json has none, as it differs from run to run. Results of programs that wrote no checksums are read without them.
 */
import { createHash } from 'node:crypto'
import { InputError, inputError } from '../../core/base/issue.ts'
import { hasShape, objectOf, parsedJson } from '../../core/base/shape.ts'
import { checksumsShape, type ResultFile, type ResultReader } from '../../core/results/index.ts'

const HEAD = 'result.json'
const WITHOUT: readonly string[] = [HEAD, 'cost.json']
const ZEROS = '0'.repeat(64)
/** Stands before the checksum of result.json in its own text; behind it are only other checksums. */
const OWN = `"${HEAD}": "`

/** The files of a result, with their checksums in result.json, which comes last: each file is made once. */
export function withChecksums(files: readonly ResultFile[]): readonly ResultFile[] {
  const head = files.find(({ path }) => path === HEAD)
  if (head === undefined) return files
  const sums = new Map<string, string>()
  const others = files.filter((file) => file !== head).map((file) => summed(file, sums))
  return [
    ...others,
    {
      path: HEAD,
      get data() {
        const missing = others.filter(({ path }) => !WITHOUT.includes(path) && !sums.has(path))
        for (const file of missing) sums.set(file.path, sumOf(file.parts?.() ?? [file.data]))
        return headWith(head, {
          [HEAD]: ZEROS,
          ...Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1))),
        })
      },
    },
  ]
}

/** The file; its checksum is noted when its data are made. */
function summed(file: ResultFile, sums: Map<string, string>): ResultFile {
  if (WITHOUT.includes(file.path)) return file
  const { parts } = file
  return {
    path: file.path,
    get data() {
      const { data } = file
      sums.set(file.path, sumOf([data]))
      return data
    },
    ...(parts !== undefined && {
      *parts() {
        const hash = createHash('sha256')
        for (const part of parts()) {
          hash.update(part)
          yield part
        }
        sums.set(file.path, hash.digest('hex'))
      },
    }),
  }
}

function headWith(head: ResultFile, sha256: Readonly<Record<string, string>>): Uint8Array {
  const tree = parsedJson(textOf(head.data)) as object
  const text = `${JSON.stringify({ ...tree, sha256 }, null, 2)}\n`
  return new TextEncoder().encode(withOwn(text, sumOf([text])))
}

/** Reads like `read`, and throws InputError for a file that is not as it was written. */
export function checkedReader(read: ResultReader): ResultReader {
  let sums: Readonly<Record<string, string>> | undefined
  return (path) => {
    sums ??= sumsIn(read(HEAD))
    const data = read(path)
    if (data !== undefined && path !== HEAD && Object.hasOwn(sums, path) && sumOf([data]) !== sums[path]) {
      throw notAsWritten(path)
    }
    return data
  }
}

const headShape = objectOf<{ readonly sha256: Readonly<Record<string, string>> }>({ sha256: checksumsShape })

/** Checksums by file; none if there are none. */
function sumsIn(head: Uint8Array | undefined): Readonly<Record<string, string>> {
  if (head === undefined) return {}
  const text = textOf(head)
  const tree = parsedJson(text)
  if (!hasShape(headShape, tree)) return {}
  if (sumOf([withOwn(text, ZEROS)]) !== tree.sha256[HEAD]) throw notAsWritten(HEAD)
  return tree.sha256
}

function withOwn(text: string, sum: string): string {
  const at = text.lastIndexOf(OWN) + OWN.length
  return text.slice(0, at) + sum + text.slice(at + sum.length)
}

function notAsWritten(file: string): InputError {
  const hint = 'run its scenario.yaml again; an edited result is read without "sha256" in its result.json'
  const received = 'another content, by its checksum in result.json'
  return inputError(file, 'the file as it was written', received, hint)
}

function sumOf(parts: Iterable<Uint8Array | string>): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

function textOf(data: Uint8Array): string {
  return new TextDecoder().decode(data)
}
