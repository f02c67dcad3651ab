/** Rules about buffers and marking of switches. */
import { humanBytes, humanShare } from '../../../base/format.ts'
import { alphaText } from '../../words.ts'
import { classesText, defineRuleFinding } from './define.ts'

export const buf01 = defineRuleFinding<{
  priority: number
  headroomBytes: number
  leastBytes: number
  mostBytes: number
  cableM: number
  basis: string
}>({
  rule: 'BUF01',
  severity: 'error',
  meaning: 'Headroom is smaller than what arrives after a pause, or more than twice as large.',
  consequence: 'lossless packets are dropped under congestion where it is too small, and only then',
  remedy: 'set a larger xoff, or the right length of the cable',
  formula: 'largest packet of both ends + response time + 2 x cable, in cells; rows that vendors ship count first',
  source: '802.1Qbb annex O; SONiC pg_profile_lookup.ini',
  text: ({ priority, headroomBytes, leastBytes, mostBytes, cableM, basis }) =>
    `priority ${priority} has ${humanBytes(headroomBytes)} of headroom, and ${cableM} m of cable need ` +
    `${leastBytes === mostBytes ? '' : mostBytes > 1e12 ? 'at least ' : `${humanBytes(leastBytes)} to `}${humanBytes(mostBytes > 1e12 ? leastBytes : mostBytes)} (${basis})`,
})

export const buf02 = defineRuleFinding<{ profile: string; rateBps: number; cableM: number; isInTable: boolean }>({
  rule: 'BUF02',
  severity: 'error',
  meaning: 'The profile of headroom is for another speed or cable than those of the port, or no row is known for them.',
  consequence: 'the port has no lossless profile, or that of another cable',
  remedy: 'add the row to pg_profile_lookup.ini, or use a listed length',
  source: 'SONiC, buffer manager',
  text: ({ profile, rateBps, cableM, isInTable }) =>
    isInTable
      ? `the profile is ${profile}, and the port has ${rateBps / 1e6} Mb/s and ${cableM} m`
      : `no row is known for ${rateBps / 1e6} Mb/s and ${cableM} m`,
})

export const buf05 = defineRuleFinding<{ priority: number; alpha: number }>({
  rule: 'BUF05',
  severity: 'warning',
  meaning: 'The share of the free pool that a lossless class may take is below 1/16.',
  consequence: 'it pauses at short queues',
  remedy: 'raise alpha to 1/16 or more (dynamic_th -4)',
  source: '[MS-Scale] section 6.2',
  text: ({ priority, alpha }) => `priority ${priority} has ${alphaText(alpha)}`,
})

export const buf06 = defineRuleFinding<{ promisedBytes: number; bytes: number; ratio: number | null }>({
  rule: 'BUF06',
  severity: 'warning',
  meaning:
    'Shared headroom is promised more often than its switch allows, or own headroom takes more than half of the buffer.',
  consequence: 'several ports that are congested at once overflow it, or little is left to share',
  remedy: 'make the shared headroom of the pool (xoff) larger, or share the headroom',
  source: 'SONiC, shared headroom pool',
  text: ({ promisedBytes, bytes, ratio }) =>
    ratio === null
      ? `${humanBytes(promisedBytes)} of headroom are set aside, and ${humanBytes(bytes)} are left in the pool`
      : `${humanBytes(promisedBytes)} of headroom are promised from ${humanBytes(bytes)}, and ${ratio} times are allowed`,
})

export const buf07 = defineRuleFinding<{ priority: number }>({
  rule: 'BUF07',
  severity: 'error',
  meaning: 'The egress queue of a lossless class may drop packets before the class is paused.',
  consequence: 'packets are dropped that PFC cannot save',
  remedy: 'let the egress queue take the whole pool (static_th = size of the pool, or dynamic_th 7)',
  source: 'SONiC, buffer templates',
  text: ({ priority }) => `the egress queue of priority ${priority} has a limit of its own`,
})

export const buf08 = defineRuleFinding<{ priority: number; xonBytes: number | null; xoffBytes: number | null }>({
  rule: 'BUF08',
  formerIds: ['xon-above-xoff'],
  severity: 'error',
  meaning: 'A pause does not end below the fill at which it began.',
  consequence: 'the port pauses and resumes with each packet',
  remedy: 'set xon_offset to two packets',
  source: 'SAI, saibuffer.h',
  text: ({ priority, xonBytes, xoffBytes }) =>
    xonBytes === null || xoffBytes === null
      ? `xon and xon_offset of priority ${priority} are 0`
      : `priority ${priority} is paused at ${humanBytes(xoffBytes)} and resumed at ${humanBytes(xonBytes)}`,
})

export const buf10 = defineRuleFinding<{ priority: number; reserveBytes: number; needBytes: number }>({
  rule: 'BUF10',
  severity: 'warning',
  meaning: 'The reserve of a lossless group is smaller than its xon and xoff together (NVIDIA).',
  consequence: 'the reserve is too small for its own headroom',
  remedy: 'size = xon + xoff',
  source: 'SONiC, headroom of NVIDIA platforms',
  text: ({ priority, reserveBytes, needBytes }) =>
    `the size of priority ${priority} is ${humanBytes(reserveBytes)}, and xon + xoff are ${humanBytes(needBytes)}`,
})

export const buf11 = defineRuleFinding<{ lossless: readonly number[] }>({
  rule: 'BUF11',
  severity: 'error',
  meaning: 'PFC is on, and nothing is kept for what arrives after a pause.',
  consequence: 'every pause comes too late: packets are dropped at ingress though pauses are sent',
  remedy: 'give the port a lossless profile for exactly its speed and cable',
  source: 'SONiC, buffer manager; Junos CoS guide',
  text: ({ lossless }) => `no headroom is there for priority ${classesText(lossless)}`,
})

export const buf12 = defineRuleFinding<{ defaultM: number; cableM: number | null }>({
  rule: 'BUF12',
  severity: 'note',
  meaning: 'Headroom is computed for the cable that a switch assumes where none is given.',
  consequence: 'headroom is larger or smaller than necessary',
  remedy: 'set the length of the cable',
  text: ({ defaultM, cableM }) =>
    `the cable is taken to have ${defaultM} m${cableM === null ? '' : `, and the list says ${cableM} m`}`,
})

export const ecn01 = defineRuleFinding<{
  priority: number
  kminBytes: number
  xoffBytes: number
  /** All other ports of the switch together, where marking begins above even that; null: below. */
  togetherBytes: number | null
}>({
  rule: 'ECN01',
  formerIds: ['marks-after-pauses'],
  severity: 'error',
  meaning: 'Marking begins at or above the fill at which a single group is paused.',
  consequence: 'senders are paused before they are slowed down',
  remedy: 'lower Kmin',
  formula: 'T(1) = reserve + pool x alpha / (1 + alpha)',
  source: '[Survey] section V-B',
  text: ({ priority, kminBytes, xoffBytes, togetherBytes }) =>
    `priority ${priority} is marked from ${humanBytes(kminBytes)} and paused from ${humanBytes(xoffBytes)}` +
    (togetherBytes === null
      ? ''
      : `, and no queue is ever marked: all ports together hold ${humanBytes(togetherBytes)}`),
})

export const ecn02 = defineRuleFinding<{ priority: number; kmaxBytes: number; xoffBytes: number }>({
  rule: 'ECN02',
  severity: 'warning',
  meaning: 'Marking is complete only at or above the fill at which a single group is paused.',
  consequence: 'marks come too late where many groups are full',
  remedy: 'lower Kmax',
  formula: 'T(1) = reserve + pool x alpha / (1 + alpha)',
  source: '[Survey] section V-B',
  text: ({ priority, kmaxBytes, xoffBytes }) =>
    `priority ${priority} is marked in full from ${humanBytes(kmaxBytes)} and paused from ${humanBytes(xoffBytes)}`,
})

export const ecn03 = defineRuleFinding<{ priority: number }>({
  rule: 'ECN03',
  formerIds: ['lossless-without-signal'],
  severity: 'error',
  meaning: 'The queue of a lossless class marks no packets.',
  consequence: 'nothing slows senders down at this hop: congestion is met by PFC alone',
  remedy: 'turn ECN on for the queue',
  source: '[Survey] section V-B',
  text: ({ priority }) => `the queue of priority ${priority} marks nothing`,
})

export const ecn07 = defineRuleFinding<{ priority: number; marking: number }>({
  rule: 'ECN07',
  severity: 'error',
  meaning: 'Marking is on at some hops of a path and off at one.',
  consequence: 'congestion there is met by PFC alone and spreads back',
  remedy: 'turn ECN on at every hop',
  source: '[Survey] section V-B',
  text: ({ priority, marking }) => `priority ${priority} is not marked here, and is at ${marking} other ports`,
})

export const buf04 = defineRuleFinding<{ priority: number; alpha: number; usual: number; platform: string }>({
  rule: 'BUF04',
  formerIds: ['alpha-differs-in-role'],
  severity: 'error',
  meaning: 'A switch gives a lossless class another share of the free pool than others of its role.',
  consequence: 'the switch with the smaller share pauses first, for all',
  remedy: 'give all switches of a role the same dynamic_th',
  source: '[MS-Scale] section 6.2',
  text: ({ priority, alpha, usual }) =>
    `priority ${priority} has ${alphaText(alpha)}, and others of its role have ${alphaText(usual)}`,
})

export const ecn04 = defineRuleFinding<{ priority: number; field: string; here: number; usual: number }>({
  rule: 'ECN04',
  formerIds: ['marking-differs-in-role'],
  severity: 'warning',
  meaning: 'A switch marks from other thresholds than others of its role and speed.',
  consequence: 'flows through it get another share of the rate',
  remedy: 'give all switches of a role the same profile',
  source: '[MS-Scale] section 5.1',
  text: ({ priority, field, here, usual }) =>
    `${field} of priority ${priority} is ${shown(field, here)}, and ${shown(field, usual)} at others of its role`,
})

const shown = (field: string, value: number): string =>
  field.endsWith('Bytes') ? humanBytes(value) : humanShare(value)
