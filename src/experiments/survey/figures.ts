/**
 * The survey's worked examples of packets: retransmissions (Figures 4 and 14), and the effect of marks on windows and rates
 * (Figure 8). Each drives the schemes of this program by hand, as in the figure. A further scheme is an entry of
 * RETRANSMITTERS or REACTIONS; a figure that compares other schemes is a claim over their retransmissions.
 * Source: [Survey] III-A1, IV-B, V-D.
 */
import { humanNumber } from '../../report/index.ts'
import { type Claim, exactClaim } from '../core/findings.ts'
import { pairOf, type Shown } from './pair.ts'

/* Figures 4 and 14. */

/** Packets of the message; the survey's text does not give their number. */
const PACKETS = 5
const RETRANSMITTERS = ['go-back-0', 'go-back-n', 'irn', 'send-twice', 'check-epsn', 'improved-gbn'] as const
type Retransmitter = (typeof RETRANSMITTERS)[number]

/** The survey's set of packets that are sent again when packet `lost` is lost. */
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
    statement: 'With packet 2 out of order, go-back-0 resends all packets, go-back-N those from packet 2 on',
    paper: 'all packets of the data; packet 2 and all behind it',
    why:
      'Go-back-0 restarts twice, since its receiver, which has discarded the message, misses packet 0 when the next of the old ' +
      'packets comes.',
  },
  {
    id: 'srv.fig14.gbn-vs-sr',
    recoveries: ['go-back-n', 'irn'],
    statement:
      'With packet 2 out of order, go-back-N resends packet 2 and all after it, selective retransmission packet 2',
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
  // "Packet 2" is the third packet counted from 0, and the second counted from 1.
  const played = [2, 1].flatMap((lost) => RETRANSMITTERS.map((recovery) => playedWith(recovery, lost)))
  return {
    tables: [
      {
        title: `Figures 4 and 14: packet 2 of a message of ${PACKETS} is out of order`,
        columns: ['numbered from', 'recovery', 'on the wire', 'retransmitted', 'survey'].map((head) => ({ head })),
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
    reason: `The set of packets, exact, in both numberings; numbers here count from 0. ${why}`,
  })
}

function playedWith(recovery: Retransmitter, lost: number): Played {
  const { sent } = pairOf([`recovery: ${recovery}`]).play({ packets: PACKETS, lost: [lost] })
  return { recovery, lost, sent, again: againOf(sent) }
}

/** Packets after their first transmission. */
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

/** Packets numbered as in the figure: from 0 if 2 is lost, from 1 if 1 is lost. */
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
  /** Part of the claim's id. */
  readonly id: string
  readonly what: string
  readonly paper: Readonly<Record<MarkedSender['name'], number>>
  /** Tolerance of the values after the reaction. */
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

/** The window after a round trip with marks. Only the packets of the example are in flight, not a whole window. */
function windowAfter({ before, marks }: MarkedSender, g: number, alpha: number): number {
  const pair = pairOf([`congestion: {kind: dctcp, g: ${g}}`, 'qp: {ecnEcho: ack}'])
  const flight = marks.length
  pair.acknowledge(0, { cumulativePsn: 1, nextPsn: flight })
  Object.assign(pair.control, { windowPackets: before, alpha })
  for (const [i, mark] of Array.from(marks).entries())
    pair.acknowledge(0, { cumulativePsn: i + 2, nextPsn: i + 1 + flight, marked: mark === '1' })
  return pair.control.windowPackets
}

/** The rate after one CNP; line rate before. */
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
        columns: ['scheme', 'sender', 'marks', 'value', 'before', 'after', 'survey', 'setting'].map((head) => ({
          head,
        })),
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
        // Windows are real numbers; the survey's values are rounded.
        holds: Math.abs(after - paper) <= reaction.tolerance + 1e-9,
        reason:
          reaction.tolerance === 0
            ? 'Exact.'
            : `Within ${reaction.tolerance}: the survey prints whole packets and 66 % for 2/3.`,
      }),
    ),
  }
}

/** Largest number of packets per ACK: one, as bitmaps need it, and the three of Figure 8(c). */
const PER_ACK = [1, 3] as const

/** ACKs of DCTCP's receiver for a sender's packets, in the survey's notation: "ACK 1-3", "ACK+ECE 4". */
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
        title: 'Figure 8(c) and (d): ACKs of the receivers of S1 and S2',
        columns: ['sender', 'packets per ACK', 'ACKs', 'bitmap', 'survey'].map((head) => ({ head })),
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
          'Exact, with an ACK for up to three packets (`qp.ackCoalescing: 3`). Unmarked packets share an ACK as in the survey, and a mark triggers ' +
          "the pending ACK; but DCTCP's receiver (RFC 8257 3.2) also lets packets with the same mark share one, so that one ACK reports the two marked packets, " +
          'and not two as in the survey. With an ACK for each packet there are two, and three for the unmarked ones.',
      }),
    ],
  }
}
