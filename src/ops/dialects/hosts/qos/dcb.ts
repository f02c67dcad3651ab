/**
 * dcb pfc|app|buffer|ets|apptrust show dev IF: QoS of a port as the kernel knows it, as text or with -j as JSON: one object,
 * several one below the other, or all of them in one object under their names.
 * Source: iproute2, dcb/dcb_{pfc,app,buffer,ets,apptrust}.c. Entries of maps may end with a text that means nothing.
 */
import { readYaml, type YamlText } from '../../../../notation/index.ts'
import type { Dialect } from '../../dialect.ts'
import type { Facts, PortFacts } from '../../facts.ts'
import type { Line, Part } from '../../text.ts'
import { positionsOf } from '../../words.ts'
import { dscpIn, PRIORITY_COUNT, putSchedules, wholeIn } from '../host-words.ts'

type Fields = Readonly<Record<string, unknown>>

const SECTIONS: readonly string[] = ['pfc', 'app', 'buffer', 'ets', 'apptrust']

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Eight values; undefined: not a list of eight that `read` understands. */
function eight<T>(value: unknown, read: (one: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value) || value.length !== PRIORITY_COUNT) return undefined
  const values = value.map(read)
  return values.every((one) => one !== undefined) ? values : undefined
}

const flag = (one: unknown): boolean | undefined =>
  one === true || one === 1 || one === 'on' ? true : one === false || one === 0 || one === 'off' ? false : undefined
const whole = (one: unknown): number | undefined => wholeIn(String(one), Number.MAX_SAFE_INTEGER)
const word = (one: unknown): string | undefined => (typeof one === 'string' ? one : undefined)

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
  const sources: Source[] = []
  for (const [above, { text }] of part.lines.entries()) {
    if (text.trim() === '') continue
    const line = readYaml(text)
    if (!line.readable) return []
    sources.push({ yaml: line, above })
  }
  return sources
}

class Section {
  readonly #fields: Fields
  readonly #port: PortFacts
  readonly #facts: Facts
  /** Whether all entries of the table of applications are here. */
  readonly #isWholeApp: boolean
  readonly #line: (keys: readonly (string | number)[]) => Line

  constructor(
    fields: Fields,
    port: PortFacts,
    facts: Facts,
    isWholeApp: boolean,
    lineOf: (keys: readonly (string | number)[]) => Line,
  ) {
    this.#fields = fields
    this.#port = port
    this.#facts = facts
    this.#isWholeApp = isWholeApp
    this.#line = lineOf
  }

  read(): void {
    const port = this.#port
    this.#put(
      'prio_pfc',
      flag,
      (flags, line) => port.settings.put('pfcClasses', positionsOf(flags), line, 'operational'),
      () => port.settings.forget('pfcClasses'),
    )
    this.#put(
      'prio_buffer',
      whole,
      (buffers, line) => port.nic.put('bufferOfClass', buffers, line, 'operational'),
      () => port.nic.forget('bufferOfClass'),
    )
    this.#put(
      'buffer_size',
      whole,
      (sizes, line) => port.nic.put('bufferBytes', sizes, line, 'operational'),
      () => port.nic.forget('bufferBytes'),
    )
    this.#put('prio_tc', whole, (ofPriority, line) => {
      const kind = eight(this.#fields['tc_tsa'], word) ?? []
      const weight = eight(this.#fields['tc_bw'], whole) ?? []
      putSchedules(port, { ofPriority, kind, weight }, line, 'operational')
    })
    this.#app()
    this.#order()
  }

  #put<T>(
    key: string,
    read: (one: unknown) => T | undefined,
    put: (values: T[], line: Line) => void,
    forget: () => void = () => {},
  ): void {
    if (this.#fields[key] === undefined) return
    const values = eight(this.#fields[key], read)
    const line = this.#line([key])
    if (values !== undefined) return put(values, line)
    forget()
    this.#facts.remainder.push(line)
  }

  /** Packets are classified by DSCP where at least one DSCP has a priority. */
  #app(): void {
    const entries = this.#fields['dscp_prio']
    if (Array.isArray(entries) && entries.length > 0) {
      this.#port.settings.put('trust', 'dscp', this.#line(['dscp_prio']), 'operational')
      for (const [i, entry] of entries.entries()) {
        const [dscp, priority] = Array.isArray(entry) ? [dscpIn(String(entry[0])), wholeIn(String(entry[1]), 7)] : []
        const line = this.#line(['dscp_prio', i])
        if (dscp === undefined || priority === undefined) this.#facts.remainder.push(line)
        else this.#port.dscp(dscp, priority, line, 'operational')
      }
    } else if (this.#isWholeApp) this.#port.settings.put('trust', 'pcp', this.#line([]), 'operational')
  }

  #order(): void {
    const { order } = this.#fields
    if (!Array.isArray(order)) return
    const known = order.filter((one) => one === 'dscp' || one === 'pcp').join(',')
    const trust = known === 'pcp,dscp' ? 'both' : known === '' ? 'none' : known.startsWith('dscp') ? 'dscp' : 'pcp'
    this.#port.settings.put('trust', trust, this.#line(['order']), 'operational')
  }
}

const showsApps = ({ command }: Part): boolean => /\bapp show dev \S+\s*$/.test(command)

function readJson(part: Part, port: PortFacts, facts: Facts): void {
  const sources = sourcesOf(part)
  if (sources.length === 0) facts.truncated = { line: part.lines.at(-1)!, expected: 'the end of the JSON text' }
  for (const { yaml, above } of sources) {
    const root = yaml.value
    if (!isFields(root)) continue
    const read = (fields: Fields, path: readonly string[], isWholeApp: boolean): void =>
      new Section(fields, port, facts, isWholeApp, (keys) => {
        const at = above + (yaml.locate([...path, ...keys], 'value')?.line ?? 1) - 1
        return part.lines[at] ?? part.lines.at(-1)!
      }).read()
    read(root, [], showsApps(part))
    for (const name of SECTIONS) {
      const section = root[name]
      if (isFields(section)) read(section, [name], name === 'app')
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
const EIGHTS: ReadonlySet<string> = new Set(['prio_pfc', 'prio_buffer', 'buffer_size', 'tc_tsa', 'tc_bw', 'prio_tc'])

function readText(part: Part, port: PortFacts, facts: Facts): void {
  const fields: Record<string, unknown> = {}
  const lineOf = new Map<string, Line>()
  for (const line of part.lines) {
    const [first = '', ...rest] = line.text.trim().split(/\s+/)
    const key = first.replaceAll('-', '_')
    if (!EIGHTS.has(key) && key !== 'dscp_prio' && key !== 'order') continue
    if (lineOf.has(key)) {
      // Another port without a name.
      facts.remainder.push(line)
      break
    }
    lineOf.set(key, line)
    const pairs = rest.map((each) => each.split(':'))
    if (key === 'order') fields[key] = rest
    else if (key === 'dscp_prio') fields[key] = pairs
    else
      fields[key] = pairs.every(([index], i) => index === String(i))
        ? pairs.map(([, value = '']) => plainSize(value))
        : []
  }
  new Section(fields, port, facts, showsApps(part), ([key]) => lineOf.get(String(key ?? '')) ?? part.lines[0]!).read()
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
