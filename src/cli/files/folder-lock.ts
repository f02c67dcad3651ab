/**
 * Folder lock: one program at a time writes a folder. The lock is a file that says who holds it: process, machine,
 * and where the system tells it, the start of the process, since numbers of processes come again.
 * A lock whose process is gone is stale and is taken over; of one from another machine nobody here can tell.
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

/** Commands that keep what is finished in a folder, and any program while it puts files in place of others. */
type Locker = 'sweep' | 'reproduce' | 'program'

/** The file that locks a folder. */
export function lockName(command: Locker): string {
  return `${command}.lock`
}

/** Takes the lock; the function that comes back gives it away. Throws InputError when somebody else has it. */
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
    // Moved away and looked at again, so that of two that find it stale only one takes it.
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

/** Makes the lock, with its text from the first moment; false when it is there. */
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

/** The same on a file system without hard links. */
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
  const who = holder === undefined ? 'somebody' : `process ${holder.pid} on ${holder.host}`
  const file = path.join(shown, lockName(command))
  const hint = `wait for it or name another folder; if there is no such ${command} any more, remove ${file}`
  const expected = `a folder that no other ${command} writes`
  return new InputError([{ path: '--out', expected, received: `${who} at work in ${shown}`, hint }])
}

function isGone(holder: Holder): boolean {
  if (holder.host !== hostname()) return false
  return !isRunning(holder.pid) || startOf(holder.pid) !== holder.started
}

/** When a process began, as far as the system tells; empty where it does not. */
function startOf(pid: number): string {
  try {
    // Its name stands in brackets and may hold spaces; the start is field 22, the name field 2.
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

/** What stands in a lock; undefined when it is not whole. */
function holderOf(text: string): Holder | undefined {
  try {
    const { pid, host, started } = JSON.parse(text) as Partial<Holder>
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof started !== 'string') return undefined
    return { pid, host, started }
  } catch {
    return undefined
  }
}
