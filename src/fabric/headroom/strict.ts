/**
 * Strict headroom: the most bytes of one class that can arrive at a simulated switch from the frame that crosses XOFF on,
 * exactly: some traffic fills them, none passes them (docs/models/headroom.md).
 * The peer may start frames from the instant, one delay ago, when the crossing frame had left it, until the pause takes
 * effect there: `window` on the wire, and one frame that it starts at the last instant.
 * Units: bytes, bit/s, picoseconds. Source: 802.1Qbb annex O; [MS-Scale] section 2.
 */
import { formatQuantity, formatRounded } from '../../base/units.ts'
import { mostStored, storedBytes } from './most-stored.ts'
import { type HeadroomLink, type HeadroomSum, type HeadroomTerm, sumOf, wireBytes } from './terms.ts'

const STANDARD = '802.1Qbb annex O'

/** The bytes on the wire while the peer does not yet know of the pause. */
export function windowTerms(link: HeadroomLink): HeadroomTerm[] {
  const { rateBps, delayPs, frameBytes, gapBytes, pfcBytes, pfcFrames, reactionPs } = link
  const rate = formatRounded('rate', rateBps)
  return [
    {
      name: 'cable there and back',
      bytes: wireBytes(rateBps, 2 * delayPs),
      formula: `2 x ${formatQuantity('duration', delayPs)} x ${rate} / 8`,
      source: `${STANDARD}; [MS-Scale] section 2`,
    },
    {
      name: 'frame that delays the pause',
      bytes: frameBytes + gapBytes,
      formula: `${frameBytes} + ${gapBytes} of preamble and gap: it has just started towards the peer`,
      source: STANDARD,
    },
    {
      name: 'pause frames',
      bytes: pfcFrames * (pfcBytes + gapBytes),
      formula: `${pfcFrames} x (${pfcBytes} + ${gapBytes}): those of other classes may go first`,
      source: STANDARD,
    },
    {
      name: "peer's reaction",
      bytes: wireBytes(rateBps, reactionPs),
      formula: `${formatQuantity('duration', reactionPs)} x ${rate} / 8`,
      source: 'pfc.reactionTime',
    },
  ]
}

export function strictHeadroom(link: HeadroomLink): HeadroomSum {
  const { frameBytes, leastBytes, gapBytes, cellBytes } = link
  const onWire = windowTerms(link)
  const windowBytes = onWire.reduce((sum, { bytes }) => sum + bytes, 0)
  // A rounding error of a double must not lose a byte.
  const budgetBytes = Math.floor(windowBytes + 1e-6)
  const filling = mostStored(budgetBytes, { leastBytes, mostBytes: frameBytes, gapBytes, cellBytes })
  const frameStored = storedBytes(frameBytes, cellBytes)
  const cells =
    cellBytes === 0
      ? []
      : [
          {
            name: 'cells',
            bytes: filling.storedBytes - filling.frameBytes + 2 * (frameStored - frameBytes),
            formula: `${filling.frames} frames of ${frames(filling)} in cells of ${cellBytes}, the worst mixture; and two largest`,
            source: 'ours: knapsack over the sizes of frames',
          },
        ]
  return sumOf([
    {
      name: 'frame that crosses XOFF',
      bytes: frameBytes,
      formula: `${frameBytes}: a dynamic threshold may have fallen below what is stored`,
      source: 'shared buffer: docs/models/shared-buffer.md',
    },
    ...onWire,
    {
      name: 'frame just started by the peer',
      bytes: frameBytes,
      formula: `${frameBytes}: a frame is never cut`,
      source: STANDARD,
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

export interface HeadroomInput {
  readonly rateBps: number
  /** One way. */
  readonly delayPs: number
  /** Largest frame with preamble and gap: on the wire in each direction when the pause is decided. */
  readonly wireBytes: number
  /** Largest frame as a queue counts it. */
  readonly frameBytes: number
  /** PFC frames that may be sent back to back, one per lossless class, with preamble and gap. */
  readonly pfcWireBytes: number
  readonly reactionPs: number
}

/**
 * Bytes that can still arrive after the XOFF threshold is crossed, without the packet that crosses it, rounded up to
 * whole frames as a queue counts them: the headroom of scenarios that do not give their own. Up to one frame more than
 * `strictHeadroom`; it stays as it is, since all recorded runs have it.
 * Source: 802.1Qbb annex O; [MS-Scale] section 2.
 */
export function headroomBytes(input: HeadroomInput): number {
  const bytesPerPs = input.rateBps / 8e12
  const wire =
    2 * input.delayPs * bytesPerPs +
    input.wireBytes +
    input.pfcWireBytes +
    input.reactionPs * bytesPerPs +
    input.wireBytes
  return Math.ceil(wire / input.wireBytes) * input.frameBytes
}
