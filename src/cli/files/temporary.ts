/**
 * Temporary names: files and folders that are being written, next to their final place.
 * A name holds process and machine of its writer, so that leftovers of a killed process can be distinguished from the work
 * of a running one; the next process that writes the same target removes them.
 * Form: ".tmp-PID.HOST-NAME", HOST in letters and digits: the beginning of its name, and a hash of all of it, as names of
 * the nodes of a cluster often differ at their end only.
 */
import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { codeOf } from './system-error.ts'

const FORM = /^\.tmp-(\d+)\.(\w*)-(.*)$/
const HOST =
  hostname()
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 12) + createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

/** Temporary name for `name`, of which it holds 40 characters, as a longer file name may be too long. */
export function temporaryName(name: string): string {
  return `.tmp-${process.pid}.${HOST}-${name.slice(0, 40)}`
}

/** Whether a name is temporary. */
export function isTemporary(name: string): boolean {
  return FORM.test(name)
}

/**
 * Removes the temporary files and folders of `name`, or of any name, that dead processes of this machine left in a folder.
 * This process writes one target at a time, so a leftover with its own id is from an earlier process.
 */
export function clearTemporary(folder: string, name?: string): void {
  for (const entry of namesIn(folder)) {
    const [, pid, host, of] = FORM.exec(entry) ?? []
    if (host !== HOST || (name !== undefined && of !== name.slice(0, 40))) continue
    if (Number(pid) === process.pid || !isRunning(Number(pid))) {
      rmSync(path.join(folder, entry), { recursive: true, force: true })
    }
  }
}

/** Whether a process of this machine is running. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
    throw error
  }
}
