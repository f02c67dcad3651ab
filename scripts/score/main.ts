/**
 * Score: how often the program names the device that an injection was at. `npm run score`, with
 *   why                by proved causes of a run: if nothing is said
 *   origins            by the localiser, which knows counters and edges
 *   --seeds 301-600    incidents, those reserved for scoring if none are given; 10000-10060 for tuning, "none"
 *   --healthy 1-100    runs without an injection
 *   --loaded 1-100     runs without an injection that are slow by their load
 *   --kinds a,b        incidents of these kinds alone
 *   --json             scores as JSON
 *   --show 10012       one incident as YAML, with its truth and what is found
 *   --vendors          with origins: by counters in the forms of vendors, beside the neutral ones
 * `npm run score -- pingmesh`: how often probes tell the state of a fabric (pingmesh/main.ts).
 * `npm run score -- files`: how many faults of files the doctor finds (files/main.ts).
 * `npm run score -- captures`: how often findings in captures are right (captures/main.ts).
 * Every score is a line of score-why.jsonl, score-origins.jsonl or score-vendors.jsonl, from which an interrupted score goes on.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { captureScores } from './captures/main.ts'
import { EXAMS, type Scored } from './exams.ts'
import { fileScores } from './files/main.ts'
import { optionsOf } from './options.ts'
import { pingmeshScores } from './pingmesh/main.ts'
import { Records } from './records.ts'
import type { Task } from './worker.ts'

const WORKERS = 2

/** Scores the tasks in worker processes. @returns whether none of them failed */
async function scoreAll(tasks: readonly Task[], onScore: (score: Scored) => void): Promise<boolean> {
  const left = [...tasks]
  const script = fileURLToPath(new URL('./worker.js', import.meta.url))
  const work = (): Promise<boolean> =>
    new Promise((resolve) => {
      const child = fork(script)
      const next = (): void => {
        const task = left.shift()
        if (task === undefined) child.disconnect()
        else child.send(task)
      }
      child.on('message', (score) => {
        onScore(score as Scored)
        next()
      })
      child.on('exit', (code) => resolve(code === 0))
      next()
    })
  const ends = await Promise.all(Array.from({ length: Math.min(WORKERS, tasks.length) }, work))
  return ends.every((isGood) => isGood)
}

async function main(): Promise<number> {
  if (process.argv[2] === 'pingmesh') return pingmeshScores(process.argv.slice(3))
  if (process.argv[2] === 'files') return fileScores(process.argv.slice(3))
  if (process.argv[2] === 'captures') return captureScores(process.argv.slice(3))
  const options = optionsOf(process.argv.slice(2))
  if (typeof options === 'string') {
    process.stderr.write(`score: ${options}\n`)
    return 2
  }
  const { exam: name, wanted, kinds, json, show } = options
  const exam = EXAMS[name]
  const records = new Records(name, kinds ?? exam.generator.kinds)
  // The same incidents.
  const origins = name === 'vendors' ? new Records('origins', kinds ?? exam.generator.kinds) : records
  if (show !== null) {
    process.stdout.write(await exam.show(show, records.olderOf('incident', show)?.drawn, kinds))
    return 0
  }
  const tasks = wanted
    .filter(({ form, seed }) => records.scoreOf(form, seed) === undefined)
    .map(({ form, seed }): Task => {
      const known = (records.olderOf(form, seed) ?? origins.olderOf(form, seed))?.drawn
      return { exam: name, form, seed, ...(known !== undefined && { known }), ...(kinds !== undefined && { kinds }) }
    })
  let done = 0
  const isWhole = await scoreAll(tasks, (score) => {
    records.add(score)
    done++
    process.stderr.write(`\r${done} of ${tasks.length} runs`)
  })
  if (tasks.length > 0) process.stderr.write('\n')
  if (!isWhole) return 1
  const scores = wanted.map(({ form, seed }) => records.scoreOf(form, seed)!)
  process.stdout.write(json ? `${JSON.stringify(exam.json(scores))}\n` : exam.text(scores))
  return 0
}

process.exitCode = await main()
