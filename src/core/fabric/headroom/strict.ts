/**
 * Strict headroom: the most bytes of one class that can arrive at a simulated switch from the frame that crosses XOFF on,
 * exactly: some traffic fills them, none passes them (docs/models/headroom.md).
 * The peer may start frames from the instant, one delay ago, when the crossing frame had left it, until the pause takes
 * effect there: `window` on the wire, and one frame that it starts at the last instant.
 * PFC frames of other classes may wait before the pause: a resume of each, and before it a refresh of its pause. Further ones
 * need packets of these classes to arrive meanwhile, instead of the class that is paused.
 * Units: bytes, bit/s, picoseconds. Source: 802.1Qbb annex O; [MS-Scale] section 2.
 */
import { formatQuantity, formatRounded } from '../../base/units.ts'
import { mostStored, storedBytes } from './most-stored.ts'
import { type HeadroomLink, type HeadroomSum, type HeadroomTerm, sumOf, wireBytes } from './terms.ts'

/** The bytes on the wire while the peer does not yet know of the pause. */
function windowTerms(link: HeadroomLink): HeadroomTerm[] {
  const { rateBps, delayPs, delayingBytes, gapBytes, pfcBytes, pfcFrames, sendPs } = link
  const rate = formatRounded('rate', rateBps)
  return [
    {
      name: 'cable there and back',
      bytes: wireBytes(rateBps, 2 * delayPs),
      formula: `2 x ${formatQuantity('duration', delayPs)} x ${rate} / 8`,
      source: '802.1Qbb annex O; [MS-Scale] section 2',
    },
    {
      name: 'pipeline',
      bytes: wireBytes(rateBps, sendPs),
      formula: `${formatQuantity('duration', sendPs)} x ${rate} / 8: until the pause is made`,
      source: 'pfc.sendDelay',
    },
    {
      name: 'frame that delays the pause',
      bytes: delayingBytes + gapBytes,
      formula: `${delayingBytes} + ${gapBytes} of preamble and gap: it has just started towards the peer`,
      source: '802.1Qbb annex O',
    },
    {
      name: 'pause frames',
      bytes: pfcFrames * (pfcBytes + gapBytes),
      formula: `${pfcFrames} x (${pfcBytes} + ${gapBytes})${pfcFrames > 1 ? ': refreshes and resumes of other classes may go first' : ''}`,
      source: '802.1Qbb annex O',
    },
    link.reaction,
  ].filter(({ bytes }) => bytes > 0)
}

export function strictHeadroom(link: HeadroomLink): HeadroomSum {
  const { crossingBytes, frameBytes, leastBytes, gapBytes, cellBytes } = link
  const onWire = windowTerms(link)
  const windowBytes = onWire.reduce((sum, { bytes }) => sum + bytes, 0)
  // A rounding error of a double must not lose a byte.
  const budgetBytes = Math.floor(windowBytes + 1e-6)
  const filling = mostStored(budgetBytes, { leastBytes, mostBytes: frameBytes, gapBytes, cellBytes })
  const inCells = [crossingBytes, frameBytes].map((bytes) => storedBytes(bytes, cellBytes) - bytes)
  const cells =
    cellBytes === 0
      ? []
      : [
          {
            name: 'cells',
            bytes: filling.storedBytes - filling.frameBytes + inCells[0]! + inCells[1]!,
            formula: `${filling.frames} frames of ${frames(filling)} in cells of ${cellBytes}, the worst mixture; and the two largest`,
            source: 'ours: knapsack over the sizes of frames',
          },
        ]
  return sumOf([
    {
      name: 'frame that crosses XOFF',
      bytes: crossingBytes,
      formula: `${crossingBytes}: a dynamic threshold may have fallen below what is stored`,
      source: 'shared buffer: docs/models/shared-buffer.md',
    },
    ...onWire,
    {
      name: 'frame just started by the peer',
      bytes: frameBytes,
      formula: `${frameBytes}: a frame is never cut`,
      source: '802.1Qbb annex O',
    },
    {
      name: 'not stored',
      bytes: filling.frameBytes - windowBytes,
      formula: `${filling.frames} x ${gapBytes} of preamble and gap, and what is too short for a frame`,
      source: '802.3: preamble, start delimiter and gap',
    },
    ...cells,
  ])
}

function frames({ frames: count, frameBytes }: { readonly frames: number; readonly frameBytes: number }): string {
  return count === 0 ? 'no bytes' : `${Math.round(frameBytes / count)} bytes on average`
}
