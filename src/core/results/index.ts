/**
 * Results: typed columns, quantiles, summary, comparison, writing and reading. No file access.
 */
export {
  type Column,
  type ColumnSpec,
  type ColumnType,
  createTable,
  DAMAGED,
  expectColumn,
  findColumn,
  numberColumns,
  numbersOf,
  numbersOnce,
  pickRows,
  rowsBetween,
  type Table,
  TableBuilder,
  type TableLimits,
  textColumns,
  textsOf,
  toObjects,
} from './table.ts'
export { type Attachment, type Counters, partialReason, type PauseCircle, type Result, type RunCost } from './result.ts'
export {
  type Interval,
  interval95,
  mean,
  quantile,
  hasQuantile,
  hasTail,
  knownQuantile,
  tailOf,
  tailText,
  quantileOfSorted,
  sortedValues,
  standardDeviation,
  studentT95,
  sum,
  valuesWhere,
} from './quantiles.ts'
export { dropSources, originKinds } from './stored/old-kinds.ts'
export { tableOfKind, type TableKind } from './table-kinds.ts'
export { type Completions, completionsOf } from './completions.ts'
export { runJson, type RunJson, summarize, type Summary } from './summary.ts'
export { type CollectiveJson, type JobJson, jobsJson } from './jobs/job-json.ts'
export { collectivesOf, type CollectiveTimes, jobsOf, type JobTimes } from './jobs/jobs.ts'
export { runJsonShape } from './stored/run-json.ts'
export {
  isMetricName,
  JOB_METRIC_NAMES,
  knownMetric,
  METRIC_NAMES,
  metricNames,
  type MetricKind,
  type MetricName,
  metricOf,
  saysSomething,
  runMetric,
  sweepTailNote,
  tagOfMetric,
  type RunMetric,
} from './run-metrics.ts'
export { partSince, type TablePart, withPart } from './table-part.ts'
export { type CsvOptions, type CsvRecord, csvRecords, readCsv, writeCsv } from './csv.ts'
export { checksumsShape } from './stored/head.ts'
export { ParquetStream, readParquet, writeParquet } from './parquet.ts'
export {
  readResult,
  readTablesOfKinds,
  type ResultExtras,
  type ResultFile,
  resultFiles,
  type ResultReader,
  type StoredResult,
} from './files.ts'
export {
  COMPARED_COLUMNS,
  type ComparedFlow,
  compareFlows,
  compareResults,
  type Comparison,
  type CounterPair,
  type FlowPairs,
  type FlowTime,
  type FlowTimes,
  type Spread,
} from './compare.ts'
export { type Drops, dropsOf, type PauseSpans, pauseSpansOf, type Timeline, timelineOf, traceText } from './timeline.ts'
export { eachFlow, type FlowRow } from './flows/flow-rows.ts'
export { ACK_PARTS, ALL_PARTS, type Part, PARTS } from './flow-parts.ts'
export { flowsOfMessages, isExplained, lifeOf, partsOf, spansOf } from './part-columns.ts'
export { jainIndex, type TagSummary } from './tags.ts'
export { type AffectedJson, type SuspectJson, type TriedJson, type WhyJson, whyShape } from './proofs/why-json.ts'
