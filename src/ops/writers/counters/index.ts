/** Writers of counters: vendors of hosts and of switches. */
import { eosCounterWriter } from './eos.ts'
import { HOST_COUNTER_WRITERS } from './hosts.ts'
import { nvueCounterWriter } from './nvue.ts'
import { nxosCounterWriter } from './nx-os.ts'
import { sonicCounterWriter } from './sonic.ts'
import type { CounterWriter } from './writer.ts'

export type { CounterFile, CounterWriter, PortCount, Saying } from './writer.ts'

export const COUNTER_WRITERS: readonly CounterWriter[] = [
  ...HOST_COUNTER_WRITERS,
  sonicCounterWriter,
  nxosCounterWriter,
  eosCounterWriter,
  nvueCounterWriter,
]

export const counterWriterOf = (vendor: string): CounterWriter | undefined =>
  COUNTER_WRITERS.find((writer) => writer.vendor === vendor)
