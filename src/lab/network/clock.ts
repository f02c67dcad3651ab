/**
 * Clock: checks that the step of a scenario's clock is fine enough for its links.
 * Units: bytes, bit/s, picoseconds.
 * Rule: the step is at most the time of the smallest Ethernet frame on the fastest link, so that no frame takes 0 ps and
 * none is off by more than its own time; and on links without delay no data frame takes 0 ps, or messages could follow
 * each other for ever at one instant.
 * Source: 802.3: 64 bytes, and 20 of preamble, start delimiter and gap.
 */
import { InputError, type Issue } from '../../core/base/issue.ts'
import type { Serialization } from '../../core/base/serialization.ts'
import { formatQuantity, formatRounded } from '../../core/base/units.ts'
import type { Topology } from '../../core/topology/topology.ts'
import { dataFrameBytes, type FrameSizes } from '../../core/transport/endpoint.ts'

const SMALLEST_BYTES = 84

/** Throws InputError where the clock is too coarse for a link. */
export function checkClock(
  quantumPs: number,
  serialization: Serialization,
  { links }: Topology,
  frames: FrameSizes,
): void {
  const fastestBps = links.reduce((fastest, { rateBps }) => Math.max(fastest, rateBps), 0)
  const leastBytes = dataFrameBytes(frames, 1, 0) + frames.gapBytes
  const issues: Issue[] = []
  const smallestPs = (SMALLEST_BYTES * 8e12) / fastestBps
  if (quantumPs > smallestPs || serialization.durationPs(SMALLEST_BYTES, fastestBps) === 0)
    issues.push(tooCoarse(quantumPs, fastestBps, smallestPs))
  else {
    const rateBps = links
      .filter(({ delayPs }) => delayPs === 0)
      .reduce((fastest, link) => Math.max(fastest, link.rateBps), 0)
    if (rateBps > 0 && serialization.durationPs(leastBytes, rateBps) === 0) {
      issues.push({
        path: quantumPs === 1 ? 'topology' : 'time.quantum',
        expected: `a clock on which a frame of ${leastBytes} bytes takes time on every link without delay`,
        received: `${formatQuantity('duration', quantumPs)} with links of ${formatQuantity('rate', rateBps)}`,
        hint: 'a finer clock, or links with a delay',
      })
    }
  }
  if (issues.length > 0) throw new InputError(issues)
}

function tooCoarse(quantumPs: number, fastestBps: number, smallestPs: number): Issue {
  const rate = formatQuantity('rate', fastestBps)
  if (smallestPs < 1) {
    return {
      path: 'topology',
      expected: `links of at most ${formatQuantity('rate', SMALLEST_BYTES * 8e12)}, on which a frame of ${SMALLEST_BYTES} bytes takes 1ps`,
      received: rate,
      hint: 'the clock has no finer step',
    }
  }
  return {
    path: 'time.quantum',
    expected: `${quantumPs > smallestPs ? 'at most' : 'less than'} ${formatRounded('duration', Math.floor(smallestPs), 4)}, which the smallest frame, ${SMALLEST_BYTES} bytes with its gap, takes at ${rate}`,
    received: formatQuantity('duration', quantumPs),
    hint: 'serialization times are rounded to it',
  }
}
