/** Findings: what users should know of a scenario, an import or a run, as data, and in words at the very end. */
export { FABRIC_FINDINGS, FINDING_KINDS, SCENARIO_FINDINGS } from './catalogue.ts'
export {
  defineFinding,
  type Finding,
  type FindingKind,
  foundAt,
  isAtLeast,
  type Spot,
  SEVERITIES,
  type Severity,
  type Subject,
  type Value,
  type Values,
} from './finding.ts'
export { gathered, Gathering } from './gather.ts'
export { sarifLog, type Unjudged } from './sarif.ts'
export { readSuppressions, suppress, type Suppressed, type Suppression, type Waived } from './suppressions.ts'
export {
  adviceText,
  type FindingJson,
  findingJson,
  type FindingLine,
  findingLines,
  findingSentence,
  runCommand,
  findingText,
} from './text.ts'
export { isPlainName, shellWord } from './shell.ts'
export * as bufferFindings from './kinds/buffers.ts'
export * as captureFindings from './kinds/captures/index.ts'
export type { Held, Loud } from './kinds/causes.ts'
export * as causeFindings from './kinds/causes.ts'
export type { DriftRule, DriftValues } from './kinds/drift.ts'
export * as driftFindings from './kinds/drift.ts'
export * as importFindings from './kinds/imports.ts'
export * as jobFindings from './kinds/jobs.ts'
export * as linkFindings from './kinds/links.ts'
export { type Affected, effectText, type Proof, PROVED } from './kinds/proofs.ts'
export * as proofFindings from './kinds/proofs.ts'
export * as originFindings from './kinds/origins.ts'
export * as probeFindings from './kinds/probes.ts'
export * as runFindings from './kinds/runs.ts'
export * as schemeFindings from './kinds/schemes.ts'
export { circleText } from './kinds/runs.ts'
export { alphaText, capital, counted, linkText, listOf, totalOf } from './words.ts'
export {
  type FabricKind,
  type FabricValues,
  type Cited,
  fabricWords,
  type FabricWords,
  type Typed,
} from './kinds/fabric/define.ts'
export * as fabricBuffers from './kinds/fabric/buffers.ts'
export * as fabricCounts from './kinds/fabric/counts.ts'
export * as fabricFiles from './kinds/fabric/files.ts'
export * as fabricHosts from './kinds/fabric/hosts.ts'
export * as fabricLinks from './kinds/fabric/links.ts'
export * as fabricPaths from './kinds/fabric/paths.ts'
export * as fabricSwitches from './kinds/fabric/switches.ts'
