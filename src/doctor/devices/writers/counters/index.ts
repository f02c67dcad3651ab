/** Writers of counters: vendors of hosts and of switches. */
import { eosCounterWriter } from './eos.ts'
import { HOST_COUNTER_WRITERS } from './hosts.ts'
import { nvueCounterWriter } from './nvue.ts'
import { nxosCounterWriter } from './nx-os.ts'
import { sonicCounterWriter } from './sonic.ts'
import type { CounterWriter } from './writer.ts'

export { sessionText } from './session.ts'
export type { CounterFile, CounterWriter, PortCount } from './writer.ts'

/** Names of vendors, for options. */
export const COUNTER_VENDORS = ['mlx5', 'bnxt', 'ionic', 'ice', 'sonic', 'nx-os', 'eos', 'nvue'] as const
export type CounterVendor = (typeof COUNTER_VENDORS)[number]

export const COUNTER_WRITERS: readonly CounterWriter[] = [
  ...HOST_COUNTER_WRITERS,
  sonicCounterWriter,
  nxosCounterWriter,
  eosCounterWriter,
  nvueCounterWriter,
]

export const counterWriterOf = (vendor: string): CounterWriter | undefined =>
  COUNTER_WRITERS.find((writer) => writer.vendor === vendor)
