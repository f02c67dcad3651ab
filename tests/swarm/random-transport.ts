/**
 * Random transport: congestion control, queue pairs and loss recovery of a random scenario.
 */
import { KB, US } from '../../src/core/base/params.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import type { Dice } from './dice.ts'
import type { Values } from './random-scenario.ts'

/** Controls that read marks in the ACK of each packet. */
const READS_ACKS: readonly string[] = ['dctcp-rate', 'dctcp', 'd2tcp', 'l2dct', 'ldcp', 'mp-rdma']
/** Controls with a window that losses halve. */
const WINDOWED: readonly string[] = ['aimd', 'dctcp', 'd2tcp', 'l2dct']
/** Rate controls that may back off on losses: mostly they do not. */
const LOSS_CUTS = [0, 0, 0.5, 0.9] as const
/** Controls by delay, which have their defaults or nearly. */
const DELAYED: readonly string[] = ['patched-timely', 'dx', 'swift']
/** More often than the others, since marks are to be seen in many cases. */
const OFTEN: readonly string[] = ['dcqcn', 'dcqcn', 'dcqcn', 'dcqcn-hpcc', 'dcqcn-connectx4', 'dcqcn-connectx4']
/** Controls that need an ACK for each packet. */
const ACKED: readonly string[] = ['aimd', 'newreno', 'cubic', 'dx', 'swift', 'hpcc', ...READS_ACKS]
/** Controls that need each ACK on its own. */
const SOLE_ACKS: readonly string[] = ['dctcp-rate', 'dx', 'swift', 'hpcc']

/** Parameters of congestion controls that determine the cost of a case are kept in bounds. */
export function randomCongestion(dice: Dice): Values {
  const microseconds = (): number => dice.log(1, 60) * US
  const kind = dice.one([
    'none',
    'none',
    ...OFTEN,
    'timely',
    'dctcp-rate',
    'dctcp-rate',
    'hpcc',
    'qcn',
    'ldcp',
    'ldcp-pcc',
    ...WINDOWED,
    ...DELAYED,
    'mp-rdma',
    'newreno',
    'cubic',
  ])
  if (kind === 'none') return { kind }
  const { congestion } = parseScenario(
    `{name: x, topology: star, workload: [permutation], congestion: ${kind}, recovery: ${kind === 'mp-rdma' ? kind : 'go-back-n'}, switch: {wred: {classes: [3]}}, qp: {ecnEcho: ${READS_ACKS.includes(kind) ? 'ack' : 'cnp'}}}`,
  )
  if (dice.chance(0.3)) return congestion
  if (WINDOWED.includes(kind)) return { ...congestion, ...randomWindow(dice, kind) }
  if (kind.startsWith('ldcp')) return { ...congestion, ...randomLdcp(dice, kind) }
  if (kind === 'mp-rdma')
    return { ...congestion, initialWindow: dice.one([null, 1, 10, 200]), minWindow: dice.one([1, 2]) }
  if (kind === 'swift') return { ...congestion, baseTarget: microseconds(), minWindow: dice.one([0.1, 0.5]) }
  if (kind === 'newreno' || kind === 'cubic') return { ...congestion, ...randomTcpWindow(dice, kind) }
  if (kind === 'dx') return { ...congestion, threshold: dice.one([null, 0, 5 * US]) }
  const shared = { minRate: dice.one([100, 1000, 5000]) * 1e6, additiveRate: dice.log(5, 5000) * 1e6 }
  if (kind === 'dctcp-rate') return { ...congestion, ...shared, g: dice.one([1 / 16, 1]) }
  if (kind === 'hpcc') return { ...congestion, ...randomHpcc(dice) }
  const hyper = { ...shared, hyperRate: dice.log(50, 5000) * 1e6 }
  if (kind === 'patched-timely') {
    const beta = dice.one([0.008, 0.5])
    return { ...congestion, ...shared, tLow: microseconds(), beta, lossCut: dice.one(LOSS_CUTS) }
  }
  if (kind === 'qcn') {
    return {
      ...congestion,
      ...hyper,
      gd: dice.one([1 / 128, 1 / 64]),
      maxCut: dice.one([0.5, 1]),
      rateInterval: microseconds(),
      byteCounter: dice.one([null, 10 * KB, 150 * KB]),
      fastRecovery: dice.from(0, 5),
    }
  }
  if (kind === 'timely') {
    const tLow = microseconds()
    return {
      ...congestion,
      ...hyper,
      gain: dice.one([0.875, 0.1, 1]),
      beta: dice.one([0.8, 0.2, 1]),
      tLow,
      tHigh: tLow + microseconds() + 10 * US,
      minRtt: microseconds(),
      hyperAfter: dice.from(0, 5),
      hyperLow: dice.chance(0.5),
      update: dice.one(['window', 'segment']),
      serialization: dice.one(['subtracted', 'counted']),
      segment: dice.one([1, 16_384]),
      lossCut: dice.one(LOSS_CUTS),
    }
  }
  return {
    ...congestion,
    ...hyper,
    g: dice.one([1 / 256, 1 / 16, 1]),
    alphaStart: dice.one([0, 0.5, 1]),
    cnpInterval: dice.seldom(0, microseconds, 0.7),
    cut: dice.one(['on-cnp', 'windowed']),
    decreaseInterval: microseconds(),
    alphaInterval: microseconds(),
    rateInterval: microseconds(),
    byteCounter: dice.one([null, 10 * KB, 10_000 * KB]),
    fastRecovery: dice.from(0, 5),
    clampTarget: dice.chance(0.5),
    hyperScaling: dice.one(['by-stage', 'constant']),
    stageTest: dice.one(['after', 'before']),
    maxCut: dice.one([0.5, 1]),
    lossCut: dice.one(LOSS_CUTS),
  }
}

function randomWindow(dice: Dice, kind: string): object {
  const window = { initialWindow: dice.one([null, 1, 10, 200]), minWindow: dice.one([1, 2]) }
  if (kind === 'aimd') return window
  const marks = { g: dice.one([1 / 16, 1]), slowStart: dice.chance(0.5), cutOnFirstEce: dice.chance(0.5) }
  const deadline = kind === 'd2tcp' ? { deadline: dice.one([null, 20 * US, 500 * US]) } : {}
  return { ...window, ...marks, ...deadline }
}

function randomTcpWindow(dice: Dice, kind: string): object {
  const window = {
    initialWindow: dice.one([1, 2, 10, 100]),
    byteCounting: dice.one([null, 1, 2, 100]),
  }
  if (kind === 'newreno') return window
  return {
    ...window,
    c: dice.one([0.4, 1e3, 1e12]),
    beta: dice.one([0.7, 0.5]),
    fastConvergence: dice.chance(0.5),
    renoFriendly: dice.chance(0.7),
  }
}

function randomHpcc(dice: Dice): object {
  return {
    eta: dice.one([0.95, 0.5, 1]),
    maxStage: dice.from(0, 5),
    flows: dice.log(1, 1000),
    additiveRate: dice.seldom<number | null>(null, () => dice.log(5, 5000) * 1e6, 0.4),
    baseRtt: dice.seldom<number | null>(null, () => dice.log(1, 60) * US, 0.4),
    limit: dice.one(['window', 'window', 'rate']),
    minRate: dice.one([100, 1000, 5000]) * 1e6,
    perAck: dice.chance(0.7),
  }
}

function randomLdcp(dice: Dice, kind: string): object {
  const shared = {
    initialWindow: dice.one([null, 1, 4, 200]),
    alpha: dice.one([0.1, 1]),
    beta: dice.one([0.1, 0.5, 1]),
    minWindow: dice.one([0.125, 0.5]),
  }
  if (kind === 'ldcp-pcc') return { ...shared, requestTimeout: dice.from(1, 5), cnpInterval: dice.one([0, 4 * US]) }
  return {
    ...shared,
    eta: dice.one([0.25, 0.5, 1]),
    incapableStart: dice.chance(0.8),
    lastCapable: dice.chance(0.8),
    idleAfter: dice.seldom<number | null>(null, () => dice.log(1, 400) * US, 0.7),
  }
}

export function randomQp(dice: Dice, congestion: string, payload: number): Values {
  const ackInterval = ACKED.includes(congestion) ? 1 : dice.one([0, 1, 1, 2, 7, 256])
  // Timestamps come back in ACKs.
  const acks = congestion.endsWith('timely') && ackInterval === 0 ? 1 : ackInterval
  const hasWindow = acks > 0 && dice.chance(0.35)
  const echoes = READS_ACKS.includes(congestion) || (acks > 0 && dice.chance(0.4))
  return {
    ackInterval: acks,
    ackTimeout: dice.seldom<number | null>(null, () => dice.log(5, 500) * US, 0.75),
    retryLimit: dice.one([null, 0, 1, 7, 7, 7]),
    window: hasWindow ? acks * payload * dice.from(1, 12) : null,
    windowVariable: hasWindow && dice.chance(0.4),
    ecnEcho: echoes ? 'ack' : 'cnp',
    receiveQueue: dice.seldom<number | null>(null, () => dice.from(0, 4), 0.3),
    receiveRepost: dice.seldom(0, () => dice.log(1, 50) * US, 0.5),
    rnrTimer: dice.from(1, 6),
    rateRounding: dice.one(['none', 'bps']),
    pacing: dice.one(['follow', 'fixed']),
    // Without a draw of its own, so that earlier cases stay the same.
    ackTimer: acks === 2 || acks === 7 ? 'packet' : 'answer',
    ackCoalescing:
      congestion === 'hpcc' || congestion === 'dctcp-rate' ? 1 : dice.seldom(1, () => dice.log(2, 40), 0.3),
    ackDelay: dice.log(1, 30) * US,
    readAcks: dice.chance(0.5),
  }
}

export function randomRecovery(dice: Dice, qp: Values, congestion: string): Values {
  if (congestion === 'mp-rdma') return randomMpRdma(dice)
  const isEveryPacket = qp['ackInterval'] === 1 && qp['ackCoalescing'] === 1
  // It brings its own congestion control, and has no RNR NAKs.
  const isReady = isEveryPacket && qp['receiveQueue'] === null
  if (isReady && congestion === 'none' && dice.chance(0.5)) return randomIwarp(dice)
  if (isReady && dice.chance(0.4)) return randomTcp(dice, congestion)
  if (isEveryPacket && dice.chance(0.4)) return randomIrn(dice)
  const shared = {
    nakInterval: dice.one([null, 0, 4 * US, 50 * US, 500 * US]),
    nakGate: dice.one(['per-epsn', 'per-epsn', 'strict']),
    duplicates: dice.one(['acknowledge', 'acknowledge', 'silent']),
  }
  const kind = dice.one(['go-back-n', 'go-back-n', 'go-back-0', 'send-twice', 'check-epsn', 'improved-gbn'])
  if (kind === 'go-back-n' || kind === 'send-twice') return { kind, ...shared }
  if (kind !== 'go-back-0') return { kind, ...shared, inclusive: dice.chance(0.5) }
  return { kind, ...shared, chunk: dice.seldom<number | null>(null, () => dice.from(1, 20), 0.5) }
}

const NAKS_TRIMMED: ReadonlySet<unknown> = new Set(['go-back-n', 'send-twice', 'check-epsn', 'improved-gbn'])

/** Sets whether a recovery that knows trimmed headers uses them. */
export function randomTrimmed(dice: Dice, recovery: Values): Values {
  const hears = dice.chance(0.7)
  const { kind } = recovery
  if (NAKS_TRIMMED.has(kind)) return { ...recovery, trimmed: hears ? 'nak' : 'ignore' }
  return kind === 'irn' || kind === 'mp-rdma' ? { ...recovery, trimmed: hears ? 'nack' : 'ignore' } : recovery
}

function randomIrn(dice: Dice): Values {
  return {
    kind: 'irn',
    bdpFlowControl: dice.chance(0.8),
    cap: dice.seldom<number | null>(null, () => dice.from(1, 200), 0.5),
    timeout: dice.one(['two-level', 'two-level', 'dynamic']),
    rtoLow: dice.log(5, 200) * US,
    rtoLowPackets: dice.from(0, 6),
    rtoLowSlowdown: dice.one([1, 4, 1000]),
    resend: dice.one(['holes', 'holes', 'oldest', 'go-back-n']),
    nackThreshold: dice.one([1, 1, 3]),
    fetchDelay: dice.one([0, 0, 2 * US]),
    extraHeader: dice.one([0, 16]),
  }
}

function randomTcp(dice: Dice, congestion: string): Values {
  return {
    kind: 'tcp',
    sack: dice.chance(0.5),
    limitedTransmit: dice.chance(0.5),
    dupThresh: dice.one([3, 3, 1, 10]),
    receiveWindow: dice.one([4, 200, 4096]),
    rtoInitial: dice.log(5, 1000) * US,
    rtoMin: dice.log(5, 500) * US,
    delayedAck: SOLE_ACKS.includes(congestion)
      ? null
      : dice.seldom<number | null>(null, () => dice.log(1, 100) * US, 0.6),
    timestamps: dice.chance(0.5),
    // withTcp has others.
    stackLatency: 0,
    stackJitter: 0,
  }
}

function randomIwarp(dice: Dice): Values {
  return {
    kind: 'iwarp',
    flavour: dice.one(['sack', 'newreno']),
    initialWindow: dice.one([1, 4, 10, 100]),
    receiveWindow: dice.seldom<number | null>(null, () => dice.from(1, 200), 0.3),
    dupThresh: dice.one([3, 3, 1, 10]),
    rtoInitial: dice.log(5, 1000) * US,
    rtoMin: dice.log(5, 500) * US,
    timestamps: dice.chance(0.3),
    delayedAck: dice.seldom<number | null>(null, () => dice.log(1, 100) * US, 0.4),
    framing: dice.one(['iwarp', 'iwarp', 'tcp']),
    markers: dice.chance(0.3),
  }
}

/** TCP's ECN where marks come back in ACKs, and the time that its packets take in hosts. */
export function withTcp(dice: Dice, values: Values): Values {
  const [recovery, congestion, qp] = ['recovery', 'congestion', 'qp'].map((key) => values[key] as Values)
  const ecn = qp!['ecnEcho'] === 'ack' && dice.chance(0.7)
  const hasEcn = congestion!['kind'] === 'newreno' || congestion!['kind'] === 'cubic'
  const time = (): number => dice.seldom(0, () => dice.log(1, 30) * US, 0.5)
  const stack = { stackLatency: time(), stackJitter: time() }
  return {
    ...values,
    congestion: hasEcn ? { ...congestion, ecn } : congestion,
    recovery: recovery!['kind'] === 'tcp' ? { ...recovery, ...stack } : recovery,
  }
}

function randomMpRdma(dice: Dice): Values {
  return {
    kind: 'mp-rdma',
    paths: dice.one([1, 8, 128]),
    delta: dice.one([0, 8, 32, 32]),
    slots: dice.one([1, 2, 7, 64, 64, 300]),
    probe: dice.one([0, 0.01, 0.5]),
    burst: dice.one([1, 2, 2, 10]),
    burstTimer: dice.log(1, 20) * US,
    synchronise: dice.one(['none', 'none', 'sends', 'all']),
    synchroniseDelay: dice.one([0, 0.1, 1]),
  }
}
