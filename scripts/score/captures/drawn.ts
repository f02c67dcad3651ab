/**
 * Drawn captures with known truth: two live endpoints, a pipe between them that has a point of capture, and a fault on one side
 * of it. The truth is that of the pipe and of the sender's own counters, as far as the file can have it.
 */
import type { LiveEndpoint } from '../../../src/live/index.ts'
import { drawOf, IPV4, IPV6, Pipe } from '../../../src/live/peer/pipe.test-bench.ts'
import {
  type CaptureRecord,
  dissect,
  isAtomic,
  isReadResponse,
  READ_REQUEST_OPCODE,
} from '../../../src/core/wire/index.ts'
import { psnDistance } from '../../../src/live/decode/psn.ts'
import { type Cause, type Sent, type KnownCapture, VIEWS } from './truth.ts'

const US = 1e6
const MS = 1e9
const DELAY_PS = 10 * US
const MTU = 1024
const RECOVERIES = ['go-back-n', 'improved-gbn', 'irn'] as const
const FAULTS = [
  'none',
  'loss before',
  'loss behind',
  'answer lost before',
  'answer lost behind',
  'late answer',
  'doubled',
  'reordered',
  'not ready',
  'refused',
] as const
/** IRN's responses have PSNs and acknowledgements of their own. */
const PROGRAMS = ['ib_send_bw', 'ib_write_bw', 'ib_read_bw', 'ib_atomic_bw'] as const
const PLAIN_PROGRAMS = 2

export interface Drawn extends KnownCapture {
  readonly recovery: (typeof RECOVERIES)[number]
  readonly fault: (typeof FAULTS)[number]
  readonly program: (typeof PROGRAMS)[number]
}

/** A busy receiver: it posts receives only so often. */
function serveEach(endpoint: LiveEndpoint, periodPs: number): void {
  const { application } = endpoint
  let duePs = 0
  endpoint.application = {
    get nextPs() {
      return duePs
    },
    advance: (nowPs) => {
      if (nowPs < duePs) return
      duePs = nowPs + periodPs
      application!.advance(nowPs)
    },
  }
}

export function draw(seed: number): Drawn {
  const next = drawOf(seed)
  const recovery = RECOVERIES[next(RECOVERIES.length)]!
  const fault = FAULTS[next(FAULTS.length)]!
  const view = VIEWS[next(8) < 5 ? 0 : 1 + next(3)]!
  const drawnProgram = PROGRAMS[next(recovery === 'irn' ? PLAIN_PROGRAMS : PROGRAMS.length)]!
  const program = fault === 'not ready' ? 'ib_send_bw' : drawnProgram
  const packets = program === 'ib_atomic_bw' ? 1 : 1 + next(fault === 'refused' ? 2 : 6)
  const sizeBytes = program === 'ib_atomic_bw' ? 8 : MTU * packets
  const beforePs = (1 + next(8)) * US
  const target = 2 + next(Math.min(20, packets * 8))
  const seen: { readonly record: CaptureRecord; readonly packet: Sent }[] = []
  const sent: Sent[] = []
  const counts = { requests: 0, answers: 0, high: -1, timeouts: 0, naks: 0, rnrs: 0 }
  const plan = {
    program,
    sizeBytes,
    iterations: 12,
    pairs: 1,
    mtuBytes: MTU,
    depth: 4,
    // Too little is refused: at once, or where later requests leave it.
    memoryBytes: fault !== 'refused' ? 65_536 : program === 'ib_read_bw' ? Math.max(sizeBytes, 3 * MTU) : sizeBytes - 1,
    receives: fault === 'not ready' ? 2 : 100,
    schemes: { recovery: { kind: recovery } },
  }
  const ips = next(4) === 0 ? IPV6 : IPV4
  const pipe: Pipe = new Pipe(plan, ips, fateOf, seed)
  if (fault === 'not ready') serveEach(pipe.endpoints[1], (1 + next(4)) * MS)
  pipe.run(20e12)
  const inOrder = seen.toSorted((a, b) => a.record.timePs - b.record.timePs)
  return {
    recovery,
    fault,
    program,
    view,
    isSentTwice: recovery === 'improved-gbn',
    isIdentified: ips === IPV4,
    sent,
    records: inOrder.map(({ record }) => record),
    packets: inOrder.map(({ packet }) => packet),
  }

  function fateOf(bytes: Uint8Array, from: number): readonly number[] {
    const frame = dissect(bytes, 'ethernet', { formatOf: () => (recovery === 'irn' ? 1 : 0) })
    if (frame.kind !== 'roce' || frame.service !== 'rc') return [0]
    const { psn, opcode } = frame.bth
    const { aeth, reth } = frame.headers
    const isRequest = from === 0
    const n = isRequest ? counts.requests++ : counts.answers++
    const isHit = n === target
    const hit = isHit && isRequest === !fault.startsWith('answer') ? fault : 'none'
    const isLost = hit.includes('loss') || hit.includes('lost')
    const isPassing = !hit.endsWith('before')
    const latePs =
      hit === 'reordered' ? (1 + next(5)) * US : !isRequest && n >= target && fault === 'late answer' ? 80 * MS : 0
    const copies = hit === 'doubled' ? [latePs, latePs + US] : [latePs]
    const isRead = opcode === READ_REQUEST_OPCODE
    const to = psn + (isRead ? Math.ceil(reth!.lengthBytes / MTU) : 1)
    const isAnswered = isRead || isAtomic(opcode) || isReadResponse(opcode) || frame.headers.original !== undefined
    const cause = isRequest ? countedCause() : null
    const before = isRequest ? sent.findLast((one) => one.isRequest) : undefined
    const sincePs = before?.psn === psn ? pipe.nowPs - before.sentPs : Infinity
    const isSecond = recovery === 'improved-gbn' && cause === null && sincePs < US
    const isAgain = isRequest && counts.high >= 0 && psnDistance(psn, counts.high) < 0 && !isSecond
    if (isRequest && (counts.high < 0 || psnDistance(to, counts.high) > 0)) counts.high = to
    const packet: Sent = {
      psn,
      to,
      isRequest,
      isAnswered,
      syndrome: aeth?.syndrome ?? null,
      sentPs: pipe.nowPs,
      passedPs: isPassing ? copies.map((at) => pipe.nowPs + at + (isRequest ? beforePs : DELAY_PS - beforePs)) : [],
      arrivedPs: isLost ? [] : copies.map((at) => pipe.nowPs + at + DELAY_PS),
      isAgain,
      cause: cause ?? (isAgain && isAnswered && before?.isAgain !== true ? uncountedCause() : null),
    }
    sent.push(packet)
    const isSeen = view === 'both' || view === 'mirrored' || (view === 'requests') === isRequest
    if (isSeen)
      for (const passedPs of packet.passedPs)
        for (const atPs of view === 'mirrored' ? [passedPs, passedPs + 3 * US] : [passedPs]) see(bytes, atPs, packet)
    return isLost ? [] : copies
  }

  function countedCause(): Cause | null {
    const pair = pipe.sessions[0].livePairs[0]!
    const now = { timeouts: pair.timeouts, naks: pair.counts.naksReceived, rnrs: pair.counts.rnrNaksReceived }
    const cause =
      now.timeouts > counts.timeouts ? 'timer' : now.rnrs > counts.rnrs ? 'rnr' : now.naks > counts.naks ? 'nak' : null
    Object.assign(counts, now)
    return cause
  }

  /** READs and atomics are asked for again at an answer behind one that lacks, or by a timer of their own. */
  function uncountedCause(): Cause {
    const isAtAnswer = sent.some(({ isRequest, arrivedPs }) => !isRequest && arrivedPs.includes(pipe.nowPs))
    return isAtAnswer ? 'response' : 'timer'
  }

  function see(bytes: Uint8Array, timePs: number, packet: Sent): void {
    const one = { port: 0, link: 'ethernet' as const, timePs, sizeBytes: bytes.length, bytes: bytes.slice() }
    seen.push({ record: { ...one, hasCrcError: false, comment: '' }, packet })
  }
}
