/**
 * Runs the built program as a process, in a folder of its own.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const ROOT: string = path.resolve(import.meta.dirname, '..', '..')
/** Main script of the program. */
export const MAIN: string = path.join(ROOT, 'dist', 'cli', 'main.js')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  readonly child: ChildProcess
  /** Output and exit code, at the end. */
  readonly ended: Promise<Ended>
}

/** Runs `rocelab ARGS` to its end. */
export function rocelab(cwd: string, ...args: string[]): Ended {
  return rocelabWith({}, cwd, ...args)
}

/** Like rocelab, with additional environment variables. */
export function rocelabWith(variables: Readonly<Record<string, string>>, cwd: string, ...args: string[]): Ended {
  const env = { ...process.env, ...variables }
  const run = spawnSync(process.execPath, [main(), ...args], { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 })
  return { code: run.status, stdout: run.stdout, stderr: run.stderr }
}

/** Starts `rocelab ARGS` without waiting for its end. */
export function startRocelab(cwd: string, ...args: string[]): Running {
  const child = spawn(process.execPath, [main(), ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { child, ended }
}

/** A new folder with these files; `clear` removes it. */
export function createFolder(files: Readonly<Record<string, string>> = {}): { folder: string; clear: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-cli-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return { folder, clear: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Resolves a second after the program has installed its signal handlers; a signal before that would just kill it.
 * Detected by SIGHUP, since Node itself handles SIGINT and SIGTERM from the start.
 */
export async function inFlight(child: ChildProcess): Promise<void> {
  const status = `/proc/${child.pid}/status`
  // Bit mask of the signals with handlers; SIGHUP, signal 1, is the lowest bit.
  const caught = (): number =>
    Number.parseInt(/^SigCgt:\s*\w*(\w{8})$/m.exec(readFileSync(status, 'utf8'))?.[1] ?? '0', 16)
  await until(() => process.platform !== 'linux' || (caught() & 1) === 1)
  await new Promise((resolve) => {
    setTimeout(resolve, 1000)
  })
}

/** Waits until `holds` returns true; throws after the timeout. */
export async function until(holds: () => boolean, timeoutMs = 60_000): Promise<void> {
  const endMs = performance.now() + timeoutMs
  while (!holds()) {
    if (performance.now() > endMs) throw new Error('timed out')
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
}

/** Four hosts send to one at the same time: takes about 0.1 s to run. */
export const SMALL = `name: small
topology: {kind: star, hosts: 5}
workload:
  - {kind: incast, senders: 4, receiver: 4, sizeEach: 100KB}
`

/** Runs for minutes unless it is stopped. */
export const ENDLESS = `name: endless
topology: {kind: star, hosts: 9}
workload:
  - {kind: closed-loop, pairs: ["0-7 8"], messageSize: 1GB, messages: 1000}
`

function main(): string {
  if (!existsSync(MAIN)) throw new Error('dist is missing: npm test builds it')
  return MAIN
}
