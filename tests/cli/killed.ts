/**
 * Every state of the disk that a killed command can leave: the command is run once, and its folder is copied before each
 * operation on it and in the middle of each write (kill-at.mjs). A kill leaves just that, as writes survive the process.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { MAIN } from './program.ts'

const PRELOAD = path.join(import.meta.dirname, 'kill-at.mjs')

export interface Photos {
  /** Copies of the folder at each moment with a new state, in order. */
  readonly folders: readonly string[]
  /** Numbers of these moments. */
  readonly moments: readonly number[]
  readonly clear: () => void
}

/** Runs `rocelab ARGS` in the folder and copies it at every moment. */
export function photograph(folder: string, ...args: string[]): Photos {
  const photos = mkdtempSync(path.join(tmpdir(), 'rocelab-photos-'))
  const { status, stderr } = start(folder, { ROCELAB_PHOTOS: photos }, args)
  if (status !== 0) throw new Error(`exit code ${String(status)}: ${stderr}`)
  const seen = new Set<string>()
  const moments = readdirSync(photos)
    .map(Number)
    .toSorted((a, b) => a - b)
    .filter((moment) => {
      const state = JSON.stringify(treeOf(path.join(photos, String(moment))))
      const isNew = !seen.has(state)
      seen.add(state)
      return isNew
    })
  return {
    folders: moments.map((moment) => path.join(photos, String(moment))),
    moments,
    clear: () => rmSync(photos, { recursive: true, force: true }),
  }
}

/** Runs `rocelab ARGS` in the folder and kills it at a moment. */
export function killAt(folder: string, moment: number, ...args: string[]): void {
  const { signal } = start(folder, { ROCELAB_KILL_AT: String(moment) }, args)
  if (signal !== 'SIGKILL') throw new Error('was not killed')
}

/** Every file below a folder with a hash of its bytes, and folders with a slash; process ids are masked. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const file = path.join(folder, name)
      const shown = name.replaceAll(/\.tmp-\d+/g, '.tmp-PID')
      return statSync(file).isDirectory() ? [`${shown}/`, ''] : [shown, hashOf(readFileSync(file))]
    }),
  )
}

/** Like treeOf, without contents that differ from run to run: times and process ids. */
export function stableTreeOf(folder: string): Readonly<Record<string, string>> {
  const passing = /(?:cost\.json|\.lock)$/
  return Object.fromEntries(
    Object.entries(treeOf(folder)).map(([name, data]) => [name, passing.test(name) ? '' : data]),
  )
}

/** Temporary files and locks below a folder. */
export function litterIn(folder: string): string[] {
  return Object.keys(treeOf(folder)).filter((name) => /(?:^|\/)\.|\.lock$/.test(name))
}

function hashOf(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 16)
}

function start(folder: string, variables: Readonly<Record<string, string>>, args: readonly string[]) {
  mkdirSync(folder, { recursive: true })
  const env = { ...process.env, ...variables, ROCELAB_WATCHED: folder }
  const options = { cwd: folder, env, encoding: 'utf8', maxBuffer: 1 << 28 } as const
  return spawnSync(process.execPath, ['--import', PRELOAD, MAIN, ...args], options)
}
