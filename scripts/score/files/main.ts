/**
 * Score of the doctor: how many planted faults it finds in drawn folders of files, and what else it says.
 * `npm run score -- files`, with
 *   --seeds 1-48       seeds of each rule; those of scoring if none are given, 10000 and above for tuning
 *   --clean 1-500      folders without a fault, likewise
 *   --rules pfc01,...  these rules alone
 *   --json             scores as JSON
 */
import { humanShare, textTable } from '../../../src/show/index.ts'
import { wilson } from '../../../src/doctor/diagnosis/pingmesh/index.ts'
import { HOST_LANGUAGES, SWITCH_LANGUAGES } from '../../../src/doctor/index.ts'
import { ERROR_FAULTS, type FileScore, scoreOfClean, scoreOfFault } from './one.ts'

/** Reserved: nobody looks at one of these folders to change a rule, a reader or a writer. */
const SCORED = '1-48'
const SCORED_CLEAN = '1-500'

export function fileScores(args: readonly string[]): number {
  const valueOf = (name: string, fallback: string): string =>
    args.includes(name) ? (args[args.indexOf(name) + 1] ?? '') : fallback
  const seeds = rangeOf(valueOf('--seeds', SCORED))
  const clean = rangeOf(valueOf('--clean', args.includes('--seeds') ? 'none' : SCORED_CLEAN))
  const rules = valueOf('--rules', [...ERROR_FAULTS.keys()].join()).split(',')
  if (seeds === null || clean === null || !rules.every((rule) => ERROR_FAULTS.has(rule))) {
    process.stderr.write('score: expected --seeds 10000-10010, --clean 10000-10010, --rules pfc01,mtu01\n')
    return 2
  }
  const scores: FileScore[] = []
  const total = rules.length * seeds.length + clean.length
  for (const rule of rules)
    for (const seed of seeds) {
      scores.push(scoreOfFault(rule, seed))
      process.stderr.write(`\r${scores.length} of ${total} folders`)
    }
  const healthy = clean.map((seed, i) => {
    const score = scoreOfClean(seed)
    process.stderr.write(`\r${scores.length + i + 1} of ${total} folders`)
    return score
  })
  process.stderr.write('\n')
  const text = args.includes('--json') ? `${JSON.stringify({ scores, healthy })}\n` : scoresText(scores, healthy)
  process.stdout.write(text)
  return 0
}

function rangeOf(text: string): number[] | null {
  if (text === 'none') return []
  const [from, to = from] = text.split('-').map(Number)
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from! < 0 || from! > to!) return null
  return Array.from({ length: to! - from! + 1 }, (_, i) => from! + i)
}

function share(hits: number, count: number): string {
  if (count === 0) return '-'
  const { low, high } = wilson(hits, count)
  return `${hits} of ${count}, ${humanShare(hits / count)} (${humanShare(low)} to ${humanShare(high)})`
}

function scoresText(
  scores: readonly FileScore[],
  healthy: readonly { seed: number; mistakes: readonly string[] }[],
): string {
  const planted = scores.filter(({ language }) => language !== '')
  const languages = [...SWITCH_LANGUAGES, ...HOST_LANGUAGES]
  const found = (those: readonly FileScore[]): string =>
    those.length === 0 ? '' : `${those.filter(({ isFound }) => isFound).length}/${those.length}`
  const rows = [...new Set(scores.map(({ rule }) => rule))].map((rule) => {
    const own = planted.filter((score) => score.rule === rule)
    return [rule, ...languages.map((language) => found(own.filter((one) => one.language === language))), found(own)]
  })
  const right = planted.reduce((sum, score) => sum + score.right, 0)
  const wrong = planted.reduce((sum, score) => sum + score.wrong.length, 0)
  const cured = planted.reduce((sum, score) => sum + score.cured, 0)
  const uncured = planted.filter((score) => score.uncured.length > 0).length
  const accused = healthy.filter(({ mistakes }) => mistakes.length > 0)
  const line = (what: string, { seed, rule, language, title }: FileScore, more: readonly string[]): string =>
    `${what} ${rule} ${seed} (${language}, ${title}) ${more.slice(0, 3).join('; ')}\n`
  return (
    textTable([{ head: 'rule' }, ...[...languages, 'found'].map((head) => ({ head, align: 'right' as const }))], rows) +
    `\nfound               ${share(planted.filter(({ isFound }) => isFound).length, planted.length)}\n` +
    `findings right      ${share(right, right + wrong)}\n` +
    `cured by remedies   ${cured} errors, in ${uncured} folders something was left or new\n` +
    `clean accused       ${share(accused.length, healthy.length)}\n` +
    planted
      .filter(({ isFound }) => !isFound)
      .map((score) => line('missed', score, []))
      .join('') +
    planted
      .filter((score) => score.wrong.length > 0)
      .map((score) => line('wrong', score, score.wrong))
      .join('') +
    planted
      .filter((score) => score.uncured.length > 0)
      .map((score) => line('uncured', score, score.uncured))
      .join('') +
    accused.map(({ seed, mistakes }) => `accused ${seed} ${mistakes.slice(0, 3).join('; ')}\n`).join('')
  )
}
