/**
 * Pause storm: the receive pipeline of one NIC stops, it pauses its ToR for ever, and the pauses spread in six stages to
 * servers of the other podset; the NIC's watchdog ends that after 100 ms, for good.
 * Source: [MS-Scale] 4.3, Figure 5, and the incident of 6.2. Runs and measures: storm-runs.ts.
 */
import { humanNumber, humanRate, humanShare } from '../../report/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { type Claim, claimOf, exactClaim, type Findings, rightColumn, type FindingsTable } from '../core/findings.ts'
import { overSeeds, valuesOf } from '../core/over-seeds.ts'
import type { Measures, Outcome } from '../core/plan.ts'
import { NIC_WATCHDOG, NONE, POWER_CYCLE, STAGES, stormMeasures, stormPoints } from './storm-runs.ts'

const CONDITIONS = [NONE, NIC_WATCHDOG, POWER_CYCLE]
const REFRESHED_PER_S = 2000

function conclude(outcomes: readonly Outcome[]): Findings {
  const mean = (condition: string, key: string): number => overSeeds(outcomes, condition, (m) => m[key]!).mean
  const stages: FindingsTable = {
    title: 'Time from the stop of the pipeline to the first pause of each stage',
    columns: [{ head: 'stage' }, { head: 'has to stop' }, rightColumn('after')],
    rows: STAGES.map((name, i) => [`${i + 1}`, name, `${humanNumber(mean(NONE, `stage${i + 1}Us`))} us`]),
  }
  const cures: FindingsTable = {
    title: 'Goodput of all servers but server 0',
    columns: [
      { head: 'cure' },
      rightColumn('before'),
      rightColumn('50 ms into the storm'),
      rightColumn('servers that receive nothing'),
      rightColumn('back at 90 % after'),
      rightColumn('packets dropped by the NIC'),
    ],
    rows: CONDITIONS.map((condition) => [
      condition,
      humanRate(mean(condition, 'beforeBps')),
      humanShare(mean(condition, 'leftRatio')),
      humanShare(mean(condition, 'stalledShare')),
      Number.isFinite(mean(condition, 'outageMs')) ? `${humanNumber(mean(condition, 'outageMs'))} ms` : 'never',
      humanNumber(mean(condition, 'nicDrops')),
    ]),
  }
  return {
    tables: [stages, cures],
    figures: [
      {
        name: 'goodput',
        bars: {
          title: 'Pause storm: one NIC stops receiving',
          subtitle: 'goodput of all servers 50 to 70 ms later and at the end of the run, against that before',
          yLabel: 'share of the goodput before',
          groups: CONDITIONS.flatMap((label) => [
            { label, series: '50 ms into the storm', value: mean(label, 'leftRatio') },
            { label, series: 'at the end', value: mean(label, 'endRatio') },
          ]),
          showValues: true,
        },
      },
    ],
    claims: claims(outcomes),
    remarks: [
      'A storm blocks the racks that send towards its server: each rack sends it 1 MB every few milliseconds, beside 1 Gb/s of each ' +
        'server to random others. The paper does not tell how much traffic was for the server.',
      'After the watchdog the network has all that was posted meanwhile to send, so that goodput is above that before for a while.',
    ],
  }
}

/** Whether it holds in every run of a condition. */
function inEverySeed(outcomes: readonly Outcome[], condition: string, holds: (m: Measures) => boolean): boolean {
  return valuesOf(outcomes, condition, (m) => (holds(m) ? 1 : 0)).every((value) => value === 1)
}

function claims(outcomes: readonly Outcome[]): Claim[] {
  const of = (condition: string, key: string) => overSeeds(outcomes, condition, (m) => m[key]!)
  const stageTimes = (m: Measures): number[] => STAGES.map((_, i) => m[`stage${i + 1}Us`]!)
  const isInOrder = (m: Measures): boolean => stageTimes(m).every((us, i, times) => i === 0 || us >= times[i - 1]!)
  return [
    exactClaim({
      id: 'rce.storm.six-steps',
      statement: 'The pauses spread: ToR, leaves, spines, other leaves, other ToRs, servers',
      paper: 'six stages in this order',
      measured: STAGES.map((name, i) => `${name} ${humanNumber(of(NONE, `stage${i + 1}Us`).mean)} us`).join(', '),
      holds: inEverySeed(outcomes, NONE, isInOrder),
      reason:
        'First pauses of the stages, in the podset of the server and then in the other, in this order in every seed.',
    }),
    claimOf({
      id: 'rce.storm.blocks-network',
      statement: 'One malfunctioning NIC may block the whole network (goodput of the others)',
      paper: 'blocked',
      measured: of(NONE, 'leftRatio'),
      band: { low: 0, high: 0.1 },
      tolerance: 'below a tenth of the goodput before',
      why: `${humanShare(of(NONE, 'stalledShare').mean)} of the servers receive nothing.`,
    }),
    claimOf({
      id: 'rce.storm.nic-watchdog-100ms',
      statement: 'The NIC watchdog ends the pauses 100 ms after the pipeline has stopped, for good',
      paper: '100 ms',
      measured: of(NIC_WATCHDOG, 'lastPauseMs'),
      band: { low: 90, high: 110 },
      tolerance: '10 %',
      unit: ' ms',
      why: 'The time of the last pause frame at the ToR; none follows until the end of the run.',
    }),
    exactClaim({
      id: 'rce.storm.either-suffices [NIC watchdog]',
      statement: 'The NIC watchdog alone stops the storm',
      paper: 'holds',
      measured: `goodput at 90 % after ${humanNumber(of(NIC_WATCHDOG, 'outageMs').mean)} ms`,
      holds: inEverySeed(outcomes, NIC_WATCHDOG, (m) => Number.isFinite(m['outageMs']) && m['outageMs']! > 0),
      reason: 'Goodput is back at 90 % of that before.',
    }),
    claimOf({
      id: 'rce.storm.damage-limit',
      statement: 'The NIC watchdog limits the damage to hundreds of milliseconds',
      paper: 'hundreds of ms',
      measured: of(NIC_WATCHDOG, 'outageMs'),
      band: { low: 100, high: 900 },
      tolerance: 'hundreds of milliseconds',
      unit: ' ms',
    }),
    exactClaim({
      id: 'rce.storm.packets-dropped-after',
      statement: 'After the watchdog packets to the NIC are dropped by it, and the network has no damage',
      paper: 'dropped by the switch or the NIC',
      measured: `${humanNumber(of(NIC_WATCHDOG, 'nicDrops').mean)} dropped by the NIC, ${humanNumber(of(NIC_WATCHDOG, 'otherDrops').mean)} elsewhere`,
      holds: inEverySeed(outcomes, NIC_WATCHDOG, (m) => m['nicDrops']! > 0 && m['otherDrops'] === 0),
      reason: 'MAC entries do not age in these runs, so that the switch drops none.',
    }),
    ...incidentClaims(outcomes),
  ]
}

/** Claims on the incident of section 6.2. */
function incidentClaims(outcomes: readonly Outcome[]): Claim[] {
  const of = (condition: string, key: string) => overSeeds(outcomes, condition, (m) => m[key]!)
  return [
    claimOf({
      id: 'rce.storm.incident-2000pps',
      statement: 'The NIC sends more than 2000 pause frames per second',
      paper: 'more than 2000 /s',
      measured: of(NONE, 'pausesPerSecond'),
      band: { low: REFRESHED_PER_S, high: Infinity },
      tolerance: 'lower bound',
      unit: ' /s',
      why: 'A pause of 65535 quanta, sent again after half of its time, is 2384 frames/s at 40 Gb/s: a consequence of the refresh interval, which is ours.',
    }),
    exactClaim({
      id: 'rce.storm.no-data-but-pauses',
      statement: 'The server neither sends nor receives data; a power cycle clears it',
      paper: 'holds',
      measured: `${humanNumber(of(NONE, 'server0Bytes').mean)} bytes during the storm, ${humanNumber(of(POWER_CYCLE, 'server0Bytes').mean / 1e6)} MB after the power cycle`,
      holds:
        inEverySeed(outcomes, NONE, (m) => m['server0Bytes'] === 0 && m['fromServer0InStorm'] === 0) &&
        inEverySeed(outcomes, POWER_CYCLE, (m) => m['server0BytesInStorm'] === 0 && m['server0Bytes']! > 0),
      reason: 'Payload received by server 0 and messages received from it, from a millisecond after the stop on.',
    }),
    claimOf({
      id: 'rce.storm.incident-half-servers',
      statement: 'Half of the servers became unavailable',
      paper: '50 %',
      measured: of(NONE, 'stalledShare'),
      band: { low: 0.3, high: 1 },
      tolerance: '30 to 100 %',
      why: 'The share follows from the traffic, which the paper does not give.',
    }),
    exactClaim({
      id: 'rce.storm.none-after-watchdogs [NIC watchdog]',
      statement: 'No storm of more than a second with the watchdog',
      paper: 'holds',
      measured: `longest outage ${humanNumber(Math.max(...valuesOf(outcomes, NIC_WATCHDOG, (m) => m['outageMs']!)))} ms`,
      holds: inEverySeed(outcomes, NIC_WATCHDOG, (m) => m['outageMs']! < 1000),
      reason: 'In every seed.',
    }),
  ]
}

export const pauseStorm = defineExperiment({
  name: 'pause-storm',
  title: 'Pause storm: one NIC stops receiving and blocks the network',
  source: '[MS-Scale] sections 4.3 and 6.2, Figure 5',
  help:
    'Two podsets below spines. The receive pipeline of the NIC of server 0 stops: its buffer fills, it pauses its ToR without end, ' +
    'and the pauses spread over leaves and spines to the servers of both podsets. A watchdog in the NIC ends them after 100 ms; a ' +
    'power cycle brings the server back.',
  sizes: {
    small: '32 servers, 4 spines, up to 270 ms',
    full: '1152 servers, 64 spines, up to 600 ms',
  },
  points: stormPoints,
  measure: stormMeasures,
  conclude,
  batch: 3,
})
