/**
 * The survey's worked examples of packets: retransmissions (Figures 4 and 14), fairness and blocking of PFC (Figures 5 and
 * 6), and marks with their effect on ACKs, windows and rates (Figure 8). Runs of Figures 5, 6 and 8(a) are those of runs.ts;
 * the rest is driven by hand.
 * Source: [Survey] III-A, IV-B, V-D.
 */
import { humanNumber, humanRate } from '../../show/index.ts'
import { type Claim, exact } from '../core/findings.ts'
import type { At } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { pairOf, windowAfter } from './rates.ts'
import { ARRIVALS, FIGURE_5, FIGURE_6, FIGURE_8A } from './runs.ts'

/* Figures 4 and 14. */

/** Packets of the message, of which the survey gives no number. */
const PACKETS = 5
/** The survey's packets that are sent again when packet `lost` is lost. */
const SENT_AGAIN = {
  'go-back-0': () => range(0),
  'go-back-n': (lost: number) => range(lost),
  irn: (lost: number) => [lost],
}
const COMPARED = [
  {
    id: 'srv.fig4.gb0-vs-gbn',
    recoveries: ['go-back-0', 'go-back-n'],
    why: 'Go-back-0 restarts twice: its receiver has discarded the message and misses packet 0 when the next old packet comes.',
  },
  { id: 'srv.fig14.gbn-vs-sr', recoveries: ['go-back-n', 'irn'], why: 'Selective retransmission is that of irn.' },
] as const

/** "Packet 2" is the third packet counted from 0, and the second counted from 1. */
export function retransmissionClaims(): Claim[] {
  return COMPARED.map(({ id, recoveries, why }) => {
    const played = recoveries.map((recovery) =>
      [2, 1].map((lost) => ({ lost, again: againWith(recovery, lost), said: SENT_AGAIN[recovery](lost) })),
    )
    const texts = played.map((of) => of.map(({ lost, again }) => `${again.join(' ')} (${lost} lost)`).join(', '))
    return exact(id, {
      holds: played.flat().every(({ again, said }) => String(again) === String(said)),
      measured: recoveries.map((recovery, i) => `${recovery}: ${texts[i]!}`).join('; '),
      reason: `The set of packets, exact, in both numberings; numbers count from 0. ${why}`,
    })
  })
}

export function againWith(recovery: keyof typeof SENT_AGAIN, lost: number): number[] {
  const { sent } = pairOf([`recovery: ${recovery}`]).play({ packets: PACKETS, lost: [lost] })
  const again = sent.filter((psn, i) => sent.indexOf(psn) < i)
  return [...new Set(again)].toSorted((a, b) => a - b)
}

const range = (from: number): number[] => Array.from({ length: PACKETS - from }, (_, i) => from + i)

/* Figures 5 and 6. */

export function pfcClaims(runs: Runs): Claim[] {
  const bps = (at: At, flow: string): number => runs.mean(`${flow} Bps`, at).mean
  const flows = ['f1', 'f2', 'f3']
  const shared = flows.map((flow) => bps(FIGURE_5.shared, flow))
  const apart = flows.map((flow) => bps(FIGURE_5.apart, flow))
  const [f1, f2, f3] = shared as [number, number, number]
  const [slow, held, free] = [bps(FIGURE_6.pfc, 'f1'), bps(FIGURE_6.pfc, 'f2'), bps(FIGURE_6.free, 'f2')]
  const inWords = (rates: readonly number[]): string => rates.map((each) => humanRate(each)).join(', ')
  return [
    exact('srv.fig5.unfair', {
      holds: f1 > 1.2 * f2 && Math.abs(f2 - f3) < 0.05 * f2 && Math.max(...apart) < 1.1 * Math.min(...apart),
      measured: `${inWords(shared)}; with an ingress each ${inWords(apart)}`,
      reason:
        'f1 at least a fifth above f2, f2 and f3 within 5 %; with an ingress each, all within 10 %. Only complete messages count. ' +
        'The text says egress 2, but ingress 2 must be meant.',
    }),
    exact('srv.fig6.hol', {
      holds: held < free / 2 && held < 1.2 * slow,
      measured: `f2 ${humanRate(held)} with PFC, as slow as f1 (${humanRate(slow)}); ${humanRate(free)} without`,
      reason: 'f2 below half of its goodput without PFC, and at most a fifth above f1, although its egress is idle.',
    }),
  ]
}

/* Figure 8. */

/** Packets of a round trip with the survey's names: 1 where marked. */
const SENDERS = [
  { name: 'S1', before: 20, marks: '00011', names: '12345' },
  { name: 'S2', before: 30, marks: '011', names: 'abc' },
] as const
type Sender = (typeof SENDERS)[number]

/** Marked arrivals as bitmaps of the two senders, from the runs that send growing parts of Figure 8(a). */
export function markClaim(runs: Runs): Claim {
  const marks = FIGURE_8A.map((at) => runs.mean('marks', at).mean)
  const bits = Array.from(ARRIVALS, (name, i) => {
    // The shortest run with this packet, and the marks that it adds to the previous run.
    const run = FIGURE_8A.findIndex(({ packets }) => i < packets)
    const more = marks[run]! - (marks[run - 1] ?? 0)
    const packets = FIGURE_8A[run]!.packets - (FIGURE_8A[run - 1]?.packets ?? 0)
    return { name, bit: more === packets ? '1' : more === 0 ? '0' : '?' }
  })
  const bitmaps = SENDERS.map(({ names }) =>
    bits.flatMap(({ name, bit }) => (names.includes(name) ? [bit] : [])).join(''),
  )
  return exact('srv.fig8a.marks', {
    holds: SENDERS.every((sender, i) => sender.marks === bitmaps[i]),
    measured: SENDERS.map(({ name }, i) => `${name} ${bitmaps[i]!}`).join(', '),
    reason:
      `Exact. The packets arrive as ${Array.from(ARRIVALS).join(' ')}; runs that send only the first of them show which are marked. ` +
      'The caption names c and d, but S2 sends a to c: b and c are meant, as in (b) and (d).',
  })
}

const G = 0.5
const ALPHA = 0.8

/** The survey's values after the round trip; windows are real numbers here, and rounded there. */
const REACTIONS = [
  {
    id: 'ecn',
    said: { S1: 10, S2: 15 },
    by: 0,
    reason: 'Exact, by dctcp with alpha held at 1 (g: 0), the halving of RFC 3168.',
    react: ({ before, marks }: Sender) => windowAfter(before, marks, 0, 1),
  },
  {
    id: 'dctcp',
    said: { S1: 14, S2: 19 },
    by: 0.5,
    reason: 'Within 0.5: the survey prints whole packets and 66 % for 2/3.',
    react: ({ before, marks }: Sender) => windowAfter(before, marks, G, ALPHA),
  },
  { id: 'dcqcn', said: { S1: 12, S2: 18 }, by: 0, reason: 'Exact, at line rate with one CNP.', react: rateAfter },
] as const

function rateAfter({ before }: Sender): number {
  const { control } = pairOf([`congestion: {kind: dcqcn, g: ${G}, alphaStart: ${ALPHA}}`], before)
  control.onCnp(0, 0)
  return control.rateBps / 1e9
}

export function reactionClaims(): Claim[] {
  return REACTIONS.flatMap(({ id, said, by, reason, react }) =>
    SENDERS.map((sender) => {
      const after = react(sender)
      const holds = Math.abs(after - said[sender.name]) <= by + 1e-9
      return exact(`srv.fig8b.${id}.${sender.name}`, { holds, measured: humanNumber(after, 5), reason })
    }),
  )
}

/** ACKs of DCTCP's receiver, in the survey's notation: "ACK 1-3, ACK+ECE 4". */
function acksTo({ marks, names }: Sender, perAck: number): string {
  const marked = Array.from(marks).flatMap((mark, i) => (mark === '1' ? [i] : []))
  const pair = pairOf(['congestion: dctcp', `qp: {ecnEcho: ack, ackCoalescing: ${perAck}}`])
  const { answers } = pair.play({ packets: marks.length, marked })
  const texts = answers.map(({ kind, psn, echo }, i) => {
    const first = (answers[i - 1]?.psn ?? -1) + 1
    return `${kind}${echo ? '+ECE' : ''} ${first < psn ? `${names[first]}-` : ''}${names[psn]}`
  })
  return texts.join(', ')
}

export function notificationClaim(): Claim {
  const [single, measured] = [1, 3].map((perAck) =>
    SENDERS.map((sender) => `${sender.name}: ${acksTo(sender, perAck)}`).join('; '),
  ) as [string, string]
  return exact('srv.fig8c.ecn-notify', {
    holds: measured === 'S1: ACK 1-3, ACK+ECE 4, ACK+ECE 5; S2: ACK a, ACK+ECE b, ACK+ECE c',
    measured,
    reason:
      'Exact, with an ACK for up to three packets (`qp.ackCoalescing: 3`). Unmarked packets share an ACK as in the survey; but by RFC 8257 3.2 ' +
      `packets with the same mark share one, and so do the two marked ones. With an ACK for each packet: ${single}.`,
  })
}
