/**
 * Findings on how connections are set up and configured, and on the file itself.
 * Source of the family: IBTA chapter 12 (communication management); annex A17.
 */
import { exactCount, humanBytes, humanDuration } from '../../../base/format.ts'
import { defineFinding } from '../../finding.ts'
import { counted } from '../../words.ts'
import { IBTA, type Seen } from './seen.ts'

export const rejected = defineFinding<
  Seen<{
    readonly message: string
    readonly reason: number
    readonly words: string
    /** Address of the end that rejects. */
    readonly by: string
    /** Queue pair that was to be connected, and port that it was for; null: not in the capture, or no port of TCP. */
    readonly qp: number | null
    readonly port: number | null
  }>
>({
  id: 'capture-cm-rejected',
  severity: 'error',
  meaning: 'A connection was refused by the connection manager or the program of the other end (REJ).',
  source: `${IBTA} 12.6.7, table 108`,
  remedy: 'reason 8: start a listener at this port; reason 28: the program there says why',
  text: ({ message, reason, words, by, qp, port }) =>
    `${message}${qp === null ? '' : ` of QP ${qp}`}${port === null ? '' : ` to port ${port}`} rejected by ${by}, ` +
    `reason ${reason}${words === '' ? '' : ` (${words})`}`,
})

export const managementRepeated = defineFinding<Seen<{ readonly message: string; readonly afterPs: number }>>({
  id: 'capture-cm-repeated',
  severity: 'warning',
  meaning: 'A message that sets a connection up or ends it was sent again: it, or the answer to it, was lost or late.',
  formula: 'the same message with the same transaction',
  source: `${IBTA} 12.9.8.5`,
  remedy: 'look for losses; each costs seconds: REQ is repeated by Linux after 6.3 s, REP after 4.1 s',
  text: ({ message, afterPs }) => `${message} sent again after ${humanDuration(afterPs)}`,
})

export const readyLost = defineFinding<Seen<{ readonly afterPs: number }>>({
  id: 'capture-cm-ready-lost',
  severity: 'warning',
  meaning: 'RTU, the last message of setting a connection up, was lost behind this point: the REP came again after it.',
  formula: 'a REP again after the RTU of its connection',
  source: `${IBTA} 12.9.8.3.1`,
  remedy: 'look for losses; programs wait for the RTU although data may flow already',
  text: ({ afterPs }) => `RTU lost behind this point: REP came again ${humanDuration(afterPs)} after it`,
})

export const managementUnanswered = defineFinding<Seen<{ readonly message: string }>>({
  id: 'capture-cm-unanswered',
  severity: 'warning',
  meaning: 'A message that sets a connection up or ends it has no answer in the capture.',
  source: `${IBTA} 12.9`,
  remedy: 'look whether the other end lives; a capture that ends early shows the same',
  text: ({ message, count }) => `${message} without an answer, sent ${count === 1 ? 'once' : `${count} times`}`,
})

/** How many of the connections have it. */
type Share = { readonly connections: number; readonly ofConnections: number }

const ofAll = ({ connections, ofConnections }: Share): string =>
  connections === ofConnections
    ? connections === 1
      ? 'the connection'
      : connections === 2
        ? 'both connections'
        : `all ${exactCount(connections)} connections`
    : `${exactCount(connections)} of ${counted(ofConnections, 'connection')}`

export const mtuSmall = defineFinding<Share & { readonly mtuBytes: number; readonly longestBytes: number }>({
  id: 'capture-mtu-small',
  severity: 'note',
  meaning: 'Connections use an MTU of 1024 or less where longer frames pass: more packets than necessary.',
  formula: 'MTU seen of at most 1024, and frames of 2,200 bytes and more in the file',
  source: `${IBTA} annex A17 (MTU 256 to 4096)`,
  remedy: 'set the MTU of the interfaces to 4200 and more at both ends, and the path MTU of the queue pairs to 4096',
  text: (values) =>
    `${ofAll(values)} with an MTU of ${values.mtuBytes}, and frames of up to ${humanBytes(values.longestBytes)} pass here`,
})

export const dscpZero = defineFinding<Share>({
  id: 'capture-dscp-zero',
  severity: 'note',
  meaning: 'RoCE packets with DSCP 0 go where all other traffic goes: the lossy default class.',
  source: '[MS-Scale] section 3 (classes by DSCP)',
  remedy: 'set the traffic class of the connections, or that of the NIC, to the one that the fabric keeps lossless',
  text: (values) => `${ofAll(values)}: packets have DSCP 0, which is the default class`,
})

export const notEct = defineFinding<Share>({
  id: 'capture-not-ect',
  severity: 'note',
  meaning: 'Packets are not ECN-capable: switches drop them where they would mark others.',
  source: 'RFC 3168',
  remedy: 'turn ECN on for RoCE in the NIC, or set the lower bits of the traffic class to 2',
  text: (values) => `${ofAll(values)}: packets are not ECN-capable`,
})

export const sourcePortConstant = defineFinding<{
  readonly source: string
  readonly destination: string
  readonly connections: number
  readonly sourcePort: number
}>({
  id: 'capture-source-port-constant',
  severity: 'note',
  meaning: 'All queue pairs between two addresses have one UDP source port, so ECMP sends them along one path.',
  formula: 'at least 4 connections between two addresses, all with the same source port',
  source: `${IBTA} annex A17.3.1 (entropy)`,
  remedy: 'let the NIC or the program vary the source port by queue pair (flow label)',
  text: ({ source, destination, connections, sourcePort }) =>
    `${connections} connections from ${source} to ${destination}, all from port ${sourcePort}`,
  weight: ({ connections }) => connections,
})

export const classesDiffer = defineFinding<Share & { readonly dscp: number; readonly otherDscp: number }>({
  id: 'capture-classes-differ',
  severity: 'note',
  meaning: 'The two directions of a connection have different DSCPs: answers may be lossy where requests are lossless.',
  source: '[MS-Scale] section 3',
  remedy: 'set the same traffic class at both ends',
  text: (values) => `${ofAll(values)}: DSCP ${values.dscp} in one direction and ${values.otherDscp} in the other`,
})

export const captureDamaged = defineFinding<{ readonly atByte: number; readonly what: string }>({
  id: 'capture-file-damaged',
  severity: 'warning',
  meaning: 'The file ends in the middle of a record or is damaged; all before it was read.',
  source: 'draft-ietf-opsawg-pcapng',
  remedy: 'end captures with SIGINT, so that the program writes its last record',
  text: ({ atByte, what }) => `the file is not whole, at byte ${exactCount(atByte)}: ${what}`,
})

export const captureLostFrames = defineFinding<{ readonly frames: number }>({
  id: 'capture-frames-lost',
  severity: 'note',
  meaning: 'The capturing program says that it lost frames; figures are too low, and some losses are its own.',
  source: 'draft-ietf-opsawg-pcapng (interface statistics)',
  remedy: 'capture with larger buffers (-B), shorter frames (-s 128), or fewer connections',
  text: ({ frames }) => `the capturing program lost ${counted(frames, 'frame')}`,
})

export const copiesJoined = defineFinding<{ readonly packets: number }>({
  id: 'capture-copies-joined',
  severity: 'note',
  meaning: 'The same packets are in the file from several interfaces; each was counted once, where it was seen first.',
  formula: 'equal ICRC, PSN and queue pair at another interface within 10 ms',
  source: '',
  remedy: 'nothing to do; capture one interface for times at one point',
  text: ({ packets }) => `${counted(packets, 'packet')} seen at several interfaces and counted once`,
})

export const connectionsUnlisted = defineFinding<{ readonly connections: number }>({
  id: 'capture-connections-unlisted',
  severity: 'note',
  meaning: 'The file has more connections than are listed; those with fewest bytes were counted and left out.',
  source: '',
  remedy: 'capture with a filter',
  text: ({ connections }) => `${counted(connections, 'connection')} more than are listed`,
})

export const findingsUnlisted = defineFinding<{
  readonly findings: number
  /** By kind: findings that are left out, and what they count together. */
  readonly kinds: readonly { readonly id: string; readonly findings: number; readonly times: number }[]
}>({
  id: 'capture-findings-unlisted',
  severity: 'note',
  meaning: 'The file has more findings than are listed; the less grave and later ones were counted by kind.',
  source: '',
  remedy: 'capture with a filter, or look at the counts of the connections (--out)',
  text: ({ findings, kinds }) =>
    `${counted(findings, 'finding')} more than are listed: ` +
    kinds.map(({ id, findings: some, times }) => `${id} ${exactCount(times)} times in ${exactCount(some)}`).join(', '),
})
