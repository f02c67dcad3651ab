/**
 * PFC watchdogs of random scenarios: times so short that ordinary congestion is a storm now and then.
 */
import { MS, US } from '../../src/core/base/params.ts'
import { watchdogRules } from '../../src/core/fabric/params.ts'
import type { Dice } from './dice.ts'
import type { Values } from './random-scenario.ts'

export function randomWatchdog(dice: Dice): Values {
  if (dice.chance(0.6)) return { kind: 'off' }
  const { name } = dice.one(watchdogRules)
  const pollInterval = dice.one([3 * US, 10 * US, dice.log(5 * US, 1 * MS)])
  return {
    kind: name,
    pollInterval,
    detectionTime: Math.round(pollInterval * dice.one([1, 1, 2, 3.5])),
    restorationTime: dice.one([pollInterval, pollInterval, 4 * pollInterval, null]),
    action: dice.one(['drop', 'drop', name === 'cisco' ? 'drop' : 'forward', 'alert']),
    ports: dice.one(['all', 'hosts', 'fabric']),
    countsWithoutPfc: dice.one([true, true, false]),
    profile: dice.one(['port', 'port', 'switch']),
  }
}
