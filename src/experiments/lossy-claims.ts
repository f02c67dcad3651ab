/**
 * Lossy claims: what S0 says in numbers, orders and stories, held against the runs.
 * Tolerances are those suggested with each statement; where it says neither which loss rate nor which runs it means,
 * each reading has a row.
 */
import type { Interval } from '../results/index.ts'
import { ABOVE_ZERO, type Claim, type ClaimInput, claimOf, seedsClaim, type SeedsInput } from './findings.ts'
import type { LossyEstimates } from './lossy-estimates.ts'
import type { LossyScheme } from './lossy-model.ts'
import {
  FOLLOWING_LOSSES,
  followingCondition,
  LOSSES,
  lossyPoints,
  NAK_GAPS_PS,
  randomCondition,
  SCHEMES,
  STORIES,
  storyCondition,
  TABLE_I,
  TIMEOUTS_MS,
  type TimeoutMs,
} from './lossy-runs.ts'

/** Shares of Figure 3, by the measure that counts the cause. */
export const REASONS = [
  { reason: 3, key: 'nak', name: 'a NAK is lost', paper: 57.1 },
  { reason: 4, key: 'twice', name: 'the same packet is lost twice', paper: 33.9 },
  { reason: 1, key: 'lastPacket', name: 'the last packet is lost', paper: 7.1 },
  { reason: 2, key: 'lastAck', name: 'the ACK of the last packet is lost', paper: 1.8 },
] as const

export const NAMES: Readonly<Record<LossyScheme, string>> = {
  'go-back-n': 'Go-Back-N',
  'send-twice': 'Send Twice',
  'check-epsn': 'Check EPSN',
  'improved-gbn': 'Improved',
}

/** A claim; `whyNot` is told where it is not reproduced. */
function judged({ whyNot, ...input }: ClaimInput & { readonly whyNot?: string }): Claim {
  const claim = claimOf(input)
  return claim.verdict === 'reproduced' || whyNot === undefined ? claim : claimOf({ ...input, why: whyNot })
}

/** The same of an order, judged by the sign of its mean; in how many seeds it holds is shown. */
function judgedBySeed({ whyNot, ...input }: SeedsInput & { readonly whyNot?: string }): Claim {
  const claim = seedsClaim(input)
  if (claim.verdict === 'reproduced' || whyNot === undefined) return claim
  return seedsClaim({ ...input, why: `${input.why === undefined ? '' : `${input.why} `}${whyNot}` })
}

const points = (value: number, tolerance: number) => ({
  paper: `${value} %`,
  unit: ' %',
  band: { low: value - tolerance, high: value + tolerance },
  tolerance: `${tolerance} percentage points`,
})
const ABOVE = { unit: ' points', band: ABOVE_ZERO, tolerance: 'the sign' }

/** Claims of scripted losses: exact, in every run of any size. */
export function scriptedClaims(estimates: LossyEstimates): Claim[] {
  const always = { paper: 'always', unit: ' % of runs', band: { low: 100, high: 100 }, tolerance: 'every run' }
  const stories = STORIES.flatMap(({ name, title, cause, remedy }) => [
    judged({
      ...always,
      id: `gbn.fig${name}`,
      statement: `When ${title} and no other, both ends wait for the ACK timeout`,
      measured: estimates.holds(
        storyCondition(name, 'go-back-n'),
        (m) => m['timeouts'] === 1 && m[cause] === 1 && m['timePs']! >= 100e9 && m['timePs']! < 102e9,
      ),
    }),
    judged({
      ...always,
      id: `gbn.fig${name} [with ${NAMES[remedy]}]`,
      statement: `... and with ${NAMES[remedy]} they do not`,
      measured: estimates.holds(storyCondition(name, remedy), (m) => m['timeouts'] === 0 && m['timePs']! < 3e9),
    }),
  ])
  const exact = { paper: '0 ns', unit: ' ns off', band: { low: 0, high: 0 }, tolerance: 'exact' }
  const gap = (story: 'ce-again' | 'ce-reset', key: string, expectedPs: number): Interval =>
    estimates.worst(storyCondition(story, 'check-epsn'), (m) => (m[key]! - expectedPs) / 1000)
  const rules = [
    {
      name: 'rest of the interval',
      statement: 'Check EPSN reports again when what was left of the NAK interval at the last packet is over',
      story: 'ce-again',
      key: 'firstGapPs',
      gapPs: NAK_GAPS_PS.again,
    },
    {
      name: 'whole interval',
      statement: '... and then when a whole NAK interval is over',
      story: 'ce-again',
      key: 'secondGapPs',
      gapPs: NAK_GAPS_PS.again,
    },
    {
      name: 'set anew',
      statement: '... or a NAK interval behind the missing packet, when that has come',
      story: 'ce-reset',
      key: 'firstGapPs',
      gapPs: NAK_GAPS_PS.reset,
    },
  ] as const
  const [table] = lossyPoints('small', 1).slice(1)
  const asPrinted = TABLE_I.filter(([, , holds]) => holds(table!.scenario)).length
  return [
    ...stories,
    ...rules.map(({ name, statement, story, key, gapPs }) =>
      judged({
        ...exact,
        id: `gbn.rule.ce [${name}]`,
        statement,
        measured: gap(story, key, gapPs),
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
  ]
}

function throughputClaims(estimates: LossyEstimates): Claim[] {
  const at = (scheme: LossyScheme, timeoutMs: TimeoutMs, loss: number): Interval =>
    estimates.throughput(randomCondition(scheme, timeoutMs, loss))
  const checkCondition = randomCondition('check-epsn', 100, 0.001)
  const improved = at('improved-gbn', 100, 0.01)
  const lower = at('improved-gbn', 100, 0.001)
  return [
    judged({
      ...points(45, 15),
      id: 'gbn.fig2.1e-3',
      statement: 'Go-Back-N at a loss of 1e-3 keeps',
      measured: at('go-back-n', 100, 0.001),
      whyNot:
        'A lost NAK ends in a timeout only when no packet comes behind the NAK interval, so for losses in the last 500 us of a message. If every ' +
        'such loss did, it would be near the value of the paper (the model with every packet exposed). A run of a hundred messages says little here.',
    }),
    judged({
      ...points(3, 2.5),
      id: 'gbn.fig2.1e-2',
      statement: 'Go-Back-N at a loss of 1e-2 keeps',
      measured: at('go-back-n', 100, 0.01),
    }),
    judged({
      ...points(97.2, 3),
      id: 'gbn.fig6a.ce-97.2 [all runs]',
      statement: 'Check EPSN with a timeout of 100 ms keeps, up to a loss of 0.1 %',
      measured: estimates.throughput(checkCondition),
      whyNot:
        'Check EPSN leaves the timeouts of reasons 1 and 2, about two in a thousand messages, and each takes the time of a hundred messages. Four ' +
        'of five runs of a hundred messages have none: what those keep is the value of the paper.',
    }),
    judged({
      ...points(97.2, 3),
      id: 'gbn.fig6a.ce-97.2 [runs without a timeout]',
      statement: '... in those runs of 100 messages that have no timeout',
      measured: estimates.throughput(checkCondition, (m) => m['timeouts'] === 0),
    }),
    judged({
      ...points(64, 8),
      id: 'gbn.fig6a.improved-64',
      statement: 'Improved Go-Back-N with 100 ms keeps at a loss of 1 %',
      measured: improved,
    }),
    judged({
      ...points(60, 8),
      id: 'gbn.fig6b.improved-60',
      statement: 'Improved Go-Back-N with 10 ms keeps at a loss of 1 %',
      measured: at('improved-gbn', 10, 0.01),
    }),
    judged({
      ...points(60, 8),
      id: 'gbn.abstract.60-at-1pct',
      statement: 'Improved Go-Back-N keeps at a loss of 1 %',
      measured: improved,
    }),
    judged({
      ...points(60, 8),
      id: 'gbn.conclusion.60',
      statement: '... of the lossless throughput',
      measured: improved,
    }),
    judged({
      ...points(2.8, 2),
      id: 'gbn.intro.2.8pct-lower',
      statement: 'Improved Go-Back-N loses, up to a loss of 0.1 %',
      measured: { count: lower.count, mean: 100 - lower.mean, low: 100 - lower.high, high: 100 - lower.low },
    }),
    judged({
      ...points(13.2, 3),
      id: 'gbn.fig7a.10ms-13.2',
      statement: 'Go-Back-N with 10 ms keeps at a loss of 1 %',
      measured: at('go-back-n', 10, 0.01),
    }),
    judged({
      ...points(68, 10),
      id: 'gbn.fig7c.ce-68-at-0.2',
      statement: 'Check EPSN with 100 ms keeps at a loss of 0.2 %',
      measured: at('check-epsn', 100, 0.002),
    }),
    judged({
      ...points(17.6, 9),
      id: 'gbn.fig7c.ce-17.6-at-1',
      statement: 'Check EPSN with 100 ms keeps at a loss of 1 %',
      measured: at('check-epsn', 100, 0.01),
      whyNot:
        'Of a hundred messages two lose their last packet or its ACK and wait for the timeout; that alone is as long as two hundred messages take. ' +
        'The paper has less, as with three or four such messages of a hundred.',
    }),
  ]
}

/** Shares that symmetry decides. */
const EVEN =
  'A NAK and a packet that is sent again are lost with the same probability, and one of the two ends the repair: reasons 3 and 4 are equally ' +
  "likely. The paper's shares are those of a few dozen timeouts (see the remarks)."
const ENDS =
  'The last packet and its ACK are one packet each, lost with the same probability: reasons 1 and 2 are equally likely. The paper counts four ' +
  'timeouts of the one and one of the other (see the remarks).'

function reasonClaims(estimates: LossyEstimates): Claim[] {
  const condition = randomCondition('go-back-n', 100, 0.01)
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
      id: `gbn.fig3.reason${reason}-share [above reason ${next.reason}]`,
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
  ]
}

const NEAR_ZERO =
  'Both are near zero. At this loss one timeout in twenty-five is of a kind that Send Twice mends, ' +
  'which few seeds show.'
const FEW_TIMEOUTS =
  'A seed has 30 messages with this timeout, and Check EPSN less than one timeout in all of them (1 %: 0.7, 0.5 %: 0.4, 0.2 %: 0.1). Where it has none, ' +
  'the two mend every loss alike, and which is ahead is up to the packets that were lost.'
const FEW_ENDS = 'Check EPSN has 2.3 timeouts in the 100 messages of a seed; a seed that has none puts both on a par.'

/** Best first, as the paper has it. */
const ORDER: readonly LossyScheme[] = ['improved-gbn', 'check-epsn', 'send-twice', 'go-back-n']

function orderClaims(estimates: LossyEstimates): Claim[] {
  const at = (timeoutMs: TimeoutMs, loss: number) => (scheme: LossyScheme) => randomCondition(scheme, timeoutMs, loss)
  const order = ORDER.slice(0, -1).map((scheme, i) => {
    const next = ORDER[i + 1]!
    const [first, second] = [scheme, next].map(at(100, 0.01)) as [string, string]
    const margin = estimates.margin(first, second)
    const values = estimates.bySeed([first, second], ([a, b]) => a! - b!)
    const common = {
      id: `gbn.fig6a.order-1pct [${NAMES[scheme]} over ${NAMES[next]}]`,
      statement: `With 100 ms at a loss of 1 % ${NAMES[scheme]} is better than ${NAMES[next]}`,
      paper: 'better',
    }
    const whyNot = next === 'go-back-n' ? NEAR_ZERO : FEW_ENDS
    return judgedBySeed({ ...common, ...BETTER, values, margin, whyNot })
  })
  const best = [0.002, 0.005, 0.01].map((loss) => {
    const conditions = ORDER.map(at(10, loss))
    const [improved, ...others] = conditions as [string, ...string[]]
    const margins = others.map((other) => estimates.margin(improved, other))
    return judgedBySeed({
      ...BETTER,
      id: `gbn.fig6b.improved-best [${loss * 100} %]`,
      statement: `With 10 ms at a loss of ${loss * 100} % Improved is better than the next best`,
      paper: 'best',
      values: estimates.bySeed(conditions, ([a, ...rest]) => a! - Math.max(...rest)),
      margin: margins.reduce((least, next) => (next.mean < least.mean ? next : least)),
      whyNot: FEW_TIMEOUTS,
    })
  })
  return [...order, ...best]
}

const BETTER = { unit: ' points', band: ABOVE_ZERO, judge: 'mean' } as const

function timeoutClaims(estimates: LossyEstimates): Claim[] {
  const widest = (sets: readonly (readonly string[])[], tolerance: number) => {
    const { interval, between } = sets
      .map((conditions) => estimates.spread(conditions))
      .reduce((widestYet, next) => (next.interval.mean > widestYet.interval.mean ? next : widestYet))
    const spreads = sets.map((conditions) =>
      estimates.bySeed(conditions, (throughputs) => Math.max(...throughputs) - Math.min(...throughputs)),
    )
    return {
      values: spreads[0]!.map((_, seed) => Math.max(...spreads.map((each) => each[seed]!))),
      margin: interval,
      band: { low: 0, high: tolerance },
      judge: 'mean' as const,
      unit: ' points',
      why: `The widest distance of means is given, between ${between.join(' and ')}.`,
    }
  }
  const readings = [
    { name: 'timer from the last answer', losses: LOSSES.full, at: atHalf },
    { name: 'timer from the last packet', losses: FOLLOWING_LOSSES.full, at: followingCondition },
  ]
  const perReading = readings.flatMap(({ name, losses, at }) => {
    const alike = losses.filter((loss) => loss <= 0.005).map((loss) => SCHEMES.map((scheme) => at(scheme, loss)))
    const of = (schemes: readonly LossyScheme[]): string[] => schemes.map((scheme) => at(scheme, 0.01))
    return [
      judgedBySeed({
        ...widest(alike, 10),
        id: `gbn.fig6c.all-equal [${name}]`,
        statement: 'With 500 us all four are almost alike, up to a loss of 0.5 %',
        paper: 'almost alike',
      }),
      judged({
        id: `gbn.fig6c.ten-percent [${name}]`,
        statement: 'With 500 us at a loss of 1 % Improved and Check EPSN are better than the others by',
        paper: '10 %',
        measured: estimates.ratio(of(['improved-gbn', 'check-epsn']), of(['send-twice', 'go-back-n'])),
        unit: ' x',
        band: { low: 1.03, high: 1.17 },
        tolerance: '0.07',
        whyNot:
          'The timeout is as long as the NAK interval. Where it runs from the last answer it ends when the NAK interval does, and go-back-N ' +
          'mends by one what Check EPSN mends by the other; where it runs from the last packet sent it ends later.',
      }),
    ]
  })
  const robust = LOSSES.full.map((loss) =>
    TIMEOUTS_MS.map((timeoutMs) => randomCondition('improved-gbn', timeoutMs, loss)),
  )
  return [
    ...perReading,
    judgedBySeed({
      ...widest(robust, 6),
      id: 'gbn.fig7b.improved-robust',
      statement: 'Improved is almost the same with every timeout, at every loss rate',
      paper: 'almost the same',
      whyNot:
        'At a loss of 1 % what is sent in vain differs by some points from one draw of 30 or 100 messages to the next; the three timeouts have different draws.',
    }),
  ]
}

const atHalf = (scheme: LossyScheme, loss: number): string => randomCondition(scheme, 0.5, loss)
