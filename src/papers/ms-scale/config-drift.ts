/**
 * Configuration drift: faults of configuration are laid, each alone, at a device that moves with the seed, and counted is what
 * drift names, beside what the fault does to traffic.
 * Source: [MS-Scale] section 5.1, and 6.2 for alpha.
 */
import { exactCount } from '../../show/index.ts'
import type { Result } from '../../core/results/index.ts'
import { configSnapshots, topologyOf } from '../../lab/index.ts'
import { driftOf } from '../../doctor/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { type Claim, exact } from '../core/findings.ts'
import { pointsAt } from '../core/grid.ts'
import { dropsOf } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { label, ranges, tableAt } from '../core/tables.ts'

const TORS: Readonly<Record<Size, number>> = { small: 4, full: 24 }
const HOSTS_PER_TOR = 8

interface Fault {
  readonly name: string
  readonly field: string
  readonly path: string
  readonly value: string
  /** Besides the device: ports, and a time. */
  readonly more: (host: number) => string
}

/** Receivers of the incast are below the ToR that is set wrongly. */
const FAULTS = {
  alpha: { name: 'alpha 1/64', field: 'alpha', path: 'switch.buffer.alpha', value: '1/64', more: () => '' },
  later: {
    name: 'alpha 1/64 from 50 us',
    field: 'alpha',
    path: 'switch.buffer.alpha',
    value: '1/64',
    more: () => ', at: 50us',
  },
  pfc: {
    name: 'PFC off at a port',
    field: 'pfcClasses',
    path: 'pfc.classes',
    value: '[]',
    more: (host) => `, ports: host ${host}`,
  },
  dscp: { name: 'wrong DSCP map', field: 'dscpToClass', path: 'classes.dscpMap', value: '["3: 0"]', more: () => '' },
  headroom: {
    name: 'no headroom',
    field: 'headroomBytes',
    path: 'switch.buffer.headroom',
    value: '0B',
    more: () => '',
  },
} as const satisfies Readonly<Record<string, Fault>>

const KINDS = ['none', 'alpha', 'later', 'pfc', 'dscp', 'headroom'] as const
const GRID = KINDS.map((fault) => ({ fault }))

const faultOf = (kind: string): Fault | null => (kind in FAULTS ? FAULTS[kind as keyof typeof FAULTS] : null)
const nameOf = (kind: string): string => faultOf(kind)?.name ?? 'none'

/** The ToR with the fault. */
const torOf = (seed: number, size: Size): number => seed % TORS[size]

function scenarioText(size: Size, seed: number, kind: string): string {
  const tor = torOf(seed, size)
  const first = tor * HOSTS_PER_TOR
  const fault = faultOf(kind)
  const change =
    fault === null ? '' : `{path: ${fault.path}, value: ${fault.value}, nodes: leaf ${tor}${fault.more(first + 1)}}`
  return `
name: config-drift-${kind}
topology: {kind: leaf-spine, leaves: ${TORS[size]}, spines: 2, hostsPerLeaf: ${HOSTS_PER_TOR}, hostRate: 40Gbps, fabricRate: 100Gbps}
switch: {buffer: {kind: shared-buffer, size: 2MB}}
qp: {ackTimeout: 1ms, retryLimit: off}
workload: [{kind: incast, senders: 16, receiver: ${first}, total: 3200KB}]
changes: [${change}]
measure: {stop: 2ms}
`
}

function measure(size: Size, result: Result, { at, seed, scenario }: Point): Measures {
  const desired = parseScenario(scenarioText(size, seed, 'none'))
  const of = (one: typeof scenario) => configSnapshots(one, topologyOf(one))
  const findings = driftOf(of(desired), of(scenario))
  const device = `leaf ${torOf(seed, size)}`
  const right = findings.filter(
    ({ subject, values, also }) =>
      subject.device === device && values['field'] === faultOf(String(at['fault']))?.field && also.length === 0,
  )
  return {
    findings: findings.length,
    right: right.length,
    drops: dropsOf(result),
    pauses: result.counters.pauseFrames,
  }
}

const claims = (runs: Runs): Claim[] =>
  GRID.map(({ fault }) => {
    const found = runs.values('findings', { fault })
    const right = runs.values('right', { fault })
    const expected = fault === 'none' ? 0 : 1
    return exact('rce.mon.config-drift', {
      check: nameOf(fault) === 'none' ? 'no fault' : nameOf(fault),
      holds: found.map((count, seed) => count === expected && right[seed] === expected),
      measured: `${exactCount(Math.max(...found))} named`,
      reason:
        fault === 'none'
          ? 'Nothing is named where all is as desired.'
          : 'The fault is named once, with its device and setting, and nothing else.',
    })
  })

const sizeText = (size: Size): string => `${TORS[size]} ToRs of ${HOSTS_PER_TOR} servers, an incast of 16, 2 ms`

export const configDrift = defineExperiment({
  name: 'config-drift',
  title: 'Configuration drift: faults that are laid, and what is named',
  source: '[MS-Scale] section 5.1',
  help:
    'A ToR is set otherwise than desired: alpha, PFC at one port, the DSCP map, headroom. The running configuration is compared with the desired one, ' +
    'and the run shows what the fault does to an incast below that ToR.',
  sizes: { small: sizeText('small'), full: sizeText('full') },
  points: (size, seed) => pointsAt(GRID, seed, ({ fault }) => scenarioText(size, seed, fault)),
  measure: (result, point) => measure(sizeIn(point), result, point),
  conclude: (runs) => ({
    tables: [
      tableAt(runs, GRID, {
        title: 'Faults, what is named, and what they do',
        columns: [
          label('fault', ({ fault }) => nameOf(fault)),
          ranges('named', 'findings'),
          ranges('rightly', 'right'),
          ranges('pause frames', 'pauses', exactCount),
          ranges('drops', 'drops', exactCount),
        ],
      }),
    ],
    claims: claims(runs),
    remarks: [
      'The paper names RoCE, PFC, DCQCN, classes by port, buffers, DSCP and queue maps as what is compared; `src/lab/network/configs/drift.test.ts` plants twenty differences of these kinds.',
    ],
  }),
})

/** The size of a run by its fabric. */
function sizeIn({ scenario }: Point): Size {
  const { topology } = scenario
  return topology.kind === 'leaf-spine' && topology.leaves === TORS.full ? 'full' : 'small'
}
