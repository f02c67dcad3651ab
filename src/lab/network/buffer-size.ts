/**
 * Size of a switch's buffer where the scenario leaves it open: the first of its kind, or where that has no room for what is
 * set aside, that size doubled until this takes half of it or less, so that as much is shared. Given sizes stay as they are.
 */
import { OPEN_SIZES } from '../../core/fabric/params.ts'
import type { Scenario } from '../scenario/scenario.ts'

/** Values of a buffer with one size for the switch. */
export type SizedValues = Exclude<Scenario['switch']['buffer'], { readonly kind: 'input-queued' }>

/** @param neededBytes the least size that the buffer works with */
export function openSizeBytes(kind: SizedValues['kind'], neededBytes: number): number {
  const { firstBytes, doublings } = OPEN_SIZES[kind]
  if (neededBytes <= firstBytes) return firstBytes
  for (let sizeBytes = 2 * firstBytes, i = 1; i <= doublings; sizeBytes *= 2, i++)
    if (neededBytes <= sizeBytes / 2) return sizeBytes
  // Too small, which is reported with the bytes that are needed.
  return firstBytes
}

/** The scenario with a size for its buffer, if it has none. */
export function withBufferSize(scenario: Scenario, sizeBytes: number): Scenario {
  const { buffer } = scenario.switch
  if (buffer.kind === 'input-queued' || buffer.size !== null) return scenario
  return { ...scenario, switch: { ...scenario.switch, buffer: { ...buffer, size: sizeBytes } } }
}
