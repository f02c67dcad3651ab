/** One capture, decoded: faults of what is found in it. */
import { Decoder } from '../../../src/live/decode/index.ts'
import type { Finding } from '../../../src/core/findings/index.ts'
import { mistakesOf, type KnownCapture } from './truth.ts'

export function findingsOf({ records }: Pick<KnownCapture, 'records'>, isIrn = false): readonly Finding[] {
  const decoder = new Decoder({ isIrn })
  for (const record of records) decoder.add(record)
  const facts = { format: 'pcapng', interfaces: [''], startNs: 0n, recordCount: records.length } as const
  return decoder.end({ ...facts, unreadable: new Map(), lostByCapture: null, damage: null }).findings
}

export const mistakesIn = (capture: KnownCapture, isIrn = false): string[] =>
  mistakesOf(capture, findingsOf(capture, isIrn))
