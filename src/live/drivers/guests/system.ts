/**
 * Builds the Linux of guests: a kernel with soft RoCE (rdma_rxe) and a memory file system with the programs that speak verbs,
 * from packages of the Debian or Ubuntu that this machine runs. No root is needed, and nothing is installed.
 * Source and licences: the packages of the machine's own apt sources, unchanged, each under its own licence (Linux GPL-2,
 * busybox GPL-2, rdma-core and perftest GPL-2 or BSD, iproute2 and kmod GPL-2, ethtool GPL-2, glibc LGPL-2.1). A build stays in
 * a folder of the user's cache, and is no part of rocelab. It is kept by the versions of its packages and by what is made of
 * them; an interrupted one leaves nothing that the next would take for whole.
 */
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { formatIssue, InputError } from '../../../core/base/issue.ts'
import { explained, run } from './host-commands.ts'
import { INIT } from './init.ts'
import { guestPackages, missingHere } from './packages.ts'
import { archiveOf, makeTree, MODULES, MODULES_IF_THERE, PROGRAMS } from './tree.ts'

/** Files for QEMU. */
export interface GuestSystem {
  readonly kernel: string
  readonly initrd: string
  /** Names of the shared libraries in it. */
  readonly libraries: readonly string[]
  /** For the files in it that are the user's. */
  readonly memoryMb?: number
}

export interface BuildOptions {
  /** Folder of builds, rocelab/guests in the user's cache by default: XDG_CACHE_HOME or ~/.cache. */
  readonly cache?: string
  /** Ends a build; guestSystem() rejects with its reason. */
  readonly signal?: AbortSignal
  /** Called before what takes long. */
  readonly say?: (text: string) => void
}

/** Part of the key of a build: to be raised when what is made of the same packages changes. */
const FORM = 1
/** Builds that were not used for so long are removed when another is made. */
const UNUSED_MS = 30 * 24 * 3600e3

/** Why guests cannot run here; null: they can, as far as is known before the build. */
export function guestObstacle(): string | null {
  const issues = missingHere()
  return issues.length === 0 ? null : issues.map(formatIssue).join('\n')
}

/** The folder of builds unless another is named. */
export function guestCache(): string {
  const { XDG_CACHE_HOME: folder } = process.env
  const cache = folder !== undefined && path.isAbsolute(folder) ? folder : path.join(homedir(), '.cache')
  return path.join(cache, 'rocelab', 'guests')
}

/**
 * The system that is in the cache, or a new one: 15 s, and 80 MB to download on Debian.
 * @throws InputError with all that is missing on this machine
 */
export async function guestSystem(options: BuildOptions = {}): Promise<GuestSystem> {
  const issues = missingHere()
  if (issues.length > 0) throw new InputError(issues)
  const cache = path.resolve(options.cache ?? guestCache())
  const packages = guestPackages()
  const content = JSON.stringify([FORM, packages, INIT, PROGRAMS, MODULES, MODULES_IF_THERE])
  const folder = path.join(cache, createHash('sha256').update(content).digest('hex').slice(0, 16))
  try {
    if (!existsSync(folder)) await makeOnce(packages, folder, options)
    utimesSync(folder, new Date(), new Date())
    const libraries = readFileSync(path.join(folder, 'libraries'), 'utf8').split('\n')
    return { kernel: path.join(folder, 'vmlinuz'), initrd: path.join(folder, 'initrd.gz'), libraries }
  } catch (error) {
    throw explained(error, cache)
  }
}

/** Builds, unless another process does: then its build is waited for. */
async function makeOnce(packages: readonly string[], folder: string, options: BuildOptions): Promise<void> {
  const cache = path.dirname(folder)
  makeFolder(cache)
  const lock = `${folder}.lock`
  while (!isLocked(lock)) {
    await delay(200, undefined, { signal: options.signal })
    if (existsSync(folder)) return
  }
  try {
    clear(cache)
    if (!existsSync(folder)) await make(packages, folder, options)
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Level by level: Node's recursive mkdir never returns where the system reports ENOENT below a folder, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(path.dirname(folder))
  mkdirSync(folder)
}

/** Takes the lock of a build, also from a process that ended without giving it back. */
function isLocked(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (existsSync(lock) && !isRunning(Number(readFileSync(lock, 'utf8')))) rmSync(lock, { force: true })
    return false
  }
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

/** Removes what processes left that were killed, and builds that nobody uses. */
function clear(cache: string): void {
  for (const name of readdirSync(cache)) {
    const file = path.join(cache, name)
    const pid = /^build-(\d+)$/.exec(name)?.[1]
    const ageMs = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity)
    const isOld = /^[0-9a-f]{16}$/.test(name) && ageMs > UNUSED_MS
    if (isOld || (pid !== undefined && !isRunning(Number(pid)))) rmSync(file, { recursive: true, force: true })
  }
}

async function make(packages: readonly string[], folder: string, { signal, say }: BuildOptions): Promise<void> {
  const work = path.join(path.dirname(folder), `build-${process.pid}`)
  rmSync(work, { recursive: true, force: true })
  try {
    const [archives, root, tree, made] = ['archives', 'root', 'tree', 'made'].map((name) => path.join(work, name)) as [
      string,
      string,
      string,
      string,
    ]
    for (const each of [archives, root, tree, made]) mkdirSync(each, { recursive: true })
    // As root, apt downloads as another user.
    chmodSync(archives, 0o777)
    say?.('downloading packages for the Linux of guests, once')
    await run('apt-get', ['download', '-q', ...packages], { cwd: archives, signal })
    say?.('building the Linux of guests')
    await unpack(archives, root, signal)
    const { release, libraries } = await makeTree(root, tree, signal)
    copyFileSync(path.join(root, 'boot', `vmlinuz-${release}`), path.join(made, 'vmlinuz'))
    writeFileSync(path.join(made, 'initrd.gz'), await promisify(gzip)(await archiveOf(tree, signal)))
    writeFileSync(path.join(made, 'libraries'), libraries.join('\n'))
    finish(made, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Two processes that built the same made the same. */
function finish(made: string, folder: string): void {
  try {
    renameSync(made, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}

/** Some packages have their files below /usr, others beside it: all of them come below it, as on machines. */
async function unpack(archives: string, root: string, signal?: AbortSignal): Promise<void> {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(path.join(root, 'usr', name), { recursive: true })
    symlinkSync(`usr/${name}`, path.join(root, name))
  }
  const each = 'dpkg-deb --fsys-tarfile "$name" | tar -x --keep-directory-symlink --no-same-owner -C "$0"'
  await run('bash', ['-c', `set -euo pipefail; for name in *.deb; do ${each}; done`, root], { cwd: archives, signal })
}
