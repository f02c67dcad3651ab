/**
 * Temporary names: files and folders that are being written, beside the place they will take.
 * A name says which process on which machine writes it, so that whatever a killed process left is told from the work of
 * one that is still running, and is taken away by the next process that writes the same thing.
 * Form: ".tmp-PID.HOST-NAME", HOST in letters and digits.
 */
import { readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { codeOf } from './system-error.ts'

const FORM = /^\.tmp-(\d+)\.(\w*)-(.*)$/
const HOST = hostname()
  .replace(/[^A-Za-z0-9]/g, '')
  .slice(0, 20)

/** The temporary name of what will be called `name`. Forty characters tell it from its neighbours; more may be too long. */
export function temporaryName(name: string): string {
  return `.tmp-${process.pid}.${HOST}-${name.slice(0, 40)}`
}

/** Whether a file or folder of that name is one that is being written, or was when its process was killed. */
export function isTemporary(name: string): boolean {
  return FORM.test(name)
}

/**
 * Takes away everything in a folder that was being written for `name`, or for any name, by a process of this machine
 * that is gone. This process writes one thing at a time, so its own number is that of an earlier one.
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

/** Whether a process of this machine is there. */
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
