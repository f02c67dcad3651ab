/** Rules about the two ends of a link. */
import { humanRate } from '../../../base/format.ts'
import { classesText, defineRuleFinding } from './define.ts'

const USES = { unused: 'no file says that', unknown: 'nothing tells whether' }

export const pfc01 = defineRuleFinding<{
  here: readonly number[]
  there: readonly number[]
  peer: string
  /** Priorities of one end alone, and whether RoCE uses any of them, as far as files tell. */
  odd: readonly number[]
  use: 'used' | 'unused' | 'unknown'
}>({
  rule: 'PFC01',
  formerIds: ['pfc-at-one-end'],
  severity: 'error',
  meaning: 'The two ends of a link have PFC for different priorities.',
  consequence: 'the end without it neither pauses nor obeys pauses, so that packets of such a priority are dropped',
  remedy: 'give both ends PFC for the same priorities',
  source: 'IEEE 802.1Q 36.1',
  text: ({ here, there, peer, odd, use }) =>
    `PFC is in force for ${classesText(here)} here and for ${classesText(there)} at ${peer}` +
    (use === 'used' ? '' : `, and ${USES[use]} RoCE is in ${classesText(odd)}`),
})

export const pfc08 = defineRuleFinding<{ written: readonly number[]; inForce: readonly number[] | null; mode: string }>(
  {
    rule: 'PFC08',
    severity: 'error',
    meaning: 'PFC is written down and not in force.',
    consequence: 'the port looks lossless in the configuration and is not',
    remedy: 'turn PFC on at the port, for the priorities that are meant, without depending on DCBX',
    source: 'manuals of NX-OS, EOS, OS10, Junos and Cumulus Linux',
    text: ({ written, inForce, mode }) =>
      inForce === null
        ? `PFC for ${classesText(written)} depends on DCBX (mode ${mode}), and nothing tells whether it is in force`
        : `PFC is ${mode === '' ? 'written' : `in mode ${mode}`} for ${classesText(written)} and in force for ${classesText(inForce)}`,
  },
)

export const pfc07 = defineRuleFinding<{ peer: string }>({
  rule: 'PFC07',
  severity: 'warning',
  meaning: 'PFC works in one direction only (asymmetric) at one end of a link.',
  consequence: 'pauses flow in one direction only',
  remedy: 'give both ends the same setting',
  text: ({ peer }) => `PFC is asymmetric here and not at ${peer}`,
})

export const map02 = defineRuleFinding<{
  dscp: number
  here: number
  there: number
  peer: string
}>({
  rule: 'MAP02',
  severity: 'error',
  meaning: 'A DSCP in use for RoCE has another priority at the NIC than at the switch port.',
  consequence:
    'the switch pauses a priority that the NIC does not use for this traffic, or the class is lossy at one end',
  remedy: 'map the DSCP to the same lossless priority at both ends',
  text: ({ dscp, here, there, peer }) => `DSCP ${dscp} has priority ${here} here and ${there} at ${peer}`,
})

export const vln01 = defineRuleFinding({
  rule: 'VLN01',
  severity: 'error',
  meaning: 'A port takes the class from the VLAN tag, and its frames have none.',
  consequence: 'all RoCE is in class 0 there',
  remedy: 'classify by DSCP',
  source: '[MS-Scale] section 3',
  text: () => 'the port classifies by the priority of the VLAN tag, and frames are untagged',
})

export const vln02 = defineRuleFinding<{ taken: string; sent: string; peer: string }>({
  rule: 'VLN02',
  formerIds: ['vlan-tag-not-taken'],
  severity: 'error',
  meaning: 'One end sends tagged frames, and the other takes untagged ones, or the reverse.',
  consequence: 'every frame is dropped there; a host that boots over the network (PXE) never gets an answer',
  remedy: 'give both ends tagged frames, or both untagged ones',
  source: '[MS-Scale] section 3',
  text: ({ taken, sent, peer }) => `the port takes ${taken} frames only, and ${peer} sends ${sent} ones`,
})

/** The largest packet: payloads that nobody knows are taken for the largest. */
type Packet = { readonly needBytes: number; readonly isAssumed: boolean }

const packetText = ({ needBytes, isAssumed }: Packet): string =>
  `the largest RoCE packet ${isAssumed ? 'may have' : 'has'} ${needBytes}`

export const mtu01 = defineRuleFinding<Packet & { hereBytes: number; thereBytes: number; peer: string }>({
  rule: 'MTU01',
  formerIds: ['mtu-below-frames'],
  severity: 'error',
  meaning:
    'The MTU of a port is below the largest RoCE packet (warning: nobody knows the payload), or differs from that of its peer.',
  consequence: 'full packets vanish and short ones pass where it is too small: connections come up and hang',
  remedy: 'give all ports the same MTU',
  formula:
    'largest packet = payload + 60 bytes (IPv4, UDP, BTH, RETH, ICRC); payload: 4096 from an MTU of 4192 on, 2048 from 2144, 1024 from 1120',
  source: 'RoCEv2 (IBTA annex A17)',
  text: ({ hereBytes, thereBytes, needBytes, isAssumed, peer }) =>
    hereBytes < needBytes
      ? `the MTU is ${hereBytes} bytes and ${packetText({ needBytes, isAssumed })}`
      : `the MTU is ${hereBytes} bytes here and ${thereBytes} at ${peer}, both above the largest RoCE packet of ${needBytes}`,
})

export const buf03 = defineRuleFinding<{ setM: number; cableM: number }>({
  rule: 'BUF03',
  formerIds: ['headroom-for-another-cable'],
  severity: 'warning',
  meaning: 'A port is set to another length than its cable has.',
  consequence: 'headroom is for another cable: too small, or taken from the shared pool',
  remedy: 'set the length of the cable that is plugged in',
  weight: ({ setM, cableM }) => cableM - setM,
  text: ({ setM, cableM }) => `the length is set to ${setM} m, and the cable has ${cableM} m`,
})

export const spd01 = defineRuleFinding<{ field: string; here: string | number; there: string | number; peer: string }>({
  rule: 'SPD01',
  severity: 'warning',
  meaning: 'Speed, FEC or auto-negotiation differ between the two ends of a link.',
  consequence: 'the link flaps, has errors or does not come up',
  remedy: 'give both ends the same settings',
  text: ({ field, here, there, peer }) => `${field} is ${shown(here)} here and ${shown(there)} at ${peer}`,
})

const shown = (value: string | number): string => (typeof value === 'number' ? humanRate(value) : value)

export const mtu02 = defineRuleFinding<{ activeBytes: number; usualBytes: number }>({
  rule: 'MTU02',
  severity: 'warning',
  meaning: 'The payload that RDMA devices use differs between hosts, or is smaller than the MTU of the port allows.',
  consequence: 'queue pairs fall to the smaller one: more packets and more work for the NIC',
  remedy: 'raise the MTU of the interface before the RDMA device is opened',
  text: ({ activeBytes, usualBytes }) => `RDMA packets carry ${activeBytes} bytes here and could carry ${usualBytes}`,
})

export const mtu03 = defineRuleFinding<Packet & { priority: number; classBytes: number; portBytes: number | null }>({
  rule: 'MTU03',
  severity: 'warning',
  meaning: 'The MTU of a lossless class is below the largest RoCE packet.',
  consequence: 'where the MTU of the class counts, full packets are dropped or cut',
  remedy: 'give the lossless class the MTU of the port',
  source: 'manuals of NX-OS; RoCEv2 (IBTA annex A17)',
  text: ({ priority, classBytes, portBytes, ...packet }) =>
    `lossless class ${priority} has an MTU of ${classBytes} bytes${portBytes === null ? '' : `, its port ${portBytes}`}, and ${packetText(packet)}`,
})
