/**
 * Findings on packets that contradict what came before them, or themselves.
 * Source of the family: IBTA 9.7.4 (validation of requests), 9.7.5 and 9.7.6 (of answers).
 */
import { defineFinding } from '../../finding.ts'
import { counted } from '../../words.ts'
import { firstOf, IBTA, type Seen, times } from './seen.ts'

export const opcodeOrder = defineFinding<Seen<{ readonly opcode: string; readonly after: string }>>({
  id: 'capture-opcode-order',
  severity: 'warning',
  meaning:
    'Packets of a message are in an order that does not exist: a MIDDLE without a FIRST, a FIRST inside a message.',
  source: `${IBTA} 9.7.4.1.2, table 42`,
  remedy: 'look at the sender: its messages are mixed up, or the capture joined two queue pairs',
  text: (values) => `${values.opcode} after ${values.after}, ${times(values)}: ${firstOf(values)}`,
})

export const psnReused = defineFinding<
  Seen<{ readonly opcode: string; readonly request: string; readonly requestPsn: string }>
>({
  id: 'capture-psn-reused',
  severity: 'error',
  meaning:
    'A sender gave a packet the PSN of another request: it counts PSNs wrongly, and the receiver takes the packet for a duplicate and does not carry it out.',
  formula: 'an opcode that is not that of the same part of the request with this PSN; a READ has a PSN per response',
  source: `${IBTA} 9.7.3, 9.7.5.1.1`,
  remedy: 'look at the sender, and whether both ends have the same path MTU, by which the responses of a READ count',
  text: (values) =>
    `${values.opcode} with the PSN of another request, ${times(values)}: ${firstOf(values)} belongs to the ` +
    `${values.request} of PSN ${values.requestPsn}`,
})

const RULES: Readonly<Record<string, string>> = {
  header: 'length that the headers or the padding do not allow',
  middle: 'bytes in the middle of a message, which is not the MTU',
  mtu: 'bytes, more than the MTU',
  empty: 'bytes in the last packet of a message',
  message: 'bytes in a message, and its RETH says otherwise',
  atomic: 'as the lower bits of the address of an atomic operation, which is not on 8 bytes',
}

export const lengthWrong = defineFinding<
  Seen<{ readonly rule: string; readonly bytes: number; readonly expectedBytes: number | null }>
>({
  id: 'capture-length-wrong',
  severity: 'warning',
  meaning: 'A packet or message has a length that its headers, the MTU or its RETH contradict.',
  formula: 'payload = MTU in the middle of a message; sum of payloads = length in the RETH; atomic address on 8 bytes',
  source: `${IBTA} 9.7.4.1.6, 9.7.4.1.7`,
  remedy: 'look at the sender; a receiver answers with NAK 61 (invalid request)',
  text: (values) => {
    const expected = values.expectedBytes === null ? '' : ` (${values.expectedBytes} expected)`
    return `${values.bytes} ${RULES[values.rule]}${expected}, ${times(values)}: ${firstOf(values)}`
  },
})

/** Operations of later versions, on the reliable service. */
const LATER: Readonly<Record<number, string>> = {
  28: ' (FLUSH), judged by its PSN alone',
  29: ' (ATOMIC WRITE), judged by its PSN alone',
}

export const opcodeUnknown = defineFinding<Seen<{ readonly opcode: number }>>({
  id: 'capture-opcode-unknown',
  severity: 'note',
  meaning:
    'Packets have opcodes that the standard did not define before version 1.6. FLUSH (1c) and ATOMIC WRITE (1d) are judged by their PSNs alone; receivers drop others silently, and those that they do not know.',
  source: `${IBTA} 9.2.1, 9.6.1.1`,
  remedy: 'look which device sends them; IRN of a simulated run needs --irn',
  text: (values) => `opcode ${values.opcode.toString(16)}${LATER[values.opcode] ?? ''}, ${times(values)}`,
})

export const msnBack = defineFinding<Seen<{ readonly msn: number; readonly before: number }>>({
  id: 'capture-msn-back',
  severity: 'warning',
  meaning: 'The count of completed messages in ACKs went back.',
  source: `${IBTA} 9.7.7.1`,
  remedy: 'look at the responder',
  text: (values) => `MSN ${values.msn} after ${values.before}, ${times(values)}: ACK of ${firstOf(values)}`,
})

export const ackUnsent = defineFinding<Seen>({
  id: 'capture-ack-unsent',
  severity: 'warning',
  meaning:
    'An answer names a PSN that was not sent. Linux rxe takes one above all that was sent for an answer to everything; others ignore it.',
  formula:
    'PSN of an answer above the highest request in the capture, and no later request shows that the capture missed some; or of an ACK below the first request, where later ones were answered',
  source: `${IBTA} 9.7.6.1.1 (ghost ACK)`,
  remedy: 'look at the responder; where the capture misses packets of the sender, this is no fault',
  text: (values) => `ACK of what was not sent, ${times(values)}: ${firstOf(values)}`,
})

export const responseOutsideRead = defineFinding<Seen>({
  id: 'capture-response-outside-read',
  severity: 'warning',
  meaning: 'A READ response has a PSN that no READ asked for.',
  source: `${IBTA} 9.7.6.1.4`,
  remedy: 'look at the responder; where the capture misses the request, this is no fault',
  text: (values) => `READ response outside every READ, ${times(values)}: ${firstOf(values)}`,
})

export const icrcWrong = defineFinding<Seen<{ readonly ofPackets: number; readonly field: string }>>({
  id: 'capture-icrc-wrong',
  severity: 'warning',
  meaning: 'Packets were damaged on the way, behind their sender and before this point: receivers drop them silently.',
  formula: 'ICRC computed from the bytes is not the one at the end',
  source: `${IBTA} annex A17.3.3`,
  remedy: 'look for a device that changes packets: memory errors of a switch or NIC, NAT, a tunnel',
  text: (values) =>
    `wrong ICRC in ${values.count} of ${counted(values.ofPackets, 'packet')}: ${firstOf(values)}` +
    (values.field === '' ? '' : `; it fits with another ${values.field}, which was changed on the way`),
  weight: ({ count }) => count,
})

export const icrcAllWrong = defineFinding<Seen<{ readonly ofPackets: number; readonly field: string }>>({
  id: 'capture-icrc-all-wrong',
  severity: 'note',
  meaning:
    'All ICRCs of a direction are wrong over IPv4: a sender over UDP sockets, which does not know the identification, or NAT.',
  formula: 'every packet of a direction, at least 4, has a wrong ICRC',
  source: `${IBTA} annex A17.3.3 (the identification is part of it)`,
  remedy: 'a NIC or rxe at the other end drops all of them: use a sender with raw frames, and no NAT',
  text: (values) =>
    `all ${counted(values.ofPackets, 'ICRC')} wrong` +
    (values.field === '' ? '' : `, and right with ${values.field}: a sender over UDP sockets`),
})
