/** Advice on scenarios and results: outline, notes, cost of a run, unfinished flows; the catalogue and the scheme matrix. */
export { catalog, type Entry, type Kind } from './catalog.ts'
export { type LinkStage, type Outline, outlineOf, type TierNodes } from './outline.ts'
export { type Cost, costOf, costText } from './run-cost.ts'
export { type NetworkFacts, scenarioNotes } from './scenario-notes.ts'
export { matrixText, type MatrixCell, schemeMatrix } from './scheme-matrix.ts'
export { schemeSurveyText, type SurveyedScheme, surveyText } from './survey-text.ts'
export { unfinishedText } from './unfinished-text.ts'
