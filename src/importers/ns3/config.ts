/**
 * CONFIG of the HPCC family: `KEY value...` in any order, separated by white space, without comments; in ns3-alibabacloud
 * one key a line, also attributes of classes, and lines that begin with #.
 * Unknown keys are reported, while the simulators skip them silently.
 * Source: readers of the simulators. Defaults are those of their code, not of their sample files.
 */
import { foundAt, importFindings } from '../../core/findings/index.ts'
import { quote, shortened } from '../importer.ts'
import { forkMeaning, knownKey, plainName } from './keys.ts'
import type { Ns3Dialect } from './topology.ts'
import { parseNs3Rate, secondsToNs } from './values.ts'
import { parseReal, parseWhole, TokenReader, type ImportLog, type Token } from '../text-input.ts'

interface Entry {
  readonly key: Token
  readonly values: readonly Token[]
}

/** A parsed configuration. Each accessor returns the value, or the simulator's default with a note. */
export class Ns3Config {
  readonly file: string
  readonly #log: ImportLog
  readonly #entries = new Map<string, Entry>()
  readonly #defaults: [key: string, value: string][] = []

  constructor(file: string, text: string, dialect: Ns3Dialect, dialectGiven: boolean, log: ImportLog) {
    this.file = file
    this.#log = log
    const foreign = this.#read(text, dialect)
    this.#report(dialect, dialectGiven, foreign)
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Location of a key, for issues. */
  location(name: string): Token | undefined {
    return this.#entries.get(name)?.key
  }

  /** 0 or 1; other numbers count as true, as in C++. */
  flag(name: string, standard: boolean): boolean {
    const value = this.#one(name, 'a whole number, 0 or 1', parseWhole)
    if (value === undefined) this.#takeDefault(name, standard ? '1' : '0')
    return value === undefined ? standard : value !== 0
  }

  whole(name: string, standard: number, min = 0, max = Number.MAX_SAFE_INTEGER): number {
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `${min} to ${max}`
    const value = this.#one(name, `a whole number ${range}`, (text) => within(parseWhole(text), min, max))
    if (value === undefined) this.#takeDefault(name, `${standard}`)
    return value ?? standard
  }

  /** L2_CHUNK_SIZE; 0 by default, as in the simulators. */
  chunkBytes(): number {
    return this.whole('L2_CHUNK_SIZE', 0, 0)
  }

  /** A number. Without a `standard` the key is required. */
  real(name: string, standard: number | undefined, min: number, max: number): number {
    const value = this.#one(name, `a number ${min} to ${max}`, (text) => within(parseReal(text), min, max))
    if (value === undefined) this.#absent(name, standard)
    return value ?? standard ?? min
  }

  /** A rate in bits per second, 0 included. Without a `standard` the key is required. */
  rate(name: string, standard?: string): number {
    const value = this.#one(name, 'a rate such as 50Mb/s', parseNs3Rate)
    if (value === undefined) this.#absent(name, standard)
    return value ?? parseNs3Rate(standard ?? '0') ?? 0
  }

  /** Seconds, as whole nanoseconds; undefined if beyond the range of a scenario's clock. */
  secondsNs(name: string, standard: number): number | undefined {
    const value = this.#one(name, 'a number of seconds', (text) => within(parseReal(text), 0, Infinity))
    if (value === undefined) this.#takeDefault(name, `${standard}`)
    return secondsToNs(value ?? standard)
  }

  text(name: string): string | undefined {
    return this.#entries.get(name)?.values[0]?.text
  }

  /** The three numbers of LINK_DOWN: microseconds after 2 s, and two node ids. */
  triple(name: string): readonly [number, number, number] | undefined {
    const values = this.#entries
      .get(name)
      ?.values.map((token) => this.#parse(name, token, 'a whole number', parseWhole))
    if (values === undefined) return undefined
    return [values[0] ?? 0, values[1] ?? 0, values[2] ?? 0]
  }

  /** Map from link rate in bit/s to value; undefined if the key is absent. */
  rateMap(name: string, max: number): ReadonlyMap<number, number> | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    const map = new Map<number, number>()
    const [, ...rest] = entry.values
    for (let i = 0; i + 1 < rest.length; i += 2) {
      const [rate, value] = [rest[i], rest[i + 1]]
      if (rate === undefined || value === undefined) break
      const rateBps = this.#parse(name, rate, 'a link rate in bit/s', parseWhole)
      const number = this.#parse(name, value, `a number 0 to ${max}`, (text) => within(parseReal(text), 0, max))
      if (rateBps !== undefined && number !== undefined) map.set(rateBps, number)
    }
    return map
  }

  /** Notes that those of these keys which are present have no effect. */
  noteWithoutEffect(names: readonly string[], reason: string): void {
    const present = names.filter((name) => this.has(name))
    if (present.length > 0) this.#log.note(foundAt(importFindings.importWithoutEffect, {}, { names: present, reason }))
  }

  /** Notes the absent keys, once all values have been read. */
  noteDefaults(): void {
    if (this.#defaults.length > 0)
      this.#log.note(foundAt(importFindings.importDefaults, { file: this.file }, { defaults: [...this.#defaults] }))
  }

  #takeDefault(name: string, standard: string): void {
    const isListed = this.#defaults.some(([key, value]) => key === name && value === standard)
    if (!this.has(name) && !isListed) this.#defaults.push([name, standard])
  }

  #absent(name: string, standard: number | string | undefined): void {
    if (this.has(name)) return
    if (standard !== undefined) this.#takeDefault(name, `${standard}`)
    else this.#log.issue(undefined, name, `a value in ${this.file}`, 'none', 'that simulator has no default for it')
  }

  #one<T>(name: string, expected: string, parse: (text: string) => T | undefined): T | undefined {
    const token = this.#entries.get(name)?.values[0]
    return token === undefined ? undefined : this.#parse(name, token, expected, parse)
  }

  #parse<T>(name: string, token: Token, expected: string, parse: (text: string) => T | undefined): T | undefined {
    const value = parse(token.text)
    if (value === undefined) this.#log.issue(token, name, expected, quote(token.text))
    return value
  }

  /** Fills the entries. Returns the first key that belongs to other dialects only. */
  #read(text: string, dialect: Ns3Dialect): Token | undefined {
    const isAlibaba = dialect === 'ns3-alibabacloud'
    // Blanked, so that places in the text stay.
    const plain = isAlibaba ? text.replaceAll(/^#.*$/gm, (comment) => ' '.repeat(comment.length)) : text
    const reader = new TokenReader(this.file, plain)
    let foreign: Token | undefined
    for (let written = reader.next(); written !== undefined; written = reader.next()) {
      if (/^ns3::|^GROUP_START/.test(written.text) && !this.#allows(written, isAlibaba)) return undefined
      const token = isAlibaba ? { ...written, text: plainName(written.text) } : written
      const known = knownKey(token.text)
      if (known === undefined) {
        this.#noteUnknown(token, reader)
        continue
      }
      const read = this.#values(token, known.values, reader)
      if (read === undefined) continue
      const values = written.text.startsWith('ns3::') ? read.map(numberOfFlag) : read
      const at = { file: this.file, line: token.line }
      if (!known.dialects.includes(dialect)) {
        foreign ??= token
        this.#log.note(
          foundAt(importFindings.importWithoutEffect, at, {
            names: [token.text],
            reason: `not a key of dialect ${dialect}`,
          }),
        )
        continue
      }
      if (this.#entries.has(token.text))
        this.#log.note(foundAt(importFindings.importKeyRepeated, at, { key: token.text }))
      this.#entries.set(token.text, { key: token, values })
    }
    return foreign
  }

  /** Refuses attributes in a file of another dialect, and settings of single nodes, which a scenario has not. */
  #allows(token: Token, isAlibaba: boolean): boolean {
    if (isAlibaba && token.text.startsWith('ns3::')) return true
    if (isAlibaba)
      this.#log.issue(token, 'group', 'settings for all nodes', `${quote(token.text)}, settings of single nodes`)
    else
      this.#log.issue(
        token,
        token.text,
        'keys of this dialect',
        'an attribute of a class, as ns3-alibabacloud has them',
        'use --dialect ns3-alibabacloud',
      )
    return false
  }

  #noteUnknown(token: Token, reader: TokenReader): void {
    const words = [token.text]
    for (
      let next = reader.peek();
      next !== undefined && next.line === token.line && knownKey(next.text) === undefined;
      next = reader.peek()
    ) {
      words.push(next.text)
      reader.next()
    }
    this.#log.note(
      foundAt(
        importFindings.importKeyUnknown,
        { file: this.file, line: token.line },
        {
          words: shortened(words.join(' ')),
          keysOf: 'the configuration',
          ignoredThere: true,
          forkSets: forkMeaning(token.text) ?? null,
        },
      ),
    )
  }

  #values(keyToken: Token, count: number | 'map', reader: TokenReader): Token[] | undefined {
    const values: Token[] = []
    let wanted = count === 'map' ? 1 : count
    while (values.length < wanted) {
      const token = reader.peek()
      if (token === undefined || knownKey(token.text) !== undefined) {
        const received = token === undefined ? 'the end of the file' : quote(token.text)
        this.#log.issue(
          token ?? reader.location,
          keyToken.text,
          `${wanted} values`,
          `${values.length}, then ${received}`,
        )
        return undefined
      }
      reader.next()
      values.push(token)
      if (count !== 'map' || values.length !== 1) continue
      const rows = within(parseWhole(token.text), 0, 1000)
      if (rows === undefined) {
        this.#log.issue(token, keyToken.text, 'the number of link rates that follow', quote(token.text))
        return undefined
      }
      wanted = 1 + 2 * rows
    }
    return values
  }

  #report(dialect: Ns3Dialect, dialectGiven: boolean, foreign: Token | undefined): void {
    if (foreign !== undefined && !dialectGiven) {
      const dialects = knownKey(foreign.text)?.dialects.join(' or ') ?? ''
      this.#log.issue(
        foreign,
        foreign.text,
        `a key of dialect ${dialect}`,
        `one of ${dialects}`,
        `use --dialect ${dialects} (or --dialect ${dialect} to ignore the key)`,
      )
    }
    if (this.#entries.size === 0) {
      this.#log.issue(
        undefined,
        this.file,
        'a configuration of rows "KEY value"',
        'no known key',
        'the HPCC importer starts from config.txt',
      )
      return
    }
    const byReason = new Map<string, string[]>()
    for (const name of this.#entries.keys()) {
      const reason = knownKey(name)?.inert
      if (reason !== undefined) byReason.set(reason, [...(byReason.get(reason) ?? []), name])
    }
    for (const [reason, names] of byReason)
      this.#log.note(foundAt(importFindings.importWithoutEffect, {}, { names, reason }))
  }
}

/** Attributes have true and false, keys 1 and 0. */
function numberOfFlag(token: Token): Token {
  if (token.text === 'true') return { ...token, text: '1' }
  return token.text === 'false' ? { ...token, text: '0' } : token
}

function within(value: number | undefined, min: number, max: number): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined
}
