/**
 * Damaged and foreign folders, drawn: each command refuses them with exit code 2 and a line for each mistake, or gives what
 * it gives for the whole folder. None ends in a stack trace, takes longer than 10 s, or touches anything outside.
 * ROCELAB_BUDGET multiplies the number of cases (80 makes 4,000 of them); ROCELAB_SEED repeats a run.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, type Ended, rocelab } from '../cli/program.ts'
import { Commands } from '../support/commands.ts'
import { Dice } from '../swarm/dice.ts'
import * as damage from './damage.ts'

const COUNT = Math.max(1, Math.round(50 * Number(process.env['ROCELAB_BUDGET'] ?? '1')))
const SEED = Number(process.env['ROCELAB_SEED'] ?? '20261126')
const TIME_LIMIT_MS = 10_000

const RICH = `name: rich
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 3}
workload:
  - {kind: incast, senders: 4, receiver: 5, sizeEach: 60KB, tag: a}
  - {kind: incast, senders: 4, receiver: 1, sizeEach: 60KB, tag: b}
observe: [queue-depth, pause-intervals, pause-log, pause-tree, deadlock, drops, goodput, pair-goodput, rates, link-use, nic-receive, watchdog, watermarks, autopsy, server-state]
`
const SMALL = `name: small
topology: {kind: star, hosts: 3}
workload: [{kind: incast, senders: 2, receiver: 2, sizeEach: 20KB}]
`

/** A command, what it reads, and what shows its answer. */
interface Form {
  readonly args: readonly string[]
  readonly damage: (dice: Dice, work: string) => Damage | Promise<Damage>
  /** Files and folders that it writes. */
  readonly writes?: readonly string[]
  readonly weight: number
}
type Damage = damage.Damage

let at: ReturnType<typeof createFolder>
/** The files that every case starts from, and where it works. */
let whole = ''
let work = ''
let outside = ''
const commands = new Commands()

beforeAll(() => {
  at = createFolder({
    'whole/rich.yaml': RICH,
    'whole/small.yaml': SMALL,
    'outside/file': 'precious',
    'outside/deep/file': 'precious',
  })
  whole = path.join(at.folder, 'whole')
  // Beside `outside`, which is "../../outside" of the folders in it.
  work = path.join(at.folder, 'work')
  outside = path.join(at.folder, 'outside')
  const run = (...args: string[]): void => {
    const { code, stderr } = rocelab(whole, ...args)
    expect(code, stderr).toBe(0)
  }
  run('run', 'rich.yaml', '--out', 'res', '--quiet')
  run('run', 'rich.yaml', '--set', 'congestion.kind=dcqcn', '--out', 'other', '--quiet')
  for (const name of ['res', 'other']) {
    for (const file of damage.filesIn(path.join(whole, name))) {
      if (file.endsWith('.csv')) rmSync(path.join(whole, name, file))
    }
  }
  run(
    'sweep',
    'small.yaml',
    '--seeds',
    '2',
    '--param',
    'congestion.kind=none,dcqcn',
    '--out',
    'swept',
    '--keep',
    'flows',
    '--quiet',
  )
  run('sweep', 'small.yaml', '--seeds', '2', '--on', 'files', '--out', 'planned', '--quiet')
}, 120_000)
afterAll(() => {
  commands.stop()
  at.clear()
})

const RESULT = [
  'result.json',
  'flows.parquet',
  'scenario.yaml',
  'series/link-use.parquet',
  'series/autopsy.parquet',
  'series/pause-tree.parquet',
]
const SWEEP = [
  'points.jsonl',
  'sweep.json',
  'sweep.lock',
  'program.lock',
  'flows',
  'cluster',
  'cluster/logs',
  'cluster/logs/x.jsonl',
]
const TASK = /task-0\.jsonl$/

/** A result that is read. */
async function readDamage(dice: Dice, folder: string): Promise<Damage> {
  const res = path.join(folder, 'res')
  const draw = dice.from(0, 9)
  if (draw < 4)
    return damage.accident(
      dice,
      res,
      damage.filesIn(res).filter((name) => name !== 'cost.json'),
    )
  if (draw < 8) return damage.forgedResult(dice, res)
  if (draw === 8) return damage.otherKind(dice, res, RESULT, outside)
  return damage.forgedJournal(dice, res)
}

/** A folder that is written. */
function writtenDamage(name: string, files: readonly string[]) {
  return (dice: Dice, folder: string): Damage =>
    dice.chance(0.6)
      ? damage.forgedJournal(dice, path.join(folder, name))
      : damage.otherKind(dice, path.join(folder, name), files, outside)
}

const FORMS: readonly Form[] = [
  { args: ['explain', 'res', '--json', '--quiet'], damage: readDamage, weight: 8 },
  { args: ['explain', 'res', '--flow', '1'], damage: readDamage, weight: 2 },
  { args: ['compare', 'res', 'other', '--json'], damage: readDamage, weight: 6 },
  { args: ['report', 'res', '--out', 'page.html'], damage: readDamage, writes: ['page.html'], weight: 8 },
  { args: ['plot', 'res', '--out', 'figures'], damage: readDamage, writes: ['figures'], weight: 3 },
  {
    args: ['run', 'small.yaml', '--out', 'res', '--force', '--quiet'],
    damage: writtenDamage('res', [...RESULT, 'digest.txt', 'summary.json', 'program.lock', 'series']),
    weight: 3,
  },
  {
    args: ['plot', 'other', '--out', 'res'],
    damage: writtenDamage('res', ['program.lock', 'flow-times.svg']),
    weight: 1,
  },
  { args: ['report', 'swept', '--out', 'page.html'], damage: sweptDamage, writes: ['page.html'], weight: 2 },
  {
    args: [
      'sweep',
      'small.yaml',
      '--seeds',
      '2',
      '--param',
      'congestion.kind=none,dcqcn',
      '--out',
      'swept',
      '--keep',
      'flows',
      '--quiet',
      '--csv',
      '--jobs',
      '1',
    ],
    damage: loggedDamage,
    weight: 2,
  },
  {
    args: ['task', 'TASK', '--quiet', '--jobs', '1'],
    damage: (dice, folder) => {
      const name = taskOf(folder)
      return dice.chance(0.7)
        ? damage.damagedLines(dice, path.join(folder, 'planned'), name)
        : damage.otherKind(
            dice,
            path.join(folder, 'planned'),
            [name, 'points.jsonl', 'cluster/logs', 'cluster/logs/x.jsonl'],
            outside,
          )
    },
    weight: 2,
  },
  {
    args: ['reproduce', 'igbn', '--size', 'small', '--out', 'res'],
    damage: (dice, folder) => {
      writeFileSync(path.join(folder, 'res', '.incoming'), 'no folder')
      return { text: `a file .incoming, ${dice.from(0, 9)}`, isAccident: false }
    },
    weight: 1,
  },
]

function sweptDamage(dice: Dice, folder: string): Damage {
  const swept = path.join(folder, 'swept')
  if (dice.chance(0.2)) return damage.otherKind(dice, swept, ['sweep.json'], outside)
  if (dice.chance(0.2)) return damage.forgedJournal(dice, swept)
  const file = path.join(swept, 'sweep.json')
  const { text, where } = damage.forgedJson(dice, readFileSync(file, 'utf8'))
  writeFileSync(file, text)
  return { text: `forged sweep.json${where}`, isAccident: false }
}

function loggedDamage(dice: Dice, folder: string): Damage {
  const swept = path.join(folder, 'swept')
  const draw = dice.from(0, 9)
  if (draw < 2) return damage.forgedJournal(dice, swept)
  if (draw < 4) return damage.otherKind(dice, swept, SWEEP, outside)
  // Points that are not whole are run again, so that the table is the same.
  return { ...damage.damagedLines(dice, swept, 'points.jsonl'), isAccident: false }
}

function taskOf(folder: string): string {
  return damage.filesIn(path.join(folder, 'planned')).find((name) => TASK.test(name))!
}

/** Everything below a folder, with contents. */
function treeOf(top: string): Record<string, string> {
  const entries = readdirSync(top, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return [path.relative(top, file), entry.isFile() ? readFileSync(file, 'base64') : 'no file']
    }),
  )
}

interface Answer extends Ended {
  readonly written: Record<string, string>
}

async function answerOf(form: Form, folder: string): Promise<Answer> {
  const task = path.join('planned', taskOf(whole))
  const ended = await commands.run(
    folder,
    form.args.map((word) => (word === 'TASK' ? task : word)),
    { timeLimitMs: TIME_LIMIT_MS },
  )
  const tree = form.writes === undefined ? {} : treeOf(folder)
  const isWritten = (name: string): boolean => form.writes!.some((one) => name === one || name.startsWith(`${one}/`))
  return { ...ended, written: Object.fromEntries(Object.entries(tree).filter(([name]) => isWritten(name))) }
}

/** Why an answer is wrong; nothing if it is right. */
function faultOf({ isAccident }: Damage, answer: Answer, right: Answer): string | undefined {
  const { code, stderr, stdout } = answer
  if (code === null) return stderr
  if (/bug:|\n\s+at |TypeError|RangeError|ReferenceError/.test(stderr)) return stderr
  if (code !== 0) return code === 2 && stderr.trim() !== '' ? undefined : `exit code ${code}: ${stderr}`
  if (!isAccident) return undefined
  const isSame = stdout === right.stdout && JSON.stringify(answer.written) === JSON.stringify(right.written)
  return isSame ? undefined : 'another answer than for the whole folder'
}

test(
  `${COUNT} damaged results and journals, drawn with seed ${SEED}`,
  { timeout: 60_000 + COUNT * 2 * TIME_LIMIT_MS },
  async () => {
    const right = new Map<Form, Answer>()
    const before = JSON.stringify(treeOf(outside))
    const deck = FORMS.flatMap((form) => Array<Form>(form.weight).fill(form))
    const faults: string[] = []
    const codes = new Map<string, number>()
    for (let i = 0; i < COUNT; i++) {
      const dice = new Dice(SEED + i)
      const form = dice.one(deck)
      const fresh = (): void => {
        rmSync(work, { recursive: true, force: true })
        cpSync(whole, work, { recursive: true })
      }
      if (!right.has(form)) {
        fresh()
        right.set(form, await answerOf(form, work))
      }
      fresh()
      const done = await form.damage(dice, work)
      const answer = await answerOf(form, work)
      const fault = faultOf(done, answer, right.get(form)!)
      const what = `case ${i}: ${form.args.slice(0, 2).join(' ')}, ${done.text}`
      const note = (text: string): void => {
        faults.push(`${what}: ${text}`)
        console.log(faults.at(-1))
      }
      if (fault !== undefined) note(fault)
      if (JSON.stringify(treeOf(outside)) !== before) {
        note('something outside was touched')
        rmSync(outside, { recursive: true, force: true })
        mkdirSync(path.join(outside, 'deep'), { recursive: true })
        for (const name of ['file', 'deep/file']) writeFileSync(path.join(outside, name), 'precious')
      }
      const key = `${form.args[0]} ${answer.code}`
      codes.set(key, (codes.get(key) ?? 0) + 1)
    }
    console.log(`commands and their exit codes: ${JSON.stringify(Object.fromEntries(codes))}`)
    // Neither is every folder refused, nor none.
    expect([...codes.keys()].some((key) => key.endsWith(' 2'))).toBe(true)
    expect([...codes.keys()].some((key) => key.endsWith(' 0'))).toBe(true)
    expect(faults).toEqual([])
  },
)
