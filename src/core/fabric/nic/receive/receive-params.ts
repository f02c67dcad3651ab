/**
 * Parameters of a NIC's receive side. Declarations only; pipeline.ts holds the mechanism.
 */
import {
  choice,
  count,
  countOrOff,
  duration,
  durationOrOff,
  KIB,
  MIB,
  MS,
  NS,
  rateOrOff,
  SECOND,
  size,
  sizeOrOff,
  US,
  variant,
  definition,
} from '../../../base/params.ts'

const unlimitedReceive = definition({
  name: 'unlimited',
  help: 'packets reach the protocol in the instant in which they have arrived',
  params: {},
})

export const pipelineReceive = definition({
  name: 'pipeline',
  help: 'packets wait in a receive buffer and are processed one by one; those whose page or queue pair is not in the NIC wait for a read of host memory, and above XOFF the NIC pauses its switch',
  source: '[MS-Scale] 4.4',
  params: {
    buffer: size({
      default: 256 * KIB,
      min: 1,
      help: 'receive buffer; see sharing',
      source: 'ours; [MS-Scale] gives none',
    }),
    sharing: choice(['shared', 'per-class'], {
      default: 'shared',
      help: 'shared: one buffer, above whose XOFF all lossless classes are paused; per-class: one of this size for each lossless class, and one for all lossy classes',
      source: 'both: buffers and priorities of ConnectX (mlnx_qos)',
    }),
    xoff: sizeOrOff({
      default: null,
      help: 'the NIC pauses while a buffer holds more; off: buffer less the headroom of its link by the strict sum',
      source: '802.1Qbb annex O',
    }),
    xonOffset: sizeOrOff({
      default: null,
      help: 'it resumes when a buffer holds this much less than xoff, or nothing; off: a full frame',
      source: 'full frame: mlx5 driver (xon = xoff - mtu)',
    }),
    packetTime: duration({
      default: 30 * NS,
      max: 1 * MS,
      help: 'least time of a packet in the pipeline',
      source: 'ours: 33 million packets/s, more than a link of 40Gbps with full packets brings',
    }),
    busRate: rateOrOff({
      default: null,
      min: 1e3,
      help: 'rate of the bus to host memory, for whole frames; off: no limit',
      source: '[MS-Scale] 4.4: PCIe Gen3 x8, 64Gbps',
    }),
    translations: count({
      default: 2048,
      min: 1,
      max: 2 ** 24,
      help: 'entries of the translation cache, one page each; the one used longest ago is replaced',
      source: '[MS-Scale] 4.4: 2K; LRU: ours',
    }),
    pageSize: size({
      default: 4 * KIB,
      min: 64,
      help: 'page of the host that an entry covers',
      source: '[MS-Scale] 4.4: 4KB, and 2MB as the cure',
    }),
    missPenalty: duration({
      default: 1 * US,
      max: 1 * MS,
      help: 'time that the pipeline waits for each page that is not in the translation cache',
      source: 'ours: a read over PCIe and its wait; [MS-Scale] gives none',
    }),
    contexts: countOrOff({
      default: null,
      min: 1,
      max: 2 ** 24,
      help: 'queue pair contexts in the NIC; the one used longest ago is replaced; off: all',
      source: '[MS-Scale] 4.4: "a small number", not given',
    }),
    contextPenalty: duration({
      default: 1 * US,
      max: 1 * MS,
      help: 'time that the pipeline waits for a context that is not in the NIC',
      source: 'ours, as missPenalty',
    }),
    workingSet: size({
      default: 8 * MIB,
      min: 1,
      max: 2 ** 44,
      help: 'memory that messages address; packets beyond the translation cache miss',
      source: 'ours: what 2048 entries of 4KB cover, so that nothing misses for long',
    }),
    workingSetOf: choice(['host', 'pair'], {
      default: 'host',
      help: 'one working set for all queue pairs of a host, or one for each',
    }),
    access: choice(['random', 'sequential'], {
      default: 'random',
      help: 'address of a message in the working set: random, at any byte; or behind the message before, from the start again at the end',
    }),
  },
})

export const receiveParam = variant([unlimitedReceive, pipelineReceive], {
  default: 'unlimited',
  help: 'receive side of the NIC',
  per: 'host',
})

export const nicWatchdogParam = durationOrOff({
  default: null,
  min: 1 * US,
  max: 1000 * SECOND,
  per: 'host',
  help: 'a micro-controller that sees the receive pipeline stand still for this long while the NIC sends pauses disables them for good, and the NIC drops what arrives; a power cycle (fault pause-storm) enables them again',
  source: '[MS-Scale] 4.3: 100ms',
})
