/**
 * Doors under spoilt files: none crashes, hangs, or touches anything outside its folder. ROCELAB_BUDGET=400 takes 100,000 of
 * them and prints what each door took; ROCELAB_DOOR, an expression, takes doors by their names, ROCELAB_FROM the
 * inputs from a number on, ROCELAB_SEED other spoilt files.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { run } from '@stricli/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Draw } from '../../../src/core/base/draw.ts'
import { InputError } from '../../../src/core/base/issue.ts'
import { application } from '../../../src/cli/application.ts'
import { createFolder } from '../../cli/program.ts'
import { type CommandDoor, type Door, DOORS, type Files } from './doors.ts'
import { HOSTILE_NAMES, spoiltBytes, spoiltText } from './spoil.ts'

const BUDGET = Number(process.env['ROCELAB_BUDGET'] ?? 1)
const FIRST_SEED = Number(process.env['ROCELAB_SEED'] ?? 40_000)
const FROM = Number(process.env['ROCELAB_FROM'] ?? 0)
const ONLY = new RegExp(process.env['ROCELAB_DOOR'] ?? '')
const FULL_BUDGET = 400
const inputsOf = ({ share }: Door): number => Math.max(4, Math.round((share * BUDGET) / FULL_BUDGET))
/** Drawn files of a door, of which each input spoils one. */
const VARIANTS = 8
const HANG_MS = 60_000

/** Ends the process if nothing moves: a thread that hangs can end nothing itself. */
const WATCHDOG = `
  const { workerData: { moves, text, hangMs, pid } } = require('node:worker_threads')
  let last = -1
  setInterval(() => {
    const now = Atomics.load(moves, 0)
    if (now === last && now % 2 === 1) {
      require('node:fs').writeSync(2, 'hang: ' + Buffer.from(text).toString().replace(/\\0+$/, '') + '\\n')
      process.kill(pid, 'SIGKILL')
    }
    last = now
  }, hangMs)`
const moves = new Int32Array(new SharedArrayBuffer(4))
const running = new Uint8Array(new SharedArrayBuffer(200))

let at: ReturnType<typeof createFolder>
let watchdog: Worker
beforeAll(async () => {
  at = createFolder({ 'outside/file': 'precious', 'result.yaml': RESULT })
  watchdog = new Worker(WATCHDOG, {
    eval: true,
    workerData: { moves, text: running, hangMs: HANG_MS, pid: process.pid },
  })
  const ended = await command(at.folder, ['run', 'result.yaml', '--out', 'res', '--quiet'])
  if (ended.code !== 0) throw new Error(ended.stderr)
})
afterAll(async () => {
  await watchdog.terminate()
  at.clear()
})

const RESULT = `name: r
topology: {kind: star, hosts: 3}
workload: [{kind: incast, senders: 2, receiver: 2, sizeEach: 20KB}]
observe: [queue-depth, pause-log, drops, goodput, rates, link-use, watermarks]
`

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function command(directory: string, words: readonly string[]): Promise<Ended> {
  let [stdout, stderr] = ['', '']
  const own = {
    stdout: { write: (text: string) => void (stdout += text), getColorDepth: () => 1 },
    stderr: { write: (text: string) => void (stderr += text), getColorDepth: () => 1 },
    env: {},
    exitCode: 0 as number | string | null,
  }
  const context = { process: own, directory, env: {}, text: { ascii: true }, terminal: undefined }
  await run(application, words, context)
  return { code: Number(own.exitCode ?? 0), stdout, stderr }
}

/** Why an end is none that a spoilt file may have; undefined: it may. */
function faultOf({ code, stdout, stderr }: Ended): string | undefined {
  if (![0, 2, 3].includes(code) || /bug:|\n\s+at |(?:Type|Range|Reference|Syntax)Error/.test(stderr))
    return `exit code ${code}: ${stderr}`
  if (code === 2 && stderr.trim() === '') return 'exit code 2 without a word'
  // eslint-disable-next-line no-control-regex
  const [control] = /.{0,80}[\u0000-\u0008\u000B-\u001F].{0,80}/.exec(stdout + stderr) ?? []
  if (control !== undefined) return `a control character in ${JSON.stringify(control)}`
  return undefined
}

const isCommand = (door: Door): door is CommandDoor => 'runs' in door

interface Counts {
  inputs: number
  slowestMs: number
  slowest: string
  rssBytes: number
  refused: number
}

interface Room {
  readonly folder: string
  readonly files: Files
}

async function roomOf(door: Door, variant: number): Promise<Room> {
  const folder = path.join(at.folder, 'room')
  rmSync(folder, { recursive: true, force: true })
  const made = await door.files(FIRST_SEED + variant)
  const files = door.name === 'result folder' ? filesBelow(at.folder, 'res') : made
  if (isCommand(door))
    for (const [file, bytes] of Object.entries(files)) {
      mkdirSync(path.join(folder, path.dirname(file)), { recursive: true })
      writeFileSync(path.join(folder, file), bytes)
    }
  return { folder, files }
}

function filesBelow(folder: string, name: string): Files {
  const entries = readdirSync(path.join(folder, name), { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), readFileSync(file)]),
  )
}

const treeOf = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()

/** Spoils a file of a folder, runs a command in it, and puts everything back. */
async function tried(door: CommandDoor, { folder, files }: Room, victim: string, bytes: Uint8Array, draw: Draw) {
  const file = path.join(folder, victim)
  const renamed =
    door.renames === true && draw.chance(0.2) ? path.join(path.dirname(file), draw.one(HOSTILE_NAMES)) : file
  if (renamed !== file) renameSync(file, renamed)
  writeFileSync(renamed, bytes)
  const before = treeOf(at.folder)
  const words = draw.one(door.runs).map((word) => (word === 'VICTIM' ? victim : word))
  const ended = await command(folder, words)
  const written = (door.writes ?? []).map((name) => path.join(folder, name))
  for (const each of written) rmSync(each, { recursive: true, force: true })
  const left = treeOf(at.folder).filter((name, i) => name !== before[i])
  const isTouched = left.length > 0 || readFileSync(path.join(at.folder, 'outside/file'), 'utf8') !== 'precious'
  if (renamed !== file) rmSync(renamed)
  writeFileSync(file, files[victim]!)
  return { ended, fault: isTouched ? `it wrote ${left.join(', ')}` : faultOf(ended) }
}

async function outcomeOf(door: Door, room: Room, victim: string, bytes: Uint8Array, draw: Draw) {
  if (isCommand(door)) {
    const { ended, fault } = await tried(door, room, victim, bytes, draw)
    return { fault, isRefused: ended.code === 2 }
  }
  try {
    door.read(bytes, room.files, victim)
    return { fault: undefined, isRefused: false }
  } catch (error) {
    const isClear = error instanceof InputError && error.issues.length > 0
    return {
      fault: isClear ? undefined : `threw ${String(error)} ${error instanceof Error ? error.stack : ''}`,
      isRefused: true,
    }
  }
}

async function spoiltInput(door: Door, room: Room, draw: Draw, what: string, counts: Counts) {
  const victims = Object.keys(room.files).filter((file) => door.victims?.test(file) ?? true)
  const victim = draw.one(victims)
  const [own, other] = [room.files[victim]!, room.files[draw.one(victims)]!]
  const isText = door.spoil === 'text' || (door.spoil === 'both' && draw.chance(0.7))
  const bytes = (isText ? spoiltText : spoiltBytes)(own, draw, other)
  const begin = performance.now()
  running.fill(0)
  running.set(Buffer.from(`${what}, ${victim}`).subarray(0, running.length))
  Atomics.add(moves, 0, 1)
  const { fault, isRefused } = await outcomeOf(door, room, victim, bytes, draw)
  Atomics.add(moves, 0, 1)
  const ms = performance.now() - begin
  counts.inputs++
  if (isRefused) counts.refused++
  if (ms > counts.slowestMs)
    Object.assign(counts, { slowestMs: ms, slowest: `${what}, ${victim}, ${bytes.length} bytes` })
  return fault === undefined ? undefined : { fault, victim, bytes }
}

test.each(DOORS.filter(({ name }) => ONLY.test(name)).map((door) => [door.name, door] as const))(
  '%s: no spoilt file crashes it, has it hang, or leads it out of its folder',
  async (name, door) => {
    const counts: Counts = { inputs: 0, slowestMs: 0, slowest: '', rssBytes: 0, refused: 0 }
    const faults: string[] = []
    const inputs = inputsOf(door)
    for (let variant = 0; variant < Math.min(VARIANTS, inputs); variant++) {
      const room = await roomOf(door, variant)
      const victim = Object.keys(room.files).find((file) => door.victims?.test(file) ?? true)!
      const whole = await outcomeOf(door, room, victim, room.files[victim]!, new Draw(6, 'whole'))
      if (door.mayRefuse !== true && whole.isRefused) faults.push(`${name}: ${victim} is refused as it is`)
      for (let i = variant; i < inputs; i += VARIANTS) {
        if (i < FROM) continue
        const what = `${name}, seed ${FIRST_SEED}, input ${i}`
        const found = await spoiltInput(door, room, new Draw(FIRST_SEED + i, `doors/${name}`), what, counts)
        counts.rssBytes = Math.max(counts.rssBytes, process.memoryUsage.rss())
        if (found === undefined) continue
        faults.push(`${what}, ${found.victim}: ${found.fault}`)
        if (BUDGET > 1) console.info(faults.at(-1)!.slice(0, 2000))
      }
    }
    const { refused, slowestMs, slowest, rssBytes } = counts
    if (BUDGET > 1)
      console.info(
        `door ${name}: ${counts.inputs} inputs, ${faults.length} faults, ${refused} refused, slowest ${Math.round(slowestMs)} ms (${slowest}), memory ${Math.round(rssBytes / 1e6)} MB`,
      )
    expect(faults).toEqual([])
  },
  3_600_000,
)

test('what is planted is found: a crash, an unclear end, a file outside', async () => {
  const planted: Door = {
    name: 'planted',
    share: 1,
    spoil: 'text',
    files: () => ({ a: Buffer.from('{"a": [1, 2]}') }),
    read: (bytes) => void (JSON.parse(Buffer.from(bytes).toString()) as unknown),
  }
  const room = await roomOf(planted, 0)
  const counts: Counts = { inputs: 0, slowestMs: 0, slowest: '', rssBytes: 0, refused: 0 }
  const found = await Promise.all(
    Array.from({ length: 20 }, (_, i) => spoiltInput(planted, room, new Draw(i, 'planted'), 'planted', counts)),
  )
  expect(found.filter((one) => one !== undefined).length).toBeGreaterThan(10)
  expect(faultOf({ code: 1, stdout: '', stderr: 'rocelab: bug: x' })).toContain('bug')
  expect(faultOf({ code: 2, stdout: '', stderr: '' })).toContain('without a word')
  expect(faultOf({ code: 0, stdout: 'a\u001B[31m', stderr: '' })).toContain('control')
  expect(faultOf({ code: 2, stdout: '', stderr: 'a: expected b, received c\n' })).toBeUndefined()
  const writing: CommandDoor = {
    ...planted,
    victims: /^in/,
    files: () => ({ 'in.yaml': Buffer.from(RESULT) }),
    runs: [['run', '../result.yaml', '--out', '../left', '--quiet']],
  }
  const own = await roomOf(writing, 0)
  const { fault } = await tried(writing, own, 'in.yaml', Buffer.from(''), new Draw(1, 'x'))
  rmSync(path.join(at.folder, 'left'), { recursive: true })
  expect(fault).toContain('it wrote')
})
