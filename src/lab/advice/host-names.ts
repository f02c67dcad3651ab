/**
 * Host names of a scenario, with the node ids of its graph where they differ: "host 1 (node 2)".
 */
import { hostName, hostNamesWithIds } from '../../core/base/device-names.ts'
import { topologyOf } from '../index.ts'
import type { Scenario } from '../scenario/index.ts'

/** A graph is built when the first name is asked for. */
export function hostNamesOf(scenario: Scenario): (host: number) => string {
  let names: readonly string[] | undefined
  return (host) => (names ??= hostNamesWithIds(topologyOf(scenario)))[host] ?? hostName(host)
}
