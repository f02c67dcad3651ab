/**
 * Attempt logs: what the tasks of a cluster have finished. Each attempt at a task writes a log of its own, so that no two
 * processes ever write one file, and needs no lock; whoever gathers reads them all.
 * A line is a finished point (as in points.jsonl), a point that failed, or a note about the attempt.
 * Shape: FOLDER/cluster/logs/JOB-TASK-HOST-PID-RANDOM.jsonl
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { writeFailure } from '../files/files.ts'
import { makeFolder } from '../files/folders.ts'
import { LineFile, readLines } from '../files/line-file.ts'

/** Folder of all that concerns clusters, in the folder of a sweep or a reproduction. */
export const CLUSTER = 'cluster'
const LOGS = 'logs'
const ENDING = '.jsonl'

/** Creates the log of an attempt. @param task such as "JOB-3" @param shown the folder as the user named it */
export function createAttemptLog(folder: string, shown: string, task: string): LineFile {
  const logs = path.join(folder, CLUSTER, LOGS)
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '')
  const name = `${task}-${host.slice(0, 40)}-${process.pid}-${randomBytes(4).toString('hex')}${ENDING}`
  try {
    makeFolder(logs)
    return LineFile.create(path.join(logs, name), path.join(shown, CLUSTER, LOGS, name))
  } catch (error) {
    throw writeFailure(error, shown, 'a folder that can be written')
  }
}

/** Reads the logs of all attempts, each line once. */
export class AttemptLogs {
  readonly #folder: string
  /** Bytes read, by file. */
  readonly #read = new Map<string, number>()

  /** @param folder of the sweep or reproduction */
  constructor(folder: string) {
    this.#folder = path.join(folder, CLUSTER, LOGS)
  }

  /** Lines since the last call, parsed, without notes; undefined for a line that is not JSON. Throws errors of the system. */
  next(): unknown[] {
    if (!existsSync(this.#folder)) return []
    const names = readdirSync(this.#folder).filter((name) => name.endsWith(ENDING))
    return names.toSorted().flatMap((name) => {
      const { lines, length } = readLines(path.join(this.#folder, name), this.#read.get(name) ?? 0)
      this.#read.set(name, length)
      return lines.filter((line) => !isNote(line))
    })
  }
}

/** Who makes an attempt: not part of any result. */
export interface AttemptNote {
  readonly attempt: { readonly host: string; readonly pid: number; readonly at: string; readonly threads: number }
}

function isNote(line: unknown): boolean {
  return typeof line === 'object' && line !== null && 'attempt' in line
}
