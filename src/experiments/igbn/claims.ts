/**
 * Claims of the IGBN paper on lossy go-back-N: numbers, orders, and examples of single losses.
 * Tolerances are those of claims.json. A claim that leaves open which loss rate or which runs it means has a row for
 * each reading.
 */
import type { Interval } from '../../results/index.ts'
import type { Claim, ClaimInput } from '../core/findings.ts'
import type { Measures } from '../core/old/plan.ts'
import type { LossyEstimates } from './estimates.ts'
import { ABOVE, inEverySeed, judged, points } from './judged.ts'
import type { LossyScheme } from './model.ts'
import { orderClaims } from './orders.ts'
import {
  lossyPoints,
  NAK_GAPS_PS,
  NAMES,
  randomCondition,
  STORIES,
  traceCondition,
  TABLE_I,
  type TimeoutMs,
} from './runs.ts'
import { sideClaims } from './side-claims.ts'
import { timeoutClaims } from './timeouts.ts'

/** Shares of Figure 3, by the measure that counts the cause. */
export const REASONS = [
  { reason: 3, key: 'nak', name: 'a NAK is lost', paper: 57.1 },
  { reason: 4, key: 'twice', name: 'the same packet is lost twice', paper: 33.9 },
  { reason: 1, key: 'lastPacket', name: 'the last packet is lost', paper: 7.1 },
  { reason: 2, key: 'lastAck', name: 'the ACK of the last packet is lost', paper: 1.8 },
] as const

/** Claims of scripted losses: exact, in every run of any size. */
export function scriptedClaims(estimates: LossyEstimates): Claim[] {
  const always = { paper: 'always', unit: ' % of runs', band: { low: 100, high: 100 }, tolerance: 'every run' }
  const stories = STORIES.flatMap(({ name, title, cause, remedy }) => [
    judged({
      ...always,
      id: `gbn.fig${name}`,
      statement: `When only ${title}, both ends wait for the ACK timeout`,
      measured: estimates.holds(
        traceCondition(name, 'go-back-n'),
        (m) => m['timeouts'] === 1 && m[cause] === 1 && m['timePs']! >= 100e9 && m['timePs']! < 102e9,
      ),
    }),
    judged({
      ...always,
      id: `gbn.fig${name} [with ${NAMES[remedy]}]`,
      statement: `With ${NAMES[remedy]} they do not`,
      measured: estimates.holds(traceCondition(name, remedy), (m) => m['timeouts'] === 0 && m['timePs']! < 3e9),
    }),
  ])
  const exact = { paper: '0 ns', unit: ' ns off', band: { low: 0, high: 0 }, tolerance: 'exact' }
  const gap = (trace: 'ce-again' | 'ce-reset', key: string, expectedPs: number): Interval =>
    estimates.worst(traceCondition(trace, 'check-epsn'), (m) => (m[key]! - expectedPs) / 1000)
  const rules = [
    {
      name: 'rest of the interval',
      statement:
        'Check EPSN sends its second NAK when the rest of the NAK interval, counted at the last packet, is over',
      trace: 'ce-again',
      key: 'firstGapPs',
      gapPs: NAK_GAPS_PS.again,
    },
    {
      name: 'whole interval',
      statement: 'Check EPSN sends its third NAK a whole NAK interval later',
      trace: 'ce-again',
      key: 'secondGapPs',
      gapPs: NAK_GAPS_PS.again,
    },
    {
      name: 'set anew',
      statement: 'If the missing packet arrives, Check EPSN sends the next NAK a NAK interval after it',
      trace: 'ce-reset',
      key: 'firstGapPs',
      gapPs: NAK_GAPS_PS.reset,
    },
  ] as const
  const [table] = lossyPoints('small', 1).slice(1)
  const asPrinted = TABLE_I.filter(([, , holds]) => holds(table!.scenario)).length
  return [
    ...stories,
    ...rules.map(({ name, statement, trace, key, gapPs }) =>
      judged({
        ...exact,
        id: `gbn.rule.ce [${name}]`,
        statement,
        measured: gap(trace, key, gapPs),
      }),
    ),
    judged({
      id: 'gbn.table1',
      statement: 'The setting is that of Table I',
      paper: `${TABLE_I.length} values`,
      measured: { count: 1, mean: asPrinted, low: asPrinted, high: asPrinted },
      unit: ` of ${TABLE_I.length}`,
      band: { low: TABLE_I.length, high: TABLE_I.length },
      tolerance: 'exact; 40GB is read as 40 Gb/s, 4MB as 4096 packets',
    }),
  ]
}

/** Claims about random losses. */
export function randomClaims(estimates: LossyEstimates): Claim[] {
  return [
    ...throughputClaims(estimates),
    ...reasonClaims(estimates),
    ...orderClaims(estimates),
    ...timeoutClaims(estimates),
    ...sideClaims(estimates),
  ]
}

/** "Nearly zero", within a tolerance in percentage points. */
const nearly = (tolerance: number) => ({ ...points(0, tolerance), paper: 'nearly 0 %' })

/** The share of the throughput without losses that a scheme keeps under random losses. */
interface Kept extends Pick<ClaimInput, 'id' | 'statement' | 'paper' | 'unit' | 'band' | 'tolerance'> {
  readonly runs: readonly [scheme: LossyScheme, timeoutMs: TimeoutMs, loss: number]
  /** Runs that count; all of them unless given. */
  readonly only?: (measures: Measures) => boolean
  /** True: the claim is about the share that is lost. */
  readonly isLoss?: boolean
  readonly whyNot?: string
}

const THROUGHPUTS: readonly Kept[] = [
  {
    ...points(100, 3),
    id: 'gbn.fig2.no-effect-below-1e-5',
    statement: 'Go-Back-N at a loss of 1e-5 keeps',
    runs: ['go-back-n', 100, 0.00001],
  },
  {
    ...points(45, 15),
    id: 'gbn.fig2.1e-3',
    statement: 'Go-Back-N at a loss of 1e-3 keeps',
    runs: ['go-back-n', 100, 0.001],
    whyNot:
      'A lost NAK ends in a timeout only if no packet arrives after the NAK interval, so only for losses in the last 500 us of a message. If every ' +
      "lost NAK did, the result would be near the paper's (the model with every packet exposed). A run of a hundred messages says little here.",
  },
  {
    ...points(3, 2.5),
    id: 'gbn.fig2.1e-2',
    statement: 'Go-Back-N at a loss of 1e-2 keeps',
    runs: ['go-back-n', 100, 0.01],
  },
  {
    ...nearly(3),
    id: 'gbn.fig7a.100ms-zero',
    statement: 'Go-Back-N with 100 ms keeps at a loss of 1 %',
    runs: ['go-back-n', 100, 0.01],
  },
  {
    ...points(70, 25),
    id: 'gbn.fig6a.gbn-70-at-1e-4',
    statement: 'Go-Back-N with 100 ms keeps at a loss of 0.01 %',
    runs: ['go-back-n', 100, 0.0001],
    whyNot: 'It contradicts the 45 % that the paper has at ten times the loss rate (see the remarks).',
  },
  ...([100, 10] as const).map((timeoutMs): Kept => ({
    ...nearly(timeoutMs === 100 ? 5 : 15),
    id: `gbn.fig7d.st-zero-at-1 [${timeoutMs} ms]`,
    statement: `Send Twice with ${timeoutMs} ms keeps at a loss of 1 %`,
    runs: ['send-twice', timeoutMs, 0.01],
    whyNot:
      'Send Twice includes Go-Back-N and cannot be below it, and the paper has 13.2 % for Go-Back-N with this timeout: the statement can only be meant for 100 ms.',
  })),
  {
    ...points(97.2, 3),
    id: 'gbn.fig6a.ce-97.2 [all runs]',
    statement: 'Check EPSN with a timeout of 100 ms keeps, up to a loss of 0.1 %',
    runs: ['check-epsn', 100, 0.001],
    whyNot:
      'Check EPSN leaves the timeouts of reasons 1 and 2, about two in a thousand messages, and each takes the time of a hundred messages. Four ' +
      "of five runs of a hundred messages have none, and those have the paper's value.",
  },
  {
    ...points(97.2, 3),
    id: 'gbn.fig6a.ce-97.2 [runs without a timeout]',
    statement:
      'Check EPSN with a timeout of 100 ms keeps, up to a loss of 0.1 %, in runs of 100 messages without a timeout',
    runs: ['check-epsn', 100, 0.001],
    only: (m) => m['timeouts'] === 0,
  },
  {
    ...points(64, 8),
    id: 'gbn.fig6a.improved-64',
    statement: 'Improved Go-Back-N with 100 ms keeps at a loss of 1 %',
    runs: ['improved-gbn', 100, 0.01],
  },
  {
    ...points(60, 8),
    id: 'gbn.fig6b.improved-60',
    statement: 'Improved Go-Back-N with 10 ms keeps at a loss of 1 %',
    runs: ['improved-gbn', 10, 0.01],
  },
  {
    ...points(60, 8),
    id: 'gbn.abstract.60-at-1pct',
    statement: 'Improved Go-Back-N keeps at a loss of 1 %',
    runs: ['improved-gbn', 100, 0.01],
  },
  {
    ...points(2.8, 2),
    id: 'gbn.intro.2.8pct-lower',
    statement: 'Improved Go-Back-N loses, up to a loss of 0.1 %',
    runs: ['improved-gbn', 100, 0.001],
    isLoss: true,
  },
  {
    ...points(13.2, 3),
    id: 'gbn.fig7a.10ms-13.2',
    statement: 'Go-Back-N with 10 ms keeps at a loss of 1 %',
    runs: ['go-back-n', 10, 0.01],
  },
  {
    ...points(68, 10),
    id: 'gbn.fig7c.ce-68-at-0.2',
    statement: 'Check EPSN with 100 ms keeps at a loss of 0.2 %',
    runs: ['check-epsn', 100, 0.002],
  },
  {
    ...points(17.6, 9),
    id: 'gbn.fig7c.ce-17.6-at-1',
    statement: 'Check EPSN with 100 ms keeps at a loss of 1 %',
    runs: ['check-epsn', 100, 0.01],
    whyNot:
      'Two of a hundred messages lose their last packet or its ACK and wait for the timeout, which alone takes as long as two hundred messages. ' +
      "The paper's value corresponds to three or four such messages in a hundred.",
  },
]

function throughputClaims(estimates: LossyEstimates): Claim[] {
  return THROUGHPUTS.map(({ runs, only, isLoss = false, ...claim }) => {
    const kept = estimates.throughput(randomCondition(...runs), only)
    const { count, mean, low, high } = kept
    const measured = isLoss ? { count, mean: 100 - mean, low: 100 - high, high: 100 - low } : kept
    return judged({ ...claim, measured })
  })
}

/** Explanations of shares that symmetry decides. */
const EVEN =
  'A NAK and a packet that is sent again are lost with the same probability, and one of the two ends the repair: reasons 3 and 4 are equally ' +
  "likely. The paper's shares are those of a few dozen timeouts (see the remarks)."
const ENDS =
  'The last packet and its ACK are one packet each, lost with the same probability: reasons 1 and 2 are equally likely. The paper counts four ' +
  'timeouts of the one and one of the other (see the remarks).'

function reasonClaims(estimates: LossyEstimates): Claim[] {
  const condition = randomCondition('go-back-n', 100, 0.01)
  const left = (id: string, scheme: LossyScheme, keys: readonly string[]): Claim =>
    judged({
      id,
      statement: `Timeouts of reasons ${keys[0] === 'nak' ? '3 and 4' : '1 and 2'} that remain with ${NAMES[scheme]} at a loss of 1 %`,
      paper: 'reduced',
      measured: estimates.timeoutsLeft(randomCondition(scheme, 100, 0.01), condition, keys),
      unit: ' %',
      band: { low: 0, high: 20 },
      tolerance: 'a fifth or less',
    })
  const shares = REASONS.map(({ reason, key, name, paper }) =>
    judged({
      ...points(paper, 10),
      id: `gbn.fig3.reason${reason}-share`,
      statement: `Share of timeouts at a loss of 1 %: ${name}`,
      measured: estimates.share(condition, [key]),
      whyNot: reason >= 3 ? EVEN : ENDS,
    }),
  )
  const order = REASONS.slice(0, -1).map(({ reason, key }, i) => {
    const next = REASONS[i + 1]!
    return judged({
      ...ABOVE,
      id: `gbn.fig3.order [reason ${reason} above reason ${next.reason}]`,
      statement: `Reason ${reason} is more frequent than reason ${next.reason}`,
      paper: `${(REASONS[i]!.paper - next.paper).toFixed(1)} points`,
      measured: estimates.shareMargin(condition, key, next.key),
      whyNot: reason >= 3 ? EVEN : ENDS,
    })
  })
  return [
    ...shares,
    ...order,
    judged({
      ...points(90, 8),
      id: 'gbn.fig3.reasons34-about-90',
      statement: 'Reasons 3 and 4 together',
      measured: estimates.share(condition, ['nak', 'twice']),
    }),
    inEverySeed({
      id: 'gbn.intro.root-cause',
      statement: 'Most timeouts at a loss of 1 % occur because only an arriving packet triggers a NAK: reasons 3 and 4',
      paper: 'the main root cause',
      values: estimates.runs(condition).map((m) => (100 * (m['nak']! + m['twice']!)) / m['timeouts']!),
      band: { low: 80, high: Infinity },
      unit: ' % of the timeouts',
    }),
    left('gbn.st-fixes-1-2', 'send-twice', ['lastPacket', 'lastAck']),
    left('gbn.ce-fixes-3-4', 'check-epsn', ['nak', 'twice']),
  ]
}
