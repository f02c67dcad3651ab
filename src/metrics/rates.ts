/**
 * Rates: what the congestion control of chosen QPs allows, and how far their PSNs are, sampled.
 * rateBps is the rate the sender paces by; windowPackets the window of its control (NaN: none); una and nxt are unbounded packet numbers from 0: the first that is not
 * acknowledged and the next to send.
 */
import { text } from '../base/params.ts'
import type { QueuePair } from '../fabric/nic/queue-pair.ts'
import { type ColumnSpec, TableBuilder } from '../results/table.ts'
import { rowLimit, sampleParams, tableName } from './limits.ts'
import { defineMetric } from './metric.ts'
import { OpenPairs } from './open-pairs.ts'
import { PAIRS_HELP, selectPairs } from './pair-selector.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'timePs', type: 'integer' },
  { name: 'pair', type: 'integer' },
  { name: 'source', type: 'integer' },
  { name: 'destination', type: 'integer' },
  { name: 'rateBps', type: 'number' },
  { name: 'windowPackets', type: 'number' },
  { name: 'nxt', type: 'integer' },
  { name: 'una', type: 'integer' },
]

export const rates = defineMetric({
  name: 'rates',
  help: 'sending rate, window and packet numbers of queue pairs, per sample',
  params: { pairs: text({ default: 'all', help: `queue pairs: ${PAIRS_HELP}` }), ...sampleParams },
  create(values, context) {
    const name = tableName(values, 'rates')
    const { network } = context
    const selection = selectPairs(values.pairs, network, 'rates.pairs')
    const isSilent = (pair: QueuePair): boolean => pair.sender.isIdle || pair.sender.isFailed
    const open = new OpenPairs(network, (pair) => pair.sender.end > 0 && isSilent(pair))
    const builder = new TableBuilder(name, COLUMNS, { maxRows: rowLimit(values, context) })
    return {
      name,
      intervalPs: values.interval,
      sample(nowPs) {
        if (!builder.beginSample()) return
        open.each((pair) => {
          if (!selection.isChosen(pair) || (selection.isAll && isSilent(pair))) return
          const { nxt, una } = pair.sender
          const { rateBps, windowPackets, hasWindow } = pair.sender.congestion
          const window = hasWindow ? windowPackets : NaN
          const [source, destination] = [network.hostOf[pair.source]!, network.hostOf[pair.destination]!]
          builder.add(nowPs, pair.id, source, destination, rateBps, window, nxt, una)
        })
      },
      table: () => builder.build(),
    }
  },
})
