/**
 * NIC state: the per-connection state that IRN adds to a NIC, counted as in [IRN] 6.1. Bitmap sizes come from the
 * bitmaps in use; sizes of variables are the paper's, since numbers here have no fixed width.
 * Units: bits; bytes per WQE and for the state that all queue pairs share, as in the paper.
 */
import { PsnBitmap } from '../transport/psn-bitmap.ts'
import type { ConnectionValues } from './connection/values.ts'

export interface NicStateField {
  readonly name: string
  readonly side: 'requester' | 'responder'
  readonly bits: number
}

export interface NicState {
  /** Transport variables of a queue pair. */
  readonly variables: readonly NicStateField[]
  readonly bitmaps: readonly NicStateField[]
  readonly variableBits: number
  readonly bitmapBits: number
  /** WQE sequence number. */
  readonly wqeBytes: number
  /** BDP cap, RTO_low and N, once for all queue pairs. */
  readonly sharedBytes: number
}

const PSN_BITS = 24
/** inRecovery, doRtx, findHole, rtoIsLow. */
const FLAG_BITS = 4
/** The paper gives only the sum of a READ timer and a variable for READs in progress. */
const READ_BITS = 56
const WQE_SN_BYTES = 3
const SHARED_BYTES = 10

const VARIABLES: readonly NicStateField[] = [
  ...(['requester', 'responder'] as const).flatMap((side) => [
    { name: 'sequence to be retransmitted', side, bits: PSN_BITS },
    { name: 'recovery sequence', side, bits: PSN_BITS },
    { name: 'flags', side, bits: FLAG_BITS },
  ]),
  { name: 'timer and READs in progress', side: 'responder', bits: READ_BITS },
]

/** State that a queue pair with these values needs beyond RoCE mode. Empty in RoCE mode. */
export function nicStateOf({ mode, selectiveRepeat }: Pick<ConnectionValues, 'mode' | 'selectiveRepeat'>): NicState {
  if (mode !== 'irn') return { variables: [], bitmaps: [], variableBits: 0, bitmapBits: 0, wqeBytes: 0, sharedBytes: 0 }
  return nicStateFor(new PsnBitmap(selectiveRepeat.bitmapBits).size)
}

/** State of a queue pair in IRN mode whose bitmaps hold `packets` packets. */
export function nicStateFor(packets: number): NicState {
  return stateWith({
    sentRequests: packets,
    receivedResponses: packets,
    receivedRequests: 2 * packets,
    sentResponses: packets,
  })
}

interface BitmapBits {
  readonly sentRequests: number
  readonly receivedResponses: number
  readonly receivedRequests: number
  readonly sentResponses: number
}

function stateWith({ sentRequests, receivedResponses, receivedRequests, sentResponses }: BitmapBits): NicState {
  const bitmaps: NicStateField[] = [
    { name: 'selective acknowledgements of requests', side: 'requester', bits: sentRequests },
    { name: 'responses received', side: 'requester', bits: receivedResponses },
    { name: 'requests received, two bits each', side: 'responder', bits: receivedRequests },
    { name: 'selective acknowledgements of responses', side: 'responder', bits: sentResponses },
  ]
  const sum = (fields: readonly NicStateField[]) => fields.reduce((bits, field) => bits + field.bits, 0)
  return {
    variables: VARIABLES,
    bitmaps,
    variableBits: sum(VARIABLES),
    bitmapBits: sum(bitmaps),
    wqeBytes: WQE_SN_BYTES,
    sharedBytes: SHARED_BYTES,
  }
}
