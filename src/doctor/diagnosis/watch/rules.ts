/**
 * Rules of alarms: which counter, over what, from which share of an interval on. Shares scale with the interval and with the
 * rate of a port, so that polls of 1 ms and of 5 minutes raise the same alarms.
 * Sources: [MS-Scale] 5.2, 6.2; docs/models/localiser.md, "Alarms".
 */

/** time: microseconds over the interval. frames: PFC frames over those that hold the port. share: over what passed. events: any. */
type Measure = 'time' | 'frames' | 'share' | 'events'

export interface AlarmRule {
  readonly id: string
  readonly counter: string
  readonly measure: Measure
  /** Counter of what passed, of rules of shares. */
  readonly over?: string
  /** Counter that says the same better: the rule is for ports that do not have it. */
  readonly unless?: string
  /** Alarms begin at this value and end below `end`. */
  readonly begin: number
  readonly end: number
}

/** An alarm ends at half of the value at which it begins, so that it does not come and go. */
const rule = (id: string, counter: string, measure: Measure, begin: number, over?: string): AlarmRule => ({
  id,
  counter,
  measure,
  begin,
  end: begin / 2,
  ...(over === undefined ? {} : { over }),
})

export const ALARM_RULES: readonly AlarmRule[] = [
  rule('paused', 'pauseRxUs', 'time', 0.1),
  rule('pausing', 'pauseTxUs', 'time', 0.1),
  rule('stopped', 'pauseRxUs', 'time', 0.95),
  { ...rule('pause-frames-received', 'pfcRxFrames', 'frames', 0.5), unless: 'pauseRxUs' },
  { ...rule('pause-frames-sent', 'pfcTxFrames', 'frames', 0.5), unless: 'pauseTxUs' },
  rule('ingress-drops', 'dropIn', 'share', 1e-6, 'rxPackets'),
  rule('egress-drops', 'dropOut', 'share', 1e-3, 'txPackets'),
  rule('bit-errors', 'crcErrors', 'share', 1e-8, 'rxPackets'),
  rule('link-down', 'linkDowns', 'events', 1),
  rule('storm-detected', 'wdStorms', 'events', 1),
  rule('storm-cut-off', 'stormCutOff', 'events', 1),
  rule('retries-exceeded', 'retryExceeded', 'events', 1),
]
