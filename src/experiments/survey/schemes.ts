/**
 * Descriptions of schemes in the terms of the survey's Tables I to III. A scheme with a row there is described as that row
 * prints it, also if the survey's text or this program differs; a note at the cell says so. Other schemes are described in
 * the same terms. A description is optional.
 */
import { CONGESTION_SURVEYS } from './congestions.ts'
import { RECOVERY_SURVEYS } from './recoveries.ts'
import type { Survey } from './words.ts'

/** The description of a recovery or a congestion control; undefined for one that has none. */
export function surveyOf(kind: 'recovery' | 'congestion', name: string): Survey | undefined {
  const rows = kind === 'recovery' ? RECOVERY_SURVEYS : CONGESTION_SURVEYS
  return Object.hasOwn(rows, name) ? rows[name] : undefined
}
