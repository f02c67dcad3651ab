/**
 * SONiC's test plan for collective communication: its criteria, case by case, on a fabric that is simulated.
 * Source: sonic-mgmt, CCL test plan (f8a726b, a proposal).
 */
import { numbersOf, type Result, tableOfKind, textsOf } from '../../../core/results/index.ts'
import { topologyOf } from '../../../lab/index.ts'
import type { Scenario } from '../../../lab/scenario/index.ts'
import { defineExperiment } from '../../core/experiment.ts'
import { type Claim, exact, type FindingsTable, rightColumn } from '../../core/findings.ts'
import { pointsAt } from '../../core/grid.ts'
import { dropsOf } from '../../core/measures.ts'
import type { At, Measures, Point, Size } from '../../core/point.ts'
import type { Runs } from '../../core/runs.ts'
import { label, type PointColumn, ranges, rangeText, tableAt, texts } from '../../core/tables.ts'
import { humanDuration, humanNumber } from '../../../show/index.ts'
import {
  ALL_CASES,
  BALANCES,
  type Case,
  CASES,
  type CclAt,
  gridOf,
  JOB,
  LARGEST_KIB,
  scenarioText,
  type Setup,
  setupsOf,
} from './cases.ts'

/** Times of the job's collectives, ps, each from the first packet to the last acknowledgement. */
function timesOf(result: Result): { readonly operation: string; readonly timePs: number }[] {
  const rounds = tableOfKind(result, 'collectives')
  if (rounds === undefined) return []
  const [tags, operations] = [textsOf(rounds, 'tag'), textsOf(rounds, 'operation')]
  const [startPs, donePs] = [numbersOf(rounds, 'startPs'), numbersOf(rounds, 'donePs')]
  return operations.flatMap((operation, row) =>
    tags[row] === JOB ? [{ operation, timePs: donePs[row]! - startPs[row]! }] : [],
  )
}

/** Bytes of the port that sent most over those of the port that sent least: the ports of switches to hosts, and between switches. */
function egressOf(result: Result, scenario: Scenario): Measures {
  const ports = tableOfKind(result, 'link-use')!
  const { tiers } = topologyOf(scenario)
  const [nodes, bytes, numbers] = [numbersOf(ports, 'node'), numbersOf(ports, 'sentBytes'), numbersOf(ports, 'port')]
  const isStar = Math.max(...tiers) === 1
  const ratio = (isOwn: (port: number) => boolean): number => {
    const own = [...bytes].filter((_, row) => tiers[nodes[row]!] === 1 && isOwn(numbers[row]!))
    return own.length === 0 ? NaN : Math.max(...own) / Math.min(...own)
  }
  return {
    egressToHosts: ratio((port) => isStar || port <= 8),
    egressToSpines: ratio((port) => !isStar && port > 8),
  }
}

function measure(result: Result, { at, scenario }: Point): Measures {
  const number = Number(at['case'])
  const { counters } = result
  const times = timesOf(result)
  const own = number >= 10 ? times.filter(({ operation }) => operation === 'all-reduce') : times
  const all = own.map(({ timePs }) => timePs)
  const mean = all.reduce((sum, each) => sum + each, 0) / all.length
  return {
    timePs: mean,
    variation: (Math.max(...all) - Math.min(...all)) / mean,
    drops: dropsOf(result),
    resent: counters.retransmissions,
    pauses: counters.pauseFrames,
    marks: counters.ecnMarks,
    cnps: counters.cnps,
    ...(number === 3 ? egressOf(result, scenario) : {}),
    packetHops: counters.packetHops,
  }
}

/** A criterion of the plan: over the runs of a case on a setup, with a path choice. */
interface Criterion {
  readonly cases: readonly Case[]
  readonly name: string
  readonly statement: string
  readonly limit: string
  /** The number that each run has, by which it passes. */
  readonly valueOf: (runs: Runs, at: CclAt, seed: number) => number
  readonly passes: (value: number) => boolean
  /** Sizes that it is about, if not all. */
  readonly isAbout?: (at: CclAt, size: Size) => boolean
}

const one = (runs: Runs, at: CclAt, seed: number): Measures =>
  runs.where(at).outcomes.find((outcome) => outcome.seed === seed)?.measures ?? {}
const sumOf =
  (...names: string[]) =>
  (runs: Runs, at: CclAt, seed: number): number =>
    names.reduce((sum, name) => sum + (one(runs, at, seed)[name] ?? NaN), 0)
/** The job's time over that of another case with the same settings, on one leaf. */
const timeOver =
  (other: (of: Case) => Case, setup?: Setup) =>
  (runs: Runs, at: CclAt, seed: number): number =>
    sumOf('timePs')(runs, at, seed) /
    sumOf('timePs')(runs, { ...at, case: other(at.case), setup: setup ?? at.setup }, seed)
const below = (limit: number) => (value: number) => value < limit
const EXACTLY_NONE = (value: number): boolean => value === 0
const atMostATenth = (value: number): boolean => value <= 1.1

const criterionOf = (
  cases: readonly Case[],
  name: string,
  valueOf: Criterion['valueOf'],
  passes: Criterion['passes'],
  words: Pick<Criterion, 'statement' | 'limit' | 'isAbout'>,
): Criterion => ({ cases, name, valueOf, passes, ...words })

const CRITERIA: readonly Criterion[] = [
  criterionOf(ALL_CASES, 'no loss', sumOf('drops', 'resent'), EXACTLY_NONE, {
    statement: 'Nothing is lost, and nothing sent again',
    limit: '0 drops and retransmissions',
  }),
  criterionOf(
    ALL_CASES.filter((of) => of !== 4),
    'no congestion',
    sumOf('pauses', 'marks', 'cnps'),
    EXACTLY_NONE,
    {
      statement: 'No pauses, no marks, no CNPs',
      limit: '0 PFC frames, CE and CNPs',
    },
  ),
  criterionOf(
    [2],
    'small',
    timeOver(() => 1),
    below(1),
    {
      statement: 'Small: halving and doubling is faster than the ring',
      limit: 'less than 1 times the ring',
      isAbout: ({ kib }) => kib === 128,
    },
  ),
  criterionOf(
    [2],
    'large',
    timeOver(() => 1),
    (value) => Math.abs(value - 1) <= 0.05,
    {
      statement: 'Large: halving and doubling takes what the ring takes',
      limit: '0.95 to 1.05 times the ring',
      isAbout: ({ kib }, size) => kib === LARGEST_KIB[size],
    },
  ),
  criterionOf([3], 'egress to hosts', sumOf('egressToHosts'), atMostATenth, {
    statement: 'The egress of all ports to hosts is within a tenth',
    limit: 'at most 1.1 between most and least',
  }),
  criterionOf([3], 'egress to spines', sumOf('egressToSpines'), atMostATenth, {
    statement: 'The egress of all ports between switches is within a tenth',
    limit: 'at most 1.1 between most and least',
    isAbout: ({ setup }) => setup === 'B',
  }),
  criterionOf(
    [5, 6, 7],
    'time',
    timeOver((of) => (of - 4) as Case),
    below(1.15),
    {
      statement: 'With a tenth of background the time grows by less than 15 %',
      limit: 'less than 1.15 times that without',
    },
  ),
  criterionOf(
    [8, 9],
    'time',
    timeOver((of) => (of - 7) as Case, 'A'),
    below(1.2),
    {
      statement: 'Beside another job the time grows by less than 20 %',
      limit: 'less than 1.2 times that on a leaf alone',
    },
  ),
  criterionOf([10, 11], 'variation', sumOf('variation'), below(0.05), {
    statement: 'In turn with another collective the times vary by less than 5 %',
    limit: 'less than 0.05 of the mean between longest and shortest',
  }),
]

/** The values of a criterion in all runs that it is about. */
function valuesOf(
  runs: Runs,
  size: Size,
  { valueOf, isAbout = () => true }: Criterion,
  where: Partial<CclAt>,
): number[] {
  const isOwn = (at: CclAt): boolean =>
    Object.entries(where).every(([axis, value]) => at[axis as keyof CclAt] === value)
  return gridOf(size)
    .filter((at) => isOwn(at) && isAbout(at, size))
    .flatMap((at) => runs.seeds.map((seed) => valueOf(runs, at, seed)))
}

/** "no loss 15 of 15": a row for each case, and how many runs pass each criterion. */
const criteriaTable = (runs: Runs, size: Size): FindingsTable => ({
  title: 'Runs that pass, by criterion',
  columns: [rightColumn('case'), { head: 'traffic' }, ...BALANCES.map((head) => ({ head }))],
  rows: ALL_CASES.map((of) => [
    String(of),
    CASES[of],
    ...BALANCES.map((balance) =>
      CRITERIA.filter(({ cases }) => cases.includes(of))
        .map((criterion) => {
          const values = valuesOf(runs, size, criterion, { case: of, balance })
          return `${criterion.name} ${values.filter(criterion.passes).length} of ${values.length}`
        })
        .join('; '),
    ),
  ]),
})

/** One claim for each criterion, case, setup and path choice: it has to hold in every run. */
function claimsOf(runs: Runs, size: Size): Claim[] {
  return ALL_CASES.flatMap((of) =>
    CRITERIA.filter(({ cases }) => cases.includes(of)).flatMap((criterion) =>
      setupsOf(of).flatMap((setup) =>
        BALANCES.flatMap((balance): Claim[] => {
          const { name, statement, limit, passes } = criterion
          const values = valuesOf(runs, size, criterion, { case: of, setup, balance })
          if (values.length === 0) return []
          const passed = values.filter(passes).length
          const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => humanNumber(value))
          const range = least === most ? least : `${least} to ${most}`
          return [
            exact(`ccl.${of}`, {
              check: `${name}, setup ${setup}, ${balance}`,
              statement: `${statement} (${CASES[of]})`,
              paper: limit,
              holds: passed === values.length,
              measured: `${range}, in ${passed} of ${values.length} runs`,
              reason: 'Counts as reproduced: in every run, of all sizes, numbers of queue pairs and MTUs.',
            }),
          ]
        }),
      ),
    ),
  )
}

/** "2 to 5" over all runs of a row, which are of several points. */
const overRuns = (head: string, of: string): PointColumn<At> =>
  texts(head, (own) => rangeText(own, of, (value) => humanNumber(value)))

type Row = Pick<CclAt, 'case' | 'setup' | 'balance'>
const CASE_COLUMNS: readonly PointColumn<Row>[] = [
  label('case', (at) => at.case, 'right'),
  label('traffic', (at) => CASES[at.case]),
  label('setup', ({ setup }) => setup),
  label('path choice', ({ balance }) => balance),
]
const rowsOf = (of: Case): Row[] =>
  setupsOf(of).flatMap((setup) => BALANCES.map((balance) => ({ case: of, setup, balance })))

export const ccl = defineExperiment({
  name: 'ccl',
  title: "SONiC's test plan for collective communication",
  source: 'sonic-mgmt, CCL test plan (f8a726b, a proposal): its criteria are the claims',
  help:
    'Eleven cases of collectives on one leaf with 8 hosts (A) and on two leaves with 8 hosts each (B), with PFC and DCQCN, under ECMP and packet spraying, by message size, MTU and queue pairs. ' +
    'A time is that from the first packet to the last acknowledgement of a collective, mean over its rounds; of cases 10 and 11 it is that of the all-reduce.',
  sizes: {
    small: '128 KiB, 1 and 8 MiB, MTU 4096, 1 and 8 queue pairs',
    full: '128 KiB to 1 GiB, MTU 4096 and 8192, 1, 4 and 8 queue pairs',
  },
  batch: 64,
  points: (size, seed) => pointsAt(gridOf(size), seed, (at) => `name: ccl-${at.case}\n${scenarioText(at)}`),
  measure,
  conclude: (runs, size) => ({
    tables: [
      criteriaTable(runs, size),
      tableAt(runs, ALL_CASES.flatMap(rowsOf), {
        title: 'All runs of a case',
        columns: [
          ...CASE_COLUMNS,
          overRuns('drops', 'drops'),
          overRuns('pauses', 'pauses'),
          overRuns('CE', 'marks'),
          overRuns('CNPs', 'cnps'),
        ],
      }),
      tableAt(
        runs,
        gridOf(size, [1, 2, 3, 5, 6, 7, 8, 9, 10, 11]).filter(
          ({ kib, qps, mtu }) => kib === 8192 && qps === 8 && mtu === 4096,
        ),
        {
          title: 'Times with 8 MiB, 8 queue pairs, MTU 4096',
          columns: [...CASE_COLUMNS, ranges('time', 'timePs', (ps) => humanDuration(ps))],
        },
      ),
    ],
    claims: claimsOf(runs, size),
    remarks: [
      'Read so: setup B has eight spines with one link to each leaf, which to path choice is one spine with eight. Cases 4 to 7 are run on A, where the pairs of the background belong, 8 and 9 on B, which they need, the others on both. Each collective is run three times (the plan: twenty), large ones once; the all-reduce of cases 10 and 11 ten times, four times with 8 MiB. ' +
        'Both path choices have IRN without its window: a receiver that keeps packets out of order, which spraying needs, and which sends like go-back-N where nothing is lost. "Equal" for large messages is read as 5 %, which the plan does not give.',
      'The plan is silent about rates, buffers and marking thresholds. With those here (400 Gb/s, 64 MB, marks from 1.6 MB) only large messages on colliding paths are marked; lower thresholds would mark more.',
      'Slips of the plan: a part of a ring is S/n, not S/(n-1); the bus factor of an all-to-all is (n-1)/n, not 1; halving and doubling over 8 hosts has 6 steps, not 3; CE is the codepoint 11, not 01 or 10. Its equal load of spines in cases 8 and 9 says nothing, since no packet of them leaves its leaf.',
      'Criteria that fail. Halving and doubling on B under ECMP: eight queue pairs of each of eight hosts meet on eight uplinks by chance, so that large messages take one to two fifths longer than the ring and are marked; sprayed they fill all uplinks to the brim, and one seed in three is 6 % longer. The egress to spines: 64 or 512 hashes over 8 links are not within a tenth, nor are the packets of small messages under random spraying, which are too few. The variation of cases 10 and 11 on B: an all-reduce begins with the first rank whose all-to-all has ended, and the less it takes itself, the more that skew counts; halving and doubling adds its own collisions, and when sprayed queues that differ from round to round.',
    ],
  }),
  claimsOf: 'ours',
})
