/**
 * Findings on answers: refusals, receivers that are not ready, READ and atomic operations that are repeated.
 * Source of the family: IBTA 9.7.5.2 (syndromes), 9.7.5.1.1 (duplicates).
 */
import { humanDuration } from '../../../base/format.ts'
import { defineFinding, type FindingKind } from '../../finding.ts'
import { counted } from '../../words.ts'
import { firstOf, IBTA, type Seen, times } from './seen.ts'

/** The request that a NAK names; texts are empty and numbers null where it is not in the capture. */
export type Refused = Seen<{
  readonly request: string
  readonly address: string
  readonly key: string
  readonly lengthBytes: number | null
  /** Addresses that requests with this key used before and were not refused. */
  readonly usedFrom: string
  readonly usedTo: string
  /** Packets of the sender after it; null: its direction is not in the capture. */
  readonly packetsAfter: number | null
}>

function refusal(code: number, id: string, status: string, meaning: string, remedy: string): FindingKind<Refused> {
  return defineFinding<Refused>({
    id,
    severity: 'error',
    meaning,
    formula: `AETH syndrome ${code.toString(16)}`,
    source: `${IBTA} 9.7.5.2.${code === 0x61 ? 4 : code === 0x62 ? 5 : 6}`,
    remedy,
    text: ({ psn, request, address, key, lengthBytes, usedFrom, usedTo, packetsAfter }) => {
      const where = address === '' ? '' : ` of ${lengthBytes ?? 8} bytes at ${address}, rkey ${key}`
      const used = usedFrom === '' ? '' : `; others with this key used ${usedFrom} to ${usedTo}`
      const silence = packetsAfter === 0 ? '; silence since' : `; ${packetsAfter} packets of the sender since`
      const after = packetsAfter === null ? '' : silence
      return (
        `NAK ${code.toString(16)} (${status}) for PSN ${psn}: ` +
        `${request === '' ? 'its request is not in the capture' : `${request}${where}`}${used}${after}`
      )
    },
  })
}

export const nakInvalidRequest = refusal(
  0x61,
  'capture-nak-invalid-request',
  'invalid request, status 9',
  'A receiver refused a request that contradicts itself: opcodes out of order, wrong lengths, an operation it does not allow.',
  'look at the request: its order, length and alignment, and what the queue pair of the receiver allows',
)

export const nakRemoteAccess = refusal(
  0x62,
  'capture-nak-remote-access',
  'remote access error, status 10',
  'A receiver refused the memory that a request names: its key is unknown or invalidated, or the range is outside.',
  'compare key, address and length with the memory region of the receiver',
)

export const nakRemoteOperation = refusal(
  0x63,
  'capture-nak-remote-operation',
  'remote operation error, status 11',
  'A receiver could not carry a request out; Linux says so where a SEND is longer than the receive.',
  'look at the size of the receives, and at completions with errors at the receiver',
)

export const syndromeReserved = defineFinding<Seen<{ readonly syndrome: string }>>({
  id: 'capture-syndrome-reserved',
  severity: 'warning',
  meaning: 'An answer has a syndrome that the standard does not define for it.',
  source: `${IBTA} table 45`,
  remedy: 'look which device made it',
  text: (values) => `syndrome ${values.syndrome}, ${times(values)}: ${firstOf(values)}`,
})

/** RNR NAKs of one PSN from which on `rnr_retry` is 7: others end a queue pair after eight tries at most. */
const ENDLESS_FROM = 9

/** Most RNR NAKs for one PSN, and how many messages the receiver had completed then, by its MSN. */
type NotReady = Seen<{ readonly code: number; readonly attempts: number; readonly received: number }>

const receivesText = ({ attempts, received }: NotReady): string =>
  attempts < ENDLESS_FROM
    ? ''
    : `; ${attempts} for one PSN, so that rnr_retry is 7 (without end); ${counted(received, 'message')} completed before, ` +
      `and no receive is posted since`

const receivesAdvice = (values: NotReady, otherwise: string): string =>
  values.attempts < ENDLESS_FROM
    ? otherwise
    : 'post further receives: those that were posted are used up, and more tries of the sender do not help'

export const receiverNotReady: FindingKind<NotReady & { readonly askedPs: number }> = defineFinding<
  NotReady & { readonly askedPs: number }
>({
  id: 'capture-rnr',
  severity: 'warning',
  meaning: 'A receiver had no receive posted for a SEND, and asked the sender to wait (RNR NAK).',
  formula: 'AETH syndrome 20 to 3f',
  source: `${IBTA} 9.7.5.2.8, table 46 (waits)`,
  remedy: 'post receives earlier, or more of them; rnr_retry of the sender bounds how often it tries',
  text: (values) =>
    `receiver not ready ${times(values)}: ${firstOf(values)}; timer code ${values.code}, a wait of ${humanDuration(values.askedPs)}` +
    receivesText(values),
  advice: (values) => receivesAdvice(values, receiverNotReady.remedy),
  weight: ({ count }) => count,
})

export const rnrLast: FindingKind<NotReady> = defineFinding<NotReady>({
  id: 'capture-rnr-last',
  severity: 'error',
  meaning: 'A sender did not try again after RNR NAKs: its retries are used up, status 13, or the capture ends there.',
  formula: 'two RNR NAKs at least for a PSN, the last without a transmission after it',
  source: `${IBTA} 9.7.6.1.3 (RNR retry count)`,
  remedy: 'post receives before the sender begins, or raise its rnr_retry (7: without end)',
  text: (values) =>
    `${values.attempts} RNR NAKs (timer code ${values.code}) for PSN ${values.psn}, and no transmission after the last` +
    receivesText(values),
  advice: (values) => receivesAdvice(values, rnrLast.remedy),
})

export const readRepeated = defineFinding<Seen<{ readonly isRest: boolean; readonly wasAnswered: boolean }>>({
  id: 'capture-read-repeated',
  severity: 'warning',
  meaning: 'A READ was requested again, whole or from the first response that lacked.',
  formula: 'a READ request with PSNs of one before it',
  source: `${IBTA} 9.7.5.1.1`,
  remedy: 'look for losses of READ responses, or of the request',
  text: (values) =>
    `READ again, ${times(values)}: ${values.isRest ? 'the rest from' : 'from'} ${firstOf(values)}; ` +
    (values.wasAnswered ? 'that response passed this point before' : 'no response for it passed this point before'),
  weight: ({ count }) => count,
})

export const responsesMissing = defineFinding<Seen<{ readonly packets: number }>>({
  id: 'capture-responses-missing',
  severity: 'warning',
  meaning: 'Responses of READs or atomics lack before this point: later ones passed.',
  formula: 'a response PSN beyond the next one that is due',
  source: `${IBTA} 9.7.5.1.3`,
  remedy: 'look at the path from the responder to this point',
  text: (values) => `${values.packets} responses missing before this point: from ${firstOf(values)}`,
  weight: ({ packets }) => packets,
})

export const atomicRepeated = defineFinding<Seen>({
  id: 'capture-atomic-repeated',
  severity: 'warning',
  meaning: 'An atomic operation was requested again; the responder has to answer with the value that it saved.',
  formula: 'an atomic request with a PSN of one before it',
  source: `${IBTA} 9.7.5.1.1, 9.4.5`,
  remedy: 'look for losses of its response, or of the request',
  text: (values) => `atomic operation again, ${times(values)}: ${firstOf(values)}`,
})

export const atomicAnsweredAgain = defineFinding<Seen<{ readonly value: string }>>({
  id: 'capture-atomic-answered-again',
  severity: 'note',
  meaning: 'An atomic operation was answered twice with the same value: carried out once, as it must be.',
  source: `${IBTA} 9.4.5`,
  remedy: 'nothing to do at the responder; the request reached it twice',
  text: (values) => `atomic operation answered again with the same value ${values.value}: ${firstOf(values)}`,
})

export const atomicAnsweredTwice = defineFinding<Seen<{ readonly value: string; readonly before: string }>>({
  id: 'capture-atomic-answered-twice',
  severity: 'error',
  meaning:
    'An atomic operation was answered twice with different values: it was carried out twice, and memory is wrong.',
  formula: 'two responses of a PSN with different values',
  source: `${IBTA} 9.4.5 (exactly once)`,
  remedy: 'the responder does not keep the results of its atomic operations: look at its limit of outstanding ones',
  text: (values) =>
    `atomic operation carried out twice: PSN ${values.psn} was answered with ${values.before}, then with ${values.value}`,
})
