/**
 * Report input: what kind of thing each folder of a command line holds, which decides the kind of report.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { fileError, InputError, type Issue } from '../../core/base/issue.ts'
import { reportedName } from '../../papers/index.ts'
import { isSweep } from '../sweep/stored-sweep.ts'

/** A page of results or of a sweep; a page of one reproduction; or a site of several, by their folders. */
export type ReportInput =
  | { readonly kind: 'results' }
  | { readonly kind: 'sweep'; readonly folder: string }
  | { readonly kind: 'reproduction'; readonly folder: string }
  | { readonly kind: 'site'; readonly folders: readonly string[] }

const WORDS = {
  results: 'a result',
  sweep: 'a sweep',
  reproduction: 'a reproduction',
  site: 'a folder of reproductions',
} as const

/** Throws InputError if the folders are not of one kind, or are several sweeps. */
export function reportInput(directory: string, names: readonly string[]): ReportInput {
  const kinds = names.map((name) => ({ name, kind: kindOf(directory, name) }))
  const [first] = kinds
  const isReproduced = ({ kind }: (typeof kinds)[number]): boolean => kind === 'reproduction' || kind === 'site'
  if (first === undefined) return { kind: 'results' }
  if (kinds.every(isReproduced)) {
    if (kinds.length === 1 && first.kind === 'reproduction') return { kind: 'reproduction', folder: first.name }
    const folders = kinds.flatMap(({ name, kind }) => (kind === 'site' ? reproductionsIn(directory, name) : [name]))
    return { kind: 'site', folders: [...new Set(folders.map((folder) => path.normalize(folder)))] }
  }
  if (kinds.some(({ kind }) => kind !== first.kind)) throw mixed(kinds)
  if (first.kind !== 'sweep') return { kind: 'results' }
  if (kinds.length > 1) {
    const received = `${kinds.length} sweeps`
    const hint = 'each sweep has a report of its own'
    throw fileError(first.name, 'one sweep', received, hint)
  }
  return { kind: 'sweep', folder: first.name }
}

/** Folders without anything that is known count as results, whose reader says what is missing. */
function kindOf(directory: string, name: string): keyof typeof WORDS {
  if (isSweep(directory, name)) return 'sweep'
  if (reportedName(namesIn(path.resolve(directory, name))) !== undefined) return 'reproduction'
  return reproductionsIn(directory, name).length > 0 ? 'site' : 'results'
}

/** Folders with a reproduction each, directly below a folder, by name. */
function reproductionsIn(directory: string, name: string): string[] {
  const folder = path.resolve(directory, name)
  const names = namesIn(folder).toSorted((a, b) => (a < b ? -1 : 1))
  return names
    .filter((each) => reportedName(namesIn(path.join(folder, each))) !== undefined)
    .map((each) => path.join(name, each))
}

/** Nothing for a folder that is not there. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function mixed(kinds: readonly { readonly name: string; readonly kind: keyof typeof WORDS }[]): InputError {
  const expected = 'folders of one kind: results, or one sweep, or reproductions'
  const hint = 'make a report of each kind'
  return new InputError(
    kinds.map(({ name, kind }): Issue => ({ path: '', file: name, expected, received: WORDS[kind], hint })),
  )
}
