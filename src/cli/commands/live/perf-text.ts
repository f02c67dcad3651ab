/** Output of perf: the figures of a test, and what was sent again. */
import { VERSION } from '../../../core/base/version.ts'
import type { EndedTest, Floor } from '../../../live/drivers/index.ts'
import { exactCount } from '../../../show/index.ts'
import { failureText, figureLines, figuresOf } from './peer-run.ts'

export function floorText({ address, p50Us, p99Us }: Floor): string {
  const [p50, p99] = [p50Us, p99Us].map((us) => us.toFixed(1))
  return (
    `floor on ${address}: a round trip of UDP takes ${p50} us (p50), ${p99} us (p99) in this process;\n` +
    'this is a tool for correctness and latency, not for line rate'
  )
}

function sumsOf({ session, endpoint }: EndedTest) {
  const { livePairs } = session
  const total = (of: (live: (typeof livePairs)[number]) => number): number =>
    livePairs.reduce((sum, live) => sum + of(live), 0)
  return {
    sent: total(({ counts }) => counts.sent),
    received: total(({ counts }) => counts.received),
    retransmitted: total(({ retransmissions }) => retransmissions),
    naks: total(({ counts }) => counts.naksReceived),
    rnrNaks: total(({ counts }) => counts.rnrNaksReceived),
    timeouts: total(({ timeouts }) => timeouts),
    naksSent: total(({ counts }) => counts.naksSent),
    rnrNaksSent: total(({ counts }) => counts.rnrNaksSent),
    drops: endpoint.drops,
  }
}

export function perfText(test: EndedTest): string {
  const { offer, role, session, meter, end } = test
  const sums = sumsOf(test)
  const failure =
    session.failure !== null
      ? `failed: ${failureText(session.failure)}`
      : end === 'silent'
        ? 'failed: nothing came from the other end for too long'
        : 'interrupted'
  const packets =
    `packets: ${exactCount(sums.sent)} sent, ${exactCount(sums.retransmitted)} retransmitted, ` +
    `${exactCount(sums.received)} received; NAKs ${sums.naks}, RNR NAKs ${sums.rnrNaks}, timeouts ${sums.timeouts}; ` +
    `sent by this end: NAKs ${sums.naksSent}, RNR NAKs ${sums.rnrNaksSent}`
  const dropped = Object.entries(sums.drops).filter(([, count]) => count > 0)
  return [
    `${offer.program.slice(3)} as ${role}${session.isDone ? '' : `: ${failure}`}`,
    ...(role === 'client' ? figureLines(meter, offer.sizeBytes, session.elapsedPs) : []),
    packets,
    ...(dropped.length === 0 ? [] : [`dropped: ${dropped.map(([why, n]) => `${why} ${n}`).join(', ')}`]),
    '',
  ].join('\n')
}

export function perfJson(test: EndedTest, floor: Floor): object {
  const { offer, role, session, meter, end } = test
  return {
    schemaVersion: 1,
    version: VERSION,
    role,
    ...offer,
    isDone: session.isDone,
    failure: session.failure ?? (end === 'silent' ? { kind: end } : null),
    completed: meter.completed,
    ...(role === 'client' ? figuresOf(meter, session.elapsedPs) : {}),
    packets: sumsOf(test),
    floor,
  }
}
