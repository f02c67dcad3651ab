/**
 * The queue pair of the survey's worked examples, and what an example comes to.
 */
import { US } from '../../base/index.ts'
import { ScriptedPair } from '../../lab/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Claim, FindingsTable } from '../core/findings.ts'

/** Long enough for all packets of an example to leave before the first answer. */
const RTT_PS = 40 * US

/** A queue pair on a line of so many Gb/s; lines of YAML choose its schemes. */
export function pairOf(lines: readonly string[], gbps = 40): ScriptedPair {
  const text = [
    'name: survey-example',
    `topology: {kind: star, hosts: 2, linkRate: ${gbps}Gbps}`,
    'workload: [permutation]',
    ...lines,
  ]
  return new ScriptedPair(parseScenario(text.join('\n')), RTT_PS)
}

/** Of one figure. */
export interface Shown {
  readonly tables: readonly FindingsTable[]
  readonly claims: readonly Claim[]
}
