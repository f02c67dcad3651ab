/** Rules about counters. Their lines are those of the readings, the last one first. */
import { humanCount, humanDuration, humanRate, humanShare } from '../../../base/format.ts'
import { counted } from '../../words.ts'
import { classesText, defineRuleFinding } from './define.ts'

/** Pauses of the origin that a localiser has found. */
type Held = {
  /** high, medium or low. */
  readonly confidence: string
  /** Share of an interval that it holds others, at most. */
  readonly heldShare: number
  /** Length of the interval. */
  readonly seconds: number
  /** Whether pauses are counted in time; frames alone bound it from above. */
  readonly isDuration: boolean
  readonly priority: number
  /** Ports that are held by it. */
  readonly victims: number
}

const secondsText = (seconds: number): string => humanDuration(seconds * 1e12)

const heldText = ({ heldShare, seconds, isDuration }: Pick<Held, 'heldShare' | 'seconds' | 'isDuration'>): string =>
  `${isDuration ? '' : 'up to '}${humanShare(heldShare)} of ${secondsText(seconds)}`

const victimsText = ({ victims, confidence }: Held): string =>
  `${counted(victims, 'held port')}; confidence ${confidence}`

const WHY_DROPPED = {
  headroom: 'the port held its peer, which obeyed: its headroom is too small',
  ignored: 'the port held its peer, which did not obey',
  'no-pause': 'the port sent no pauses: PFC is not in force there',
  watchdog: 'a watchdog took the class out of service meanwhile',
  unknown: 'nothing tells whether the port held its peer',
} as const

export const ctr01 = defineRuleFinding<{
  priority: number
  packets: number
  side: 'in' | 'out'
  isGrowth: boolean
  why: keyof typeof WHY_DROPPED
  confidence: string
}>({
  rule: 'CTR01',
  severity: 'error',
  meaning: 'A lossless class lost packets; one reading alone does not say when.',
  consequence: 'NICs go back and send all again, or lose their queue pairs',
  remedy: 'see BUF01, BUF11 and PFC01 at this link',
  text: ({ priority, packets, side, isGrowth, why }) =>
    `${humanCount(packets)} packets of priority ${priority} were dropped ${side === 'in' ? 'on arrival' : 'at egress'}` +
    (isGrowth ? `; ${WHY_DROPPED[why]}` : ' at some time before the only reading'),
})

export const ctr02 = defineRuleFinding<Held & { isEnded: boolean }>({
  rule: 'CTR02',
  severity: 'error',
  meaning: 'A host holds its switch without end and receives nothing, or a watchdog has ended that: a pause storm.',
  consequence: 'all senders to it stop, and the pauses spread',
  remedy: 'take the host out of service and power-cycle it',
  source: '[MS-Scale] sections 4.3, 6.2',
  text: (values) =>
    values.isEnded && values.heldShare === 0
      ? `a watchdog ended a pause storm of this host; confidence ${values.confidence}`
      : `a pause storm: it held its switch for ${heldText(values)} and received nothing; ${victimsText(values)}`,
})

export const ctr03 = defineRuleFinding<{
  heldShare: number
  seconds: number
  isDuration: boolean
  ports: number
  origins: readonly string[]
}>({
  rule: 'CTR03',
  severity: 'warning',
  meaning: 'A port was held for over 1 % of the time (error: 10 %).',
  consequence: 'throughput is lost and latency goes up',
  remedy: 'see the origin of the pauses',
  source: '[MS-Scale] section 5.2',
  text: ({ ports, origins, ...held }) =>
    `the port was held for ${heldText(held)}${ports > 1 ? `, the longest of ${counted(ports, 'port')}` : ''}` +
    (origins.length > 0 ? ` (${origins.join(', ')})` : ''),
})

export const ctr04 = defineRuleFinding<{
  frames: number
  /** Empty: the counter is of all priorities. */
  priorities: readonly number[]
  inForce: readonly number[]
  isGrowth: boolean
}>({
  rule: 'CTR04',
  severity: 'warning',
  meaning: 'A port receives PFC frames of priorities for which it has no PFC.',
  consequence: 'it goes on sending while its peer has no room',
  remedy: 'give both ends PFC for the same priorities',
  text: ({ frames, priorities, inForce, isGrowth }) =>
    `${humanCount(frames)} PFC frames${priorities.length > 0 ? ` of priority ${classesText(priorities)}` : ''} were ` +
    `received${isGrowth ? '' : ' at some time'}, and PFC is in force for ${classesText(inForce)}`,
})

export const ctr05 = defineRuleFinding<Held & { receivedBps: number | null }>({
  rule: 'CTR05',
  severity: 'warning',
  meaning: 'A host holds its switch for a part of the time while it receives: a slow receiver.',
  consequence: 'its pauses spread into the fabric',
  remedy: 'large pages, fewer queue pairs and memory regions; look at PCIe lanes, ATS and IOMMU of the host',
  source: '[MS-Scale] section 4.4',
  text: (values) =>
    `a slow receiver: it held its switch for ${heldText(values)}` +
    `${values.receivedBps === null ? '' : ` while it received ${humanRate(values.receivedBps)}`}; ${victimsText(values)}`,
})

export const ctr06 = defineRuleFinding<{
  losses: number
  /** Queue pairs that were lost by retries. */
  gaveUp: number
  outOfSequence: number
  cnpsIgnored: number
  /** Null: nobody counts the packets. */
  packets: number | null
  isGrowth: boolean
  origins: readonly string[]
}>({
  rule: 'CTR06',
  severity: 'warning',
  meaning:
    'Sequence errors, NAKs, timeouts or ignored CNPs of a host grow by more than a millionth of its packets, or queue pairs give up.',
  consequence: 'packets are lost or overtaken somewhere, or congestion control does not act',
  remedy: 'look for drops and bit errors on its paths, and at its reaction point',
  formula: 'losses = NAKs for sequence errors + answers to READs behind a gap + timeouts',
  source: 'Linux, mlx5 counters',
  text: ({ losses, gaveUp, outOfSequence, cnpsIgnored, packets, isGrowth, origins }) =>
    [
      counted(losses, 'lost packet'),
      ...(gaveUp === 0 ? [] : [`${counted(gaveUp, 'queue pair')} lost by retries`]),
      ...(isGrowth ? [`${counted(outOfSequence, 'packet')} out of sequence`, counted(cnpsIgnored, 'ignored CNP')] : []),
    ].join(', ') +
    (packets === null ? '' : ` of ${humanCount(packets)} packets`) +
    (isGrowth ? '' : ' at some time before the only reading') +
    (origins.length > 0 ? ` (${origins.join(', ')})` : ''),
})

const ORIGIN_NAMES: Readonly<Record<string, string>> = {
  incast: 'an incast: the port is full',
  oversubscription: 'oversubscription: the port between switches is full',
  alpha: 'a small alpha: the switch holds at shorter queues than its peers',
  'noisy-host': 'a noisy host: it sends most of what fills a port',
  unknown: 'of a kind that these counters do not tell',
}

export const ctr07 = defineRuleFinding<{
  kind: string
  confidence: string
  blameShare: number
  victims: number
  mayBe: readonly string[]
}>({
  rule: 'CTR07',
  severity: 'note',
  meaning: 'Pauses or drops begin here.',
  consequence: 'others wait for it',
  remedy: 'fewer senders at a time, more or faster links, or ECN thresholds below those of PFC',
  source: 'docs/models/localiser.md',
  text: ({ kind, confidence, blameShare, victims, mayBe }) =>
    `the origin of ${humanShare(blameShare)} of all pauses or drops is ${ORIGIN_NAMES[kind] ?? kind}` +
    `${mayBe.length > 0 ? ` (or ${mayBe.join(', ')})` : ''}; ${counted(victims, 'held port')}; confidence ${confidence}`,
})

export const ctr08 = defineRuleFinding<{
  errors: number
  packets: number | null
  peer: string
  confidence: string
  atBothEnds: boolean
}>({
  rule: 'CTR08',
  severity: 'warning',
  meaning: 'A link has bit errors that came in nowhere before it.',
  consequence: 'every flow over this link loses packets',
  remedy: 'clean or replace the cable, its optics, or the port',
  source: 'docs/models/localiser-losses.md',
  text: ({ errors, packets, peer, confidence, atBothEnds }) =>
    `${humanCount(errors)} frames${packets === null ? '' : ` of ${humanCount(packets)}`} from ${peer} had errors` +
    `${atBothEnds ? ', and so had those that go back' : ''}; confidence ${confidence}`,
})

export const ctr09 = defineRuleFinding<{
  circle: readonly string[]
  intervals: number
  seconds: number
  confidence: string
}>({
  rule: 'CTR09',
  severity: 'error',
  meaning: 'Ports hold each other in a circle and send nothing: a deadlock.',
  consequence: 'it does not end by itself',
  remedy: 'take one link of the circle down; then see FLD01 and TOP01',
  source: '[MS-Scale] section 4.2',
  text: ({ circle, intervals, seconds, confidence }) =>
    `ports wait for each other and sent nothing in ${counted(intervals, 'interval')} of ${secondsText(seconds)}: ` +
    `${circle.join(', ')}; confidence ${confidence}`,
})

export const ctr10 = defineRuleFinding<{
  heldShare: number
  seconds: number
  isDuration: boolean
  direction: 'received' | 'sent'
}>({
  rule: 'CTR10',
  severity: 'warning',
  meaning: 'Pauses of the whole link (802.3x) hold a link for more than a hundredth of the time.',
  consequence: 'all classes of the link are throttled, which looks like a slow sender, and no drop tells of it',
  remedy: 'see PFC06, or the receive side of whoever sends the pauses',
  source: 'IEEE 802.3 annex 31B',
  text: ({ direction, ...held }) =>
    `802.3x pauses that were ${direction} held ${direction === 'sent' ? 'the peer' : 'this port'} for ${heldText(held)}`,
})

export const ctr11 = defineRuleFinding<{
  side: 'in' | 'out'
  packets: number
  /** Packets of the port that were not dropped; null: nobody counts them. */
  passed: number | null
  /** Empty: the counter is of all priorities. */
  priorities: readonly number[]
  isGrowth: boolean
  isHost: boolean
  /** Classes with PFC; null: not known. */
  inForce: readonly number[] | null
  /** Ports of the switch that do so, of which this one dropped most. */
  ports: number
}>({
  rule: 'CTR11',
  severity: 'warning',
  meaning: 'A NIC discards what it received, or a switch drops packets of no known class.',
  consequence: 'RoCE among them is sent again from the first packet that was lost',
  remedy: 'see whether both ends have PFC for the class of RoCE, and at a NIC also PCIe and memory of its host',
  source: 'Linux, mlx5 counters; manuals of NX-OS and SONiC',
  text: ({ side, packets, passed, priorities, isGrowth, isHost, inForce, ports }) => {
    const share = passed === null ? '' : ` (${humanShare(packets / (packets + passed))})`
    const classes = priorities.length === 0 ? '' : ` of priority ${classesText(priorities)}`
    const how = isHost ? 'discarded by the NIC' : side === 'in' ? 'dropped on arrival' : 'dropped at egress'
    const when = isGrowth ? '' : ' at some time before the only reading'
    const pfc = inForce === null ? 'its PFC is not known' : `PFC is in force for ${classesText(inForce)}`
    const most = ports > 1 ? `, the most of ${counted(ports, 'port')}` : ''
    return `${humanCount(packets)} packets${classes}${share} were ${how}${when}${most}; ${pfc}`
  },
})

export const ctr12 = defineRuleFinding<{
  priorities: readonly number[]
  /** Storms of which the only reading tells; null: the class is out of service at the moment of the reading. */
  storms: number | null
  /** '': not known. */
  peer: string
}>({
  rule: 'CTR12',
  severity: 'error',
  meaning: 'A watchdog has cut a class off now (note: at some time).',
  consequence: 'packets of the class are dropped there while its peer holds the port',
  remedy: 'look at the receive side of whoever sends the pauses, or take it out of service',
  source: 'SONiC, PFC watchdog; [MS-Scale] section 4.3',
  text: ({ priorities, storms, peer }) => {
    const from = peer === '' ? '' : `; the pauses come from ${peer}`
    return storms === null
      ? `the watchdog has cut off priority ${classesText(priorities)} now${from}`
      : `the watchdog detected ${counted(storms, 'storm')} of priority ${classesText(priorities)} at some time${from}`
  },
})
