/**
 * Damage: one change of a folder that a command then reads, drawn. Accidents leave checksums as they are; forgeries, as of
 * somebody who writes such a file, are without.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Column, readParquet, type Table, writeParquet } from '../../src/core/results/index.ts'
import type { Dice } from '../swarm/dice.ts'

export interface Damage {
  readonly text: string
  /** The command has to refuse the folder, or give what it gives for the whole one. */
  readonly isAccident: boolean
}

/** Files below a folder, relative to it. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted()
}

/** Flips bits, cuts, or overwrites a part of a file. */
export function accident(dice: Dice, folder: string, names: readonly string[]): Damage {
  const name = dice.one(names)
  const file = path.join(folder, name)
  const bytes = readFileSync(file)
  if (bytes.length === 0) return { text: `${name}: none`, isAccident: true }
  const at = dice.from(0, bytes.length - 1)
  const kind = dice.one(['bit', 'bit', 'bit', 'cut', 'zeros', 'noise'])
  if (kind === 'cut') {
    truncateSync(file, at)
  } else {
    const length = kind === 'bit' ? 1 : Math.min(dice.log(1, 400), bytes.length - at)
    for (let i = at; i < at + length; i++) {
      bytes[i] = kind === 'bit' ? bytes[i]! ^ (1 << dice.from(0, 7)) : kind === 'zeros' ? 0 : dice.from(0, 255)
    }
    writeFileSync(file, bytes)
  }
  return { text: `${name}: ${kind} at ${at}`, isAccident: true }
}

const NO_TREES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e300,
  2 ** 53,
  '',
  'x',
  '../../victim',
  'x'.repeat(3000),
]
const VALUES: readonly unknown[] = [...NO_TREES, [], [null], ['../victim'], {}, { a: 1 }]

/** Replaces or removes a value of a JSON text. */
export function forgedJson(dice: Dice, text: string): { readonly text: string; readonly where: string } {
  const tree = JSON.parse(text) as object
  const found: [parent: Record<string, unknown>, key: string, where: string][] = []
  const visit = (parent: Record<string, unknown>, where: string): void => {
    for (const [key, value] of Object.entries(parent)) {
      found.push([parent, key, `${where}.${key}`])
      if (typeof value === 'object' && value !== null) visit(value as Record<string, unknown>, `${where}.${key}`)
    }
  }
  visit(tree as Record<string, unknown>, '')
  const [parent, key, where] = dice.one(found)
  if (dice.chance(0.2)) delete parent[key]
  else parent[key] = dice.one(VALUES)
  return { text: JSON.stringify(tree), where }
}

/** Removes the checksums of a result: it is as from a program that wrote none. */
export function withoutChecksums(folder: string): void {
  const file = path.join(folder, 'result.json')
  const { sha256: _, ...head } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  writeFileSync(file, JSON.stringify(head))
}

/** A field of result.json, a column of a table, or a bit of its file. */
export async function forgedResult(dice: Dice, folder: string): Promise<Damage> {
  withoutChecksums(folder)
  if (dice.chance(0.3)) {
    const file = path.join(folder, 'result.json')
    const { text, where } = forgedJson(dice, readFileSync(file, 'utf8'))
    writeFileSync(file, text)
    return { text: `forged result.json${where}`, isAccident: false }
  }
  const name = dice.one(filesIn(folder).filter((each) => each.endsWith('.parquet')))
  const file = path.join(folder, name)
  if (dice.chance(0.3)) return { ...accident(dice, folder, [name]), isAccident: false }
  const { table, where } = forgedTable(dice, await readParquet(new Uint8Array(readFileSync(file)), name))
  writeFileSync(file, writeParquet(table))
  return { text: `forged ${name}: ${where}`, isAccident: false }
}

function forgedTable(dice: Dice, table: Table): { readonly table: Table; readonly where: string } {
  const at = dice.from(0, table.columns.length - 1)
  const column = table.columns[at]!
  const kind = dice.one(['drop', 'text', 'number', 'integer', 'cells', 'cells', 'cells', 'rows'])
  const where = `${column.name} ${kind}`
  if (kind === 'rows') {
    const columns = table.columns.map((each): Column => {
      if (each.type === 'text') return { ...each, data: [...each.data, ...each.data].reverse() }
      return { ...each, data: Float64Array.from([...each.data, ...each.data]).reverse() }
    })
    return { table: { ...table, rowCount: 2 * table.rowCount, columns }, where }
  }
  const changed = kind === 'drop' ? [] : [changedColumn(dice, column, kind)]
  return { table: { ...table, columns: table.columns.toSpliced(at, 1, ...changed) }, where }
}

const NUMBERS = [0, 1, -1, 0.5, 1e300, -1e300, NaN, Infinity, 2 ** 53 - 1, 2 ** 31, 1e9, 1e12]

function changedColumn(dice: Dice, { name, type, data }: Column, kind: string): Column {
  if (kind === 'text') return { name, type: 'text', data: Array.from(data, String) }
  if (kind === 'number') return { name, type: 'number', data: Float64Array.from(data as ArrayLike<unknown>, Number) }
  const isInteger = kind === 'integer' || type === 'integer'
  const wild = NUMBERS.filter((value) => !isInteger || Number.isSafeInteger(value))
  const share = dice.one([0.01, 0.5, 1])
  if (type === 'text' && kind === 'cells') {
    const texts = ['', '<b>', '\0', 'x'.repeat(5000), 'finished', '1']
    return { name, type, data: data.map((value) => (dice.chance(share) ? dice.one(texts) : value)) }
  }
  const values = Float64Array.from(data as ArrayLike<unknown>, (value) => {
    const known = Number(value)
    if (dice.chance(share)) return dice.one(wild)
    return isInteger && !Number.isSafeInteger(known) ? 0 : known
  })
  return { name, type: isInteger ? 'integer' : 'number', data: values }
}

/** A system program, which may be missing. */
const MAKE_PIPE = 'mkfifo'

/** A pipe, a folder, nothing, or a link to what is outside, in the place of a file. */
export function otherKind(dice: Dice, folder: string, names: readonly string[], outside: string): Damage {
  const name = dice.one(names)
  const file = path.join(folder, name)
  rmSync(file, { recursive: true, force: true })
  mkdirSync(path.dirname(file), { recursive: true })
  const kind = dice.one(['pipe', 'folder', 'nothing', 'link', 'folder link', 'device', 'dead link'])
  if (kind === 'pipe') spawnSync(MAKE_PIPE, [file])
  else if (kind === 'folder') mkdirSync(file)
  else if (kind === 'link') symlinkSync(path.join(outside, 'file'), file)
  else if (kind === 'folder link') symlinkSync(outside, file)
  else if (kind === 'device') symlinkSync('/dev/zero', file)
  else if (kind === 'dead link') symlinkSync(path.join(outside, 'nothing'), file)
  return { text: `${name}: ${kind}`, isAccident: false }
}

const NAMES = [
  '../../outside',
  '../../outside/file',
  '..',
  '.',
  '',
  '/etc/passwd',
  'a/../../../outside',
  'digest.txt',
  'series',
]

/** The journal of an exchange that was never begun, or not by this program. */
export function forgedJournal(dice: Dice, folder: string): Damage {
  const names = (): unknown[] =>
    Array.from({ length: dice.from(0, 3) }, () => dice.one([...NAMES, ...NAMES, null, 3, []]))
  const text = dice.one([
    JSON.stringify({ leaving: names(), coming: [...names(), 'evil.txt'] }),
    JSON.stringify({ leaving: names(), coming: names() }),
    forgedJson(dice, '{"leaving": ["../../outside", "digest.txt"], "coming": ["evil.txt", "../../outside/file"]}').text,
    dice.one(['', 'null', '{', '[1]', '"x"', '\0', '['.repeat(100_000)]),
  ])
  mkdirSync(path.join(folder, '.incoming'), { recursive: true })
  writeFileSync(path.join(folder, '.incoming', 'evil.txt'), 'evil')
  writeFileSync(path.join(folder, '.incoming', '.journal.json'), text)
  return { text: `journal ${text.slice(0, 200)}`, isAccident: false }
}

/** A line of a log, cut, changed, or with other values. */
export function damagedLines(dice: Dice, folder: string, name: string): Damage {
  const file = path.join(folder, name)
  const lines = readFileSync(file, 'utf8').split('\n')
  const at = dice.from(0, Math.max(0, lines.length - 2))
  const line = lines[at]!
  const kind = dice.one(['field', 'field', 'field', 'cut', 'other', 'twice'])
  if (kind === 'field') lines[at] = forgedJson(dice, line).text
  else if (kind === 'cut') lines[at] = line.slice(0, dice.from(0, line.length))
  else if (kind === 'twice') lines.push(line, '')
  else {
    const { key } = JSON.parse(line) as { key?: string }
    const parts = [null, {}, { isInput: 1 }, 3, { isInput: true, message: null }]
    lines[at] = JSON.stringify(
      dice.one([{ key, failed: dice.one(parts) }, { key, stopped: null }, null, [], 7, { key: 1 }]),
    )
  }
  writeFileSync(file, lines.join('\n'))
  return { text: `${name}, line ${at}: ${kind}`, isAccident: false }
}
