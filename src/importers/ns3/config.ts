/**
 * CONFIG of the HPCC family: `KEY value...` in any order, separated by white space, without comments.
 * The table below has every known key with the number of its values and, if it has no effect on a scenario, the reason.
 * Unknown keys are reported, while the simulators skip them silently.
 * Source: readers of the four simulators. Defaults are those of their code, not of their sample files.
 */
import { quote } from '../importer.ts'
import { NS3_DIALECTS, type Ns3Dialect } from './topology.ts'
import { parseNs3Rate, secondsToNs } from './values.ts'
import { parseReal, parseWhole, TokenReader, type Findings, type Token } from '../text-input.ts'

interface Key {
  readonly dialects: readonly Ns3Dialect[]
  /** Number of values; 'map': a count, and two values for each. */
  readonly values: number | 'map'
  /** Reason why it has no effect; absent if it is mapped. */
  readonly inert?: string
}

const OUTPUT = 'names an output file'
const MONITOR = 'time or interval of measurements; choose observers in the scenario instead'
const PINT_ONLY = 'read only with CC_MODE 10'

const everyone = (values: number | 'map', inert?: string): Key => key(NS3_DIALECTS, values, inert)
const conweave = (values: number, inert?: string): Key => key(['conweave'], values, inert)
const simai = (values: number, inert?: string): Key => key(['simai'], values, inert)

function key(dialects: readonly Ns3Dialect[], values: number | 'map', inert?: string): Key {
  return { dialects, values, ...(inert === undefined ? {} : { inert }) }
}

const CONWEAVE_ONLY = 'belongs to ConWeave load balancing (LB_MODE 9), which rocelab does not have'

const KEYS: Readonly<Record<string, Key>> = {
  ENABLE_QCN: everyone(1),
  USE_DYNAMIC_PFC_THRESHOLD: everyone(1, 'that simulator does not read it: PFC thresholds are always dynamic'),
  PACKET_PAYLOAD_SIZE: everyone(1),
  TOPOLOGY_FILE: everyone(1),
  FLOW_FILE: everyone(1),
  TRACE_FILE: everyone(1, 'chooses the nodes of a packet trace; choose observers in the scenario instead'),
  TRACE_OUTPUT_FILE: everyone(1, OUTPUT),
  FCT_OUTPUT_FILE: everyone(1, OUTPUT),
  PFC_OUTPUT_FILE: everyone(1, OUTPUT),
  QLEN_MON_FILE: everyone(1, OUTPUT),
  QLEN_MON_START: everyone(1, MONITOR),
  QLEN_MON_END: everyone(1, MONITOR),
  SIMULATOR_STOP_TIME: everyone(1),
  CC_MODE: everyone(1),
  ALPHA_RESUME_INTERVAL: everyone(1),
  RATE_DECREASE_INTERVAL: everyone(1),
  CLAMP_TARGET_RATE: everyone(1),
  RP_TIMER: everyone(1),
  EWMA_GAIN: everyone(1),
  FAST_RECOVERY_TIMES: everyone(1),
  RATE_AI: everyone(1),
  RATE_HAI: everyone(1),
  MIN_RATE: everyone(1),
  DCTCP_RATE_AI: everyone(1),
  ERROR_RATE_PER_LINK: everyone(1),
  L2_CHUNK_SIZE: everyone(1),
  L2_ACK_INTERVAL: everyone(1),
  L2_BACK_TO_ZERO: everyone(1),
  HAS_WIN: everyone(1),
  GLOBAL_T: everyone(1),
  VAR_WIN: everyone(1),
  FAST_REACT: everyone(1),
  U_TARGET: everyone(1),
  MI_THRESH: everyone(1),
  INT_MULTI: everyone(1),
  MULTI_RATE: everyone(1),
  SAMPLE_FEEDBACK: everyone(1),
  PINT_LOG_BASE: everyone(1, PINT_ONLY),
  PINT_PROB: everyone(1, PINT_ONLY),
  RATE_BOUND: everyone(1),
  ACK_HIGH_PRIO: everyone(1),
  LINK_DOWN: everyone(3),
  ENABLE_TRACE: everyone(1, 'switches a packet trace on; choose observers in the scenario instead'),
  KMAX_MAP: everyone('map'),
  KMIN_MAP: everyone('map'),
  PMAX_MAP: everyone('map'),
  BUFFER_SIZE: everyone(1),
  PAUSE_TIME: everyone(1),
  DATA_RATE: everyone(1, 'that simulator does not use it'),
  LINK_DELAY: everyone(1, 'that simulator does not use it'),
  ENABLE_PFC: conweave(1),
  ENABLE_IRN: conweave(1),
  LB_MODE: conweave(1),
  RANDOM_SEED: conweave(1),
  FLOWGEN_START_TIME: conweave(1, 'start of flows for its monitors only; the flow file has the exact times'),
  FLOWGEN_STOP_TIME: conweave(1, 'end of flows for its monitors only'),
  LOAD: conweave(1, 'a label: the load is in the flow file'),
  FLOW_INPUT_FILE: conweave(1, OUTPUT),
  CNP_OUTPUT_FILE: conweave(1, OUTPUT),
  VOQ_MON_FILE: conweave(1, OUTPUT),
  VOQ_MON_DETAIL_FILE: conweave(1, OUTPUT),
  UPLINK_MON_FILE: conweave(1, OUTPUT),
  CONN_MON_FILE: conweave(1, OUTPUT),
  EST_ERROR_MON_FILE: conweave(1, OUTPUT),
  SW_MONITORING_INTERVAL: conweave(1, MONITOR),
  CONWEAVE_TX_EXPIRY_TIME: conweave(1, CONWEAVE_ONLY),
  CONWEAVE_REPLY_TIMEOUT_EXTRA: conweave(1, CONWEAVE_ONLY),
  CONWEAVE_PATH_PAUSE_TIME: conweave(1, CONWEAVE_ONLY),
  CONWEAVE_EXTRA_VOQ_FLUSH_TIME: conweave(1, CONWEAVE_ONLY),
  CONWEAVE_DEFAULT_VOQ_WAITING_TIME: conweave(1, CONWEAVE_ONLY),
  BW_MON_FILE: simai(1, OUTPUT),
  RATE_MON_FILE: simai(1, OUTPUT),
  CNP_MON_FILE: simai(1, OUTPUT),
  MON_START: simai(1, MONITOR),
  MON_END: simai(1, MONITOR),
  QP_MON_INTERVAL: simai(1, MONITOR),
  BW_MON_INTERVAL: simai(1, MONITOR),
  QLEN_MON_INTERVAL: simai(1, MONITOR),
  NIC_TOTAL_PAUSE_TIME: simai(1, MONITOR),
}

const knownKey = (name: string): Key | undefined => (Object.hasOwn(KEYS, name) ? KEYS[name] : undefined)

interface Entry {
  readonly key: Token
  readonly values: readonly Token[]
}

/** A parsed configuration. Each accessor returns the value, or the simulator's default with a note. */
export class Ns3Config {
  readonly file: string
  readonly #findings: Findings
  readonly #entries = new Map<string, Entry>()
  readonly #defaults: string[] = []

  constructor(file: string, text: string, dialect: Ns3Dialect, dialectGiven: boolean, findings: Findings) {
    this.file = file
    this.#findings = findings
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

  /** A rate in bits per second, 0 included; the key is required. */
  rate(name: string): number {
    const value = this.#one(name, 'a rate such as 50Mb/s', parseNs3Rate)
    if (value === undefined) this.#absent(name, undefined)
    return value ?? 0
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
    if (present.length > 0) this.#findings.note(`without effect: ${present.join(', ')} (${reason})`)
  }

  /** Notes the absent keys, once all values have been read. */
  noteDefaults(): void {
    if (this.#defaults.length > 0)
      this.#findings.note(
        `${this.file}: absent keys have the defaults of that simulator's code: ${this.#defaults.join(', ')}`,
      )
  }

  #takeDefault(name: string, standard: string): void {
    const entry = `${name} ${standard}`
    if (!this.has(name) && !this.#defaults.includes(entry)) this.#defaults.push(entry)
  }

  #absent(name: string, standard: number | undefined): void {
    if (this.has(name)) return
    if (standard !== undefined) this.#takeDefault(name, `${standard}`)
    else
      this.#findings.issue(undefined, name, `a value in ${this.file}`, 'none', 'that simulator has no default for it')
  }

  #one<T>(name: string, expected: string, parse: (text: string) => T | undefined): T | undefined {
    const token = this.#entries.get(name)?.values[0]
    return token === undefined ? undefined : this.#parse(name, token, expected, parse)
  }

  #parse<T>(name: string, token: Token, expected: string, parse: (text: string) => T | undefined): T | undefined {
    const value = parse(token.text)
    if (value === undefined) this.#findings.issue(token, name, expected, quote(token.text))
    return value
  }

  /** Fills the entries. Returns the first key that belongs to other dialects only. */
  #read(text: string, dialect: Ns3Dialect): Token | undefined {
    const reader = new TokenReader(this.file, text)
    let foreign: Token | undefined
    for (let token = reader.next(); token !== undefined; token = reader.next()) {
      const known = knownKey(token.text)
      if (known === undefined) {
        this.#noteUnknown(token, reader)
        continue
      }
      const values = this.#values(token, known.values, reader)
      if (values === undefined) continue
      if (!known.dialects.includes(dialect)) {
        foreign ??= token
        this.#findings.note(`${this.file}:${token.line}: ${token.text} is not a key of dialect ${dialect}; ignored`)
        continue
      }
      if (this.#entries.has(token.text))
        this.#findings.note(
          `${this.file}:${token.line}: ${token.text} again; the last one counts, as in that simulator`,
        )
      this.#entries.set(token.text, { key: token, values })
    }
    return foreign
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
    this.#findings.note(
      `${this.file}:${token.line}: ${quote(words.join(' '))} is not a known key; ignored, as in that simulator`,
    )
  }

  #values(keyToken: Token, count: number | 'map', reader: TokenReader): Token[] | undefined {
    const values: Token[] = []
    let wanted = count === 'map' ? 1 : count
    while (values.length < wanted) {
      const token = reader.peek()
      if (token === undefined || knownKey(token.text) !== undefined) {
        const received = token === undefined ? 'the end of the file' : quote(token.text)
        this.#findings.issue(
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
        this.#findings.issue(token, keyToken.text, 'the number of link rates that follow', quote(token.text))
        return undefined
      }
      wanted = 1 + 2 * rows
    }
    return values
  }

  #report(dialect: Ns3Dialect, dialectGiven: boolean, foreign: Token | undefined): void {
    if (foreign !== undefined && !dialectGiven) {
      const dialects = knownKey(foreign.text)?.dialects.join(' or ') ?? ''
      this.#findings.issue(
        foreign,
        foreign.text,
        `a key of dialect ${dialect}`,
        `one of ${dialects}`,
        `use --dialect ${dialects} (or --dialect ${dialect} to ignore the key)`,
      )
    }
    if (this.#entries.size === 0) {
      this.#findings.issue(
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
    for (const [reason, names] of byReason) this.#findings.note(`without effect: ${names.join(', ')} (${reason})`)
  }
}

function within(value: number | undefined, min: number, max: number): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined
}
