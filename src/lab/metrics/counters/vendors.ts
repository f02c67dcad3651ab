/**
 * Vendors: which counters a device of a kind has, and at how many bits each starts again at 0.
 * A vendor without a number for a counter does not have it: it is absent, which is not 0.
 * Sources: mlx5 counters.rst and counters.c, bnxt_en, ionic, ice and irdma drivers of Linux; SONiC's COUNTERS_DB; show commands
 * of NX-OS and EOS; NVUE. Frames of all priorities together (NX-OS, EOS, ionic) are left out: they have no priority.
 */
import { COUNTERS } from '../../../core/device-model/index.ts'

type Widths = ReadonlyMap<string, number>

const wide = (...names: readonly string[]): [string, number][] => names.map((name) => [name, 64])
const narrow = (...names: readonly string[]): [string, number][] => names.map((name) => [name, 32])

const PORT = ['rateBps', 'crcErrors', 'linkDowns']
const TRAFFIC = ['rxBytes', 'txBytes', 'rxPackets', 'txPackets']
const PAUSES = ['pfcRxFrames', 'pfcTxFrames', 'pauseRxUs', 'pauseTxUs', 'pauseRxTransitions']
const RDMA = ['ecnSeen', 'cnpSent', 'cnpHandled', 'outOfSequence', 'seqNaks', 'ackTimeouts', 'duplicates', 'rnrNaks']

export const VENDORS = {
  all: new Map(COUNTERS.map(({ name }) => [name, 64])),
  mlx5: new Map([
    ...wide(...PORT, ...TRAFFIC, ...PAUSES, 'dropIn', 'dropInPort', 'rxBufferHigh', 'stormCutOff'),
    ...narrow(...RDMA, 'outOfBuffer', 'retryExceeded', 'adaptiveRetries', 'slowRestarts'),
  ]),
  bnxt: new Map(
    wide(...PORT, ...TRAFFIC, ...PAUSES, ...RDMA, 'dropIn', 'rxBufferHigh', 'outOfBuffer', 'retryExceeded'),
  ),
  ionic: new Map(
    wide(
      ...PORT,
      'rxPackets',
      'txPackets',
      'pauseRxUs',
      'pauseTxUs',
      'dropInPort',
      ...RDMA.filter((name) => name !== 'duplicates' && name !== 'rnrNaks'),
      'retransPackets',
      'retryExceeded',
    ),
  ),
  ice: new Map([
    ...wide(...PORT, 'pfcRxFrames', 'pfcTxFrames', 'dropInPort'),
    ['ecnSeen', 48],
    ...narrow('cnpSent', 'cnpHandled'),
  ]),
  sonic: new Map(
    wide(
      ...PORT,
      ...TRAFFIC,
      'pfcRxFrames',
      'pfcTxFrames',
      'pauseRxUs',
      'pauseRxTransitions',
      'dropIn',
      'dropOut',
      'dropInPort',
      'ecnMarked',
      'sharedMax',
      'headroomMax',
      'queueMax',
      'wdStorms',
      'wdRestores',
    ),
  ),
  nxos: new Map(wide(...PORT, ...TRAFFIC, 'pfcRxFrames', 'pfcTxFrames', 'dropInPort', 'dropOut')),
  nvue: new Map(wide(...PORT, ...TRAFFIC, ...PAUSES, 'dropIn', 'dropOut', 'ecnMarked', 'sharedMax', 'queueMax')),
} satisfies Record<string, Widths>

export const HOST_VENDORS = ['all', 'mlx5', 'bnxt', 'ionic', 'ice'] as const
export const SWITCH_VENDORS = ['all', 'sonic', 'nxos', 'nvue'] as const
