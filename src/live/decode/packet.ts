/** A packet as the analysis sees it: frame taken apart, and where it stands in the file. */
import type { CaptureRecord, DissectedRoce } from '../../core/wire/index.ts'
import type { Sight } from './found.ts'

export interface Packet {
  readonly record: CaptureRecord
  readonly roce: DissectedRoce
  /** Number of the record in the file, from 1. */
  readonly frame: number
  readonly timePs: number
  /** Code within the service, without the bits that name the service. */
  readonly opcode: number
  readonly psn: number
}

export function sightOf({ frame, timePs, psn }: Packet): Sight {
  return { frame, timePs, psn }
}
