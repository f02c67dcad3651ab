/** Completion statuses. Numbers as in the Linux verbs (ibv_wc_status). */
import { SYNDROME_INVALID_REQUEST, SYNDROME_REMOTE_ACCESS } from '../../wire/aeth.ts'

export const SUCCESS = 0
export const LOCAL_LENGTH_ERROR = 1
export const LOCAL_PROTECTION_ERROR = 4
/** The queue pair entered the error state before this request was complete. */
export const FLUSHED = 5
/** A response did not fit its request. */
export const BAD_RESPONSE = 7
export const REMOTE_INVALID_REQUEST = 9
export const REMOTE_ACCESS_ERROR = 10
export const REMOTE_OPERATION_ERROR = 11
export const RETRY_EXCEEDED = 12
export const RNR_RETRY_EXCEEDED = 13
/** Names for messages. */
export const STATUS_NAMES: Readonly<Record<Status, string>> = {
  [SUCCESS]: 'success',
  [LOCAL_LENGTH_ERROR]: 'local length error',
  [LOCAL_PROTECTION_ERROR]: 'local protection error',
  [FLUSHED]: 'flushed',
  [BAD_RESPONSE]: 'bad response',
  [REMOTE_INVALID_REQUEST]: 'remote invalid request',
  [REMOTE_ACCESS_ERROR]: 'remote access error',
  [REMOTE_OPERATION_ERROR]: 'remote operation error',
  [RETRY_EXCEEDED]: 'transport retries exceeded',
  [RNR_RETRY_EXCEEDED]: 'RNR retries exceeded',
}
export type Status =
  | typeof SUCCESS
  | typeof LOCAL_LENGTH_ERROR
  | typeof LOCAL_PROTECTION_ERROR
  | typeof FLUSHED
  | typeof BAD_RESPONSE
  | typeof REMOTE_INVALID_REQUEST
  | typeof REMOTE_ACCESS_ERROR
  | typeof REMOTE_OPERATION_ERROR
  | typeof RETRY_EXCEEDED
  | typeof RNR_RETRY_EXCEEDED

/** Completion status of a request that a NAK refuses (IBTA table 44). */
export function statusOfNak(syndrome: number): Status {
  if (syndrome === SYNDROME_INVALID_REQUEST) return REMOTE_INVALID_REQUEST
  return syndrome === SYNDROME_REMOTE_ACCESS ? REMOTE_ACCESS_ERROR : REMOTE_OPERATION_ERROR
}
