/**
 * Result folder: a result on the disk, whole or not at all.
 * Files are written into a folder beside the target, which then takes the target's name in one step. Nothing that is
 * there is replaced unless asked for, and nothing that is not a result ever is.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { InputError } from '../base/issue.ts'
import type { Result, ResultFile } from '../results/index.ts'
import { codeOf, diskFailure, fileMistake } from './files.ts'

/** What shows that a folder is a result. */
const MARK = 'digest.txt'

/** "results/NAME-sSEED-DIGEST8", relative. */
export function defaultFolder(result: Result): string {
  return path.join('results', `${fileName(result.name)}-s${result.seed}-${result.digest.slice(0, 8)}`)
}

/** A text as part of a file name: letters, digits, dot, dash and underscore, never hidden. */
export function fileName(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+|-+$/g, '')
  return plain.slice(0, 80) || 'scenario'
}

/**
 * Makes sure that a result may be written there, before there is one. `shown` is the folder as the user knows it.
 * Throws InputError when something is there and may not be replaced.
 */
export function claimFolder(folder: string, shown: string, force: boolean): void {
  const state = stateOf(folder, shown)
  if (state !== 'free' && !(state === 'result' && force)) throw occupied(shown, state)
}

/** Makes sure, before anything is run, that something can be written there: the nearest folder that is there takes it. */
export function expectWritable(folder: string, shown: string): void {
  let nearest = folder
  while (!existsSync(nearest) && path.dirname(nearest) !== nearest) nearest = path.dirname(nearest)
  try {
    // Opening what is no folder gives the system's own reason.
    readdirSync(nearest)
    accessSync(nearest, constants.W_OK)
  } catch (error) {
    throw fileMistake(error, shown, 'a folder that can be written')
  }
}

/** What a folder is to a run that would be written there. */
export type Standing = 'free' | 'same' | 'same without some files' | 'other'

/** Compares what identifies a run: the same scenario, the same end, the same events. */
export function standingOf(folder: string, shown: string, files: readonly ResultFile[]): Standing {
  const state = stateOf(folder, shown)
  if (state !== 'result') return state
  const isSame = (name: string): boolean => {
    const ours = files.find((file) => file.path === name)
    const theirs = path.join(folder, name)
    return ours !== undefined && existsSync(theirs) && readFileSync(theirs).equals(ours.data)
  }
  if (!['scenario.yaml', 'summary.json', MARK].every(isSame)) return 'other'
  return files.every((file) => existsSync(path.join(folder, file.path))) ? 'same' : 'same without some files'
}

/** Writes the files as one folder, in place of what is there only if `replace`. Throws a Failure for a full disk. */
export function writeFolder(folder: string, shown: string, files: readonly ResultFile[], replace: boolean): void {
  const fresh = `${folder}.tmp-${process.pid}`
  const old = `${folder}.old-${process.pid}`
  try {
    mkdirSync(path.dirname(folder), { recursive: true })
    for (const file of files) {
      const target = path.join(fresh, ...file.path.split('/'))
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, file.data)
    }
    const isReplaced = replace && existsSync(folder)
    if (isReplaced) renameSync(folder, old)
    try {
      renameSync(fresh, folder)
    } catch (error) {
      if (isReplaced) renameSync(old, folder)
      throw error
    }
    rmSync(old, { recursive: true, force: true })
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (codeOf(error) === 'ENOTEMPTY') throw occupied(shown, 'other')
    throw diskFailure(error, shown) ?? fileMistake(error, shown, 'a folder that can be written')
  }
}

/** Adds to a folder of the same run what is not there yet, each file whole or not at all; nothing that is there is touched. */
export function addMissing(folder: string, shown: string, files: readonly ResultFile[]): void {
  for (const file of files) {
    const target = path.join(folder, ...file.path.split('/'))
    if (existsSync(target)) continue
    const fresh = `${target}.tmp-${process.pid}`
    try {
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(fresh, file.data)
      renameSync(fresh, target)
    } catch (error) {
      rmSync(fresh, { force: true })
      throw diskFailure(error, path.join(shown, file.path)) ?? fileMistake(error, shown, 'a folder that can be written')
    }
  }
}

/** All files of a folder, for results/readResult. Throws InputError when it is no result. */
export function readFolder(directory: string, shown: string): ResultFile[] {
  const folder = path.resolve(directory, shown)
  try {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    return names
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.csv'))
      .map((entry) => {
        const file = path.join(entry.parentPath, entry.name)
        // A copy: small files come as parts of a larger buffer, and Buffer.slice does not copy.
        const data = new Uint8Array(readFileSync(file))
        return { path: path.relative(folder, file).replaceAll(path.sep, '/'), data }
      })
  } catch (error) {
    throw fileMistake(error, shown, 'a result folder')
  }
}

function occupied(shown: string, state: 'result' | 'other'): InputError {
  return new InputError([
    {
      path: '--out',
      expected: 'a folder that is not there yet',
      received: `${state === 'result' ? 'a result' : 'something else'} in ${shown}`,
      hint: state === 'result' ? '--force replaces it' : 'not even --force replaces what is no result',
    },
  ])
}

function stateOf(folder: string, shown: string): 'free' | 'result' | 'other' {
  try {
    const names = readdirSync(folder)
    if (names.length === 0) return 'free'
    return names.includes(MARK) && names.includes('summary.json') ? 'result' : 'other'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'free'
    throw fileMistake(error, shown, 'a folder that is not there yet')
  }
}
