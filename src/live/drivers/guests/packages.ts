/**
 * Packages of Debian or Ubuntu that guests are made of, as apt of this machine knows them. No root is needed.
 * Source: the packages' own lists of dependencies and files.
 */
import type { Issue } from '../../../core/base/issue.ts'
import { findProgram, query } from './host-commands.ts'

/**
 * The kernels that have rdma_rxe, by distribution: those of cloud images have none. Their dependencies name the version, and
 * on Ubuntu the package with the rest of the modules, rdma_rxe among them.
 */
const KERNELS = ['linux-image-amd64', 'linux-image-generic']
const KERNEL_PART = /^linux-(?:image|modules|modules-extra)-\d/
const LIBRARY = /^lib/

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

/** Programs that a build needs, and their packages. */
const NEEDED: Readonly<Record<string, string>> = {
  'qemu-system-x86_64': 'qemu-system-x86',
  cpio: 'cpio',
  depmod: 'kmod',
  xz: 'xz-utils',
}
/** The first QEMU with -netdev dgram. */
const QEMU = [7, 2] as const

/** Everything that keeps guests from this machine, as far as is known before a build; none: they can be had. */
export function missingHere(): Issue[] {
  const { platform, arch } = process
  if (platform !== 'linux' || arch !== 'x64') {
    const received = `${platform} on ${arch}`
    return [
      { path: 'guests', expected: 'Linux on x86-64', received, hint: 'a container or a machine of that kind has it' },
    ]
  }
  const issues: Issue[] = []
  const names = Object.keys(NEEDED).filter((name) => findProgram(name) === undefined)
  if (names.length > 0) {
    const hint = `sudo apt-get install ${names.map((name) => NEEDED[name]).join(' ')}`
    const [expected, received] = [`the programs ${Object.keys(NEEDED).join(', ')}`, `no ${names.join(', no ')}`]
    issues.push({ path: 'guests', expected, received, hint })
  }
  if (!names.includes('qemu-system-x86_64')) issues.push(...oldEmulator())
  if (findProgram('apt-get') === undefined || findProgram('dpkg-deb') === undefined) {
    const expected = 'Debian 12 or later, or Ubuntu 24.04 or later, whose packages guests are made of'
    issues.push({ path: 'guests', expected, received: 'no apt-get', hint: 'a container of debian:12 has it' })
  } else if (kernelPackages().length === 0) {
    const expected = `one of the kernels ${KERNELS.join(', ')} in the lists of apt`
    issues.push({ path: 'guests', expected, received: 'none', hint: 'sudo apt-get update gets the lists' })
  }
  return issues
}

function oldEmulator(): Issue[] {
  const [, major = '0', minor = '0'] = /version (\d+)\.(\d+)/.exec(query('qemu-system-x86_64', ['-version'])) ?? []
  const isNew = Number(major) > QEMU[0] || (Number(major) === QEMU[0] && Number(minor) >= QEMU[1])
  if (isNew) return []
  const hint = 'Debian 12 and Ubuntu 24.04 have a later one'
  return [{ path: 'guests', expected: `QEMU ${QEMU.join('.')} or later`, received: `${major}.${minor}`, hint }]
}

/** NAME=VERSION of each package of a guest, in order of names. */
export function guestPackages(): string[] {
  const names = closureOf(dependenciesIn(dependencyText(PACKAGES)), PACKAGES, LIBRARY)
  const text = query('apt-cache', ['show', '--no-all-versions', ...kernelPackages(), ...names])
  return [...text.matchAll(/^Package: (\S+)$[^]*?^Version: (\S+)$/gm)].map((match) => `${match[1]}=${match[2]}`).sort()
}

/** Packages of the first kernel that apt knows. */
function kernelPackages(): string[] {
  for (const name of KERNELS) {
    try {
      return kernelIn(name, dependencyText([name]))
    } catch {
      // apt does not know it.
    }
  }
  return []
}

/** Packages of a kernel in what `apt-cache depends --recurse` prints of it. */
export function kernelIn(name: string, text: string): string[] {
  return closureOf(dependenciesIn(text), [name], KERNEL_PART).filter((each) => each !== name)
}

/** These, and all they depend on whose names are of this form. */
function closureOf(
  dependencies: ReadonlyMap<string, readonly string[]>,
  packages: readonly string[],
  form: RegExp,
): string[] {
  const found = new Set(packages)
  for (const name of found) for (const each of dependencies.get(name) ?? []) if (form.test(each)) found.add(each)
  return [...found]
}

function dependencyText(packages: readonly string[]): string {
  const kinds = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances']
  return query('apt-cache', ['depends', '--recurse', ...kinds.map((kind) => `--no-${kind}`), ...packages])
}

/** By package; virtual packages, in angle brackets, have no files. */
function dependenciesIn(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  let names: string[] = []
  for (const line of text.split('\n')) {
    const name = /^ *\|?(?:Pre)?Depends: ([^\s<:]+)/.exec(line)?.[1]
    if (/^[^\s<]/.test(line)) found.set(line.trim(), (names = []))
    else if (name !== undefined) names.push(name)
  }
  return found
}
