/**
 * Rules over VLANs, MTUs and classes by port.
 */
import { expectPortClasses, usesVlans } from '../class-map.ts'
import { schemeSets } from '../mix.ts'
import type { Scenario } from '../scenario.ts'
import type { Rule, RuleIssue } from '../text/parse-tree.ts'
import { issue, SOUND, thrown } from './rule-issue.ts'

/** Classes by port are texts. */
const portClasses: Rule<Scenario> = {
  reads: ['nic.trafficClasses'],
  check: ({ nic }) => thrown('', () => expectPortClasses(nic.trafficClasses)),
}

/** Frames are checked when they have arrived whole, and packets that switches make or cut have no tag. */
const portChecks: Rule<Scenario> = {
  reads: [
    'switch.vlan.ports',
    'switch.layer2',
    'switch.mtu',
    'switch.forwarding',
    'switch.trimming.of',
    'nic.mtu',
    'congestion',
  ],
  partsOf: ['workload'],
  check: (scenario, isSound) => {
    const { switch: at, nic } = scenario
    const issues: RuleIssue[] = []
    const isCutThrough = at.forwarding.kind === 'cut-through'
    if (isCutThrough && (at.mtu !== null || nic.mtu !== null)) {
      const path = at.mtu === null ? 'nic.mtu' : 'switch.mtu'
      issues.push(
        issue(
          path,
          'off with switch.forwarding=cut-through',
          'a length',
          'a port knows the length of a whole frame only',
        ),
      )
    }
    if (!usesVlans(scenario)) return issues
    const never = (what: string): void => {
      issues.push(issue('switch.vlan.ports', `off with ${what}`, at.vlan.ports, `or turn ${what} off`))
    }
    if (isCutThrough) never('switch.forwarding=cut-through')
    if (at.trimming.of !== 'none') never('switch.trimming')
    // The copies of a flooded frame would need tags of their own, and be of different lengths.
    if (at.layer2.kind !== 'off') never('switch.layer2')
    const sets = schemeSets(scenario, (i) => isSound(`workload.${i}.congestion`))
    if (sets.some((set) => set.scenario.congestion.kind === 'qcn')) never('congestion=qcn')
    return issues
  },
}

const BY_DEVICE = ['switch.vlan.ports', 'nic.vlan', 'classes.classify']

/** Single devices may differ in what VLANs need only where there are VLANs: packets carry a tag and a DSCP only there. */
export const vlanChanges: Rule<Scenario> = {
  reads: ['changes', 'switch.vlan.ports'],
  check: (scenario) =>
    scenario.changes.flatMap(({ path, value }, i) => {
      if (!BY_DEVICE.includes(path)) return SOUND
      const hint = 'set switch.vlan.ports itself to access, trunk or hybrid, and let single ports differ'
      if (!usesVlans(scenario))
        return [issue(`changes.${i}.path`, 'VLANs (switch.vlan.ports)', `${path} without them`, hint)]
      if (path === 'switch.vlan.ports' && value.replaceAll('"', '') === 'off')
        return [issue(`changes.${i}.value`, 'access, trunk or hybrid', 'off', 'a port without VLANs is an access port')]
      return SOUND
    }),
}

export const vlanRules: readonly Rule<Scenario>[] = [portClasses, portChecks, vlanChanges]
