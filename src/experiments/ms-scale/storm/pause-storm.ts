/**
 * Pause storm: the receive pipeline of one NIC stops, it pauses its ToR for ever, and the pauses spread in six stages to
 * servers of the other podset. The watchdogs of NIC and switch end that, each alone or both.
 * Source: [MS-Scale] 4.3, Figure 5, and the incident of 6.2. Runs: cases.ts; measures and definitions: measures.ts, spread.ts.
 */
import { humanNumber, humanShare } from '../../../report/index.ts'
import { defineExperiment } from '../../core/old/plan.ts'
import { type Findings, type FindingsFigure, type FindingsTable, rightColumn } from '../../core/findings.ts'
import { overSeeds } from '../../core/old/over-seeds.ts'
import type { Outcome, Size } from '../../core/old/plan.ts'
import { type Case, CURES, NONE, SHAPES, stormPoints, TRAFFICS } from './cases.ts'
import { stormClaims } from './claims.ts'
import { BIN_MS, goodputKey, serversKey, stormMeasures } from './measures.ts'
import { shareKey, STAGES, TIMES_MS } from './spread.ts'

type Mean = (one: Case, key: string) => number

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const mean: Mean = (one, key) => overSeeds(outcomes, one.name, (m) => m[key]!).mean
  return {
    tables: [stageTable(mean), trafficTable(mean), cureTable(mean)],
    figures: [
      stageFigure(mean),
      overTime(size, mean, {
        name: 'servers',
        title: 'Pause storm: servers that are available, by cure',
        yLabel: 'share of the other servers',
        cases: CURES,
        keyOf: serversKey,
      }),
      overTime(size, mean, {
        name: 'goodput',
        title: 'Pause storm: goodput of the other servers, by cure',
        yLabel: 'share of the offered load',
        cases: CURES,
        keyOf: goodputKey,
      }),
      overTime(size, mean, {
        name: 'traffic',
        title: 'Pause storm without a cure: servers that are available, by traffic',
        yLabel: 'share of the other servers',
        cases: TRAFFICS,
        keyOf: serversKey,
      }),
    ],
    claims: stormClaims(outcomes, size),
    remarks: [
      'The paper does not tell how much traffic was for the server. A storm reaches a server only by packets that have to pass a port ' +
        'which is already paused, and the more of them are for server 0, the sooner. All runs have 1 Gb/s from each server to random others, ' +
        'of which server 0 gets its part; the readings add nothing, 10 or 20 Gb/s to it from all racks. Cures are shown with 10 Gb/s.',
      'Both watchdogs with 100 ms: the NIC stops its pauses before the switch has seen 100 ms of them, so that the switch does not act, and both lines of the figures are one. ' +
        'With 50 ms at the switch both do: it takes the port out of service, the NIC gives up, and 200 ms later the port is back and the NIC drops what comes.',
      'The switch watchdog alone does not end the pauses of the NIC. A power cycle does; it comes 130 ms (small) or 300 ms (full) after the stop, and tens of minutes later in the paper.',
      'Later falls of goodput, after 180 ms behind the NIC watchdog and when a switch turns lossless mode on again, are congestion: messages to ' +
        'server 0 have waited or failed, and are sent again at line rate to a port of 40 Gb/s. No congestion control runs here; the paper had DCQCN.',
      'After a cure the network has all that was posted meanwhile to send, so that goodput is above the offered load for a while.',
    ],
  }
}

function stageTable(mean: Mean): FindingsTable {
  const atMs = [1, 10, 50, 140]
  return {
    title: 'Stages: first pause after the stop of the pipeline, and share of the ports that are paused',
    columns: [
      { head: 'stage' },
      { head: 'has to stop' },
      { head: 'paused by' },
      ...TRAFFICS.map(({ towardsGbps }) => rightColumn(`first, ${trafficText(towardsGbps)}`)),
      ...atMs.map((ms) => rightColumn(`after ${ms} ms`)),
    ],
    rows: STAGES.map(({ stopped, by }, i) => [
      `${i + 1}`,
      stopped,
      by,
      ...TRAFFICS.map((one) => `${humanNumber(mean(one, `stage${i + 1}Us`))} us`),
      ...atMs.map((ms) =>
        humanShare(
          mean(
            NONE,
            shareKey(
              i,
              TIMES_MS.findIndex((each) => each === ms),
            ),
          ),
        ),
      ),
    ]),
  }
}

const trafficText = (gbps: number): string => (gbps === 0 ? 'random part only' : `${gbps} Gb/s`)

function trafficTable(mean: Mean): FindingsTable {
  return {
    title: 'Without a watchdog, by traffic to server 0',
    columns: [
      { head: 'traffic to server 0' },
      rightColumn('goodput before'),
      rightColumn('50 ms after the stop'),
      rightColumn('at the end'),
      rightColumn('servers unavailable, 50 ms'),
      rightColumn('at the end'),
      rightColumn('messages stuck, 50 ms'),
      rightColumn('at the end'),
    ],
    rows: TRAFFICS.map((one) => [
      trafficText(one.towardsGbps),
      ...['beforeRatio', 'lookRatio', 'endRatio', 'lookUnavailable', 'endUnavailable', 'lookStuck', 'endStuck'].map(
        (key) => humanShare(mean(one, key)),
      ),
    ]),
  }
}

function cureTable(mean: Mean): FindingsTable {
  const ms = (value: number, none: string): string =>
    value === Infinity ? 'never' : Number.isFinite(value) ? `${humanNumber(value)} ms` : none
  return {
    title: 'Cures',
    columns: [
      { head: 'cure' },
      rightColumn('switch acts'),
      rightColumn('last pause obeyed'),
      rightColumn('switch back'),
      rightColumn('goodput at 90 %'),
      rightColumn('servers at 90 %'),
      rightColumn('goodput from then on'),
      rightColumn('dropped by switch'),
      rightColumn('dropped by NIC'),
      rightColumn('elsewhere'),
    ],
    rows: CURES.map((one) => [
      one.name,
      ms(mean(one, 'switchStormMs'), '-'),
      one === NONE ? 'never' : ms(mean(one, 'lastPauseMs'), '-'),
      ms(mean(one, 'switchRestoreMs'), '-'),
      ms(mean(one, 'outageGoodputMs'), '-'),
      ms(mean(one, 'outageServersMs'), '-'),
      Number.isFinite(mean(one, 'afterRatio')) ? humanShare(mean(one, 'afterRatio')) : '-',
      ...['switchDrops', 'nicDrops', 'otherDrops'].map((key) => humanNumber(mean(one, key))),
    ]),
  }
}

function stageFigure(mean: Mean): FindingsFigure {
  return {
    name: 'stages',
    lines: {
      title: 'Pause storm: six stages in time',
      subtitle: 'share of the ports of each stage that are paused; no watchdog, 10 Gb/s to server 0',
      xLabel: 'time after the stop of the pipeline (ms)',
      yLabel: 'share of ports paused',
      xScale: 'log',
      fromZero: true,
      lines: STAGES.map(({ stopped, by }, stage) => ({
        series: `${stage + 1}: ${stopped}, by ${by}`,
        points: TIMES_MS.map((x, i) => ({ x, y: mean(NONE, shareKey(stage, i)) })),
      })),
    },
  }
}

interface OverTime {
  readonly name: string
  readonly title: string
  readonly yLabel: string
  readonly cases: readonly Case[]
  readonly keyOf: (bin: number) => string
}

function overTime(size: Size, mean: Mean, { name, title, yLabel, cases, keyOf }: OverTime): FindingsFigure {
  const { stopMs } = SHAPES[size]
  return {
    name,
    lines: {
      title,
      subtitle: `means of ${BIN_MS} ms; the pipeline of server 0 stops at 0`,
      xLabel: 'time after the stop of the pipeline (ms)',
      yLabel,
      fromZero: true,
      lines: cases.map((one) => ({
        series: cases === TRAFFICS ? `${trafficText(one.towardsGbps)} to server 0` : one.name,
        points: Array.from({ length: (stopMs + one.untilMs[size]) / BIN_MS }, (_, bin) => ({
          x: (bin + 0.5) * BIN_MS - stopMs,
          y: mean(one, keyOf(bin)),
        })),
      })),
    },
  }
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
    full: '1152 servers, 64 spines, up to 600 ms',
  },
  points: stormPoints,
  measure: stormMeasures,
  conclude,
  batch: 2,
})
