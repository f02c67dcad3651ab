/**
 * Folder lock: one program at a time writes a folder. The lock is a file that names its holder: process id, machine, and
 * where available the start time of the process, since process ids are reused.
 * A lock is stale, and taken over, if its process is gone. Processes of another machine cannot be looked for: the holder
 * writes its lock anew now and then, and a lock from elsewhere is stale if it has not been written for ten minutes, by the
 * clock of the file system. A holder that was taken for dead (its machine slept) finds that out by `expectHeld`.
 */
import { linkSync, lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { fileError, InputError, inputError } from '../../core/base/issue.ts'
import { countUpTo, hasShape, objectOf, parsedJson, type Shaped, textShape } from '../../core/base/shape.ts'
import { readStored } from './input-file.ts'
import { clearTemporary, isRunning, temporaryName } from './temporary.ts'
import { codeOf } from './system-error.ts'
import { EXIT_BUG, Failure } from '../failure.ts'
import { humanDuration } from '../../show/index.ts'

const holderShape = objectOf({ pid: countUpTo(2 ** 31 - 1), host: textShape, started: textShape })
type Holder = Shaped<typeof holderShape>

/** Commands that keep finished runs in a folder; 'program' is any command while it exchanges files. */
type Locker = 'sweep' | 'reproduce' | 'program' | 'submission'

export interface FolderLock {
  release(): void
  /** To be called before what the lock protects is written. Throws a Failure if another process has taken the lock over. */
  expectHeld(): void
}

/** How often a holder writes its lock, and how old that of another machine is when it is taken over. */
const REFRESH_MS = 30_000
const STALE_MS = 600_000
/** Room for any name of a machine. */
const LOCK_BYTES_MAX = 4096

/** Name of the lock file. */
export function lockName(command: Locker): string {
  return `${command}.lock`
}

/** Takes the lock. Throws InputError if another process holds it. */
export function lockFolder(folder: string, shown: string, command: Locker): FolderLock {
  const name = lockName(command)
  const file = path.join(folder, name)
  const ours = JSON.stringify({ pid: process.pid, host: hostname(), started: startOf(process.pid) } satisfies Holder)
  clearTemporary(folder, name)
  for (let attempt = 0; ; attempt++) {
    if (make(file, ours)) return heldLock(file, ours, shown)
    expectFile(file, path.join(shown, name))
    const text = textOf(file)
    const holder = holderOf(text)
    const ageMs = ageOf(file)
    if (attempt > 2 || (holder !== undefined && !isGone(holder, ageMs))) {
      throw held({ holder, ageMs, command, shown })
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

/** A lock that is held; written anew now and then while this process lives. */
function heldLock(file: string, ours: string, shown: string): FolderLock {
  const refresh = setInterval(() => {
    try {
      if (textOf(file) === ours) writeFileSync(file, ours, { flag: 'r+' })
    } catch {
      // A full disk, or a file server that is away: the lock is as old as it is.
    }
  }, REFRESH_MS)
  refresh.unref()
  return {
    release() {
      clearInterval(refresh)
      if (textOf(file) === ours) rmSync(file, { force: true })
    },
    expectHeld() {
      if (textOf(file) === ours) return
      throw new Failure(`${shown} was taken over by another process; finished work in it is kept`, EXIT_BUG)
    },
  }
}

/** Milliseconds since a file was written, by the clock of its file system, which may be another machine's; 0 if it is gone. */
function ageOf(file: string): number {
  const probe = path.join(path.dirname(file), temporaryName('clock'))
  try {
    writeFileSync(probe, '')
    return Math.max(0, statSync(probe).mtimeMs - statSync(file).mtimeMs)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  } finally {
    rmSync(probe, { force: true })
  }
}

interface Held {
  readonly holder: Holder | undefined
  readonly ageMs: number
  readonly command: Locker
  readonly shown: string
}

function held({ holder, ageMs, command, shown }: Held): InputError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`
  const file = path.join(shown, lockName(command))
  const isHere = holder === undefined || holder.host === hostname()
  const since = `its last sign of life was ${humanDuration(Math.round(ageMs) * 1e9)} ago, and after 10 minutes it is taken over`
  const wait = isHere ? 'wait for it or name another folder' : `wait for it or name another folder; ${since}`
  const hint = `${wait}; if no such ${command} is running any more, remove ${file}`
  const expected = `a folder that no other ${command} is writing`
  return inputError('--out', expected, `${who} writing ${shown}`, hint)
}

function isGone(holder: Holder, ageMs: number): boolean {
  if (holder.host !== hostname()) return ageMs > STALE_MS
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

/** Text of a lock; empty if it is gone, or no file of a lock's size. */
function textOf(file: string): string {
  try {
    const folder = path.dirname(file)
    const bytes = readStored(folder, folder, path.basename(file), 'a lock', { bytesMax: LOCK_BYTES_MAX })
    return bytes === undefined ? '' : Buffer.from(bytes.buffer).toString('utf8')
  } catch {
    return ''
  }
}

/** Parses the text of a lock; undefined if it is incomplete. */
function holderOf(text: string): Holder | undefined {
  const holder = parsedJson(text)
  return hasShape(holderShape, holder) ? holder : undefined
}

/** A folder or a device that has the name of a lock is nobody's lock, and stays. Throws InputError. */
function expectFile(file: string, shown: string): void {
  const there = lstatSync(file, { throwIfNoEntry: false })
  if (there === undefined || there.isFile()) return
  throw fileError(shown, 'a lock', 'something that is no file', 'remove it')
}
