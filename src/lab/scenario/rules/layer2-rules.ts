/**
 * Rules on layer 2 and on faults of hosts.
 */
import { SECOND, US } from '../../../core/base/params.ts'
import type { Scenario } from '../scenario.ts'
import type { Rule, RuleIssue } from '../text/parse-tree.ts'
import { quote } from '../text/wording.ts'
import { parseLinkPatterns } from './link-pattern.ts'
import { hasWorkRequests } from './operations.ts'
import { issue, SOUND } from './rule-issue.ts'

const HOSTS = 'hosts by number or name ("host 3"), comma separated'

const LEAST_AGE_PS = 1 * US

/** Hosts are named as links are, without a second node. */
function areHosts(text: string): boolean {
  const patterns = parseLinkPatterns(text)
  return text.trim() === 'all' || (patterns !== null && patterns.every(({ to }) => to === null))
}

/** A cut-through switch would forward a frame before its tables are asked. */
const storedFirst: Rule<Scenario> = {
  reads: ['switch.layer2', 'switch.forwarding'],
  check: ({ switch: { layer2, forwarding } }) =>
    layer2.kind === 'off' || forwarding.kind === 'store-and-forward'
      ? SOUND
      : [issue('switch.layer2', 'off with switch.forwarding: cut-through', layer2.kind)],
}

const macMissing: Rule<Scenario> = {
  reads: ['switch.layer2'],
  check: ({ switch: { layer2 } }) =>
    layer2.kind === 'off' || layer2.macMissing.trim() === 'none' || areHosts(layer2.macMissing)
      ? SOUND
      : [issue('switch.layer2.macMissing', `none, all, or ${HOSTS}`, quote(layer2.macMissing))],
}

/** Each entry of an ARP table is asked for once per age: ages near 0 would fill a run with requests. */
const ages: Rule<Scenario> = {
  reads: ['switch.layer2'],
  check: ({ switch: { layer2 } }) => {
    if (layer2.kind === 'off') return SOUND
    const { timeScale } = layer2
    return (['arpSeconds', 'macSeconds'] as const)
      .filter((key) => Math.ceil(layer2[key] * timeScale * SECOND) < LEAST_AGE_PS)
      .map((key) => issue(`switch.layer2.${key}`, 'at least 1us after timeScale', `${layer2[key]} s x ${timeScale}`))
  },
}

/** Hosts of faults, and what these faults need. */
const hostFaults: Rule<Scenario> = {
  reads: ['switch.layer2'],
  partsOf: ['faults', 'workload'],
  check: (scenario, isSound) =>
    scenario.faults.flatMap((fault, i) => {
      const at = `faults.${i}`
      if (!isSound(`${at}.kind`) || !('hosts' in fault)) return SOUND
      const issues: RuleIssue[] = []
      if (isSound(`${at}.hosts`) && !areHosts(fault.hosts))
        issues.push(issue(`${at}.hosts`, `all, or ${HOSTS}`, quote(fault.hosts)))
      if (fault.kind === 'broadcast' && scenario.switch.layer2.kind === 'off')
        issues.push(issue(`${at}.kind`, 'switch.layer2: tables, which flood broadcasts', 'switch.layer2: off'))
      const hasWork = fault.kind === 'server-down' && isSound('workload') && hasWorkRequests(scenario)
      if (hasWork) issues.push(issue(`${at}.kind`, 'messages without work requests', 'server-down with work requests'))
      return issues
    }),
}

export const layer2Rules: readonly Rule<Scenario>[] = [storedFirst, macMissing, ages, hostFaults]
