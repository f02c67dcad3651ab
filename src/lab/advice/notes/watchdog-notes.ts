/**
 * Notes on the PFC watchdog of switches: settings that are valid but seldom intended.
 */
import { MS, SECOND } from '../../../core/base/params.ts'
import type { Scenario } from '../../scenario/index.ts'
import { bufferFindings, type Finding, foundAt } from '../../../core/findings/index.ts'

/** Times that SONiC takes. Source: sonic-yang-models, PFC_WD. */
const RANGES = [
  ['detectionTime', 100 * MS, 5 * SECOND],
  ['restorationTime', 100 * MS, 60 * SECOND],
  ['pollInterval', 100 * MS, 1 * SECOND],
] as const

/** @param scenario as it holds at a switch */
export function watchdogNotes({ pfc, switch: { watchdog: w } }: Scenario): Finding[] {
  if (w.kind === 'off') return []
  if (pfc.classes.length === 0) return [foundAt(bufferFindings.watchdogWithoutPfc, { path: 'switch.watchdog' }, {})]
  // The times of the paper's watchdog are its own.
  const outside =
    w.kind === 'paper'
      ? []
      : RANGES.filter(([key, least, most]) => w[key] !== null && (w[key] < least || w[key] > most))
  return outside.map(([key, leastPs, mostPs]) =>
    foundAt(
      bufferFindings.watchdogTimeUnusual,
      { path: `switch.watchdog.${key}` },
      { timePs: w[key]!, leastPs, mostPs },
    ),
  )
}
