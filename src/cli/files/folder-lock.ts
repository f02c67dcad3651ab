/**
 * Folder lock: one program at a time writes a folder. The lock is a file that names its holder: process id, machine, and
 * where available the start time of the process, since process ids are reused.
 * A lock is stale, and taken over, if its process is gone. A lock from another machine never counts as stale.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { InputError } from '../../base/issue.ts'
import { clearTemporary, isRunning, temporaryName } from './temporary.ts'
import { codeOf } from './system-error.ts'

interface Holder {
  readonly pid: number
  readonly host: string
  readonly started: string
}

/** Commands that keep finished runs in a folder; 'program' is any command while it exchanges files. */
type Locker = 'sweep' | 'reproduce' | 'program'

/** Name of the lock file. */
export function lockName(command: Locker): string {
  return `${command}.lock`
}

/** Takes the lock and returns a function that releases it. Throws InputError if another process holds it. */
export function lockFolder(folder: string, shown: string, command: Locker): () => void {
  const name = lockName(command)
  const file = path.join(folder, name)
  const ours = JSON.stringify({ pid: process.pid, host: hostname(), started: startOf(process.pid) } satisfies Holder)
  clearTemporary(folder, name)
  for (let attempt = 0; ; attempt++) {
    if (make(file, ours)) return () => rmSync(file, { force: true })
    const text = textOf(file)
    const holder = holderOf(text)
    if (attempt > 2 || (holder !== undefined && !isGone(holder))) {
      throw held(holder, command, shown)
    }
    // Renamed and read again, so that of two processes that find it stale only one takes it over.
    const stale = path.join(folder, temporaryName(name))
    try {
      renameSync(file, stale)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') continue
      throw error
    }
    if (textOf(stale) !== text) renameSync(stale, file)
    else rmSync(stale, { force: true })
  }
}

/** Creates the lock with its text in one step; false if it exists. */
function make(file: string, text: string): boolean {
  const fresh = path.join(path.dirname(file), temporaryName(path.basename(file)))
  try {
    writeFileSync(fresh, text)
    linkSync(fresh, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(codeOf(error) ?? '')) throw error
    return makeWithoutLinks(file, text)
  } finally {
    rmSync(fresh, { force: true })
  }
}

/** Like make, for a file system without hard links. */
function makeWithoutLinks(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function held(holder: Holder | undefined, command: Locker, shown: string): InputError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`
  const file = path.join(shown, lockName(command))
  const hint = `wait for it or name another folder; if no such ${command} is running any more, remove ${file}`
  const expected = `a folder that no other ${command} is writing`
  return new InputError([{ path: '--out', expected, received: `${who} writing ${shown}`, hint }])
}

function isGone(holder: Holder): boolean {
  if (holder.host !== hostname()) return false
  return !isRunning(holder.pid) || startOf(holder.pid) !== holder.started
}

/** Start time of a process; empty where the system does not provide it. */
function startOf(pid: number): string {
  try {
    // Field 2 is the name, in parentheses and perhaps with spaces; field 22 is the start time.
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Parses the text of a lock; undefined if it is incomplete. */
function holderOf(text: string): Holder | undefined {
  try {
    const { pid, host, started } = JSON.parse(text) as Partial<Holder>
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof started !== 'string') return undefined
    return { pid, host, started }
  } catch {
    return undefined
  }
}
