/**
 * Headroom sums of a scenario's ports: what the simulated parts can need, and what the hardware needs that a switch stands
 * for, term by term.
 * Units: bytes, bit/s, picoseconds.
 */
import { asicHeadroom } from '../../core/fabric/headroom/families.ts'
import { simulatedReaction } from '../../core/fabric/headroom/reaction.ts'
import { shippedRows, type ShippedRow } from '../../core/fabric/headroom/shipped.ts'
import { strictHeadroom } from '../../core/fabric/headroom/strict.ts'
import { type HeadroomSum, metresOf } from '../../core/fabric/headroom/terms.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { FrameLimits } from './frames.ts'

/** Longest frame of any class at a port of a switch, where no MTU is given. Source: SONiC's default MTU. */
const PORT_MTU_BYTES = 9216
/** Ethernet header and FCS, which an MTU leaves out. */
const FRAMING_BYTES = 18

interface Link {
  readonly rateBps: number
  readonly delayPs: number
}

/** Lossless classes that headroom is computed for. */
function classesOf({ pfc }: Scenario): number {
  return Math.max(1, pfc.classes.length)
}

/** PFC frames up to the pause of a class: of each other class a resume, and before it a refresh of its pause. */
function pfcFramesOf(scenario: Scenario): number {
  const others = classesOf(scenario) - 1
  return 1 + others * (scenario.pfc.refresh > 0 ? 2 : 1)
}

/**
 * The exact sum. @param scenario as it holds at the port, with the reaction time of the peer
 * @param cellBytes in which the buffer counts; 0: bytes
 */
export function strictSumOf(
  scenario: Scenario,
  { rateBps, delayPs }: Link,
  limits: FrameLimits,
  cellBytes: number,
): HeadroomSum {
  const { frames, pfc } = scenario
  return strictHeadroom({
    rateBps,
    delayPs,
    crossingBytes: limits.dataBytes,
    frameBytes: limits.anyBytes,
    delayingBytes: limits.anyBytes,
    // A scenario may have no shortest frame.
    leastBytes: Math.max(1, Math.min(frames.minimum, limits.dataBytes)),
    gapBytes: limits.gapBytes,
    pfcBytes: frames.pfc,
    pfcFrames: pfcFramesOf(scenario),
    sendPs: pfc.sendDelay,
    reaction: simulatedReaction(rateBps, pfc.reactionTime),
    cellBytes,
  })
}

/** Rows of the tables that switches of the family are shipped with, least first; empty: none are known. */
export function shippedRowsOf({ switch: { family } }: Scenario, { rateBps, delayPs }: Link): ShippedRow[] {
  return family === 'off' ? [] : shippedRows(family, rateBps, metresOf(delayPs))
}

/** Headroom that is enough for every known switch of the family, as far as it is known. */
export function shippedHeadroomOf(scenario: Scenario, link: Link, limits: FrameLimits): number | null {
  const most = shippedRowsOf(scenario, link).at(-1)
  return most?.bytes ?? asicHeadroomOf(scenario, link, limits)?.bytes ?? null
}

/** The sum of the switch's family; null: none is named. */
export function asicHeadroomOf(scenario: Scenario, link: Link, limits: FrameLimits): HeadroomSum | null {
  const { family, mtu } = scenario.switch
  if (family === 'off') return null
  return asicHeadroom(family, {
    rateBps: link.rateBps,
    metres: metresOf(link.delayPs),
    portMtuBytes: mtu === null ? Math.max(PORT_MTU_BYTES, limits.anyBytes) : mtu + FRAMING_BYTES,
    losslessMtuBytes: limits.dataBytes,
    classes: classesOf(scenario),
  })
}
