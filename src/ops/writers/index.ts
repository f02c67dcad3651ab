/** Writers: the languages in which devices are written. */
import type { Language } from '../dialects/dialect.ts'
import { HOST_WRITERS } from './hosts/index.ts'
import { junosWriter } from './junos.ts'
import type { Writer } from './writer.ts'

export type { Peer, Writer, WriteOptions, WrittenFile } from './writer.ts'

export const WRITERS: readonly Writer[] = [...HOST_WRITERS, junosWriter]

export const writerOf = (language: Language | string): Writer | undefined =>
  WRITERS.find((writer) => writer.language === language)
