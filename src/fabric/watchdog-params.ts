/**
 * Parameters of the PFC watchdog of switches. Declarations only; switch/watchdog/ holds the mechanism and its rules.
 */
import { variant, definition } from '../base/params.ts'
import { watchdogRules } from './switch/watchdog/rules.ts'

const off = definition({ name: 'off', help: 'no watchdog', params: {} })

export const watchdogParam = variant([off, ...watchdogRules], {
  default: 'off',
  help: 'PFC watchdog: takes a class that is paused without end out of service; the kind is its rule of detection',
  source: '[MS-Scale] 4.3; sonic-swss PFC watchdog',
  per: 'switch',
  live: true,
})

export { watchdogRules }
