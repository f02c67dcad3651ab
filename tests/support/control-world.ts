/**
 * Default context and ACK event for tests of congestion controls: a QP on 40 Gb/s with a round trip of 20us and packets
 * of 1024 bytes; ACKs of one packet without further information.
 */
import { GBPS, US } from '../../src/core/base/params.ts'
import type { AckEvent, CongestionContext } from '../../src/core/transport/congestion/congestion.ts'
import { NO_HOPS } from '../../src/core/transport/hops.ts'
import { Timers } from '../../src/core/transport/timers.ts'

export function contextOf(context: Partial<CongestionContext> = {}): CongestionContext {
  return {
    lineRateBps: 40 * GBPS,
    payloadBytes: 1024,
    timers: new Timers({ draw: () => 1 }),
    wholeRates: false,
    baseRttPs: 20 * US,
    bdpPackets: 90,
    startPackets: context.bdpPackets ?? 90,
    mostPackets: context.bdpPackets ?? 90,
    startsSlowly: false,
    packetWireBytes: 1106,
    largestRttPs: () => 20 * US,
    sender: { una: 0, nxt: 0, end: 0, highest: 0, waitingPackets: 0, nextSendPs: 0 },
    ...context,
  }
}

export function ackEventOf(ack: Pick<AckEvent, 'cumulativePsn'> & Partial<AckEvent>): AckEvent {
  return {
    nextPsn: ack.cumulativePsn,
    unsentPsn: ack.nextPsn ?? ack.cumulativePsn,
    newPackets: 1,
    deliveredPackets: ack.isNak === true ? 0 : (ack.newPackets ?? 1),
    isNak: false,
    marked: false,
    causePs: 0,
    rttPs: 20 * US,
    delayPs: 0,
    shortBits: 0,
    hops: NO_HOPS,
    ...ack,
  }
}
