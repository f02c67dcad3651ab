/**
 * Claims that the IGBN paper makes without a figure, judged by the runs of side-runs.ts.
 */
import { ABOVE_ZERO, type Claim, type FindingsTable, intervalText, seedsClaim, rightColumn } from '../core/findings.ts'
import { exactCount, humanNumber } from '../../report/index.ts'
import type { LossyEstimates } from './estimates.ts'
import { above } from './judged.ts'
import { percentText } from './orders.ts'
import { LOSSLESS, PACKETS, randomCondition, TIMEOUTS_MS, timeoutText } from './runs.ts'
import {
  CROWD,
  crowdCondition,
  GO_BACK_0_LOSSES,
  goBack0Condition,
  mpRdmaCondition,
  SMALL_FLOWS,
  type Variant,
  VARIANT_LOSS,
  variantCondition,
  VARIANTS,
} from './side-runs.ts'

export function sideClaims(estimates: LossyEstimates): Claim[] {
  return [
    ...GO_BACK_0_LOSSES.map((loss) => {
      const conditions = [randomCondition('go-back-n', 100, loss), goBack0Condition(loss)] as const
      return above({
        id: `gbn.sec2.go-back-0-waste [${percentText(loss)}]`,
        statement: `At a loss of ${percentText(loss)} Go-Back-N has more throughput than Go-Back-0`,
        paper: 'more',
        measured: estimates.margin(...conditions),
        values: estimates.bySeed(conditions, ([n, zero]) => n! - zero!),
      })
    }),
    ...variantClaims(estimates),
    ...spuriousClaims(estimates),
    ...duplicateClaims(estimates),
  ]
}

const usual = { condition: randomCondition('go-back-n', 100, VARIANT_LOSS), lossless: LOSSLESS }
const of = (variant: Variant) => ({
  condition: variantCondition(variant, VARIANT_LOSS),
  lossless: variantCondition(variant, 0),
})

/** Claims that short messages suffer most and pipelined ones least. */
function variantClaims(estimates: LossyEstimates): Claim[] {
  return VARIANTS.map((variant) => {
    const isShort = variant.packets < PACKETS
    const [better, worse] = isShort ? [usual, of(variant)] : [of(variant), usual]
    const { measured, values } = estimates.relativeMargin(better, worse)
    return above({
      id: `gbn.sec2.short-and-nonpipelined-hurt [${variant.name}]`,
      statement: `At a loss of ${percentText(VARIANT_LOSS)} Go-Back-N keeps more of its throughput with ${
        isShort ? `one message of 4 MB at a time than with ${variant.name}` : `${variant.name} than with one at a time`
      }`,
      paper: 'more',
      measured,
      values,
    })
  })
}

/** Claims on timeouts without losses. */
function spuriousClaims(estimates: LossyEstimates): Claim[] {
  const timeouts = (timeoutMs: (typeof TIMEOUTS_MS)[number]): number[] =>
    estimates.runs(crowdCondition(timeoutMs)).map((m) => m['timeouts']!)
  const short = timeouts(0.5)
  return [
    ...([10, 100] as const).map((timeoutMs) => {
      const long = timeouts(timeoutMs)
      return seedsClaim({
        id: `gbn.sec3b.timeout-tradeoff [timeouts without a loss, 500 us over ${timeoutText(timeoutMs)}]`,
        statement: `With ${CROWD} hosts that send to one and no loss, 500 us cause more timeouts than ${timeoutText(timeoutMs)}`,
        paper: 'unnecessary retransmissions',
        values: short.map((count, i) => count - long[i]!),
        band: ABOVE_ZERO,
        judge: 'mean',
        unit: ' timeouts',
      })
    }),
    seedsClaim({
      id: 'gbn.fig6c.not-general',
      statement: `A timeout of 500 us fires without a loss if ${CROWD} hosts send to one`,
      paper: 'not general',
      values: short,
      band: ABOVE_ZERO,
      judge: 'mean',
      unit: ' timeouts',
    }),
  ]
}

/** Percent of the packets sent that the receiver already had. */
function duplicates(estimates: LossyEstimates, sizes: readonly number[]): number[] {
  const bySize = sizes.map((packets) => estimates.runs(mpRdmaCondition(packets)))
  return (bySize[0] ?? []).map((_, i) => {
    const total = (key: string): number => bySize.reduce((sum, runs) => sum + runs[i]![key]!, 0)
    return (100 * total('resent')) / total('dataPackets')
  })
}

function duplicateClaims(estimates: LossyEstimates): Claim[] {
  const [small, large] = [duplicates(estimates, SMALL_FLOWS), duplicates(estimates, [PACKETS])]
  return [
    seedsClaim({
      id: 'gbn.related.mprdma-duplicates',
      statement: `MP-RDMA sends a larger share of duplicates in messages of ${SMALL_FLOWS.join(', ')} packets, as many of each, than in messages of 4 MB`,
      paper: 'many duplicates',
      values: small.map((percent, i) => percent - large[i]!),
      band: ABOVE_ZERO,
      judge: 'mean',
      unit: ' points',
      why: 'Nothing is lost in these runs: each retransmission is a duplicate.',
    }),
  ]
}

export function sideTables(estimates: LossyEstimates): FindingsTable[] {
  const total = (condition: string, key: string): number =>
    estimates.runs(condition).reduce((sum, m) => sum + m[key]!, 0)
  return [
    {
      title: `Go-Back-0, short and pipelined messages at a loss of 0.1 %, 100 ms: percent of their lossless throughput`,
      columns: [{ head: '' }, rightColumn('throughput')],
      rows: [
        ['Go-Back-N', intervalText(estimates.throughput(usual.condition))],
        ['Go-Back-0', intervalText(estimates.throughput(goBack0Condition(VARIANT_LOSS)))],
        ...VARIANTS.map((variant) => [`Go-Back-N, ${variant.name}`, intervalText(estimates.relative(of(variant)))]),
      ],
    },
    {
      title: `${CROWD} hosts that send to one with PFC and without losses`,
      columns: [{ head: 'timeout' }, rightColumn('messages'), rightColumn('timeouts'), rightColumn('retransmissions')],
      rows: TIMEOUTS_MS.map((timeoutMs) => [
        timeoutText(timeoutMs),
        ...['messages', 'timeouts', 'resent'].map((key) => exactCount(total(crowdCondition(timeoutMs), key))),
      ]),
    },
    {
      title: 'MP-RDMA, one message after the other, without losses',
      columns: [{ head: 'packets of a message' }, rightColumn('packets sent'), rightColumn('duplicates, %')],
      rows: [...SMALL_FLOWS, PACKETS].map((packets) => [
        exactCount(packets),
        exactCount(total(mpRdmaCondition(packets), 'dataPackets')),
        humanNumber(duplicates(estimates, [packets])[0] ?? NaN),
      ]),
    },
  ]
}
