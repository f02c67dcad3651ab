/**
 * Results as a trace of events for Perfetto (ui.perfetto.dev) and chrome://tracing.
 */
import { timelineOf, traceText } from '../core/results/index.ts'
import { defineExporter } from './exporter.ts'

export const perfetto = defineExporter({
  name: 'perfetto',
  help: 'trace.json for ui.perfetto.dev: flows, and what observers recorded of pauses, queues and drops, on one time axis',
  source: 'Chrome trace event format, JSON',
  observers: ['pause-intervals'],
  export: (result) => [{ path: 'trace.json', text: traceText(timelineOf(result)) }],
})
