/**
 * NX-OS policies: what policies of type network-qos and queuing say of a qos-group. PFC has the priority that "pause" names,
 * whatever the number of the group.
 * Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide.
 */
import type { Line } from '../text.ts'
import { numbersIn } from '../words.ts'
import { allOf, type Entry, type Form, lastOf, namedOf } from '../cli/entries.ts'
import { bytesOf, type Lossless, type Queue, scheduleIn } from '../cli/queues.ts'
import { CLASS_COUNT } from '../../../../core/device-model/index.ts'

const GROUP: Form = { kind: 'group', is: /^match qos-group ([0-7])$/ }

export const POLICY_FORMS: readonly Form[] = [
  { kind: 'network class-map', is: /^class-map type network-qos (?:match-(?:any|all) )?(\S+)$/, inside: [GROUP] },
  { kind: 'queuing class-map', is: /^class-map type queuing (?:match-(?:any|all) )?(\S+)$/, inside: [GROUP] },
  {
    kind: 'network policy',
    is: /^policy-map type network-qos (\S+)$/,
    inside: [
      {
        kind: 'class',
        is: /^class (?:type network-qos )?(\S+)$/,
        inside: [
          { kind: 'pause', is: /^(no )?pause(?: no-drop)?(?: pfc-cos ([0-7](?:[,-][0-7])*))?(?: receive)?$/ },
          { kind: 'mtu', is: /^mtu (\d+)$/ },
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
        is: /^class (?:type queuing )?(\S+)$/,
        inside: [
          { kind: 'bandwidth', is: /^bandwidth (?:remaining )?percent (\d+)$/ },
          { kind: 'priority', is: /^priority(?: level \d)?$/ },
          { kind: 'early', is: /^random-detect (.+)$/ },
        ],
      },
    ],
  },
]

/** Names that the device has defined itself. */
export const BUILT_IN =
  /^(?:class-(?:default|fcoe|all-flood|ip-multicast)$|c-(?:in|out|dflt|nq|\d+q)|default-|fcoe-default)/

interface Pause extends Lossless {
  readonly line: Line
}

export interface NetworkPolicy {
  readonly pauses: readonly Pause[]
  /** Classes of groups: lines that name them. */
  readonly classOf: ReadonlyMap<number, Entry>
  /** Longest packets of groups, and the lines that give them. */
  readonly mtuOf: ReadonlyMap<number, Entry>
  readonly line: Line
}

/** Group of a class: by the number in a name of the device's own, else by what its class-map matches. */
function groupOf(name: string, maps: ReadonlyMap<string, Entry>): number | undefined {
  const [, number] = /^c-(?:out-)?(?:\d+q-)?(?:nq|q)-?([0-7]|default)$/.exec(name) ?? []
  if (number !== undefined) return number === 'default' ? 0 : Number(number)
  if (name === 'class-default') return 0
  const match = lastOf(maps.get(name)?.entries ?? [], 'group')
  return match === undefined ? undefined : Number(match.args[0])
}

export function networkPoliciesOf(entries: readonly Entry[]): Map<string, NetworkPolicy> {
  const maps = namedOf(entries, 'network class-map')
  const policies = new Map<string, NetworkPolicy>()
  for (const [name, policy] of namedOf(entries, 'network policy')) {
    const pauses = new Map<number, Pause>()
    const classOf = new Map<number, Entry>()
    const mtuOf = new Map<number, Entry>()
    for (const each of allOf(policy.entries, 'class')) {
      const group = groupOf(each.args[0]!, maps)
      if (group === undefined) continue
      classOf.set(group, each)
      const mtu = lastOf(each.entries, 'mtu')
      if (mtu !== undefined) mtuOf.set(group, mtu)
      const pause = lastOf(each.entries, 'pause')
      if (pause === undefined) continue
      const priorities = numbersIn(pause.args[1]!, CLASS_COUNT - 1) ?? [group]
      if (pause.args[0] === '') pauses.set(group, { group, priorities, line: pause.line })
      else pauses.delete(group)
    }
    policies.set(name, { pauses: [...pauses.values()], classOf, mtuOf, line: policy.line })
  }
  return policies
}

export interface QueuingPolicy {
  /** By group. */
  readonly queues: ReadonlyMap<number, Queue & { readonly name: string; readonly line: Line }>
  readonly marks: boolean
  readonly line: Line
}

const BOUND = (which: string): RegExp => new RegExp(`\\b${which}-threshold (\\d+) (\\w+)`)
const [MINIMUM, MAXIMUM] = [BOUND('minimum'), BOUND('maximum')]

/** Early drops or marks; thresholds that are no bytes are not known. */
function earlyOf({ args, line }: Entry): Queue['early'] {
  const text = args[0]!
  const marks = /\becn$/.test(text) || /\becn /.test(text)
  const [, minimum = '', minimumUnit = ''] = MINIMUM.exec(text) ?? []
  const [, maximum = '', maximumUnit = ''] = MAXIMUM.exec(text) ?? []
  const probability = /\bdrop-probability (\d+)/.exec(text)?.[1]
  const value = {
    marks,
    drops: !marks,
    kminBytes: bytesOf(minimum, minimumUnit),
    kmaxBytes: bytesOf(maximum, maximumUnit),
    pmaxRatio: probability === undefined ? undefined : Number(probability) / 100,
  }
  return { value, line }
}

export function queuingPoliciesOf(entries: readonly Entry[]): Map<string, QueuingPolicy> {
  const maps = namedOf(entries, 'queuing class-map')
  const policies = new Map<string, QueuingPolicy>()
  for (const [name, policy] of namedOf(entries, 'queuing policy')) {
    const queues = new Map<number, Queue & { name: string; line: Line }>()
    for (const each of allOf(policy.entries, 'class')) {
      const group = groupOf(each.args[0]!, maps)
      if (group === undefined) continue
      const schedule = scheduleIn(each.entries)
      const random = lastOf(each.entries, 'early')
      queues.set(group, {
        name: each.args[0]!,
        line: each.line,
        ...(schedule && { schedule }),
        ...(random && { early: earlyOf(random)! }),
      })
    }
    const marks = [...queues.values()].some(({ early }) => early?.value.marks === true)
    policies.set(name, { queues, marks, line: policy.line })
  }
  return policies
}
