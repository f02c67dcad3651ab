/** Writers: the languages in which devices are written. */
import type { Language } from '../dialects/dialect.ts'
import { nvueWriter } from './nvue.ts'
import { sonicWriter } from './sonic.ts'
import type { Writer } from './writer.ts'

export type { Peer, Writer, WriteOptions, WrittenFile } from './writer.ts'

export const WRITERS: readonly Writer[] = [sonicWriter, nvueWriter]

export const writerOf = (language: Language | string): Writer | undefined =>
  WRITERS.find((writer) => writer.language === language)
