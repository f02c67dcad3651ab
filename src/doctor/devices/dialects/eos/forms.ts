/**
 * EOS forms: commands of EOS that decide about QoS, and what a queue of a port or profile says.
 * Source: Arista EOS User Manual, "Quality of Service" and "DCBX and Flow Control"; configurations of aristanetworks/avd.
 */
import { CLASSIFICATION_FORMS } from '../cli/classification.ts'
import type { Entry, Form } from '../cli/entries.ts'
import { PORT_FORMS } from '../cli/interfaces.ts'
import { bytesOf, type Queue } from '../cli/queues.ts'

const QUEUE_FORMS: readonly Form[] = [
  { kind: 'bandwidth', is: /^bandwidth percent (\d+)$/ },
  { kind: 'guaranteed', is: /^(no )?bandwidth guaranteed (?:percent )?\d+/ },
  { kind: 'priority', is: /^(no )?priority(?: strict)?$/ },
  { kind: 'counted', is: /^random-detect ecn count$/ },
  {
    kind: 'ecn',
    is: /^(no )?random-detect ecn(?: minimum-threshold (\d+) (\w+) maximum-threshold (\d+) (\w+))?(?: max-mark-probability (\d+))?(?: weight \d+)?$/,
  },
  { kind: 'drop', is: /^random-detect drop / },
]

/** Commands of a port, and of a profile that ports apply. */
const QOS_FORMS: readonly Form[] = [
  { kind: 'trust', is: /^(no )?qos trust(?: (dscp|cos))?$/ },
  { kind: 'untrusted value', is: /^qos (?:cos|dscp) \d+$/ },
  { kind: 'priority', is: /^(no )?priority-flow-control priority ([0-7]) (no-drop|drop)$/, key: 1 },
  { kind: 'pfc', is: /^(no )?priority-flow-control(?: mode)?(?: (on|off))?$/ },
  { kind: 'watchdog', is: /^(no )?priority-flow-control pause watchdog$/ },
  { kind: 'own watchdog', is: /^priority-flow-control pause watchdog port / },
  { kind: 'dcbx', is: /^(?:no )?dcbx mode / },
  { kind: 'input', is: /^service-policy type qos input (\S+)$/ },
  { kind: 'queue', is: /^(?:uc-)?tx-queue ([0-7])$/, inside: QUEUE_FORMS, key: 0 },
  { kind: 'multicast queue', is: /^mc-tx-queue \d+$/ },
]

export const FORMS: readonly Form[] = [
  { kind: 'hostname', is: /^hostname (\S+)$/ },
  { kind: 'dscp map', is: /^qos map dscp (.+) to traffic-class ([0-7])$/ },
  { kind: 'queue map', is: /^qos map traffic-class ([\d ,-]+) to tx-queue ([0-7])$/ },
  { kind: 'other map', is: /^qos (?:map|rewrite) / },
  { kind: 'shared ecn', is: /^qos random-detect ecn global-buffer / },
  { kind: 'all off', is: /^priority-flow-control all off$/ },
  {
    kind: 'watchdog time',
    is: /^priority-flow-control pause watchdog default (timeout|recovery-time|polling-interval) (\S+)(?: forced)?$/,
    key: 0,
  },
  { kind: 'watchdog action', is: /^priority-flow-control pause watchdog action (\S+)$/ },
  { kind: 'watchdog override', is: /^priority-flow-control pause watchdog override / },
  ...CLASSIFICATION_FORMS,
  { kind: 'profile', is: /^qos profile (\S+)$/, inside: QOS_FORMS },
  {
    kind: 'interface',
    is: /^interface (.+)$/,
    inside: [{ kind: 'service-profile', is: /^service-profile (\S+)$/ }, ...PORT_FORMS, ...QOS_FORMS],
  },
]

/** @param at gives a setting of the queue by its kind */
export function queueOf(at: (kind: string) => Entry | undefined): Queue {
  const [priority, bandwidth, ecn, drop] = [at('priority'), at('bandwidth'), at('ecn'), at('drop')]
  const unweighted = priority && {
    value: priority.args[0] === '' ? ('strict' as const) : ('round-robin' as const),
    line: priority.line,
  }
  const schedule =
    bandwidth === undefined || unweighted?.value === 'strict'
      ? unweighted
      : { value: Number(bandwidth.args[0]), line: bandwidth.line }
  const [no, minimum = '', minimumUnit = '', maximum = '', maximumUnit = '', probability = ''] = ecn?.args ?? []
  const marks = ecn !== undefined && no === ''
  const line = (ecn ?? drop)?.line
  const value = {
    marks,
    drops: drop !== undefined && !marks,
    kminBytes: bytesOf(minimum, minimumUnit),
    kmaxBytes: bytesOf(maximum, maximumUnit),
    pmaxRatio: probability === '' ? undefined : Number(probability) / 100,
  }
  return { ...(schedule && { schedule }), ...(line && { early: { value, line } }) }
}
