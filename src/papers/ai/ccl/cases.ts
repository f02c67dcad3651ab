/**
 * Cases of SONiC's test plan for collective communication, as scenarios: eleven kinds of traffic on one leaf with 8 ports, or on two leaves
 * with 8 ports each.
 * Source: sonic-mgmt, CCL test plan (f8a726b, a proposal). The plan is silent about rates, buffers and marking thresholds, which are
 * ours: 400 Gb/s, 64 MB, 100 and 400 KB for each 25 Gb/s as in HPCC.
 */
import { product } from '../../core/grid.ts'
import type { Size } from '../../core/point.ts'

/** The traffic of each case. */
export const CASES = {
  1: 'ring all-reduce',
  2: 'halving-doubling all-reduce',
  3: 'all-to-all',
  4: 'six hosts with two, both ways',
  5: 'ring all-reduce with background',
  6: 'halving-doubling all-reduce with background',
  7: 'all-to-all with background',
  8: 'ring all-reduce beside an all-to-all',
  9: 'halving-doubling all-reduce beside an all-to-all',
  10: 'all-to-all and ring all-reduce in turn',
  11: 'all-to-all and halving-doubling all-reduce in turn',
} as const
export type Case = keyof typeof CASES
export const ALL_CASES = Object.keys(CASES).map(Number) as Case[]

export type Setup = 'A' | 'B'
/** Cases 5 to 7 have the plan's pairs of hosts, which are on one leaf; 8 and 9 need two leaves. */
export const setupsOf = (of: Case): readonly Setup[] =>
  of >= 4 && of <= 7 ? ['A'] : of === 8 || of === 9 ? ['B'] : ['A', 'B']

export type CclAt = {
  readonly case: Case
  readonly setup: Setup
  readonly balance: 'ecmp' | 'spray'
  readonly mtu: number
  readonly kib: number
  readonly qps: number
}

export const BALANCES = ['ecmp', 'spray'] as const
/** The plan's 128 KB and 1 MB, and a large message: its 1024 MB at the full size only. */
const MATRICES = {
  small: [
    { balance: BALANCES, mtu: [4096], kib: [128, 1024], qps: [1, 8] },
    { balance: BALANCES, mtu: [4096], kib: [8192], qps: [8] },
  ],
  full: [
    { balance: BALANCES, mtu: [4096, 8192], kib: [128, 1024, 8192], qps: [1, 4, 8] },
    { balance: BALANCES, mtu: [8192], kib: [1024 * 1024], qps: [8] },
  ],
} as const
export const LARGEST_KIB = { small: 8192, full: 1024 * 1024 } as const

export const gridOf = (size: Size, cases: readonly Case[] = ALL_CASES): CclAt[] =>
  cases.flatMap((number) =>
    setupsOf(number).flatMap((setup) =>
      MATRICES[size].flatMap((matrix): CclAt[] => product({ case: [number], setup: [setup], ...matrix })),
    ),
  )

/** Setup B's spine has a link to each leaf for each of its hosts: to path choice the same as 8 spines with one. */
const TOPOLOGIES = {
  A: '{kind: star, hosts: 8, linkRate: 400Gbps, linkDelay: 500ns}',
  B: '{kind: leaf-spine, leaves: 2, spines: 8, hostsPerLeaf: 8, hostRate: 400Gbps, fabricRate: 400Gbps, hostDelay: 500ns, fabricDelay: 500ns}',
} as const
const HOSTS = { A: 8, B: 16 } as const

/** Tags of the job whose time counts, and of what runs beside it. */
export const JOB = 'job'
const BACKGROUND = 'background'

/** A tenth of 400 Gb/s between hosts i and i + 4, both ways: 64 KiB at a time. */
const BACKGROUND_BYTES = 65_536
const BACKGROUND_NS = (BACKGROUND_BYTES * 8) / 40
/** Rounds of a job, of which the plan has 20. */
const roundsOf = (kib: number): number => (kib > 8192 ? 1 : 3)
/** At least the time that they take with the background: a ring's 14 steps of an eighth, and some 2 us for each. */
const spanNs = (kib: number): number => roundsOf(kib) * 1.5 * (2 * (kib / 8) * 14 * 10 + 14 * 2000)

export const backgroundOf = (kib: number): string[] =>
  Array.from({ length: Math.ceil(spanNs(kib) / BACKGROUND_NS) }, (_, k) => k).flatMap((k) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map(
      (host) => `${host} ${host ^ 4} ${BACKGROUND_BYTES}B ${Math.round(k * BACKGROUND_NS)}ns`,
    ),
  )

const RING = 'operation: all-reduce, algorithm: ring'
const HALVING = 'operation: all-reduce, algorithm: halving-doubling'
const EXCHANGE = 'operation: all-to-all'
const job = (what: string, { kib, qps }: CclAt, more = `tag: ${JOB}`): string =>
  `  - {kind: collective, ${what}, size: ${kib}KiB, channels: ${qps}, iterations: ${roundsOf(kib)}, ${more}}\n`

/** Ten times an all-to-all, and the all-reduce when it has ended; of large messages four times, and twice. */
export function alternatingOf(algorithm: string, { kib, qps, setup }: CclAt): string[] {
  const rounds = kib > 8192 ? 2 : kib > 1024 ? 4 : 10
  const ranks = Array.from({ length: HOSTS[setup] }, (_, rank) => rank)
  const one = Array.from({ length: rounds }, (_, k) => [
    `x${k}: all-to-all ${kib * 1024}b group all channels ${qps}`,
    ...(k === 0 ? [] : [`x${k} requires r${k - 1}`]),
    `r${k}: all-reduce ${kib * 1024}b group all algorithm ${algorithm} channels ${qps}`,
    `r${k} requires x${k}`,
  ]).flat()
  return [
    `num_ranks ${ranks.length}`,
    `group all ${ranks.join(' ')}`,
    ...ranks.flatMap((rank) => [`rank ${rank} {`, ...one, '}']),
  ]
}

/** Lists that a scenario on disk has in files of their own. */
export interface Lists {
  readonly background: string
  readonly program: string
}
const inline = (lines: readonly string[]): string => `[${lines.map((line) => JSON.stringify(line)).join(', ')}]`

/** The workload of a case; with `lists` long lists are in these files. */
function workloadText(at: CclAt, lists?: Lists): string {
  const background = (): string =>
    `  - {kind: trace, flows: ${lists === undefined ? inline(backgroundOf(at.kib)) : `{file: ${lists.background}}`}, tag: ${BACKGROUND}}\n`
  const beside = (what: string): string =>
    job(what, at, `group: ["0-7"], tag: ${JOB}`) + job(EXCHANGE, at, 'group: ["8-15"], tag: beside')
  const alternating = (algorithm: string): string =>
    `  - {kind: graph, goal: ${lists === undefined ? inline(alternatingOf(algorithm, at)) : `{file: ${lists.program}}`}, tag: ${JOB}}\n`
  const texts: Readonly<Record<Case, () => string>> = {
    1: () => job(RING, at),
    2: () => job(HALVING, at),
    3: () => job(EXCHANGE, at),
    4: () =>
      `  - {kind: closed-loop, pairs: ["0-5 6-7", "6-7 0-5"], qpsPerPair: ${at.qps}, messageSize: ${(at.kib * 128) / at.qps}B, messages: ${roundsOf(at.kib)}, tag: ${JOB}}\n`,
    5: () => job(RING, at) + background(),
    6: () => job(HALVING, at) + background(),
    7: () => job(EXCHANGE, at) + background(),
    8: () => beside(RING),
    9: () => beside(HALVING),
    10: () => alternating('ring'),
    11: () => alternating('halving-doubling'),
  }
  return texts[at.case]()
}

/** Everything but name, seed and description. One recovery for both path choices: without losses it sends like go-back-N. */
export const scenarioText = (at: CclAt, lists?: Lists): string => `topology: ${TOPOLOGIES[at.setup]}
frames: {payload: ${at.mtu}B}
balance: ${at.balance}
recovery: {kind: irn, bdpFlowControl: false, nackThreshold: 1000}
congestion: dcqcn-connectx4
switch: {buffer: {kind: shared-buffer, size: 64MB}, ecn: {kmin: 1600KB, kmax: 6400KB, pmax: 0.2}}
observe: [{kind: link-use, interval: 1s}]
workload:
${workloadText(at, lists)}`
