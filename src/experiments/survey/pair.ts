/**
 * The queue pair of the survey's worked examples, and the result of an example.
 */
import { US } from '../../base/index.ts'
import { ScriptedPair } from '../../lab/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Claim, FindingsTable } from '../core/findings.ts'

/** Long enough for all packets of an example to leave before the first ACK. */
const RTT_PS = 40 * US

/** A queue pair on a link of a rate in Gb/s, with its schemes as lines of YAML. */
export function pairOf(lines: readonly string[], gbps = 40): ScriptedPair {
  const text = [
    'name: survey-example',
    `topology: {kind: star, hosts: 2, linkRate: ${gbps}Gbps}`,
    'workload: [permutation]',
    ...lines,
  ]
  return new ScriptedPair(parseScenario(text.join('\n')), RTT_PS)
}

/** Tables and claims of one figure. */
export interface Shown {
  readonly tables: readonly FindingsTable[]
  readonly claims: readonly Claim[]
}
