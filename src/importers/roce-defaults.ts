/**
 * Transport for files that define none, with a note about the choice.
 * RoCE as it is usually deployed: go-back-N over a lossless class, no congestion control by default.
 */
import { formatQuantity } from '../core/base/units.ts'
import { importFindings } from '../core/findings/index.ts'
import type { Branch, ImportInput, ImportOption } from './importer.ts'
import type { ImportLog } from './text-input.ts'

/** Payload of a full packet: RoCE's largest MTU. */
const PAYLOAD_BYTES = 4096
const PFC_CLASS = 3

export const congestionOption: ImportOption = {
  name: 'congestion',
  help: 'congestion control: none (default) or dcqcn with its usual values',
  choices: ['none', 'dcqcn'],
}

/** Links of a star; formats of workloads say nothing of them. */
const STAR_RATE_BPS = 100e9
const STAR_DELAY_PS = 1_000_000

/** A star, with a note that gives its links. */
export function starOf(hosts: number, log: ImportLog): Branch {
  log.note(importFindings.assumed('star', { hosts, rateBps: STAR_RATE_BPS, delayPs: STAR_DELAY_PS }))
  const [linkRate, linkDelay] = [formatQuantity('rate', STAR_RATE_BPS), formatQuantity('duration', STAR_DELAY_PS)]
  return { kind: 'star', hosts, linkRate, linkDelay }
}

/** Groups of a scenario that define the transport. Adds a note. */
export function roceTransport(input: ImportInput, log: ImportLog): Branch {
  const congestion = input.options['congestion'] ?? 'none'
  log.note(importFindings.assumed('transport', { congestion, payloadBytes: PAYLOAD_BYTES, pfcClass: PFC_CLASS }))
  return {
    frames: { payload: `${PAYLOAD_BYTES}B` },
    pfc: { classes: [PFC_CLASS] },
    recovery: { kind: 'go-back-n' },
    congestion: { kind: congestion },
  }
}
