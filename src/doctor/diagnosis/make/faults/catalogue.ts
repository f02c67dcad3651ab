/**
 * Catalogue of faults. One entry is one mistake; several may be found by the same rule. Errors come first, in the order of
 * rules.
 */
import type { Fault } from './fault.ts'
import { HOSTS, LINKS } from './hosts-and-links.ts'
import { BUFFERS, SWITCHES } from './switches.ts'
import { WARNINGS } from './warnings.ts'

export const FAULTS: readonly Fault[] = [
  ...HOSTS,
  ...LINKS,
  ...SWITCHES,
  ...BUFFERS,
  ...WARNINGS.map((fault) => ({ ...fault, isWarning: true })),
]
