/**
 * Notes on the PFC watchdog of switches: settings that are valid but seldom intended.
 */
import { MS, SECOND } from '../../base/params.ts'
import { humanDuration } from '../../report/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import type { Finding } from './note.ts'

/** Times that SONiC takes. Source: sonic-yang-models, PFC_WD. */
const RANGES = [
  ['detectionTime', 100 * MS, 5 * SECOND],
  ['restorationTime', 100 * MS, 60 * SECOND],
  ['pollInterval', 100 * MS, 1 * SECOND],
] as const

/** @param scenario as it holds at a switch */
export function watchdogNotes({ pfc, switch: { watchdog: w } }: Scenario): Finding[] {
  if (w.kind === 'off') return []
  if (pfc.classes.length === 0)
    return [
      {
        id: 'watchdog-without-pfc',
        subject: { path: 'switch.watchdog' },
        values: {},
        text: 'switch.watchdog has nothing to watch: no class has PFC (pfc.classes is empty); leave it out',
      },
    ]
  // The times of the paper's watchdog are its own.
  const outside =
    w.kind === 'paper'
      ? []
      : RANGES.filter(([key, least, most]) => w[key] !== null && (w[key] < least || w[key] > most))
  return [
    ...outside.map(([key, leastPs, mostPs]): Finding => ({
      id: 'watchdog-time-unusual',
      subject: { path: `switch.watchdog.${key}` },
      values: { timePs: w[key]!, leastPs, mostPs },
      text: `switch.watchdog.${key} is ${humanDuration(w[key]!)}; switches take ${humanDuration(leastPs)} to ${humanDuration(mostPs)}, which matters where the scenario stands for a real one`,
    })),
    ...(w.restorationTime === null ? [WITHOUT_RESTORATION] : []),
    ...(w.action === 'alert' ? [ONLY_ALERTS] : []),
  ]
}

const WITHOUT_RESTORATION: Finding = {
  id: 'watchdog-without-restoration',
  subject: { path: 'switch.watchdog.restorationTime' },
  values: {},
  text: 'switch.watchdog.restorationTime is off: a class that is taken out of service never comes back; set a time such as 200ms',
}

const ONLY_ALERTS: Finding = {
  id: 'watchdog-only-alerts',
  subject: { path: 'switch.watchdog.action' },
  values: {},
  text: 'switch.watchdog.action is alert: storms are reported and spread; drop discards them',
}
