/**
 * Full needs: whether a scenario uses something that the plain program leaves out (transport/plain.ts).
 */
import { byWorkload } from '../scenario/mix.ts'
import { hasReads, hasWorkRequests } from '../scenario/rules/operations.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { congestionNeeds, congestionOf, holdsAcks, recoveryOf } from '../network/definitions.ts'

/** Values of which a change, at some host or time, may bring in what the plain program leaves out. */
const CHANGEABLE = ['qp', 'recovery', 'congestion']

export function needsFull(scenario: Scenario): boolean {
  const { changes } = scenario
  const isChanged = changes.some(({ path }) => CHANGEABLE.some((group) => path.startsWith(group)))
  return isChanged || hasWorkRequests(scenario) || hasReads(scenario) || byWorkload(scenario).some(usesMore)
}

function usesMore(scenario: Scenario): boolean {
  const { qp, congestion, recovery } = scenario
  const { latency, trimming, wred } = scenario.switch
  const { telemetry, rttProbes, qcn } = congestionNeeds(scenario)
  return (
    [telemetry, rttProbes, qcn].includes(true) ||
    congestionOf(scenario).countsBytes?.(congestion) === true ||
    holdsAcks(scenario) ||
    qp.receiveQueue !== null ||
    qp.hostDelay.kind !== 'none' ||
    recoveryOf(scenario).stack?.(recovery) != null ||
    latency > 0 ||
    trimming.of !== 'none' ||
    wred.classes.length > 0
  )
}
