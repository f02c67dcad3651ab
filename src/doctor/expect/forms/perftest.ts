/**
 * Runs of perftest: ib_write_bw, ib_send_lat and the rest, as text and as JSON. The columns of a table are those of its header.
 * A row counts if its message rate times its size is its bandwidth; that also tells the unit where none is printed.
 * Source: perftest, src/perftest_parameters.{h,c} and perftest_resources.c (00b55b6).
 */
import {
  LINE_MAX,
  linesOf,
  type Log,
  type LogLine,
  type PerftestReading,
  type PerftestRow,
  type Unread,
} from '../readings.ts'

const TITLE =
  /^\s*(RDMA_Write|RDMA_Read|Send|Atomic_\w+|Write_Atomic|RDMA_Atomic\w*)?\s*(Bidirectional )?(?:Post List )?(BW|Latency)(?: Multicast)? Test\s*$/i
/** "Number of qps   : 1", two of which stand in a line behind tabs. */
const INFO = /([A-Za-z][\w .*-]*?)\s*:\s*([^\t]*?)(?=\t|$)/g
const HEADER = /^\s*#bytes\b/
const LABELS =
  /#bytes|#iterations|SL|BW peak\s*\[[^\]]*\]|BW average\s*\[[^\]]*\]|MsgRate\s*\[[^\]]*\]|BW\s*\[[^\]]*\]|CPU_Util\[%\]|t_min\[usec\]|t_max\[usec\]|t_typical\[usec\]|t_avg\[usec\]|t_stdev\[usec\]|99(?:\.9+)?% percentile\[usec\]|tps average|BW port ?\d/g
const NUMBER = /^\d+(?:\.\d+)?$/

/** Bit/s of a unit of a header. The tool's MB are MiB, whatever older releases call them. */
const UNITS: Readonly<Record<string, number>> = { 'gb/sec': 1e9, 'mib/sec': 8 * 2 ** 20, 'mb/sec': 8 * 2 ** 20 }
/** A message rate times its size is the bandwidth, as far as both are rounded. */
const AGREE = 0.01

interface Draft {
  operation: string
  isLatency: boolean
  isBidirectional: boolean
  line: number
  readonly info: Map<string, string>
  labels: readonly string[]
  readonly rows: PerftestRow[]
}

export function readPerftest(file: string, text: string): Log | undefined {
  if (/^\s*\{/.test(text) && /"test_info"/.test(text)) return readJson(file, text)
  const drafts: Draft[] = []
  const unread: Unread[] = []
  for (const line of linesOf(text)) {
    if (line.text.length > LINE_MAX) continue
    const title = TITLE.exec(line.text)
    if (title !== null) {
      const [, operation = '', both, what] = title
      const isLatency = what!.toLowerCase() === 'latency'
      drafts.push({
        ...emptyDraft(line.line),
        operation: verbOf(operation),
        isLatency,
        isBidirectional: both !== undefined,
      })
      continue
    }
    if (HEADER.test(line.text)) {
      let draft = drafts.at(-1)
      if (draft === undefined) drafts.push((draft = emptyDraft(line.line)))
      draft.labels = [...line.text.matchAll(LABELS)].map(([label]) => label)
      continue
    }
    const draft = drafts.at(-1)
    if (draft === undefined) continue
    const words = line.text.trim().split(/\s+/)
    if (draft.labels.length > 0 && NUMBER.test(words[0]!)) {
      const row = rowOf(draft, line, words)
      if (typeof row === 'string')
        unread.push({ file, line: line.line, text: line.text.trim().slice(0, 120), reason: row })
      else draft.rows.push(row)
    } else if (draft.labels.length === 0) {
      for (const [, key, value] of line.text.matchAll(INFO)) draft.info.set(key!.trim(), value!.trim())
    }
  }
  const readings = drafts.filter(({ rows }) => rows.length > 0).map((draft) => readingOf(file, draft, false))
  return readings.length + unread.length === 0 ? undefined : { file, readings, unread, untested: [] }
}

const emptyDraft = (line: number): Draft => ({
  operation: 'write',
  isLatency: false,
  isBidirectional: false,
  line,
  info: new Map(),
  labels: [],
  rows: [],
})

/** "RDMA_Write" is write. */
const verbOf = (name: string): string => {
  const word = name.toLowerCase()
  return ['write', 'read', 'send', 'atomic'].find((verb) => word.includes(verb)) ?? 'write'
}

/** @returns why it is none, where it is none */
function rowOf(draft: Draft, { line }: LogLine, words: readonly string[]): PerftestRow | string {
  const { labels } = draft
  if (words.length < labels.length || !words.every((word) => NUMBER.test(word)))
    return `${words.length} numbers under ${labels.length} columns`
  const valueOf = (start: string): number | null => {
    const at = labels.findIndex((label) => label.startsWith(start))
    return at < 0 ? null : Number(words[at])
  }
  const [sizeBytes, iterations] = [valueOf('#bytes')!, valueOf('#iterations')]
  const latency = valueOf('t_typical') ?? valueOf('t_avg')
  if (latency !== null) {
    return { line, sizeBytes, iterations, rateBps: null, messagesPerSecond: null, latencyUs: latency }
  }
  const label = labels.find((each) => each.startsWith('BW average')) ?? labels.find((each) => /^BW\s*\[/.test(each))
  const unit = UNITS[/\[(.*)\]/.exec(label ?? '')?.[1]?.toLowerCase() ?? '']
  const average = valueOf('BW average') ?? valueOf('BW')
  const rate = valueOf('MsgRate')
  if (unit === undefined || average === null) return 'no bandwidth in a known unit'
  const rateBps = average * unit
  const messagesPerSecond = rate === null ? null : rate * 1e6
  if (messagesPerSecond !== null && !agrees(sizeBytes, rateBps, messagesPerSecond, unit))
    return 'rate, size and bandwidth differ'
  return { line, sizeBytes, iterations, rateBps, messagesPerSecond, latencyUs: null }
}

/** With as much of rounding as the printed decimals have: two of the bandwidth, six of the rate in millions. */
function agrees(sizeBytes: number, rateBps: number, messagesPerSecond: number, unit: number): boolean {
  const byRate = sizeBytes * 8 * messagesPerSecond
  return Math.abs(byRate - rateBps) <= AGREE * rateBps + 0.0051 * unit + sizeBytes * 8 * 0.51
}

function readingOf(file: string, { info, rows, line, ...draft }: Draft, isUnitInferred: boolean): PerftestReading {
  const [first] = rows
  return {
    kind: 'perftest',
    file,
    line: first?.line ?? line,
    operation: draft.operation,
    isBidirectional: draft.isBidirectional,
    queuePairs: wholeIn(info, 'Number of qps') ?? 1,
    device: info.get('Device') ?? '',
    mtuBytes: wholeIn(info, 'Mtu'),
    link: linkOf(info.get('Link type')),
    depth: wholeIn(info, 'TX depth'),
    isUnitInferred,
    rows,
  }
}

/** "4096[B]" is 4096. */
function wholeIn(info: ReadonlyMap<string, string>, key: string): number | null {
  const digits = /^\d+/.exec(info.get(key) ?? '')?.[0]
  return digits === undefined ? null : Number(digits)
}

const linkOf = (type: string | undefined): 'ib' | 'roce' | null =>
  type === 'Ethernet' ? 'roce' : type === 'IB' ? 'ib' : null

/** "sl" is printed without quotes with --qos, which is no JSON. */
function readJson(file: string, text: string): Log | undefined {
  const failed = (reason: string): Log => ({
    file,
    readings: [],
    unread: [{ file, line: 1, text: text.trim().slice(0, 60), reason }],
    untested: [],
  })
  let parsed: { readonly test_info?: Record<string, unknown>; readonly results?: unknown }
  try {
    parsed = JSON.parse(text.replaceAll(/^(\s*)sl(\s*:)/gm, '$1"sl"$2')) as typeof parsed
  } catch {
    return failed('not JSON to its end')
  }
  const info = new Map(
    Object.entries(parsed.test_info ?? {}).map(([key, value]) => [key.replaceAll('_', ' '), String(value)]),
  )
  const title = /(\w+?)_(Bidirectional_)?(?:Post_List_)?(BW|Latency)_Test/i.exec(info.get('test') ?? '')
  const results = [parsed.results ?? []].flat() as Record<string, unknown>[]
  const numberOf = (row: Record<string, unknown>, key: string): number | null =>
    typeof row[key] === 'number' && Number.isFinite(row[key]) ? row[key] : null
  const rows: PerftestRow[] = []
  for (const row of results) {
    const [sizeBytes, average, rate] = ['MsgSize', 'BW_average', 'MsgRate'].map((key) => numberOf(row, key))
    const latencyUs = numberOf(row, 't_typical') ?? numberOf(row, 't_avg')
    if (sizeBytes == null || sizeBytes < 1) return failed('results without MsgSize')
    const messagesPerSecond = rate == null ? null : rate * 1e6
    const unit =
      average == null || messagesPerSecond === null
        ? undefined
        : [1e9, 8 * 2 ** 20].find((each) => agrees(sizeBytes, average * each, messagesPerSecond, each))
    if (latencyUs === null && unit === undefined) return failed('rate, size and bandwidth differ')
    rows.push({
      line: lineOf(text, '"MsgSize"', rows.length),
      sizeBytes,
      iterations: numberOf(row, 'n_iterations'),
      rateBps: unit === undefined ? null : average! * unit,
      messagesPerSecond,
      latencyUs,
    })
  }
  if (rows.length === 0) return failed('no results')
  const draft: Draft = {
    ...emptyDraft(1),
    info,
    rows,
    operation: verbOf(title?.[1] ?? ''),
    isBidirectional: title?.[2] !== undefined,
  }
  return { file, readings: [readingOf(file, draft, true)], unread: [], untested: [] }
}

/** Line of the nth place of a text. */
function lineOf(text: string, part: string, n: number): number {
  let at = -1
  for (let i = 0; i <= n; i++) at = text.indexOf(part, at + 1)
  return at < 0 ? 1 : text.slice(0, at).split('\n').length
}
