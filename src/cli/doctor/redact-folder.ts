/**
 * doctor --redact: a copy of a collected folder in which names, addresses and free text are replaced. It gets its name when it
 * is whole, and is diagnosed before, beside the original.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { headroomNeed } from '../../doctor/platforms/headroom-need.ts'
import { InputError, inputError } from '../../core/base/issue.ts'
import { counted } from '../../core/findings/index.ts'
import { type DeviceFile, devicesNamedIn, diagnose, fabricOf, type Diagnosis, Redactor } from '../../doctor/index.ts'
import { factsTable } from '../../show/index.ts'
import type { Context } from '../context.ts'
import { writeText } from '../files/files.ts'
import { makeFolder } from '../files/folders.ts'
import { nothingRead } from './collected-fabric.ts'
import { fillNewFolder } from './new-folder.ts'
import type { Skipped } from './found.ts'
import { COLLECTED, type CollectedFolder, collectedFolder, EDGES } from './collected-folder.ts'

export interface RedactOptions {
  /** Folder or archive that is read, as the user named it. */
  readonly input: string
  readonly out: string
  /** File for what stands for what. */
  readonly map?: string
}

/** Contents of the copy. */
interface Redacted {
  readonly files: number
  readonly devices: number
  /** Files that cannot be known to be harmless, or that nobody could read. */
  readonly leftOut: readonly Skipped[]
  /** Rules that say something else of the copy. */
  readonly differing: readonly string[]
}

const fault = (path_: string, expected: string, received: string, hint = ''): InputError =>
  inputError(path_, expected, received, hint)

/** Throws InputError, Failure. */
export function redactFolder(
  context: Context,
  collected: CollectedFolder,
  options: RedactOptions,
  isJson: boolean,
): void {
  const { directory } = context
  expectApart(directory, options)
  const made = fillNewFolder(directory, options.out, '--redact', (fresh): Redacted => {
    const { redactor, names, leftOut } = writeCopy(collected, fresh)
    if (names.size === 0) throw nothingRead(options.input, collected)
    const copy = collectedFolder(directory, fresh)
    const differing = differences(collected, copy, redactor, names)
    if (options.map !== undefined) writeText(directory, options.map, mapText(redactor), { force: false })
    return {
      files: [...names.values()].reduce((sum, { size }) => sum + size, 0),
      devices: collected.devices.length,
      leftOut,
      differing,
    }
  })
  const { stdout } = context.process
  if (isJson)
    stdout.write(`${JSON.stringify({ folder: options.out, ...made, leftOut: made.leftOut.map(({ file }) => file) })}\n`)
  else stdout.write(factsTable(rowsOf(options.out, made), context.text))
}

function rowsOf(out: string, { files, devices, leftOut, differing }: Redacted): string[][] {
  return [
    ['redacted', `${counted(files, 'file')} of ${counted(devices, 'device')}: ${out}`],
    ...leftOut.map(({ file, why }, i) => [i === 0 ? 'left out' : '', `${file}: ${why}`]),
    ...(differing.length === 0
      ? [['diagnosis', 'the same as before, except for names']]
      : [['diagnosis', `another one by ${differing.join(', ')}: the copy lacks something that these rules read`]]),
  ]
}

/** Throws InputError for a folder in the one that is read. */
function expectApart(directory: string, { input, out, map }: RedactOptions): void {
  const target = path.resolve(directory, out)
  const isBelow = (file: string, folder: string): boolean => file === folder || file.startsWith(folder + path.sep)
  if (isBelow(target, path.resolve(directory, input)))
    throw fault('--redact', 'a folder beside the one that is read', `one in it: ${out}`, 'name another folder')
  if (map === undefined) return
  const file = path.resolve(directory, map)
  if (isBelow(file, target))
    throw fault('--redact-map', 'a file outside the copy, which is to be given away', map, 'name another file')
  if (statSync(file, { throwIfNoEntry: false }) !== undefined)
    throw fault('--redact-map', 'a new file', `an existing one: ${map}`, 'name another file')
}

/** Names of the copy's files by devices and files of the original, which may have one file together. */
type Names = ReadonlyMap<string, ReadonlyMap<string, string>>

function writeCopy(
  collected: CollectedFolder,
  folder: string,
): { readonly redactor: Redactor; readonly names: Names; readonly leftOut: readonly Skipped[] } {
  const { edges } = collected
  const named: string[] = []
  for (const [, own] of collected.files())
    for (const { file, text, command } of own) named.push(...devicesNamedIn(file, text, command))
  const linked = edges.flatMap(({ deviceA, deviceB }) => [deviceA, deviceB])
  const redactor = new Redactor([...collected.devices, ...linked], named)
  const names = new Map<string, Map<string, string>>()
  const taken = new Set<string>()
  const leftOut: Skipped[] = []
  for (const [device, own] of collected.files()) {
    const box = redactor.device(device)
    mkdirSync(path.join(folder, box), { recursive: true })
    for (const each of own) {
      const text = redactor.text(each.file, each.text, each.command)
      if (text === undefined) {
        leftOut.push({ file: each.file, why: 'of no form that is known' })
        continue
      }
      const name = freeName(`${box}/${redactor.path(belowDevice(each))}`, taken)
      names.set(each.file, (names.get(each.file) ?? new Map<string, string>()).set(device, name))
      makeFolder(path.dirname(path.join(folder, name)))
      writeFileSync(path.join(folder, name), text, { flag: 'wx' })
    }
  }
  if (edges.length > 0) writeFileSync(path.join(folder, EDGES), edgesText(collected, redactor))
  const times = timesText(collected, names, redactor)
  if (times !== '') writeFileSync(path.join(folder, COLLECTED), times)
  return { redactor, names, leftOut: [...leftOut, ...collected.unreadable, ...collected.skipped] }
}

const belowDevice = ({ file }: DeviceFile): string => (file.includes('/') ? file.slice(file.indexOf('/') + 1) : file)

function freeName(name: string, taken: Set<string>): string {
  let free = name
  for (let i = 2; taken.has(free); i++) free = `${name}-${i}`
  taken.add(free)
  return free
}

const field = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

function edgesText({ edges }: CollectedFolder, redactor: Redactor): string {
  const rows = edges.map(({ deviceA, portA, deviceB, portB, cableM }) =>
    [redactor.device(deviceA), redactor.words(portA), redactor.device(deviceB), redactor.words(portB)]
      .map(field)
      .concat(Number.isNaN(cableM) ? '' : String(cableM))
      .join(','),
  )
  return `device_a,port_a,device_b,port_b,cable_m\n${rows.join('\n')}\n`
}

/** Times and commands of the files that are in the copy; '': there are none. */
function timesText({ collected }: CollectedFolder, names: Names, redactor: Redactor): string {
  const rows = [...collected].flatMap(([file, { timeNs, command }]) => {
    return [...(names.get(file)?.values() ?? [])].map(
      (name) => `${name}\t${new Date(timeNs / 1e6).toISOString()}\t${redactor.words(command)}\n`,
    )
  })
  return rows.length === 0 ? '' : `path\ttime\tcommand\n${rows.join('')}`
}

function mapText(redactor: Redactor): string {
  const rows = redactor.mapping.map(({ kind, from, to }) => `${kind}\t${from}\t${to}\n`)
  return `kind\toriginal\treplacement\n${rows.join('')}`
}

/** Rules that say something else of the copy than of the original. */
function differences(original: CollectedFolder, copy: CollectedFolder, redactor: Redactor, names: Names): string[] {
  const of = (collected: CollectedFolder): Diagnosis =>
    diagnose({ fabric: fabricOf(collected.files(), collected.edges), headroomNeed })
  const own = (text: string): string => text
  const before = said(of(original), {
    device: (name) => redactor.device(name),
    port: (name) => redactor.words(name),
    file: (name, device) => names.get(name)?.get(device) ?? name,
  })
  const after = said(of(copy), { device: own, port: own, file: own })
  const rules = new Set<string>()
  for (const [spot, rule] of before) if (!after.has(spot)) rules.add(rule)
  for (const [spot, rule] of after) if (!before.has(spot)) rules.add(rule)
  return [...rules].sort()
}

interface Naming {
  readonly device: (name: string) => string
  readonly port: (name: string) => string
  readonly file: (name: string, device: string) => string
}

/** Rules by all that they say: findings with their places, places at which they hold, and what they lack. */
function said({ findings, missing, held }: Diagnosis, { device, port, file }: Naming): Map<string, string> {
  const spots = findings.flatMap((finding) =>
    [finding, ...finding.also].map(({ subject }): [string, string] => {
      const { device: name = '', interface: own = '', file: from = '', line = 0 } = subject
      const spot = JSON.stringify([finding.severity, finding.id, device(name), port(own), file(from, name), line])
      return [spot, finding.id.toUpperCase()]
    }),
  )
  const lacking = missing.flatMap(({ form, device: name, rules }) =>
    rules.map((rule): [string, string] => [JSON.stringify([rule, form, device(name)]), rule]),
  )
  const holding = Object.entries(held).map(([rule, count]): [string, string] => [`${rule} ${count}`, rule])
  return new Map([...spots, ...lacking, ...holding])
}
