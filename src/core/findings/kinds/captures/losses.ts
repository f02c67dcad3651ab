/**
 * Findings on packets that were lost, late or sent again, as a capture shows them at its point of the path.
 * Source of the family: IBTA 9.7 (reliable service); times of Linux rxe as in docs/models/captures.md.
 */
import { exactCount, humanDuration } from '../../../base/format.ts'
import { defineFinding } from '../../finding.ts'
import { counted } from '../../words.ts'
import { firstOf, IBTA, type Seen, times } from './seen.ts'

type Again = Seen<{ readonly packets: number; readonly afterPs: number }>

const packetsText = (packets: number): string => `${counted(packets, 'packet')} sent again`

export const retransmissionNak = defineFinding<Again & { readonly timeoutCode: number | null }>({
  id: 'capture-retransmission-nak',
  severity: 'warning',
  meaning: 'A receiver missed a packet and asked for it (NAK 60), and the sender sent again from there.',
  formula: 'a PSN that was requested before, the same as that of a NAK 60 before it',
  source: `${IBTA} 9.7.5.1.2, 9.7.2.1`,
  remedy: 'find where packets are lost: counters of the ports on the path, pause frames, CE marks before the loss',
  text: (values) =>
    `asked for by NAK 60 and sent again, ${times(values)}: ${firstOf(values)}, ${humanDuration(values.afterPs)} after the NAK` +
    (values.timeoutCode === null ? '; ' : `, or by timeout code ${values.timeoutCode}, which fits as well; `) +
    packetsText(values.packets),
  weight: ({ packets }) => packets,
})

export const retransmissionRnr = defineFinding<Again & { readonly code: number; readonly askedPs: number }>({
  id: 'capture-retransmission-rnr',
  severity: 'warning',
  meaning:
    'A receiver had no receive posted (RNR NAK), and the sender sent again after the wait that it was asked for.',
  formula: 'a PSN that was requested before, the same as that of an RNR NAK before it',
  source: `${IBTA} 9.7.5.2.8`,
  remedy: 'post receives earlier, or more of them',
  text: (values) =>
    `sent again after RNR NAK, ${times(values)}: ${firstOf(values)}, ${humanDuration(values.afterPs)} after it, asked ` +
    `${humanDuration(values.askedPs)}; ${packetsText(values.packets)}`,
  weight: ({ packets }) => packets,
})

export const retransmissionResponse = defineFinding<
  Again & { readonly timeoutCode: number | null; readonly hasPassed: boolean }
>({
  id: 'capture-retransmission-response',
  severity: 'warning',
  meaning:
    'A requester missed the response of a READ or atomic, as a later answer had come, and asked for it again without waiting for its timer.',
  formula: 'a PSN of a READ or atomic that was requested before, at most 4 ms after an answer to a later PSN',
  source: `${IBTA} 9.7.5.1.4 (implied NAK)`,
  remedy: 'look for losses on the path of the responses: before this point where they lack here, and else behind it',
  text: (values) =>
    `asked for again at a later answer, ${times(values)}: ${firstOf(values)}, ${humanDuration(values.afterPs)} after it` +
    (values.timeoutCode === null ? '; its ' : `, or by timeout code ${values.timeoutCode}, which fits as well; its `) +
    `response ${values.hasPassed ? 'passed this point before, and was lost behind it' : 'had not passed this point'}; ` +
    packetsText(values.packets),
  weight: ({ packets }) => packets,
})

export const retransmissionTimeout = defineFinding<Again & { readonly timeoutCode: number | null }>({
  id: 'capture-retransmission-timeout',
  severity: 'warning',
  meaning:
    'A sender sent again without being asked: no answer came until its timer ran out. A last packet that is lost, a lost NAK or READ response end this way.',
  formula: 'a PSN that was requested before, without a NAK for it; timeout within 20 % of 4.096 us x 2^code',
  source: `${IBTA} 9.7.6.1.3, 11.2.4.2 (timeout codes)`,
  remedy:
    'find where packets are lost, or why the partner answers late; only where packets are lost does a shorter timeout of the queue pair help',
  text: (values) =>
    `timeout, ${times(values)}: ${firstOf(values)}, again after ${humanDuration(values.afterPs)} ` +
    `(${values.timeoutCode === null ? 'no code of a timeout fits' : `timeout code ${values.timeoutCode}`}); ` +
    packetsText(values.packets),
  weight: ({ packets }) => packets,
})

export const retransmissionAnswered = defineFinding<Again & { readonly timeoutCode: number | null }>({
  id: 'capture-retransmission-answered',
  severity: 'warning',
  meaning:
    'A sender sent again what had been answered: the answer passed this point before, and was lost behind it or came after the timer.',
  formula: 'a PSN that was requested before, below the last one that was acknowledged',
  source: `${IBTA} 9.7.6.1.3`,
  remedy: 'look for losses on the path of the answers, or give the queue pair a longer timeout',
  text: (values) =>
    `sent again although answered, ${times(values)}: ${firstOf(values)}, after ${humanDuration(values.afterPs)}` +
    `${values.timeoutCode === null ? '' : ` (timeout code ${values.timeoutCode})`}; the answer was lost behind this point or too late; ${packetsText(values.packets)}`,
  weight: ({ packets }) => packets,
})

export const retransmissionSpurious = defineFinding<Again & { readonly timeoutCode: number | null }>({
  id: 'capture-retransmission-spurious',
  severity: 'warning',
  meaning:
    'The timer of a sender ran out although nothing was lost: its packets had arrived, and the answer to them came late.',
  formula:
    'sent again without a NAK, and the answer passed in the last tenth of the wait, or there are more answers than packets that were sent again',
  source: `${IBTA} 9.7.6.1.3, 9.7.5.1.1 (duplicates are answered again)`,
  remedy:
    'give the queue pair a longer timeout, or look why the receiver answers late; a shorter timeout makes it worse',
  text: (values) =>
    `sent again too early, ${times(values)}: ${firstOf(values)}, after ${humanDuration(values.afterPs)}` +
    `${values.timeoutCode === null ? '' : ` (timeout code ${values.timeoutCode})`}; it had arrived, and the answer was late; ` +
    packetsText(values.packets),
  weight: ({ packets }) => packets,
})

export const retransmissionUnexplained = defineFinding<Again & { readonly timeoutCode: number | null }>({
  id: 'capture-retransmission-unexplained',
  severity: 'warning',
  meaning: 'A sender sent again, and the answers are not in the capture: a NAK, an RNR NAK or its timer was the cause.',
  formula: 'a PSN that was requested before, and no packet of the partner',
  source: `${IBTA} 9.7.5, 9.7.6.1.3`,
  remedy: 'capture both directions: a mirror of one direction, or a path that answers do not take, shows one alone',
  text: (values) =>
    `sent again, ${times(values)}: ${firstOf(values)}, after ${humanDuration(values.afterPs)}; the answers are not in the ` +
    `capture, so the cause is not known; ${packetsText(values.packets)}`,
  weight: ({ packets }) => packets,
})

export const missedAlone = defineFinding<Seen>({
  id: 'capture-missed',
  severity: 'warning',
  meaning:
    'A receiver missed a packet (NAK 60). The request is not in the capture, so that nobody knows whether it was lost, or overtaken, before or behind this point.',
  formula: 'a NAK 60 for a PSN that no request in the capture has',
  source: `${IBTA} 9.7.5.1.2`,
  remedy: 'capture both directions, or look at the whole path from the requester to the responder',
  text: (values) => `missed by its receiver (NAK 60): ${firstOf(values)}; the request is not in the capture`,
  weight: ({ count }) => count,
})

export const lossBefore = defineFinding<Seen>({
  id: 'capture-loss-before',
  severity: 'warning',
  meaning: 'A packet was lost between its sender and the point of the capture.',
  formula: 'a PSN is first seen after higher ones, and those behind it are sent again',
  source: `${IBTA} 9.7.5.1.2`,
  remedy: 'look at the path from the sender to this point, its NIC included',
  text: (values) => `lost before this point: ${firstOf(values)}`,
  weight: ({ count }) => count,
})

export const lossAfter = defineFinding<Seen>({
  id: 'capture-loss-after',
  severity: 'warning',
  meaning: 'A packet that passed this point did not reach its receiver in time: lost or overtaken behind it.',
  formula: 'a NAK 60 for a PSN that is in the capture',
  source: `${IBTA} 9.7.5.1.2`,
  remedy: 'look at the path from this point to the receiver, its NIC included',
  text: (values) => `lost or overtaken behind this point: ${firstOf(values)}`,
  weight: ({ count }) => count,
})

export const reordered = defineFinding<Seen<{ readonly latePs: number }>>({
  id: 'capture-reordered',
  severity: 'warning',
  meaning: 'A packet came behind later ones of its queue pair: the path before this point does not keep the order.',
  formula: 'a PSN is first seen after a higher one, and those behind it are not sent again',
  source: `${IBTA} 9.7.5.1.2 (a receiver without reordering takes it for a loss)`,
  remedy: 'keep a queue pair on one path: look for packet spraying and changing source ports',
  text: (values) => `out of order before this point: ${firstOf(values)}, ${humanDuration(values.latePs)} behind`,
  weight: ({ count }) => count,
})

export const lateUnexplained = defineFinding<Seen<{ readonly latePs: number }>>({
  id: 'capture-late',
  severity: 'warning',
  meaning:
    'A packet came behind later ones, and the answers are not in the capture: it was overtaken, or lost and sent again by itself, before this point.',
  formula: 'a PSN is first seen after a higher one, those behind it are not sent again, and no packet of the partner',
  source: `${IBTA} 9.7.5.1.2`,
  remedy: 'capture both directions; look at the path from the sender to this point',
  text: (values) =>
    `overtaken, or lost and sent again, before this point: ${firstOf(values)}, ${humanDuration(values.latePs)} behind; ` +
    'the answers are not in the capture',
  weight: ({ count }) => count,
})

export const duplicated = defineFinding<Seen>({
  id: 'capture-duplicated',
  severity: 'note',
  meaning:
    'The same packet came twice at once: the network or the capture doubled it, or its sender sends the last packet of a message twice (Send Twice). It is no retransmission.',
  formula:
    'ICRC, PSN, queue pair and identification of a packet within 10 ms before; where identifications do not count on, of the packet directly before it, or within less than a round trip; the last packet of a message directly behind itself',
  source: `${IBTA} 9.7.5.1.1 (duplicates)`,
  remedy: 'look for mirrored ports and loops; the queue pair takes no harm',
  text: (values) => `packets twice: ${firstOf(values)}`,
  weight: ({ count }) => count,
})

export const mirrored = defineFinding<Seen>({
  id: 'capture-mirrored',
  severity: 'note',
  meaning:
    'Most packets of a connection are in the capture twice at one interface: a mirror of two ports or of both directions, or captures of both ends that were merged. Each counts once.',
  formula: 'ICRC, PSN, queue pair and identification of a packet within 10 ms before, of half of the packets at least',
  source: '',
  remedy:
    'nothing to do; mirror one port, or merge with an interface for each file (mergecap -I none), for times at one point',
  text: (values) => `packets twice, mirrored or merged: ${counted(values.count, 'copy')}, each counted once`,
  weight: ({ count }) => count,
})

export const packetsMissing = defineFinding<Seen<{ readonly packets: number }>>({
  id: 'capture-packets-missing',
  severity: 'note',
  meaning:
    'Packets arrived that are not in the capture: it lost them, or they took another path. The network did not lose them.',
  formula: 'PSNs that were never seen, and were acknowledged without being sent again',
  source: '',
  remedy: 'capture with larger buffers or shorter frames; figures of this connection are too low',
  text: (values) =>
    `${counted(values.packets, 'packet')} not in the capture, and acknowledged: from ${firstOf(values)}`,
  weight: ({ packets }) => packets,
})

export const unreliableGap = defineFinding<Seen<{ readonly packets: number }>>({
  id: 'capture-unreliable-gap',
  severity: 'warning',
  meaning: 'Packets of an unreliable connection are missing; their messages are lost, and nobody sends them again.',
  formula: 'PSNs that were never seen, service UC',
  source: `${IBTA} 9.8.2`,
  remedy: 'look at the path before this point',
  text: (values) => `${counted(values.packets, 'packet')} missing on an unreliable connection: from ${firstOf(values)}`,
  weight: ({ packets }) => packets,
})

export const peerSilent = defineFinding<
  Seen<{ readonly transmissions: number; readonly intervalPs: number; readonly lastLifePs: number | null }>
>({
  id: 'capture-peer-silent',
  severity: 'error',
  meaning:
    'A sender sent the same packets three times or more and nothing came back: its partner is dead, gone or unreachable.',
  formula: 'the same first PSN, at least 3 transmissions, no packet of the partner until the end',
  source: `${IBTA} 9.7.6.1.3 (retry count)`,
  remedy: 'look whether the partner lives and its queue pair exists; status 12 (retry exceeded) is due at the sender',
  text: (values) =>
    `no answer to ${exactCount(values.transmissions)} transmissions of PSN ${values.psn}, ${humanDuration(values.intervalPs)} apart; ` +
    (values.lastLifePs === null
      ? 'nothing of the partner is in the capture'
      : `last sign of life at ${humanDuration(values.lastLifePs)}`),
  weight: ({ transmissions }) => transmissions,
})

export const stall = defineFinding<Seen<{ readonly longestPs: number }>>({
  id: 'capture-stall',
  severity: 'note',
  meaning:
    'A connection stood still with work outstanding, then went on by an answer, without anything being sent again.',
  formula: 'no packet either way for 1 ms and 100 usual round trips at least, ended by an answer',
  source: '',
  remedy: 'look for pause frames and for a busy receiver at these times',
  text: (values) => `stood still ${times(values)}, up to ${humanDuration(values.longestPs)}: before ${firstOf(values)}`,
  weight: ({ longestPs }) => longestPs,
})
