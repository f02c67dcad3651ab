/**
 * Flowlets: a flow keeps its port while its packets follow each other, and may take another one after a gap. If the
 * gap exceeds the difference in delay of the paths, no packet overtakes another.
 * Source: Vanini et al. 2017 (LetFlow): a random port is enough, as flowlets on a crowded path are shorter.
 */
import { choice, duration, US } from '../../base/params.ts'
import { defineBalance } from './balance.ts'
import { entriesParam, FlowTable } from './flow-table.ts'
import { LeastQueue } from './least-queue.ts'
import { RandomPort } from './spray.ts'

export const flowlet = defineBalance({
  name: 'flowlet',
  help: 'a QP may take another path after a gap between its packets',
  source: 'LetFlow, NSDI 2017; CONGA 2014',
  params: {
    gap: duration({
      default: 500 * US,
      help: 'a packet that comes longer than this after the one before it, at a switch, may take another port',
      source: 'CONGA 2014, section 3.6: 500us; LetFlow, NSDI 2017',
    }),
    pick: choice(['random', 'least-queue'], {
      default: 'random',
      help: 'port of a flowlet: any, or the one with the fewest bytes queued in its class',
      source: 'random: LetFlow, NSDI 2017, section 3; CONGA 2014 takes the least loaded',
    }),
    entries: entriesParam('flows that a switch tells apart: those that hash to the same entry share its port'),
  },
  paths: () => 'several',
  create(values, context) {
    const pick =
      values.pick === 'random'
        ? new RandomPort('flowlet', context)
        : new LeastQueue({ stepBytes: 0, refreshPs: 0, streams: 'flowlet' }, context)
    return new FlowTable(pick, { gapPs: values.gap, entries: values.entries }, context)
  },
})
