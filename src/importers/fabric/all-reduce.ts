/**
 * An all-reduce over the hosts of a fabric, with a rank for each port, laid out as NCCL does with the environment of the job:
 * NCCL_CROSS_NIC, NCCL_PXN_DISABLE, NCCL_MIN_NCHANNELS, NCCL_ALGO. Where hosts differ the usual value holds.
 */
import { knownOf, UNKNOWN_JOB, type JobSettings, type Value } from '../../core/device-model/index.ts'
import { formatQuantity } from '../../core/base/units.ts'
import { inputError } from '../../core/base/issue.ts'
import { usualOf } from '../../doctor/diagnosis/rules/look.ts'
import type { Branch } from '../importer.ts'
import { settingsOf, spotOf } from './hosts.ts'
import type { FabricNetwork } from './network.ts'
import { FABRIC, type Page } from './page.ts'

interface AllReduceInput {
  readonly network: FabricNetwork
  readonly page: Page
}

/** Pieces in which a tree goes on. */
const TREE_SLICES = 16

/** @throws InputError where hosts have other numbers of ports */
export function allReduceOf({ network, page }: AllReduceInput, sizeBytes: number): Branch {
  const counts = [...new Set(network.hosts.map(({ ports }) => ports.length))]
  if (counts.length > 1 || network.hosts.length < 2)
    throw inputError('--traffic', 'hosts with as many ports each', `${counts.join(' and ')} ports`, 'permutation:0.5')
  const usual = <T extends string | number>(
    key: string,
    of: (job: JobSettings) => Value<T>,
    shown: (own: T) => string | number | boolean,
  ): T | undefined => {
    const found = network.hosts.flatMap((host) => {
      const value = of(settingsOf(host).job ?? UNKNOWN_JOB)
      const own = knownOf(value)
      return own === undefined ? [] : [{ host, value, own }]
    })
    const most = usualOf(found.map(({ own }) => own))
    for (const { host, value, own } of found)
      if (own === most) page.read(`workload.0.${key}`, spotOf(host), value, shown(own))
      else page.leftOut(`workload.0.${key}`, spotOf(host), value, 'another value elsewhere: a scenario has one')
    return most
  }
  const pxn = usual(
    'crossNic',
    ({ ncclPxnDisable }) => ncclPxnDisable,
    (own) => own === 1,
  )
  const crossing = usual(
    'crossNic',
    ({ ncclCrossNic }) => ncclCrossNic,
    (own) => own !== 0,
  )
  const channels = usual(
    'channels',
    ({ ncclMinChannels }) => ncclMinChannels,
    (own) => own,
  )
  const algo = usual(
    'algorithm',
    ({ ncclAlgo }) => ncclAlgo,
    (own) => own,
  )
  const isTree = algo !== undefined && /^tree$/i.test(algo)
  const isRing = algo !== undefined && /^(?:ring|\^tree)$/i.test(algo)
  if (!isTree && !isRing) page.assumed('workload.0.algorithm', FABRIC, 'ring', 'NCCL has rings for large buffers')
  return {
    kind: 'collective',
    operation: 'all-reduce',
    ranks: 'port',
    size: formatQuantity('size', sizeBytes),
    channelsBy: 'nccl',
    ...(pxn === 1 && crossing !== 0 && { crossNic: true }),
    ...(channels !== undefined && channels > 1 && { channels: Math.min(4096, channels) }),
    ...(isTree ? { algorithm: 'double-binary-tree', slices: TREE_SLICES } : { algorithm: 'ring' }),
  }
}
