/** NICs, as far as anything of them is published. */
import { GBPS } from '../base/params.ts'
import { code, derived, measured, vendor } from './known.ts'
import { defineNic, type NicProfile } from './nic-profile.ts'
import { CONNECTX5_RETRY, CONNECTX6_RETRY } from './retry.ts'

/** ConnectX-4 and later react to CNPs by default, in all priorities. */
const dcqcn = vendor('dcqcn-connectx4', 'NVIDIA DOCA 3.4, RoCE congestion control')
const sheet = (name: string): string => `NVIDIA, data sheet of ${name}`

export const connectx4 = defineNic({
  name: 'connectx-4',
  help: 'NVIDIA ConnectX-4, 100 Gb/s',
  rateBps: vendor(100 * GBPS, sheet('ConnectX-4')),
  pcie: vendor({ generation: 3, lanes: 16 }, sheet('ConnectX-4')),
  hasSlowRestart: measured(false, 'ucx#6000: it has no such register'),
  congestion: dcqcn,
})

export const connectx5 = defineNic({
  name: 'connectx-5',
  help: 'NVIDIA ConnectX-5, 100 Gb/s',
  rateBps: vendor(100 * GBPS, sheet('ConnectX-5')),
  retryMs: CONNECTX5_RETRY,
  congestion: dcqcn,
  oneWayNs: measured(816, 'IBM/tulips: half of a raw round trip of 1,632 ns, cross-connected'),
  lossyShare: measured([0.003, 0.48], 'perftest#130: two senders, 0.3 to 24 Gb/s a flow, unstable'),
})

export const connectx6 = defineNic({
  name: 'connectx-6',
  help: 'NVIDIA ConnectX-6, 200 Gb/s',
  rateBps: vendor(200 * GBPS, sheet('ConnectX-6')),
  pcie: vendor({ generation: 4, lanes: 16 }, sheet('ConnectX-6')),
  retryMs: CONNECTX6_RETRY,
  congestion: dcqcn,
  hasSlowRestart: measured(true, 'unionxic/rdma-fault-characterization, firmware 20.43.4100'),
})

export const connectx7 = defineNic({
  name: 'connectx-7',
  help: 'NVIDIA ConnectX-7, 400 Gb/s',
  rateBps: vendor(400 * GBPS, sheet('ConnectX-7')),
  pcie: vendor({ generation: 5, lanes: 16 }, sheet('ConnectX-7')),
  workRequestGapNs: derived(344.9, 'nccl#2409: 16 KiB on one queue pair carries 380.0 Gb/s'),
  hasSlowRestart: vendor(true, 'Adaptive Retransmission: Parameters Control, August 2025'),
  lossCut: derived(
    0.5,
    'its rpg_min_dec_fac; capetron/gb10-cluster-guide: two flows carry 163.8, runs with it 162 to 171',
  ),
  congestion: dcqcn,
  lossyShare: measured([0.83, 0.84], 'capetron/gb10-cluster-guide: two senders of 112 Gb/s, 163.8 of 196.1'),
})

export const connectx8 = defineNic({
  name: 'connectx-8',
  help: 'NVIDIA ConnectX-8, 800 Gb/s',
  rateBps: vendor(800 * GBPS, sheet('ConnectX-8')),
})

export const bluefield2 = defineNic({
  name: 'bluefield-2',
  help: 'NVIDIA BlueField-2, 25 to 100 Gb/s',
  lossyShare: measured([0.2, 0.24], 'perftest#219: two senders of 25 Gb/s, about 5 of 23'),
})

export const e810 = defineNic({
  name: 'e810',
  help: 'Intel E810, 100 Gb/s',
  rateBps: vendor(100 * GBPS, 'Intel, product brief of the E810'),
  pcie: vendor({ generation: 4, lanes: 16 }, 'Intel, product brief of the E810'),
  congestion: code('none', 'irdma module: dcqcn_enable is false'),
})

export const nics: readonly NicProfile[] = [connectx4, connectx5, connectx6, connectx7, connectx8, bluefield2, e810]
