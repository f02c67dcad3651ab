/**
 * The user's files in a guest: programs, with the shared libraries that they need and guests do not have. They come with the
 * memory file system, in a second archive behind the first (Linux, Documentation/driver-api/early-userspace).
 * Source of the header's fields: System V ABI, ELF header.
 */
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inputError, InputError, type Issue } from '../../../core/base/issue.ts'
import { explained, run } from './host-commands.ts'
import type { GuestSystem } from './system.ts'
import { archiveOf } from './tree.ts'

export interface LoadedSystem extends GuestSystem {
  /** Removes its files, which QEMU needs until its guest has booted. */
  readonly remove: () => void
}

const SIZE_MB_MAX = 256
const MB = 2 ** 20
/** Class and data of a 64-bit little-endian file, and the machine x86-64. */
const ELF = Buffer.from('\x7fELF\x02\x01', 'latin1')
const X86_64 = 62
const SHELLS = /^#! *\/bin\/sh\b/

/**
 * A system with more files, in /files of a guest, which is on the PATH.
 * @param sources files, and folders whose contents are meant
 * @throws InputError with all that is missing or cannot be run in a guest
 */
export async function systemWith(
  system: GuestSystem,
  sources: readonly string[],
  signal?: AbortSignal,
): Promise<LoadedSystem> {
  const work = mkdtempSync(path.join(tmpdir(), 'rocelab-guest-'))
  const remove = (): void => rmSync(work, { recursive: true, force: true })
  try {
    const tree = path.join(work, 'tree')
    const [files, libraries] = [path.join(tree, 'files'), path.join(tree, 'files-libraries')]
    for (const folder of [files, libraries]) mkdirSync(folder, { recursive: true })
    copySources(sources, files)
    const names = readdirSync(files, { recursive: true, encoding: 'utf8' })
    const issues: Issue[] = []
    for (const name of names) {
      const file = path.join(files, name)
      if (!statSync(file).isFile()) continue
      const known = new Set([...system.libraries, ...names.map((each) => path.basename(each))])
      issues.push(...(await addLibraries(file, originOf(sources, name), known, libraries, signal)))
    }
    if (issues.length > 0) throw new InputError(issues)
    const initrd = path.join(work, 'initrd')
    copyFileSync(system.initrd, initrd)
    // An archive begins at a multiple of 4 bytes.
    appendFileSync(initrd, Buffer.alloc(-statSync(initrd).size & 3))
    const archive = await archiveOf(tree, signal)
    appendFileSync(initrd, archive)
    rmSync(tree, { recursive: true })
    // The archive and what is unpacked from it.
    return { ...system, initrd, memoryMb: Math.ceil((3 * archive.length) / MB), remove }
  } catch (error) {
    remove()
    throw explained(error, work)
  }
}

function copySources(sources: readonly string[], target: string): void {
  let sizeBytes = 0
  const from = new Map<string, string>()
  for (const source of sources) {
    const stats = statSync(source, { throwIfNoEntry: false })
    if (stats === undefined) throw inputError(source, 'a file or folder for the guests', 'nothing of that name')
    const isFolder = stats.isDirectory()
    const entries = isFolder ? readdirSync(source) : [path.basename(source)]
    for (const name of entries) {
      const other = from.get(name)
      if (other !== undefined)
        throw inputError(source, 'files with different names', `${name}, which ${other} has, too`)
      from.set(name, source)
      const file = isFolder ? path.join(source, name) : source
      sizeBytes += sizeOf(file)
      if (sizeBytes > SIZE_MB_MAX * MB)
        throw inputError(source, `at most ${SIZE_MB_MAX} MB for the guests`, 'more', 'name single files')
      cpSync(file, path.join(target, name), { recursive: true, dereference: true })
    }
  }
}

function sizeOf(file: string): number {
  const stats = statSync(file)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(file).reduce((sum, name) => sum + sizeOf(path.join(file, name)), 0)
}

/** The file on this machine that a name in /files stands for: libraries may be found from its place. */
function originOf(sources: readonly string[], name: string): string {
  const files = sources.map((source) => (statSync(source).isDirectory() ? path.join(source, name) : source))
  return files.find((file) => existsSync(file) && file.endsWith(path.basename(name)))!
}

/** Copies the libraries of a program that the guest does not have. Gives what is missing. */
async function addLibraries(
  file: string,
  origin: string,
  known: ReadonlySet<string>,
  target: string,
  signal?: AbortSignal,
): Promise<Issue[]> {
  const head = headOf(file)
  if (head.subarray(0, 2).toString() === '#!') return scriptIssues(file, origin, head.toString('latin1'))
  if (head.subarray(0, 4).compare(ELF, 0, 4) !== 0) return []
  if (head.subarray(0, 6).compare(ELF) !== 0 || head.readUInt16LE(18) !== X86_64)
    return [{ path: origin, expected: 'a program for Linux on x86-64', received: 'one for another machine', hint: '' }]
  chmodSync(file, 0o755)
  const text = await neededBy(origin, signal)
  const isKnown = (name: string): boolean => known.has(name) || existsSync(path.join(target, name))
  for (const [, name = '', from = ''] of text.matchAll(/^\t(\S+) => (\/\S+) \(/gm))
    if (!isKnown(path.basename(name))) copyFileSync(from, path.join(target, path.basename(name)))
  const missing = [...text.matchAll(/^\t(\S+) => not found/gm)]
    .map((match) => match[1]!)
    .filter((name) => !isKnown(name))
  const versions = [...text.matchAll(/version `(\S+)' not found/g)].map((match) => match[1]!)
  if (missing.length + versions.length === 0) return []
  const received = `no ${[...missing, ...versions].join(', no ')}`
  const hint = 'build it on this machine, install what is missing, or name the library as a file, too'
  return [{ path: origin, expected: 'its shared libraries on this machine', received, hint }]
}

function scriptIssues(file: string, origin: string, head: string): Issue[] {
  chmodSync(file, 0o755)
  if (SHELLS.test(head)) return []
  const received = head.split('\n')[0]!
  return [
    { path: origin, expected: 'a program or a script of /bin/sh', received, hint: 'guests have no other interpreter' },
  ]
}

/** Gives what ldd prints of a program; of one without shared libraries it fails, which is none here. */
async function neededBy(file: string, signal?: AbortSignal): Promise<string> {
  const both = 'ldd "$0" 2>&1 || true'
  return (await run('sh', ['-c', both, path.resolve(file)], { signal })).toString()
}

function headOf(file: string): Buffer {
  const head = Buffer.alloc(256)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, head)
    return head
  } finally {
    closeSync(descriptor)
  }
}
