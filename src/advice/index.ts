/** Advice on scenarios and results: outline, notes, cost of a run, unfinished flows; the catalogue and the scheme matrix; tables of a sweep. */
export { catalog, type Entry, type Kind } from './catalog.ts'
export { type LinkStage, type Outline, outlineOf, type TierNodes } from './outline.ts'
export { reportedRun } from './reported-run.ts'
export { type Cost, costOf, costText, excessText } from './run-cost.ts'
export { findingIds, findingKinds, type NetworkFacts, scenarioFindings } from './notes/notes.ts'
export { matrixText, type MatrixCell, schemeMatrix } from './scheme-matrix.ts'
export { schemeSurveyText, type SurveyedScheme, surveyText } from './survey-text.ts'
export { hostNamesOf } from './host-names.ts'
export { unfinishedText } from './unfinished-text.ts'
export { type FinishedPoint, findPoints, type LoggedPoints } from './sweep/finished-points.ts'
export {
  advanceWithin,
  isBeyond,
  joinedLimit,
  limitText,
  parsePointLimit,
  type PointLimit,
} from './sweep/point-limit.ts'
export type { Axis, Plan, Point } from './sweep/points.ts'
export { type Baseline, baselineOf, type SweepRow, sweepRows, sweepTable } from './sweep/sweep-table.ts'
export { parseColumns, sweepText } from './sweep/sweep-text.ts'
