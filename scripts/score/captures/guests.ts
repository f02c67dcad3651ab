/**
 * Captures of Linux guests: perftest between two of them, with a line between that does what a drawn script says. The truth is
 * what the line did: when each frame came to it, and when it left. Captures are those of either side of the line.
 */
import { FaultLine, type FaultEvent, readFaultScript } from '../../../src/live/index.ts'
import type { Direction, Line } from '../../../src/live/faults/line.ts'
import { type GuestPair, runTrial, SERVER } from '../../../src/live/drivers/guests/index.ts'
import { drawOf } from '../../../src/live/peer/pipe.test-bench.ts'
import { psnDistance } from '../../../src/live/decode/psn.ts'
import {
  type CaptureRecord,
  dissect,
  type DissectedRoce,
  isAtomic,
  isReadResponse,
  READ_REQUEST_OPCODE,
} from '../../../src/core/wire/index.ts'
import { type Cause, isAfter, isMissed, isRnr, type Sent, type KnownCapture, type View, VIEWS } from './truth.ts'

const MS = 1e9
const MTU = 1024
const PROGRAMS = ['ib_send_bw', 'ib_write_bw', 'ib_read_bw', 'ib_atomic_bw'] as const
/** Answers to their requests, as scripts say it. */
const ANSWERS = { ib_send_bw: 'ack', ib_write_bw: 'ack', ib_read_bw: 'read-response', ib_atomic_bw: 'atomic-response' }
const FAULTS = [
  'loss',
  'answer lost',
  'late answer',
  'doubled',
  'reordered',
  'not ready',
  'losses',
  'refused',
  'answers lost',
  'none',
] as const
/** Where the capture is: at the client's side of the line, at the server's, or both, at one interface or two. */
const POINTS = ['client', 'server'] as const
const MESSAGES = 24
const DEPTH = 8
/** A timeout of a queue pair far above what a busy machine is late by: 4.096 us x 2^18. */
const TIMEOUT_CODE = 18
const TIMEOUT_PS = 4.096e6 * 2 ** TIMEOUT_CODE
/** A sender that gets an answer reacts to it within this time. */
const PROMPT_PS = TIMEOUT_PS / 2
const LIMIT_MS = 30_000

export interface GuestPlan {
  readonly seed: number
  readonly program: (typeof PROGRAMS)[number]
  readonly fault: (typeof FAULTS)[number]
  readonly point: (typeof POINTS)[number]
  readonly view: View
  /** Each point of a view of both has an interface of its own. */
  readonly hasTwoPorts: boolean
  readonly sizeBytes: number
  readonly script: string
}

/** A frame at the line. */
interface Passage {
  readonly frame: Uint8Array
  readonly isOut: boolean
  readonly isMade: boolean
  readonly inPs: number
  readonly outPs: number[]
}

/** Each fault in turn; the rest is drawn. */
export function planOf(seed: number): GuestPlan {
  const next = drawOf(seed)
  const fault = FAULTS[(seed - 1) % FAULTS.length]!
  const program = fault === 'not ready' ? 'ib_send_bw' : PROGRAMS[next(PROGRAMS.length)]!
  const view = VIEWS[next(8) < 5 ? 0 : 1 + next(3)]!
  const packets = program === 'ib_atomic_bw' ? 1 : 1 + next(4)
  const nth = 2 + next(Math.min(20, 8 * packets))
  const answer = `match: ${ANSWERS[program]}, direction: in`
  const request = 'match: request, direction: out'
  const rules: Readonly<Record<GuestPlan['fault'], string>> = {
    none: '',
    loss: `{${request}, nth: ${nth}, do: drop}`,
    losses: `{${request}, every: ${5 + next(8)}, times: 3, do: drop}`,
    'answer lost': `{${answer}, nth: ${nth}, do: drop}`,
    'answers lost': `{${answer}, every: ${3 + next(4)}, times: 3, do: drop}`,
    'late answer': `{${answer}, from: ${nth}, times: ${DEPTH}, do: {delay: ${Math.round((1.5 * TIMEOUT_PS) / MS)}ms}}`,
    doubled: `{${request}, nth: ${nth}, do: duplicate}`,
    reordered: `{${request}, nth: ${nth}, do: {reorder: ${1 + next(3)}}}`,
    'not ready': `{${request}, from: ${nth}, times: 1, do: {rnr: ${1 + next(3)}, timer: ${10 + next(6)}}}`,
    refused: `{${request}, from: ${nth}, times: 1, do: {nak: ${61 + next(3)}}}`,
  }
  return {
    seed,
    program,
    fault,
    point: POINTS[next(2)]!,
    view,
    hasTwoPorts: next(2) === 0,
    sizeBytes: program === 'ib_atomic_bw' ? 8 : MTU * packets,
    script: rules[fault] === '' ? '' : `- ${rules[fault]}`,
  }
}

export interface GuestCapture extends KnownCapture {
  readonly plan: GuestPlan
  /** How often the script acted. */
  readonly acted: number
  /** Packets sent again for no cause that is known. */
  readonly unknown: number
  readonly code: number | null
}

export async function guestCapture(pair: GuestPair, plan: GuestPlan): Promise<GuestCapture> {
  const tap = new Tap(plan.script)
  pair.use(tap)
  const { program, sizeBytes } = plan
  const size = program === 'ib_atomic_bw' ? '' : `-s ${sizeBytes}`
  const words = `${program} -F -x 1 -m ${MTU} -n ${MESSAGES} -t ${DEPTH} -u ${TIMEOUT_CODE} ${size}`
  const client = `${words} ${SERVER.ip4}`
  const ended = await runTrial(pair, { server: words, client, isDaemon: true, limitMs: LIMIT_MS })
  const acted = tap.line.counts.reduce((sum, count) => sum + count.acted, 0)
  return { ...captureBy(plan, tap.passages), plan, acted, code: ended.client.code }
}

/** A line with a script that notes when frames come and go. */
class Tap implements Line {
  readonly line: FaultLine
  readonly passages: Passage[] = []
  readonly #byFrame = new Map<Uint8Array, Passage>()

  constructor(script: string) {
    const read = script === '' ? { seed: 1, rules: [], peer: undefined } : readFaultScript(script, 'script')
    this.line = new FaultLine(read, (event) => this.#note(event))
  }

  get nextPs(): number {
    return this.line.nextPs
  }

  onFrame(nowPs: number, direction: Direction, frame: Uint8Array): void {
    this.line.onFrame(nowPs, direction, frame)
  }

  pollFrame(nowPs: number, direction: Direction): Uint8Array | null {
    const frame = this.line.pollFrame(nowPs, direction)
    if (frame !== null) this.#byFrame.get(frame)?.outPs.push(nowPs)
    return frame
  }

  #note({ timePs, direction, frame, isMade }: FaultEvent): void {
    // A copy is the same frame.
    if (this.#byFrame.has(frame)) return
    const passage = { frame, isOut: direction === 'out', isMade, inPs: timePs, outPs: [] }
    this.passages.push(passage)
    this.#byFrame.set(frame, passage)
  }
}

/** The capture of a plan, and its truth. */
function captureBy(plan: GuestPlan, passages: readonly Passage[]): KnownCapture & { readonly unknown: number } {
  const history = new History()
  const seen: { readonly record: CaptureRecord; readonly packet: Sent }[] = []
  for (const passage of passages.toSorted((a, b) => a.inPs - b.inPs)) {
    const roce = dissect(passage.frame, 'ethernet')
    if (roce.kind !== 'roce' || roce.service !== 'rc') continue
    const sights = sightsOf(plan, passage)
    // Copies of a mirror are one passage.
    const passedPs =
      plan.view === 'mirrored' ? sights.slice(0, 1).map(({ timePs }) => timePs) : sights.map((one) => one.timePs)
    const packet = history.add(roce, passage, passedPs)
    const isSeen = plan.view === 'both' || plan.view === 'mirrored' || (plan.view === 'requests') === passage.isOut
    if (isSeen) for (const { port, timePs } of sights) seen.push({ record: recordOf(passage, port, timePs), packet })
  }
  const inOrder = seen.toSorted((a, b) => a.record.timePs - b.record.timePs)
  return {
    view: plan.view,
    isSentTwice: false,
    isIdentified: true,
    sent: history.sent,
    records: inOrder.map(({ record }) => record),
    packets: inOrder.map(({ packet }) => packet),
    unknown: history.unknown,
  }
}

/** When a frame passed the points of the capture, in order. */
function sightsOf({ point, view, hasTwoPorts }: GuestPlan, { isOut, isMade, inPs, outPs }: Passage) {
  const first = isMade ? [] : [{ port: 0, timePs: inPs }]
  const second = outPs.map((timePs) => ({ port: hasTwoPorts ? 1 : 0, timePs }))
  if (view === 'mirrored') return [...first, ...second]
  return ((point === 'client') === isOut ? first : second).map(({ timePs }) => ({ port: 0, timePs }))
}

function recordOf({ frame }: Passage, port: number, timePs: number): CaptureRecord {
  const one = { port, link: 'ethernet' as const, timePs, sizeBytes: frame.length, bytes: frame.slice() }
  return { ...one, hasCrcError: false, comment: '' }
}

/** Packets in the order in which they were sent, and why the client sent again. */
class History {
  readonly sent: Sent[] = []
  unknown = 0
  /** Refusals that the client has gone back for. */
  readonly #heeded = new Set<Sent>()
  #end: number | null = null

  add({ bth: { psn, opcode }, headers }: DissectedRoce, { isOut, inPs, outPs }: Passage, passedPs: number[]): Sent {
    const isRead = opcode === READ_REQUEST_OPCODE
    const isAnswered = isRead || isAtomic(opcode) || isReadResponse(opcode) || headers.original !== undefined
    const to = psn + (isRead ? Math.max(1, Math.ceil(headers.reth!.lengthBytes / MTU)) : 1)
    const isAgain = isOut && this.#end !== null && psnDistance(psn, this.#end) < 0
    if (isOut && (this.#end === null || isAfter(to, this.#end))) this.#end = to
    const packet: Sent = {
      psn,
      to,
      isRequest: isOut,
      isAnswered,
      syndrome: headers.aeth?.syndrome ?? null,
      sentPs: inPs,
      passedPs,
      arrivedPs: outPs,
      isAgain,
      cause: isAgain ? this.#causeOf(psn, isAnswered, inPs) : null,
    }
    this.sent.push(packet)
    return packet
  }

  /** An answer that the client had before it went back to a PSN, or its timer; null: it goes on. */
  #causeOf(psn: number, isAnswered: boolean, nowPs: number): Cause | null {
    const requests = this.sent.filter((one) => one.isRequest)
    const before = requests.at(-1)!
    if (before.isAgain && before.to === psn && nowPs - before.sentPs < PROMPT_PS) return null
    const sincePs = requests.findLast((one) => !isAfter(one.psn, psn) && isAfter(one.to, psn))?.sentPs ?? 0
    const came = this.sent.filter(
      ({ isRequest, arrivedPs }) => !isRequest && arrivedPs.some((atPs) => atPs <= nowPs && nowPs - atPs < PROMPT_PS),
    )
    const refusal = came.find((one) => refuses(one, psn) && !this.#heeded.has(one))
    if (refusal !== undefined) {
      this.#heeded.add(refusal)
      return isMissed(refusal) ? 'nak' : 'rnr'
    }
    const isOvertaken = came.some((one) => isAfter(one.psn, psn) && one.arrivedPs.some((atPs) => atPs > sincePs))
    if (isAnswered && isOvertaken) return 'response'
    if (nowPs - sincePs > 0.8 * TIMEOUT_PS) return 'timer'
    this.unknown++
    return null
  }
}

/** Linux goes back to the first packet without an ACK at an RNR NAK, and to the packet that is named at NAK 60. */
function refuses(answer: Sent, psn: number): boolean {
  return isRnr(answer) ? !isAfter(psn, answer.psn) : isMissed(answer) && answer.psn === psn
}
