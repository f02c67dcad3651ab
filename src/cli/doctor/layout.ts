/**
 * Layout: which files are of which device, as collectors lay them out: a folder per device, at the top or below folders of
 * sites; a file per device; files with lines of several hosts. Names of devices are those of the list of links, and those by
 * which files call themselves: a folder of such a name is a device, and one above such folders is none.
 */
import { inputError } from '../../core/base/issue.ts'
import { formsIn, hostKey, hostnameIn, textsByHost } from '../../doctor/index.ts'
import { type Found, type FoundFile, inOrder, type Skipped, withoutEnding } from './found.ts'

/** A file of a device. */
export interface OwnFile {
  readonly file: FoundFile
  /** Host whose lines of it are the device's; undefined: all are. */
  readonly host?: string
}

export interface Layout {
  /** In the order of their names. */
  readonly devices: ReadonlyMap<string, readonly OwnFile[]>
  /** Files that no device has. */
  readonly skipped: readonly Skipped[]
}

export interface LayoutInput {
  readonly found: Found
  /** The input as the user named it, and the name of a device whose files are not in a folder. */
  readonly shown: string
  readonly name: string
  /** Files that are lists. */
  readonly lists: ReadonlySet<string>
  /** Devices of the list of links. */
  readonly linked: readonly string[]
  /** Undefined: it is no text. */
  textOf(file: string): string | undefined
}

/** A folder with what is in it. */
interface Folder {
  readonly path: string
  readonly name: string
  readonly files: FoundFile[]
  readonly folders: Folder[]
}

const folderOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf('/')))
const baseOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1)
/** Quotes outputs, of any device and any time. */
const README = /^readme\b/i

/** Throws InputError where two folders have one device. */
export function layoutOf(input: LayoutInput): Layout {
  const layout = new Laying(input)
  layout.assign(layout.top)
  layout.parted()
  return layout.made()
}

class Laying {
  readonly top: Folder = { path: '', name: '', files: [], folders: [] }
  readonly #input: LayoutInput
  /** Host that a file names, by its path; '': none. */
  readonly #hosts = new Map<string, string>()
  /** Names of devices, by their form in which all spellings are equal. */
  readonly #known = new Map<string, string>()
  readonly #devices = new Map<string, { readonly from: string; files: OwnFile[] }>()
  /** Names of #devices, by their form in which all spellings are equal. */
  readonly #spelt = new Map<string, string>()
  readonly #skipped: Skipped[] = []

  constructor(input: LayoutInput) {
    this.#input = input
    const folders = new Map<string, Folder>([['', this.top]])
    const folderAt = (path: string): Folder => {
      let folder = folders.get(path)
      if (folder === undefined) {
        folder = { path, name: withoutEnding(baseOf(path)), files: [], folders: [] }
        folders.set(path, folder)
        folderAt(folderOf(path)).folders.push(folder)
      }
      return folder
    }
    for (const path of input.found.folders) if (path !== '') folderAt(path)
    for (const file of inOrder(input.found.files)) {
      if (input.lists.has(file.file)) continue
      if (README.test(baseOf(file.file))) {
        this.#skipped.push({ file: file.file, why: 'a text about the files beside it' })
        continue
      }
      folderAt(folderOf(file.file)).files.push(file)
      const host = hostnameIn(file.file, input.textOf(file.file) ?? '')
      this.#hosts.set(file.file, host)
      if (host !== '') this.#known.set(hostKey(host), host)
    }
    for (const name of input.linked) this.#known.set(hostKey(name), name)
  }

  /** Devices of a folder that is none itself. */
  assign(folder: Folder): void {
    for (const each of folder.folders)
      if (this.#isDevice(each, folder === this.top)) this.#add(each.name, each.path, this.#filesIn(each))
      else this.assign(each)
    if (folder === this.top && folder.folders.length === 0) this.#assignFlat()
    else for (const file of folder.files) this.#assignAlone(file)
  }

  #isDevice(folder: Folder, isTop: boolean): boolean {
    if (this.#known.has(hostKey(folder.name))) return true
    const inside = this.#foldersIn(folder)
    if (inside.some(({ name }) => this.#known.has(hostKey(name)))) return false
    const hosts = this.#filesIn(folder).map(({ file }) => hostKey(this.#hosts.get(file) ?? ''))
    if (new Set(hosts.filter(Boolean)).size > 1) return false
    return !isTop || !isSite(folder)
  }

  #foldersIn({ folders }: Folder): Folder[] {
    return folders.flatMap((each) => [each, ...this.#foldersIn(each)])
  }

  #filesIn({ files, folders }: Folder): FoundFile[] {
    return inOrder([...files, ...folders.flatMap((each) => this.#filesIn(each))])
  }

  #add(name: string, from: string, files: readonly FoundFile[]): void {
    const known = this.#devices.get(name)
    if (known !== undefined && folderOf(known.from) !== folderOf(from))
      throw inputError(
        this.#input.shown,
        'one folder for a device',
        `two for ${name}: ${known.from} and ${from}`,
        'diagnose them one at a time, or rename one',
      )
    if (known === undefined) this.#set(name, { from, files: files.map((file) => ({ file })) })
    else known.files.push(...files.map((file) => ({ file })))
  }

  /** Files without folders: one device, unless they name several. */
  #assignFlat(): void {
    const { files } = this.top
    const names = new Set(files.flatMap((file) => this.#ownerOf(file) ?? []))
    const [only] = names
    const { linked, name } = this.#input
    const isLinked = (each: string): boolean => linked.some((one) => hostKey(one) === hostKey(each))
    if (names.size > 1) for (const file of files) this.#assignAlone(file)
    else if (files.length > 0)
      this.#add(only !== undefined && isLinked(only) && !isLinked(name) ? only : name, '', files)
  }

  /** Device that a file names in it, or with its own name. */
  #ownerOf({ file }: FoundFile): string | undefined {
    const host = this.#hosts.get(file) ?? ''
    if (host !== '') return this.#known.get(hostKey(host))
    const words = baseOf(file).toLowerCase()
    const keys = [...this.#known.keys()].filter(
      (key) => words.startsWith(key) && !/^[a-z\d]/.test(words.slice(key.length)),
    )
    const longest = keys.sort((a, b) => b.length - a.length)[0]
    return longest === undefined ? undefined : this.#known.get(longest)
  }

  /** A file beside those of other devices. */
  #assignAlone(file: FoundFile): void {
    const text = this.#input.textOf(file.file)
    const owner = this.#ownerOf(file)
    if (owner !== undefined) {
      this.#filesOf(owner, folderOf(file.file)).push({ file })
      return
    }
    if (text === undefined) return
    const parts = textsByHost(text, (name) => this.#known.has(hostKey(name)))
    const isKnown = formsIn(file.file, text).some(({ dialect }) => dialect !== undefined)
    if (parts !== undefined) this.#loose.push(file)
    else if (isKnown) this.#add(baseOf(file.file).replace(/\.\w{1,5}$/, ''), folderOf(file.file), [file])
    else this.#skipped.push({ file: file.file, why: 'beside the folders of devices, and of none' })
  }

  /** Files of several hosts that are of no device themselves. */
  readonly #loose: FoundFile[] = []

  /** Gives lines of several hosts in one file to each of them. */
  parted(): void {
    for (const [name] of this.#devices) this.#known.set(hostKey(name), name)
    const isHost = (name: string): boolean => this.#known.has(hostKey(name))
    const moved: (readonly [host: string, file: FoundFile])[] = []
    const hostsOf = (file: FoundFile): string[] | undefined => {
      const texts = textsByHost(this.#input.textOf(file.file) ?? '', isHost)
      return texts && [...texts.keys()]
    }
    for (const [name, device] of this.#devices) {
      const hadFiles = device.files.length > 0
      device.files = device.files.flatMap((own): OwnFile[] => {
        const hosts = hostsOf(own.file)
        if (hosts === undefined) return [own]
        const isOwn = (host: string): boolean => host === '' || hostKey(host) === hostKey(name)
        moved.push(...hosts.filter((host) => !isOwn(host)).map((host) => [host, own.file] as const))
        return hosts.filter(isOwn).map((host) => ({ file: own.file, host }))
      })
      if (hadFiles && device.files.length === 0) this.#devices.delete(name)
    }
    for (const file of this.#loose) {
      const hosts = hostsOf(file) ?? []
      moved.push(...hosts.filter(Boolean).map((host) => [host, file] as const))
      if (hosts.includes('')) this.#skipped.push({ file: file.file, why: 'some of its lines are of no host' })
    }
    for (const [host, file] of moved) this.#filesOf(this.#known.get(hostKey(host)) ?? host, '').push({ file, host })
  }

  /** Files of a device, by any spelling of its name, which is new if there is none. */
  #filesOf(name: string, from: string): OwnFile[] {
    const own = this.#spelt.get(hostKey(name)) ?? name
    let device = this.#devices.get(own)
    if (device === undefined) this.#set(own, (device = { from, files: [] }))
    return device.files
  }

  #set(name: string, device: { readonly from: string; files: OwnFile[] }): void {
    this.#devices.set(name, device)
    if (!this.#spelt.has(hostKey(name))) this.#spelt.set(hostKey(name), name)
  }

  made(): Layout {
    const devices = [...this.#devices].sort(([a], [b]) => (a < b ? -1 : 1))
    return { devices: new Map(devices.map(([name, { files }]) => [name, files])), skipped: this.#skipped }
  }
}

/** Whether a folder holds nothing but folders with the same files in them, which are not of one device at several times. */
function isSite({ files, folders }: Folder): boolean {
  if (files.length > 0 || folders.length < 2 || folders.some(({ name }) => /^[\d_:.TZ-]{4,}$/.test(name))) return false
  const counts = new Map<string, number>()
  for (const { files: own } of folders)
    for (const { file } of own) counts.set(baseOf(file), (counts.get(baseOf(file)) ?? 0) + 1)
  return counts.size > 0 && folders.every(({ files: own }) => own.some(({ file }) => counts.get(baseOf(file))! > 1))
}
