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
import { fileMistake, writeFailure } from '../files/files.ts'
import { makeFolder } from '../files/folders.ts'
import { inside } from '../files/inside.ts'
import { LineFile, readLines } from '../files/line-file.ts'

/** Folder of all that concerns clusters, in the folder of a sweep or a reproduction. */
export const CLUSTER = 'cluster'
const LOGS = 'logs'
const ENDING = '.jsonl'

/** Creates the log of an attempt. @param task such as "JOB-3" @param shown the folder as the user named it */
export function createAttemptLog(folder: string, shown: string, task: string): LineFile {
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '')
  const name = `${task}-${host.slice(0, 40)}-${process.pid}-${randomBytes(4).toString('hex')}${ENDING}`
  try {
    makeFolder(inside(folder, shown, `${CLUSTER}/${LOGS}`))
    return LineFile.create(folder, shown, `${CLUSTER}/${LOGS}/${name}`)
  } catch (error) {
    throw writeFailure(error, shown, 'a folder that can be written')
  }
}

/** Reads the logs of all attempts, each line once. */
export class AttemptLogs {
  readonly #folder: string
  readonly #shown: string
  /** Bytes read, by file. */
  readonly #read = new Map<string, number>()

  /** @param folder of the sweep or reproduction @param shown the folder as the user named it */
  constructor(folder: string, shown: string) {
    this.#folder = folder
    this.#shown = shown
  }

  /**
   * Lines since the last call, parsed, without notes; undefined for a line that is not JSON. Throws InputError for a log that
   * is no regular file, and errors of the system.
   */
  next(): unknown[] {
    const logs = inside(this.#folder, this.#shown, `${CLUSTER}/${LOGS}`)
    if (!existsSync(logs)) return []
    const names = namesIn(logs, path.join(this.#shown, CLUSTER, LOGS)).filter((name) => name.endsWith(ENDING))
    return names.toSorted().flatMap((name) => {
      const log = `${CLUSTER}/${LOGS}/${name}`
      const { lines, length } = readLines(this.#folder, this.#shown, log, this.#read.get(name) ?? 0)
      this.#read.set(name, length)
      return lines.filter((line) => !isNote(line))
    })
  }
}

function namesIn(folder: string, shown: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw fileMistake(error, shown, 'a folder of logs')
  }
}

/** Who makes an attempt: not part of any result. */
export interface AttemptNote {
  readonly attempt: { readonly host: string; readonly pid: number; readonly at: string; readonly threads: number }
}

function isNote(line: unknown): boolean {
  return typeof line === 'object' && line !== null && 'attempt' in line
}
