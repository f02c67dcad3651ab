/**
 * Builds the Linux of the tests' guests: a kernel with soft RoCE (rdma_rxe) and a memory file system with the programs that
 * speak verbs, from packages of the Debian release that the tests run on. No root is needed, and nothing is installed.
 * Source and licences: the packages of the machine's own apt sources, unchanged, each under its own licence (Linux GPL-2,
 * busybox GPL-2, rdma-core and perftest GPL-2 or BSD, iproute2 and kmod GPL-2, ethtool GPL-2, glibc LGPL-2.1). What is built
 * stays on the machine, below node_modules/.cache, and is no part of rocelab.
 * The build is kept by the versions of its packages and the text of these files.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { onPath } from '../support/on-path.ts'

export interface GuestSystem {
  /** Files for QEMU. */
  readonly kernel: string
  readonly initrd: string
}

const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/rocelab-guests')
const INIT = path.join(import.meta.dirname, 'init')
const LOCK_STALE_MS = 240_000
const NEEDED = ['qemu-system-x86_64', 'apt-get', 'apt-cache', 'dpkg-deb', 'depmod', 'cpio', 'xz']

/** Packages with programs; the libraries they depend on are found. */
const PACKAGES = [
  'busybox-static',
  'iproute2',
  'ethtool',
  'perftest',
  'ibverbs-utils',
  'ibverbs-providers',
  'rdmacm-utils',
  'libgcc-s1',
]
const PROGRAMS = [
  'ip',
  'rdma',
  'ethtool',
  'rping',
  'ibv_devinfo',
  'ibv_rc_pingpong',
  'ibv_uc_pingpong',
  'ibv_ud_pingpong',
  'ibv_srq_pingpong',
  'ib_write_bw',
  'ib_write_lat',
  'ib_read_bw',
  'ib_read_lat',
  'ib_send_bw',
  'ib_send_lat',
  'ib_atomic_bw',
  'ib_atomic_lat',
]
/** crc32_generic is needed by rdma_rxe and is not among its dependencies. */
const MODULES = ['virtio_pci', 'virtio_net', 'crc32_generic', 'ib_uverbs', 'rdma_ucm', 'rdma_rxe']

/** Why guests cannot run here; null: they can, as far as is known before the build. */
export function guestObstacle(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'guests are built for Linux on x86-64'
  const missing = NEEDED.filter((name) => onPath(name) === undefined && !existsSync(path.join('/usr/sbin', name)))
  if (missing.length > 0) return `there is no ${missing.join(', ')} on this machine`
  return kernelPackage() === undefined ? 'apt knows no linux-image-amd64 (apt-get update gets its lists)' : null
}

/** The system that is in the cache, or a new one: 15 s and 80 MB to download. */
export async function guestSystem(): Promise<GuestSystem> {
  const versions = versionsOf([kernelPackage()!, ...withLibraries(PACKAGES)])
  const hash = createHash('sha256').update(
    [...versions, readFileSync(INIT), readFileSync(import.meta.filename)].join('\n'),
  )
  const folder = path.join(CACHE, hash.digest('hex').slice(0, 16))
  const system = { kernel: path.join(folder, 'vmlinuz'), initrd: path.join(folder, 'initrd.gz') }
  if (existsSync(folder)) return system
  const lock = `${folder}.lock`
  mkdirSync(CACHE, { recursive: true })
  while (!locked(lock)) {
    await delay(200)
    if (existsSync(folder)) return system
  }
  try {
    build(versions, folder)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
  return system
}

/** Takes the lock of a build, also from a build that ended without giving it back. */
function locked(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > LOCK_STALE_MS) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function run(program: string, args: readonly string[], cwd?: string, input?: string): Buffer {
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`, LC_ALL: 'C' }
  return execFileSync(program, args, { cwd, input, env, stdio: ['pipe', 'pipe', 'pipe'], maxBuffer: 2 ** 28 })
}

/** The generic kernel: that of the cloud image has no rdma_rxe. */
function kernelPackage(): string | undefined {
  const text = run('apt-cache', ['depends', 'linux-image-amd64']).toString()
  return /Depends: (linux-image-\d\S*)/.exec(text)?.[1]
}

function withLibraries(packages: readonly string[]): string[] {
  const found = new Set(packages)
  const without = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
    (name) => `--no-${name}`,
  )
  for (let next = [...packages]; next.length > 0;) {
    const text = run('apt-cache', ['depends', ...without, ...next]).toString()
    const libraries = [...text.matchAll(/^ *\|?(?:Pre)?Depends: (lib[^\s<]*)$/gm)].map((match) => match[1]!)
    next = [...new Set(libraries)].filter((name) => !found.has(name))
    for (const name of next) found.add(name)
  }
  return [...found]
}

/** NAME=VERSION of each, in order of names. */
function versionsOf(packages: readonly string[]): string[] {
  const text = run('apt-cache', ['show', '--no-all-versions', ...packages]).toString()
  return [...text.matchAll(/^Package: (\S+)$[^]*?^Version: (\S+)$/gm)].map((match) => `${match[1]}=${match[2]}`).sort()
}

function build(versions: readonly string[], folder: string): void {
  const work = mkdtempSync(path.join(CACHE, 'build-'))
  try {
    const [packages, root, tree, made] = ['packages', 'root', 'tree', 'made'].map((name) => path.join(work, name))
    for (const each of [packages!, root!, tree!, made!]) mkdirSync(each)
    chmodSync(packages!, 0o777)
    run('apt-get', ['download', '-q', ...versions], packages)
    for (const name of readdirSync(packages!)) run('dpkg-deb', ['-x', name, root!], packages)
    const release = readdirSync(path.join(root!, 'lib/modules'))[0]!
    copyFileSync(path.join(root!, 'boot', `vmlinuz-${release}`), path.join(made!, 'vmlinuz'))
    addModules(root!, tree!, release)
    addPrograms(root!, tree!)
    for (const name of ['proc', 'sys', 'dev', 'tmp']) mkdirSync(path.join(tree!, name))
    copyFileSync(INIT, path.join(tree!, 'init'))
    chmodSync(path.join(tree!, 'init'), 0o755)
    const names = run('find', ['.', '-print0'], tree).toString().split('\0').sort().join('\0').slice(1)
    const archive = run('cpio', ['--null', '-o', '-H', 'newc', '-R', '0:0', '--quiet'], tree, names)
    writeFileSync(path.join(made!, 'initrd.gz'), gzipSync(archive))
    renameSync(made!, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Modules and what they depend on, each after its dependencies. */
function addModules(root: string, tree: string, release: string): void {
  const source = path.join(root, 'lib/modules', release)
  run('depmod', ['-b', root, release])
  const lines = readFileSync(path.join(source, 'modules.dep'), 'utf8').split('\n')
  const builtIn = readFileSync(path.join(source, 'modules.builtin'), 'utf8')
  const ordered = MODULES.flatMap((module) => {
    const line = lines.find((each) => new RegExp(`/${module}\\.ko[^:/]*:`).test(each))
    if (line === undefined && !builtIn.includes(`/${module}.ko`)) throw new Error(`kernel ${release} has no ${module}`)
    const [own = '', needed = ''] = (line ?? '').split(':')
    return [...needed.split(' ').reverse(), own].filter((name) => name !== '')
  })
  const target = path.join(tree, 'modules')
  mkdirSync(target)
  const names = [...new Set(ordered)].map((file) => {
    const name = path.basename(file)
    copyFileSync(path.join(source, file), path.join(target, name))
    // insmod of busybox does not read every compression.
    if (name.endsWith('.xz')) run('xz', ['-d', name], target)
    return name.replace(/\.xz$/, '')
  })
  writeFileSync(path.join(target, 'order'), `${names.join('\n')}\n`)
}

/** Programs, the driver of soft RoCE, and the libraries that the unpacked loader finds for them. */
function addPrograms(root: string, tree: string): void {
  for (const name of ['programs', 'libraries', 'bin', 'lib64', 'etc']) mkdirSync(path.join(tree, name))
  const find = (name: string): string => {
    const folders = ['usr/bin', 'usr/sbin', 'bin', 'sbin'].map((folder) => path.join(root, folder, name))
    const file = folders.find((each) => lstatSync(each, { throwIfNoEntry: false })?.isFile() === true)
    if (file === undefined) throw new Error(`no package has the program ${name}`)
    return file
  }
  const folders = ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu']
    .map((name) => path.join(root, name))
    .filter(existsSync)
  const library = (pattern: RegExp, below = ''): string => {
    const files = folders.flatMap((folder) => {
      const inside = path.join(folder, below)
      return existsSync(inside) ? readdirSync(inside).map((name) => path.join(inside, name)) : []
    })
    const file = files.find((each) => pattern.test(path.basename(each)))
    if (file === undefined) throw new Error(`no package has the library ${pattern.source}`)
    return file
  }
  const driver = library(/^librxe-.*\.so$/, 'libibverbs')
  const needing = [...PROGRAMS.map(find), driver]
  for (const name of PROGRAMS) copyFileSync(find(name), path.join(tree, 'programs', name))
  const driverTarget = path.join(tree, path.relative(root, driver))
  mkdirSync(path.dirname(driverTarget), { recursive: true })
  copyFileSync(driver, driverTarget)
  mkdirSync(path.join(tree, 'etc/libibverbs.d'))
  copyFileSync(path.join(root, 'etc/libibverbs.d/rxe.driver'), path.join(tree, 'etc/libibverbs.d/rxe.driver'))
  const loader = realpathSync(library(/^ld-linux-x86-64\.so\.2$/))
  // pthread_cancel loads libgcc_s when it runs: rping ends with an abort without it.
  const libraries = new Set([library(/^libgcc_s\.so\.1$/)])
  for (const file of needing) {
    const text = run(loader, ['--library-path', folders.join(':'), '--list', file]).toString()
    if (text.includes('not found')) throw new Error(`libraries of ${file}:\n${text}`)
    for (const match of text.matchAll(/=> (\/\S+) \(/g)) libraries.add(match[1]!)
  }
  for (const file of libraries) copyFileSync(realpathSync(file), path.join(tree, 'libraries', path.basename(file)))
  copyFileSync(loader, path.join(tree, 'lib64/ld-linux-x86-64.so.2'))
  const busybox = path.join(tree, 'bin/busybox')
  copyFileSync(find('busybox'), busybox)
  for (const name of run(busybox, ['--list']).toString().split('\n'))
    if (name !== '' && name !== 'busybox' && !PROGRAMS.includes(name))
      symlinkSync('busybox', path.join(tree, 'bin', name))
}
