/**
 * Rules of the PFC watchdog: its countdowns are in steps of its poll, and not every rule has every action.
 */
import { formatQuantity } from '../../base/units.ts'
import { watchdogRules } from '../../fabric/params.ts'
import type { Rule, RuleIssue } from '../text/parse-tree.ts'
import type { Scenario } from '../scenario.ts'
import { issue, SOUND } from './rule-issue.ts'

const time = (ps: number): string => formatQuantity('duration', ps)

export const watchdogTimes: Rule<Scenario> = {
  reads: ['switch.watchdog'],
  check: ({ switch: { watchdog: w } }) => {
    if (w.kind === 'off') return SOUND
    const issues: RuleIssue[] = []
    const atLeastPoll = (key: 'detectionTime' | 'restorationTime', ps: number | null): void => {
      if (ps !== null && ps < w.pollInterval) {
        const hint = 'it is counted in polls'
        issues.push(issue(`switch.watchdog.${key}`, `at least pollInterval, ${time(w.pollInterval)}`, time(ps), hint))
      }
    }
    atLeastPoll('detectionTime', w.detectionTime)
    atLeastPoll('restorationTime', w.restorationTime)
    const { lacks } = watchdogRules.find(({ name }) => name === w.kind)!
    if (lacks.includes(w.action)) {
      const others = ['drop', 'forward', 'alert'].filter((action) => !lacks.some((lacked) => lacked === action))
      issues.push(issue('switch.watchdog.action', `${others.join(' or ')} with ${w.kind}`, w.action))
    }
    return issues
  },
}
