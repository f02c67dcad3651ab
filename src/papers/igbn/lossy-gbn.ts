/**
 * Lossy go-back-N: the throughput of go-back-N, Send Twice, Check EPSN and both together on a network that loses packets,
 * with three timeouts; the causes of timeouts; and an analytic model beside the runs: the mean time that a message of n
 * packets loses, to first order in the loss rate p.
 *   every loss   costs a round trip of wasted packets
 *   a timeout    is caused by the loss of the last packet or its ACK (2p), or by a lost NAK or a packet lost twice (2 p^2
 *                for each packet after which no further NAK is triggered; for the others it costs a NAK interval)
 * Source: [IGBN], Figures 2 to 7 and Table I; hollow markers are values from its text. Ours: the arithmetic of the model, by
 * the four reasons of III-A.
 */
import { exactCount, humanNumber, type Line } from '../../show/index.ts'
import { sum } from '../../core/results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { barOf, type FindingsFigure, type FindingsTable, intervalText, rightColumn } from '../core/findings.ts'
import type { Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { markOf } from '../core/tables.ts'
import { losslessClaims, reasonClaims, scriptedClaims } from './claims.ts'
import { comparisonClaims, messagePs, paperPercent, percentOf, throughput } from './comparisons.ts'
import {
  LOSSES,
  lossyAt,
  lossyMeasures,
  lossyPoints,
  NAMES,
  percentText,
  REASONS,
  type Scheme,
  SCHEMES,
  TIMEOUTS_MS,
  timeoutText,
} from './runs.ts'

/** 4 MB in packets of 1 KB (1106 bytes on the wire) at 40 Gb/s; 6 us for the round trip and queueing in it. */
const PACKETS = 4096
const MESSAGE_MS = 0.906
const WASTE_MS = 0.006
const NAK_INTERVAL_MS = 0.5

/** Packets whose lost NAK, or second loss, ends in a timeout: all of them if nothing else repairs the loss. */
export const ALL_EXPOSED = PACKETS
/** A packet that arrives after the NAK interval triggers the next NAK, which leaves those of the last 500 us. */
export const TAIL_EXPOSED = 2260

/** Throughput in percent of the lossless one. */
export function modelPercent(loss: number, timeoutMs: number, exposedPackets: number): number {
  const timeouts = 2 * loss + 2 * loss * loss * exposedPackets
  const naks = 2 * loss * loss * (PACKETS - exposedPackets)
  const lostMs = WASTE_MS * PACKETS * loss + timeouts * timeoutMs + naks * NAK_INTERVAL_MS
  return (100 * MESSAGE_MS) / (MESSAGE_MS + lostMs)
}

const FIGURE_7: readonly Scheme[] = ['go-back-n', 'improved-gbn', 'check-epsn', 'send-twice']
const EXPOSED = [
  { name: 'model: every packet exposed', packets: ALL_EXPOSED },
  { name: 'model: last NAK interval exposed', packets: TAIL_EXPOSED },
]

function lossyFigures(runs: Runs, size: Size): FindingsFigure[] {
  const curve = (series: string, scheme: Scheme, timeoutMs: number): Line[] => {
    const ats = LOSSES[size].map((loss) => lossyAt(scheme, timeoutMs, loss))
    const paper = ats.flatMap((at) => {
      const y = paperPercent(at)
      return y === undefined ? [] : [{ x: at.loss, y }]
    })
    return [
      { series, points: ats.map((at) => markOf(at.loss, throughput(runs, at))) },
      ...(paper.length > 0 ? [{ series: `${series}, paper`, of: series, isPaper: true, points: paper }] : []),
    ]
  }
  const models = EXPOSED.map(({ name, packets }): Line => {
    const points = LOSSES[size].map((loss) => ({ x: loss, y: modelPercent(loss, 100, packets) }))
    return { series: name, points }
  })
  return [
    lossFigure('2', 'Go-Back-N on a network that loses packets, timeout 100 ms', [
      ...curve('simulated', 'go-back-n', 100),
      ...models,
    ]),
    reasonFigure(runs),
    ...TIMEOUTS_MS.map((timeoutMs, i) =>
      lossFigure(
        `6${'abc'[i]}`,
        `Four recoveries, timeout ${timeoutText(timeoutMs)}`,
        SCHEMES.flatMap((scheme) => curve(NAMES[scheme], scheme, timeoutMs)),
      ),
    ),
    ...FIGURE_7.map((scheme, i) =>
      lossFigure(
        `7${'abcd'[i]}`,
        `${NAMES[scheme]} with three timeouts`,
        TIMEOUTS_MS.flatMap((timeoutMs) => curve(timeoutText(timeoutMs), scheme, timeoutMs)),
      ),
    ),
  ]
}

function lossFigure(number: string, title: string, lines: readonly Line[]): FindingsFigure {
  return {
    name: `figure-${number}`,
    lines: {
      title: `${title} (Figure ${number})`,
      subtitle: "means over all repetitions with 95 % bands; hollow: values from the paper's text",
      xLabel: 'loss rate',
      xScale: 'log',
      yLabel: 'throughput (% of lossless)',
      fromZero: true,
      lines,
    },
  }
}

function reasonFigure(runs: Runs): FindingsFigure {
  const at = lossyAt('go-back-n', 100, 0.01)
  return {
    name: 'figure-3',
    bars: {
      title: 'Causes of timeouts of Go-Back-N at a loss of 1 % (Figure 3)',
      subtitle: 'shares over all repetitions with 95 % intervals',
      yLabel: 'share of timeouts (%)',
      groups: REASONS.map(({ reason, key, cause, percent }) => ({
        label: `${reason}: ${cause}`,
        series: 'share',
        ...barOf(percentOf(runs, [key, at], ['timeouts', at])),
        paper: percent,
      })),
      showValues: true,
    },
  }
}

function throughputTable(runs: Runs, size: Size, timeoutMs: number): FindingsTable {
  const cell = (scheme: Scheme, loss: number): string => {
    const at = lossyAt(scheme, timeoutMs, loss)
    const paper = paperPercent(at)
    return `${humanNumber(throughput(runs, at).mean)}${paper === undefined ? '' : ` (paper: ${paper})`}`
  }
  return {
    title: `Throughput with a timeout of ${timeoutText(timeoutMs)}, percent of the lossless throughput`,
    columns: [{ head: 'loss' }, ...SCHEMES.map((scheme) => rightColumn(NAMES[scheme]))],
    rows: LOSSES[size].map((loss) => [percentText(loss), ...SCHEMES.map((scheme) => cell(scheme, loss))]),
  }
}

/** Timeouts of Figure 3: the smallest number of which its shares are whole. */
const PAPER_TIMEOUTS = sum(REASONS.map(({ count }) => count))

function reasonTable(runs: Runs): FindingsTable {
  const keys = ['messages', 'timeouts', ...REASONS.map(({ key }) => key)]
  return {
    title: 'Timeouts of 100 ms at a loss of 1 %, by cause',
    columns: [
      { head: '' },
      rightColumn('messages'),
      rightColumn('timeouts'),
      ...REASONS.map(({ reason, cause }) => rightColumn(`${reason}: ${cause}`)),
    ],
    rows: [
      ...SCHEMES.map((scheme) => [
        NAMES[scheme],
        ...keys.map((key) => exactCount(runs.sum(key, lossyAt(scheme, 100, 0.01)))),
      ]),
      ['Go-Back-N, paper', '', String(PAPER_TIMEOUTS), ...REASONS.map(({ count }) => String(count))],
    ],
  }
}

function remarks(runs: Runs, size: Size): string[] {
  const messageMs = messagePs(runs) / 1e9
  const story = (lost: string, recovery: string): string =>
    humanNumber(runs.mean('timePs', { lost, recovery }, 1e-9).mean)
  const common = [
    'Where the paper is silent: PFC is on but never acts, the retry limit is off, a NAK is repeated for the same missing packet after the NAK interval and sent at once for another one, and every ACK or NAK restarts the timer. ' +
      `Throughput is the time of a message without a loss, ${humanNumber(messageMs)} ms, over its mean time in all repetitions; a mean over runs would hide the rare timeouts. ` +
      'The cause of a timeout is found from the actual losses (docs/models/timeout-causes.md); the paper does not say how it counts one with several causes.',
    `With one of the losses of Figure 4 alone, Go-Back-N takes ${story('4a', 'go-back-n')} ms for a message, Send Twice ${story('4a', 'send-twice')} ms (4a, 4b) and Check EPSN ${story('4c', 'check-epsn')} ms (4c, 4d).`,
    'The model of Figure 2 adds up the mean cost of losses: a round trip of wasted packets for each, and timeouts. With every packet exposed, each lost NAK costs a timeout. But a packet that arrives after the NAK interval triggers the next NAK, ' +
      'so only the last 500 us of a message are exposed, 2260 of 4096 packets: the simulation agrees with that.',
  ]
  if (size === 'small')
    return [...common, 'This size gives a first impression only: ten messages have few timeouts or none.']
  const implied = 100 / (1 + (100 / 45 - 1) / 10)
  const rare = intervalText(throughput(runs, lossyAt('go-back-n', 100, 0.0001)), ' %')
  const oneTimeout = (100 * messageMs) / (messageMs + 1)
  const timeouts = runs.mean((m) => (100 * m['timeouts']!) / m['messages']!, lossyAt('go-back-n', 100, 0.01)).mean
  const fromPacket = SCHEMES.map((scheme) => {
    const { mean } = throughput(runs, lossyAt(scheme, 0.5, 0.01, { timer: 'packet' }))
    return `${NAMES[scheme]} ${humanNumber(mean)} %`
  })
  return [
    ...common,
    'The paper contradicts itself about Go-Back-N with 100 ms: 70 % at a loss of 0.01 % (IV-A), 45 % at 0.1 % (II-B). A tenth of the losses costs at most a tenth of the time, so 45 % at 0.1 % ' +
      `implies ${humanNumber(implied, 2)} % or more at 0.01 %. Here it is ${rare}. One timeout in a run of a hundred messages leaves ${humanNumber(oneTimeout, 2)} %: 70 % may be the mean of a few such runs.`,
    `Figure 3 seems to count ${PAPER_TIMEOUTS} timeouts: no smaller number gives its shares. A hundred messages have ${humanNumber(timeouts, 2)} here. ` +
      'Two equally likely causes are split as unevenly as 32 to 19 in 9 % of all cases, and the paper gives no reason why a NAK should be lost more often than a retransmitted packet.',
    'A timeout of 500 us is as long as the NAK interval, so the event that restarts the timer decides which of the two expires first. ' +
      `If every packet sent restarts it (\`ackTimer: packet\`), a loss of 1 % leaves ${fromPacket.join(', ')}; the paper has 10 % between the first two and the last two. With longer timeouts the choice hardly matters.`,
  ]
}

export const lossyGbn = defineExperiment({
  name: 'lossy-gbn',
  title: 'Go-Back-N on a network that loses packets, with Send Twice and Check EPSN',
  source: '[IGBN], Figures 2 to 7 and Table I',
  help:
    'Host A writes messages of 4 MB to host B through one switch, one after the other; each packet, ACK and NAK is lost with the same ' +
    'probability. Go-Back-N then often waits for its timeout: if the last packet, its ACK, a NAK, or the same packet twice is lost and nothing ' +
    'follows. The paper finds that Send Twice and Check EPSN together keep 60 % of the throughput at a loss of 1 %, and Go-Back-N 3 %. ' +
    'Further runs: go-back-0, short messages, several messages at once, eight hosts that send to one, and duplicates of MP-RDMA.',
  sizes: {
    small: '10 messages a run at two loss rates',
    full: '8 loss rates; 100 messages a run with a timeout of 100 ms (1000 for Go-Back-N at 0.1 %), 20 or 30 with the others, 10 at 0.001 %',
  },
  points: lossyPoints,
  measure: lossyMeasures,
  conclude: (runs, size) => ({
    tables: [throughputTable(runs, size, 100), throughputTable(runs, size, 10), reasonTable(runs)],
    figures: lossyFigures(runs, size),
    claims: [
      ...(size === 'full' ? [...comparisonClaims(runs), ...reasonClaims(runs), ...losslessClaims(runs)] : []),
      ...scriptedClaims(runs),
    ],
    remarks: remarks(runs, size),
  }),
  batch: 512,
})
