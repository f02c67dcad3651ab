/**
 * Kinds of proved causes: the messages were run again without them, with the same seed (docs/models/causes.md). One row for
 * each kind of suspect.
 */
import { exactCount, humanDuration, humanNumber, humanRate, humanShare } from '../../base/format.ts'
import { hasTail, tailText } from '../../results/quantiles.ts'
import { defineFinding, type FindingKind, type Subject, type Values } from '../finding.ts'
import { counted } from '../words.ts'

/** Numbers of the affected messages; null: there is none to count. */
export interface Affected extends Values {
  readonly flows: number
  readonly unfinished: number
  readonly meanSlowdown: number | null
  readonly p50Slowdown: number | null
  /** 99th percentile, of fewer than 100 messages the slowest. */
  readonly tailSlowdown: number | null
  readonly slowestSlowdown: number | null
  readonly p50Ps: number | null
  readonly tailPs: number | null
  readonly goodputBps: number | null
}

export interface Proof extends Values {
  /** Its value, and the one without the suspicion, as scenarios write them; '': it has none. */
  readonly now: string
  readonly usual: string
  /** Further devices of which it holds. */
  readonly others: readonly string[]
  /** Causes that are away in both runs, by their devices or settings. */
  readonly besides: readonly string[]
  /** Tag of the messages that are counted; '': all that are affected. */
  readonly of: string
  readonly before: Affected
  readonly after: Affected
  /** The job whose steps gain most; null times: they did not end. */
  readonly step: { readonly tag: string; readonly beforePs: number | null; readonly afterPs: number | null } | null
  /** How many of all messages take half as long again with it, and without it. */
  readonly faster: number
  readonly slower: number
  readonly totalFlows: number
}

interface Row {
  readonly meaning: string
  readonly remedy: string
  readonly source?: string
  readonly severity?: 'error' | 'warning' | 'note'
  /** The cause, as the beginning of a sentence. */
  readonly says: (at: string, proof: Proof, subject: Subject) => string
}

const insteadOf = ({ now, usual }: Proof): string =>
  now === '' ? '' : usual === '' ? ` (${now})` : ` (${now} in place of ${usual})`
const some = (at: string): string => (at === '' ? 'every device' : at)
const setting = ({ path = 'a setting' }: Subject): string => path

/** By kind of suspect (lab/why/suspect.ts). */
const ROWS: Readonly<Record<string, Row>> = {
  'slow-receiver': {
    meaning: 'A host receives more slowly than its link delivers.',
    remedy: 'look at its NIC, PCIe lanes and memory',
    source: '[MS-Scale] section 4.4',
    says: (at) => `${some(at)} receives more slowly than its link delivers`,
  },
  'slow-sender': {
    meaning: 'A host takes longer than its equals to send.',
    remedy: 'look at its NIC, PCIe lanes and memory',
    says: (at, proof, subject) =>
      `${some(at)} sends more slowly than its equals: ${setting(subject)}${insteadOf(proof)}`,
  },
  'pause-storm': {
    meaning: 'A host pauses its link without need, or neither receives nor sends.',
    remedy: 'isolate the host; let a watchdog at its switch end such storms (switch.watchdog)',
    source: '[MS-Scale] section 4.3',
    severity: 'error',
    says: (at) => `pause storm of ${at}`,
  },
  'dead-server': {
    meaning: 'A host is down, and what it has to send or receive does not end.',
    remedy: 'take its work elsewhere',
    severity: 'error',
    says: (at) => `${at} is down`,
  },
  'dead-switch': {
    meaning: 'A switch is down, and others carry its traffic or lose it.',
    remedy: 'look at the switch; let routes converge faster',
    severity: 'error',
    says: (at) => `${at} is down`,
  },
  'lossy-link': {
    meaning: 'A link loses packets.',
    remedy: 'look at the cable, its optics and both ends',
    says: (at) => `${at === '' ? 'every link' : at} loses packets`,
  },
  'failed-uplink': {
    meaning: 'A link is down, or goes down again and again, and others carry its traffic or lose it.',
    remedy: 'look at the cable, its optics and both ends',
    says: (at) => `${at} is down`,
  },
  broadcast: {
    meaning: 'Broadcast frames are flooded to all ports.',
    remedy: 'find the sender; limit broadcast at its port',
    says: (at) => `broadcast of ${at} floods the network`,
  },
  'slow-link': {
    meaning: 'A link is slower than its equals.',
    remedy: 'look at what both ends have negotiated, and at the cable',
    says: (at, proof) => `${at} runs at ${proof.now} in place of ${proof.usual}`,
  },
  'rate-cap': {
    meaning: 'A sender is held to a rate below that of its link.',
    remedy: 'take the limit away',
    says: (at, proof, subject) =>
      `${at === '' ? 'hosts send' : `${at} sends`} at a limited rate: ${setting(subject)}${insteadOf(proof)}`,
  },
  oversubscription: {
    meaning: 'The links between two tiers of switches carry less than the traffic between them.',
    remedy: 'more or faster links between the tiers, or less traffic between racks',
    says: (at, proof) =>
      at === ''
        ? `the links between two tiers are too few${insteadOf(proof)}`
        : `the links up from ${at} are too slow${insteadOf(proof)}`,
  },
  'pfc-off': {
    meaning: 'PFC is off where packets need it.',
    remedy: 'switch PFC on at both ends of each link',
    severity: 'error',
    says: (at, proof) => `PFC is off${at === '' ? '' : ` at ${at}`}${insteadOf(proof)}`,
  },
  'class-map': {
    meaning: 'A device puts packets into another class than its equals.',
    remedy: 'give it the map of its equals',
    severity: 'error',
    says: (at, proof, subject) =>
      `${at === '' ? 'the map' : at} puts packets into another class: ${setting(subject)}${insteadOf(proof)}`,
  },
  mtu: {
    meaning: 'A port drops packets that are longer than its MTU.',
    remedy: 'give it the MTU of the fabric',
    severity: 'error',
    says: (at, proof, subject) =>
      `${at === '' ? 'the fabric' : at} drops longer packets: ${setting(subject)}${insteadOf(proof)}`,
  },
  'wrong-marking': {
    meaning: 'A switch marks packets at other queue lengths than its equals.',
    remedy: 'give it the thresholds of its equals',
    source: '[MS-Scale] section 5.1',
    says: (at, proof, subject) => `${some(at)} marks unlike its equals: ${setting(subject)}${insteadOf(proof)}`,
  },
  alpha: {
    meaning: 'A switch pauses or drops at other queue lengths than its equals: another alpha or buffer.',
    remedy: 'give it the buffer of its equals',
    source: '[MS-Scale] section 6.2',
    says: (at, proof, subject) =>
      `${some(at)} has another buffer than its equals: ${setting(subject)}${insteadOf(proof)}`,
  },
  'buffer-share': {
    meaning: 'A class gets less of the buffer at one switch than at its equals.',
    remedy: 'give it the share that it has at its equals',
    says: (at, proof, subject) =>
      `${some(at)} gives the class another share of its buffer: ${setting(subject)}${insteadOf(proof)}`,
  },
  'small-buffer': {
    meaning: 'The buffers of switches are small for their rates.',
    remedy: 'larger buffers, PFC, or a congestion control that keeps queues short',
    says: (_, proof) => `the buffers of the switches are small${insteadOf(proof)}`,
  },
  'wrong-cable': {
    meaning: 'A port is configured for a shorter cable than it has: its headroom is too small.',
    remedy: 'give it headroom for its cable',
    severity: 'error',
    says: (at, proof, subject) => `${some(at)} has headroom for another cable: ${setting(subject)}${insteadOf(proof)}`,
  },
  'dropping-watchdog': {
    meaning: 'A watchdog drops packets of a class that is paused for long.',
    remedy: 'a longer detection time, or the action forward',
    says: (at, proof, subject) =>
      `the watchdog${at === '' ? '' : ` of ${at}`} drops packets: ${setting(subject)}${insteadOf(proof)}`,
  },
  'polarised-hash': {
    meaning:
      'Switches of several tiers choose paths by the same hash, so that some links carry much and others little.',
    remedy: 'another seed at each switch',
    says: (at, proof, subject) =>
      `ECMP polarises${at === '' ? '' : ` at ${at}`}: ${setting(subject)}${insteadOf(proof)}`,
  },
  'small-window': {
    meaning: 'A window or cap is smaller than what is in flight on the path.',
    remedy: 'a window of the bandwidth-delay product or more',
    says: (_, proof, subject) => `the window is too small: ${setting(subject)}${insteadOf(proof)}`,
  },
  'slow-host-stack': {
    meaning: 'Hosts take long between the wire and the application.',
    remedy: 'look at interrupts, cores and PCIe of the hosts',
    says: (_, proof, subject) => `hosts take long for each packet: ${setting(subject)}${insteadOf(proof)}`,
  },
  rnr: {
    meaning: 'Receivers have no Receive WQE when messages come.',
    remedy: 'post more Receive WQEs, or post them sooner',
    source: 'IBTA 9.7.5.2.8',
    says: (_, proof, subject) => `receivers are not ready: ${setting(subject)}${insteadOf(proof)}`,
  },
  placement: {
    meaning: 'A job has its hosts in several racks, and the links between these are busy.',
    remedy: 'give it hosts of one rack',
    says: (_, __, { workload = '' }) => `workload ${workload} has its hosts in several racks`,
  },
  incast: {
    meaning: 'Many hosts send to one host at a time.',
    remedy: 'fewer senders at a time, or a congestion control that takes their number into account',
    source: '[IRN] section 4.4.3',
    says: (at, _, { workload = '' }) => `incast to ${at} (${workload})`,
  },
  'noisy-neighbour': {
    meaning: 'Few hosts send one other far more than hosts get from all.',
    remedy: 'limit or move the traffic that is named',
    says: (at, _, { workload = '' }) => `workload ${workload} fills ${at}`,
  },
  'other-tenant': {
    meaning: 'Traffic of another workload takes the links.',
    remedy: 'a class of its own, or fewer of its messages at a time',
    says: (_, __, { workload = '' }) => `workload ${workload} takes the links`,
  },
  setting: {
    meaning: 'A setting makes messages slow.',
    remedy: 'give it the value that is named',
    says: (at, proof, subject) => `${setting(subject)}${at === '' ? '' : ` of ${at}`}${insteadOf(proof)}`,
  },
}

const SOURCE = 'docs/models/causes.md'
const FORMULA = 'run without it: mean, 99th percentile, unfinished messages or step time less by a fifth or more'

/** "3 did not finish, none without it; p99 of 872 flows 2.40 ms (77.5 times ideal), 310 us (9.8) without it". */
export function effectText({ of, before, after, step, besides }: Proof): string {
  const without = besides.length === 0 ? 'without it' : `without it, in both runs without ${besides.join(', ')}`
  const left = after.unfinished === 0 ? 'none' : exactCount(after.unfinished)
  const ends = before.unfinished === 0 ? [] : [`${exactCount(before.unfinished)} did not finish, ${left} without it`]
  const times = ({ tailPs, tailSlowdown }: Affected, unit: string): string =>
    tailPs === null || tailSlowdown === null ? '-' : `${humanDuration(tailPs)} (${humanNumber(tailSlowdown)}${unit})`
  const stepText = (timePs: number | null): string => (timePs === null ? 'no end' : humanDuration(timePs))
  const steps =
    step === null ? [] : [`${step.tag} takes ${stepText(step.beforePs)}, ${stepText(step.afterPs)} without it`]
  const flows = `${tailText(before.flows)}${of === '' ? '' : ` of ${of}`}`
  return [...ends, ...steps, `${flows} ${times(before, ' times ideal')}, ${times(after, '')} ${without}`].join('; ')
}

function deviceText({ device, port }: Subject, others: readonly string[]): string {
  if (device === undefined) return ''
  if (port !== undefined) return `the link between ${device} and ${port}`
  return (
    [device, ...others.slice(0, 3)].join(', ') +
    (others.length > 3 ? ` and ${counted(others.length - 3, 'more device')}` : '')
  )
}

/** By kind of suspect. */
export const PROVED: ReadonlyMap<string, FindingKind<Proof>> = new Map(
  Object.entries(ROWS).map(([kind, { meaning, remedy, source = SOURCE, severity = 'warning', says }]) => [
    kind,
    defineFinding<Proof>({
      id: `proved-${kind}`,
      severity,
      meaning,
      formula: FORMULA,
      source,
      remedy,
      evidence: ['flows'],
      text: (proof, subject) => `${says(deviceText(subject, proof.others), proof, subject)}: ${effectText(proof)}`,
      advice: () => '',
    }),
  ]),
)

interface Left extends Values {
  readonly all: Affected
  /** Port that the slow messages waited for most, and the share of its rate that is used; null: not known. */
  readonly useShare: number | null
  readonly rateBps: number | null
  /** Suspects that were taken away, and those that were not. */
  readonly tried: number
  readonly untried: number
}

const triedText = (tried: number): string =>
  tried === 0
    ? 'nothing else was suspected'
    : `${counted(tried, 'run')} without a suspect ${tried === 1 ? 'shows' : 'show'} no cause`

const slowText = (all: Affected): string =>
  all.tailSlowdown === null
    ? 'no message has a slowdown'
    : `${hasTail(all.flows) ? 'p99' : 'the slowest'} is at ${humanNumber(all.tailSlowdown)} times its ideal time`

function busyText({ useShare, rateBps }: Left, { device, port }: Subject): string {
  if (device === undefined || useShare === null || rateBps === null) return ''
  const at = port === undefined ? device : `${device} to ${port}`
  return `; the slow messages waited most for ${at}, which sends ${humanRate(useShare * rateBps)} of ${humanRate(rateBps)} (${humanShare(useShare, 2)})`
}

export const load = defineFinding<Left>({
  id: 'load-remains',
  severity: 'note',
  meaning: 'Messages are slow, and no run without a suspect was better: the load on the links is what remains.',
  formula: 'all suspects tried, none a cause; 99th percentile of the slowdown >= 2, or messages that do not finish',
  source: SOURCE,
  remedy: 'less traffic at a time, or faster links where it waits',
  evidence: ['flows'],
  text: (left, subject) =>
    `the load remains as the cause: ${slowText(left.all)}; ${triedText(left.tried)}${busyText(left, subject)}`,
  advice: () => '',
})

export const unknown = defineFinding<Left>({
  id: 'cause-unknown',
  severity: 'warning',
  meaning: 'Messages are slow, no cause is proved, and some suspects were not tried.',
  source: SOURCE,
  remedy: 'a larger --budget',
  evidence: ['flows'],
  text: (left, subject) =>
    `no cause is proved: ${slowText(left.all)}; ${counted(left.untried, 'suspect')} could not be tried; ${triedText(left.tried)}${busyText(left, subject)}`,
})

interface Calm extends Values {
  readonly all: Affected
  readonly drops: number
  readonly tried: number
}

export const calm = defineFinding<Calm>({
  id: 'no-message-is-slow',
  severity: 'note',
  meaning: 'All messages finished, the 99th percentile (or the slowest) in less than twice its ideal time.',
  source: SOURCE,
  remedy: 'nothing is to be done',
  evidence: ['flows'],
  text: ({ all, drops, tried }) =>
    `no message is slow: ${counted(all.flows, 'flow')} finished, ${slowText(all)}` +
    (drops === 0 ? '' : `; ${counted(drops, 'packet')} were dropped on the way`) +
    (tried === 0 ? '' : `; ${triedText(tried)}`),
  advice: () => '',
})
