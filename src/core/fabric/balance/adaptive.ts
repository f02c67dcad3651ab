/**
 * Adaptive routing: a packet, a flowlet or a flow takes the equal-cost port with the shortest egress queue.
 * Hardware compares queues in bands, and samples them: `step` and `refresh`; both 0 is the best that a switch could do
 * with its own queues alone.
 * Source: the adaptive routing of Ethernet switches as in the Switch Abstraction Interface (SAI saiars.h,
 * saiarsprofile.h); Alizadeh et al. 2014 (CONGA), Figure 2b, calls it local congestion awareness.
 * Deviates: hardware averages queues over time and also weighs the recent load of a port.
 */
import { choice, duration, NEVER_PS, size, US } from '../../base/params.ts'
import { defineBalance } from './balance.ts'
import { entriesParam, FlowTable } from './flow-table.ts'
import { LeastQueue } from './least-queue.ts'

export const adaptive = defineBalance({
  name: 'adaptive',
  help: 'each packet, flowlet or QP takes the equal-cost path with the fewest bytes queued at this switch',
  source: 'SAI saiars.h; CONGA 2014, Figure 2b (local)',
  params: {
    per: choice(['packet', 'flowlet', 'flow'], {
      default: 'packet',
      help: 'packets for which a port is chosen: every packet, the first after a gap, or only the first of a QP',
      source: 'SAI saiars.h: per packet quality, flowlet quality',
    }),
    gap: duration({
      default: 500 * US,
      help: 'with per: flowlet, the gap after which a QP may take another port',
      source: 'CONGA 2014, section 3.6: 500us; SAI saiars.h: 256us',
    }),
    entries: entriesParam('with per: flowlet and flow, the flows that a switch tells apart'),
    step: size({
      default: 0,
      help: 'queues are compared in whole steps of this many bytes, queues within one step are equal; 0B: exact comparison',
      source: 'SAI saiarsprofile.h: up to eight bands, with thresholds of the vendor',
    }),
    refresh: duration({
      default: 0,
      help: 'a queue is read once in each interval of this length, and that value is used for the rest of it; 0us: always the present queue',
      source: 'SAI saiarsprofile.h: sampling interval, 16us by default',
    }),
  },
  paths: ({ per }) => (per === 'flow' ? 'kept' : 'several'),
  create({ per, gap, entries, step, refresh }, context) {
    const pick = new LeastQueue({ stepBytes: step, refreshPs: refresh, streams: 'adaptive' }, context)
    return per === 'packet' ? pick : new FlowTable(pick, { gapPs: per === 'flow' ? NEVER_PS : gap, entries }, context)
  },
})
