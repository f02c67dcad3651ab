/**
 * Findings on links and on devices beside others: one end set otherwise than the other, one device otherwise than those of
 * its role. Source of the family: [MS-Scale] 5.1 (configurations that drift from the desired ones).
 */
import { exactCount, humanBytes, humanDuration } from '../../base/format.ts'
import { defineFinding, type Value } from '../finding.ts'

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

const textOf = (value: Value | undefined): string => (typeof value === 'string' ? value : '')

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
