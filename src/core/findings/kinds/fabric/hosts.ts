/** Rules about hosts. */
import { humanBytes, humanDuration } from '../../../base/format.ts'
import { counted } from '../../words.ts'
import { classesText, defineRuleFinding } from './define.ts'

export const map03 = defineRuleFinding<{
  trust: string
  peerTrust: string
  peer: string
  /** A DSCP of RoCE that its switch has in a lossless class, and this class; null: none is known. */
  dscp: number | null
  there: number | null
}>({
  rule: 'MAP03',
  formerIds: ['nic-trusts-missing-tag'],
  severity: 'error',
  meaning: 'The NIC takes the priority from the VLAN tag, and its RoCE leaves untagged or its switch reads DSCPs.',
  consequence: 'all its packets are priority 0 in the NIC, which pauses of the lossless priority do not hold back',
  remedy: 'have the NIC trust DSCPs',
  text: ({ trust, peerTrust, peer }) => `the NIC trusts ${trust}, and ${peer} trusts ${peerTrust}`,
})

export const map06 = defineRuleFinding<{
  dscp: number
  priority: number
  lossless: readonly number[]
  /** The class that its switch has for the DSCP, where it is lossless at both ends; null: none is known. */
  there: number | null
}>({
  rule: 'MAP06',
  severity: 'error',
  meaning: 'The DSCP of RoCE has a priority without PFC in the NIC, while another priority has PFC.',
  consequence: 'the NIC sends RoCE in a lossy class',
  remedy: 'give RoCE a DSCP that NIC and switch have in a lossless class, or the DSCP such a class in the NIC',
  formula: 'DSCP = traffic class / 4, priority = map[DSCP]',
  text: ({ dscp, priority, lossless }) =>
    `RoCE has DSCP ${dscp}, which is priority ${priority}, and PFC is on for ${classesText(lossless)}`,
})

export const hst05 = defineRuleFinding<{ sources: readonly { name: string; tclass: number }[] }>({
  rule: 'HST05',
  severity: 'error',
  meaning:
    'Sources of the traffic class disagree: the override of the kernel, the RDMA connection manager, NCCL_IB_TC, NCCL_GIN_IB_TC. One that is not set is 0 where it decides; queue pairs that the GPU drives ignore the kernel.',
  consequence:
    'a part of the traffic is in another class, lossy as a rule, and its queue pairs die by retries under load',
  remedy: 'set NCCL_IB_TC and NCCL_GIN_IB_TC to the value of traffic_class',
  source: 'nccl documentation; Linux, drivers/infiniband/hw/mlx5',
  text: ({ sources }) =>
    `traffic classes differ: ${sources.map(({ name, tclass }) => `${name} ${tclass} (DSCP ${tclass >> 2})`).join(', ')}`,
})

export const pfc06 = defineRuleFinding<{ takes: boolean; sends: boolean }>({
  rule: 'PFC06',
  severity: 'error',
  meaning: 'Pauses of the whole link (802.3x) are on where PFC is on at either end, or RoCE is lossless.',
  consequence: 'its pause frames stop all classes of the link',
  remedy: 'turn 802.3x off at both ends',
  source: 'IEEE 802.1Q 36.1',
  text: ({ takes, sends }) =>
    `802.3x pauses are ${takes && sends ? 'sent and taken' : takes ? 'taken' : 'sent'} beside PFC`,
})

export const hst03 = defineRuleFinding<{ why: 'firmware' | 'willing' | 'lldpad' }>({
  rule: 'HST03',
  severity: 'warning',
  meaning:
    'Somebody else may change the settings of the NIC: DCBX in its firmware, a willing end, or the daemon lldpad.',
  consequence: 'settings change behind the back of the operator',
  remedy: 'leave the settings to the operating system and stop lldpad',
  text: ({ why }) =>
    ({
      firmware: 'DCBX is left to the firmware of the NIC',
      willing: 'the NIC is willing to take over the PFC of its switch, which differs',
      lldpad: 'lldpad runs beside mlnx_qos',
    })[why],
})

export const hst02 = defineRuleFinding<{
  priority: number
  lossless: readonly number[]
  sizeBytes: number
  /** Null: the buffer is large enough. */
  needBytes: number | null
  /** Whether speed, cable or MTU are not known, so that it may be more. */
  isLeast: boolean
  isShared: boolean
}>({
  rule: 'HST02',
  severity: 'warning',
  meaning:
    'The receive buffer of the lossless priority is smaller than what arrives after a pause, or lossy priorities share it.',
  consequence: 'the NIC drops packets after it has paused',
  remedy: 'give the lossless priority a buffer of its own that is large enough',
  formula: '(301 + 2.16 x metres) x Gb/s + 2.72 x MTU',
  source: 'Linux, mlx5e port_buffer.c',
  text: ({ priority, sizeBytes, needBytes, isLeast, isShared }) => {
    const shared = isShared ? ' that lossy priorities share' : ''
    const size = needBytes === null ? '' : ` of ${humanBytes(sizeBytes)}`
    const need =
      needBytes === null ? '' : `, and ${isLeast ? 'at least ' : ''}${humanBytes(needBytes)} may arrive after a pause`
    return `priority ${priority} has a receive buffer${size}${shared}${need}`
  },
})

export const hst08 = defineRuleFinding<{
  variable: string
  index: number
  version: string
  address: string
  /** Entry of version 2 that is routed, of the same address where there is one; null: none. */
  routed: number | null
}>({
  rule: 'HST08',
  severity: 'warning',
  meaning: 'NCCL_IB_GID_INDEX, or its like of another library, names an entry of RoCE v1, a link-local one, or none.',
  consequence: 'v1 has no IP header, thus no DSCP, and is not routed; a missing entry fails',
  remedy: 'name the entry of version 2 with the routed address; NCCL 2.21 and later finds it without the variable',
  text: ({ variable, index, version, address, routed }) =>
    `${variable} is ${index}: ${address === '' ? 'there is no such GID' : `${version} ${address}`}` +
    (routed === null ? '' : `; ${routed} is version 2 and routed`),
})

export const hst09 = defineRuleFinding<{
  variable: string
  list: string
  devices: readonly string[]
  /** Names of the list without an active device. */
  absent: readonly string[]
  /** Whether any device of the list is there. */
  isUsed: boolean
}>({
  rule: 'HST09',
  severity: 'warning',
  meaning: 'NCCL_IB_HCA, or its like elsewhere, names an RDMA device that is absent or not active.',
  consequence: 'traffic uses other ports than intended, or none',
  remedy: 'name the devices of the fabric',
  text: ({ variable, list, devices, absent, isUsed }) =>
    `${variable} is ${list}, and active devices are ${devices.join(', ') || 'none'}` +
    (isUsed && absent.length > 0 ? `: none is ${absent.join(', ')}` : ''),
})

export const hst11 = defineRuleFinding<{ rails: number; usual: number }>({
  rule: 'HST11',
  severity: 'warning',
  meaning: 'The job has more or fewer active RDMA devices here than at most hosts.',
  consequence: 'rails without a peer there cross to another one or stay idle, and rings run at the smallest number',
  remedy: 'compare NCCL_IB_HCA and the state of the devices with those of the other hosts',
  source: 'NCCL documentation, NCCL_IB_HCA, NCCL_CROSS_NIC',
  text: ({ rails, usual }) => `the job has ${counted(rails, 'active RDMA device')} here, and ${usual} at most hosts`,
})

export const hst10 = defineRuleFinding<{ retryPs: number; adaptivePs: number | null; watchdogPs: number | null }>({
  rule: 'HST10',
  severity: 'warning',
  meaning: 'The retries of queue pairs last less long than a storm that the watchdog ends, or for minutes.',
  consequence: 'queue pairs die in an event that the fabric survives, or a fault hangs for minutes unseen',
  remedy: 'NCCL_IB_TIMEOUT=20, NCCL_IB_RETRY_CNT=7; UCX_RC_TIMEOUT=1s, UCX_RC_RETRY_COUNT=7',
  formula: '4.096 us x 2^timeout x (retries + 1)',
  source: 'IBTA 9.7.6.1.3; with adaptive retransmission as measured on a ConnectX-6 (docs/models/expect.md)',
  text: ({ retryPs, adaptivePs, watchdogPs }) => {
    const adaptive =
      adaptivePs === null
        ? ''
        : ` (${humanDuration(adaptivePs)} with the adaptive retransmission of ConnectX-6 and later)`
    const watchdog = watchdogPs === null ? '' : `, and the watchdog needs ${humanDuration(watchdogPs)}`
    return `a queue pair gives up after ${humanDuration(retryPs)}${adaptive}${watchdog}`
  },
})

export const ecn06 = defineRuleFinding<{ priority: number; np: boolean | null; rp: boolean | null }>({
  rule: 'ECN06',
  severity: 'warning',
  meaning: 'The NIC does not answer marks with CNPs, or does not slow down at CNPs, on the lossless priority.',
  consequence: 'marks have no effect: PFC alone holds senders back',
  remedy: 'turn both on for the lossless priority',
  source: 'mlx5 driver; DCQCN',
  text: ({ priority, np, rp }) =>
    `on priority ${priority} ${[...(np === false ? ['no CNPs are sent'] : []), ...(rp === false ? ['CNPs are ignored'] : [])].join(' and ')}`,
})

export const cnp02 = defineRuleFinding<{ field: string; here: number; usual: number }>({
  rule: 'CNP02',
  severity: 'note',
  meaning: 'CNPs of some hosts have another DSCP or priority than those of most hosts.',
  consequence: 'they wait in another queue',
  remedy: 'give all hosts the same: cnp_dscp 48, cnp_802p_prio 6',
  text: ({ field, here, usual }) => `${field} is ${here}, and ${usual} at most hosts`,
})

export const wd06 = defineRuleFinding<{ detectionPs: number | string }>({
  rule: 'WD06',
  severity: 'note',
  meaning: "The NIC's own watchdog against endless pauses is off or takes longer than a second.",
  consequence: 'a NIC whose receive side hangs pauses its switch until somebody notices',
  remedy: 'let the NIC stop its own pauses: pfc-prevention-tout auto',
  source: '[MS-Scale] section 4.3',
  text: ({ detectionPs }) =>
    typeof detectionPs === 'string'
      ? 'the watchdog of the NIC is off'
      : `the watchdog of the NIC waits ${humanDuration(detectionPs)}`,
})
