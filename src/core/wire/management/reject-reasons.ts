/** Reasons in REJ messages, in words. Source: IBTA 12.6.7.2. */

const REASONS: Readonly<Record<number, string>> = {
  1: 'no queue pair available',
  2: 'no end-to-end context available',
  3: 'no resources available',
  4: 'timeout: an answer did not come',
  5: 'unsupported request',
  6: 'invalid communication ID',
  7: 'invalid pair of communication IDs',
  8: 'invalid service ID: nothing listens there',
  9: 'invalid transport service',
  10: 'stale connection: its queue pair still belongs to an old one',
  11: 'reliable datagram channel does not exist',
  12: 'primary remote GID not accepted',
  13: 'primary remote LID not accepted',
  14: 'invalid primary service level',
  15: 'invalid primary traffic class',
  16: 'invalid primary hop limit',
  17: 'invalid primary packet rate',
  18: 'alternate remote GID not accepted',
  19: 'alternate remote LID not accepted',
  20: 'invalid alternate service level',
  21: 'invalid alternate traffic class',
  22: 'invalid alternate hop limit',
  23: 'invalid alternate packet rate',
  24: 'redirected to another connection manager and port',
  25: 'redirected to another port',
  26: 'invalid path MTU',
  27: 'too few responder resources',
  28: 'rejected by the program',
  29: 'invalid RNR retry count',
  30: 'communication ID already in use',
  31: 'invalid class version',
  32: 'invalid primary flow label',
  33: 'invalid alternate flow label',
}

/** null: a code without a reason that is known here. */
export function rejectReason(code: number): string | null {
  return REASONS[code] ?? null
}
