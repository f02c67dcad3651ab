/**
 * Incident: a healthy fabric with one or two injections. The seed decides the kinds, and each attempt draws all else anew.
 */
import type { Result } from '../../src/core/results/index.ts'
import type { Base } from './base.ts'
import { Draw } from '../../src/core/base/draw.ts'
import type { Injection } from './injections.ts'
import type { Form } from './seeds.ts'
import { edited, type Tree, type Values } from './tree.ts'
import type { Kind } from './truth.ts'
import type { Measure, Victims } from './victims.ts'

/** A source of incidents, one for each score. */
export interface Generator {
  /** Before the names of its random streams. */
  readonly prefix: string
  readonly kinds: readonly Kind[]
  /** @param of kinds of which to draw */
  readonly kindsOf: (draw: Draw, seed: number, of: readonly Kind[]) => Kind[]
  /** @param kinds those that are injected; none: a healthy run */
  readonly baseOf: (draw: Draw, kinds: readonly Kind[], form: Form) => Base
  readonly inject: (kind: Kind, draw: Draw, base: Base) => Injection
  /** Beside the traffic, in runs that decide about truth: they change no event. */
  readonly observe: readonly Values[]
  /** Whether the fabric without injections is healthy. */
  readonly isHealthy: (incident: Incident, seen: Seen) => boolean
  /** Measures of slowdowns of which one shows the harm, by this share of it. */
  readonly measures: readonly Measure[]
  readonly leastSaved: number
  /** Runs with more than this many are too long. */
  readonly packetHopsMax: number
}

/** A run with some of the injections, and its victims. */
export interface Seen {
  readonly result: Result
  readonly victims: Victims
}

export interface Incident {
  readonly generator: Generator
  readonly seed: number
  readonly attempt: number
  readonly base: Base
  readonly injections: readonly Injection[]
}

/** After this many attempts the kinds are drawn anew. */
const ATTEMPTS_OF_KINDS = 15

/** @param of kinds of which the incident is drawn */
export function drawIncident(
  seed: number,
  attempt: number,
  of: readonly Kind[] | undefined,
  generator: Generator,
): Incident {
  const { prefix } = generator
  const round = Math.floor(attempt / ATTEMPTS_OF_KINDS)
  const kinds = generator.kindsOf(new Draw(seed, `score/${prefix}kinds/${round}`), seed, of ?? generator.kinds)
  const draw = new Draw(seed, `score/${prefix}incident/${attempt}`)
  const base = generator.baseOf(draw, kinds, 'incident')
  const injections: Injection[] = []
  for (const kind of kinds) {
    let injection = generator.inject(kind, draw, base)
    while (injections.some((other) => isNear(other, injection))) injection = generator.inject(kind, draw, base)
    injections.push(injection)
  }
  return { generator, seed, attempt, base, injections }
}

export function drawHealthy(seed: number, attempt: number, generator: Generator, form: Form = 'healthy'): Incident {
  const name = `${generator.prefix}${form}${attempt === 0 ? '' : `/${attempt}`}`
  return { generator, seed, attempt, base: generator.baseOf(new Draw(seed, `score/${name}`), [], form), injections: [] }
}

/** The scenario with these injections. */
export function treeOf({ base, seed }: Incident, injections: readonly Injection[]): Tree {
  const tree = edited(
    base.tree,
    injections.map(({ edit }) => edit),
  )
  return { name: `incident-${seed}`, ...tree }
}

/** Two at one device or port, of which one name would mean both. What is wrong with the whole fabric is near to nothing. */
function isNear({ truth: a }: Injection, { truth: b }: Injection): boolean {
  if (a.kind === 'reordering' || b.kind === 'reordering') return false
  const isAt = (nodes: readonly number[], { ports }: typeof a): boolean =>
    ports.some(({ node }) => nodes.includes(node))
  return (
    a.nodes.some((node) => b.nodes.includes(node)) ||
    isAt(a.nodes, b) ||
    isAt(b.nodes, a) ||
    a.ports.some(({ node, port }) => b.ports.some((other) => other.node === node && other.port === port))
  )
}
