/** Writers: the languages in which devices are written. */
import { eosWriter } from './eos.ts'
import { HOST_WRITERS } from './hosts/index.ts'
import { junosWriter } from './junos.ts'
import { nvueWriter } from './nvue.ts'
import { nxosWriter } from './nx-os.ts'
import { os10Writer } from './os10.ts'
import { sonicWriter } from './sonic.ts'
import type { Writer } from './writer.ts'

export {
  COUNTER_VENDORS,
  COUNTER_WRITERS,
  type CounterVendor,
  type CounterFile,
  type CounterWriter,
  counterWriterOf,
  type PortCount,
  sessionText,
} from './counters/index.ts'
export type { Peer, Writer, WriteOptions, WrittenFile } from './writer.ts'

export const WRITERS: readonly Writer[] = [
  ...HOST_WRITERS,
  sonicWriter,
  nxosWriter,
  eosWriter,
  os10Writer,
  junosWriter,
  nvueWriter,
]

export function writerOf(language: string): Writer | undefined {
  return WRITERS.find((writer) => writer.language === language)
}
