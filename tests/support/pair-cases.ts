/**
 * Random cases for the contract suites: a pair, some messages, and a pipe that loses, doubles, marks and reorders.
 * A case is drawn from its seed and the names of its schemes alone, so a printed seed brings it back.
 * ROCELAB_SEED is the first seed, ROCELAB_BUDGET multiplies the number of cases.
 */
import { type AnyValues, GBPS, NS, US, type Definition, type Param } from '../../src/core/base/params.ts'
import { createRandomStreams, type RandomStream } from '../../src/core/base/random.ts'
import type { EndpointValues } from '../../src/core/transport/params.ts'
import type { RecoveryDefinition } from '../../src/core/transport/recovery/recovery.ts'
import type { Offers, SchemeDefinition } from '../../src/core/transport/scheme.ts'
import { CNM } from '../../src/core/transport/segment.ts'
import { doubleWhere, holdWhere, loseWhere, markWhere, report, trimWhere, type Pipe, type Rule } from './pair-pipe.ts'
import { Pair, scheme, type Chosen, type Operation, type Outcome } from './pair.ts'
import { Witness } from './pair-witness.ts'

export const FIRST_SEED = Number(process.env['ROCELAB_SEED'] ?? 1)
export const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))

/**
 * Exemptions of a recovery from the contract, each with its reason. A scheme that is not listed must fulfil all of it.
 */
export interface Exceptions {
  /** It may send for ever: such a case is stopped and reported. */
  readonly mayLivelock?: string
  /** The receiver may discard what it has of an unfinished message. */
  readonly mayForget?: string
  /** Packets arrive in order. */
  readonly noReordering?: string
}

/** Recoveries that accept packets out of order with these values. */
const REORDERING: Readonly<Record<string, (values: AnyValues) => boolean>> = {
  irn: ({ resend }) => resend !== 'go-back-n',
  'rewinding irn': () => true,
  iwarp: () => true,
  tcp: () => true,
  'mp-rdma': () => true,
}

/**
 * Recoveries whose expected PSN advances when a message is complete, or else by blocks of at least this many packets.
 */
const BLOCKS: Readonly<Record<string, (values: AnyValues) => number>> = {
  'mp-rdma': ({ slots }) => Math.ceil((slots as number) / 2),
}

/** Whether two schemes may be combined in a scenario. */
export function fit(recovery: SchemeDefinition, congestion: SchemeDefinition): boolean {
  const isMet = (asking: SchemeDefinition, other: SchemeDefinition, need: keyof Offers): boolean =>
    asking.needs[need] !== true || other.offers?.[need] === true
  return (['multipath', 'soleControl'] as const).every(
    (need) => isMet(recovery, congestion, need) && isMet(congestion, recovery, need),
  )
}

export interface Faults {
  readonly lossForward: number
  readonly lossBackward: number
  readonly doubled: number
  readonly marked: number
  readonly late: number
  readonly latePs: number
}

export interface Case {
  readonly seed: number
  readonly recovery: Chosen<Definition>
  readonly congestion: Chosen<Definition>
  readonly qp: Partial<EndpointValues>
  readonly isRead: boolean
  readonly lineRateBps: number
  readonly delayPs: number
  readonly payloadBytes: number
  readonly firstPsn: number
  readonly messages: readonly { readonly atPs: number; readonly sizeBytes: number; readonly operation: Operation }[]
  readonly faults: Faults
  /** Share of data packets that are trimmed, and how much earlier their headers arrive. */
  readonly trimmed: number
  readonly aheadPs: number
  /** Reason why it may go on for ever; null: it must end. */
  readonly livelockReason: string | null
  readonly mayRewind: boolean
  readonly isReordering: boolean
  /** Packets of an incomplete message that are acknowledged at once. */
  readonly blockPackets: number
}

interface CaseResult {
  readonly outcome: Outcome
  readonly broken: readonly string[]
  readonly faults: number
  readonly packets: number
  readonly slowestBps: number
}

/** Limit of the simulated time. A case that must end gets the longer one, as a reader's timeouts double. */
const LIMIT_PS = 8e12
const LIVELOCK_PS = 0.02e12
/** Lower bound of a control's rate in a case, as a share of the line rate, so that cases are short. */
const LEAST_SHARE = 1 / 40
/** Lower bound of the window, packets: below one, so that packets are released one by one. */
const LEAST_WINDOW = 0.5
const LAP = 2 ** 24
/** The longest times of a recovery, so that cases are short: a host kernel's are on another scale. */
const LONGEST_PS: Readonly<Record<string, number>> = {
  rtoInitial: 1280 * US,
  rtoMin: 1280 * US,
  delayedAck: 100 * US,
}

export function pick<T>(random: RandomStream, ...choices: readonly T[]): T {
  return choices[random.below(choices.length)]!
}

function chance(random: RandomStream, probability: number): boolean {
  return random.uniform() < probability
}

/** Values of a definition: its defaults, now and then another choice, a quarter or four times as much, or off. */
function drawValues(random: RandomStream, definition: Definition, lineRateBps: number): Partial<AnyValues> {
  const values: Record<string, AnyValues[string] | undefined> = {}
  for (const [name, param] of Object.entries(definition.params)) {
    if (name === 'minRate') values[name] = lineRateBps * LEAST_SHARE
    else if (name === 'minWindow' && param.type === 'ratio') values[name] = LEAST_WINDOW
    else if (chance(random, 0.3)) values[name] = drawValue(random, param)
    const longestPs = LONGEST_PS[name]
    const value = name in values ? values[name] : 'default' in param ? param.default : undefined
    if (longestPs !== undefined && typeof value === 'number' && value > longestPs) values[name] = longestPs
  }
  return values
}

function drawValue(random: RandomStream, param: Param): AnyValues[string] | undefined {
  switch (param.type) {
    case 'choice':
      return pick(random, ...param.choices)
    case 'flag':
      return chance(random, 0.5)
    case 'count':
    case 'duration':
    case 'rate':
    case 'size':
    case 'ratio': {
      if (param.off && chance(random, 0.5)) return null
      if (param.default === null || param.default === undefined)
        return param.type === 'count' ? 4 : param.type === 'duration' ? 20 * US : param.default
      const scaled = param.default * pick(random, 0.25, 4)
      const whole = param.type === 'ratio' ? scaled : Math.round(scaled)
      return Math.min(param.max ?? Infinity, Math.max(param.min ?? 0, whole))
    }
    default:
      return undefined
  }
}

function drawSize(random: RandomStream, payloadBytes: number, mostPackets: number): number {
  const packets = 1 + random.below(mostPackets)
  return pick(
    random,
    0,
    1,
    payloadBytes - 1,
    payloadBytes,
    payloadBytes + 1,
    packets * payloadBytes,
    packets * payloadBytes - 7,
  )
}

export interface CaseOptions {
  readonly exceptions: Exceptions
  readonly faults: (random: RandomStream, isReordered: boolean) => Faults
  readonly mostPackets: number
  /** A case ends after this many findings. */
  readonly mostFindings: number
}

/** Draws the case of a seed. */
function drawCase(seed: number, recovery: Definition, congestion: SchemeDefinition, options: CaseOptions): Case {
  const streams = createRandomStreams(seed)
  const random = streams.stream(`case/${recovery.name}/${congestion.name}`)
  const acks = streams.stream('acks')
  const trims = streams.stream('trims')
  const { exceptions } = options
  const { needs } = congestion
  const lineRateBps = pick(random, 10, 40, 100) * GBPS
  const payloadBytes = pick(random, 256, 1024)
  const isRead = chance(random, 0.25)
  const isReordered = exceptions.noReordering === undefined && chance(random, 0.3)
  const faults = options.faults(random, isReordered)
  const window = !isRead && chance(random, 0.3) ? (1 + random.below(12)) * payloadBytes - random.below(2) : null
  const isEveryPacket =
    needs.perPacketAck === true ||
    (recovery as SchemeDefinition).needs.perPacketAck === true ||
    window !== null ||
    chance(random, 0.4)
  const ackInterval = isEveryPacket ? 1 : pick(random, 2, 5, 16, 0)
  const unanswered = ackInterval === 0 ? options.mostPackets + 1 : ackInterval
  // A timer shorter than the time until the first ACK request arrives rewinds for ever.
  const slowestPacketPs = ((payloadBytes + 98) * 8e12) / (lineRateBps * LEAST_SHARE)
  const ackTimeout =
    pick(random, 20, 100, 400) * US + (unanswered > 1 ? Math.round(2 * unanswered * slowestPacketPs) : 0)
  const readAcks = chance(acks, 0.5)
  const readWindow = isRead && readAcks && ackInterval === 1 ? pick(acks, null, 3 * payloadBytes) : null
  const recoveryValues = drawValues(random, recovery, lineRateBps)
  const chosen = scheme(recovery, recoveryValues)
  const { values } = chosen
  const areAcksSole = needs.soleAcks === true || (recovery as SchemeDefinition).needs.soleAcks === true
  const isSilent = recoveryValues['duplicates'] === 'silent'
  const receiveQueue = !isRead && chance(random, 0.3) ? 1 + random.below(2) : null
  const operation = (): Operation => (isRead ? 'read' : pick(random, 'write', 'send'))
  const spreadPs = chance(random, 0.5) ? 0 : 30 * US
  let atPs = 0
  const drawn = Array.from({ length: 1 + random.below(6) }, () => {
    atPs += spreadPs === 0 ? 0 : random.below(spreadPs)
    return { atPs, sizeBytes: drawSize(random, payloadBytes, options.mostPackets), operation: operation() }
  })
  const firstPsn = isRead || chance(random, 0.5) ? 0 : pick(random, 1, 2) * LAP - 1 - random.below(20)
  // Go-back-0 knows the start of a message from the end of the one before: sends a first message without faults.
  const isWarmed = firstPsn > 0
  return {
    seed,
    recovery: chosen,
    congestion: scheme(congestion, drawValues(random, congestion, lineRateBps)),
    qp: {
      ackInterval,
      ackTimeout,
      retryLimit: chance(random, 0.2) ? 7 : null,
      window: window ?? readWindow,
      windowVariable: window !== null && chance(random, 0.5),
      ecnEcho: needs.cnp === true && chance(random, 0.5) ? 'cnp' : 'ack',
      receiveQueue,
      receiveRepost: receiveQueue === null ? 0 : random.below(40 * US),
      rnrTimer: 1,
      rateRounding: pick(random, 'none', 'bps'),
      pacing: pick(random, 'follow', 'fixed'),
      ackCoalescing: areAcksSole ? 1 : pick(acks, 1, 1, 2, 5),
      ackDelay: pick(acks, 1, 10) * US,
      readAcks,
    },
    isRead,
    lineRateBps,
    delayPs: pick(random, 0, 500 * NS, 2 * US, 15 * US),
    payloadBytes,
    firstPsn,
    messages: isWarmed ? [{ atPs: 0, sizeBytes: 1, operation: 'write' }, ...drawn] : drawn,
    faults,
    // Where trimmed packets are ignored they count as lost: at 30 % a host's timeouts would never end.
    trimmed: pick(trims, 0, 0, 0.02, 0.1, 'trimmed' in recovery.params ? 0.3 : 0.05),
    aheadPs: pick(trims, 0, 1, 10) * US,
    livelockReason: exceptions.mayLivelock ?? (isSilent ? 'a lost ACK is not repeated for a silent duplicate' : null),
    mayRewind: exceptions.mayForget !== undefined,
    isReordering: REORDERING[recovery.name]?.(values) ?? false,
    blockPackets: BLOCKS[recovery.name]?.(values) ?? 1,
  }
}

/** Runs a case under a witness; an exception of a scheme is a finding too. */
export function runCase(c: Case): CaseResult {
  try {
    return run(c)
  } catch (error) {
    return { outcome: 'failed', broken: [String(error)], faults: 0, packets: 0, slowestBps: 0 }
  }
}

function run(c: Case): CaseResult {
  const random = createRandomStreams(c.seed).stream('happenings')
  const { acknowledgesReads } = c.recovery.definition as RecoveryDefinition
  const witness = new Witness({
    payloadBytes: c.payloadBytes,
    lineRateBps: c.lineRateBps,
    firstPsn: c.firstPsn,
    // With blocks, packets that arrived but are not acknowledged do not count, and only the sender knows which they
    // are.
    windowPackets: c.blockPackets > 1 ? Infinity : Math.ceil((c.qp.window ?? Infinity) / c.payloadBytes),
    receiveQueue: c.qp.receiveQueue ?? null,
    repostPs: c.qp.receiveRepost ?? 0,
    mayRewind: c.mayRewind,
    isReordering: c.isReordering,
    blockPackets: c.blockPackets,
    hasWholeRates: c.qp.rateRounding === 'bps',
    mayMissLastAck: c.isRead && c.qp.readAcks === true && acknowledgesReads !== true,
  })
  const fidgets = createRandomStreams(c.seed).stream('fidgets')
  const switches = createRandomStreams(c.seed).stream('switches')
  const { needs } = c.congestion.definition as SchemeDefinition
  const pair: Pair = new Pair({
    ...c,
    ...(c.firstPsn === 0 ? { firstPsn: undefined as never } : {}),
    isLogging: false,
    observer: {
      onPost: (nowPs, sizeBytes, operation) => witness.onPost(nowPs, sizeBytes, operation),
      onSent: (nowPs, psn, segment) => witness.onSent(nowPs, psn, segment),
      onArrival: (nowPs, psn, segment, before, after) => witness.onArrival(nowPs, psn, segment, before, after),
      onStep: (nowPs) => {
        witness.onStep(nowPs)
        if (fidgets.below(16) === 0) pair.fidget()
        if (needs.qcn === true && switches.below(32) === 0) pair.answer({ kind: CNM, syndrome: 1 + switches.below(63) })
      },
    },
  })
  witness.pair = pair
  if (needs.telemetry === true) pair.forward.rule(hearsay(switches, c.lineRateBps))
  c.messages.forEach((message, i) => {
    pair.runUntil(Math.max(pair.nowPs, message.atPs))
    if (message.operation === 'read') pair.read(message.sizeBytes)
    else pair.post(message.sizeBytes, message.operation)
    if (i === 0 && c.firstPsn > 0) pair.run(LIMIT_PS)
    if (i === 0) {
      spoil(pair.forward, c.faults.lossForward, c.faults, random)
      spoil(pair.backward, c.faults.lossBackward, c.faults, random)
      const trims = createRandomStreams(c.seed).stream('trimmed')
      if (c.trimmed > 0) pair.forward.rule(trimWhere(Math.min(c.aheadPs, c.delayPs), () => chance(trims, c.trimmed)))
    }
  })
  const outcome = pair.run(pair.nowPs + (c.livelockReason === null ? LIMIT_PS : LIVELOCK_PS))
  if (outcome === 'finished') {
    pair.calm()
    witness.onFinished()
  }
  const { forward, backward } = pair
  const faults = [forward, backward].reduce(
    (sum, { faults: f }) => sum + f.lost + f.doubled + f.late + f.marked + f.trimmed,
    0,
  )
  const broken = [...witness.broken]
  if (outcome !== 'failed' && witness.seen < c.messages.length) broken.push('the witness saw too little')
  if (!isAllowed(c, outcome)) broken.push(`${outcome}: ${pair.receiver.deliveredMessages} of ${pair.posted} delivered`)
  return { outcome, broken, faults, packets: forward.sent, slowestBps: witness.slowestBps }
}

/** Switches that report arbitrary telemetry: paths that change, ports that stand still, leap, or hold any queue. */
function hearsay(random: RandomStream, lineRateBps: number): Rule {
  let path = 0
  let sentBytes = 0
  return report(({ startPs }) => {
    if (random.below(50) === 0) path = random.below(6)
    sentBytes += pick(random, 0, 1000, 1000, 1000, 1e5)
    return Array.from({ length: path }, (_, port) => ({
      timePs: startPs - (random.below(20) === 0 ? random.below(US) : 0),
      sentBytes,
      queueBytes: pick(random, 0, 0, 1000, 1e6),
      rateBps: lineRateBps * pick(random, 1, 1, 0.1, 4),
      port,
    }))
  })
}

function isAllowed(c: Case, outcome: Outcome): boolean {
  if (outcome === 'finished') return true
  if (outcome === 'failed') return c.qp.retryLimit !== null
  return outcome === 'late' && c.livelockReason !== null
}

function spoil(pipe: Pipe, loss: number, faults: Faults, random: RandomStream): void {
  if (loss > 0) pipe.rule(loseWhere(() => chance(random, loss)))
  if (faults.doubled > 0) {
    pipe.rule((passage) => {
      if (passage.copies > 0) doubleWhere(() => chance(random, faults.doubled))(passage)
    })
  }
  if (faults.marked > 0) pipe.rule(markWhere(() => chance(random, faults.marked)))
  if (faults.late > 0) pipe.rule(holdWhere(faults.latePs, () => chance(random, faults.late)))
}

/** One line that reproduces a case. */
export function described(c: Case): string {
  const { seed, recovery, congestion } = c
  return `ROCELAB_SEED=${seed}, ${recovery.definition.name} with ${congestion.definition.name}`
}

export interface Summary {
  /** Findings, each with the seed that reproduces it. */
  readonly broken: string[]
  readonly cases: number
  /** Cases in which the pipe affected a packet. */
  readonly faulty: number
  readonly finished: number
  readonly late: number
}

/** Runs `count` cases, seed by seed. */
export function runCases(
  count: number,
  recovery: Definition,
  congestion: SchemeDefinition,
  options: CaseOptions,
): Summary {
  const summary = { broken: [] as string[], cases: 0, faulty: 0, finished: 0, late: 0 }
  for (let i = 0; i < count && summary.broken.length < options.mostFindings; i++) {
    const c = drawCase(FIRST_SEED + i, recovery, congestion, options)
    const result = runCase(c)
    summary.cases++
    if (result.faults > 0) summary.faulty++
    if (result.outcome === 'finished') summary.finished++
    if (result.outcome === 'late') summary.late++
    for (const what of result.broken) summary.broken.push(`${described(c)}: ${what}`)
  }
  return summary
}
