/** Rules about PFC, maps and watchdogs of switches. */
import { humanDuration } from '../../../base/format.ts'
import { classesText, defineRuleFinding } from './define.ts'

export const ref01 = defineRuleFinding<{ problem: 'undefined' | 'unapplied'; what: string; name: string }>({
  rule: 'REF01',
  severity: 'error',
  meaning:
    'A map, class, policy, profile or pool is named and not defined, or defined for PFC or ECN and applied nowhere.',
  consequence: 'the setting that is meant is not in force',
  remedy: 'define it, or apply it where it is meant',
  source: '',
  text: ({ problem, what, name }) =>
    `${what} ${name} is ${problem === 'undefined' ? 'not defined' : 'applied nowhere'}`,
})

export const pfc02 = defineRuleFinding<{ lossless: readonly number[]; withHeadroom: readonly number[] }>({
  rule: 'PFC02',
  severity: 'error',
  meaning: 'The priorities with room for what arrives after a pause are not those that PFC pauses.',
  consequence: 'pauses without headroom drop packets, and headroom without PFC is wasted',
  remedy: 'give the priorities with PFC a lossless profile, and no others',
  text: ({ lossless, withHeadroom }) =>
    `PFC is on for ${classesText(lossless)}, and headroom is there for ${classesText(withHeadroom)}`,
})

export const pfc03 = defineRuleFinding<{ priority: number; queue: number; pausedQueue: number }>({
  rule: 'PFC03',
  severity: 'error',
  meaning: 'Received pauses of a lossless priority stop another queue than its packets are in.',
  consequence: 'traffic goes on while it should be paused, and the headroom of the peer overflows',
  remedy: 'have pauses stop the queue of the class',
  text: ({ priority, queue, pausedQueue }) =>
    `pauses of priority ${priority} stop ${pausedQueue < 0 ? 'no queue' : `queue ${pausedQueue}`}, and its packets are in queue ${queue}`,
})

export const pfc04 = defineRuleFinding<{ lossless: readonly number[] }>({
  rule: 'PFC04',
  severity: 'warning',
  meaning: 'A port has more than two lossless priorities.',
  consequence: 'headroom for each of them is taken from the pool',
  remedy: 'use fewer lossless classes, or accept the finding where they are meant (dual-ToR of SONiC)',
  text: ({ lossless }) => `priorities ${classesText(lossless)} are lossless`,
})

export const pfc05 = defineRuleFinding<{ what: 'group' | 'queue'; index: number; lossless: number; lossy: number }>({
  rule: 'PFC05',
  severity: 'error',
  meaning: 'Lossless packets share a priority group or a queue with lossy ones.',
  consequence: 'lossy traffic is paused, or lossless traffic dropped',
  remedy: 'give the lossless class a group and a queue of its own',
  text: ({ what, index, lossless, lossy }) =>
    `lossless class ${lossless} and lossy class ${lossy} share ${what} ${index}`,
})

export const map04 = defineRuleFinding<{ lossless: readonly number[] }>({
  rule: 'MAP04',
  severity: 'error',
  meaning: 'PFC is on at a port on which nothing gives packets the lossless class.',
  consequence: 'all traffic is lossy there',
  remedy: 'bind the map of DSCPs to the port',
  text: ({ lossless }) => `PFC is on for ${classesText(lossless)}, and no packet comes into that class`,
})

export const map05 = defineRuleFinding<{ dscps: readonly number[]; lossless: number }>({
  rule: 'MAP05',
  severity: 'warning',
  meaning: 'Packets without a mark (DSCP 0), of voice (46) or of control (48, 56) are in the lossless class.',
  consequence: 'traffic that nobody meant gets paused, and pauses others',
  remedy: 'keep the lossless class to the DSCPs of RoCE',
  text: ({ dscps, lossless }) => `DSCP ${dscps.join(', ')} is in lossless class ${lossless}`,
})

export const wd01 = defineRuleFinding<{ unwatched: readonly number[] }>({
  rule: 'WD01',
  formerIds: ['watchdog-missing'],
  severity: 'error',
  meaning: 'PFC is on, and no watchdog ends a pause storm.',
  consequence: 'one NIC that pauses without end stops the fabric',
  remedy: 'turn the PFC watchdog on for the port and its lossless priorities',
  source: '[MS-Scale] section 4.3',
  text: ({ unwatched }) => `nothing watches priority ${classesText(unwatched)}`,
})

export const wd02 = defineRuleFinding<{ detectionPs: number; restorationPs: number | null; pollPs: number }>({
  rule: 'WD02',
  severity: 'error',
  meaning: 'The watchdog detects or restores within less than one poll.',
  consequence: 'storms are seen where there are none, or are missed',
  remedy: 'raise the times to one poll or more',
  source: 'SONiC, PFC watchdog',
  text: ({ detectionPs, restorationPs, pollPs }) =>
    `detection takes ${humanDuration(detectionPs)}${restorationPs === null ? '' : ` and restoration ${humanDuration(restorationPs)}`}, and a poll ${humanDuration(pollPs)}`,
})

export const wd03 = defineRuleFinding<{ action: string }>({
  rule: 'WD03',
  formerIds: ['watchdog-only-alerts'],
  severity: 'warning',
  meaning: 'The watchdog forwards the packets of a class that is stormed at a server, or does nothing but tell.',
  consequence: 'packets overrun the server, or the storm goes on',
  remedy: 'let it drop',
  source: '[MS-Scale] section 4.3',
  text: ({ action }) => `the action of the watchdog is ${action}`,
})

export const wd04 = defineRuleFinding({
  rule: 'WD04',
  formerIds: ['watchdog-without-restoration'],
  severity: 'warning',
  meaning: 'The watchdog never brings a class back.',
  consequence: 'the class stays out of service until a person acts',
  remedy: 'set a restoration time',
  text: () => 'there is no restoration time',
})

export const fld01 = defineRuleFinding({
  rule: 'FLD01',
  severity: 'error',
  meaning: 'Packets to an unknown MAC address are flooded in lossless classes, too.',
  consequence: 'copies wait for ports that are paused, which can end in deadlock',
  remedy: 'drop lossless packets without a MAC entry',
  source: '[MS-Scale] section 4.2',
  text: () => 'lossless packets to an unknown MAC address are flooded',
})

export const fld03 = defineRuleFinding<{ arpSeconds: number; macAgeSeconds: number }>({
  rule: 'FLD03',
  severity: 'warning',
  meaning: 'MAC entries age before ARP entries do.',
  consequence: 'packets to a host that has been silent are flooded',
  remedy: 'let MAC entries live longer than ARP entries',
  source: '[MS-Scale] section 4.2',
  text: ({ arpSeconds, macAgeSeconds }) => `MAC entries live ${macAgeSeconds} s and ARP entries ${arpSeconds} s`,
})

export const sch01 = defineRuleFinding<{ lossless: number; schedule: number | string }>({
  rule: 'SCH01',
  severity: 'warning',
  meaning: 'The lossless queue has strict priority, or no share at all.',
  consequence: 'it starves other queues, or itself',
  remedy: 'give it a share (DWRR)',
  text: ({ lossless, schedule }) =>
    `lossless class ${lossless} is scheduled ${schedule === 0 ? 'with weight 0' : schedule}`,
})

export const cnp01 = defineRuleFinding<{
  dscp: number
  trafficClass: number
  isLossless: boolean
  schedule: number | string
}>({
  rule: 'CNP01',
  severity: 'warning',
  meaning: 'CNPs wait in a queue that is not strict, or are in the lossless class.',
  consequence: 'the feedback waits behind the congestion that it reports',
  remedy: 'give CNPs a strict queue of their own',
  source: '[Survey] section V-B',
  text: ({ dscp, trafficClass, isLossless, schedule }) =>
    `CNPs (DSCP ${dscp}) are in class ${trafficClass}, ${isLossless ? 'which is lossless' : `scheduled ${schedule}`}`,
})
