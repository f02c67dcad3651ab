/**
 * The file system of a guest, made of unpacked packages: modules of the kernel, programs, the driver of soft RoCE, and the
 * libraries that the unpacked loader finds for them.
 */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inputError } from '../../../core/base/issue.ts'
import { findProgram, run } from './host-commands.ts'
import { INIT } from './init.ts'

export const PROGRAMS = [
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
export const MODULES = ['virtio_pci', 'virtio_net', 'ib_uverbs', 'rdma_ucm', 'rdma_rxe']
/** Needed by rdma_rxe of some kernels, and not among its dependencies. */
export const MODULES_IF_THERE = ['crc32_generic']
/** insmod of busybox does not read every compression. */
const COMPRESSIONS: readonly (readonly [string, string])[] = [
  ['.xz', 'xz'],
  ['.zst', 'zstd'],
  ['.gz', 'gzip'],
]
const LOADER = 'ld-linux-x86-64.so.2'
const LIBRARY_FOLDER = 'usr/lib/x86_64-linux-gnu'

export interface Tree {
  readonly release: string
  /** Names of the shared libraries in it. */
  readonly libraries: readonly string[]
}

/**
 * @param root unpacked packages, with bin, sbin, lib and lib64 below usr
 * @param tree an empty folder
 */
export async function makeTree(root: string, tree: string, signal?: AbortSignal): Promise<Tree> {
  for (const name of ['proc', 'sys', 'dev', 'tmp', 'files']) mkdirSync(path.join(tree, name))
  const release = readdirSync(path.join(root, 'usr/lib/modules'))[0]!
  await addModules(root, tree, release, signal)
  const libraries = await addPrograms(root, tree, signal)
  writeFileSync(path.join(tree, 'init'), INIT, { mode: 0o755 })
  writeFileSync(path.join(tree, 'etc/nsswitch.conf'), 'hosts: files\n')
  return { release, libraries }
}

/** A folder as an archive of cpio, as the kernel unpacks it. */
export async function archiveOf(folder: string, signal?: AbortSignal): Promise<Buffer> {
  const all = (await run('find', ['.', '-print0'], { cwd: folder, signal })).toString()
  const names = all
    .split('\0')
    .filter((name) => name !== '')
    .sort()
  const input = names.map((name) => `${name}\0`).join('')
  return run('cpio', ['--null', '-o', '-H', 'newc', '-R', '0:0', '--quiet'], { cwd: folder, input, signal })
}

/** Modules and what they depend on, each after its dependencies. */
async function addModules(root: string, tree: string, release: string, signal?: AbortSignal): Promise<void> {
  const source = path.join(root, 'usr/lib/modules', release)
  await run('depmod', ['-b', root, release], { signal })
  const lines = readFileSync(path.join(source, 'modules.dep'), 'utf8').split('\n')
  const builtIn = readFileSync(path.join(source, 'modules.builtin'), 'utf8')
  const ordered = [...MODULES_IF_THERE, ...MODULES].flatMap((module) => {
    const line = lines.find((each) => new RegExp(`/${module}\\.ko[^:/]*:`).test(each))
    if (line === undefined && MODULES.includes(module) && !builtIn.includes(`/${module}.ko`))
      throw inputError('guests', `a kernel with the module ${module}`, `${release}, which has none`)
    const [own = '', needed = ''] = (line ?? '').split(':')
    return [...needed.split(' ').reverse(), own].filter((name) => name !== '')
  })
  const target = path.join(tree, 'modules')
  mkdirSync(target)
  const names: string[] = []
  for (const file of new Set(ordered)) names.push(await addModule(path.join(source, file), target, signal))
  writeFileSync(path.join(target, 'order'), `${names.join('\n')}\n`)
}

/** Gives the name of the module without its compression. */
async function addModule(file: string, target: string, signal?: AbortSignal): Promise<string> {
  const [ending = '', program] = COMPRESSIONS.find(([each]) => file.endsWith(each)) ?? []
  const name = path.basename(file, ending)
  if (program === undefined) copyFileSync(file, path.join(target, name))
  else if (findProgram(program) === undefined)
    throw inputError('guests', `the program ${program}, which unpacks modules of this kernel`, 'none', 'install it')
  else writeFileSync(path.join(target, name), await run(program, ['-dc', file], { signal }))
  return name
}

async function addPrograms(root: string, tree: string, signal?: AbortSignal): Promise<string[]> {
  for (const name of ['programs', 'libraries', 'bin', 'lib64', 'etc/libibverbs.d', `${LIBRARY_FOLDER}/libibverbs`])
    mkdirSync(path.join(tree, name), { recursive: true })
  for (const name of PROGRAMS) copyFileSync(programIn(root, name), path.join(tree, 'programs', name))
  const driver = libraryIn(root, /^librxe-.*\.so$/, 'libibverbs')
  copyFileSync(driver, path.join(tree, LIBRARY_FOLDER, 'libibverbs', path.basename(driver)))
  const settings = 'etc/libibverbs.d/rxe.driver'
  copyFileSync(path.join(root, settings), path.join(tree, settings))
  const loader = realpathSync(libraryIn(root, /^ld-linux-x86-64\.so\.2$/))
  // pthread_cancel loads libgcc_s when it runs: rping ends with an abort without it.
  const libraries = new Set([libraryIn(root, /^libgcc_s\.so\.1$/)])
  for (const file of [...PROGRAMS.map((name) => programIn(root, name)), driver]) {
    const text = (
      await run(loader, ['--library-path', path.join(root, LIBRARY_FOLDER), '--list', file], { signal })
    ).toString()
    if (text.includes('not found')) throw inputError(file, 'its libraries in the packages of guests', text)
    for (const match of text.matchAll(/=> (\/\S+) \(/g)) libraries.add(match[1]!)
  }
  for (const file of libraries) copyFileSync(realpathSync(file), path.join(tree, 'libraries', path.basename(file)))
  copyFileSync(loader, path.join(tree, 'lib64', LOADER))
  await addShell(root, tree, signal)
  return [LOADER, ...[...libraries].map((file) => path.basename(file))]
}

async function addShell(root: string, tree: string, signal?: AbortSignal): Promise<void> {
  const busybox = path.join(tree, 'bin/busybox')
  copyFileSync(programIn(root, 'busybox'), busybox)
  chmodSync(busybox, 0o755)
  const names = (await run(busybox, ['--list'], { signal })).toString().split('\n')
  for (const name of names)
    if (name !== '' && name !== 'busybox' && !PROGRAMS.includes(name))
      symlinkSync('busybox', path.join(tree, 'bin', name))
}

function programIn(root: string, name: string): string {
  const files = ['usr/bin', 'usr/sbin'].map((folder) => path.join(root, folder, name))
  const file = files.find((each) => lstatSync(each, { throwIfNoEntry: false })?.isFile() === true)
  if (file === undefined) throw inputError('guests', `a package with the program ${name}`, 'none')
  return file
}

function libraryIn(root: string, pattern: RegExp, below = ''): string {
  const folder = path.join(root, LIBRARY_FOLDER, below)
  const name = existsSync(folder) ? readdirSync(folder).find((each) => pattern.test(each)) : undefined
  if (name === undefined) throw inputError('guests', `a package with the library ${pattern.source}`, 'none')
  return path.join(folder, name)
}
