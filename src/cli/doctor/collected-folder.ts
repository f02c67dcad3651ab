/**
 * Collected folder: a folder per device with the files that were collected from it, and beside them edges.csv (the links)
 * and collected.tsv (the time and command of each file), both of which may be left out. It may be an archive, and an archive
 * in it is a folder; one beside the folders of devices is a device. Links are not followed.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { InputError, inputError, type Issue, issuesIn } from '../../base/issue.ts'
import { type CollectedFile, type DeviceFile, type Edge, readCollected, readEdges } from '../../ops/index.ts'
import { fileMistake } from '../files/files.ts'
import { readStoredText } from '../files/input-file.ts'
import { filesInArchive } from './archive-files.ts'
import { filesInFolder } from './folder-files.ts'
import {
  Budget,
  type Found,
  type FoundFile,
  inOrder,
  isArchive,
  type Limits,
  LIMITS,
  type Skipped,
  withoutEnding,
} from './found.ts'

export const EDGES = 'edges.csv'
export const COLLECTED = 'collected.tsv'
const LISTS: readonly string[] = [EDGES, COLLECTED]

export interface CollectedFolder {
  readonly edges: readonly Edge[]
  /** Times and commands, by file. */
  readonly collected: ReadonlyMap<string, CollectedFile>
  /** Devices in the order of their names. Files are read when they are asked for. */
  readonly devices: readonly string[]
  files(): Iterable<readonly [string, readonly DeviceFile[]]>
  /** The text of a file by its name; undefined: there is none, or it is no text. */
  text(file: string): string | undefined
  /** Files that are no texts, as far as files were asked for. */
  readonly unreadable: readonly string[]
  readonly skipped: readonly Skipped[]
}

/** A folder. Throws InputError with all mistakes of the lists, or if there is no such folder. */
export function collectedFolder(directory: string, folder: string, limits: Limits = LIMITS): CollectedFolder {
  const root = path.resolve(directory, folder)
  return collectedIn(filesInFolder(root, folder, new Budget(folder, limits)), folder, path.basename(root), (name) =>
    readStoredText(root, folder, name, 'a table'),
  )
}

/** A folder or an archive, with the archives in it. */
export async function collectedInput(
  directory: string,
  name: string,
  limits: Limits = LIMITS,
): Promise<CollectedFolder> {
  const root = path.resolve(directory, name)
  const budget = new Budget(name, limits)
  if (isArchive(name) && isFile(root, name)) {
    const found = withoutTop(await filesInArchive(root, name, budget))
    return collectedIn(found, name, withoutEnding(path.basename(root)), (list) =>
      found.files.find(({ file }) => file === list)?.text(),
    )
  }
  const found = await withArchives(filesInFolder(root, name, budget), root, name, budget)
  return collectedIn(found, name, path.basename(root), (list) => readStoredText(root, name, list, 'a table'))
}

function isFile(file: string, shown: string): boolean {
  try {
    return statSync(file).isFile()
  } catch (error) {
    throw fileMistake(error, shown, 'a folder or an archive with the files of devices')
  }
}

/** Archives of a folder replaced by the files that they hold. */
async function withArchives(found: Found, root: string, shown: string, budget: Budget): Promise<Found> {
  const files: FoundFile[] = []
  const skipped = [...found.skipped]
  for (const each of found.files) {
    if (!isArchive(each.file)) files.push(each)
    else {
      const inner = await filesInArchive(path.join(root, each.file), path.join(shown, each.file), budget)
      files.push(...inner.files.map((one) => ({ ...one, file: `${each.file}/${one.file}` })))
      skipped.push(...inner.skipped.map((one) => ({ ...one, file: `${each.file}/${one.file}` })))
    }
  }
  return { ...found, files, skipped }
}

/** Without the folder that was packed: the only one of the archive, which has a list, or folders and nothing beside them. */
function withoutTop(found: Found): Found {
  const [first] = found.files
  const top = `${first?.file.split('/', 1)[0] ?? ''}/`
  if (first === undefined || !found.files.every(({ file }) => file.startsWith(top))) return found
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

/** @param listOf the text of a list beside the folders */
function collectedIn(
  found: Found,
  shown: string,
  name: string,
  listOf: (list: string) => string | undefined,
): CollectedFolder {
  const devices = devicesOf(found, shown, name)
  const issues: Issue[] = []
  const read = <T>(list: string, parse: (file: string, text: string) => T, none: T): T => {
    const file = path.join(shown, list)
    try {
      const text = listOf(list)
      return text === undefined ? none : parse(file, text)
    } catch (error) {
      issues.push(...issuesIn(error, file))
      return none
    }
  }
  const edges = read(EDGES, readEdges, [])
  const collected = read(COLLECTED, readCollected, new Map<string, CollectedFile>())
  if (issues.length > 0) throw new InputError(issues)
  const unreadable = new Set<string>()
  const byName = new Map(found.files.map((each) => [each.file, each]))
  const textOf = (file: string): string | undefined => {
    try {
      return byName.get(file)?.text()
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      unreadable.add(file)
      return undefined
    }
  }
  return {
    edges,
    collected,
    devices: [...devices.keys()],
    skipped: found.skipped,
    text: textOf,
    get unreadable() {
      return [...unreadable]
    },
    *files() {
      for (const [device, own] of devices)
        yield [
          device,
          own.flatMap(({ file }): DeviceFile[] => {
            const text = textOf(file)
            const { command = '', timeNs = NaN } = collected.get(file) ?? {}
            return text === undefined ? [] : [{ file, text, command, timeNs }]
          }),
        ]
    },
  }
}

/** Files by device: those of a folder, and of an archive beside the folders. Without any, all files are of one device. */
function devicesOf({ files, folders }: Found, shown: string, name: string): Map<string, FoundFile[]> {
  const devices = new Map<string, FoundFile[]>(
    folders.filter((each) => each !== '').map((each) => [each.split('/', 1)[0]!, []]),
  )
  const own = files.filter(({ file }) => !LISTS.includes(file))
  const inFolders = own.filter(({ file }) => file.includes('/'))
  for (const each of inOrder(inFolders)) {
    const device = withoutEnding(each.file.split('/', 1)[0]!)
    const known = devices.get(device)
    if (known === undefined) devices.set(device, [each])
    else known.push(each)
  }
  if (devices.size > 0) return new Map([...devices].sort(([a], [b]) => (a < b ? -1 : 1)))
  if (own.length === 0)
    throw inputError(shown, 'a folder per device', 'no files', 'see rocelab doctor --help for what to collect')
  return new Map([[name, own]])
}
