/**
 * Pause storm: the receive pipeline of one NIC stops, it pauses its ToR for ever, and the pauses spread in six stages to
 * servers of the other podset. The watchdogs of NIC and switch end that, each alone or both.
 * Source: [MS-Scale] 4.3, Figure 5, and the incident of 6.2. Measures and definitions: measures.ts.
 */
import { humanNumber, humanShare } from '../../../show/index.ts'
import { defineExperiment } from '../../core/experiment.ts'
import { type FindingsFigure, type FindingsTable, rightColumn } from '../../core/findings.ts'
import type { Size } from '../../core/plan.ts'
import type { Runs, ValueOf } from '../../core/runs.ts'
import { label, means, tableAt } from '../../core/tables.ts'
import { stormClaims } from './claims.ts'
import { BIN_MS, STAGES, stormMeasures, TIMES_MS } from './measures.ts'
import { curedOf, CURES, SERVERS, stopMsOf, stormPoints, trafficsOf } from './runs.ts'

const trafficText = (gbps: number): string => (gbps === 0 ? 'random part only' : `${gbps} Gb/s`)
const msText = (ms: number): string => (ms === Infinity ? 'never' : `${humanNumber(ms)} ms`)

function stageTable(runs: Runs, size: Size): FindingsTable {
  const traffics = trafficsOf(size)
  return {
    title:
      'Stages: first pause after the stop of the pipeline, and with 10 Gb/s the share of the ports that are paused',
    columns: [
      { head: 'stage' },
      { head: 'has to stop' },
      { head: 'paused by' },
      ...traffics.map(({ towardsGbps }) => rightColumn(`first, ${trafficText(towardsGbps)}`)),
      ...TIMES_MS.map((ms) => rightColumn(`after ${ms} ms`)),
    ],
    rows: STAGES.map(({ stopped, by }, i) => [
      `${i + 1}`,
      stopped,
      by,
      ...traffics.map((traffic) => `${humanNumber(runs.mean(`stage${i + 1}Us`, traffic).mean)} us`),
      ...TIMES_MS.map((ms) => humanShare(runs.mean(`stage${i + 1}At${ms}ms`, traffics[1]!).mean)),
    ]),
  }
}

const tables = (runs: Runs, size: Size): FindingsTable[] => [
  stageTable(runs, size),
  tableAt(runs, trafficsOf(size), {
    title: 'Without a watchdog, by traffic to server 0',
    columns: [
      label('traffic to server 0', ({ towardsGbps }) => trafficText(towardsGbps)),
      means('goodput before', 'beforeRatio', humanShare),
      means('50 ms after the stop', 'lookRatio', humanShare),
      means('at the end', 'endRatio', humanShare),
      means('servers unavailable, 50 ms', 'lookUnavailable', humanShare),
      means('at the end', 'endUnavailable', humanShare),
      means('failing or on probation, 50 ms', 'lookUnhealthy', humanShare),
      means('at the end', 'endUnhealthy', humanShare),
    ],
  }),
  tableAt(runs, curedOf(size), {
    title: `Cures, in ${SERVERS[size].cured} servers`,
    columns: [
      label('cure', ({ cure }) => CURES[cure].text),
      means('switch acts', 'switchStormMs', msText),
      means('pauses of the NIC end', 'pausesEndMs', msText),
      means('switch back', 'switchRestoreMs', msText),
      means('goodput at 90 %', 'outageGoodputMs', msText),
      means('servers at 90 %', 'outageServersMs', msText),
      means('goodput from then on', 'afterRatio', humanShare),
    ],
  }),
]

/** A measure of each bin over the time from the stop. */
const overTime = (runs: Runs, stopMs: number, untilMs: number, of: (bin: string) => ValueOf) =>
  Array.from({ length: (stopMs + untilMs) / BIN_MS }, (_, bin) => ({
    x: (bin + 0.5) * BIN_MS - stopMs,
    y: runs.mean(of(`At${bin * BIN_MS}ms`)).mean,
  }))

function figures(runs: Runs, size: Size): FindingsFigure[] {
  const [stopMs, spreadStopMs] = [stopMsOf(size, 'cured'), stopMsOf(size, 'spread')]
  const axes = {
    xLabel: 'time after the stop of the pipeline (ms)',
    yLabel: 'share of the other servers',
    fromZero: true,
  }
  const subtitle = `means of ${BIN_MS} ms; the pipeline of server 0 stops at 0`
  const cycle = curedOf(size).find(({ cure }) => cure === 'power-cycle-after-50-ms')!
  const states: readonly (readonly [string, (bin: string) => ValueOf])[] = [
    ['H (healthy)', (bin) => (m) => 1 - m[`failing${bin}`]! - m[`probation${bin}`]!],
    ['F (failing)', (bin) => `failing${bin}`],
    ['P (probation)', (bin) => `probation${bin}`],
  ]
  return [
    {
      name: 'servers',
      lines: {
        ...axes,
        title: `Pause storm: servers that are available, by cure, of ${SERVERS[size].cured}`,
        subtitle,
        lines: curedOf(size).map((at) => ({
          series: CURES[at.cure].text,
          points: overTime(runs.where(at), stopMs, CURES[at.cure].untilMs, (bin) => `servers${bin}`),
        })),
      },
    },
    {
      name: 'states',
      lines: {
        ...axes,
        title: 'Pause storm: states of servers, power cycle after 50 ms (Figure 9a)',
        subtitle,
        lines: states.map(([series, of]) => ({
          series,
          points: overTime(runs.where(cycle), stopMs, CURES[cycle.cure].untilMs, of),
        })),
      },
    },
    {
      name: 'frames',
      lines: {
        ...axes,
        title: `Pause storm: PFC frames received by servers, of ${SERVERS[size].spread} (Figure 9b)`,
        subtitle: `mean of the other servers in ${BIN_MS} ms, by their counters; no watchdog`,
        yLabel: `frames of a server in ${BIN_MS} ms`,
        lines: trafficsOf(size).map((at) => ({
          series: `to server 0: ${trafficText(at.towardsGbps)}`,
          points: overTime(runs.where(at), spreadStopMs, CURES[at.cure].untilMs, (bin) => `frames${bin}`),
        })),
      },
    },
  ]
}

export const pauseStorm = defineExperiment({
  name: 'pause-storm',
  title: 'Pause storm: one NIC stops receiving and blocks the network',
  source: '[MS-Scale] sections 4.3 and 6.2, Figure 5',
  help:
    'Two podsets below spines. The receive pipeline of the NIC of server 0 stops: its buffer fills, it pauses its ToR without end, ' +
    'and the pauses spread over leaves and spines to the servers of both podsets. A watchdog of the NIC gives it up after 100 ms, a ' +
    'watchdog of the switch takes its port out of service, and a power cycle brings the server back.',
  sizes: {
    small: '32 servers, 4 spines, up to 380 ms',
    full: '1152 servers and 64 spines without a cure, 200 ms; 32 servers and 4 spines with cures, up to 380 ms',
  },
  points: stormPoints,
  measure: stormMeasures,
  conclude: (runs, size) => ({
    tables: tables(runs, size),
    figures: figures(runs, size),
    claims: stormClaims(runs, size),
    remarks: [
      'Cures run in 32 servers in both sizes; the spread without a cure has the network of the paper in the full one.',
      'A management system holds a server failing once it has not been available for 20 ms, and on probation for 50 ms after a repair that takes 50 ms from then: times of ours, in a run that has a thousandth of the time of the incident. ' +
        'It repairs in vain a server that the storm holds back, which stays failing until the storm ends.',
      'The paper does not tell how much traffic was for the server. A storm reaches a server only by packets that have to pass a port ' +
        'which is already paused, and the more of them are for server 0, the sooner. All servers send 1 Gb/s to random others; ' +
        'the readings add nothing, 10 or 20 Gb/s to server 0. Cures are shown with 10 Gb/s.',
      'With 100 ms at both watchdogs the NIC stops its pauses before the switch has seen 100 ms of them, and the switch does not act. ' +
        'With 50 ms at the switch both do: it takes the port out of service, the NIC gives up, and 200 ms later the port is back and the NIC drops what comes.',
      'The switch watchdog alone does not end the pauses of the NIC. A power cycle does; it comes 130 ms after the stop, and tens of minutes later in the paper.',
      'After a cure goodput is above the offered load for a while. It falls again when messages to server 0, which have waited or failed, are sent at line rate to a port of 40 Gb/s: ' +
        'no congestion control runs here, and the paper had DCQCN.',
    ],
  }),
  batch: 2,
})
