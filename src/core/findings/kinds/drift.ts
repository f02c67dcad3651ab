/**
 * Findings on drift: running configurations that are not as desired, or not as most of their role.
 */
import { exactCount, humanValue } from '../../base/format.ts'
import { defineFinding, type FindingKind, type Subject, type Value } from '../finding.ts'
import { alphaText, classText, counted } from '../words.ts'

/** Consequences of a value that breaks a rule of a fabric. */
const CONSEQUENCES = {
  'alpha-smaller': 'it pauses at shorter queues than intended, and its pauses spread',
  'alpha-larger': 'its queues grow longer than intended and take the room of other ports',
  headroom: 'more may arrive after XOFF than headroom holds, so that lossless packets are lost under congestion',
  'headroom-none': 'every pause comes too late: lossless packets are dropped though pauses are sent',
  'headroom-larger': 'headroom takes more of the buffer, so that pauses begin earlier',
  'xon-flutters': 'pause and resume follow each other at every packet',
  'pfc-ends': 'if the other end has other lossless classes, one end ignores pauses, or sends none',
  'pfc-auto': 'whether PFC is in force depends on what the peer says by DCBX',
  'global-pause': 'pauses of the whole link (802.3x) stop all of its classes',
  'egress-drops': 'the egress queue drops packets that PFC cannot save',
  'paused-queue': 'a received pause stops another queue than that of its traffic, which goes on',
  down: 'its traffic takes other paths, or none',
  'smaller-packets': 'RDMA packets are smaller: more of them, and more work for the NIC',
  'host-class': 'a part of the RoCE of the host is in another class, lossy as a rule',
  'receive-buffer': 'the NIC may drop packets after it has paused',
  'set-by-others': 'settings may change behind the back of the operator',
  'other-ports': 'traffic uses other ports than intended, or none',
  'other-gid': 'RoCE leaves with another address or version, or not at all',
  'short-retries': 'queue pairs give up earlier, perhaps in an event that the fabric survives',
  'long-retries': 'a fault hangs for longer before it is seen',
  marking: 'flows through it get other signals than those beside it, and another share of the rate',
  'no-marking': 'congestion there is met by PFC alone and spreads back',
  starving: 'the class starves others, or itself',
  'class-map': 'lossless packets may be lossy at this hop',
  trust: 'packets may be in another class there than at their other hops',
  tags: 'frames with or without a tag may be dropped, or lose their class',
  mtu: 'full packets may vanish while short ones pass',
  speed: 'the link has another rate, or does not come up',
  'no-watchdog': 'a pause storm is never ended there',
  'watchdog-times': 'in the same storm it acts at another time than intended, or falsely',
  'watchdog-action': 'packets overrun the server, or nothing is done against the storm',
  'watchdog-for-good': 'the class stays out of service until a person acts',
  flooding: 'addresses age in another order: lossless packets may be flooded, which can end in deadlock',
  reordering: 'packets overtake each other, which go-back-N takes for loss',
  'no-rate-control': 'marks have no effect: PFC alone holds senders back',
  'rate-control': 'senders share links unequally with those of another control',
  'cnp-class': 'CNPs of some hosts wait in another queue',
  'nic-watchdog': 'a NIC whose receive side hangs pauses its switch until somebody notices',
} as const

export type DriftRule = keyof typeof CONSEQUENCES

export type DriftValues = {
  /** As the model of configurations calls it (src/core/device-model/device-config.ts). */
  readonly field: string
  readonly desired: Value
  readonly running: Value
  /** Null: no consequence is known. */
  readonly rule: DriftRule | null
  /** Names of the ports where it is; absent: at the device or at all its ports. */
  readonly ports?: readonly string[]
  /** Absent: it is not about single classes. */
  readonly classes?: readonly number[]
  readonly dscps?: readonly number[]
  /** Device that has the other value, where nobody knows which is meant. */
  readonly besides?: string
}

/** Values listed one by one. */
const LISTED_MAX = 8

function listText(values: readonly (number | string)[]): string {
  const shown = values.slice(0, LISTED_MAX).join(', ')
  return values.length > LISTED_MAX ? `${shown} and ${exactCount(values.length - LISTED_MAX)} more` : shown
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** A value with the unit that the name of its field ends with. */
function valueText(field: string, value: Value): string {
  if (typeof value === 'number') {
    if (field === 'alpha') return alphaText(value)
    return humanValue(field, value)
  }
  if (isList(value)) return value.length === 0 ? 'none' : value.map((each) => valueText('', each)).join(', ')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, each]) => valueText(name, each))
      .join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** @param expected words before the desired value */
function driftText(
  { field, desired, running, rule, ports, classes, dscps }: DriftValues,
  expected: string,
  { interface: own }: Subject,
): string {
  const of =
    classes === undefined ? (dscps === undefined ? '' : ` of DSCP ${listText(dscps)}`) : ` of ${classText(classes)}`
  const at =
    ports === undefined || own !== undefined ? '' : ` at ${ports.length === 1 ? 'port' : 'ports'} ${listText(ports)}`
  const consequence = rule === null ? 'no consequence is known' : CONSEQUENCES[rule]
  return `${field}${of}${at} is ${valueText(field, running)}, ${expected} ${valueText(field, desired)}: ${consequence}`
}

export const configDrift: FindingKind<DriftValues> = defineFinding<DriftValues>({
  id: 'config-drift',
  severity: 'error',
  meaning: 'A running configuration has another value than the desired one.',
  source: '[MS-Scale] section 5.1',
  remedy: 'set the desired value, or accept the running one',
  text: (values, subject) => driftText(values, 'and desired is', subject),
})

export const roleDrift: FindingKind<DriftValues> = defineFinding<DriftValues>({
  id: 'differs-in-role',
  severity: 'warning',
  meaning: 'A device or a port has another value than most of its role.',
  source: '[MS-Scale] section 5.1',
  remedy: 'give all devices of a role the same value, unless the difference is meant',
  text: (values, subject) => driftText(values, 'and the others of its role have', subject),
})

export const roleSplit: FindingKind<DriftValues> = defineFinding<DriftValues>({
  id: 'split-in-role',
  severity: 'warning',
  meaning: 'Devices of a role have different values, and no value is that of most: nobody knows which is meant.',
  source: '[MS-Scale] section 5.1',
  remedy: 'decide which value is meant, and give it to all devices of the role, unless the difference is meant',
  text: (values, subject) => driftText(values, `and ${values.besides ?? 'another of its role'} has`, subject),
})

export const deviceOnOneSide = defineFinding<{ side: string; devices: number }>({
  id: 'device-on-one-side',
  severity: 'error',
  meaning: 'Devices are in the desired configuration and not in the running one, or the other way round.',
  source: '[MS-Scale] section 5.1',
  remedy: 'compare configurations of the same devices',
  text: ({ side, devices }) =>
    `only the ${side} side has ${devices === 1 ? 'it' : `it and ${counted(devices - 1, 'more device')}`}: nothing is compared there`,
})
