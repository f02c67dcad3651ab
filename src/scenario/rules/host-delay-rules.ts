/**
 * Rules for host delays: points of a distribution are in order, and a queue pair has one delay: its own, or that of TCP.
 */
import { createHostDelay } from '../../transport/params.ts'
import { asWorkload, isMixed } from '../mix.ts'
import type { Rule } from '../text/parse-tree.ts'
import { issue, SOUND, thrown } from './rule-issue.ts'
import type { Scenario } from '../scenario.ts'

/** Points and percentiles are read by the distribution. */
const distribution: Rule<Scenario> = {
  reads: [],
  partsOf: ['qp', 'workload'],
  check: ({ qp, workload }, isSound) => [
    ...(isSound('qp.hostDelay') ? thrown('', () => createHostDelay(qp.hostDelay, 'qp.hostDelay')) : SOUND),
    ...workload.flatMap((source, i) => {
      const at = `workload.${i}.qp.hostDelay`
      // A workload without one of its own has the scenario's, which is judged there.
      if (!isSound(`workload.${i}.qp`) || source.qp === null || isSame(source.qp.hostDelay, qp.hostDelay)) return SOUND
      return thrown('', () => createHostDelay(source.qp!.hostDelay, at))
    }),
  ],
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Two delays of the same packets would be one too many. */
const onlyOne: Rule<Scenario> = {
  reads: ['qp', 'recovery', 'workload'],
  check: (scenario) =>
    scenario.workload.flatMap((source, i) => {
      const { qp, recovery } = asWorkload(scenario, i)
      if (qp.hostDelay.kind === 'none' || recovery.kind !== 'tcp') return SOUND
      if (recovery.stackLatency === 0 && recovery.stackJitter === 0) return SOUND
      const at = isMixed(source) && source.qp !== null ? `workload.${i}.qp.hostDelay` : 'qp.hostDelay'
      const hint = "leave out recovery.stackLatency and stackJitter, or set the workload's qp.hostDelay to none"
      return [issue(at, 'none where TCP has a stackLatency or stackJitter of its own', qp.hostDelay.kind, hint)]
    }),
}

export const hostDelayRules: readonly Rule<Scenario>[] = [distribution, onlyOne]
