/**
 * Claims of the LDCP draft about hundreds and thousands of flows, whose windows are below one packet.
 */
import { interval95 } from '../../results/index.ts'
import { ABOVE_ONE, ABOVE_ZERO, type Claim, claimOf, intervalText, seedsClaim } from '../core/findings.ts'
import type { Control } from './controls.ts'
import { type At, named, type Runs } from './over-runs.ts'
import { conditionOf, GRIDS } from './runs.ts'

const { scales: SCALES } = GRIDS.full.many
const FRAME_BYTES = 1086
const BDP_PACKETS = 110
const DIRECTION = 'the direction; the draft gives no number'

export function manyClaims(runs: Runs): Claim[] {
  const at1000: At = ['many', 1000]
  return [
    enduranceClaim(runs, 'LDCP', 1),
    enduranceClaim(runs, 'LDCP, gamma 1/16', 1),
    enduranceClaim(runs, 'TCP', -1),
    ...[1400, 2000].map((scale) =>
      seedsClaim({
        id: `ldcp.intro.cw-below-one [many ${scale}, loss of DCTCP over LDCP]`,
        statement: 'With more flows LDCP loses fewer packets than DCTCP',
        paper: 'less',
        values: runs.ratiosAt(['many', scale], 'DCTCP', 'LDCP', named('lateLossShare')),
        unit: ' x',
        band: ABOVE_ONE,
        judge: 'mean',
      }),
    ),
    claimOf({
      id: 'ldcp.sub1.need [many 1000, queue with a window of 1 over LDCP]',
      statement: 'With a thousand flows a window of one packet each makes a large queue, and smaller windows do not',
      paper: 'large',
      measured: runs.ratio(at1000, 'LDCP, window of 1 at least', 'LDCP', named('meanQueueBytes')),
      unit: ' x',
      band: ABOVE_ONE,
      tolerance: DIRECTION,
    }),
    claimOf({
      id: 'ldcp.sub1.need [many 1000, queue over packets of all windows less a BDP]',
      statement: 'The queue is one packet per flow less the packets that the path holds',
      paper: 'N packets less the BDP',
      measured: runs.at(
        at1000,
        'LDCP, window of 1 at least',
        (m) => (m['meanQueueBytes'] ?? NaN) / ((1000 - BDP_PACKETS) * FRAME_BYTES),
      ),
      unit: ' x',
      band: { low: 0.9, high: 1.1 },
      tolerance: '10 %',
    }),
  ]
}

/** For each seed, the largest number of flows with which at most one packet in 1000 is lost. */
function endured(runs: Runs, control: Control): Map<number, number> {
  const bySeed = new Map<number, number>()
  for (const scale of SCALES) {
    for (const { condition, seed, measures } of runs.outcomes) {
      if (condition !== conditionOf('many', scale, control)) continue
      const most = bySeed.get(seed) ?? 0
      bySeed.set(seed, (measures['lateLossShare'] ?? NaN) <= 1e-3 ? Math.max(most, scale) : most)
    }
  }
  return bySeed
}

function enduranceClaim(runs: Runs, control: Control, side: 1 | -1): Claim {
  const own = endured(runs, control)
  const dctcp = endured(runs, 'DCTCP')
  const order = side === 1 ? `${control} more than DCTCP` : `${control} fewer than DCTCP`
  return seedsClaim({
    id: `ldcp.intro.cw-below-one [${control}]`,
    statement: `Windows below one packet support far more flows with at most one packet in 1000 lost: ${order}`,
    paper: 'LDCP, then DCTCP, then TCP',
    values: [...own].map(([seed, most]) => most - (dctcp.get(seed) ?? NaN)),
    band: side === 1 ? ABOVE_ZERO : { low: -Infinity, high: 0, isOpen: true },
    judge: 'mean',
    unit: ' flows more',
    why: `Differences per seed: ${control} supports ${intervalText(interval95(own.values()))}, DCTCP ${intervalText(interval95(dctcp.values()))}. Numbers of flows: ${SCALES.join(', ')}.`,
  })
}
