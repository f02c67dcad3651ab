/**
 * Claims of the IGBN paper on single losses, on the causes of timeouts, and on timeouts and duplicates without a loss.
 */
import { sum } from '../../core/results/index.ts'
import { ABOVE_ZERO, atLeast, type Band, between, type Claim, claim, equalTo, near } from '../core/findings.ts'
import type { Measures } from '../core/plan.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { percentOf } from './comparisons.ts'
import {
  type LossyAt,
  lossyAt,
  lossyPoints,
  NAK_GAPS,
  NAMES,
  PACKETS,
  REASONS,
  SMALL_FLOWS,
  STORIES,
  TABLE_I,
} from './runs.ts'

/** Scripted losses, exact in every run of any size, and the setting. */
export function scriptedClaims(runs: Runs): Claim[] {
  const always = (lost: string, check: string, recovery: string, holds: (m: Measures) => boolean): Claim =>
    claim(
      `gbn.fig${lost}`,
      runs.mean((m) => (holds(m) ? 100 : 0), { lost, recovery }),
      equalTo(100),
      { check, unit: ' % of runs' },
    )
  const isTimeout = (timePs: number): boolean => timePs >= 100e9 && timePs < 102e9
  const inTable = lossyPoints('small', 1)[1]!.scenario
  const asPrinted = TABLE_I.filter((holds) => holds(inTable)).length
  return [
    ...STORIES.flatMap(({ lost, cause, remedy }) => [
      always(lost, '', 'go-back-n', (m) => m['timeouts'] === 1 && m[cause] === 1 && isTimeout(m['timePs']!)),
      always(lost, `with ${NAMES[remedy]}`, remedy, (m) => m['timeouts'] === 0 && m['timePs']! < 3e9),
    ]),
    ...NAK_GAPS.map(({ check, lost, of, gapPs }) =>
      claim(
        'gbn.rule.ce',
        runs.ends((m) => (m[of]! - gapPs) / 1000, { lost }),
        equalTo(0),
        { check, unit: ' ns off' },
      ),
    ),
    claim('gbn.table1', { count: 1, mean: asPrinted, low: asPrinted, high: asPrinted }, equalTo(TABLE_I.length), {
      unit: ` of ${TABLE_I.length}`,
      why: '40GB is read as 40 Gb/s, 4MB as 4096 packets.',
    }),
  ]
}

interface Share {
  readonly id: string
  readonly check?: string
  /** Timeouts, and those of which they are a share: all unless given. */
  readonly of: ValueOf
  readonly among?: ValueOf
  /** Go-Back-N unless given. */
  readonly at?: LossyAt
  readonly band: Band
  readonly unit?: string
  readonly why?: string
}

const ORIGINAL = lossyAt('go-back-n', 100, 0.01)
const ends = (m: Measures): number => m['lastPacket']! + m['lastAck']!
const repairs = (m: Measures): number => m['nak']! + m['twice']!
/** Symmetry decides how reasons 3 and 4, and 1 and 2, compare. */
const EVEN = 'A NAK and a retransmitted packet are lost with the same probability (see the remarks).'
const EVEN_ENDS = 'The last packet and its ACK are lost with the same probability.'
const more = { id: 'gbn.fig3.order', band: ABOVE_ZERO, unit: ' points' }

/** Causes of timeouts at a loss of 1 %. */
const SHARES: readonly Share[] = [
  ...REASONS.map(({ reason, key, percent }) => ({
    id: `gbn.fig3.reason${reason}-share`,
    of: key,
    band: near(percent, 10),
    why: reason === 4 ? EVEN : '',
  })),
  { id: 'gbn.fig3.reasons34-about-90', of: repairs, band: near(90, 8) },
  { ...more, check: 'reason 3 above reason 4', of: (m) => m['nak']! - m['twice']!, why: EVEN },
  { ...more, check: 'reason 4 above reason 1', of: (m) => m['twice']! - m['lastPacket']! },
  { ...more, check: 'reason 1 above reason 2', of: (m) => m['lastPacket']! - m['lastAck']!, why: EVEN_ENDS },
  { id: 'gbn.st-fixes-1-2', of: ends, among: ends, at: lossyAt('send-twice', 100, 0.01), band: between(0, 20) },
  { id: 'gbn.ce-fixes-3-4', of: repairs, among: repairs, at: lossyAt('check-epsn', 100, 0.01), band: between(0, 20) },
]

export function reasonClaims(runs: Runs): Claim[] {
  const repaired = runs.values((m) => (100 * repairs(m)) / m['timeouts']!, ORIGINAL)
  return [
    ...SHARES.map(({ id, of, among = 'timeouts', at = ORIGINAL, band, ...words }) => {
      const measured = percentOf(runs, [of, at], [among, ORIGINAL], band === ABOVE_ZERO ? -100 : 0)
      return claim(id, measured, band, { unit: ' %', ...words })
    }),
    claim('gbn.intro.root-cause', repaired, atLeast(80), { unit: ' % of the timeouts' }),
  ]
}

/** Timeouts of eight hosts that send to one, and duplicates of MP-RDMA, where nothing is lost. */
export function losslessClaims(runs: Runs): Claim[] {
  const less = (values: readonly number[], others: readonly number[]): number[] =>
    values.map((value, seed) => value - others[seed]!)
  const [long, middle, short] = [100, 10, 0.5].map((timeoutMs) =>
    runs.values('timeouts', lossyAt('go-back-n', timeoutMs, 0, { pattern: 'eight-senders' })),
  ) as [number[], number[], number[]]
  const duplicates = (flows: readonly number[]): number[] => {
    const own = flows.map((packets) => runs.where({ recovery: 'mp-rdma', packets }))
    const total = (of: string, seed: number): number => sum(own.map((each) => each.values(of)[seed]!))
    return runs.seeds.map((_, seed) => (100 * total('resent', seed)) / total('dataPackets', seed))
  }
  return [
    ...[
      { timeout: '10 ms', others: middle },
      { timeout: '100 ms', others: long },
    ].map(({ timeout, others }) =>
      claim('gbn.sec3b.timeout-tradeoff', less(short, others), ABOVE_ZERO, {
        check: `timeouts without a loss, 500 us over ${timeout}`,
        unit: ' timeouts',
      }),
    ),
    claim('gbn.fig6c.not-general', short, ABOVE_ZERO, {
      unit: ' timeouts',
      why: 'Eight hosts send five messages each to one, with PFC and without a loss.',
    }),
    claim('gbn.related.mprdma-duplicates', less(duplicates(SMALL_FLOWS), duplicates([PACKETS])), ABOVE_ZERO, {
      unit: ' points',
      why: `Duplicates among the packets of messages of ${SMALL_FLOWS.join(', ')} packets, less those of 4 MB. Nothing is lost.`,
    }),
  ]
}
