/**
 * Collected folder: a folder per device with the files that were collected from it, and beside them edges.csv (the links)
 * and collected.tsv (the time and command of each file), both of which may be left out. It may be an archive, and an archive
 * in it is a folder; one beside the folders of devices is a device. Links are not followed.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { InputError, inputError, type Issue, issuesIn } from '../../core/base/issue.ts'
import {
  type CollectedFile,
  type DeviceFile,
  type Edge,
  hostKey,
  type HostText,
  readCollected,
  readEdges,
  textsByHost,
} from '../../doctor/index.ts'
import { fileMistake } from '../files/files.ts'
import { below, filesInArchive, reasonOf } from './archive-files.ts'
import { filesInFolder } from './folder-files.ts'
import {
  Budget,
  type Found,
  type FoundFile,
  isPacked,
  type Limits,
  LIMITS,
  type Skipped,
  withoutEnding,
} from './found.ts'
import { layoutOf, type OwnFile } from './layout.ts'

export const EDGES = 'edges.csv'
export const COLLECTED = 'collected.tsv'
const LISTS: readonly string[] = [EDGES, COLLECTED]
/** Characters of files with lines of several hosts that are kept: each of their devices asks for its own. */
const SHARED_CHARS_MAX = 2 ** 26

export interface CollectedFolder {
  /** That of the folder, or of the archive without its ending. */
  readonly name: string
  readonly edges: readonly Edge[]
  /** Times and commands, by file. */
  readonly collected: ReadonlyMap<string, CollectedFile>
  /** Devices in the order of their names. Files are read when they are asked for. */
  readonly devices: readonly string[]
  files(): Iterable<readonly [string, readonly DeviceFile[]]>
  /** The text of a file by its name; undefined: there is none, or it is no text. */
  text(file: string): string | undefined
  /** Files that cannot be read or are no texts, as far as files were asked for. */
  readonly unreadable: readonly Skipped[]
  readonly skipped: readonly Skipped[]
}

/** A folder. Throws InputError with all mistakes of the lists, or if there is no such folder. */
export function collectedFolder(directory: string, folder: string, limits: Limits = LIMITS): CollectedFolder {
  const root = path.resolve(directory, folder)
  return collectedIn(filesInFolder(root, folder, new Budget(folder, limits)), folder, path.basename(root))
}

/** A folder or an archive, with the archives in it. */
export async function collectedInput(
  directory: string,
  name: string,
  limits: Limits = LIMITS,
): Promise<CollectedFolder> {
  const root = path.resolve(directory, name)
  const budget = new Budget(name, limits)
  if (isPacked(name) && isFile(root, name)) {
    const inner = await filesInArchive(root, name, budget)
    for (const { file, why } of inner.skipped) if (file === '') throw inputError(name, 'tar, zip, gzip or xz', why)
    const single = withoutEnding(path.basename(root))
    const files = inner.files.map((each) => (each.file === '' ? { ...each, file: single } : each))
    const found = withoutTop({ ...inner, files })
    return collectedIn(found, name, withoutEnding(path.basename(root)))
  }
  const found = await withArchives(filesInFolder(root, name, budget), root, name, budget)
  return collectedIn(found, name, path.basename(root))
}

function isFile(file: string, shown: string): boolean {
  try {
    return statSync(file).isFile()
  } catch (error) {
    throw fileMistake(error, shown, 'a folder or an archive with the files of devices')
  }
}

/** Archives of a folder replaced by the files that they hold. One that cannot be read costs itself. */
async function withArchives(found: Found, root: string, shown: string, budget: Budget): Promise<Found> {
  const files: FoundFile[] = []
  const skipped = [...found.skipped]
  for (const each of found.files) {
    if (!isPacked(each.file)) {
      files.push(each)
      continue
    }
    try {
      const inner = below(
        each.file,
        await filesInArchive(path.join(root, each.file), path.join(shown, each.file), budget),
      )
      files.push(...inner.files)
      skipped.push(...inner.skipped)
    } catch (error) {
      skipped.push({ file: each.file, why: reasonOf(error) })
    }
  }
  return { ...found, files, skipped }
}

/** Without the folder that was packed: the only one of the archive, which has a list, or folders and nothing beside them. */
function withoutTop(found: Found): Found {
  const [first] = found.files
  const top = `${first?.file.split('/', 1)[0] ?? ''}/`
  const isArchive = isPacked(top.slice(0, -1))
  if (first === undefined || isArchive || !found.files.every(({ file }) => file.startsWith(top))) return found
  const inside = found.files.map(({ file }) => file.slice(top.length))
  const hasList = inside.some((rest) => LISTS.includes(rest))
  if (!hasList && !inside.every((rest) => rest.includes('/'))) return found
  const cut = <T extends { readonly file: string }>(each: T): T => ({
    ...each,
    file: each.file.startsWith(top) ? each.file.slice(top.length) : each.file,
  })
  return {
    files: found.files.map(cut),
    folders: found.folders.filter((each) => each.startsWith(top)).map((each) => each.slice(top.length)),
    skipped: found.skipped.map(cut),
  }
}

/** Lists of a folder: those at the highest level that has any, of one site or of several; links in the order of sites. */
function listsOf({ files, skipped }: Found, shown: string): FoundFile[] {
  const depthOf = ({ file }: { readonly file: string }): number => file.split('/').length
  const isNamed = ({ file }: { readonly file: string }, list: string): boolean =>
    file === list || file.endsWith(`/${list}`)
  const lists = LISTS.flatMap((list) => files.filter((each) => isNamed(each, list)))
  const least = Math.min(...lists.map(depthOf))
  const missed = skipped.find((each) => depthOf(each) === 1 && LISTS.some((list) => isNamed(each, list)))
  if (missed !== undefined) throw inputError(path.join(shown, missed.file), 'a table', missed.why)
  return lists.filter((list) => depthOf(list) === least)
}

function collectedIn(found: Found, shown: string, name: string): CollectedFolder {
  const unreadable = new Map<string, string>()
  const byName = new Map(found.files.map((each) => [each.file, each]))
  const textOf = (file: string): string | undefined => {
    try {
      return byName.get(file)?.text()
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      unreadable.set(file, error.issues.map(({ received }) => received).join(', '))
      return undefined
    }
  }
  const lists = listsOf(found, shown)
  const { edges, collected } = readLists(lists, shown)
  const layout = layoutOf({
    found,
    shown,
    name,
    lists: new Set(lists.map(({ file }) => file)),
    linked: edges.flatMap(({ deviceA, deviceB }) => [deviceA, deviceB]),
    textOf,
  })
  if (layout.devices.size === 0 && layout.skipped.length === 0 && unreadable.size === 0)
    throw inputError(shown, 'a folder per device', 'no files', 'see rocelab doctor --help for what to collect')
  const ownTexts = sharedTexts(textOf, layout.devices.keys())
  // A text is read when it is asked for, and kept by nobody: a device may have more of them than fit into the memory.
  const filesOf = ({ file: { file }, host }: OwnFile): DeviceFile[] => {
    if (unreadable.has(file)) return []
    const { command = '', timeNs = NaN } = collected.get(file) ?? {}
    return [
      {
        file,
        command,
        timeNs,
        get text() {
          return host === undefined ? (textOf(file) ?? '') : (ownTexts(file)?.get(host)?.text ?? '')
        },
        get lineNumbers() {
          return host === undefined ? undefined : ownTexts(file)?.get(host)?.lineNumbers
        },
      },
    ]
  }
  return {
    name,
    edges,
    collected,
    devices: [...layout.devices.keys()],
    skipped: [...found.skipped, ...layout.skipped],
    text: textOf,
    get unreadable() {
      return [...unreadable].map(([file, why]) => ({ file, why }))
    },
    *files() {
      for (const [device, own] of layout.devices) yield [device, own.flatMap(filesOf)]
    },
  }
}

type TextsByHost = ReadonlyMap<string, HostText> | undefined

/** Texts of a file by host. */
function sharedTexts(
  textOf: (file: string) => string | undefined,
  devices: Iterable<string>,
): (file: string) => TextsByHost {
  const keys = new Set([...devices].map(hostKey))
  const kept = new Map<string, TextsByHost>()
  let chars = 0
  return (file) => {
    if (kept.has(file)) return kept.get(file)
    const whole = textOf(file) ?? ''
    chars += whole.length
    if (chars > SHARED_CHARS_MAX) {
      kept.clear()
      chars = whole.length
    }
    const texts = textsByHost(whole, (host) => keys.has(hostKey(host)))
    kept.set(file, texts)
    return texts
  }
}

/** Links, times and commands. Throws InputError with all mistakes of the lists. */
function readLists(lists: readonly FoundFile[], shown: string): Pick<CollectedFolder, 'edges' | 'collected'> {
  const issues: Issue[] = []
  const edges: Edge[] = []
  const collected = new Map<string, CollectedFile>()
  for (const list of lists) {
    const file = path.join(shown, list.file)
    const folder = list.file.slice(0, list.file.lastIndexOf('/') + 1)
    try {
      const text = list.text()
      if (list.file.endsWith(EDGES)) edges.push(...readEdges(file, text))
      else for (const [own, entry] of readCollected(file, text)) collected.set(`${folder}${own}`, entry)
    } catch (error) {
      issues.push(...issuesIn(error, file))
    }
  }
  if (issues.length > 0) throw new InputError(issues)
  return { edges, collected }
}
