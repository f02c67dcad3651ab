/** What the queue pairs of a perftest agree on, as far as the scenario says it. */
import { InputError, type Issue } from '../base/issue.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { CONNECTION_DEFAULTS, type Mode } from '../verbs/index.ts'
import type { SharedValues, VerbsNetwork } from './verbs-network.ts'

/** Of IRN's ablations verbs have none: a parameter that asks for one is told, and not passed over. */
export function expectPlainIrn({ recovery }: Scenario): void {
  if (recovery.kind !== 'irn') return
  const plain = { bdpFlowControl: true, timeout: 'two-level', resend: 'holes', extraHeader: 0 } as const
  const issues = Object.entries(plain).flatMap(([name, value]): Issue[] => {
    const received = recovery[name as keyof typeof plain]
    if (received === value) return []
    const expected = `${value}, as verbs in IRN mode have no ablations`
    return [{ path: `recovery.${name}`, expected, received: String(received), hint: 'or --mode roce' }]
  })
  if (issues.length > 0) throw new InputError(issues)
}

/** Timeouts, retries and IRN's parameters are the scenario's, where it has them; the cap is what its network needs. */
export function perftestConnection(
  scenario: Scenario,
  network: VerbsNetwork,
  { mode, receives }: { readonly mode: Mode; readonly receives: number },
): SharedValues {
  const { qp, recovery } = scenario
  const { selectiveRepeat } = CONNECTION_DEFAULTS
  const given = recovery.kind === 'irn' ? recovery : null
  const capPackets = given?.cap ?? network.bdpPackets()
  // S3 4.1: where PFC keeps everything there are no timeouts, which an answer that is late would only set off.
  const isTimed = qp.ackTimeout !== null || !network.isLossless
  const rtoHighPs = qp.ackTimeout ?? selectiveRepeat.rtoHighPs
  const ackTimeoutPs = isTimed ? (qp.ackTimeout ?? CONNECTION_DEFAULTS.ackTimeoutPs) : null
  return {
    mode,
    retryLimit: qp.retryLimit,
    // They are posted before the connection is made, and it tells.
    initialCredits: receives,
    ackTimeoutPs,
    selectiveRepeat: {
      capPackets,
      bitmapBits: Math.max(selectiveRepeat.bitmapBits, capPackets),
      // As in simulated queue pairs: no packet waits longer than the high timeout.
      rtoLowPs: isTimed ? Math.min(given?.rtoLow ?? selectiveRepeat.rtoLowPs ?? Infinity, rtoHighPs) : null,
      rtoHighPs,
      rtoLowPackets: given?.rtoLowPackets ?? selectiveRepeat.rtoLowPackets,
      nackThreshold: given?.nackThreshold ?? selectiveRepeat.nackThreshold,
      fetchDelayPs: given?.fetchDelay ?? selectiveRepeat.fetchDelayPs,
    },
  }
}
