/**
 * Alpha: the incident of a ToR type that shares less of its buffer. Pauses of two ToRs, how far they spread, latency of
 * services that have nothing to do with them, and the cure. Runs and measures: alpha-runs.ts; fairness: alpha-sharing.ts.
 * Source: [MS-Scale] section 6.2, Figure 10.
 */
import { humanNumber } from '../../report/index.ts'
import type { Result } from '../../results/index.ts'
import { alphaClaims } from './alpha-claims.ts'
import {
  BINS,
  binKey,
  conditionOf,
  correctedOf,
  incidentMeasures,
  incidentPoints,
  latencyKey,
  NEW,
  OLD,
  type Scope,
  SCOPES,
  SHAPES,
  SHARES,
  SLOW_US,
  STATIC,
  SWEEP,
  withDcqcn,
} from './alpha-runs.ts'
import { sharingClaim, sharingMeasures, sharingPoints, sharingTable } from './alpha-sharing.ts'
import { defineExperiment } from '../core/old/plan.ts'
import {
  barOf,
  type Findings,
  type FindingsFigure,
  type FindingsTable,
  intervalText,
  meanCountText,
  rightColumn,
} from '../core/findings.ts'
import { overSeeds, sumOver } from '../core/old/over-seeds.ts'
import type { Measures, Outcome, Point, Size } from '../core/old/plan.ts'

const SCOPE_NAMES: Readonly<Record<Scope, string>> = { near: 'under the two ToRs', far: 'elsewhere' }

/** All conditions of the network, in the order of the tables. */
function conditionsOf(size: Size): string[] {
  const { answers, sweepAnswer } = SHAPES[size]
  return [
    ...answers.flatMap((each) => [conditionOf(OLD, each), conditionOf(NEW, each), correctedOf(each)]),
    ...SWEEP.filter((alpha) => alpha !== OLD && alpha !== NEW).map((alpha) => conditionOf(alpha, sweepAnswer)),
    withDcqcn(OLD, sweepAnswer),
    withDcqcn(NEW, sweepAnswer),
  ]
}

function pausesTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const mean = (condition: string, key: string): number => overSeeds(outcomes, condition, (m) => m[key]!).mean
  return {
    title: 'Pauses: sent by the two ToRs, received by servers, and time for which each tier is held back',
    columns: [
      { head: 'alpha of the two ToRs' },
      rightColumn('pause frames of the two ToRs'),
      rightColumn('to their own servers'),
      rightColumn('servers paused'),
      rightColumn('held back, ms: servers / ToRs / leaves / spines'),
      rightColumn('CNPs'),
      rightColumn('packets lost'),
    ],
    rows: conditionsOf(size).map((condition) => [
      condition,
      meanCountText(mean(condition, 'torFrames')),
      meanCountText(mean(condition, 'toOwnServers')),
      `${meanCountText(mean(condition, 'pausedServers'))} of ${mean(condition, 'hosts')}`,
      ['host', 'tier 1', 'tier 2', 'tier 3'].map((tier) => humanNumber(mean(condition, `${tier} ms`))).join(' / '),
      meanCountText(mean(condition, 'cnps')),
      String(sumOver(outcomes, condition, (m) => m['drops']!)),
    ]),
  }
}

function latencyTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const us = (condition: string, scope: Scope, share: number): string =>
    intervalText(overSeeds(outcomes, condition, (m) => m[latencyKey(scope, share)]!))
  return {
    title: 'Probes of 2 KB between servers that are not chatty, us',
    columns: [
      { head: 'alpha of the two ToRs' },
      ...SCOPES.flatMap((scope) => SHARES.map((share) => rightColumn(`${SCOPE_NAMES[scope]}, ${share * 100} %`))),
      rightColumn(`servers with a probe above ${SLOW_US} us`),
    ],
    rows: conditionsOf(size).map((condition) => [
      condition,
      ...SCOPES.flatMap((scope) => SHARES.map((share) => us(condition, scope, share))),
      meanCountText(overSeeds(outcomes, condition, (m) => m['slowServers']!).mean),
    ]),
  }
}

/** Latency by the size of answers, with both alphas. */
function answersFigure(outcomes: readonly Outcome[], size: Size): FindingsFigure {
  const { answers, fanIn } = SHAPES[size]
  return {
    name: 'answers',
    lines: {
      title: 'Latency of servers that are not chatty, by the answers to the queries of others',
      subtitle: `probes of 2 KB, 99th percentile; ${fanIn} servers answer each query at once`,
      xLabel: 'size of an answer (KB)',
      yLabel: '99th percentile (us)',
      xScale: 'log',
      yScale: 'log',
      lines: SCOPES.flatMap((scope) =>
        [NEW, OLD].map((alpha) => ({
          series: `${SCOPE_NAMES[scope]}, ${alpha}`,
          points: answers.map((answer) => {
            const measured = overSeeds(outcomes, conditionOf(alpha, answer), (m) => m[latencyKey(scope, 0.99)]!)
            return { x: parseInt(answer, 10), y: measured.mean, low: measured.low, high: measured.high }
          }),
        })),
      ),
    },
  }
}

/** The incident and its cure over time, for one size of answers. */
function cureFigure(outcomes: readonly Outcome[], size: Size): FindingsFigure {
  const { sweepAnswer, stopMs } = SHAPES[size]
  const binMs = stopMs / BINS
  return {
    name: 'cure',
    lines: {
      title: 'The incident and its cure',
      subtitle: `probes with an end under the two ToRs, 99th percentile of each ${humanNumber(binMs)} ms; answers of ${sweepAnswer}; corrected at ${stopMs / 2} ms`,
      xLabel: 'time (ms)',
      yLabel: '99th percentile (us)',
      fromZero: true,
      lines: [
        { series: `alpha ${NEW}`, condition: conditionOf(NEW, sweepAnswer) },
        { series: `${NEW}, then ${OLD}`, condition: correctedOf(sweepAnswer) },
        { series: `alpha ${OLD}`, condition: conditionOf(OLD, sweepAnswer) },
      ].map(({ series, condition }) => ({
        series,
        points: Array.from({ length: BINS }, (_, bin) => {
          const measured = overSeeds(outcomes, condition, (m) => m[binKey('p99Us', bin)]!)
          return { x: (bin + 0.5) * binMs, y: measured.mean, low: measured.low, high: measured.high }
        }),
      })),
    },
  }
}

function sweepFigure(outcomes: readonly Outcome[], size: Size): FindingsFigure {
  const { sweepAnswer } = SHAPES[size]
  return {
    name: 'pauses',
    bars: {
      title: 'Pause frames that the two ToRs send, by their alpha',
      subtitle: `answers of ${sweepAnswer}; ${STATIC}: each port has an equal part of the buffer of these ToRs`,
      yLabel: 'pause frames a run',
      groups: SWEEP.map((alpha) => ({
        label: alpha,
        series: 'pause frames',
        ...barOf(overSeeds(outcomes, conditionOf(alpha, sweepAnswer), (m) => m['torFrames']!)),
      })),
      showValues: true,
    },
  }
}

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  const { answers, sweepAnswer } = SHAPES[size]
  const frames = (condition: string): string => humanNumber(overSeeds(outcomes, condition, (m) => m['torFrames']!).mean)
  return [
    'The paper gives the two alphas, the buffer, the number of servers asked, and that two ToRs were the origin. It leaves open the size of answers, how often and by how many servers queries are sent, ' +
      'and all other traffic. Here three servers of each of the two ToRs ask in turn, and every server sends 30 KB to random others at 1 % of its link. ' +
      `Answers of ${answers.join(', ')} are run, and a claim on the incident is the bracket of all of them: it counts as reproduced only if it holds for each size.`,
    'The two settings differ by what the four ports from the leaves may hold: a fifth of what the buffer has beside headroom, 1.6 MB, against a seventeenth, 0.5 MB. Whatever of a query the ToR does not hold waits in the leaves, ' +
      'and what these do not hold in the spines and in the ToRs of the servers that answer. The effect is therefore large where a query fits into the one and not into the other, and small where it is far larger than both.',
    `Static reservation of the two ToRs lies between: ${frames(conditionOf(STATIC, sweepAnswer))} pause frames, with ${OLD} ${frames(conditionOf(OLD, sweepAnswer))}, with ${NEW} ${frames(conditionOf(NEW, sweepAnswer))} (answers of ${sweepAnswer}). ` +
      'Four of 28 parts are in use.',
    `Congestion control does not help against answers of few packets, which have all been sent before the first CNP comes back: ${frames(withDcqcn(NEW, sweepAnswer))} frames with ${NEW} and DCQCN.`,
  ]
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  return {
    tables: [pausesTable(outcomes, size), latencyTable(outcomes, size), sharingTable(outcomes)],
    figures: [answersFigure(outcomes, size), cureFigure(outcomes, size), sweepFigure(outcomes, size)],
    claims: [...alphaClaims(outcomes, size), sharingClaim(outcomes)],
    remarks: remarks(outcomes, size),
  }
}

const sizeText = (size: Size): string => {
  const { tors, fanIn, stopMs, answers } = SHAPES[size]
  return `${2 * tors} ToRs of 24 servers, queries to ${fanIn} servers with answers of ${answers.join(', ')}, ${stopMs} ms`
}

export const alpha = defineExperiment({
  name: 'alpha',
  title: 'The alpha incident: two ToRs that share less of their buffers',
  source: '[MS-Scale] section 6.2, Figure 10',
  help:
    'Two ToRs of a new type come with an alpha of 1/64 where all others have 1/16. Chatty servers below them send queries to a thousand servers at once, whose answers come back as an incast. ' +
    'Pause frames, their spread through the network, and the latency of servers that have no part in it are compared with both settings, with others, with static parts, and in runs that correct alpha half way.',
  sizes: { small: sizeText('small'), full: sizeText('full') },
  points: (size: Size, seed: number): Point[] => [...incidentPoints(size, seed), ...sharingPoints(seed)],
  measure: (result: Result, point: Point): Measures =>
    point.scenario.topology.kind === 'star' ? sharingMeasures(result) : incidentMeasures(result, point),
  conclude,
  // A full run holds a row for each of some fifty thousand messages.
  batch: 4,
})
