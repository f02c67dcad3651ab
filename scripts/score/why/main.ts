/**
 * Score of `why`: `npm run score -- why`, with
 *   --incident 1-600 --healthy 1-100 --loaded 1-100   seeds, those reserved for scoring if none are given; 10000-10060 for
 *                                                     tuning, "none"
 *   --kinds a,b    incidents of these kinds alone
 *   --show SEED    one incident of --kinds as JSON, with its truth and the answer
 * Every score is a line of score-why.jsonl, from which an interrupted score goes on.
 */
import { fork } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { why } from '../../../src/advice.ts'
import { run } from '../../../src/lab/index.ts'
import { textTable } from '../../../src/show/index.ts'
import { quantile, type SuspectJson, type WhyJson } from '../../../src/core/results/index.ts'
import { shareText } from '../table.ts'
import { scenarioOfTree } from '../tree.ts'
import { type Cause, drawWhy, firstOf, treeOf, WHY_FORMS, WHY_SCORED, type WhyForm } from './incidents.ts'
import { WHY_KINDS, type WhyKind } from './kinds.ts'

const FILE = 'score-why.jsonl'
const WORKERS = 2

export interface WhyScore {
  readonly form: WhyForm
  readonly seed: number
  readonly scheme: string
  readonly hosts: number
  readonly causes: readonly Cause[]
  readonly verdict: string
  /** As kind and place, in the order in which they were named. */
  readonly named: readonly string[]
  /** Position of the first that names a first cause, from 0; -1: none does. And of any cause. */
  readonly rank: number
  readonly isKindRight: boolean
  /** A device or link was named. */
  readonly isAccused: boolean
  readonly attempts: number
  readonly runSeconds: number
  /** CPU time up to the run that proves the first cause, its autopsy with it, and of all, over that of a plain run. */
  readonly firstOverRun: number
  readonly overRun: number
  readonly runs: number
}

export async function scoreOf(form: WhyForm, seed: number, kinds?: readonly WhyKind[]): Promise<WhyScore> {
  const { incident, causes, attempts } = drawWhy(form, seed, kinds)
  const tree = treeOf(incident, incident.changes)
  const plain = scenarioOfTree(tree)
  const runSeconds = cpuOf(() => run(plain)).seconds
  const scenario = scenarioOfTree({ ...tree, observe: [{ kind: 'autopsy' }] })
  const from = process.cpuUsage()
  const result = run(scenario)
  const doneAt = new Map<string, number>()
  const answer = await why(scenario, result, (all) =>
    Promise.resolve(
      all.map((one) => {
        const own = run(one)
        doneAt.set(own.digest, secondsSince(from))
        return own
      }),
    ),
  )
  const seconds = secondsSince(from)
  const firstSeconds = doneAt.get(answer.causes[0]?.digest ?? '') ?? seconds
  return {
    form,
    seed,
    scheme: incident.base.scheme,
    hosts: incident.base.topology.hostPorts.length,
    causes,
    ...judged(answer, causes),
    attempts,
    runSeconds,
    firstOverRun: firstSeconds / runSeconds,
    overRun: seconds / runSeconds,
    runs: answer.runs,
  }
}

function secondsSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1e6
}

function cpuOf<T>(make: () => T): { readonly value: T; readonly seconds: number } {
  const from = process.cpuUsage()
  const value = make()
  return { value, seconds: secondsSince(from) }
}

function judged(
  { verdict, causes: named }: WhyJson,
  causes: readonly Cause[],
): Pick<WhyScore, 'verdict' | 'named' | 'rank' | 'isKindRight' | 'isAccused'> {
  const first = causes.length === 0 ? [] : firstOf(causes)
  const isFirst = (suspects: readonly SuspectJson[]): boolean =>
    suspects.some((one) => first.some((cause) => fits(one, cause)))
  const rank = named.findIndex(({ suspects }) => isFirst(suspects))
  const right = rank < 0 ? [] : named[rank]!.suspects
  return {
    verdict,
    named: named.map(({ suspects }) =>
      suspects
        .map(({ kind, device, port, workload, path: at }) =>
          [kind, device ?? workload ?? at, port].filter(Boolean).join(' '),
        )
        .join(' + '),
    ),
    rank,
    isKindRight: right.some((one) => first.some((cause) => fits(one, cause) && cause.kind === one.kind)),
    isAccused: named.some(({ suspects }) =>
      suspects.some(({ device, workload }) => device !== null && workload === null),
    ),
  }
}

/** A place is right that the truth has; where that is everywhere, the kind alone decides. */
function fits({ kind, device, port, workload, others }: SuspectJson, cause: Cause): boolean {
  const { devices, links, workload: tag } = cause
  // A whole tier is no device.
  const isEverywhere = devices.length + links.length === 0 || (devices.length === 0 && links.length > 1)
  if (isEverywhere && tag === undefined && device === null) return kind === cause.kind
  if (tag !== undefined && workload === tag) return true
  if (device === null) return false
  if (port !== null && links.some(([a, b]) => (a === device && b === port) || (b === device && a === port))) return true
  return (
    devices.includes(device) ||
    others.some((name) => devices.includes(name)) ||
    (port !== null && devices.includes(port))
  )
}

interface Task {
  readonly form: WhyForm
  readonly seed: number
  readonly kinds?: readonly WhyKind[]
}

interface Line {
  readonly program: string
  readonly kinds: string
  readonly score: WhyScore
}

export async function whyScores(args: readonly string[]): Promise<number> {
  if (args[0] === '--worker') return serve()
  const { values } = parseArgs({
    args: [...args],
    options: {
      incident: { type: 'string' },
      healthy: { type: 'string' },
      loaded: { type: 'string' },
      kinds: { type: 'string' },
      show: { type: 'string' },
    },
  })
  const kinds = values.kinds
    ?.split(',')
    .filter((name): name is WhyKind => (WHY_KINDS as readonly string[]).includes(name))
  if (values.show !== undefined) {
    const { incident, causes } = drawWhy('incident', Number(values.show), kinds)
    const score = await scoreOf('incident', Number(values.show), kinds)
    process.stdout.write(
      `${JSON.stringify({ scenario: treeOf(incident, incident.changes), causes, score }, null, 1)}\n`,
    )
    return 0
  }
  const stamp = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '.stamp')
  const program = readFileSync(stamp, 'utf8').slice(0, 16)
  const known = new Map<string, WhyScore>()
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : ''
  for (const line of text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)) {
    const { program: of, kinds: drawn, score } = JSON.parse(line) as Line
    if (of === program && drawn === String(kinds)) known.set(`${score.form} ${score.seed}`, score)
  }
  const wanted = WHY_FORMS.flatMap((form) =>
    seedsOf(values[form] ?? `1-${WHY_SCORED[form]}`).map((seed) => ({ form, seed })),
  )
  const tasks = wanted.filter(({ form, seed }) => !known.has(`${form} ${seed}`))
  let done = 0
  await scoreAll(
    tasks.map((task) => ({ ...task, ...(kinds !== undefined && { kinds }) })),
    (score) => {
      appendFileSync(FILE, `${JSON.stringify({ program, kinds: String(kinds), score } satisfies Line)}\n`)
      known.set(`${score.form} ${score.seed}`, score)
      process.stderr.write(`\r${++done} of ${tasks.length}`)
    },
  )
  process.stderr.write('\n')
  const scores = wanted.flatMap(({ form, seed }) => known.get(`${form} ${seed}`) ?? [])
  process.stdout.write(tableOf(scores))
  return scores.length === wanted.length ? 0 : 1
}

function seedsOf(range: string): number[] {
  if (range === 'none') return []
  const [from = 0, to = from] = range.split('-').map(Number)
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

/** Scores in worker processes. One that fails is said and left out. */
async function scoreAll(tasks: readonly Task[], onScore: (score: WhyScore) => void): Promise<void> {
  const left = [...tasks]
  const script = fileURLToPath(new URL('../main.js', import.meta.url))
  const work = (): Promise<void> =>
    new Promise((resolve) => {
      const child = fork(script, ['why', '--worker'])
      const next = (): void => {
        const task = left.shift()
        if (task === undefined) child.disconnect()
        else child.send(task)
      }
      child.on('message', (score) => {
        if (score !== null) onScore(score as WhyScore)
        next()
      })
      child.on('exit', () => resolve())
      next()
    })
  await Promise.all(Array.from({ length: Math.min(WORKERS, tasks.length) }, work))
}

function serve(): Promise<number> {
  return new Promise((resolve) => {
    process.on('message', ({ form, seed, kinds }: Task) => {
      scoreOf(form, seed, kinds).then(
        (score) => process.send!(score),
        (error: unknown) => {
          process.stderr.write(`\nscore: ${form} ${seed}: ${String(error)}\n`)
          process.send!(null)
        },
      )
    })
    process.on('disconnect', () => resolve(0))
  })
}

const THREE = 3

function medianOf(scores: readonly WhyScore[], of: (score: WhyScore) => number): string {
  return scores.length === 0 ? '-' : quantile(scores.map(of), 0.5).toFixed(1)
}

function tableOf(scores: readonly WhyScore[]): string {
  const incidents = scores.filter(({ form }) => form === 'incident')
  const row = (name: string, own: readonly WhyScore[]): string[] => {
    const hits = (is: (score: WhyScore) => boolean): string => shareText(own.filter(is).length, own.length)
    return [
      name,
      String(own.length),
      hits(({ rank }) => rank === 0),
      hits(({ rank, isKindRight }) => rank === 0 && isKindRight),
      hits(({ rank }) => rank >= 0 && rank < THREE),
      medianOf(own, ({ firstOverRun }) => firstOverRun),
      medianOf(own, ({ overRun }) => overRun),
    ]
  }
  const schemes = [...new Set(incidents.map(({ scheme }) => scheme))].toSorted((a, b) => (a < b ? -1 : 1))
  const rows = [
    ...WHY_KINDS.map((kind) =>
      row(
        kind,
        incidents.filter(({ causes }) => causes[0]?.kind === kind),
      ),
    ),
    ...schemes.map((scheme) =>
      row(
        `under ${scheme}`,
        incidents.filter((one) => one.scheme === scheme),
      ),
    ),
    row(
      'two at once',
      incidents.filter(({ causes }) => causes.length > 1),
    ),
    row('all', incidents),
  ]
  const others = (['healthy', 'loaded'] as const).map((form) => {
    const own = scores.filter((one) => one.form === form)
    const accused = own.filter(({ isAccused }) => isAccused)
    const load = own.filter(({ verdict }) => verdict === 'load')
    return `${form}: ${shareText(accused.length, own.length)} accuse a device (${accused.map(({ seed }) => seed).join(' ')}), ${shareText(load.length, own.length)} say load\n`
  })
  const seconds = scores.map(({ runSeconds }) => runSeconds)
  return [
    textTable(['kind', 'incidents', 'first', 'with its kind', 'among 3', 'runs to the first', 'in all'], rows),
    ...others,
    `CPU seconds of a run: median ${quantile(seconds, 0.5).toFixed(2)}, most ${Math.max(...seconds).toFixed(2)}\n`,
  ].join('\n')
}
