/**
 * IRN and RoCE in the default case, with and without PFC; IRN without its parts and with its overheads. Comparisons with a
 * side that has PFC are judged in every reading of PFC.
 * Source: [IRN] 4.2 to 4.5 and 6.3: Figures 1, 2, 4, 5, 7, 8, 10 and 12 and the row of Table 3 for 70 % load; A.4.
 */
import { humanNumber } from '../../show/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  BELOW_ONE,
  between,
  bracket,
  type Claim,
  claim,
  near,
  nearShare,
  type Reading,
} from '../core/findings.ts'
import { percentLarger } from '../core/over-seeds.ts'
import type { Measures, Size } from '../core/plan.ts'
import { type RangeCell, rangeClaims } from '../core/range-ends.ts'
import type { Runs } from '../core/runs.ts'
import {
  type Arm,
  arm,
  CONTROLS,
  DEFAULT,
  irnMeasures,
  LONG_BURST,
  METRICS,
  pointsOfArms,
  SIDES,
  tailKey,
  TAILS,
  tenthKey,
  TENTHS,
} from './arms.ts'
import {
  cellClaims,
  cellTables,
  defaultCell,
  eachSeed,
  inferred,
  IRN,
  IRN_PFC,
  irnIn,
  ratioReadings,
  readingsOf,
  ROCE_PFC,
  type Side,
} from './cells.ts'
import { type Control, controlName, type Pfc, type Transport } from './default-case.ts'
import { irnFigures } from './figures.ts'
import { printedControl, printedValues } from './printed.ts'

const irnUnder = (control: Control): Arm => arm('irn', 'no-pfc', control)
const lossPercent = (m: Measures): number => (100 * m['dataDrops']!) / m['dataPackets']!

/** Losses of IRN without PFC, and the effect of congestion control on losses and pauses. */
function lossClaims(runs: Runs, isCutShort: boolean): Claim[] {
  const id = 'irn.cc-reduces-drops-and-pauses'
  const why = 'Over those without congestion control.'
  return [
    claim('irn.fig2.drop-rate-8.5', runs.mean(lossPercent, irnUnder('none')), near(8.5, 3), {
      unit: ' %',
      cutShort: isCutShort ? null : undefined,
    }),
    ...WITH_CONTROL.flatMap((control) => {
      const losses = runs.ratios(lossPercent, irnUnder(control), irnUnder('none'))
      const pauses = readingsOf(runs, defaultCell(control), [ROCE_PFC], (armOf) =>
        runs.ratios('pauseFrames', armOf(ROCE_PFC), armOf(ROCE_PFC, { control: 'none' })),
      )
      const words = { unit: ' x', why, cutShort: isCutShort ? BELOW_ONE : undefined }
      return [
        claim(id, losses, BELOW_ONE, { check: `${controlName(control)}, losses`, ...words }),
        bracket(id, pauses, BELOW_ONE, { check: `${controlName(control)}, pauses`, ...words }),
      ]
    }),
  ]
}

/** The claim that flows of all sizes behave alike, judged in the decile by size where the difference is smallest. */
function sizeClaims(runs: Runs, isCutShort: boolean): Claim[] {
  const cases = [
    ...CONTROLS.map((control) => ({ side: ROCE_PFC, control, name: 'RoCE' })),
    { side: IRN_PFC, control: 'none', name: 'IRN' } as const,
  ]
  return cases.map(({ side, control, name }) => {
    const least = readingsOf(runs, defaultCell(control), [side, IRN], (armOf) => {
      const byTenth = TENTHS.map((tenth) => runs.ratios(tenthKey(tenth), armOf(side), armOf(IRN)))
      return eachSeed(byTenth, Math.min)
    })
    return bracket('irn.A4.no-size-deviation', least, ABOVE_ONE, {
      check: `${name} with PFC over IRN, ${controlName(control)}`,
      unit: ' x',
      why: 'The slowdown, in the decile of flows by size where this is smallest.',
      cutShort: isCutShort ? ABOVE_ONE : undefined,
    })
  })
}

/** Figure 12: the cost of IRN's overheads. */
function overheadClaims(runs: Runs, isCutShort: boolean): Claim[] {
  const worst: Side = { transport: 'irn-with-overheads', hasPfc: false }
  const costOf = (control: Control, key: string): Reading[] => {
    const cost = runs.ratio(key, arm(worst.transport, 'no-pfc', control), irnUnder(control))
    return [{ name: 'all without PFC', measured: percentLarger(cost) }]
  }
  const gainOf = (control: Control, key: string): Reading[] =>
    readingsOf(runs, defaultCell(control), [worst, ROCE_PFC], (armOf) =>
      runs.ratios(key, armOf(worst), armOf(ROCE_PFC)).map((over) => 100 * (1 - over)),
    )
  const cellsOf = (readingsAt: typeof costOf): RangeCell[] =>
    CONTROLS.flatMap((control) =>
      METRICS.map(({ name, key }) => ({
        check: `${controlName(control)}, ${name}`,
        readings: readingsAt(control, key),
        cutShort: isCutShort ? ABOVE_ZERO : undefined,
      })),
    )
  const [costs, gains] = [cellsOf(costOf), cellsOf(gainOf)]
  const unit = ' %'
  return [
    ...rangeClaims({ id: 'irn.fig12.overhead-4-7', low: 4, high: 7, band: between(1, 10), unit, cells: costs }),
    ...rangeClaims({ id: 'irn.fig12.still-35-63', low: 35, high: 63, band: between(25, 75), unit, cells: gains }),
  ]
}

/** Window-based controls of section 4.4.4, run with IRN only. */
const WINDOWS = ['aimd', 'dctcp'] as const satisfies readonly Control[]
const WITH_CONTROL = CONTROLS.filter((control) => control !== 'none')

/** The default case as a row of Table 3. */
const DEFAULT_CELLS = CONTROLS.map((control) => ({ ...defaultCell(control), name: '70 %' }))

function irnClaims(runs: Runs, size: Size): Claim[] {
  const isCutShort = size === 'small'
  return [
    ...comparisons(runs, isCutShort),
    ...defaultValues(runs, isCutShort),
    ...orders(runs, isCutShort),
    ...ordersWithoutPfc(runs, isCutShort),
    ...lossClaims(runs, isCutShort),
    ...overheadClaims(runs, isCutShort),
    ...sizeClaims(runs, isCutShort),
    ...(isCutShort ? [] : DEFAULT_CELLS.flatMap((cell) => cellClaims(runs, cell))),
  ]
}

/** Figures in which sides with PFC are worse than IRN; Figures 3 and 6 are those of the experiment pfc-roce. */
const COMPARISONS: readonly { readonly id: string; readonly of: Side; readonly controls: readonly Control[] }[] = [
  { id: 'irn.fig1.range', of: ROCE_PFC, controls: ['none'] },
  { id: 'irn.fig2.range', of: IRN_PFC, controls: ['none'] },
  { id: 'irn.fig4.range', of: ROCE_PFC, controls: WITH_CONTROL },
  { id: 'irn.fig5.range', of: IRN_PFC, controls: WITH_CONTROL },
]

/**
 * The text gives one range for all metrics, Table 3 the value of each, which is inside: a check is held to its own value,
 * since a band over the whole range would let every metric stand at one end of it.
 */
function comparisons(runs: Runs, isCutShort: boolean): Claim[] {
  return COMPARISONS.flatMap(({ id, of, controls }) =>
    controls.flatMap((control) =>
      METRICS.map(({ name, key }, i) => {
        const [, overIrnPfc, overRocePfc] = printedValues(DEFAULT, control, i)
        const printed = 1 / (of === IRN_PFC ? overIrnPfc : overRocePfc)
        const isAlike = id === 'irn.fig5.range'
        const readings = ratioReadings(runs, defaultCell(control), of, IRN, key)
        return bracket(id, readings, isAlike ? near(printed, 0.03) : nearShare(printed, 0.25), {
          check: `${controlName(control)}, ${name}`,
          paper: `${humanNumber(printed)} x`,
          paperValues: [printed],
          unit: ' x',
          cutShort: isCutShort ? (isAlike ? null : ABOVE_ONE) : undefined,
        })
      }),
    ),
  )
}

function defaultValues(runs: Runs, isCutShort: boolean): Claim[] {
  const names = ['avg_slowdown', 'avg_fct_s', 'p99_fct_s']
  return CONTROLS.flatMap((control) =>
    METRICS.map(({ key, scale, unit }, i) => {
      const cell = defaultCell(control)
      const own = claim(
        `irn.default.${printedControl(control)}.${names[i]}`,
        runs.mean(key, irnIn(cell), scale),
        nearShare(printedValues(DEFAULT, control, i)[0], 0.5),
        { unit, cutShort: isCutShort ? null : undefined },
      )
      return isCutShort ? own : inferred(cell, own)
    }),
  )
}

/** Claims that a side with PFC is worse than IRN, and that PFC costs IRN more with AIMD than without control. */
function orders(runs: Runs, isCutShort: boolean): Claim[] {
  const sign = { unit: ' x', cutShort: isCutShort ? ABOVE_ONE : undefined }
  const worse = (
    id: string,
    side: Side,
    controls: readonly Control[],
    values: readonly { name: string; key: string }[],
  ) =>
    controls.flatMap((control) =>
      values.map(({ name, key }) => {
        const readings = ratioReadings(runs, defaultCell(control), side, IRN, key)
        return bracket(id, readings, ABOVE_ONE, { check: `${controlName(control)}, ${name}`, ...sign })
      }),
    )
  const costlier = METRICS.map(({ name, key }) => {
    const readings = readingsOf(runs, defaultCell('aimd'), [IRN_PFC, IRN], (armOf) => {
      const cost = (control: Control) => runs.ratios(key, armOf(IRN_PFC, { control }), armOf(IRN, { control }))
      return eachSeed([cost('aimd'), cost('none')], (aimd, none) => aimd / none)
    })
    return bracket('irn.444.aimd-stronger', readings, ABOVE_ONE, { check: name, ...sign })
  })
  const tails = TAILS.map((share) => ({ name: `${humanNumber(share * 100)} %`, key: tailKey(share) }))
  return [
    ...worse('irn.fig2.not-required', IRN_PFC, ['none'], METRICS),
    ...worse('irn.fig8.tail-single-packet', ROCE_PFC, CONTROLS, tails),
    ...worse('irn.444.window-cc', IRN_PFC, WINDOWS, METRICS),
    ...costlier,
  ]
}

/** Figures 7, 10 and 12: pairs without PFC of which the first is worse. */
function ordersWithoutPfc(runs: Runs, isCutShort: boolean): Claim[] {
  const worse = (id: string, check: string, first: Arm, second: Arm, key: string): Claim =>
    claim(id, runs.ratios(key, first, second), ABOVE_ONE, {
      check,
      unit: ' x',
      cutShort: isCutShort ? ABOVE_ONE : undefined,
    })
  const parts: readonly (readonly [id: string, worse: Transport, better: Transport])[] = [
    ['irn.fig7.gbn-worse', 'irn-with-go-back-n', 'irn'],
    ['irn.fig7.no-bdpfc-worse', 'irn-without-bdp-fc', 'irn'],
    ['irn.fig7.gbn-worse-than-no-bdpfc', 'irn-with-go-back-n', 'irn-without-bdp-fc'],
  ]
  const resilient = [arm('roce', 'no-pfc', 'dcqcn'), arm('irn', 'no-pfc', 'none')] as const
  const headers = [
    arm('irn-with-longer-headers', 'no-pfc', 'none'),
    arm('irn-with-fetch-delay', 'no-pfc', 'none'),
  ] as const
  return [
    ...METRICS.map(({ name, key }) => worse('irn.fig10.resilient', name, ...resilient, key)),
    ...METRICS.map(({ name, key }) => worse('irn.fig12.fetch-delay-small', name, ...headers, key)),
    ...parts.flatMap(([id, first, second]) =>
      CONTROLS.map((control) => {
        const [over, under] = [arm(first, 'no-pfc', control), arm(second, 'no-pfc', control)]
        return worse(id, controlName(control), over, under, 'meanFctPs')
      }),
    ),
  ]
}

const under = (transport: Transport, pfc: Pfc, controls: readonly Control[]): Arm[] =>
  controls.map((control) => arm(transport, pfc, control))

/** The runs of all figures, each once. */
const ARMS: readonly Arm[] = [
  ...under('irn', 'no-pfc', [...CONTROLS, ...WINDOWS]),
  ...under('irn', 'pfc', [...CONTROLS, ...WINDOWS]),
  ...under('roce', 'pfc', CONTROLS),
  ...under('roce', 'no-pfc', CONTROLS),
  ...under('irn-with-go-back-n', 'no-pfc', CONTROLS),
  ...under('irn-without-bdp-fc', 'no-pfc', CONTROLS),
  ...under('irn-with-overheads', 'no-pfc', CONTROLS),
  ...under('irn-with-fetch-delay', 'no-pfc', ['none']),
  ...under('irn-with-longer-headers', 'no-pfc', ['none']),
]
/** The other readings of PFC: its threshold, and the burst that a QP may send; IRN without PFC for comparison. */
const OTHER_READINGS: readonly Arm[] = [
  ...under('irn', 'pfc-early', [...CONTROLS, ...WINDOWS]),
  ...under('roce', 'pfc-early', CONTROLS),
  ...CONTROLS.flatMap((control) => SIDES.map(({ transport, pfc }) => arm(transport, pfc, control, LONG_BURST))),
]

function remarks(runs: Runs, size: Size): string[] {
  const pauses = (control: Control): string => humanNumber(runs.mean('pauseFrames', arm('irn', 'pfc', control)).mean)
  return [
    'RoCE with PFC has no ACKs except under TIMELY, which measures a round trip with each. Flows, sizes and destinations of one seed are the same in all its runs.',
    'At 70 % this network cannot carry the load of large flows, so that absolute times depend on the number of flows, which the paper does not give. ' +
      'It, the sizes and the basis of the load were inferred from the cells for IRN without congestion control at 30 and 70 %, which are therefore inputs.',
    'Results depend on the threshold of PFC and on the burst of a QP at the NIC, so that both are run with two values. At 220 KB of 240 KB, as printed, packets are lost (see pfc-roce), at 216 KB none; ' +
      'without a timeout a message that loses its last packets is never completed and counts nowhere.',
    `The windows of AIMD and DCTCP start at the cap. Section 4.4.4 gives no threshold for DCTCP: packets are marked from 70 KB on, the 65 packets of its own paper. This keeps queues below the threshold of PFC: ${pauses('dctcp')} pause frames per run, against ${pauses('aimd')} with AIMD.`,
    ...(size === 'small'
      ? ['This size is cut short: flows unfinished after 40 ms are left out, and verdicts cover only the direction.']
      : []),
  ]
}

export const irn = defineExperiment({
  name: 'irn',
  title: 'IRN beside RoCE: does RDMA need PFC?',
  source: '[IRN] sections 4.2 to 4.5 and 6.3, Figures 1, 2, 4, 5, 7, 8, 10 and 12, Table 3 at 70 %',
  help:
    'IRN resends only missing packets and limits the data in flight to one bandwidth-delay product. In the default case of its paper (54 hosts in a fat ' +
    'tree, 40 Gb/s, 70 % load of heavy-tailed flows) it runs with and without PFC, without congestion control and with TIMELY, DCQCN, ' +
    'AIMD and DCTCP, next to RoCE with and without PFC, and with parts of IRN removed or its overheads added.',
  sizes: {
    small: 'the default case cut short: 5 ms of arrivals, stopped after 40 ms',
    full: 'some 52,000 flows in 75 ms, run to their end',
  },
  points: (size, seed) =>
    size === 'full'
      ? pointsOfArms([...ARMS, ...OTHER_READINGS], 'irn-default', seed)
      : pointsOfArms(ARMS, 'irn-default-5-ms', seed),
  measure: irnMeasures,
  conclude: (runs, size) => ({
    tables: cellTables(runs, DEFAULT_CELLS),
    figures: irnFigures(runs),
    claims: irnClaims(runs, size),
    remarks: remarks(runs, size),
  }),
})
