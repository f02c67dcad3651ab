/**
 * Colours of the parts of completion times: a part has the same colour in every figure and strip. There are more parts than
 * colours, so some share one, such as the parts of a READ's request with parts of a WRITE.
 */
import { COLOURS } from './colours.ts'

const [BLUE, RED, GREEN, YELLOW, CYAN, PURPLE, GREY, BROWN, INDIGO, PEACH, TEAL, SILVER] = COLOURS

/** By column of the flow table. */
const BY_COLUMN: Readonly<Record<string, string | undefined>> = {
  ownPs: BLUE,
  resendPs: BROWN,
  othersPs: RED,
  nicPausedPs: GREEN,
  linkDownPs: GREY,
  ratePs: YELLOW,
  windowPs: TEAL,
  capPs: INDIGO,
  creditsPs: TEAL,
  rnrPs: PEACH,
  fetchPs: SILVER,
  hostPs: GREY,
  answerPs: SILVER,
  nakWaitPs: PEACH,
  timeoutWaitPs: '#7A1E1E',
  behindPs: '#8FA9C9',
  requestPs: INDIGO,
  wirePs: '#6B6B2A',
  propagationPs: SILVER,
  switchPs: GREY,
  queuePs: CYAN,
  pausedPs: PURPLE,
  receivePs: YELLOW,
  requestWirePs: '#6B6B2A',
  requestPropagationPs: SILVER,
  requestSwitchPs: GREY,
  requestQueuePs: TEAL,
  requestPausedPs: RED,
  requestReceivePs: PEACH,
  ackHeldPs: '#A0522D',
  ackWirePs: '#6B6B2A',
  ackPropagationPs: SILVER,
  ackSwitchPs: GREY,
  ackQueuePs: TEAL,
  ackPausedPs: RED,
  ackReceivePs: PEACH,
}

/** The colour of a part by its column; for any other name that of "other parts". */
export function partColour(column: string): string {
  return BY_COLUMN[column] ?? '#E3E3E3'
}
