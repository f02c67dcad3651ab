/**
 * Pause storm: the receive pipeline of one NIC stops, it pauses its ToR for ever, and the pauses spread in six stages to
 * servers of the other podset. The watchdogs of NIC and switch end that, each alone or both.
 * Source: [MS-Scale] 4.3, Figure 5, and the incident of 6.2. Measures and definitions: measures.ts, spread.ts.
 */
import { humanNumber, humanShare } from '../../../report/index.ts'
import { defineExperiment } from '../../core/experiment.ts'
import { type FindingsTable, rightColumn } from '../../core/findings.ts'
import type { Runs } from '../../core/runs.ts'
import { label, means, tableAt } from '../../core/tables.ts'
import { stormClaims } from './claims.ts'
import { BIN_MS, stormMeasures } from './measures.ts'
import { CURED, CURES, SHAPES, stormPoints, TRAFFICS } from './runs.ts'
import { STAGES, TIMES_MS } from './spread.ts'

const trafficText = (gbps: number): string => (gbps === 0 ? 'random part only' : `${gbps} Gb/s`)
const msText = (ms: number): string => (ms === Infinity ? 'never' : `${humanNumber(ms)} ms`)

function stageTable(runs: Runs): FindingsTable {
  return {
    title:
      'Stages: first pause after the stop of the pipeline, and with 10 Gb/s the share of the ports that are paused',
    columns: [
      { head: 'stage' },
      { head: 'has to stop' },
      { head: 'paused by' },
      ...TRAFFICS.map(({ towardsGbps }) => rightColumn(`first, ${trafficText(towardsGbps)}`)),
      ...TIMES_MS.map((ms) => rightColumn(`after ${ms} ms`)),
    ],
    rows: STAGES.map(({ stopped, by }, i) => [
      `${i + 1}`,
      stopped,
      by,
      ...TRAFFICS.map((traffic) => `${humanNumber(runs.mean(`stage${i + 1}Us`, traffic).mean)} us`),
      ...TIMES_MS.map((ms) => humanShare(runs.mean(`stage${i + 1}At${ms}ms`, CURED[0]!).mean)),
    ]),
  }
}

const tables = (runs: Runs): FindingsTable[] => [
  stageTable(runs),
  tableAt(runs, TRAFFICS, {
    title: 'Without a watchdog, by traffic to server 0',
    columns: [
      label('traffic to server 0', ({ towardsGbps }) => trafficText(towardsGbps)),
      means('goodput before', 'beforeRatio', humanShare),
      means('50 ms after the stop', 'lookRatio', humanShare),
      means('at the end', 'endRatio', humanShare),
      means('servers unavailable, 50 ms', 'lookUnavailable', humanShare),
      means('at the end', 'endUnavailable', humanShare),
    ],
  }),
  tableAt(runs, CURED, {
    title: 'Cures',
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
    full: '1152 servers, 64 spines, up to 600 ms',
  },
  points: stormPoints,
  measure: stormMeasures,
  conclude: (runs, size) => ({
    tables: tables(runs),
    figures: [
      {
        name: 'servers',
        lines: {
          title: 'Pause storm: servers that are available, by cure (Figure 9)',
          subtitle: `means of ${BIN_MS} ms; the pipeline of server 0 stops at 0`,
          xLabel: 'time after the stop of the pipeline (ms)',
          yLabel: 'share of the other servers',
          fromZero: true,
          lines: CURED.map((at) => ({
            series: CURES[at.cure].text,
            points: Array.from({ length: (SHAPES[size].stopMs + CURES[at.cure].untilMs[size]) / BIN_MS }, (_, bin) => ({
              x: (bin + 0.5) * BIN_MS - SHAPES[size].stopMs,
              y: runs.mean(`serversAt${bin * BIN_MS}ms`, at).mean,
            })),
          })),
        },
      },
    ],
    claims: stormClaims(runs),
    remarks: [
      'The paper does not tell how much traffic was for the server. A storm reaches a server only by packets that have to pass a port ' +
        'which is already paused, and the more of them are for server 0, the sooner. All servers send 1 Gb/s to random others; ' +
        'the readings add nothing, 10 or 20 Gb/s to server 0. Cures are shown with 10 Gb/s.',
      'With 100 ms at both watchdogs the NIC stops its pauses before the switch has seen 100 ms of them, and the switch does not act. ' +
        'With 50 ms at the switch both do: it takes the port out of service, the NIC gives up, and 200 ms later the port is back and the NIC drops what comes.',
      'The switch watchdog alone does not end the pauses of the NIC. A power cycle does; it comes 130 ms (small) or 300 ms (full) after the stop, and tens of minutes later in the paper.',
      'After a cure goodput is above the offered load for a while. It falls again when messages to server 0, which have waited or failed, are sent at line rate to a port of 40 Gb/s: ' +
        'no congestion control runs here, and the paper had DCQCN.',
    ],
  }),
  batch: 2,
})
