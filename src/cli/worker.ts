/**
 * Worker: a thread that runs the scenarios it is given, one after the other.
 * Memory and CPU time belong to the whole process, so a summary from here has no cost.
 */
import { parentPort } from 'node:worker_threads'
import { InputError } from '../base/issue.ts'
import { createSimulation } from '../lab/index.ts'
import { type Result, runJson, summarize } from '../results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { failureText } from './failure.ts'
import { expectHeapRoom } from './heap-room.ts'
import { fractionOf } from './simulate.ts'
import type { FromWorker, Job } from './worker-messages.ts'

const SLICE_EVENTS = 100_000
const REPORT_EVERY_MS = 300

const port = parentPort
if (port !== null) port.on('message', (job: Job) => port.postMessage(answerTo(job, (news) => port.postMessage(news))))

function answerTo(job: Job, report: (news: FromWorker) => void): FromWorker {
  const { id } = job
  try {
    const result = runJob(job, report)
    return job.wants === 'result'
      ? { type: 'result', id, result }
      : { type: 'summary', id, summary: runJson(result, summarize(result)) }
  } catch (error) {
    const withStack = process.env['ROCELAB_DEBUG'] !== undefined
    return { type: 'failed', id, isInput: error instanceof InputError, message: failureText(error, withStack) }
  }
}

function runJob(job: Job, report: (news: FromWorker) => void): Result {
  const simulation = createSimulation(parseScenario(job.scenarioText))
  try {
    let reportedMs = performance.now()
    while (simulation.advance(SLICE_EVENTS)) {
      expectHeapRoom()
      const nowMs = performance.now()
      if (nowMs - reportedMs < REPORT_EVERY_MS) continue
      reportedMs = nowMs
      const progress = simulation.progress()
      report({ type: 'progress', id: job.id, fraction: fractionOf(progress), packetHops: progress.packetHops })
    }
    return simulation.result(false)
  } finally {
    simulation.close()
  }
}
