/**
 * Reports as HTML pages: one file per kind of report. Apart from the text reports, since figures load a plotting library.
 */
export type { PageAssets } from './page.ts'
export { runReport } from './run-report.ts'
export { sweepReport } from './sweep/sweep-report.ts'
export { reproductionReport } from './reproduction/reproduction-report.ts'
export { siteIndex } from './reproduction/site-index.ts'
