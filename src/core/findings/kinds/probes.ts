/**
 * Kinds of probes: what the log of RDMA Pingmesh says of a fabric ([MS-Scale] section 5.3), from samples alone.
 * Each meaning names what probes cannot tell apart.
 */
import { exactCount, humanDuration, humanNumber, humanShare } from '../../base/format.ts'
import { defineFinding, type FindingKind, type Values } from '../finding.ts'
import { counted } from '../words.ts'

const SOURCE = '[MS-Scale] section 5.3'

type Kind<V extends Values> = Omit<FindingKind<V>, 'severity' | 'source'> & Partial<FindingKind<V>>

function defineProbes<V extends Values>(kind: Kind<V>): FindingKind<V> {
  return defineFinding({ severity: 'warning', source: SOURCE, evidence: ['pingmesh'], ...kind })
}

/** Probes that are lost or slow, and of how many; the same share of all others. */
export interface Impaired extends Values {
  readonly impaired: number
  readonly count: number
  readonly othersShare: number
}
const impairedText = ({ impaired, count, othersShare }: Impaired): string =>
  `${exactCount(impaired)} of ${exactCount(count)} are lost or slow, and ${humanShare(othersShare)} of the others`

export const rdmaFails = defineProbes<{
  scope: string
  count: number
  failed: number
  p99Ps: number | null
  baselineP99Ps: number | null
}>({
  id: 'probes-rdma-fails',
  severity: 'error',
  meaning:
    'RDMA does not work at a scope: too many probes fail, or the slowest hundredth takes several times as long as usual.',
  formula: 'works: failed < 0.1 %, upper Wilson bound < 1 %, and p99 < 4 times the baseline',
  remedy: 'look at the patterns below, and at counters of pauses and drops',
  text: ({ scope, count, failed, p99Ps, baselineP99Ps }) => {
    const slow =
      p99Ps === null || baselineP99Ps === null
        ? ''
        : `, p99 ${humanDuration(p99Ps)} against ${humanDuration(baselineP99Ps)} usually`
    return `scope ${scope}: RDMA does not work: ${exactCount(failed)} of ${counted(count, 'probe')} failed${slow}`
  },
})

export const tooFew = defineProbes<{ scope: string; count: number; needed: number }>({
  id: 'probes-too-few',
  severity: 'note',
  meaning: 'A scope has too few probes to say that RDMA works there: an outage of 1 % could hide in them.',
  remedy: 'probe for longer or more often',
  text: ({ scope, count, needed }) =>
    `scope ${scope}: ${counted(count, 'probe')}, too few to say that RDMA works; at least ${exactCount(needed)} without a failure do`,
})

export const withoutBaseline = defineProbes<{ scope: string }>({
  id: 'probes-without-baseline',
  severity: 'note',
  meaning: 'No healthy time of a scope is known, so that nothing can be called slow.',
  remedy: 'give the log of a healthy time (--baseline)',
  text: ({ scope }) => `scope ${scope} has no baseline: no probe of it counts as slow`,
})

export const proberExcluded = defineProbes<{ failed: number; count: number }>({
  id: 'prober-excluded',
  meaning:
    'A prober fails to reach hosts of its own ToR that reach each other: it is at fault, and its probes say nothing of the fabric.',
  remedy: 'look at that host: its NIC, its link, its load',
  text: ({ failed, count }) =>
    `fails with ${exactCount(failed)} of ${counted(count, 'probe')} to its own ToR, whose other hosts reach each other; its probes are left out`,
})

export const deadServer = defineProbes<{ lost: number }>({
  id: 'probes-dead-server',
  severity: 'error',
  meaning:
    'A host answers no probe, sends none any more, and harms nobody else: it is dead, or its prober and its link went at one time.',
  remedy:
    'look at the host; where switches know its MAC address no longer, packets to it are flooded and may close a deadlock',
  text: ({ lost }) => `is dead: ${counted(lost, 'probe')} to it got no answer, and none came from it`,
})

export const storm = defineProbes<{ lost: number; lostOfOthers: number }>({
  id: 'probes-storm',
  severity: 'error',
  meaning:
    'All probes of one host are lost, in both directions, before those of others are: its NIC stands still and pauses its ToR. A link that is down looks the same as long as no other host is hit.',
  source: '[MS-Scale] section 4.3',
  remedy: 'isolate that host; its ToR counts the pauses that it receives from it',
  text: ({ lost, lostOfOthers }) =>
    lostOfOthers === 0
      ? `neither sends nor receives: ${counted(lost, 'probe')} lost; its NIC stands still, or its link is down`
      : `stands still and holds up others: ${counted(lost, 'probe')} lost, ${exactCount(lostOfOthers)} of them between other hosts`,
})

export const deadlock = defineProbes<{ lost: number; count: number }>({
  id: 'probes-deadlock',
  severity: 'error',
  meaning:
    'Probes of many hosts never come back, from one time on and of no host before the others: ports wait for each other. A storm of which the beginning is not in the log looks the same.',
  source: '[MS-Scale] section 4.2',
  remedy: 'ask the switches which ports are paused, and by whom; a watchdog ends it',
  text: ({ lost, count }) =>
    `deadlock: ${exactCount(lost)} of ${counted(count, 'probe')} never came back, between hosts everywhere`,
})

export const congested = defineProbes<{ hosts: readonly string[] }>({
  id: 'probes-congested',
  meaning:
    'More probes are late than in healthy time, and they come back. An incast, a slow receiver and a link that runs too slowly look the same.',
  remedy: 'look at queues, marks and pauses of the ports on their way',
  text: ({ hosts }) => `congested${hosts.length === 0 ? '' : `, most of all at ${hosts.join(', ')}`}`,
})

export const undecided = defineProbes<{ lost: number }>({
  id: 'probes-undecided',
  meaning: 'Probes are lost, but no host is cut off and none is late: packet loss, or faults that come and go.',
  remedy: 'look at drops and bit errors',
  text: ({ lost }) => `${counted(lost, 'probe')} lost, of no host more than of others`,
})

const SIDES: Readonly<Record<string, string>> = {
  both: 'to and from it',
  sending: 'from it, not to it: its sending side',
  receiving: 'to it, not from it: its receiving side',
}

export const host = defineProbes<Impaired & { side: string }>({
  id: 'probes-host',
  meaning:
    'Probes of one host are lost or slow: row and column of it mean the host, the row its sending side, the column its receiving side. The host and its link look the same.',
  remedy: 'look at the host, its NIC and its link',
  text: (values) => `of the probes ${SIDES[values.side] ?? ''}, ${impairedText(values)}`,
})

export const tor = defineProbes<Impaired & { hosts: readonly string[] }>({
  id: 'probes-tor',
  meaning: 'Probes of all hosts of one ToR are lost or slow, also among each other: the ToR.',
  remedy: 'look at that ToR',
  text: (values) => `${counted(values.hosts.length, 'host')}: of its probes ${impairedText(values)}`,
})

export const uplinks = defineProbes<Impaired & { hosts: readonly string[] }>({
  id: 'probes-uplinks',
  meaning:
    'Probes into and out of one ToR are lost or slow, those within it are not: its uplinks. All of them, or the switch above if there is one.',
  remedy: 'look at the links above that ToR',
  text: (values) =>
    `${counted(values.hosts.length, 'host')}: of the probes that leave or enter it, ${impairedText(values)}`,
})

export const path = defineProbes<{ tuples: number; ofTuples: number; pairs: number; paths: number }>({
  id: 'probes-path',
  meaning:
    'Some source ports of many pairs always fail and the others never do: one of several paths. Which link or switch it is, is not in the samples, as the hash of the switches is not.',
  formula: 'share of source ports about 1/k: one of k paths',
  remedy: 'trace the paths of these ports',
  text: ({ tuples, ofTuples, pairs, paths }) =>
    `${exactCount(tuples)} of ${exactCount(ofTuples)} source ports of ${counted(pairs, 'pair')} always fail: about one path of ${paths}`,
})

export const tier = defineProbes<{ scope: string; p50Ps: number; baselineP50Ps: number }>({
  id: 'probes-tier',
  meaning: 'The median of one scope is up for nearly all hosts: queues at the tier that this scope crosses.',
  remedy: 'look at the load of that tier',
  text: ({ scope, p50Ps, baselineP50Ps }) =>
    `scope ${scope}: p50 is ${humanDuration(p50Ps)}, ${humanNumber(p50Ps / baselineP50Ps, 2)} times the usual ${humanDuration(baselineP50Ps)}, for nearly all hosts`,
})

export const bursts = defineProbes<{ scope: string; p99Ps: number; baselineP99Ps: number }>({
  id: 'probes-bursts',
  meaning:
    'The 99th percentile of a scope is up and its median is not: bursts, or pauses, which probes cannot tell apart.',
  remedy: 'ask the counters for pauses',
  text: ({ scope, p99Ps, baselineP99Ps }) =>
    `scope ${scope}: p99 is ${humanDuration(p99Ps)} instead of ${humanDuration(baselineP99Ps)}, and p50 as usual`,
})

export const loss = defineProbes<{ probes: number; modePs: number }>({
  id: 'probes-loss',
  meaning:
    'Slow probes take nearly the same time, as after a timeout: packets are lost, and the prober sends them again.',
  formula: 'most slow round trips within a quarter of their median',
  remedy: 'look at drops and bit errors',
  text: ({ probes, modePs }) =>
    `${counted(probes, 'probe')} took about ${humanDuration(modePs)}, as after a timeout: packets are lost`,
})
