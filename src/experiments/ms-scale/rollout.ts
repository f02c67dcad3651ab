/**
 * Staged roll-out: PFC in a lab, in a test cluster, and in production at the ToRs only, in the podsets and up to the spines;
 * for each step where packets are lost, who is paused, and how RDMA fares in the rack, in the podset and across.
 * Source: [MS-Scale] 6.1. Runs and measures: rollout-runs.ts.
 */
import { humanNumber } from '../../report/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { type Claim, exact, type FindingsFigure, type FindingsTable, meanCountText } from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { Runs } from '../core/runs.ts'
import { label, means, tableAt } from '../core/tables.ts'
import {
  GRID,
  rolloutMeasures,
  type RolloutAt,
  rolloutPoints,
  type Scope,
  SCOPES,
  STEPS,
  TIERS,
} from './rollout-runs.ts'

const SCOPE_NAMES: Readonly<Record<Scope, string>> = {
  rack: 'in the rack',
  podset: 'in the podset',
  across: 'across podsets',
}
const PLURALS = { server: 'servers', ToR: 'ToRs', leaf: 'leaves', spine: 'spines' } as const
/** Links with PFC in each step, by their ends. */
const LINKS = ['server to ToR', 'ToR to leaf', 'leaf to spine']
function stepTable(): FindingsTable {
  return {
    title: 'Links with PFC at both ends',
    columns: [
      { head: 'step' },
      ...LINKS.map((head) => ({ head })),
      { head: 'traffic that meets PFC on its whole path' },
    ],
    rows: STEPS.map(({ name, network, endsAt, covered }) => [
      name,
      ...LINKS.map((_, link) => (network === 'lab' && link > 0 ? '-' : link < endsAt ? 'lossless' : 'lossy')),
      covered.length === 0 ? 'none' : covered.map((scope) => SCOPE_NAMES[scope]).join(', '),
    ]),
  }
}

const tierTable = (runs: Runs): FindingsTable =>
  tableAt(runs, GRID, {
    title: 'Losses and pauses by tier',
    columns: [
      label('step', ({ step }) => step),
      label('control', ({ control }) => (control === 'none' ? 'none' : 'DCQCN')),
      ...TIERS.slice(1).map((tier) => means<RolloutAt>(`lost at ${PLURALS[tier]}`, `lostAt.${tier}`, meanCountText)),
      ...TIERS.map((tier) => means<RolloutAt>(`${tier} ports paused, ms`, `pausedMs.${tier}`, humanNumber)),
    ],
  })

function lossFigure(runs: Runs): FindingsFigure {
  const steps = STEPS.filter(({ network }) => network === 'production').map(({ name }) => name)
  const groups = product({ step: steps, scope: SCOPES }).map(({ step, scope }) => ({
    label: step,
    series: SCOPE_NAMES[scope],
    value: runs.mean(`again.${scope}`, { step, control: 'none' }).mean,
  }))
  return {
    name: 'losses',
    bars: {
      title: 'Roll-out of PFC: losses of RDMA traffic',
      subtitle: 'packets sent again for each packet needed, without congestion control; means over seeds',
      yLabel: 'packets sent again per packet',
      groups,
      showValues: true,
    },
  }
}

function stepsClaim(runs: Runs): Claim {
  const lost = (step: string, scopes: readonly Scope[], control: string): number =>
    scopes.reduce((total, scope) => total + (runs.sum(`lost.${scope}`, { step, control }) || 0), 0)
  const steps = STEPS.filter(({ covered }) => covered.length > 0).map(({ name, network, covered }) => {
    const others = SCOPES.filter((scope) => !covered.includes(scope))
    const isPartial = network === 'production' && others.length > 0
    const losses = { covered: lost(name, covered, 'none'), others: lost(name, others, 'none') }
    const isFree = product({ scope: covered, control: ['none', 'dcqcn'] }).every(({ scope, control }) =>
      runs.values(`lost.${scope}`, { step: name, control }).every((packets) => packets === 0),
    )
    return { name, ...losses, holds: isFree && (!isPartial || losses.others > 0) }
  })
  return exact(
    'rce.deploy.steps',
    steps.every(({ holds }) => holds),
    {
      measured: steps
        .map(
          ({ name, covered, others }) =>
            `${name}: ${covered} packets lost where PFC covers the path, ${others} elsewhere`,
        )
        .join('; '),
      reason:
        'Each step is a scenario; the counts are of all seeds, without congestion control. In every seed, with and without DCQCN, nothing is lost of the traffic whose whole path has PFC; in steps 3 and 4 other traffic loses packets.',
    },
  )
}

const REMARKS = [
  'The paper names the steps and gives no traffic. Ours is the same in all of them: in one rack (small size) or two racks of each podset three servers receive 1 MB from up to twelve ' +
    'others at once, from their rack, from the other racks of the podset and from the other podset. In step 3 the paper enabled "RDMA in production networks at ToR ' +
    'level only"; here RDMA also leaves the rack, to show what it would have met.',
  'Losses move up with the border of PFC, and pauses too: each step widens the part of the network in which a pause can spread, which the experiments `pause-storm` and `ms-scale-deadlock` show at its worst.',
  'Both ends of a link have the same setting in each step. With PFC at one end only, pauses are ignored and headroom overflows (`scenarios/wrong-pfc-one-end.yaml`). ' +
    'The lab is one switch with 24 servers, the test cluster a small copy of production.',
]

export const rollout = defineExperiment({
  name: 'rollout',
  title: 'Staged roll-out of PFC: lab, test cluster, ToRs, podsets, up to the spines',
  source: '[MS-Scale] section 6.1',
  help:
    'PFC is switched on tier by tier. The same bursts run in each step: to servers from their own rack, from the other racks of their podset, and from the other podset. ' +
    'Traffic whose whole path has PFC loses nothing; other traffic loses packets behind the last port with PFC. Once with no congestion control and once with DCQCN.',
  sizes: {
    small: '64 servers, 4 spines; test cluster of 32; lab of 24',
    full: '1152 servers, 64 spines; test cluster of 192; lab of 24',
  },
  points: rolloutPoints,
  measure: rolloutMeasures,
  conclude: (runs) => ({
    tables: [stepTable(), tierTable(runs)],
    figures: [lossFigure(runs)],
    claims: [stepsClaim(runs)],
    remarks: REMARKS,
  }),
})
