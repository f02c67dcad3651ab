/**
 * Claims on the slow receiver. Source: [MS-Scale] section 4.4; tolerances from claims.json.
 */
import { GBPS } from '../../base/index.ts'
import { humanNumber, humanShare } from '../../report/index.ts'
import { interval95 } from '../../results/index.ts'
import {
  BUS_BPS,
  LARGE_MIB,
  LOADS,
  oneCondition,
  type Pages,
  PENALTIES,
  PENALTY,
  PORTS,
  SLOW,
  type Tor,
  torCondition,
  WORKING_SETS_MIB,
  XON_OFFSETS,
} from './slow-runs.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  type Band,
  BELOW_ONE,
  bracketClaim,
  type Claim,
  claimOf,
  exactClaim,
  type Reading,
  seedsClaim,
} from '../core/findings.ts'
import { overSeeds, ratioOverSeeds, valuesOf } from '../core/old/over-seeds.ts'
import type { Outcome, Size } from '../core/old/plan.ts'

const large = (pages: Pages): string =>
  oneCondition({ pages, workingSetMiB: LARGE_MIB, xon: 'one frame', penalty: PENALTY })

export function slowClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  return [...receiverClaims(outcomes, size), ...pageClaims(outcomes), ...bufferClaims(outcomes, size)]
}

function receiverClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const sets = WORKING_SETS_MIB[size]
  const least = oneCondition({ pages: '4KiB', workingSetMiB: sets[0]!, xon: 'one frame', penalty: PENALTY })
  const pausesOf = (condition: string): number => overSeeds(outcomes, condition, (m) => m['nicPausesPerSecond']!).mean
  const stallsOf = (workingSetMiB: number): number[] =>
    valuesOf(
      outcomes,
      oneCondition({ pages: '4KiB', workingSetMiB, xon: '64KiB', penalty: PENALTY }),
      (m) => m['pausedShare']!,
    )
  const bySet = sets.map(stallsOf)
  /** In one seed: none where the cache covers the working set, then more with each larger one. */
  const grows = (seed: number): boolean =>
    bySet[0]![seed] === 0 &&
    bySet.at(-1)![seed]! > 0 &&
    bySet.every((shares, i) => i === 0 || shares[seed]! >= bySet[i - 1]![seed]! - SAME)
  return [
    exactClaim({
      id: 'rce.slow.pcie',
      statement: 'PCIe Gen3 x8 offers 64 Gb/s, more than the 40 Gb/s of the NIC',
      paper: '64 and 40 Gb/s',
      measured: `${BUS_BPS / GBPS} Gb/s; ${humanNumber(pausesOf(least))} pauses/s with ${sets[0]!} MiB`,
      holds: BUS_BPS === 64 * GBPS && pausesOf(least) === 0,
      reason: '8 lanes of 8 GT/s: the bus of every run here, which alone makes no NIC pause.',
    }),
    bracketClaim({
      id: 'rce.slow.pause-thousands',
      statement: 'A slow receiver sends up to thousands of pause frames per second',
      paper: 'thousands',
      paperValues: [1000, 10_000],
      readings: PENALTIES.flatMap((penalty) =>
        XON_OFFSETS.map((xon) => ({
          name: `${penalty} for a miss, XON ${xon} below XOFF`,
          measured: overSeeds(
            outcomes,
            oneCondition({ pages: '4KiB', workingSetMiB: LARGE_MIB, xon, penalty }),
            (m) => m['nicPausesPerSecond']!,
          ),
        })),
      ),
      band: { low: 1000, high: 10_000 },
      tolerance: 'thousands',
      unit: ' /s',
      why: 'Senders never rest here, so these are the most that a NIC can send.',
    }),
    exactClaim({
      id: 'rce.slow.miss-stalls',
      statement: 'Misses stall the pipeline, its buffer fills, the NIC pauses: more with more misses, not without',
      paper: 'holds',
      measured: bySet.map((shares, i) => `${sets[i]!} MiB: ${humanShare(interval95(shares).mean)}`).join(', '),
      holds: bySet[0]!.every((_, seed) => grows(seed)),
      reason: `Share of the time in which the NIC holds its switch paused, pages of 4 KB, XON 64 KiB below XOFF: in every seed none with the smallest working set, and no less than before, by more than ${humanShare(SAME)}, with each larger one.`,
    }),
  ]
}

/** Two shares of time that differ by less are the same. */
const SAME = 0.01

/** The first cure. */
function pageClaims(outcomes: readonly Outcome[]): Claim[] {
  const pauses = (pages: Pages): number[] => valuesOf(outcomes, large(pages), (m) => m['nicPausesPerSecond']!)
  return [
    claimOf({
      id: 'rce.slow.2mb-pages [misses]',
      statement: 'Pages of 2 MB instead of 4 KB cut misses by a factor of ten or more',
      paper: 'fewer',
      measured: ratioOverSeeds(outcomes, { of: large('4KiB'), to: large('2MiB') }, (m) => m['missRatio']!),
      band: { low: 10, high: Infinity },
      tolerance: 'misses at most a tenth',
      unit: ' times',
      why: 'With 2 MB only the first use of a page misses: 512 pages are 1 GiB.',
    }),
    seedsClaim({
      id: 'rce.slow.2mb-pages [pauses]',
      statement: 'Pages of 2 MB instead of 4 KB cut pauses',
      paper: 'fewer',
      values: pauses('4KiB').map((value, i) => value - pauses('2MiB')[i]!),
      band: ABOVE_ZERO,
      judge: 'mean',
      unit: ' /s fewer',
      why: `With 2 MB ${humanNumber(interval95(pauses('2MiB')).mean)} pauses/s.`,
    }),
  ]
}

/** A measure over that with static parts, seed by seed; 1 where both are 0. */
export function staticRatiosOf(outcomes: readonly Outcome[], tor: Tor, key: string): number[] {
  const parts = valuesOf(outcomes, torCondition({ ...tor, sharing: 'static' }), (m) => m[key]!)
  return valuesOf(outcomes, torCondition(tor), (m) => m[key]!).map((value, i) =>
    value === 0 && parts[i] === 0 ? 1 : value / parts[i]!,
  )
}

/** The second cure: alpha 1/16, which [MS-Scale] 6.2 calls the default, against static parts. */
function bufferClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const readings = (key: string): Reading[] =>
    LOADS[size].flatMap((load) =>
      SLOW.map((slow) => {
        const values = staticRatiosOf(outcomes, { sharing: 'alpha 1/16', load, slow }, key)
        return { name: `${slow} of ${PORTS} NICs slow, ${load * 100} % load`, measured: interval95(values), values }
      }),
    )
  const claim = (name: string, statement: string, key: string, band: Band, why: string): Claim =>
    bracketClaim({
      id: `rce.slow.dynamic-buffer [${name}]`,
      statement,
      paper: 'dynamic before static',
      readings: readings(key),
      paperValues: [],
      band,
      tolerance: 'sign of the difference',
      unit: ' of static',
      why,
    })
  return [
    claim(
      'pauses',
      'A buffer that ports share passes fewer pauses on than static parts of it: frames of the ToR',
      'torPausesPerSecond',
      BELOW_ONE,
      'Both have the same thresholds for XON.',
    ),
    claim(
      'time held back',
      'A buffer that ports share holds servers back for less time than static parts of it',
      'torPausedShare',
      BELOW_ONE,
      '',
    ),
    claim(
      'utilisation',
      'A buffer that ports share carries more than static parts of it: goodput',
      'goodputBps',
      ABOVE_ONE,
      'Below saturation both carry what is offered.',
    ),
  ]
}
