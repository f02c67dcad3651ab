/**
 * Claims of the IGBN paper on single losses, on the causes of timeouts, and on timeouts and duplicates without a loss.
 */
import { sum } from '../../results/index.ts'
import { ABOVE_ZERO, atLeast, between, type Claim, claimOf, equalTo, near, seedsClaim } from '../core/findings.ts'
import type { Measures } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { percentOf } from './estimates.ts'
import {
  LARGE_FLOW,
  lossyAt,
  lossyPoints,
  NAK_GAPS_PS,
  NAMES,
  REASONS,
  SMALL_FLOWS,
  STORIES,
  TABLE_I,
  timeoutText,
} from './runs.ts'

/** Scripted losses: exact, in every run of any size. */
export function scriptedClaims(runs: Runs): Claim[] {
  const stories = STORIES.flatMap(({ lost, cause, remedy }) => {
    const always = (check: string, recovery: string, holds: (m: Measures) => boolean): Claim =>
      claimOf({
        id: `gbn.fig${lost}`,
        check,
        measured: runs.mean((m) => (holds(m) ? 100 : 0), { lost, recovery }),
        unit: ' % of runs',
        band: equalTo(100),
      })
    return [
      always(
        '',
        'go-back-n',
        (m) => m['timeouts'] === 1 && m[cause] === 1 && m['timePs']! >= 100e9 && m['timePs']! < 102e9,
      ),
      always(`with ${NAMES[remedy]}`, remedy, (m) => m['timeouts'] === 0 && m['timePs']! < 3e9),
    ]
  })
  const gaps = [
    { check: 'rest of the interval', lost: 'ce-again', of: 'firstGapPs', gapPs: NAK_GAPS_PS.again },
    { check: 'whole interval', lost: 'ce-again', of: 'secondGapPs', gapPs: NAK_GAPS_PS.again },
    { check: 'set anew', lost: 'ce-reset', of: 'firstGapPs', gapPs: NAK_GAPS_PS.reset },
  ]
  const inTable = lossyPoints('small', 1)[1]!.scenario
  const asPrinted = TABLE_I.filter((holds) => holds(inTable)).length
  return [
    ...stories,
    ...gaps.map(({ check, lost, of, gapPs }) =>
      claimOf({
        id: 'gbn.rule.ce',
        check,
        measured: runs.ends((m) => (m[of]! - gapPs) / 1000, { lost }),
        unit: ' ns off',
        band: equalTo(0),
      }),
    ),
    claimOf({
      id: 'gbn.table1',
      measured: { count: 1, mean: asPrinted, low: asPrinted, high: asPrinted },
      unit: ` of ${TABLE_I.length}`,
      band: equalTo(TABLE_I.length),
      why: '40GB is read as 40 Gb/s, 4MB as 4096 packets.',
    }),
  ]
}

const ORIGINAL = lossyAt('go-back-n', 100, 0.01)
const sumOf =
  (...keys: readonly string[]) =>
  (m: Measures): number =>
    sum(keys.map((key) => m[key]!))

/** Symmetry decides how reasons 3 and 4, and 1 and 2, compare. */
const EVEN =
  'A NAK and a retransmitted packet are lost with the same probability, so reasons 3 and 4 are equally likely (see the remarks).'
const ENDS = 'The last packet and its ACK are lost with the same probability, so reasons 1 and 2 are equally likely.'
/** Pairs of reasons, the more frequent one first. */
const FREQUENT = [
  [3, 4, EVEN],
  [4, 1, ''],
  [1, 2, ENDS],
] as const

/** Causes of the timeouts of Go-Back-N at a loss of 1 %, and how many are left with the remedies. */
export function reasonClaims(runs: Runs): Claim[] {
  const keyOf = (reason: number): string => REASONS[reason - 1]!.key
  const left = (id: string, recovery: 'send-twice' | 'check-epsn', ...keys: readonly string[]): Claim =>
    claimOf({
      id,
      measured: percentOf(runs, [sumOf(...keys), lossyAt(recovery, 100, 0.01)], [sumOf(...keys), ORIGINAL]),
      unit: ' %',
      band: between(0, 20),
    })
  return [
    ...REASONS.map(({ reason, key, percent }) =>
      claimOf({
        id: `gbn.fig3.reason${reason}-share`,
        measured: percentOf(runs, [key, ORIGINAL], ['timeouts', ORIGINAL]),
        unit: ' %',
        band: near(percent, 10),
        ...(reason === 4 ? { why: EVEN } : {}),
      }),
    ),
    ...FREQUENT.map(([more, less, why]) => {
      const margin = (m: Measures): number => m[keyOf(more)]! - m[keyOf(less)]!
      return claimOf({
        id: 'gbn.fig3.order',
        check: `reason ${more} above reason ${less}`,
        measured: percentOf(runs, [margin, ORIGINAL], ['timeouts', ORIGINAL], -100),
        unit: ' points',
        band: ABOVE_ZERO,
        why,
      })
    }),
    claimOf({
      id: 'gbn.fig3.reasons34-about-90',
      measured: percentOf(runs, [sumOf('nak', 'twice'), ORIGINAL], ['timeouts', ORIGINAL]),
      unit: ' %',
      band: near(90, 8),
    }),
    seedsClaim({
      id: 'gbn.intro.root-cause',
      values: runs.values((m) => (100 * (m['nak']! + m['twice']!)) / m['timeouts']!, ORIGINAL),
      band: atLeast(80),
      judge: 'every seed',
      unit: ' % of the timeouts',
    }),
    left('gbn.st-fixes-1-2', 'send-twice', 'lastPacket', 'lastAck'),
    left('gbn.ce-fixes-3-4', 'check-epsn', 'nak', 'twice'),
  ]
}

/** Timeouts of eight hosts that send to one, and duplicates of MP-RDMA, where nothing is lost. */
export function losslessClaims(runs: Runs): Claim[] {
  const eight = (timeoutMs: number) => lossyAt('go-back-n', timeoutMs, 0, { pattern: 'eight-senders' })
  const more = { band: ABOVE_ZERO, judge: 'mean' } as const
  const duplicates = (flows: readonly number[]): number[] => {
    const total = (of: string): number[] =>
      flows
        .map((packets) => runs.values(of, { recovery: 'mp-rdma', packets }))
        .reduce((sums, values) => sums.map((known, seed) => known + values[seed]!))
    const sent = total('dataPackets')
    return total('resent').map((packets, seed) => (100 * packets) / sent[seed]!)
  }
  const large = duplicates([LARGE_FLOW])
  return [
    ...[10, 100].map((timeoutMs) =>
      seedsClaim({
        id: 'gbn.sec3b.timeout-tradeoff',
        check: `timeouts without a loss, 500 us over ${timeoutText(timeoutMs)}`,
        values: runs.differences('timeouts', eight(0.5), eight(timeoutMs)),
        unit: ' timeouts',
        ...more,
      }),
    ),
    seedsClaim({
      id: 'gbn.fig6c.not-general',
      values: runs.values('timeouts', eight(0.5)),
      unit: ' timeouts',
      why: 'Eight hosts send five messages each to one, with PFC and without a loss.',
      ...more,
    }),
    seedsClaim({
      id: 'gbn.related.mprdma-duplicates',
      values: duplicates(SMALL_FLOWS).map((percent, seed) => percent - large[seed]!),
      unit: ' points',
      why: `Duplicates among the packets of ${SMALL_FLOWS.join(', ')} packets a message, less those of messages of 4 MB. Nothing is lost.`,
      ...more,
    }),
  ]
}
