/**
 * Transport for files that define none, with a note about the choice.
 * RoCE as it is usually deployed: go-back-N over a lossless class, no congestion control by default.
 */
import type { Branch, ImportInput, ImportOption } from './importer.ts'
import type { Findings } from './text-input.ts'

/** Payload of a full packet: RoCE's largest MTU. */
const PAYLOAD = '4096B'

export const congestionOption: ImportOption = {
  name: 'congestion',
  help: 'congestion control: none (default) or dcqcn with its usual values',
  choices: ['none', 'dcqcn'],
}

/** Groups of a scenario that define the transport. Adds a note. */
export function roceTransport(input: ImportInput, findings: Findings): Branch {
  const congestion = input.options['congestion'] ?? 'none'
  findings.note(
    `the transport is chosen by the importer: go-back-N, PFC on class 3, congestion control ${congestion}, packets of ${PAYLOAD} payload, and defaults otherwise`,
  )
  return {
    frames: { payload: PAYLOAD },
    pfc: { classes: [3] },
    recovery: { kind: 'go-back-n' },
    congestion: { kind: congestion },
  }
}
