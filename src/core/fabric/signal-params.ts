/**
 * Parameters of congestion signals of switches: marks, early drops, trimmed packets, messages, telemetry.
 * Declarations only.
 */
import { choice, count, duration, flag, group, KB, list, MB, NS, rate, ratio, size, US } from '../base/params.ts'

const rateBand = group(
  {
    rate: rate({ help: 'egress link rate this row is for' }),
    kmin: size({ help: 'no marking at or below' }),
    kmax: size({ help: 'always marked above' }),
    pmax: ratio({ help: 'marking probability at kmax' }),
  },
  { help: 'thresholds for one link rate' },
)

export const ecnParams = group(
  {
    classes: list(count({ max: 7, help: 'class' }), { default: [3], help: 'classes that mark; empty: ECN off' }),
    kmin: size({ default: 5 * KB, help: 'no marking up to here', source: 'DCQCN: 5 KB' }),
    kmax: size({ default: 200 * KB, help: 'every packet marked from here', source: 'DCQCN: 200 KB' }),
    pmax: ratio({ default: 0.01, help: 'marking probability just below kmax', source: 'DCQCN: 1 %' }),
    byRate: list(rateBand, { default: [], help: 'thresholds per egress link rate, instead of kmin, kmax and pmax' }),
    at: choice(['enqueue', 'dequeue'], {
      default: 'enqueue',
      per: 'switch',
      live: false,
      help: 'queue is compared before the packet joins, or when it leaves (without the packet)',
      source: '[LDCP] 2.1 arrival; HPCC fork departure',
    }),
    compare: choice(['at-least', 'above'], {
      default: 'at-least',
      help: 'marking starts at q >= kmin (and is sure at q >= kmax), or q > kmin (q > kmax)',
      source: '[LDCP] 2.1: at least; DCQCN text: above',
    }),
  },
  { help: 'ECN marking by RED on the instantaneous egress queue', per: 'port', live: true },
)

export const wredParams = group(
  {
    classes: list(count({ max: 7, help: 'class' }), {
      default: [],
      help: 'classes in which ECN-incapable packets are dropped early; empty: off',
    }),
    threshold: size({ default: 60 * KB, help: 'egress queue from which on they are dropped', source: '[LDCP] eq. 3' }),
  },
  { help: 'early drop of ECN-incapable packets' },
)

export const trimmingParams = group(
  {
    of: choice(['none', 'lossy', 'listed'], {
      default: 'none',
      help: 'data packets whose payload is cut off where they would be dropped, so that the header tells the receiver. none: off; lossy: of every class without PFC; listed: of the classes below',
      source: 'CP, NDP; Ultra Ethernet 1.0',
    }),
    classes: list(count({ max: 7, help: 'class' }), { default: [], help: 'classes that are trimmed with of: listed' }),
    size: size({
      default: 64,
      min: 64,
      max: 9216,
      help: 'size of a trimmed frame, FCS included; a frame that is not larger is dropped, as there is nothing to cut',
      source: 'NDP: 64B headers; Spectrum-4: 256B to 1024B',
    }),
    class: count({
      default: 7,
      max: 7,
      help: 'class of trimmed packets in switches. One of switch.strictClasses goes before the data, and the headers of many senders may then fill a link; a share of it (switch.scheduler: dwrr) leaves room for data',
      source: 'NDP 3.1: a queue of its own, ten headers for one packet; 7: ours',
    }),
    early: flag({
      default: true,
      help: 'packets that WRED would drop are trimmed too, and not only those that the buffer has no room for',
      source: 'own',
    }),
  },
  { help: 'packet trimming: a header instead of a drop', howToDisable: 'switch.trimming.of: none turns it off' },
)

export const qcnParams = group(
  {
    classes: list(count({ max: 7, help: 'class' }), {
      default: [3],
      help: 'classes whose queues are sampled; empty: no messages',
    }),
    setPoint: size({
      default: 33 * KB,
      min: 1,
      help: 'queue length to be held (Qeq)',
      source: 'QCN: 22 packets of 1500 bytes; 802.1Qau managed object: 26KB',
    }),
    weight: ratio({
      default: 2,
      max: 64,
      help: 'weight of the change of the queue since the last sample (w)',
      source: '802.1Qau: 2',
    }),
    sampleBase: size({
      default: 150 * KB,
      min: 1,
      help: 'bytes from sample to sample while there is no feedback; down to an eighth of it as feedback grows',
      source: '802.1Qau: 150KB',
    }),
    jitter: ratio({
      default: 0.15,
      help: 'bytes from sample to sample vary at random by this share up and down',
      source: '802.1Qau: 0.15',
    }),
  },
  { help: 'congestion points (802.1Qau), for congestion controls that need them' },
)

export const telemetryParams = group(
  {
    timeUnit: duration({
      default: 1 * NS,
      min: 1,
      max: 1 * US,
      help: 'times are cut to whole units',
      source: 'HPCC fork: 1ns',
    }),
    sentUnit: size({
      default: 128,
      min: 1,
      max: 1 * MB,
      help: 'bytes sent are cut to whole units',
      source: 'HPCC fork: 128B times INT_MULTI',
    }),
    queueUnit: size({
      default: 80,
      min: 1,
      max: 1 * MB,
      help: 'queues are cut to whole units',
      source: 'HPCC fork: 80B times INT_MULTI',
    }),
  },
  { help: 'resolution of the fields of in-band telemetry, for congestion controls that need it' },
)
