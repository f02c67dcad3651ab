/**
 * Remedies: what has to be changed in the settings of a fabric for a finding to go. A rule has one line here.
 */
import type { Finding } from '../../../core/findings/index.ts'
import type { RuleContext } from '../rules/rule.ts'
import { BUFFER_REMEDIES } from './buffers.ts'
import type { Change } from './change.ts'
import { CLASS_CHOICES, CLASS_REMEDIES } from './classes.ts'
import { type Remedy, RemedySpot } from './spot.ts'

export const REMEDIES: Readonly<Record<string, Remedy>> = { ...CLASS_REMEDIES, ...BUFFER_REMEDIES }

/** Changes at all places of a finding; null: nothing in the settings takes it away. */
export function remedyFor(context: RuleContext, finding: Finding): readonly Change[] | null {
  const changes = remediesOf(context, finding).flat()
  return changes.length === 0 ? null : changes
}

/** Several remedies of each place, where nothing tells which one is meant; null: that is clear. */
export function choicesOf(context: RuleContext, finding: Finding): readonly (readonly (readonly Change[])[])[] | null {
  const choices = CLASS_CHOICES[finding.id]
  if (choices === undefined) return null
  const all = [finding, ...finding.also].map(({ subject: { device = '', interface: port = '' }, values }) =>
    choices(new RemedySpot(context, device, port, values)),
  )
  return all.includes(null) ? null : (all as NonNullable<(typeof all)[number]>[])
}

/** Changes at each place of a finding. */
export function remediesOf(context: RuleContext, finding: Finding): (readonly Change[])[] {
  const remedy = REMEDIES[finding.id]
  return [finding, ...finding.also].map(({ subject: { device = '', interface: port = '' }, values }) =>
    remedy === undefined ? [] : remedy(new RemedySpot(context, device, port, values)),
  )
}
