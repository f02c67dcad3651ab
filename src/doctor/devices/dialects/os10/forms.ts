/**
 * OS10 forms: commands of OS10 that decide about QoS, and what its policies say of groups and queues.
 * Source: Dell SmartFabric OS10 User Guide, "Quality of service", "Priority flow control" and "RoCE".
 */
import { CLASSIFICATION_FORMS } from '../cli/classification.ts'
import { allOf, type Entry, type Form, lastOf, namedOf } from '../cli/entries.ts'
import { PORT_FORMS } from '../cli/interfaces.ts'
import { type Lossless, type Queue, scheduleIn } from '../cli/queues.ts'
import type { Line } from '../text.ts'
import { numbersIn } from '../words.ts'
import { CLASS_COUNT } from '../../../../core/device-model/index.ts'

/** Names that the device has defined itself. */
export const BUILT_IN = /^(?:class-(?:default|trust|iscsi)$|default)/

const APPLIED: readonly Form[] = [
  { kind: 'mode', is: /^(no )?priority-flow-control mode (on|off)$/ },
  { kind: 'network', is: /^service-policy input type network-qos (\S+)$/ },
  { kind: 'input', is: /^service-policy input type qos (\S+)$/ },
  { kind: 'output', is: /^service-policy output type queuing (\S+)$/ },
  { kind: 'trust dscp', is: /^trust-map dscp (\S+)$/ },
  { kind: 'trust dot1p', is: /^trust-map dot1p (\S+)$/ },
  { kind: 'queue map', is: /^qos-map traffic-class (\S+)$/ },
  { kind: 'ets', is: /^ets mode (?:on|off)$/ },
]

export const FORMS: readonly Form[] = [
  { kind: 'hostname', is: /^hostname (\S+)$/ },
  ...CLASSIFICATION_FORMS,
  {
    kind: 'network class-map',
    is: /^class-map type network-qos (\S+)(?: match-(?:any|all))?$/,
    inside: [{ kind: 'group', is: /^match qos-group ([\d,-]+)$/ }],
  },
  {
    kind: 'queuing class-map',
    is: /^class-map type queuing (\S+)(?: match-(?:any|all))?$/,
    inside: [{ kind: 'queue', is: /^match queue ([0-7])$/ }],
  },
  {
    kind: 'network policy',
    is: /^policy-map type network-qos (\S+)$/,
    inside: [
      {
        kind: 'class',
        is: /^class (\S+)$/,
        inside: [
          { kind: 'pause', is: /^(no )?pause$/ },
          { kind: 'pfc-cos', is: /^pfc-cos ([\d,-]+)$/ },
        ],
      },
    ],
  },
  {
    kind: 'queuing policy',
    is: /^policy-map type queuing (\S+)$/,
    inside: [
      {
        kind: 'class',
        is: /^class (\S+)$/,
        inside: [
          { kind: 'bandwidth', is: /^bandwidth percent (\d+)$/ },
          { kind: 'priority', is: /^priority$/ },
          { kind: 'wred', is: /^random-detect (\S+)$/ },
        ],
      },
    ],
  },
  {
    kind: 'wred',
    is: /^wred (\S+)$/,
    inside: [
      {
        kind: 'green',
        is: /^random-detect color green minimum-threshold (\d+) maximum-threshold (\d+)(?: drop-probability (\d+))?$/,
      },
      { kind: 'colour', is: /^random-detect color (?:yellow|red) / },
      { kind: 'ecn', is: /^random-detect ecn$/ },
      { kind: 'weight', is: /^random-detect weight \d+$/ },
    ],
  },
  {
    kind: 'trust dscp-map',
    is: /^trust dscp-map (\S+)$/,
    inside: [{ kind: 'group', is: /^qos-group ([0-7]) dscp (.+)$/ }],
  },
  {
    kind: 'trust dot1p-map',
    is: /^trust dot1p-map (\S+)$/,
    inside: [{ kind: 'group', is: /^qos-group ([0-7]) dot1p (.+)$/ }],
  },
  {
    kind: 'queue map',
    is: /^qos-map traffic-class (\S+)$/,
    inside: [{ kind: 'queue', is: /^queue ([0-7]) qos-group ([\d,-]+)(?: type \S+)?$/ }],
  },
  { kind: 'system', is: /^system qos$/, inside: APPLIED },
  { kind: 'interface', is: /^interface (.+)$/, inside: [...PORT_FORMS, ...APPLIED] },
]

export interface NetworkPolicy {
  readonly lossless: readonly (Lossless & { readonly name: string })[]
  /** All its priorities, ascending. */
  readonly written: readonly number[]
  /** Line of its first pause, else of the policy. */
  readonly line: Line
}

export function networkPoliciesOf(entries: readonly Entry[]): Map<string, NetworkPolicy> {
  const maps = namedOf(entries, 'network class-map')
  const policies = new Map<string, NetworkPolicy>()
  for (const [name, policy] of namedOf(entries, 'network policy')) {
    const lossless: (Lossless & { name: string })[] = []
    const written = new Set<number>()
    let line: Line | undefined
    for (const each of allOf(policy.entries, 'class')) {
      const pause = lastOf(each.entries, 'pause')
      if (pause?.args[0] !== '') continue
      const match = lastOf(maps.get(each.args[0]!)?.entries ?? [], 'group')
      const groups = numbersIn(match?.args[0] ?? '', CLASS_COUNT - 1) ?? []
      const cos = lastOf(each.entries, 'pfc-cos')
      const priorities = numbersIn(cos?.args[0] ?? '', CLASS_COUNT - 1) ?? groups
      for (const priority of priorities) written.add(priority)
      for (const [i, group] of groups.entries())
        lossless.push({ group, priorities: [priorities[i] ?? priorities[0]!], name: each.args[0]! })
      line ??= cos?.line ?? pause.line
    }
    policies.set(name, { lossless, written: [...written].sort((a, b) => a - b), line: line ?? policy.line })
  }
  return policies
}

/** A queue, the name of its class, and that of its WRED profile; '': none. */
type Treated = Queue & { readonly name: string; readonly wred: string; readonly line: Line }

export interface QueuingPolicy {
  /** By queue. */
  readonly queues: ReadonlyMap<number, Treated>
  readonly marks: boolean
  readonly line: Line
}

/** Treatment of packets by a WRED profile: they are green unless a policy colours them. Thresholds are in KB of 1000. */
function earlyOf(use: Entry, profile: Entry | undefined): Queue['early'] {
  if (profile === undefined) return undefined
  const green = lastOf(profile.entries, 'green')
  const [minimum, maximum, probability = ''] = green?.args ?? []
  const marks = lastOf(profile.entries, 'ecn') !== undefined
  const bytes = (kilobytes: string | undefined): number | undefined =>
    kilobytes === undefined ? undefined : Number(kilobytes) * 1000
  const value = {
    marks,
    drops: !marks,
    kminBytes: bytes(minimum),
    kmaxBytes: bytes(maximum),
    pmaxRatio: probability === '' ? undefined : Number(probability) / 100,
    boundsLine: green?.line,
  }
  return { value, line: use.line }
}

export function queuingPoliciesOf(entries: readonly Entry[]): Map<string, QueuingPolicy> {
  const maps = namedOf(entries, 'queuing class-map')
  const profiles = namedOf(entries, 'wred')
  const policies = new Map<string, QueuingPolicy>()
  for (const [name, policy] of namedOf(entries, 'queuing policy')) {
    const queues = new Map<number, Treated>()
    for (const each of allOf(policy.entries, 'class')) {
      const queue = lastOf(maps.get(each.args[0]!)?.entries ?? [], 'queue')
      if (queue === undefined) continue
      const schedule = scheduleIn(each.entries)
      const use = lastOf(each.entries, 'wred')
      const early = use && earlyOf(use, profiles.get(use.args[0]!))
      const named = { name: each.args[0]!, wred: use?.args[0] ?? '', line: each.line }
      queues.set(Number(queue.args[0]), { ...named, ...(schedule && { schedule }), ...(early && { early }) })
    }
    const marks = [...queues.values()].some(({ early }) => early?.value.marks === true)
    policies.set(name, { queues, marks, line: policy.line })
  }
  return policies
}
