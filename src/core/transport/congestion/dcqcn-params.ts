/**
 * DCQCN's parameters: one set of keys with three sets of defaults, the paper's, ConnectX-4 firmware's, and the HPCC
 * fork's.
 * Source: docs/models/dcqcn.md.
 */
import { choice, count, duration, flag, MB, MBPS, NS, rate, ratio, sizeOrOff, US } from '../../base/params.ts'
import { lossCut } from './loss-episode.ts'

interface Preset {
  readonly g: number
  readonly alphaStart: number
  readonly cnpIntervalPs: number
  readonly cut: 'on-cnp' | 'windowed'
  readonly alphaIntervalPs: number
  readonly rateIntervalPs: number
  readonly byteCounterBytes: number | null
  readonly fastRecovery: number
  readonly additiveRateBps: number
  readonly hyperRateBps: number
  readonly minRateBps: number
  readonly clampTarget: boolean
  readonly hyperScaling: 'by-stage' | 'constant'
  readonly stageTest: 'after' | 'before'
  readonly maxCut: number
}

/** Drivers and step sizes of the rate increase. */
function increaseParams(p: Preset) {
  return {
    rateInterval: duration({
      default: p.rateIntervalPs,
      min: 1,
      help: 'time between increases by the timer',
      source: 'DCQCN: 55us; ConnectX-4: 300us',
    }),
    byteCounter: sizeOrOff({
      default: p.byteCounterBytes,
      min: 1,
      help: 'wire bytes between increases by the byte counter; off: timer only',
      source: 'DCQCN: 10MB; ConnectX-4: 32,767 x 64B',
    }),
    fastRecovery: count({
      default: p.fastRecovery,
      help: 'increase steps that only halve the distance to the target',
      source: 'DCQCN: 5; ConnectX-4: 1',
    }),
    additiveRate: rate({
      default: p.additiveRateBps,
      help: 'target step of additive increase',
      source: 'DCQCN: 40Mbps at 40G',
    }),
    hyperRate: rate({
      default: p.hyperRateBps,
      help: 'target step of hyper increase',
      source: 'DCQCN simulator configuration: 200Mbps',
    }),
    minRate: rate({ default: p.minRateBps, min: 1, help: 'lower bound of the rate', source: 'HPCC fork: 100Mbps' }),
  }
}

function dcqcnParams(p: Preset) {
  return {
    g: ratio({ default: p.g, help: 'gain of alpha', source: 'DCQCN: 1/256; ConnectX-4: 5/1024' }),
    alphaStart: ratio({
      default: p.alphaStart,
      help: 'alpha before the first CNP',
      source: 'DCQCN: 1; ConnectX-4: 1023/1024',
    }),
    cnpInterval: duration({
      default: p.cnpIntervalPs,
      help: 'least time between CNPs of one QP at the receiver, or between marked ACKs that the sender treats as CNPs',
      source: 'DCQCN: 50us; ConnectX-4: 4us',
    }),
    cut: choice(['on-cnp', 'windowed'], {
      default: p.cut,
      help: 'cut at each CNP, or at a check every decreaseInterval if one came',
      source: 'DCQCN; HPCC fork',
    }),
    decreaseInterval: duration({
      default: 4 * US,
      min: 1,
      help: 'windowed: time between decrease checks',
      source: 'ConnectX-4',
    }),
    decreaseOffset: duration({
      default: 1 * NS,
      help: 'windowed: delay of the first check, so that it follows the alpha tick',
      source: 'HPCC fork',
    }),
    alphaInterval: duration({
      default: p.alphaIntervalPs,
      min: 1,
      help: 'time between updates of alpha',
      source: 'DCQCN: 55us; ConnectX-4: 1us',
    }),
    ...increaseParams(p),
    clampTarget: flag({
      default: p.clampTarget,
      help: 'every cut sets the target to the current rate; false: only if the rate timer has fired since the last cut',
    }),
    hyperScaling: choice(['by-stage', 'constant'], {
      default: p.hyperScaling,
      help: 'hyper step times the number of hyper stages, or always the same',
      source: 'DCQCN; HPCC fork',
    }),
    stageTest: choice(['after', 'before'], {
      default: p.stageTest,
      help: 'the stage is compared with fastRecovery after counting the step (fast while <=), or before (fast while <, additive when equal)',
      source: 'DCQCN; HPCC fork',
    }),
    maxCut: ratio({ default: p.maxCut, help: 'a cut takes at most this share of the rate', source: 'ConnectX-4: 0.5' }),
    lossCut,
  }
}

/** Defaults of the DCQCN paper. */
export const paperParams = dcqcnParams({
  g: 1 / 256,
  alphaStart: 1,
  cnpIntervalPs: 50 * US,
  cut: 'on-cnp',
  alphaIntervalPs: 55 * US,
  rateIntervalPs: 55 * US,
  byteCounterBytes: 10 * MB,
  fastRecovery: 5,
  additiveRateBps: 40 * MBPS,
  hyperRateBps: 200 * MBPS,
  minRateBps: 100 * MBPS,
  clampTarget: true,
  hyperScaling: 'by-stage',
  stageTest: 'after',
  maxCut: 1,
})

/** Defaults of ConnectX-4 firmware. */
export const connectX4Params = dcqcnParams({
  g: 5 / 1024,
  alphaStart: 1023 / 1024,
  cnpIntervalPs: 4 * US,
  cut: 'windowed',
  alphaIntervalPs: 1 * US,
  rateIntervalPs: 300 * US,
  // rpg_byte_reset, 15 bits: 32,767 units of 64 bytes, 2 MB (docs/models/dcqcn.md).
  byteCounterBytes: 32_767 * 64,
  fastRecovery: 1,
  additiveRateBps: 5 * MBPS,
  hyperRateBps: 50 * MBPS,
  minRateBps: 1 * MBPS,
  clampTarget: false,
  hyperScaling: 'by-stage',
  stageTest: 'after',
  maxCut: 0.5,
})

/**
 * Defaults of the HPCC fork's configuration for lines of 100 Gb/s; its two increase steps are per 25 Gb/s of the line.
 */
export const dcqcnHpccParams = dcqcnParams({
  g: 1 / 256,
  alphaStart: 1,
  cnpIntervalPs: 0,
  cut: 'windowed',
  alphaIntervalPs: 1 * US,
  rateIntervalPs: 300 * US,
  byteCounterBytes: null,
  fastRecovery: 1,
  additiveRateBps: 20 * MBPS,
  hyperRateBps: 200 * MBPS,
  minRateBps: 1000 * MBPS,
  clampTarget: false,
  hyperScaling: 'constant',
  stageTest: 'before',
  maxCut: 1,
})
