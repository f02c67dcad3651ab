/**
 * Parts of a completion time, each of which a picosecond of a message's life can belong to; together they are all of it.
 * Definition, precedence and the packet that completes a message: docs/models/autopsy.md.
 */

/** States of a sender, in which its time is counted. */
export const OWN = 0
export const RESEND = 1
export const OTHERS = 2
export const NIC_PAUSED = 3
export const LINK_DOWN = 4
export const RATE = 5
export const WINDOW = 6
export const CAP = 7
export const CREDITS = 8
export const RNR = 9
export const FETCH = 10
export const HOST = 11
/** Nothing is left to send until an answer comes. */
export const ANSWER = 12
/** Number of states. */
export const STATES = 13

/** Parts beyond the states, with the same numbers up to ANSWER. */
export const NAK_WAIT = 13
export const TIMEOUT_WAIT = 14
export const BEHIND = 15
export const REQUEST = 16
export const WIRE = 17
export const PROPAGATION = 18
export const SWITCH = 19
export const QUEUE = 20
export const PAUSED = 21
export const RECEIVE = 22
/** Parts of a journey, one after the other; those of the completing packet begin at WIRE. */
export const JOURNEY_PARTS = 6
/** Where the journey of a READ's request begins. */
export const REQUEST_WIRE = 23
/** From here on parts belong to the ACK: held back, then its journey. */
export const ACK_HELD = 29
export const ACK_WIRE = 30
export const ACK_RECEIVE = 35

export interface Part {
  /** Column of the flow table. */
  readonly column: string
  /** For people: "waiting for a timeout". */
  readonly label: string
  /** The end of the path where it is spent. */
  readonly end: 'sender' | 'network' | 'receiver'
  /** PFC holds it back. */
  readonly isPause: boolean
  /** The message waits: none of its bits move. */
  readonly isWait: boolean
  readonly help: string
}

const PAUSES: ReadonlySet<string> = new Set(['nicPausedPs', 'pausedPs', 'requestPausedPs', 'ackPausedPs'])

/** Parts in which bits move. */
const MOVING: ReadonlySet<string> = new Set(
  (
    'ownPs wirePs propagationPs switchPs requestWirePs requestPropagationPs requestSwitchPs ' +
    'ackWirePs ackPropagationPs ackSwitchPs'
  ).split(' '),
)

/** By number: the parts up to the completion at the receiver. */
export const PARTS: readonly Part[] = [
  part('ownPs', 'own bytes', 'sender', 'first transmissions of the message, before the packet that completes it'),
  part('resendPs', 'sending again', 'sender', 'retransmissions on the wire'),
  part('othersPs', 'other queue pairs', 'sender', 'ready, while the NIC sends for others or control packets'),
  part('nicPausedPs', 'paused at the NIC', 'sender', 'ready, while PFC pauses the class at the NIC'),
  part('linkDownPs', 'link down', 'sender', 'ready, while the link of the NIC is down'),
  part('ratePs', 'rate', 'sender', 'throttled by the rate of the congestion control'),
  part('windowPs', 'window', 'sender', 'the window of the congestion control is closed'),
  part('capPs', 'cap', 'sender', "the recovery's cap of packets in flight is reached"),
  part('creditsPs', 'credits', 'sender', 'no credits, Receive WQEs or answers to earlier requests'),
  part('rnrPs', 'receiver not ready', 'sender', 'the wait that an RNR NAK asks for'),
  part('fetchPs', 'fetch', 'sender', 'data to be sent again are fetched again'),
  part('hostPs', 'host, sending', 'sender', 'from the application to the NIC'),
  part('answerPs', 'no answer yet', 'sender', 'all is sent, and nothing is known of it'),
  part('nakWaitPs', 'loss, until the NAK', 'sender', 'all was sent once, and a NAK or ACK has not shown the loss yet'),
  part(
    'timeoutWaitPs',
    'loss, until the timeout',
    'sender',
    'all was sent once, and no timeout has shown the loss yet',
  ),
  part('behindPs', 'earlier messages', 'sender', 'the queue pair works on messages posted before'),
  part(
    'requestPs',
    'READ request',
    'sender',
    'from the posting of a READ until its request leaves, in the copy that arrives',
  ),
  ...journey(['wirePs', 'propagationPs', 'switchPs', 'queuePs', 'pausedPs', 'receivePs'], '', 'the completing packet'),
  ...journey(
    [
      'requestWirePs',
      'requestPropagationPs',
      'requestSwitchPs',
      'requestQueuePs',
      'requestPausedPs',
      'requestReceivePs',
    ],
    'request: ',
    "a READ's request",
  ),
]

/**
 * Numbers of the parts in the order in which a message has them. Those of a sender alternate, and stand in the order in
 * which they usually begin.
 */
export const LIFE_ORDER: readonly number[] = [
  REQUEST,
  ...Array.from({ length: JOURNEY_PARTS }, (_, step) => REQUEST_WIRE + step),
  BEHIND,
  HOST,
  OWN,
  OTHERS,
  NIC_PAUSED,
  LINK_DOWN,
  RATE,
  WINDOW,
  CAP,
  CREDITS,
  RNR,
  NAK_WAIT,
  TIMEOUT_WAIT,
  FETCH,
  RESEND,
  ANSWER,
  ...Array.from({ length: JOURNEY_PARTS }, (_, step) => WIRE + step),
  ACK_HELD,
  ...Array.from({ length: JOURNEY_PARTS }, (_, step) => ACK_WIRE + step),
]

/** Parts from a message's completion at its receiver until its completion at its sender, in the order of the path. */
export const ACK_PARTS: readonly Part[] = [
  part('ackHeldPs', 'ACK, until it leaves', 'receiver', 'until the ACK that completes the message leaves its NIC'),
  ...journey(
    ['ackWirePs', 'ackPropagationPs', 'ackSwitchPs', 'ackQueuePs', 'ackPausedPs', 'ackReceivePs'],
    'ACK: ',
    'that ACK',
  ),
]

/** By number: all parts up to the completion at the sender. */
export const ALL_PARTS: readonly Part[] = [...PARTS, ...ACK_PARTS]

const REQUEST_PARTS = [REQUEST, ...Array.from({ length: JOURNEY_PARTS }, (_, step) => REQUEST_WIRE + step)]
/** Columns of a READ's request. */
export const REQUEST_COLUMNS: ReadonlySet<string> = new Set(REQUEST_PARTS.map((number) => PARTS[number]!.column))

/** Parts of a packet's path, in this order. */
function journey(
  [wire, propagation, latency, queue, paused, receive]: readonly [string, string, string, string, string, string],
  prefix: '' | 'request: ' | 'ACK: ',
  packet: string,
): Part[] {
  return [
    part(wire, `${prefix}serialization`, 'network', `bits of ${packet} going onto a link`),
    part(propagation, `${prefix}propagation`, 'network', `bits of ${packet} under way on a link`),
    part(latency, `${prefix}switches`, 'network', `latency of the switches that ${packet} crosses`),
    part(queue, `${prefix}queues`, 'network', `${packet} behind other packets in queues of switches`),
    part(paused, `${prefix}paused in the network`, 'network', `${packet} in queues of switches that PFC pauses`),
    part(
      receive,
      `${prefix}${prefix === '' ? 'receiver' : 'host'}`,
      prefix === 'ACK: ' ? 'sender' : 'receiver',
      `${packet} in the receive pipeline and the host at its end`,
    ),
  ]
}

function part(column: string, label: string, end: Part['end'], help: string): Part {
  return { column, label, end, isPause: PAUSES.has(column), isWait: !MOVING.has(column), help }
}
