/**
 * Processes of this machine, read from /proc: which belong to a test, which descend from them, and their end.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface Process {
  readonly pid: number
  readonly parent: number
  readonly command: string
  /** Environment at its start, a line per variable; empty if the process has written over it, as slurmstepd does. */
  readonly environment: string
  /** Working folder. */
  readonly folder: string
}

/** Processes that run now, this one excepted. Ended ones that nobody has waited for do not count. */
export function processes(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) return []
    // The fields behind the name, which is in parentheses and may hold spaces.
    const stat = text(`/proc/${pid}/stat`)
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === undefined || state === '' || state === 'Z' || state === 'X') return []
    const command = text(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    const environment = text(`/proc/${pid}/environ`).replaceAll('\0', '\n')
    return [{ pid, parent: Number(parent), command, environment, folder: link(`/proc/${pid}/cwd`) }]
  })
}

/** Processes that satisfy the question, and all their descendants. */
export function familyOf(isWanted: (process: Process) => boolean): Process[] {
  const all = processes()
  const wanted = new Set(all.filter(isWanted).map(({ pid }) => pid))
  for (let before = -1; before !== wanted.size;) {
    before = wanted.size
    for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid)
  }
  return all.filter(({ pid }) => wanted.has(pid))
}

/** Kills a family until nothing of it is left, as a process may start another meanwhile. Returns what is left in the end. */
export async function killFamily(isWanted: (process: Process) => boolean, limitMs: number): Promise<Process[]> {
  const endMs = performance.now() + limitMs
  for (;;) {
    const left = familyOf(isWanted)
    if (left.length === 0 || performance.now() > endMs) return left
    for (const { pid } of left) kill(pid)
    await delay(20)
  }
}

/** Kills a process; no error if it has ended. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Empty where the process has ended, or is another user's. */
function text(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}
