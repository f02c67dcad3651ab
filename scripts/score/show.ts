/**
 * Show: one incident as a scenario file, with its truth and what is found in comments.
 */
import { dump } from 'js-yaml'
import type { Topology } from '../../src/core/topology/index.ts'
import { type Drawn, drawCounting, firstCauses } from './counterfactual.ts'
import { drawIncident, type Generator, type Incident, treeOf } from './incident.ts'
import type { Kind, Truth } from './truth.ts'

/**
 * @param known its truth, from an earlier score
 * @param foundIn what the program says of it
 */
export async function showText(
  generator: Generator,
  seed: number,
  known: Drawn | undefined,
  kinds: readonly Kind[] | undefined,
  foundIn: (incident: Incident) => readonly string[] | Promise<readonly string[]>,
): Promise<string> {
  const { incident, drawn } =
    known === undefined
      ? drawCounting(seed, kinds, generator)
      : { incident: drawIncident(seed, known.attempt, kinds, generator), drawn: known }
  const { topology, scheme } = incident.base
  const first = firstCauses(drawn.causes)
  const causes = drawn.causes.map((cause) => {
    const standing = !cause.counts ? 'does not count' : first.includes(cause) ? 'may be named first' : 'counts'
    return `${cause.kind} at ${subjectText(cause, topology)}: saves ${(100 * cause.saved).toFixed(0)} %, ${standing}`
  })
  const found = (await foundIn(incident)).map((text) => `found: ${text}`)
  const comments = [
    `incident ${seed}, attempt ${drawn.attempt}, under ${scheme}; p99 slowdown ${drawn.p99.toFixed(1)}, without injections ${drawn.healthyP99.toFixed(1)}`,
    ...causes,
    ...(found.length === 0 ? ['found: nobody'] : found),
  ]
  const text = dump(treeOf(incident, incident.injections), { flowLevel: 2, lineWidth: -1, noRefs: true })
  return `${comments.map((line) => `# ${line}\n`).join('')}${text}`
}

/** "host 3, leaf 0 port 4". */
function subjectText({ nodes, ports, workload, isGlobal }: Truth, { names }: Topology): string {
  return [
    ...nodes.map((node) => names[node]!),
    ...ports.map(({ node, port }) => `${names[node]!} port ${port}`),
    ...(workload === undefined ? [] : [workload]),
    ...(isGlobal ? ['all'] : []),
  ].join(', ')
}
