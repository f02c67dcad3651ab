/**
 * New folder: it is filled under a temporary name and gets its own when it is whole, so that an interruption leaves nothing
 * that looks like it.
 */
import { readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { InputError, inputError } from '../../core/base/issue.ts'
import { writeFailure } from '../files/files.ts'
import { expectWritable, makeFolder } from '../files/folders.ts'
import { clearTemporary, temporaryName } from '../files/temporary.ts'

/**
 * @param flag by which the user names it, for messages
 * @param fill writes into the folder that it is given
 * Throws InputError for a folder that has something, Failure for errors of the system.
 */
export function fillNewFolder<T>(directory: string, out: string, flag: string, fill: (folder: string) => T): T {
  const target = path.resolve(directory, out)
  const there = statSync(target, { throwIfNoEntry: false })
  if (there !== undefined && (!there.isDirectory() || readdirSync(target).length > 0))
    throw inputError(flag, 'a new or empty folder', `something that is there: ${out}`, 'name another folder')
  const fresh = path.join(path.dirname(target), temporaryName(path.basename(target)))
  try {
    expectWritable(target, out)
    clearTemporary(path.dirname(target), path.basename(target))
    makeFolder(fresh)
    const made = fill(fresh)
    if (there !== undefined) rmdirSync(target)
    renameSync(fresh, target)
    return made
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error instanceof InputError ? error : writeFailure(error, out, 'a folder that can be written')
  }
}
