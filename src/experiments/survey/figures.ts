/**
 * the survey's worked examples of packets: what is sent again (Figures 4 and 14), and what marks do to windows and rates (Figure 8).
 * Each drives the schemes of this program by hand, as the figure tells it. A scheme that joins is an entry of
 * RETRANSMITTERS or REACTIONS; a figure that compares others is a claim over what they send again.
 * Source: [Survey] III-A1, IV-B, V-D.
 */
import { humanNumber } from '../../report/index.ts'
import { type Claim, exactClaim } from '../core/findings.ts'
import { pairOf, type Shown } from './pair.ts'

/* Figures 4 and 14. */

/** Packets of the message; the survey's drawing is not in the text. */
const PACKETS = 5
const RETRANSMITTERS = ['go-back-0', 'go-back-n', 'irn', 'send-twice', 'check-epsn', 'improved-gbn'] as const
type Retransmitter = (typeof RETRANSMITTERS)[number]

/** What S1 says is sent again when `lost` is. */
const SENT_AGAIN: Readonly<Partial<Record<Retransmitter, (lost: number) => number[]>>> = {
  'go-back-0': () => range(0, PACKETS),
  'go-back-n': (lost) => range(lost, PACKETS),
  irn: (lost) => [lost],
}

interface Comparison {
  readonly id: string
  readonly recoveries: readonly Retransmitter[]
  readonly statement: string
  readonly paper: string
  readonly why: string
}

const COMPARISONS: readonly Comparison[] = [
  {
    id: 'srv.fig4.gb0-vs-gbn',
    recoveries: ['go-back-0', 'go-back-n'],
    statement: 'Packet 2 out of order: go-back-0 sends all packets again, go-back-N those from packet 2 on',
    paper: 'all packets of the data; packet 2 and all behind it',
    why:
      'Go-back-0 begins twice, as its receiver, which has forgotten the message, misses packet 0 when the next of the old ' +
      'packets comes.',
  },
  {
    id: 'srv.fig14.gbn-vs-sr',
    recoveries: ['go-back-n', 'irn'],
    statement:
      'Packet 2 out of order: go-back-N sends packet 2 and all behind it again, selective retransmission packet 2',
    paper: 'packet 2 and all behind it; packet 2',
    why: 'Selective retransmission is that of irn.',
  },
]

interface Played {
  readonly recovery: Retransmitter
  readonly lost: number
  readonly sent: readonly number[]
  readonly again: readonly number[]
}

export function figures4And14(): Shown {
  // "Packet 2" is the third of a count from 0 and the second of one from 1.
  const played = [2, 1].flatMap((lost) => RETRANSMITTERS.map((recovery) => playedWith(recovery, lost)))
  return {
    tables: [
      {
        title: `Figures 4 and 14: packet 2 of a message of ${PACKETS} is out of order`,
        columns: ['numbered from', 'recovery', 'on the wire', 'sent again', 'survey'].map((head) => ({ head })),
        rows: played.map(({ recovery, lost, sent, again }) => [
          lost === 2 ? '0' : '1',
          recovery,
          numbered(sent, lost),
          numbered(again, lost),
          SENT_AGAIN[recovery] === undefined ? '-' : numbered(SENT_AGAIN[recovery](lost), lost),
        ]),
      },
    ],
    claims: COMPARISONS.map((comparison) => comparisonClaim(comparison, played)),
  }
}

function comparisonClaim({ recoveries, why, ...claim }: Comparison, played: readonly Played[]): Claim {
  const compared = recoveries.map((recovery) => played.filter((each) => each.recovery === recovery))
  const isAsSaid = ({ recovery, lost, again }: Played): boolean =>
    String(SENT_AGAIN[recovery]?.(lost)) === String(distinct(again))
  const inWords = ({ lost, again }: Played): string => `${distinct(again).join(' ')} (${lost} lost)`
  return exactClaim({
    ...claim,
    measured: compared.map((of, i) => `${recoveries[i]}: ${of.map(inWords).join(', ')}`).join('; '),
    holds: compared.flat().every(isAsSaid),
    reason: `The set of packets, exact, in both ways to number them; numbers here count from 0. ${why}`,
  })
}

function playedWith(recovery: Retransmitter, lost: number): Played {
  const { sent } = pairOf([`recovery: ${recovery}`]).play({ packets: PACKETS, lost: [lost] })
  return { recovery, lost, sent, again: againOf(sent) }
}

/** All but the first transmission of each packet. */
function againOf(sent: readonly number[]): number[] {
  const seen = new Set<number>()
  return sent.filter((psn) => {
    const isAgain = seen.has(psn)
    seen.add(psn)
    return isAgain
  })
}

function distinct(psns: readonly number[]): number[] {
  return [...new Set(psns)].sort((a, b) => a - b)
}

/** As the figure numbers them: from 0 where 2 is lost, from 1 where 1 is. */
function numbered(psns: readonly number[], lost: number): string {
  return psns.map((psn) => psn + 2 - lost).join(' ')
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

/* Figure 8. */

interface MarkedSender {
  readonly name: 'S1' | 'S2'
  readonly before: number
  /** Packets of the round trip: 1 where marked. */
  readonly marks: string
  /** The survey's names of its packets. */
  readonly names: string
}

export const SENDERS: readonly MarkedSender[] = [
  { name: 'S1', before: 20, marks: '00011', names: '12345' },
  { name: 'S2', before: 30, marks: '011', names: 'abc' },
]
const G = 0.5
const ALPHA = 0.8

interface Reaction {
  readonly scheme: string
  /** Of the claim's name. */
  readonly id: string
  readonly what: string
  readonly paper: Readonly<Record<MarkedSender['name'], number>>
  /** Within so much. */
  readonly tolerance: number
  readonly how: string
  readonly react: (sender: MarkedSender) => number
}

const REACTIONS: readonly Reaction[] = [
  {
    scheme: 'ECN',
    id: 'ecn',
    what: 'CWND',
    paper: { S1: 10, S2: 15 },
    tolerance: 0,
    how: 'dctcp with alpha held at 1 (g: 0), which is the halving of RFC 3168',
    react: (sender) => windowAfter(sender, 0, 1),
  },
  {
    scheme: 'DCTCP',
    id: 'dctcp',
    what: 'CWND',
    paper: { S1: 14, S2: 19 },
    tolerance: 0.5,
    how: `dctcp, g ${G}, alpha ${ALPHA}`,
    react: (sender) => windowAfter(sender, G, ALPHA),
  },
  {
    scheme: 'DCQCN',
    id: 'dcqcn',
    what: 'rate',
    paper: { S1: 12, S2: 18 },
    tolerance: 0,
    how: `dcqcn, g ${G}, alphaStart ${ALPHA}, one CNP`,
    react: rateAfter,
  },
]

/** A window at which a round trip of marks has come back. Of the window only as many packets are in flight as it shows. */
function windowAfter({ before, marks }: MarkedSender, g: number, alpha: number): number {
  const pair = pairOf([`congestion: {kind: dctcp, g: ${g}}`, 'qp: {ecnEcho: ack}'])
  const flight = marks.length
  pair.acknowledge(0, { cumulativePsn: 1, nextPsn: flight })
  Object.assign(pair.control, { windowPackets: before, alpha })
  for (const [i, mark] of Array.from(marks).entries())
    pair.acknowledge(0, { cumulativePsn: i + 2, nextPsn: i + 1 + flight, marked: mark === '1' })
  return pair.control.windowPackets
}

/** A rate, the line's until then, at which one CNP has come. */
function rateAfter({ before }: MarkedSender): number {
  const { control } = pairOf([`congestion: {kind: dcqcn, g: ${G}, alphaStart: ${ALPHA}}`], before)
  control.onCnp(0, 0)
  return control.rateBps / 1e9
}

export function figure8(): Shown {
  const reacted = REACTIONS.flatMap((reaction) =>
    SENDERS.map((sender) => ({ reaction, sender, after: reaction.react(sender), paper: reaction.paper[sender.name] })),
  )
  return {
    tables: [
      {
        title: `Figure 8(b): a round trip with marks, g ${G} and alpha ${ALPHA} before it`,
        columns: ['scheme', 'sender', 'marks', 'what', 'before', 'after', 'S1', 'driven'].map((head) => ({ head })),
        rows: reacted.map(({ reaction, sender, after, paper }) => [
          reaction.scheme,
          sender.name,
          sender.marks,
          reaction.what,
          `${sender.before}`,
          humanNumber(after, 5),
          `${paper}`,
          reaction.how,
        ]),
      },
    ],
    claims: reacted.map(({ reaction, sender, after, paper }) =>
      exactClaim({
        id: `srv.fig8b.${reaction.id}.${sender.name}`,
        statement: `${reaction.scheme}: the ${reaction.what} of ${sender.name} goes from ${sender.before} to ${paper}`,
        paper: `${paper}`,
        measured: humanNumber(after, 5),
        // A window is a real number: what is left of the last digit is not S1's.
        holds: Math.abs(after - paper) <= reaction.tolerance + 1e-9,
        reason:
          reaction.tolerance === 0
            ? 'Exact.'
            : `Within ${reaction.tolerance}: S1 prints whole packets and 66 % for 2/3.`,
      }),
    ),
  }
}

/** Most packets for each ACK: one, as bitmaps need it, and as many as Figure 8(c) shows. */
const PER_ACK = [1, 3] as const

/** What DCTCP's receiver says of a sender's packets, by the survey's names: "ACK 1-3", "ACK+ECE 4". */
function answersTo({ marks, names }: MarkedSender, perAck: number): readonly string[] {
  const marked = Array.from(marks).flatMap((mark, i) => (mark === '1' ? [i] : []))
  const pair = pairOf(['congestion: dctcp', `qp: {ecnEcho: ack, ackCoalescing: ${perAck}}`])
  let first = 0
  return pair.play({ packets: marks.length, marked }).answers.map((text) => {
    const [, kind, psn] = /^(\w+) (\d+)/.exec(text) ?? []
    const last = Number(psn)
    const packets = first < last ? `${names[first]}-${names[last]}` : names[last]!
    first = last + 1
    return `${kind}${text.endsWith('ECE') ? '+ECE' : ''} ${packets}`
  })
}

/** The marks of Figure 8(a) as receivers report them, and the ACKs of 8(c) and 8(d). */
export function figure8Notification(): Shown {
  const heard = PER_ACK.flatMap((perAck) =>
    SENDERS.map((sender) => ({ ...sender, perAck, answers: answersTo(sender, perAck) })),
  )
  const bitmapOf = (answers: readonly string[]): string =>
    answers.map((text) => (text.includes('ECE') ? '1' : '0')).join('')
  const measured = heard
    .filter(({ perAck }) => perAck === 3)
    .map(({ name, answers }) => `${name}: ${answers.join(', ')}`)
    .join('; ')
  const paper = 'S1: ACK 1-3, ACK+ECE 4, ACK+ECE 5; S2: ACK a, ACK+ECE b, ACK+ECE c'
  return {
    tables: [
      {
        title: 'Figure 8(c) and (d): what the receivers of S1 and S2 say',
        columns: ['sender', 'packets for each ACK', 'answers', 'bitmap', 'survey'].map((head) => ({ head })),
        rows: heard.map(({ name, perAck, answers, marks }) => [
          name,
          perAck === 1 ? '1' : `up to ${perAck}`,
          answers.join(', '),
          perAck === 1 ? bitmapOf(answers) : '-',
          perAck === 1 ? marks : '-',
        ]),
      },
    ],
    claims: [
      exactClaim({
        id: 'srv.fig8c.ecn-notify',
        statement: 'S1 gets one ACK for packets 1 to 3 and two marked ACKs, S2 one for packet a and two marked ones',
        paper,
        measured,
        holds: measured === paper,
        reason:
          'Exact, with an ACK for up to three packets (`qp.ackCoalescing: 3`). Unmarked packets share an ACK as the survey has it, and a mark sends ' +
          "what is held on its way; but DCTCP's receiver (RFC 8257 3.2) lets packets with the same mark share one too, so that the two marked ones are told " +
          'by one ACK, where the survey draws two. With an ACK for each packet there are two, and three for the unmarked ones.',
      }),
    ],
  }
}
