/**
 * What is chosen when a foreign file says nothing of the transport: the scenario's defaults, said aloud.
 * RoCE as it is usually deployed: go-back-N over a lossless class, no congestion control unless asked for.
 */
import type { Branch, ImportInput, ImportOption } from './importer.ts'
import type { Findings } from './text-input.ts'

/** Payload of a full packet where the source gives none: RoCE's largest MTU. */
const PAYLOAD = '4096B'

export const congestionOption: ImportOption = {
  name: 'congestion',
  help: 'congestion control: none (default) or dcqcn with its usual values',
  choices: ['none', 'dcqcn'],
}

/** Groups of a scenario for a transport the source does not define, with a note. */
export function roceTransport(input: ImportInput, findings: Findings): Branch {
  const congestion = input.options['congestion'] ?? 'none'
  findings.note(
    `the transport is chosen here: go-back-N, PFC on class 3, congestion control ${congestion}, packets of ${PAYLOAD} payload; all else by default`,
  )
  return {
    frames: { payload: PAYLOAD },
    pfc: { classes: [3] },
    recovery: { kind: 'go-back-n' },
    congestion: { kind: congestion },
  }
}
