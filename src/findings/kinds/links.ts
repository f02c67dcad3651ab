/**
 * Findings on links and on devices beside others: one end set otherwise than the other, one device otherwise than those of
 * its role. Source of the family: [MS-Scale] 5.1 (configurations that drift from the desired ones).
 */
import { exactCount, humanBytes, humanDuration, humanShare } from '../../base/format.ts'
import { defineFinding, type Value } from '../finding.ts'
import { alphaText, classText } from '../words.ts'

const DRIFT = '[MS-Scale] section 5.1'

export const hostsUnreachable = defineFinding<{ pairs: number; ofPairs: number; source: string; flows: number }>({
  id: 'hosts-unreachable',
  severity: 'error',
  meaning:
    'There are hosts without a path between them, from the start or once links and switches have gone down for good.',
  source: '',
  remedy: 'look for links that are missing in the topology',
  text: ({ pairs, ofPairs, source, flows }) => {
    const lost =
      flows === 0 ? '' : flows === 1 ? ', and one flow never ends' : `, and ${exactCount(flows)} flows never end`
    return `no path from ${source}: ${exactCount(pairs)} of ${exactCount(ofPairs)} pairs of hosts have no path${lost}`
  },
})

export const pfcAtOneEnd = defineFinding<{
  classes: readonly number[]
  expectedClasses: readonly number[]
  missingClasses: readonly number[]
  isSwitch: boolean
}>({
  id: 'pfc-at-one-end',
  severity: 'error',
  meaning:
    'PFC is on for a class at one end of a link and off at the other, so that pause frames of one are ignored by the other.',
  source: DRIFT,
  remedy: 'give both ends the same pfc.classes',
  text: ({ missingClasses, isSwitch }, { device, port }) => {
    const classes = classText(missingClasses)
    const drops = isSwitch ? `, and ${device} drops them when its buffer is full, instead of pausing ${port}` : ''
    return (
      `no PFC for ${classes}, and ${port} has it: pause frames of ${port} are ignored, so that its headroom overflows and ` +
      `packets of ${classes} are lost there${drops}`
    )
  },
})

export const headroomForOtherLength = defineFinding<{ delayPs: number; expectedDelayPs: number }>({
  id: 'headroom-for-another-cable',
  severity: 'warning',
  meaning: 'A port computes its headroom for a cable of another length than the one that is plugged in.',
  formula: 'switch.buffer.believedDelay is not the delay of the link',
  source: `${DRIFT}; 802.1Qbb annex O`,
  remedy: 'set switch.buffer.believedDelay to the delay of the cable, or leave it out',
  text: ({ delayPs, expectedDelayPs }) =>
    `headroom is for a cable of ${humanDuration(delayPs)}, and the link has ${humanDuration(expectedDelayPs)}: ` +
    (delayPs < expectedDelayPs
      ? 'more arrives after XOFF than headroom holds, so that lossless packets are lost under congestion'
      : 'headroom is larger and the shared pool smaller than necessary, so that pauses begin too early'),
  weight: ({ delayPs, expectedDelayPs }) => expectedDelayPs - delayPs,
})

export const mtuBelowFrames = defineFinding<{ mtuBytes: number; longestBytes: number }>({
  id: 'mtu-below-frames',
  severity: 'error',
  meaning: 'A port drops packets that are sent to it, as they are longer than its MTU.',
  formula: 'MTU of the port < longest packet of the scenario',
  source: DRIFT,
  remedy: 'raise the MTU of the port, or lower frames.payload',
  text: ({ mtuBytes, longestBytes }) =>
    `the MTU is ${humanBytes(mtuBytes)}, and packets have up to ${humanBytes(longestBytes)}: ` +
    'full packets are dropped there, so that connections open and short messages pass, and long ones never end',
})

export const vlanTagNotTaken = defineFinding<{ sent: string; taken: string; mode: string | null }>({
  id: 'vlan-tag-not-taken',
  severity: 'error',
  meaning:
    'One end of a link sends frames with a VLAN tag that the other does not take, or without one that it expects.',
  source: '[MS-Scale] section 3',
  remedy: 'set switch.vlan.ports and nic.vlan so that both ends agree',
  text: ({ sent, taken, mode }, { port }) =>
    `the ${mode === null ? 'NIC' : `port, in mode ${mode},`} takes ${taken} frames only, and ${port} sends ${sent} ones: ` +
    'every frame is dropped there; a host that boots over the network (PXE) never gets an answer',
})

export const nicTrustsMissingTag = defineFinding<{ losslessClasses: readonly number[] }>({
  id: 'nic-trusts-missing-tag',
  severity: 'error',
  meaning: 'A NIC reads the class of a packet from a VLAN tag, and its packets have none.',
  source: '[MS-Scale] section 3',
  remedy: 'set nic.trust=dscp, or send tagged frames',
  text: ({ losslessClasses }, { port }) =>
    'the NIC trusts the PCP, its frames have no tag, and switches read the DSCP: all its packets are class 0 in the NIC, ' +
    `so that pauses of ${classText(losslessClasses)} do not hold them back and ${port} loses lossless packets`,
})

export const classMapDiffers = defineFinding<
  { field: string; expectedField: string } | { dscp: number; class: number; expectedClass: number; isLost: boolean }
>({
  id: 'class-map-differs',
  severity: 'error',
  meaning: 'A switch puts packets into other classes than its neighbours do.',
  source: DRIFT,
  remedy: 'give all switches the same classes',
  text: (values) => {
    if ('field' in values)
      return (
        `it reads the ${values.field}, and the others the ${values.expectedField}: ` +
        'it puts packets into other classes than its neighbours, so that lossless packets may be lossy here'
      )
    const { dscp, class: found, expectedClass, isLost } = values
    return (
      `DSCP ${dscp} is class ${found}, and class ${expectedClass} at the others: ` +
      (isLost
        ? `packets of class ${expectedClass} are lossy there, dropped when the buffer is full, and pause nobody`
        : `packets of class ${expectedClass} wait, and are paused, with those of class ${found} there`)
    )
  },
})

type RoleValue = Readonly<Record<string, number | string | null>>

/** The values of a device beside those that others of its role have. */
export type RoleValues = {
  readonly found: RoleValue
  readonly expected: RoleValue
  /** Devices at the other ends of the ports that have them; absent: one port, which is the subject, or all. */
  readonly ports?: readonly string[]
}

/** Ports that are listed; the others are counted. */
const PORTS_SHOWN = 4

function besideOthers(
  { found, expected, ports }: RoleValues,
  describe: (values: RoleValue) => string,
  effect: string,
): string {
  const more = (ports?.length ?? 0) - PORTS_SHOWN
  const rest = more > 0 ? ` and ${exactCount(more)} more` : ''
  const at = ports === undefined ? '' : `, at its ports to ${ports.slice(0, PORTS_SHOWN).join(', ')}${rest}`
  return `${describe(found)}${at}, where the others of its role have ${describe(expected)}: ${effect}`
}

export const alphaDiffersInRole = defineFinding<RoleValues>({
  id: 'alpha-differs-in-role',
  severity: 'warning',
  meaning: 'A switch or a port shares its buffer by another alpha than most of its role.',
  source: '[MS-Scale] section 6.2 (another alpha at one type of switch)',
  remedy: 'give all devices of a role the same alpha, unless the difference is meant',
  text: (values) =>
    besideOthers(
      values,
      ({ alpha }) => `alpha ${alphaText(Number(alpha))}`,
      Number(values.found['alpha']) < Number(values.expected['alpha'])
        ? 'it pauses at shorter queues than the others, and its pauses spread'
        : 'it lets queues grow longer than the others, which pauses later and takes the room of its other ports',
    ),
})

export const markingDiffersInRole = defineFinding<RoleValues>({
  id: 'marking-differs-in-role',
  severity: 'warning',
  meaning: 'A switch or a port marks packets by other thresholds than most of its role.',
  source: DRIFT,
  remedy: 'give all devices of a role the same switch.ecn, unless the difference is meant',
  text: (values) =>
    besideOthers(
      values,
      ({ kminBytes, kmaxBytes, pmax, classes }) => {
        const marked = `marks of class ${classes === '' ? 'none' : textOf(classes)}`
        return typeof kminBytes === 'number'
          ? `${marked} from ${humanBytes(kminBytes)} to ${humanBytes(Number(kmaxBytes))}, up to ${humanShare(Number(pmax), 2)}`
          : marked
      },
      'flows through it get other signals than those beside it, and another share of the rate',
    ),
})

const textOf = (value: Value | undefined): string => (typeof value === 'string' ? value : '')

const isOff = (value: Value | undefined): boolean => value === 'off'

export const watchdogMissing = defineFinding<RoleValues>({
  id: 'watchdog-missing',
  severity: 'warning',
  meaning: 'A device has no watchdog against pause storms and most of its role have one, or the other way round.',
  source: '[MS-Scale] section 4.3',
  remedy: 'give all devices of a role the watchdog, or none',
  text: (values, { path }) => {
    const isNic = path === 'nic.watchdog'
    const what = isNic ? 'watchdog in the NIC' : 'PFC watchdog'
    const effect = isOff(values.found['watchdog'])
      ? isNic
        ? 'if its receive pipeline stops, it pauses its switch without end'
        : 'a pause storm at its ports is never ended'
      : isNic
        ? 'it alone ends its pauses'
        : 'it alone takes classes out of service'
    return besideOthers(values, ({ watchdog }) => `${isOff(watchdog) ? 'no' : 'a'} ${what}`, effect)
  },
})

export const watchdogDiffersInRole = defineFinding<RoleValues>({
  id: 'watchdog-differs-in-role',
  severity: 'warning',
  meaning: 'The watchdog of a device has other times or another action than those of most of its role.',
  source: '[MS-Scale] section 4.3',
  remedy: 'give all watchdogs of a role the same settings',
  text: (values, { path }) => {
    const timeOf = (value: Value | undefined): string => humanDuration(Number(value))
    if (path === 'nic.watchdog')
      return besideOthers(
        values,
        ({ detectionPs }) => `a watchdog in the NIC after ${timeOf(detectionPs)}`,
        'in the same storm it acts at another time than the others',
      )
    return besideOthers(
      values,
      ({ kind, action, ports, detectionPs, restorationPs, pollPs }) =>
        `watchdog ${textOf(kind)}, ${textOf(action)} at ports ${textOf(ports)} after ${timeOf(detectionPs)}, back after ` +
        `${typeof restorationPs === 'string' ? restorationPs : timeOf(restorationPs)}, polls every ${timeOf(pollPs)}`,
      'in the same storm it acts at another time than the others, or differently',
    )
  },
})

export const pfcDiffersInRole = defineFinding<RoleValues>({
  id: 'pfc-differs-in-role',
  severity: 'warning',
  meaning:
    'A device or a port has other lossless classes than most of its role, and the other ends of its links have them too.',
  source: DRIFT,
  remedy: 'give all devices of a role the same pfc.classes, unless the difference is meant',
  text: (values) =>
    besideOthers(
      values,
      ({ classes }) => (classes === '' ? 'no PFC' : `PFC for class ${textOf(classes)}`),
      'packets that are lossless on one path may be lost on another',
    ),
})

export const headroomDiffersInRole = defineFinding<RoleValues>({
  id: 'headroom-differs-in-role',
  severity: 'warning',
  meaning: 'A switch or a port keeps another headroom than most ports of its role with the same rate and cable.',
  source: DRIFT,
  remedy: 'give all ports of a role the same headroom, unless the difference is meant',
  text: (values) =>
    besideOthers(
      values,
      ({ headroom }) =>
        typeof headroom === 'number' ? `headroom of ${humanBytes(headroom)}` : `headroom by the formula ${headroom}`,
      'it loses lossless packets under congestion before the others do, or has less of its buffer to share',
    ),
})
