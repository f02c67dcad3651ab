/**
 * Parameters of switch buffers. Declarations only; buffer/ holds the mechanisms.
 */
import {
  choice,
  count,
  group,
  KB,
  KIB,
  list,
  MIB,
  ratio,
  ratioOrOff,
  size,
  sizeOrOff,
  type Definition,
  type ParamFields,
} from '../base/params.ts'

/** Gives a plain definition its type. */
function define<const N extends string, F extends ParamFields>(d: Definition<N, F>): Definition<N, F> {
  return d
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

export const inputQueued = define({
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

export const sharedBuffer = define({
  name: 'shared-buffer',
  help: 'one buffer for the switch: reserve, shared pool with dynamic thresholds, headroom',
  source: '[MS-Scale] 6.2; Choudhury and Hahne 1998',
  params: {
    size: size({
      default: 12 * MIB,
      min: 1,
      per: 'switch',
      help: 'whole buffer of a switch',
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
      help: 'share of the free shared pool one input port and class may take',
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
    egressPool: choice(['shared', 'own'], {
      default: 'shared',
      help: 'free bytes of which egressAlpha is a share. shared: the shared pool, less all bytes of limited egress queues; own: the size less reserves (headroom is not subtracted), less the bytes of those queues beyond egressReserve, and a packet has to fit into the share as a whole',
      source: 'own: conweave',
    }),
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
    headroomFormula: choice(['strict', 'delay-rate'], {
      default: 'strict',
      per: 'switch',
      help: 'strict: everything that can arrive after XOFF; delay-rate: rate * delay * headroomFactor + headroomExtra',
      source: 'strict: 802.1Qbb annex O; delay-rate: HPCC fork',
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
    headroomLast: sizeOrOff({
      default: null,
      help: 'bytes that the pool gives up for the headroom of the last port of each switch, whatever headroom that port has; off: its headroom',
      source: 'conweave: 14596, the default of port 0, where its sum begins, so that the last port is left out',
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

export const buffers = [inputQueued, sharedBuffer] as const
