/**
 * Trace: every message written down.
 * Text form: "SRC DST SIZE START [class=3] [sport=49152] [dport=100] [op=read] [tag=x] [connection=n]"; hosts by position, SIZE with a
 * unit ("1500B"), START a time ("1.03us"). Messages are posted in order of START, equal ones in order of the lines.
 * Messages with the same connection share a QP: they have the same ends, direction of the request, class and ports.
 * A message with "after=ID,ID" waits until those with these ids are received, with "acked=ID,ID" until they are acknowledged,
 * or until N of all of them with "need=N", then for "delay=TIME"; and for START in any case.
 * Issue paths count lines from 0 as the scenario does: "flows.3".
 */
import { hasControls } from '../base/control-characters.ts'
import { InputError, type Issue } from '../base/issue.ts'
import { duration, list, NEVER_PS, text } from '../base/params.ts'
import { parseQuantity } from '../base/units.ts'
import { GraphSource } from './graph/graph-source.ts'
import { isWaiting, noWaits, waitIssues, waitingPlan, type WaitingTrace, type Waits } from './graph/waiting-trace.ts'
import { sizeIssues, workRequestsParam } from './labels.ts'
import {
  blankMessage,
  defineWorkload,
  isAnswered,
  isPlain,
  type Message,
  type Operation,
  OPERATIONS,
  type Source,
} from './workload.ts'

const FORM =
  '"SRC DST SIZE START [class=N] [sport=N] [dport=N] [op=OPERATION] [tag=WORD] [connection=N] [id=WORD] [after=ID,ID] [acked=ID,ID] [need=N] [delay=TIME]"'

export const trace = defineWorkload({
  name: 'trace',
  help: 'messages written down one by one',
  params: {
    flows: list(text({ help: `${FORM}, for example "0 7 1500B 1.03us class=3"` }), {
      minItems: 1,
      help: 'messages, in any order, which may wait until others, given by id, are received or acknowledged; none is posted from measure.generate on',
    }),
    tag: text({ default: 'trace', help: 'name in results of messages that have none of their own' }),
    workRequests: workRequestsParam,
    origin: duration({
      default: 0,
      help: 'time 0 of the scenario on the clock that the trace was taken from; given back on export, without effect here',
    }),
  },
  isClosed: ({ flows }) => flows.some((line) => /\s(?:after|acked)=/.test(line)),
  create(values, { hostCount, generateUntilPs: untilPs, isLogged = false }) {
    const { flows, waits } = readTrace(values, hostCount)
    if (waits.some(isWaiting)) return new GraphSource(waitingPlan({ flows, waits }, { hostCount, untilPs, isLogged }))
    // Array sort is stable: equal times keep the order of the lines.
    return new TraceSource(
      flows.toSorted((a, b) => a.startPs - b.startPs),
      untilPs,
    )
  },
})

/** Messages in the order of their lines, and what they wait for. Throws InputError with all issues. */
export function readTrace(
  values: { readonly flows: readonly string[]; readonly tag: string; readonly workRequests: boolean },
  hostCount: number,
): WaitingTrace<Message> {
  const issues: Issue[] = []
  const flows: Message[] = []
  const waits: (Waits | null)[] = []
  const firstOf = new Map<number, readonly [flow: Message, line: number]>()
  values.flows.forEach((line, index) => {
    const known = issues.length
    const problem: Problem = (expected, received, hint = '') => {
      issues.push({ path: `flows.${index}`, expected, received, hint })
    }
    const parsed = parseFlow(line, hostCount, values, problem)
    if (parsed === undefined || issues.length > known) return
    const [flow, its] = parsed
    waits.push(its)
    flow.isWork = values.workRequests || !isPlain(flow.operation)
    flows.push(flow)
    const first = firstOf.get(flow.connection)
    if (flow.connection === -1) return
    if (first === undefined) firstOf.set(flow.connection, [flow, index])
    else if (!isSameQueuePair(first[0], flow)) {
      problem(`hosts, op, class, sport and dport of flows.${first[1]} on connection ${flow.connection}`, `"${line}"`)
    }
  })
  if (issues.length === 0 && waits.some((its) => its !== null)) issues.push(...waitIssues({ flows, waits }))
  if (issues.length > 0) throw new InputError(issues)
  return { flows, waits }
}

class TraceSource implements Source {
  nextStartPs: number = NEVER_PS
  readonly #flows: readonly Message[]
  readonly #untilPs: number
  #next = 0
  leftBytes: number

  constructor(flows: readonly Message[], untilPs: number) {
    this.#flows = flows
    this.leftBytes = flows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    this.#untilPs = untilPs
    this.#lookAhead()
  }

  take(out: Message): void {
    Object.assign(out, this.#flows[this.#next++]!)
    this.leftBytes -= out.sizeBytes
    this.#lookAhead()
  }

  onComplete(): void {
    // Times are given.
  }

  #lookAhead(): void {
    const startPs = this.#flows[this.#next]?.startPs ?? NEVER_PS
    this.nextStartPs = startPs < this.#untilPs ? startPs : NEVER_PS
  }
}

type Problem = (expected: string, received: string, hint?: string) => void

function parseFlow(
  line: string,
  hostCount: number,
  { tag, workRequests }: { readonly tag: string; readonly workRequests: boolean },
  problem: Problem,
): readonly [flow: Message, waits: Waits | null] | undefined {
  const [sourceText, destinationText, sizeText, startText, ...options] = line.trim().split(/\s+/)
  if (sourceText === undefined || destinationText === undefined || sizeText === undefined || startText === undefined) {
    problem(FORM, `"${line}"`)
    return undefined
  }
  const host = (word: string): number => {
    const position = parseWhole(word, hostCount - 1)
    if (position === undefined) problem(`a host 0 to ${hostCount - 1}`, `"${word}"`)
    return position ?? -1
  }
  const source = host(sourceText)
  const destination = host(destinationText)
  if (source === destination && source !== -1) problem('two different hosts', `${source} to itself`)
  const sizeBytes = parseQuantity('size', sizeText)
  if (sizeBytes === undefined || sizeBytes < 1)
    problem('a size of 1B or more', `"${sizeText}"`, unitHint(sizeText, 'B'))
  const startPs = parseQuantity('duration', startText)
  if (startPs === undefined) problem('a start time such as 1.03us', `"${startText}"`, unitHint(startText, 'us'))
  if (sizeBytes === undefined || startPs === undefined) return undefined
  const flow: Message = { ...blankMessage(), startPs, source, destination, sizeBytes, tag }
  const waits = readOptions(flow, options, problem)
  for (const { expected, received, hint } of sizeIssues('', { operation: flow.operation, workRequests }, sizeBytes))
    problem(expected, received, hint)
  return [flow, waits]
}

function readOptions(flow: Message, options: readonly string[], problem: Problem): Waits | null {
  let waits: Waits | null = null
  const seen = new Set<string>()
  for (const option of options) {
    const equals = option.indexOf('=')
    const key = equals === -1 ? option : option.slice(0, equals)
    const value = equals === -1 ? '' : option.slice(equals + 1)
    if (seen.has(key)) problem(`${key} once`, `"${option}" again`)
    seen.add(key)
    if (WAIT_WORDS.has(key) ? readWait((waits ??= noWaits()), key, value) : readOption(flow, key, value)) continue
    problem(
      `class=0..7, sport=0..65535, dport=0..65535, op=${OPERATIONS.join('|')}, tag=WORD, connection=N, id=WORD, after=ID,ID, acked=ID,ID, need=N from 1 or delay=TIME`,
      `"${option}"`,
    )
  }
  return waits
}

const WAIT_WORDS = new Set(['id', 'after', 'acked', 'need', 'delay'])
const ID = /^[\w.:/+-]{1,64}$/

function readWait(waits: Waits, key: string, value: string): boolean {
  switch (key) {
    case 'id':
      waits.id = value
      return ID.test(value)
    case 'need':
      return (waits.need = parseWhole(value, 2 ** 31 - 1) ?? 0) > 0
    case 'delay':
      return (waits.delayPs = parseQuantity('duration', value) ?? -1) >= 0
    default: {
      const ids = value.split(',')
      if (key === 'after') waits.after = ids
      else waits.acked = ids
      return ids.every((id) => ID.test(id))
    }
  }
}

function readOption(flow: Message, key: string, value: string): boolean {
  switch (key) {
    case 'class':
      return (flow.trafficClass = parseWhole(value, 7) ?? -1) !== -1
    case 'sport':
      return (flow.sourcePort = parseWhole(value, 65535) ?? -1) !== -1
    case 'dport':
      return (flow.destinationPort = parseWhole(value, 65535) ?? -1) !== -1
    case 'connection':
      return (flow.connection = parseWhole(value, 2 ** 31 - 1) ?? -1) !== -1
    case 'op':
      if (!isOperation(value)) return false
      flow.operation = value
      return true
    case 'tag':
      flow.tag = value
      return value !== '' && !hasControls(value)
    default:
      return false
  }
}

/** A READ is asked for at the other end, so it shares no queue pair with writes of the same direction. */
function isSameQueuePair(a: Message, b: Message): boolean {
  return (
    a.source === b.source &&
    a.destination === b.destination &&
    isAnswered(a.operation) === isAnswered(b.operation) &&
    a.isWork === b.isWork &&
    a.trafficClass === b.trafficClass &&
    a.sourcePort === b.sourcePort &&
    a.destinationPort === b.destinationPort
  )
}

function isOperation(word: string): word is Operation {
  return OPERATIONS.some((operation) => operation === word)
}

function unitHint(word: string, unit: string): string {
  return /^\d+(\.\d+)?$/.test(word) ? `with its unit: ${word}${unit}` : ''
}

function parseWhole(word: string, most: number): number | undefined {
  if (!/^\d{1,10}$/.test(word)) return undefined
  const value = Number(word)
  return value <= most ? value : undefined
}
