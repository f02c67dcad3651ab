/**
 * Kinds of causes: what the slowest flows of a run waited for, by the place where it began (docs/models/autopsy.md).
 */
import { exactCount, humanDuration, humanNumber, humanShare } from '../../base/format.ts'
import { defineFinding, type FindingKind, type Values } from '../finding.ts'
import { counted } from '../words.ts'

/** Common values: how many flows were held, for how long in sum, since when, and the share of the waiting of these flows. */
export interface Held extends Values {
  readonly whose: 'slowest' | 'unfinished'
  readonly flows: number
  readonly heldPs: number
  readonly sincePs: number
  readonly share: number
  /** By part of the completion time, the largest first. */
  readonly parts: readonly { readonly part: string; readonly spanPs: number }[]
}

/** A host that is loud to a receiver, and its share of what passes a port. */
export interface Loud extends Values {
  readonly from: string
  readonly to: string
  readonly share: number
}

type Cause<V extends Held> = Omit<FindingKind<V>, 'severity' | 'source'> & Partial<FindingKind<V>>
type Port = Held & { readonly useShare: number }

const FORMULA = 'share of the waiting time of the slowest flows'
const SOURCE = 'docs/models/autopsy.md'
const EVIDENCE = ['flows']

/** A cause, with what most of them share. */
function defineCause<V extends Held>(kind: Cause<V>): FindingKind<V> {
  return defineFinding({ severity: 'warning', formula: FORMULA, source: SOURCE, evidence: EVIDENCE, ...kind })
}

/** "it held 12 flows for 3.40 ms in sum from 20.0 us on, 84 % of what the slowest flows waited for". */
function heldText({ whose, flows, heldPs, sincePs, share }: Held): string {
  return (
    `held ${counted(flows, 'flow')} for ${humanDuration(heldPs)} in sum, from ${humanDuration(sincePs)} on: ` +
    `${humanShare(share)} of the time that the ${whose} flows waited`
  )
}

export const slowReceiver = defineCause<Held>({
  id: 'slow-receiver',
  meaning:
    'A host receives more slowly than its link delivers: its NIC pauses the link, drops packets or holds them back.',
  source: '[MS-Scale] section 4.4',
  remedy: 'look at its NIC, PCIe lanes and memory',
  text: (held, { device }) => `${device} receives more slowly than its link delivers, and ${heldText(held)}`,
})

export const storm = defineCause<Held>({
  id: 'pause-storm',
  severity: 'error',
  meaning: 'A host pauses its link although its receive buffer is all but empty, or neither receives nor sends.',
  source: '[MS-Scale] section 4.3',
  remedy: 'isolate the host; let a watchdog at its switch end such storms (switch.watchdog)',
  text: (held, { device }) => `${device} pauses its link without need, or stands still, and ${heldText(held)}`,
})

export const lossyLink = defineCause<Held>({
  id: 'lossy-link',
  meaning: 'A link loses packets, and flows wait until the losses are noticed and made good.',
  remedy: 'look at the cable, its optics and both ends',
  text: (held, { device, port }) => `the link from ${device} to ${port} loses packets, and ${heldText(held)}`,
})

export const linkDown = defineCause<Held>({
  id: 'link-was-down',
  meaning: 'A link was down while packets waited for it.',
  remedy: 'look at the cable, its optics and both ends',
  text: (held, { device, port }) => `the link from ${device} to ${port} was down, and ${heldText(held)}`,
})

/** With how slow its flows are on average where nothing says for how long it held them. */
type Incast = { readonly senders: number; readonly usualSenders: number; readonly fromPs: number } & (
  | Held
  | { readonly meanSlowdown: number | null }
)

const isHeld = (found: Incast & Values): found is Incast & Held => 'heldPs' in found

export const incast = defineFinding<Incast & Values>({
  id: 'incast',
  severity: 'warning',
  meaning: 'Far more hosts send to one host at a time than chance or the rest of the load explains: an incast.',
  formula: 'senders at a time >= 4 and >= 2.5 times those of other receivers; flows slow',
  source: '[IRN] section 4.4.3',
  remedy: 'fewer senders at a time, or a congestion control that takes their number into account',
  evidence: EVIDENCE,
  text: (found, { device }) => {
    const { senders, fromPs } = found
    const sent = `incast: ${exactCount(senders)} hosts sent to ${device} at a time, first at ${humanDuration(fromPs)}`
    if (isHeld(found)) return `${sent}, which ${heldText(found)}`
    const { meanSlowdown } = found
    return meanSlowdown === null ? sent : `${sent}; its flows took ${humanNumber(meanSlowdown, 3)} times their ideal`
  },
})

export const oversubscribed = defineCause<Port & { downOverUp: number | null }>({
  id: 'oversubscribed',
  meaning: 'The links between two tiers of switches carry less than the traffic between them.',
  formula: 'rate of the lower switch towards lower tiers >= 1.5 times that towards higher ones',
  remedy: 'more or faster links between the tiers, or less traffic between racks',
  text: (held, { device, port }) => {
    const { useShare, downOverUp } = held
    const ratio = downOverUp === null || downOverUp <= 1 ? '' : `, with ${humanNumber(downOverUp)} times as much below`
    return `${device} to ${port} is oversubscribed${ratio}: used to ${humanShare(useShare, 2)}, it ${heldText(held)}`
  },
})

export const busyPort = defineCause<
  Held & {
    /** null: not known. */
    useShare: number | null
    loud: readonly Loud[]
  }
>({
  id: 'busy-port',
  meaning: 'A host sends another far more than hosts get from all, and others wait for its packets at the port.',
  formula:
    'bytes to it >= 0.5 times what the median host gets and 2 times those of the median pair; (sum of sizes)^2 / sum of squares >= 4',
  remedy: 'limit or move the traffic that is named',
  text: (held, { device, port }) => {
    const { loud, useShare } = held
    const pairs = loud.map(({ from, to, share }) => `${from} to ${to} ${humanShare(share, 2)}`)
    const use = useShare === null ? '' : `: used to ${humanShare(useShare, 2)}`
    return `${device} to ${port} is filled by hosts that send one other far more than others get (${pairs.join(', ')})${use}, and ${heldText(held)}`
  },
})
