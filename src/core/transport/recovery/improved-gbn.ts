/**
 * Improved Go-Back-N: Send Twice and Check EPSN combined. The copy of the last packet starts the timer when the first
 * one is lost.
 * Source: [IGBN] III-C.
 */
import { CheckEpsnReceiver, checkEpsnParams } from './check-epsn.ts'
import { defineRecovery, whenOvertakenGoingBack } from './recovery.ts'
import { SendTwiceSender } from './send-twice.ts'

export const improvedGbn = defineRecovery({
  name: 'improved-gbn',
  help: 'go-back-n with send-twice and check-epsn',
  source: '[IGBN] III-C',
  needs: {},
  params: checkEpsnParams,
  whenOvertaken: whenOvertakenGoingBack,
  createSender: (_values, window) => new SendTwiceSender(window),
  createReceiver: (values, timers) => new CheckEpsnReceiver(values, timers),
  hasReceiverTimer: true,
})
