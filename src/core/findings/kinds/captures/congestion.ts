/**
 * Findings on congestion: marks, notifications, pause frames.
 * Source of the family: RFC 3168, IBTA annex A17.9, 802.1Qbb.
 */
import { exactCount, humanDuration, humanRate, humanShare } from '../../../base/format.ts'
import { defineFinding } from '../../finding.ts'
import { counted } from '../../words.ts'
import { type Seen } from './seen.ts'

export const marked = defineFinding<Seen<{ readonly share: number }>>({
  id: 'capture-ce',
  severity: 'note',
  meaning: 'Packets met congestion before this point: a switch marked them (ECN CE).',
  source: 'RFC 3168',
  remedy: 'marks are how congestion control works; a large share means a queue that stays full',
  text: ({ count, share }) => `${counted(count, 'packet')} marked CE, ${humanShare(share)}`,
  weight: ({ share }) => share,
})

export const markedWithoutCnp = defineFinding<Seen<{ readonly share: number }>>({
  id: 'capture-ce-without-cnp',
  severity: 'warning',
  meaning:
    'Packets are marked CE and their receiver sends no CNP: the sender does not learn of congestion. Linux rxe is such a receiver.',
  formula: 'CE in a direction, no CNP in the other',
  source: 'IBTA annex A17.9.3',
  remedy: 'turn on congestion control (RoCE NP) at the receiver for this priority',
  text: ({ count, share }) => `${counted(count, 'packet')} marked CE (${humanShare(share)}), and no CNP came back`,
  weight: ({ share }) => share,
})

export const notified = defineFinding<
  Seen<{ readonly perSecond: number | null; readonly beforeBps: number | null; readonly afterBps: number | null }>
>({
  id: 'capture-cnp',
  severity: 'note',
  meaning: 'A receiver notified its sender of congestion (CNP).',
  source: 'IBTA annex A17.9.3',
  remedy: 'CNPs are how congestion control works; look at the rate of the sender after them',
  text: ({ count, perSecond, beforeBps, afterBps }) =>
    counted(count, 'CNP') +
    (perSecond === null ? '' : `, ${exactCount(Math.round(perSecond))} per second`) +
    (beforeBps === null || afterBps === null
      ? ''
      : `; the sender had ${humanRate(beforeBps)} before the first and ${humanRate(afterBps)} after it`),
  weight: ({ count }) => count,
})

export const notifiedWithoutMark = defineFinding<Seen>({
  id: 'capture-cnp-without-ce',
  severity: 'note',
  meaning: 'CNPs came and no packet here is marked CE: they are marked behind this point.',
  formula: 'CNP in a direction, no CE in the other',
  source: 'IBTA annex A17.9.3',
  remedy: 'look for the queue between this point and the receiver',
  text: ({ count }) => `${counted(count, 'CNP')}, and no packet marked CE at this point`,
})

type Paused = Seen<{
  readonly resumes: number
  /** Pauses that ended by their own time. */
  readonly expired: number
  readonly isRateKnown: boolean
  readonly pausedPs: number
  readonly longestPs: number
  readonly quanta: number
  /** The capture ends before the last pause does. */
  readonly isOpen: boolean
}>

const pausedText = (
  { count, resumes, expired, isRateKnown, pausedPs, longestPs, quanta, isOpen }: Paused,
  trafficClass: number | undefined,
): string => {
  const what = trafficClass === undefined ? 'the whole link' : `class ${trafficClass}`
  const ended = isRateKnown
    ? expired === 0
      ? ''
      : `, ${exactCount(expired)} of them until they expired`
    : ' by pauses that were taken back (the rate of the link is not known, so none expires here: --rate)'
  return (
    `${counted(count, 'pause frame')} and ${exactCount(resumes)} to resume, ${what}: paused ${humanDuration(pausedPs)}` +
    `${ended}, up to ${humanDuration(longestPs)}; ${exactCount(quanta)} quanta of 512 bit times asked for` +
    (isOpen ? '; the capture ends before the last pause does' : '')
  )
}

export const paused = defineFinding<Paused>({
  id: 'capture-pauses',
  severity: 'note',
  meaning: 'A device paused its neighbour: its buffers were full (PFC, or pause of the whole link).',
  source: '802.1Qbb; 802.3 annex 31B',
  remedy: 'find what the device that pauses waits for: a slow receiver, an incast, pauses from further on',
  text: (values, { trafficClass }) => pausedText(values, trafficClass),
  weight: ({ pausedPs }) => pausedPs,
})

export const pausedToEnd = defineFinding<Paused>({
  id: 'capture-pause-not-ended',
  severity: 'warning',
  meaning: 'A device paused its neighbour, renewed the pause, and did not take it back before the end of the capture.',
  formula: 'two pauses at least without a frame to resume or an end of their quanta between them, and none behind',
  source: '802.1Qbb',
  remedy: 'look whether the device still pauses; a NIC that never resumes stops the network before it',
  text: (values, { trafficClass }) => `paused again and again, and not taken back; ${pausedText(values, trafficClass)}`,
})
