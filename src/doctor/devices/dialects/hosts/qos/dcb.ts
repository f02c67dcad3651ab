/**
 * dcb pfc|app|buffer|ets|apptrust show dev IF: QoS of a port as the kernel knows it, as text or with -j as JSON: one object,
 * several one below the other, or all of them in one object under their names.
 * Source: iproute2, dcb/dcb_{pfc,app,buffer,ets,apptrust}.c. Entries of maps may end with a text that means nothing.
 */
import { readYaml, type YamlText } from '../../../../../core/notation/index.ts'
import { CLASS_COUNT } from '../../../../../core/device-model/index.ts'
import type { Dialect } from '../../dialect.ts'
import type { Facts, PortFacts } from '../../facts.ts'
import type { Line, Part } from '../../text.ts'
import { positionsOf } from '../../words.ts'
import { dscpIn, putSchedules, wholeIn } from '../host-words.ts'

type Fields = Readonly<Record<string, unknown>>
type Keys = readonly (string | number)[]

const SECTIONS: readonly string[] = ['pfc', 'app', 'buffer', 'ets', 'apptrust']

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Eight values; undefined: not a list of eight that `read` understands. */
function eight<T>(value: unknown, read: (one: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value) || value.length !== CLASS_COUNT) return undefined
  const values = value.map(read)
  return values.every((one) => one !== undefined) ? values : undefined
}

const flag = (one: unknown): boolean | undefined =>
  one === true || one === 1 || one === 'on' ? true : one === false || one === 0 || one === 'off' ? false : undefined
const whole = (one: unknown): number | undefined => wholeIn(String(one), Number.MAX_SAFE_INTEGER)
const word = (one: unknown): string | undefined => (typeof one === 'string' ? one : undefined)

/** Lists of eight values: the field that each is, if it is one of its own. */
const EIGHTS: Readonly<Record<string, readonly [field: string, read: (value: unknown) => number[] | undefined]>> = {
  prio_pfc: ['pfcClasses', (value) => positionsIn(eight(value, flag))],
  prio_buffer: ['nic.bufferOfClass', (value) => eight(value, whole)],
  buffer_size: ['nic.bufferBytes', (value) => eight(value, whole)],
  prio_tc: ['', (value) => eight(value, whole)],
}
const positionsIn = (flags: boolean[] | undefined): number[] | undefined => flags && positionsOf(flags)

/** A text with its lines. */
interface Source {
  readonly yaml: YamlText
  /** Lines of the part above it. */
  readonly above: number
}

/** The whole part as one text, or each line as one. */
function sourcesOf(part: Part): Source[] {
  const yaml = readYaml(part.text)
  if (yaml.readable) return [{ yaml, above: 0 }]
  const sources = part.lines.flatMap(({ text }, above) => (text.trim() === '' ? [] : [{ yaml: readYaml(text), above }]))
  return sources.every((source) => source.yaml.readable) ? sources : []
}

interface Section {
  readonly fields: Fields
  /** Whether all entries of the table of applications are here. */
  readonly isWholeApp: boolean
  readonly lineOf: (keys: Keys) => Line
}

function readSection({ fields, isWholeApp, lineOf }: Section, port: PortFacts, facts: Facts): void {
  for (const [key, [field, read]] of Object.entries(EIGHTS)) {
    if (fields[key] === undefined) continue
    const values = read(fields[key])
    if (values === undefined) facts.remainder.push(lineOf([key]))
    if (field !== '') port.noteAny(field, values, lineOf([key]), 'operational')
    else if (values !== undefined) {
      const [kind, weight] = [eight(fields['tc_tsa'], word) ?? [], eight(fields['tc_bw'], whole) ?? []]
      putSchedules(port, { ofPriority: values, kind, weight }, lineOf([key]), 'operational')
    }
  }
  const { dscp_prio: entries, order } = fields
  // Packets are classified by DSCP where at least one DSCP has a priority.
  if (Array.isArray(entries) && entries.length > 0) {
    port.settings.put('trust', 'dscp', lineOf(['dscp_prio']), 'operational')
    for (const [i, entry] of entries.entries()) {
      const [dscp, priority] = Array.isArray(entry) ? [dscpIn(String(entry[0])), wholeIn(String(entry[1]), 7)] : []
      const line = lineOf(['dscp_prio', i])
      if (dscp === undefined || priority === undefined) facts.remainder.push(line)
      else port.dscp(dscp, priority, line, 'operational')
    }
  } else if (isWholeApp) port.settings.put('trust', 'pcp', lineOf([]), 'operational')
  if (!Array.isArray(order)) return
  const known = order.filter((one) => one === 'dscp' || one === 'pcp').join(',')
  const trust = known === 'pcp,dscp' ? 'both' : known === '' ? 'none' : known.startsWith('dscp') ? 'dscp' : 'pcp'
  port.settings.put('trust', trust, lineOf(['order']), 'operational')
  port.name('apptrust', known || 'none', lineOf(['order']))
}

const showsApps = ({ command }: Part): boolean => /\bapp show dev \S+\s*$/.test(command)

function readJson(part: Part, port: PortFacts, facts: Facts): void {
  const sources = sourcesOf(part)
  if (sources.length === 0) facts.cut(part.lines.at(-1)!, 'the end of the JSON text')
  for (const { yaml, above } of sources) {
    const root = yaml.value
    if (!isFields(root)) continue
    const lineAt = (path: Keys): Line =>
      part.lines[above + (yaml.locate(path, 'value')?.line ?? 1) - 1] ?? part.lines.at(-1)!
    readSection({ fields: root, isWholeApp: showsApps(part), lineOf: lineAt }, port, facts)
    for (const name of SECTIONS) {
      const fields = root[name]
      const lineOf = (keys: Keys): Line => lineAt([name, ...keys])
      if (isFields(fields)) readSection({ fields, isWholeApp: name === 'app', lineOf }, port, facts)
    }
  }
}

const SIZE = /^(\d{1,9}(?:\.\d{1,3})?)([KM]?)b$/
const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2 }

/** A size as iproute2 prints it: "18048b", "20Kb"; other words as they are. */
function plainSize(text: string): string {
  const [, number, unit] = SIZE.exec(text) ?? []
  return number === undefined ? text : String(Math.round(Number(number) * SIZE_UNITS[unit!]!))
}

/** Lines of a key and pairs: "prio-pfc 0:off 1:on". */
const TEXT_FORM =
  /^[ \t]*(?:prio-pfc 0:o|prio-buffer 0:\d|buffer-size 0:\d|tc-tsa 0:\w|prio-tc 0:\d|dscp-prio \w+:\d|order (?:dscp|pcp))/m
const KEYS: ReadonlySet<string> = new Set([...Object.keys(EIGHTS), 'tc_tsa', 'tc_bw', 'dscp_prio', 'order'])

function readText(part: Part, port: PortFacts, facts: Facts): void {
  const fields: Record<string, unknown> = {}
  const lineOf = new Map<string, Line>()
  for (const line of part.lines) {
    const [first = '', ...rest] = line.text.trim().split(/\s+/)
    const key = first.replaceAll('-', '_')
    if (!KEYS.has(key)) continue
    if (lineOf.has(key)) {
      // Another port without a name.
      facts.remainder.push(line)
      break
    }
    lineOf.set(key, line)
    const pairs = rest.map((each) => each.split(':'))
    const isList = pairs.every(([index], i) => index === String(i))
    if (key === 'order') fields[key] = rest
    else if (key === 'dscp_prio') fields[key] = pairs
    else fields[key] = isList ? pairs.map(([, value = '']) => plainSize(value)) : []
  }
  const lineAt = ([key]: Keys): Line => lineOf.get(String(key ?? '')) ?? part.lines[0]!
  readSection({ fields, isWholeApp: showsApps(part), lineOf: lineAt }, port, facts)
}

export const dcb: Dialect = {
  name: 'dcb',
  title: 'dcb [-j] pfc|app|buffer|ets show dev IF',
  command: 'dcb -j pfc show dev IF; dcb -j app show dev IF; dcb -j buffer show dev IF; dcb -j ets show dev IF',
  start: {
    line: /^\{"(?:pfc|app|buffer|ets|apptrust|pfc_cap|prio_pfc|dscp_prio|prio_buffer|willing|order)"|^pfc-cap \d|^willing (?:on|off) ets-cap \d/,
    namesPort: false,
  },
  leavesOut: ['priorities of ports and Ethertypes', 'numbers of PFC frames', 'rate limits'],
  recognises: ({ text, command }) =>
    TEXT_FORM.test(text) ||
    (/^(?:sudo )?dcb\s/.test(command) && /^\s*(?:\{|default-prio |pcp-prio )/.test(text)) ||
    (/^\s*\{/.test(text) && /"(?:prio_pfc|dscp_prio|prio_buffer|tc_tsa)"/.test(text)),
  read(part, facts) {
    facts.kind = 'host'
    const port = facts.port(/\bdev\s+(\S+)/.exec(part.command)?.[1] ?? '')
    if (/^\s*\{/.test(part.text)) readJson(part, port, facts)
    else readText(part, port, facts)
  },
}
