/**
 * Pingmesh: probes of 512 bytes at three scopes, in a healthy fabric, during a pause storm, and with a dead server; and what a
 * reader of the log alone says.
 * Source: [MS-Scale] section 5.3.
 */
import { exactCount, humanDuration } from '../../show/index.ts'
import { type Result, tableOfKind } from '../../core/results/index.ts'
import { NS } from '../../core/base/index.ts'
import { analyse, baselineOf, type Outcome, type ProbeLog, readProbeLog, type ScopeReport } from '../../doctor/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { type Claim, exact } from '../core/findings.ts'
import { pointsAt } from '../core/grid.ts'
import type { Measures, Point } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { label, ranges, tableAt } from '../core/tables.ts'

const SCOPES = ['tor', 'podset', 'fabric'] as const
const HOSTS = 16
const FAULTS = {
  none: { name: 'none', state: 'healthy', text: () => '' },
  storm: {
    name: 'pause storm of a server',
    state: 'storm',
    text: (host: number) => `{kind: pause-storm, hosts: host ${host}, from: 3ms}`,
  },
  dead: {
    name: 'dead server',
    state: 'dead-server',
    text: (host: number) => `{kind: server-down, hosts: host ${host}, down: 3ms}`,
  },
} as const
type Fault = keyof typeof FAULTS
const GRID = (Object.keys(FAULTS) as Fault[]).map((fault) => ({ fault }))

/** The server that fails moves with the seed. */
const hostOf = (seed: number): number => (5 * seed) % HOSTS

const scenarioText = (seed: number, fault: Fault): string => `
name: pingmesh-${fault}
topology: {kind: clos-podset, podsets: 2, leaves: 2, tors: 2, serversPerTor: 4, spines: 2, linkRate: 10Gbps}
congestion: dcqcn
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: 1MB}}
qp: {ackTimeout: 67ms, retryLimit: 7}
workload:
  - {kind: poisson, load: 0.1, sizes: {kind: fixed, size: 64KB}}
  - {kind: pingmesh, interval: 200us, qp: {ackTimeout: 500us, retryLimit: 2}}
faults: [${FAULTS[fault].text(hostOf(seed))}]
measure: {stop: 8ms}
`

const SIZE = '16 servers in two podsets, 8 ms'
/** Faults begin, and the log before is healthy. */
const FAULT_NS = 3e6

const logIn = (result: Result): ProbeLog => readProbeLog(tableOfKind(result, 'pingmesh')!)

function measure(result: Result, { at, seed }: Point): Measures {
  const log = logIn(result)
  const { state, scopes } = analyse(log, baselineOf(log, FAULT_NS))
  const fault = FAULTS[at['fault'] as Fault]
  const isNamed = fault.state === 'healthy' || (state.hosts.length === 1 && state.hosts[0] === `host ${hostOf(seed)}`)
  const count = (outcome: Outcome): number => log.probes.filter((probe) => probe.outcome === outcome).length
  return {
    probes: log.probes.length,
    errors: count('retry-exceeded'),
    unfinished: count('unfinished'),
    right: state.state === fault.state && isNamed ? 1 : 0,
    ...Object.fromEntries(SCOPES.map((scope) => [scope, rttPsOf(scopes.find((one) => one.scope === scope))])),
  }
}

/** Median round trip of a scope. */
function rttPsOf(scope: ScopeReport | undefined): number {
  return (scope?.percentiles.p50?.valueNs ?? NaN) * NS
}

function claims(runs: Runs): Claim[] {
  const id = 'rce.mon.pingmesh-512'
  const medians = SCOPES.map((scope) => runs.values(scope, { fault: 'none' }))
  const errors = runs.values('errors', { fault: 'dead' })
  return [
    exact(id, {
      check: 'round trips at three scopes',
      holds: medians[0]!.map(
        (tor, seed) => tor > 0 && medians[1]![seed]! > tor && medians[2]![seed]! > medians[1]![seed]!,
      ),
      measured: SCOPES.map((scope, i) => `${scope} ${humanDuration(medians[i]![0]!)}`).join(', '),
      reason: 'Probes to the ToR, the podset and beyond have round trips, longer from scope to scope.',
    }),
    exact(id, {
      check: 'error codes of a dead server',
      holds: errors.map((count) => count > 0),
      measured: `${exactCount(Math.min(...errors))} or more probes ended with "retry exceeded"`,
      reason: 'Probes to a dead server end with an error code.',
    }),
  ]
}

export const pingmesh = defineExperiment({
  name: 'pingmesh',
  title: 'RDMA Pingmesh: a healthy fabric, a pause storm and a dead server in the log of probes',
  source: '[MS-Scale] section 5.3',
  help:
    'Each of 16 servers in two podsets probes one server of its ToR, of its podset and of the other podset every 200 us, beside a load of 10 %. ' +
    'From 3 ms on one server stops receiving and pauses its switch, or is dead.',
  sizes: { small: SIZE, full: SIZE },
  points: (_size, seed) => pointsAt(GRID, seed, ({ fault }) => scenarioText(seed, fault)),
  measure,
  conclude: (runs) => ({
    tables: [
      tableAt(runs, GRID, {
        title: 'Probes, how they ended, and median round trips',
        columns: [
          label('fault', ({ fault }) => FAULTS[fault].name),
          ranges('probes', 'probes', exactCount),
          ranges('retry exceeded', 'errors', exactCount),
          ranges('not ended', 'unfinished', exactCount),
          ranges('state and server from the log', 'right', (right) => (right === 1 ? 'right' : 'wrong')),
          ...SCOPES.map((scope) => ranges(scope, scope, humanDuration)),
        ],
      }),
    ],
    claims: claims(runs),
    remarks: [
      'The state is read from the log alone. `npm run score -- pingmesh` scores it over 300 drawn fabrics: docs/models/pingmesh.md.',
    ],
  }),
})
