/**
 * Alpha: the incident of a ToR type that shares less of its buffer. Pauses of two ToRs, how far they spread, latency of
 * services that have nothing to do with them, and the cure. Runs and measures: alpha-runs.ts.
 * Source: [MS-Scale] section 6.2, Figure 10.
 */
import { exactCount, humanNumber } from '../../show/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import {
  ABOVE_ZERO,
  bracket,
  atLeast,
  BELOW_ONE,
  between,
  type BracketInput,
  type Claim,
  claim,
  exact,
  type FindingsFigure,
  meanCountText,
  readingOf,
} from '../core/findings.ts'
import type { Measures, Size } from '../core/plan.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { label, lineAt, markOf, means, rangeText, tableAt } from '../core/tables.ts'
import {
  answersOf,
  BINS,
  CORRECTED,
  incidentMeasures,
  incidentPoints,
  NEW,
  OLD,
  SHAPES,
  SHARING,
  sharingMeasures,
  sharingPoints,
  STATIC,
  sweepOf,
  UNDER_NEW,
} from './alpha-runs.ts'

/** The most that one congested port may hold at 1/16 over that at 1/64: the ratio of claims.json. */
const PORT_RATIO = 65 / 17

const queries = (alpha: string, answerKb: number) => ({ traffic: 'queries', control: 'none', alpha, answerKb })

/** A claim on the incident: the paper does not give the size of answers, so every size is a reading. */
interface IncidentClaim extends Omit<BracketInput, 'readings'> {
  /** One value per seed, and sizes that it does not have one for. */
  readonly values: (answerKb: number) => readonly number[]
  readonly without?: readonly number[]
}

function bracketOf(size: Size, { id, values, without = [], band, ...words }: IncidentClaim): Claim {
  const readings = SHAPES[size].answersKb
    .filter((answerKb) => !without.includes(answerKb))
    .map((answerKb) => readingOf(`answers of ${answerKb} KB`, values(answerKb)))
  return bracket(id, readings, band, words)
}

/** The paper's servers received up to 60,000 frames. One frame in a run would be tens of thousands in five minutes. */
function framesClaim(runs: Runs, size: Size): Claim {
  const { answersKb, stopMs } = SHAPES[size]
  const all = answersKb.map((answerKb) => ({ answerKb, own: runs.where(queries(NEW, answerKb)) }))
  const isNear = ({ mostFramesIn5Minutes: most }: Measures): boolean => most! >= 6000 && most! <= 600_000
  const none = all.filter(({ own }) => own.sum('pausedServers') === 0)
  return exact('rce.alpha.60000-per-5min', {
    holds: all.some(({ own }) => own.outcomes.every(({ measures }) => isNear(measures))),
    measured: all
      .map(({ answerKb, own }) => {
        const frames = rangeText(own, 'mostFramesIn5Minutes', meanCountText)
        return `${answerKb} KB: ${frames} frames, ${rangeText(own, 'pausedServers')} servers paused`
      })
      .join('; '),
    reason:
      `Some size of answers has 6,000 to 600,000 frames at the server with most, in every seed. By the counters of servers, resumes counted, over ${stopMs} ms and scaled by time: ` +
      `a single frame would be ${exactCount(300_000 / stopMs)}. With ${none.length} of ${all.length} sizes no server receives any, in any seed.`,
  })
}

function incidentClaims(runs: Runs, size: Size): Claim[] {
  const counted = (of: string) => (answerKb: number) => runs.values(of, queries(NEW, answerKb))
  const more = (of: ValueOf) => (answerKb: number) =>
    runs.differences(of, queries(NEW, answerKb), queries(OLD, answerKb))
  const ratio = (of: ValueOf) => (answerKb: number) => runs.ratios(of, queries(NEW, answerKb), queries(OLD, answerKb))
  const jump = { id: 'rce.alpha.latency-jump', band: atLeast(2), unit: ' x' }
  const fewer = { id: 'rce.alpha.large-fewer-pauses', band: ABOVE_ZERO }
  const all: readonly IncidentClaim[] = [
    { ...fewer, check: 'frames', values: more('torFrames'), unit: ' frames', why: `With ${NEW} less with ${OLD}.` },
    {
      ...fewer,
      check: 'time held back',
      values: more('tier 2 ms'),
      unit: ' ms',
      why: 'Summed over all leaves. Where a query is far larger than the buffer, pauses are fewer and longer.',
    },
    {
      id: 'rce.alpha.16-vs-64',
      values: ratio((measures) => Math.max(1, measures['torFrames']!)),
      paperValues: [PORT_RATIO],
      band: between(PORT_RATIO / 3, 3 * PORT_RATIO),
      unit: ' x',
      why: `A run without pause frames counts as one with one. Where a query fits at ${OLD} and not at ${NEW} the ratio has no bound, and where it fits at neither it is near one.`,
    },
    {
      ...jump,
      check: 'under the two ToRs',
      values: ratio('nearP99Us'),
      why: 'The 99th percentile of bystanders, which wait behind the answers in the leaves.',
    },
    {
      ...jump,
      check: 'elsewhere',
      values: ratio('farP99Us'),
      why: 'These only wait once leaves and spines are full, which small queries do not cause.',
    },
    {
      id: 'rce.alpha.two-tors-thousands',
      check: 'servers affected',
      values: counted('pausedServers'),
      band: { low: UNDER_NEW, high: Infinity, isOpen: true },
      tolerance: `more than the ${UNDER_NEW} under the two ToRs`,
      unit: ' servers',
      why: `Servers whose counters have pause frames received, with ${NEW}. The network is too small for thousands.`,
    },
    ...fixClaims(runs, size, 'pause frames', 'framesAfter'),
    ...fixClaims(runs, size, '99th percentile', 'nearAfterP99Us'),
  ]
  return all.map((row) => bracketOf(size, row))
}

/** The cure, judged in the second half of the runs against the same time with both alphas. */
function fixClaims(runs: Runs, size: Size, check: string, of: string): IncidentClaim[] {
  const added = (answerKb: number) => runs.differences(of, queries(NEW, answerKb), queries(OLD, answerKb))
  const gone = (answerKb: number) => runs.differences(of, queries(NEW, answerKb), queries(CORRECTED, answerKb))
  const atLeastOne = (measures: Measures): number => Math.max(1, measures[of]!)
  const without = SHAPES[size].answersKb.filter((answerKb) => !added(answerKb).every((value) => value > 0))
  const why = without.length === 0 ? '' : `With answers of ${without.join(', ')} KB ${NEW} adds nothing in some seed.`
  return [
    {
      id: 'rce.alpha.fix',
      check: `${check}, over ${NEW}`,
      values: (answerKb) => runs.ratios(atLeastOne, queries(CORRECTED, answerKb), queries(NEW, answerKb)),
      band: BELOW_ONE,
      unit: ' x',
      why,
    },
    {
      id: 'rce.alpha.fix',
      check: `${check}, part that is gone`,
      values: (answerKb) => gone(answerKb).map((value, i) => (100 * value) / added(answerKb)[i]!),
      without,
      band: { low: 50, high: Infinity, isOpen: true },
      tolerance: `nearer to the state with ${OLD} from the start than to that with ${NEW}`,
      unit: ' %',
      why,
    },
  ]
}

function claims(runs: Runs, size: Size): Claim[] {
  const { answersKb, fanIn } = SHAPES[size]
  const ofNew = answersKb.map((answerKb) => runs.where(queries(NEW, answerKb)))
  return [
    ...incidentClaims(runs, size),
    framesClaim(runs, size),
    exact('rce.alpha.chatty', {
      holds: fanIn > 1000,
      measured: `${fanIn} servers asked at once`,
      reason: 'A setting of these runs; the small size has fewer servers.',
    }),
    exact('rce.alpha.two-tors-thousands', {
      check: 'origin',
      holds: ofNew.every((own) =>
        own.outcomes.every(({ measures: m }) => m['originTors'] === 2 && m['newOriginTors'] === 2),
      ),
      measured: ofNew
        .map(
          (own, i) =>
            `${answersKb[i]} KB: ${rangeText(own, 'originTors')}, ${rangeText(own, 'newOriginTors')} of them new`,
        )
        .join('; '),
      reason:
        'ToRs that hold a neighbour for longer than any neighbour holds them, by the pause times of their counters: the two new ones and no other, with every size of answers in every seed.',
    }),
    claim(
      'rce.alpha.large-fewer-pauses',
      runs.differences('jain', { traffic: 'burst', alpha: OLD }, { traffic: 'burst', alpha: '8' }),
      ABOVE_ZERO,
      {
        check: 'unfair',
        why: `Jain's index at ${OLD} less that at 8, of the most that each port holds: those that came first and those with a burst for a server that nobody else sends to.`,
      },
    ),
  ]
}

const tables = (runs: Runs, size: Size) => [
  tableAt(runs, [...answersOf(size).filter(({ answerKb }) => answerKb === SHAPES[size].sweepKb), ...sweepOf(size)], {
    title: `Settings of the two ToRs, with answers of ${SHAPES[size].sweepKb} KB`,
    columns: [
      label('alpha', ({ alpha }) => (alpha === CORRECTED ? `${NEW}, then ${OLD}` : alpha)),
      label('congestion control', ({ control }) => control),
      means('pause frames of the two ToRs', 'torFrames', meanCountText),
      means('leaves held back, ms', 'tier 2 ms', humanNumber),
      means('99th percentile of probes under the two ToRs, us', 'nearP99Us', humanNumber),
    ],
  }),
  tableAt(runs, SHARING, {
    title: 'Fairness: four ports that have what they may, and four with a burst for another server',
    columns: [
      label('alpha', ({ alpha }) => alpha),
      means('most of a port that was there, KB', ({ firstBytes }) => firstBytes! / 1000, humanNumber),
      means('most of a port with the burst, KB', ({ newBytes }) => newBytes! / 1000, humanNumber),
      means("Jain's index of all eight", 'jain', humanNumber),
      means('pauses of the burst', 'newPauses', humanNumber),
    ],
  }),
]

/** Latency by the size of answers, with both alphas. */
function answersFigure(runs: Runs, size: Size): FindingsFigure {
  const { answersKb, fanIn } = SHAPES[size]
  const scopes = [
    { name: 'under the two ToRs', of: 'nearP99Us' },
    { name: 'elsewhere', of: 'farP99Us' },
  ]
  return {
    name: 'answers',
    lines: {
      title: 'Latency of servers that are not chatty, by the answers to the queries of others',
      subtitle: `probes of 2 KB, 99th percentile; ${fanIn} servers answer each query at once`,
      xLabel: 'size of an answer (KB)',
      yLabel: '99th percentile (us)',
      xScale: 'log',
      yScale: 'log',
      lines: scopes.flatMap(({ name, of }) =>
        [NEW, OLD].map((alpha) => {
          const rows = answersKb.map((answerKb) => queries(alpha, answerKb))
          return lineAt(runs, `${name}, ${alpha}`, rows, ({ answerKb }) => answerKb, of)
        }),
      ),
    },
  }
}

/** The incident and its cure over time, for one size of answers. */
function cureFigure(runs: Runs, size: Size): FindingsFigure {
  const { sweepKb, stopMs } = SHAPES[size]
  const binMs = stopMs / BINS
  return {
    name: 'cure',
    lines: {
      title: 'The incident and its cure',
      subtitle: `probes with an end under the two ToRs, 99th percentile of each ${humanNumber(binMs)} ms; answers of ${sweepKb} KB; corrected at ${stopMs / 2} ms`,
      xLabel: 'time (ms)',
      yLabel: '99th percentile (us)',
      fromZero: true,
      lines: [
        { series: `alpha ${NEW}`, alpha: NEW },
        { series: `${NEW}, then ${OLD}`, alpha: CORRECTED },
        { series: `alpha ${OLD}`, alpha: OLD },
      ].map(({ series, alpha }) => ({
        series,
        points: Array.from({ length: BINS }, (_, bin) =>
          markOf((bin + 0.5) * binMs, runs.mean(`p99UsIn${bin}`, queries(alpha, sweepKb))),
        ),
      })),
    },
  }
}

const sizeText = (size: Size): string => {
  const { tors, fanIn, stopMs, answersKb } = SHAPES[size]
  return `${2 * tors} ToRs of 24 servers, queries to ${fanIn} servers with answers of ${answersKb.join(', ')} KB, ${stopMs} ms`
}

export const alpha = defineExperiment({
  name: 'alpha',
  title: 'The alpha incident: two ToRs that share less of their buffers',
  source: '[MS-Scale] section 6.2, Figure 10',
  help:
    'Two ToRs of a new type come with an alpha of 1/64 where all others have 1/16. Chatty servers below them send queries to a thousand servers at once, whose answers come back as an incast. ' +
    'Pause frames, their spread, and the latency of servers that have no part in it are compared between settings, and with runs that correct alpha half way.',
  sizes: { small: sizeText('small'), full: sizeText('full') },
  points: (size, seed) => [...incidentPoints(size, seed), ...sharingPoints(seed)],
  measure: (result, point) =>
    point.at['traffic'] === 'burst' ? sharingMeasures(result) : incidentMeasures(result, point),
  conclude: (runs, size) => ({
    tables: tables(runs, size),
    figures: [answersFigure(runs, size), cureFigure(runs, size)],
    claims: claims(runs, size),
    remarks: [
      'The paper gives both alphas, the buffer, the number of servers asked, and that two ToRs were the origin. The size of answers, how often and by how many servers queries are sent, and all other traffic are open. ' +
        'Here three servers of each of the two ToRs ask in turn, and every server sends 30 KB to random others at 1 % of its link. A claim on the incident is the bracket of all sizes of answers.',
      `With ${OLD} the four ports from the leaves may hold a fifth of what the buffer has beside headroom, 1.6 MB, with ${NEW} a seventeenth, 0.5 MB. The rest of a query waits in the leaves, ` +
        'then in the spines and in the ToRs of the servers that answer. The settings therefore differ most where a query fits into the one and not into the other.',
      `With ${STATIC} parts the four ports have four of 28. DCQCN does not help against answers of few packets, which have all been sent before the first CNP comes back.`,
    ],
  }),
  // A full run holds a row for each of some fifty thousand messages.
  batch: 4,
})
