/**
 * Connection check: finds values that no connection can have. They come from a program or from the other end, and would
 * otherwise show only later, as a connection that stalls.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { PSN_MASK } from '../../transport/psn.ts'
import type { ConnectionValues } from './values.ts'
import { PSNS_MAX } from '../queues/send-queue.ts'

const QP_MAX = 2 ** 24 - 1
/** The field of outstanding READs and atomics has eight bits (IBTA 12.7.29). */
const READS_MAX = 255
const RNR_CODE_MAX = 31
/** The length field of an IP packet has 16 bits. */
const MTU_MAX = 65_535
/** Byte sequence numbers have 32 bits and are compared by distance. */
export const LSN_WINDOW_MAX = 2 ** 31 - 1

/** Lists all mistakes; paths are names of values. */
export function connectionIssues(values: ConnectionValues): Issue[] {
  const issues: Issue[] = []
  const add = (path: string, expected: string, received: unknown, hint = ''): void =>
    void issues.push({
      path,
      expected,
      received: typeof received === 'string' ? `"${received}"` : String(received),
      hint,
    })
  const whole = (path: string, value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): void => {
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`
    add(path, `a whole number, ${range}`, value)
  }
  const wholeOrNull = (path: string, value: number | null, least: number, most?: number): void => {
    if (value !== null) whole(path, value, least, most)
  }
  const time = (path: string, value: number, isZeroGood: boolean): void => {
    if (Number.isFinite(value) && (value > 0 || (isZeroGood && value === 0))) return
    add(path, `a time ${isZeroGood ? 'from 0 on' : 'above 0'}, ps`, value)
  }
  const isIrn = values.mode === 'irn'
  if (!isIrn && values.mode !== 'roce') add('mode', 'irn or roce', values.mode)
  whole('remoteQp', values.remoteQp, 0, QP_MAX)
  whole('mtuBytes', values.mtuBytes, 1, MTU_MAX)
  whole('sendPsn', values.sendPsn, 0, PSN_MASK)
  whole('receivePsn', values.receivePsn, 0, PSN_MASK)
  whole('readsOut', values.readsOut, 0, READS_MAX)
  whole('readsIn', values.readsIn, 0, READS_MAX)
  wholeOrNull('retryLimit', values.retryLimit, 0)
  wholeOrNull('rnrRetryLimit', values.rnrRetryLimit, 0)
  whole('rnrTimerCode', values.rnrTimerCode, 0, RNR_CODE_MAX)
  const { ackTimeoutPs } = values
  if (ackTimeoutPs !== null && !(ackTimeoutPs > 0 && ackTimeoutPs < Infinity)) {
    add('ackTimeoutPs', 'a time above 0, ps', ackTimeoutPs, 'null: no timeouts')
  }
  whole('ackInterval', values.ackInterval, 1)
  whole('capPackets', values.capPackets, 1, PSNS_MAX)
  if (typeof values.hasCredits !== 'boolean') add('hasCredits', 'true or false', values.hasCredits)
  whole('initialCredits', values.initialCredits, 0)
  wholeOrNull('lsnWindowBytes', values.lsnWindowBytes, 1, LSN_WINDOW_MAX)
  if (isIrn && (typeof values.selectiveRepeat !== 'object' || values.selectiveRepeat === null)) {
    add('selectiveRepeat', 'its values, as IRN needs them', values.selectiveRepeat)
  } else if (isIrn) {
    const { capPackets, bitmapBits, rtoLowPackets, nackThreshold } = values.selectiveRepeat
    const { rtoLowPs, rtoHighPs, fetchDelayPs } = values.selectiveRepeat
    if (rtoLowPs !== null) {
      time('selectiveRepeat.rtoLowPs', rtoLowPs, false)
      time('selectiveRepeat.rtoHighPs', rtoHighPs, false)
      if (rtoLowPs > rtoHighPs) add('selectiveRepeat.rtoLowPs', `at most rtoHighPs, ${rtoHighPs}`, rtoLowPs)
    }
    time('selectiveRepeat.fetchDelayPs', fetchDelayPs, true)
    whole('selectiveRepeat.bitmapBits', bitmapBits, 1, PSNS_MAX)
    whole('selectiveRepeat.capPackets', capPackets, 1, PSNS_MAX)
    whole('selectiveRepeat.rtoLowPackets', rtoLowPackets, 0)
    whole('selectiveRepeat.nackThreshold', nackThreshold, 1)
    if (capPackets > bitmapBits) add('selectiveRepeat.capPackets', `at most bitmapBits, ${bitmapBits}`, capPackets)
    if (values.lsnWindowBytes !== null) {
      add('lsnWindowBytes', 'null, as IRN has no byte sequence numbers', values.lsnWindowBytes, 'or mode roce')
    }
  }
  return issues
}

/** @throws InputError with all mistakes. */
export function expectConnectionValues(values: ConnectionValues): void {
  const issues = connectionIssues(values)
  if (issues.length > 0) throw new InputError(issues)
}
