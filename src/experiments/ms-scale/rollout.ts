/**
 * Staged roll-out: PFC in a lab, in a test cluster, and in production at the ToRs only, in the podsets and up to the spines;
 * for each step where packets are lost, who is paused, and how RDMA fares in the rack, in the podset and across.
 * Source: [MS-Scale] 6.1. Runs and measures: rollout-runs.ts.
 */
import { humanNumber, humanShare } from '../../report/index.ts'
import { defineExperiment } from '../core/old/plan.ts'
import {
  type Claim,
  exactClaim,
  type Findings,
  type FindingsFigure,
  type FindingsTable,
  meanCountText,
  rightColumn,
} from '../core/findings.ts'
import { overSeeds, sumOver, valuesOf } from '../core/old/over-seeds.ts'
import type { Outcome } from '../core/old/plan.ts'
import { rolloutMeasures, rolloutPoints, SCOPES, type Scope, STEPS, TIERS, variantsOf } from './rollout-runs.ts'

const SCOPE_NAMES: Readonly<Record<Scope, string>> = {
  rack: 'in the rack',
  podset: 'in the podset',
  across: 'across podsets',
}
const PLURALS = { server: 'servers', ToR: 'ToRs', leaf: 'leaves', spine: 'spines' } as const
const CONDITIONS = STEPS.flatMap((step) => variantsOf(step).map(({ condition }) => condition))
/** Links with PFC in each step, by their ends. */
const LINKS = ['server to ToR', 'ToR to leaf', 'leaf to spine']

const meanOf = (outcomes: readonly Outcome[], condition: string, key: string): number =>
  overSeeds(outcomes, condition, (m) => m[key]!).mean

function conclude(outcomes: readonly Outcome[]): Findings {
  return {
    tables: [stepTable(), scopeTable(outcomes), tierTable(outcomes)],
    figures: figures(outcomes),
    claims: [stepsClaim(outcomes)],
    remarks: remarks(outcomes),
  }
}

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

function scopeTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'RDMA by the place that it comes from',
    columns: [
      { head: 'step' },
      { head: 'traffic' },
      rightColumn('packets lost'),
      rightColumn('packets sent again, of those needed'),
      rightColumn('messages finished in 10 ms'),
      rightColumn('last one after, ms'),
    ],
    rows: CONDITIONS.flatMap((condition) =>
      SCOPES.flatMap((scope) => {
        const of = (key: string): number => meanOf(outcomes, condition, `${key}.${scope}`)
        if (Number.isNaN(of('lost'))) return []
        const last = of('lastMs')
        return [
          [
            condition,
            SCOPE_NAMES[scope],
            meanCountText(of('lost')),
            humanShare(of('again')),
            humanShare(of('finished')),
            Number.isNaN(last) ? 'not all do' : humanNumber(last),
          ],
        ]
      }),
    ),
  }
}

function tierTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'Losses and pauses by tier',
    columns: [
      { head: 'step' },
      ...TIERS.slice(1).map((tier) => rightColumn(`lost at ${PLURALS[tier]}`)),
      ...TIERS.map((tier) => rightColumn(`${tier} ports paused, ms`)),
    ],
    rows: CONDITIONS.map((condition) => [
      condition,
      ...TIERS.slice(1).map((tier) => meanCountText(meanOf(outcomes, condition, `lostAt.${tier}`))),
      ...TIERS.map((tier) => humanNumber(meanOf(outcomes, condition, `pausedMs.${tier}`))),
    ]),
  }
}

function figures(outcomes: readonly Outcome[]): FindingsFigure[] {
  const production = STEPS.filter(({ network }) => network === 'production').map(({ name }) => name)
  return [
    {
      name: 'losses',
      bars: {
        title: 'Roll-out of PFC: losses of RDMA traffic',
        subtitle: 'packets sent again for each packet needed, without congestion control; means over seeds',
        yLabel: 'packets sent again per packet',
        groups: production.flatMap((label) =>
          SCOPES.map((scope) => ({
            label,
            series: SCOPE_NAMES[scope],
            value: meanOf(outcomes, label, `again.${scope}`),
          })),
        ),
        showValues: true,
      },
    },
    {
      name: 'pauses',
      bars: {
        title: 'Roll-out of PFC: who is paused',
        subtitle: 'time paused, sum over the ports of a tier, without congestion control; means over seeds',
        yLabel: 'time paused (ms)',
        groups: production.flatMap((label) =>
          TIERS.map((tier) => ({
            label,
            series: `${tier} ports`,
            value: meanOf(outcomes, label, `pausedMs.${tier}`),
          })),
        ),
        showValues: true,
      },
    },
  ]
}

/** Lost packets of the traffic that has PFC on its whole path, and of all other traffic, in the runs of a step without congestion control. */
function lossesOf(outcomes: readonly Outcome[], step: (typeof STEPS)[number]): { covered: number; others: number } {
  const of = (scopes: readonly Scope[]): number =>
    scopes.reduce((total, scope) => {
      const lost = sumOver(outcomes, step.name, (m) => m[`lost.${scope}`]!)
      return total + (Number.isNaN(lost) ? 0 : lost)
    }, 0)
  return { covered: of(step.covered), others: of(SCOPES.filter((scope) => !step.covered.includes(scope))) }
}

function stepsClaim(outcomes: readonly Outcome[]): Claim {
  const steps = STEPS.filter(({ covered }) => covered.length > 0)
  const holds = steps.every((step) => {
    const isFree = variantsOf(step).every(({ condition }) =>
      step.covered.every((scope) =>
        valuesOf(outcomes, condition, (m) => m[`lost.${scope}`]!).every((lost) => lost === 0),
      ),
    )
    const isPartial = step.network === 'production' && step.covered.length < SCOPES.length
    return isFree && (!isPartial || lossesOf(outcomes, step).others > 0)
  })
  return exactClaim({
    id: 'rce.deploy.steps',
    statement: 'RDMA is introduced in five steps: lab, test cluster, ToRs, podsets, up to the spines',
    paper: '5 steps',
    measured: steps
      .map((step) => {
        const { covered, others } = lossesOf(outcomes, step)
        return `${step.name}: ${covered} packets lost where PFC covers the path, ${others} elsewhere`
      })
      .join('; '),
    holds,
    reason:
      'Each step is a scenario; the counts are of all seeds, without congestion control. In every seed, with and without DCQCN, nothing is lost of the traffic whose whole path has PFC; in steps 3 and 4 other traffic loses packets.',
  })
}

function remarks(outcomes: readonly Outcome[]): string[] {
  const tierMs = (step: number, tier: string): string =>
    humanNumber(meanOf(outcomes, STEPS[step]!.name, `pausedMs.${tier}`))
  const lostAt = (step: number): string =>
    TIERS.slice(1)
      .map((tier) => `${meanCountText(meanOf(outcomes, STEPS[step]!.name, `lostAt.${tier}`))} at ${PLURALS[tier]}`)
      .join(', ')
  return [
    'The paper names the steps and gives no traffic. Ours is the same in all of them: in one rack (small size) or two racks of each podset three servers receive 1 MB from up to twelve ' +
      'others at once, from their rack, from the other racks of the podset and from the other podset. In step 3 the paper enabled "RDMA in production networks at ToR ' +
      'level only"; here RDMA also leaves the rack, to show what it would have met.',
    `Losses move up with the border of PFC. Without PFC: ${lostAt(2)}. At the ToRs only: ${lostAt(3)}. In the podsets: ${lostAt(4)}. Up to the spines: ${lostAt(5)}.`,
    `Pauses move up too: leaves are paused for ${tierMs(4, 'leaf')} ms in step 4 and spines for ${tierMs(5, 'spine')} ms in step 5. Each step widens the part of the network in ` +
      'which a pause can spread, which the experiments `pause-storm` and `ms-scale-deadlock` show at its worst.',
    'Both ends of a link have the same setting in each step. With PFC at one end only, pauses are ignored and headroom overflows (`scenarios/wrong-pfc-one-end.yaml`). ' +
      'The lab is one switch with 24 servers, the test cluster a small copy of production: "setup and management were the same as their production counterparts".',
    'Where the livelock, the deadlock, the slow receiver and the storm were found is history; each has an experiment: `livelock`, `ms-scale-deadlock`, `slow-receiver`, `pause-storm`.',
  ]
}

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
  conclude,
})
