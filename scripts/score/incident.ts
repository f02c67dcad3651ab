/**
 * Incident: a healthy fabric with one or two injections. The seed decides the kinds, and each attempt draws all else anew.
 */
import { type Base, drawBase } from './base.ts'
import { Draw } from './draw.ts'
import { inject, type Injection, wantedFor } from './injections.ts'
import { edited, type Tree } from './tree.ts'
import { type Kind, KINDS } from './truth.ts'

export interface Incident {
  readonly seed: number
  readonly attempt: number
  readonly base: Base
  readonly injections: readonly Injection[]
}

/** After this many attempts the kinds are drawn anew. */
const ATTEMPTS_OF_KINDS = 15

/** @param of kinds of which the incident is drawn */
export function drawIncident(seed: number, attempt: number, of: readonly Kind[] = KINDS): Incident {
  const kinds = drawKinds(seed, Math.floor(attempt / ATTEMPTS_OF_KINDS), of)
  const draw = new Draw(seed, `incident/${attempt}`)
  const base = drawBase(draw, wantedFor(kinds))
  const injections: Injection[] = []
  for (const kind of kinds) {
    let injection = inject(kind, draw, base)
    while (injections.some((other) => isNear(other, injection))) injection = inject(kind, draw, base)
    injections.push(injection)
  }
  return { seed, attempt, base, injections }
}

export function drawHealthy(seed: number): Incident {
  return { seed, attempt: 0, base: drawBase(new Draw(seed, 'healthy')), injections: [] }
}

/** The scenario with these injections. */
export function treeOf({ base, seed }: Incident, injections: readonly Injection[]): Tree {
  const tree = edited(
    base.tree,
    injections.map(({ edit }) => edit),
  )
  return { name: `incident-${seed}`, ...tree }
}

function drawKinds(seed: number, round: number, of: readonly Kind[]): Kind[] {
  const draw = new Draw(seed, `kinds/${round}`)
  return draw.some(of, of.length > 1 && draw.chance(0.4) ? 2 : 1)
}

/** Two at one device or port, of which one name would mean both. */
function isNear({ truth: a }: Injection, { truth: b }: Injection): boolean {
  const isAt = (nodes: readonly number[], { ports }: typeof a): boolean =>
    ports.some(({ node }) => nodes.includes(node))
  return (
    a.nodes.some((node) => b.nodes.includes(node)) ||
    isAt(a.nodes, b) ||
    isAt(b.nodes, a) ||
    a.ports.some(({ node, port }) => b.ports.some((other) => other.node === node && other.port === port))
  )
}
