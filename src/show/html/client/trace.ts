/**
 * Traces: a run's timeline as a file for Perfetto, from what the page holds of it.
 */
import { type QueueCounter, type Timeline, traceText } from '../../../core/results/timeline.ts'
import type { RunData } from '../page-data.ts'
import { all, button, element } from './dom.ts'
import { saveText } from './download.ts'

/** A button in the source of each run. */
export function offerTraces(runs: readonly RunData[]): void {
  for (const root of all(document, '.source', HTMLElement)) {
    const run = runs[Number(root.dataset['run'])]
    if (run === undefined) continue
    const save = (): void => saveText(`${run.label}-trace.json`, traceText(timelineOf(run)), 'application/json')
    root.append(
      element(
        'p',
        {},
        button({ class: 'plain trace' }, save, 'Download the timeline as a trace'),
        ' for ui.perfetto.dev: the flows of this page, pauses, queues and drops on one time axis.',
      ),
    )
  }
}

function timelineOf({ label, flows, network, pauses, lost, endPs, lives }: RunData): Timeline {
  const column = (name: string): readonly (number | string | null)[] =>
    flows.columns.find((one) => one.name === name)?.values ?? []
  const numbers = (name: string): number[] => column(name).map((value) => Number(value ?? NaN))
  const startPs = numbers('startPs')
  const tookPs = numbers('completionPs')
  return {
    name: label,
    endPs,
    flows: {
      number: numbers('flow'),
      source: numbers('source'),
      destination: numbers('destination'),
      sizeBytes: numbers('sizeBytes'),
      startPs,
      endPs: startPs.map((ps, row) => ps + (tookPs[row] ?? NaN)),
      status: column('status').map(String),
      parts: (lives?.parts ?? []).map((part) => ({ label: part.label, spanPs: part.spansPs })),
    },
    pauses,
    queues: Object.values(network?.ports ?? {}).flatMap(({ name, series }): QueueCounter[] => {
      const queueBytes = series?.['queue']
      if (queueBytes === undefined || queueBytes.every((bytes) => bytes === 0)) return []
      const timePs = queueBytes.map((_, bin) => Math.round((bin * endPs) / queueBytes.length))
      return [{ port: name, timePs, queueBytes }]
    }),
    drops: lost,
  }
}
