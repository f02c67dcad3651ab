/**
 * Score of probes: how often their analysis names the state of a fabric. `npm run score -- pingmesh`, with
 *   --seeds 1-300      seeds; those of scoring if none are given, 10000 and above for tuning
 *   --json             scores as JSON
 */
import { wilson } from '../../../src/doctor/diagnosis/pingmesh/index.ts'
import { humanShare, textTable } from '../../../src/show/index.ts'
import { STATES } from './draw-state.ts'
import { type PingmeshScore, scoreOfSeed } from './one.ts'

/** Reserved: nobody looks at one of these runs to change a rule. */
const SCORED = '1-300'

export function pingmeshScores(args: readonly string[]): number {
  const seeds = args.includes('--seeds') ? args[args.indexOf('--seeds') + 1] : SCORED
  const [from, to = from] = (seeds ?? '').split('-').map(Number)
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from! < 0 || from! > to!) {
    process.stderr.write(`score: expected seeds such as 10000-10060, received ${seeds}\n`)
    return 2
  }
  const scores: PingmeshScore[] = []
  for (let seed = from!; seed <= to!; seed++) {
    scores.push(scoreOfSeed(seed))
    process.stderr.write(`\r${scores.length} of ${to! - from! + 1} runs`)
  }
  process.stderr.write('\n')
  process.stdout.write(args.includes('--json') ? `${JSON.stringify(scores)}\n` : tableText(scores))
  return 0
}

function tableText(scores: readonly PingmeshScore[]): string {
  const found = [...STATES, 'unknown'] as const
  const rows = STATES.map((state) => {
    const those = scores.filter((score) => score.state === state)
    return [state, ...found.map((name) => `${those.filter((score) => score.found === name).length}`), `${those.length}`]
  })
  const right = scores.filter((score) => score.found === score.state).length
  const named = scores.filter(({ hosts }) => hosts.length > 0)
  const rightHosts = named.filter(({ hosts, foundHosts }) => hosts.join() === foundHosts.join()).length
  const share = (hits: number, count: number): string => {
    const { low, high } = wilson(hits, count)
    return `${hits} of ${count}, ${humanShare(hits / count)} (${humanShare(low)} to ${humanShare(high)})`
  }
  const wrong = scores
    .filter((score) => score.found !== score.state)
    .map(({ seed, state, found: name }) => `${seed} ${state} as ${name}`)
  return (
    textTable(
      [
        { head: 'state' },
        ...found.map((head) => ({ head, align: 'right' as const })),
        { head: 'runs', align: 'right' },
      ],
      rows,
    ) +
    `\nstates right        ${share(right, scores.length)}\n` +
    `hosts named right   ${share(rightHosts, named.length)}\n` +
    (wrong.length === 0 ? '' : `wrong               ${wrong.join(', ')}\n`)
  )
}
