/**
 * Measures of queue pairs over time, as the observer `rates` records them: the figures of a report, and the charts of
 * a flow.
 */
import type { Shown } from './traces.ts'

export const PAIR_KEYS = [
  ['source', ''],
  ['destination', '> '],
  ['pair', 'QP '],
] as const

const SAMPLED = { kind: 'rates', rows: 'samples', keys: PAIR_KEYS } as const

export const PAIR_MEASURES: readonly Shown[] = [
  { ...SAMPLED, name: 'rates', value: 'rateBps', yLabel: 'rate (Gb/s)', scale: 1e9 },
  { ...SAMPLED, name: 'rates-window', value: 'windowPackets', yLabel: 'window (packets)', scale: 1 },
  { ...SAMPLED, name: 'rates-rtt', value: 'rttPs', yLabel: 'round trip (us)', scale: 1e6 },
  {
    ...SAMPLED,
    name: 'rates-marks',
    value: 'markedAcks',
    count: { shareOf: 'acks' },
    yLabel: 'share of marked ACKs',
    scale: 1,
  },
  { ...SAMPLED, name: 'rates-cnps', value: 'cnps', count: 'so far', yLabel: 'CNPs received so far', scale: 1 },
]
