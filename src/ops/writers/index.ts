/** Writers: the languages in which devices are written. */
import { eosWriter } from './eos.ts'
import { nxosWriter } from './nx-os.ts'
import { os10Writer } from './os10.ts'
import type { Writer } from './writer.ts'

export type { Peer, Writer, WriteOptions, WrittenFile } from './writer.ts'

export const WRITERS: readonly Writer[] = [
  nxosWriter, //
  eosWriter,
  os10Writer,
]

export const writerOf = (language: string): Writer | undefined => WRITERS.find((writer) => writer.language === language)
