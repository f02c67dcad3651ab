/**
 * Worker: a thread that runs jobs one after the other.
 * Summaries have no cost, since memory and CPU time are measured for the whole process.
 */
import { parentPort, threadId } from 'node:worker_threads'
import { InputError } from '../../core/base/issue.ts'
import { createSimulation, SLICE_EVENTS } from '../../lab/index.ts'
import { type Result, runJson, summarize, writeParquet } from '../../core/results/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { failureText } from '../failure.ts'
import { FlowStore } from '../files/flow-store.ts'
import { expectHeapRoom } from '../heap-room.ts'
import { advanceWithin, type PointLimit } from '../../lab/advice/sweep/point-limit.ts'
import { fractionOf } from './simulate.ts'
import type { FromWorker, Job } from './worker-messages.ts'

const REPORT_EVERY_MS = 300

const port = parentPort
if (port !== null)
  port.on('message', (job: Job) => port.postMessage(outcomeOf(job, (event) => port.postMessage(event))))

function outcomeOf(job: Job, report: (event: FromWorker) => void): FromWorker {
  const { id, wants, flowsKey, folder } = job
  const flowStore = folder === undefined ? undefined : new FlowStore(folder, `flows-${threadId}`)
  try {
    const { result, stopped } = runJob(job, flowStore, report)
    if (wants === 'result') return { type: 'result', id, result }
    const summary = runJson(result, summarize(result))
    if (stopped !== undefined) return { type: 'summary', id, summary, stopped }
    if (flowsKey === undefined) return { type: 'summary', id, summary }
    return { type: 'summary', id, summary, flows: writeParquet(result.flows, { 'rocelab.point': flowsKey }) }
  } catch (error) {
    const withStack = process.env['ROCELAB_DEBUG'] !== undefined
    return { type: 'failed', id, isInput: error instanceof InputError, message: failureText(error, withStack) }
  } finally {
    flowStore?.close()
  }
}

/** Runs a job to its end or to its limit. */
function runJob(
  job: Job,
  flowStore: FlowStore | undefined,
  report: (event: FromWorker) => void,
): { readonly result: Result; readonly stopped?: PointLimit } {
  const simulation = createSimulation(parseScenario(job.scenarioText, { isOwn: true }), {
    ...(flowStore !== undefined && { flowStore }),
  })
  const { limit = {} } = job
  try {
    let reportedMs = performance.now()
    for (;;) {
      const state = advanceWithin(simulation, SLICE_EVENTS, limit)
      if (state === false) return { result: simulation.result(false) }
      if (state !== true) return { result: simulation.result(true), stopped: state }
      expectHeapRoom()
      const nowMs = performance.now()
      if (nowMs - reportedMs < REPORT_EVERY_MS) continue
      reportedMs = nowMs
      const progress = simulation.progress()
      report({ type: 'progress', id: job.id, fraction: fractionOf(progress), packetHops: progress.packetHops })
    }
  } finally {
    simulation.close()
  }
}
