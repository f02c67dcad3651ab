/**
 * dcb -j pfc|app|buffer|ets|apptrust show dev IF: QoS of a port as the kernel knows it, in JSON. One object, several one
 * below the other, or all of them in one object under their names.
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
  readonly part: Part
  readonly yaml: YamlText
  /** Lines of the part above it. */
  readonly above: number
}

/** The whole part as one text, or each line as one. */
function sourcesOf(part: Part): Source[] {
  const yaml = readYaml(part.text)
  if (yaml.readable) return [{ part, yaml, above: 0 }]
  const sources: Source[] = []
  for (const [above, { text }] of part.lines.entries()) {
    if (text.trim() === '') continue
    const line = readYaml(text)
    if (!line.readable) return []
    sources.push({ part, yaml: line, above })
  }
  return sources
}

class Section {
  readonly #source: Source
  readonly #path: readonly string[]
  readonly #fields: Fields
  readonly #port: PortFacts
  readonly #facts: Facts

  constructor(source: Source, path: readonly string[], fields: Fields, port: PortFacts, facts: Facts) {
    this.#source = source
    this.#path = path
    this.#fields = fields
    this.#port = port
    this.#facts = facts
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
    } else if (this.#isWholeApp()) this.#port.settings.put('trust', 'pcp', this.#line([]), 'operational')
  }

  /** Whether all entries of the table of applications are here. */
  #isWholeApp(): boolean {
    if (this.#path[0] === 'app') return true
    return this.#path.length === 0 && /\bapp show dev \S+\s*$/.test(this.#source.part.command)
  }

  #order(): void {
    const { order } = this.#fields
    if (!Array.isArray(order)) return
    const known = order.filter((one) => one === 'dscp' || one === 'pcp').join(',')
    const trust = known === 'pcp,dscp' ? 'both' : known === '' ? 'none' : known.startsWith('dscp') ? 'dscp' : 'pcp'
    this.#port.settings.put('trust', trust, this.#line(['order']), 'operational')
  }

  #line(keys: readonly (string | number)[]): Line {
    const { part, yaml, above } = this.#source
    const at = above + (yaml.locate([...this.#path, ...keys], 'value')?.line ?? 1) - 1
    return part.lines[at] ?? part.lines.at(-1)!
  }
}

export const dcb: Dialect = {
  name: 'dcb',
  title: 'dcb -j pfc|app|buffer|ets show dev IF',
  command: 'dcb -j pfc show dev IF; dcb -j app show dev IF; dcb -j buffer show dev IF; dcb -j ets show dev IF',
  leavesOut: ['output that is not JSON', 'priorities of ports and Ethertypes', 'numbers of PFC frames', 'rate limits'],
  recognises: ({ text, command }) =>
    /^\s*\{/.test(text) &&
    (/"(?:prio_pfc|dscp_prio|prio_buffer|tc_tsa)"/.test(text) || /^(?:sudo )?dcb\s/.test(command)),
  read(part, facts) {
    facts.kind = 'host'
    const port = facts.port(/\bdev\s+(\S+)/.exec(part.command)?.[1] ?? '')
    const sources = sourcesOf(part)
    if (sources.length === 0) facts.truncated = { line: part.lines.at(-1)!, expected: 'the end of the JSON text' }
    for (const source of sources) {
      const root = source.yaml.value
      if (!isFields(root)) continue
      new Section(source, [], root, port, facts).read()
      for (const name of SECTIONS) {
        const section = root[name]
        if (isFields(section)) new Section(source, [name], section, port, facts).read()
      }
    }
  },
}
