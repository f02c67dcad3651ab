/**
 * Reports: numbers for people, aligned tables, the summary and the comparison as text. Figures: figure/index.ts.
 */
export {
  exactCount,
  humanBytes,
  humanCount,
  humanDuration,
  humanNumber,
  humanRate,
  humanShare,
} from '../core/base/format.ts'
export { factsTable, right, type TextColumn, type TextOptions, textTable } from './text-table.ts'
export { operationsText } from './operations-text.ts'
export { ncclText, type NcclRow } from './jobs/nccl-text.ts'
export { summaryText } from './summary-text.ts'
export { pauseText } from './pause-text.ts'
export { allServers } from './pauses/server-states.ts'
export { compareText } from './compare-text.ts'
export { explain, type Explanation } from './explain/explanation.ts'
export { explanationFindings, explainText } from './explain/explain-text.ts'
export { type ExplanationJson, explanationJson, type FlowLifeJson, flowLifeJson } from './explain/explain-json.ts'
export { jobFindings } from './explain/job-findings.ts'
export { flowLifeText } from './explain/flow-life.ts'
export { findingsOfRun } from './verdict/run-findings.ts'
export { type Difference, differenceOf, differenceText } from './explain/difference.ts'
export {
  CLAIM_STATES,
  type ClaimState,
  type CheckRange,
  type CheckVerdict,
  isCheckVerdict,
  type ReportedCheck,
  type ReportedClaim,
  type ReportedFigure,
  type ReportedReproduction,
  type ReportedSite,
  type SitePage,
  type SitePaper,
  type ReportedTable,
} from './reported-reproduction.ts'
export type { FailedRun, ReportedSweep } from './reported-sweep.ts'
export type { NetworkGraph, NetworkPort, ReportedRun, ScenarioFacts } from './reported-run.ts'
export type {
  Bar,
  BarFigure,
  CdfFigure,
  FigureText,
  Line,
  LineFigure,
  LinePoint,
  ScaleKind,
  TimeFigure,
  TimeSeries,
} from './figure/index.ts'
export { SLOW } from './explain/causes.ts'
export { crowdsOf } from './explain/crowd.ts'
export { Waits } from './explain/waits.ts'
export { whyFindings } from './why/why-findings.ts'
export { whyText } from './why/why-text.ts'
