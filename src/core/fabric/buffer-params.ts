/**
 * Parameters of switch buffers. Declarations only; buffer/ holds the mechanisms.
 */
import {
  propagationOrOff,
  choice,
  count,
  countOrOff,
  group,
  KB,
  KIB,
  list,
  MIB,
  rateOrOff,
  ratio,
  ratioOrOff,
  size,
  sizeOrOff,
  definition,
} from '../base/params.ts'

/** Sizes of buffers that a scenario leaves open: the first, and how often it may be doubled so that more fits. */
export const OPEN_SIZES: {
  readonly [K in 'shared-buffer' | 'memory-manager']: { readonly firstBytes: number; readonly doublings: number }
} = {
  'shared-buffer': { firstBytes: 12 * MIB, doublings: 9 },
  'memory-manager': { firstBytes: 42 * MIB, doublings: 9 },
}

const classAlpha = group(
  {
    class: count({ max: 7, help: 'class' }),
    alpha: ratioOrOff({ default: null, max: 128, help: 'alpha of the class; off: the alpha of all classes' }),
    egressAlpha: ratioOrOff({
      default: null,
      max: 128,
      help: 'egressAlpha of the class; off: the egressAlpha of all classes',
    }),
  },
  { help: 'thresholds of one class' },
)

export const inputQueued = definition({
  name: 'input-queued',
  help: 'one buffer per input port, virtual output queues, round robin per output',
  source: '[IRN] 4.1',
  params: {
    portBuffer: size({
      default: 240 * KB,
      min: 1,
      per: 'switch',
      help: 'buffer of one input port: twice the BDP',
      source: '[IRN] 4.1',
    }),
    xoff: size({
      default: 220 * KB,
      per: 'switch',
      live: true,
      help: 'pause when the input buffer holds this many bytes',
      source: '[IRN] 4.1: buffer minus the link BDP',
    }),
    xonOffset: size({
      default: 0,
      per: 'switch',
      live: true,
      help: 'resume when it is below xoff by more than this',
      source: '[IRN] 2.2: same threshold',
    }),
  },
})

export const sharedBuffer = definition({
  name: 'shared-buffer',
  help: 'one buffer for the switch: reserve, shared pool with dynamic thresholds, headroom',
  source: '[MS-Scale] 6.2; Choudhury and Hahne 1998',
  retired: { egressPool: 'shared', headroomLast: 'off' },
  params: {
    size: sizeOrOff({
      default: null,
      min: 1,
      per: 'switch',
      help: 'whole buffer of a switch; off: 12MiB, or where reserves and headroom do not fit in that, 12MiB doubled until they take half of it or less, up to 6GiB',
      source: '[MS-Scale] section 2: 9 or 12 MB',
    }),
    reserve: size({
      default: 4 * KIB,
      help: 'kept for each input port and class, beside the shared pool',
      source: 'HPCC fork',
    }),
    reservedClasses: count({
      default: 1,
      max: 8,
      help: 'number of classes per port for which the reserve is set aside',
      source: 'HPCC fork: 1',
    }),
    alpha: ratio({
      default: 1 / 16,
      max: 128,
      per: 'port',
      live: true,
      help: "share of the free shared pool one input port and class may take; SONiC's dynamic_th -4 is 2^-4",
      source: '[MS-Scale] 6.2: 1/16',
    }),
    alphaScaling: choice(['none', 'double-per-rate'], {
      default: 'none',
      help: 'double-per-rate: twice alpha for each doubling of the port rate over the slowest host rate',
      source: 'HPCC fork',
    }),
    byClass: list(classAlpha, {
      default: [],
      per: 'port',
      live: true,
      help: 'alphas of single classes, instead of alpha and egressAlpha',
    }),
    ingressLimit: choice(['threshold', 'pool', 'total'], {
      default: 'threshold',
      help: 'limit of one input port and class in the pool, before headroom or a drop. threshold: its threshold; pool: all that is free, and the threshold only causes pauses; total: the same, but everything in the switch counts as taken from the pool, and lossy classes have headroom too',
      source: '[MS-Scale] 6.2: threshold; conweave: total',
    }),
    egressAlpha: ratio({
      default: 1,
      max: 128,
      per: 'switch',
      live: true,
      help: 'share of the free pool one lossy egress queue may take',
      source: 'conweave: 1',
    }),
    egressReserve: size({ default: 0, help: 'kept for each egress queue of a lossy class', source: 'conweave: 1049' }),
    egressLimit: choice(['lossy', 'all'], {
      default: 'lossy',
      help: 'classes in which the egress threshold drops packets',
      source: '[MS-Scale] 6.2; conweave: all',
    }),
    headroom: sizeOrOff({
      default: null,
      per: 'port',
      live: true,
      help: 'headroom per input port and lossless class; off: from headroomFormula',
    }),
    headroomFormula: choice(['strict', 'delay-rate', 'hardware'], {
      default: 'strict',
      per: 'switch',
      help: 'strict: everything that can arrive after XOFF; delay-rate: rate * delay * headroomFactor + headroomExtra; hardware: what switches of switch.family need',
      source: 'strict: 802.1Qbb annex O; delay-rate: HPCC fork; hardware: SONiC dynamic buffer model',
    }),
    believedDelay: propagationOrOff({
      default: null,
      per: 'port',
      live: true,
      help: 'one-way delay of the cable as the headroom formula takes it, where a port is configured for another cable than it has; off: the delay of its link',
      source: '[MS-Scale] section 2: headroom depends on the length of the cable; 5ns/m',
    }),
    headroomFactor: ratio({
      default: 3,
      max: 100,
      per: 'port',
      live: true,
      help: 'factor of the delay-rate formula (one-way delay)',
      source: 'HPCC fork 3, conweave 2',
    }),
    headroomExtra: size({
      default: 0,
      per: 'port',
      live: true,
      help: 'bytes added by the delay-rate formula',
      source: 'conweave: 2 packets',
    }),
    headroomPer: choice(['class', 'port'], {
      default: 'class',
      help: 'headroom set aside for each lossless class of a port, or once per port',
      source: 'HPCC fork: port',
    }),
    xonOffset: size({
      default: 3 * KIB,
      per: 'switch',
      live: true,
      help: 'resume when the use is below the threshold by this many bytes',
      source: 'HPCC fork',
    }),
    pool: choice(['after-reserves', 'whole'], {
      default: 'after-reserves',
      help: 'shared pool: size minus reserves and headroom, or the whole size (textbook dynamic threshold)',
    }),
  },
})

const SONIC = 'SONiC BUFFER_PROFILE'

/** Limit of a priority group or queue in its pool; at most one of them is given. */
function limitFields(alpha: string, per: 'switch' | 'port') {
  return {
    alpha: ratioOrOff({
      default: null,
      max: 128,
      per,
      live: true,
      help: `share of the free pool it may take; off: ${alpha}`,
    }),
    dynamicTh: countOrOff({
      default: null,
      min: -8,
      max: 7,
      per,
      live: true,
      help: 'the same as a power of two, as SONiC writes it: -3 is 2^-3, 1/8',
      source: 'SONiC BUFFER_PROFILE dynamic_th; SAI: 2^n of the available buffer',
    }),
    staticTh: sizeOrOff({
      default: null,
      per,
      live: true,
      help: 'a fixed limit instead: static reservation',
      source: 'SONiC BUFFER_PROFILE static_th; [MS-Scale] 6.2',
    }),
  }
}

const classSet = list(count({ max: 7, help: 'class' }), {
  default: [],
  help: 'its classes; none: all lossless classes',
})

const portProfile = group(
  {
    rate: rateOrOff({ default: null, help: 'ports of this rate; off: of any' }),
    delay: propagationOrOff({ default: null, help: 'ports whose cable has this delay; off: any' }),
    classes: classSet,
    reserve: sizeOrOff({
      default: null,
      help: 'bytes of the group alone; off: those without a profile',
      source: `${SONIC} size`,
    }),
    headroom: sizeOrOff({ default: null, help: 'headroom; off: that without a profile', source: `${SONIC} xoff` }),
    xon: sizeOrOff({ default: null, help: 'see xon; off: that without a profile', source: `${SONIC} xon` }),
    xonOffset: sizeOrOff({
      default: null,
      help: 'see xonOffset; off: that without a profile',
      source: `${SONIC} xon_offset`,
    }),
    ...limitFields('the limit without a profile', 'port'),
  },
  { help: 'values of the priority groups of some ports' },
)

const queueProfile = group(
  {
    classes: list(count({ max: 7, help: 'class' }), { help: 'classes of the queues', minItems: 1 }),
    reserve: size({ default: 0, help: 'bytes of the queue alone', source: `${SONIC} size` }),
    ...limitFields('no limit but the pool', 'switch'),
  },
  { help: 'limit of the egress queues of some classes' },
)

export const memoryManager = definition({
  name: 'memory-manager',
  help: 'the buffer as switch hardware accounts for it: cells, ingress and egress pools, a profile per priority group, shared headroom',
  source: 'SAI saibuffer.h; SONiC BUFFER_POOL and BUFFER_PROFILE; [MS-Scale] 6.2',
  params: {
    size: sizeOrOff({
      default: null,
      min: 1,
      per: 'switch',
      help: 'whole buffer of a switch; off: 42MiB, or where reserves, headroom and given pools do not fit in that, 42MiB doubled until they take half of it or less, up to 21GiB',
      source: 'Tomahawk 2',
    }),
    cell: size({
      default: 208,
      min: 1,
      max: 16 * KIB,
      per: 'switch',
      help: 'a packet takes whole cells of this size; 1: its bytes',
      source: 'sonic-mgmt qos_params.th2: 208',
    }),
    groups: list(count({ max: 7, help: 'priority group' }), {
      default: [0, 1, 2, 3, 4, 5, 6, 7],
      help: 'priority group of each class; a lossless class has one of its own',
      source: 'SONiC TC_TO_PRIORITY_GROUP_MAP',
    }),
    ingressPool: sizeOrOff({
      default: null,
      per: 'switch',
      live: true,
      help: 'bytes that priority groups share, beside their reserves; off: the size less reserves, headroom and ingressLossyPool',
      source: 'SONiC BUFFER_POOL size',
    }),
    ingressLossyPool: sizeOrOff({
      default: null,
      per: 'switch',
      live: true,
      help: 'pool of lossy priority groups; off: they share ingressPool',
      source: 'SONiC BUFFER_POOL ingress_lossy_pool',
    }),
    headroomPool: sizeOrOff({
      default: null,
      per: 'switch',
      live: true,
      help: 'bytes that the headroom of all priority groups shares; off: each has its own',
      source: 'SONiC BUFFER_POOL xoff',
    }),
    egressPool: sizeOrOff({
      default: null,
      per: 'switch',
      live: true,
      help: 'bytes that egress queues share, beside their reserves; off: the whole size',
      source: 'SONiC BUFFER_POOL size',
    }),
    egressLossyPool: sizeOrOff({
      default: null,
      per: 'switch',
      live: true,
      help: 'pool of the egress queues of lossy classes; off: they share egressPool',
      source: 'SONiC BUFFER_POOL egress_lossy_pool',
    }),
    reserve: size({
      default: 1248,
      per: 'port',
      live: true,
      help: 'bytes of each lossless priority group alone',
      source: 'SONiC pg_profile_lookup of the Arista 7260CX3 (Tomahawk 2)',
    }),
    headroom: sizeOrOff({
      default: null,
      per: 'port',
      live: true,
      help: 'headroom of each lossless priority group; off: all that can arrive after XOFF, in cells filled as badly as they can be',
      source: `${SONIC} xoff`,
    }),
    xon: size({
      default: 1248,
      per: 'port',
      live: true,
      help: 'resume when the group holds no more than this, or than its limit less xonOffset',
      source: 'SAI: XON at max(xon, limit - xon_offset); value: pg_profile_lookup of the Arista 7260CX3',
    }),
    xonOffset: size({
      default: 2496,
      per: 'port',
      live: true,
      help: 'see xon',
      source: 'pg_profile_lookup of the Arista 7260CX3',
    }),
    ...limitFields('1/16', 'port'),
    lossy: group(
      {
        reserve: size({ default: 0, help: 'bytes of each lossy priority group alone' }),
        ...limitFields('no limit but the pool', 'port'),
      },
      { per: 'port', live: true, help: 'lossy priority groups' },
    ),
    profiles: list(portProfile, {
      default: [],
      per: 'switch',
      live: true,
      help: 'values of priority groups by rate and cable of their port; the first that fits holds',
      source: 'SONiC pg_profile_lookup.ini',
    }),
    egressAlpha: ratio({
      default: 1,
      max: 128,
      per: 'switch',
      live: true,
      help: 'share of the free egress pool one lossy egress queue may take; lossless queues have no limit but their pool',
      source: 'as shared-buffer',
    }),
    queues: list(queueProfile, {
      default: [],
      per: 'switch',
      live: true,
      help: 'limits of the egress queues of single classes, instead of egressAlpha',
      source: 'SONiC BUFFER_QUEUE',
    }),
  },
})

export const buffers = [inputQueued, sharedBuffer, memoryManager] as const
