/**
 * Figures of the default case.
 * Source: [IRN] Figures 1, 2, 4, 5, 7, 8, 10, 12; the paper's values in 1, 2, 4 and 5 are those of Table 3.
 */
import { MS, US } from '../../core/base/index.ts'
import { barOf, type FindingsFigure } from '../core/findings.ts'
import type { Runs } from '../core/runs.ts'
import { barsAt } from '../core/tables.ts'
import { type Arm, arm, CONTROLS, DEFAULT, METRICS, nameOf, sideOf, TAIL_CURVE, tailKey } from './arms.ts'
import { controlName, type Control, pauseKbOf } from './default-case.ts'
import { printedControl, printedValues } from './printed.ts'
import { bracketOf, defaultCell, IRN, IRN_PFC, readingsOf, ROCE_PFC, sideName } from './cells.ts'

const MEANS = 'lower is better; means over seeds with 95 % intervals'

export function irnFigures(runs: Runs): FindingsFigure[] {
  const parts = CONTROLS.flatMap((control) => [
    arm('irn', 'no-pfc', control),
    arm('irn-without-bdp-fc', 'no-pfc', control),
    arm('irn-with-go-back-n', 'no-pfc', control),
  ])
  const resilient = [arm('irn', 'no-pfc', 'none'), arm('roce', 'no-pfc', 'dcqcn')]
  const overheads = CONTROLS.flatMap((control) => [
    arm('roce', 'pfc', control),
    arm('irn-with-overheads', 'no-pfc', control),
    arm('irn', 'no-pfc', control),
  ])
  const look = (at: Arm) => ({ label: controlName(at.control), series: sideOf(at) })
  return [
    ...CONTROLS.map((control) => valueFigure(runs, control)),
    ...CONTROLS.map((control) => tailFigure(runs, control)),
    {
      name: 'factors',
      bars: {
        title: 'Figure 7: IRN without one of its parts',
        subtitle: MEANS,
        yLabel: 'average FCT, ms',
        showValues: true,
        groups: barsAt(runs, parts, 'meanFctPs', look, 1 / MS),
      },
    },
    {
      name: 'resilient',
      bars: {
        title: 'Figure 10: IRN without control and RoCE under DCQCN (Resilient RoCE), both without PFC',
        subtitle: MEANS,
        yLabel: 'slowdown; milliseconds',
        yScale: 'log',
        showValues: true,
        groups: METRICS.flatMap(({ name, key, scale }) =>
          barsAt(runs, resilient, key, (at) => ({ label: name, series: nameOf(at) }), scale),
        ),
      },
    },
    {
      name: 'overheads',
      bars: {
        title: 'Figure 12: IRN with its overheads at their worst',
        subtitle: `average completion time over that of RoCE with PFC at 220 KB; overheads: 2 us to fetch a retransmission, 16 bytes in each packet; ${MEANS}`,
        yLabel: 'average FCT over that of RoCE + PFC',
        showValues: true,
        groups: overheads.map((at) => {
          return { ...look(at), ...barOf(runs.ratio('meanFctPs', at, arm('roce', 'pfc', at.control))) }
        }),
      },
    },
  ]
}

/** Bars up to the highest reading, with a line down to the lowest. */
function valueFigure(runs: Runs, control: Control): FindingsFigure {
  const groups = METRICS.flatMap(({ name, key, scale }, i) => {
    const [irn, overIrnPfc, overRocePfc] = printedValues(DEFAULT, control, i)
    const sides = [
      { side: IRN, paper: irn },
      { side: IRN_PFC, paper: irn / overIrnPfc },
      { side: ROCE_PFC, paper: irn / overRocePfc },
    ]
    return sides.map(({ side, paper }) => {
      const readings = readingsOf(runs, defaultCell(control), [side], (armOf) =>
        runs.values(key, armOf(side)).map((value) => value * scale),
      )
      const { low, high } = bracketOf(readings)
      return { label: name, series: sideName(side), value: high, low, high, paper }
    })
  })
  return {
    name: `values-${printedControl(control)}`,
    bars: {
      title: `${control === 'none' ? 'Figures 1 and 2' : 'Figures 4 and 5'}: IRN and RoCE, ${controlName(control)}`,
      subtitle: 'lower is better; with PFC the mark is the highest reading, and its line ends at the lowest',
      yLabel: 'slowdown; milliseconds',
      yScale: 'log',
      showValues: true,
      groups,
    },
  }
}

/** The tail distribution: the share of messages that take longer, down to one in two thousand. */
function tailFigure(runs: Runs, control: Control): FindingsFigure {
  const arms = [
    arm('roce', 'pfc-early', control),
    arm('roce', 'pfc', control),
    arm('irn', 'pfc-early', control),
    arm('irn', 'pfc', control),
    arm('irn', 'no-pfc', control),
  ].filter((at) => runs.where(at).outcomes.length > 0)
  return {
    name: `tail-${printedControl(control)}`,
    lines: {
      title: `Figure 8: messages of one packet, ${controlName(control)}`,
      subtitle: 'share that takes longer; bursts of one packet, PFC at both thresholds; means over seeds',
      xLabel: 'completion time, us',
      xScale: 'log',
      yLabel: 'share of messages',
      yScale: 'log',
      lines: arms.map((at) => ({
        series: `${sideOf(at)}${at.pfc === 'no-pfc' ? '' : ` at ${pauseKbOf(at.pfc)} KB`}`,
        points: TAIL_CURVE.map((share) => ({ x: runs.mean(tailKey(share), at, 1 / US).mean, y: 1 - share })),
      })),
    },
  }
}
