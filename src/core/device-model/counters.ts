/**
 * Counters: what switches and hosts count, by one name each, whatever a vendor calls it.
 * "rx" is seen from the device that counts: rx at one end of a link is tx at the other. Counters are cumulative from an
 * unknown start, so that only the difference of two readings says anything; gauges and watermarks are never subtracted.
 * Units are the last part of names where it is not a number of events, frames or packets.
 */

/** sum: it grows from a start that nobody knows. gauge: a value of now. watermark: the highest since the last reading. */
export type CounterKind = 'sum' | 'gauge' | 'watermark'
/** A value belongs to a priority of a port, a port, or a whole device. */
export type CounterScope = 'priority' | 'port' | 'device'

export interface CounterDefinition {
  readonly name: string
  readonly kind: CounterKind
  readonly unit: string
  readonly scope: CounterScope
  readonly devices: 'hosts' | 'switches' | 'all'
  readonly help: string
}

const sum = (
  name: string,
  unit: string,
  scope: CounterScope,
  devices: CounterDefinition['devices'],
  help: string,
): CounterDefinition => ({ name, kind: 'sum', unit, scope, devices, help })

/** In the order in which tables print them. */
export const COUNTERS: readonly CounterDefinition[] = [
  { name: 'rateBps', kind: 'gauge', unit: 'bit/s', scope: 'port', devices: 'all', help: 'speed of the link' },
  sum('rxBytes', 'bytes', 'priority', 'all', 'bytes of frames received, FCS counted, PFC frames not'),
  sum('txBytes', 'bytes', 'priority', 'all', 'bytes of frames sent, FCS counted, PFC frames not'),
  sum('rxPackets', 'packets', 'priority', 'all', 'frames received without errors, PFC frames not'),
  sum('txPackets', 'packets', 'priority', 'all', 'frames sent, PFC frames not'),
  sum('pfcRxFrames', 'frames', 'priority', 'all', 'PFC frames received for the priority, resumes too'),
  sum('pfcTxFrames', 'frames', 'priority', 'all', 'PFC frames sent for the priority, resumes too'),
  sum('pauseRxUs', 'us', 'priority', 'all', 'time that this port was held by its peer'),
  sum('pauseTxUs', 'us', 'priority', 'all', 'time that this port held its peer'),
  sum('pauseRxTransitions', 'transitions', 'priority', 'all', 'times that a pause of this port ended'),
  sum('portRxBytes', 'bytes', 'port', 'all', 'bytes received, where they are not counted by priority'),
  sum('portTxBytes', 'bytes', 'port', 'all', 'bytes sent, where they are not counted by priority'),
  sum('portPfcRxFrames', 'frames', 'port', 'all', 'PFC frames received, where they are not counted by priority'),
  sum('portPfcTxFrames', 'frames', 'port', 'all', 'PFC frames sent, where they are not counted by priority'),
  sum('globalPauseRxFrames', 'frames', 'port', 'all', 'pauses of the whole link (802.3x) received'),
  sum('globalPauseTxFrames', 'frames', 'port', 'all', 'pauses of the whole link (802.3x) sent'),
  sum('globalPauseRxUs', 'us', 'port', 'all', 'time that this port was held by them'),
  sum('globalPauseTxUs', 'us', 'port', 'all', 'time that this port held its peer by them'),
  sum('dropIn', 'packets', 'priority', 'all', 'packets received for which there was no buffer'),
  sum(
    'dropOut',
    'packets',
    'priority',
    'switches',
    'packets for which the egress queue had no room, or which it dropped early',
  ),
  sum('crcErrors', 'frames', 'port', 'all', 'frames received with a wrong FCS, which are dropped'),
  sum('symbolErrors', 'errors', 'port', 'all', 'errors of the line code that FEC has not corrected'),
  sum('stompedFrames', 'frames', 'port', 'all', 'frames that a device before had marked as broken: not by this cable'),
  sum('dropInPort', 'packets', 'port', 'all', 'packets dropped on arrival, whatever their priority and the reason'),
  sum('linkDowns', 'events', 'port', 'all', 'times that the link went down'),
  sum('ecnMarked', 'packets', 'priority', 'switches', 'packets that left the egress queue marked'),
  {
    name: 'sharedMax',
    kind: 'watermark',
    unit: 'bytes',
    scope: 'priority',
    devices: 'switches',
    help: 'most shared buffer that the priority group of the port in used',
  },
  {
    name: 'headroomMax',
    kind: 'watermark',
    unit: 'bytes',
    scope: 'priority',
    devices: 'switches',
    help: 'most headroom that the priority group of the port in used',
  },
  {
    name: 'queueMax',
    kind: 'watermark',
    unit: 'bytes',
    scope: 'priority',
    devices: 'switches',
    help: 'longest egress queue',
  },
  sum('wdStorms', 'events', 'priority', 'switches', 'storms that the PFC watchdog has detected'),
  sum('wdRestores', 'events', 'priority', 'switches', 'ends of storms that it has detected'),
  sum('rxBufferHigh', 'events', 'port', 'hosts', 'times that the receive buffer of the NIC passed its threshold'),
  {
    name: 'pcieWriteStallPercent',
    kind: 'gauge',
    unit: 'percent',
    scope: 'port',
    devices: 'hosts',
    help: 'share of the last second in which writes of the NIC to memory had to wait',
  },
  sum('pcieWriteStallSeconds', 's', 'port', 'hosts', 'seconds with more than 30 percent of that'),
  sum('stormWarnings', 'events', 'port', 'hosts', 'times that the NIC was paused, or paused its peer, for long'),
  sum('stormCutOff', 'events', 'port', 'hosts', 'times that the watchdog of the NIC stopped its own pauses'),
  sum('rdmaRxBytes', 'bytes', 'device', 'hosts', 'bytes of RDMA packets received'),
  sum('rdmaTxBytes', 'bytes', 'device', 'hosts', 'bytes of RDMA packets sent'),
  sum('ecnSeen', 'packets', 'device', 'hosts', 'marked packets that the notification point received'),
  sum('cnpSent', 'packets', 'device', 'hosts', 'CNPs that it sent as a receiver of data'),
  sum('cnpHandled', 'packets', 'device', 'hosts', 'CNPs that it received and obeyed as a sender'),
  sum('cnpIgnored', 'packets', 'device', 'hosts', 'CNPs that it received without rate control'),
  sum('outOfSequence', 'packets', 'device', 'hosts', 'packets received behind a gap; one loss counts many times'),
  sum('seqNaks', 'events', 'device', 'hosts', 'NAKs for a sequence error that it received'),
  sum('impliedNaks', 'events', 'device', 'hosts', 'answers to READs that it received behind a gap'),
  sum('ackTimeouts', 'events', 'device', 'hosts', 'timeouts of its queue pairs'),
  sum(
    'adaptiveRetries',
    'events',
    'device',
    'hosts',
    'waits that ended before the timeout, by adaptive retransmission',
  ),
  sum(
    'slowRestarts',
    'events',
    'device',
    'hosts',
    'losses that cut the rate of a sender, which it also counts as CNPs',
  ),
  sum('retransPackets', 'packets', 'device', 'hosts', 'packets that it sent again'),
  sum('duplicates', 'packets', 'device', 'hosts', 'packets received again'),
  sum('rnrNaks', 'events', 'device', 'hosts', 'NAKs for a missing Receive WQE that it received'),
  sum('outOfBuffer', 'events', 'device', 'hosts', 'packets that found no Receive WQE'),
  sum('retryExceeded', 'events', 'device', 'hosts', 'queue pairs that gave up after all retries'),
]

const BY_NAME = new Map(COUNTERS.map((each) => [each.name, each]))

/** The counter of a name; undefined: no such counter. */
export function counterNamed(name: string): CounterDefinition | undefined {
  return BY_NAME.get(name)
}

/** In place of the priority of counters of ports and devices. */
export const ALL_PRIORITIES = -1

/** One value of one counter. */
export interface Reading {
  readonly device: string
  /** Name of the port at its device; '': a value of the whole device. */
  readonly port: string
  /** 0 to 7, or ALL_PRIORITIES. */
  readonly priority: number
  /** One of COUNTERS. */
  readonly name: string
  readonly value: number
  /** The value starts again at 0 after 2 to this power. */
  readonly bits: number
  /** Time of the reading by the clock of whoever took it, nanoseconds. */
  readonly timeNs: number
}
