/**
 * Incidents: a fabric with one or two things that go wrong, and with differences that harm nobody. What is wrong is decided by
 * runs without each.
 */
import { Draw } from '../../../src/core/base/draw.ts'
import { topologyOf } from '../../../src/lab/index.ts'
import { run } from '../../../src/lab/index.ts'
import { mean, quantile } from '../../../src/core/results/index.ts'
import { InputError } from '../../../src/core/base/issue.ts'
import { ANY, type Base, drawBase, fatTree, leafSpine, type Setting, type Shape, type Wanted } from '../base.ts'
import { wantedFor } from '../injections.ts'
import { scenarioOfTree, type Tree, type Values } from '../tree.ts'
import { CAUSE_KINDS, type Kind } from '../truth.ts'
import { type Victims, victimsOf } from '../victims.ts'
import { type Change, changeOf, harmless, loadedWorkload, WHY_KINDS, type WhyKind, type Where } from './kinds.ts'

export const WHY_FORMS = ['incident', 'healthy', 'loaded'] as const
export type WhyForm = (typeof WHY_FORMS)[number]

/** Reserved for scoring, before the rules of `why` were tuned: nobody runs one of them while they are. */
export const WHY_SCORED: Readonly<Record<WhyForm, number>> = { incident: 600, healthy: 100, loaded: 100 }

/** A cause changes the mean or the tail by a fifth or more. */
const COUNTS = 0.2
/** The smaller of two causes may be first where its removal saves nearly as much. */
const NEARLY = 0.9
/** Harmless differences change less. */
const HARMLESS = 0.1
const LOADED = 4
/** Packet-hops of a run: a second of one core, about. */
const HOPS_MAX = 1.2e6
const ATTEMPTS_OF_KINDS = 12
const ATTEMPTS_MAX = 600

const SHAPES: readonly Shape[] = [
  leafSpine(4, 2, 4, [25, 100]),
  leafSpine(4, 4, 4, [25, 100]),
  leafSpine(4, 2, 8, [25, 100]),
  leafSpine(3, 2, 6, [25, 100]),
  leafSpine(6, 3, 3, [40, 100]),
  leafSpine(4, 4, 4, [40, 40]),
  leafSpine(4, 2, 4, [100, 400]),
  leafSpine(8, 4, 8, [25, 100]),
  leafSpine(8, 4, 16, [25, 100]),
]
const TREES: readonly Shape[] = [fatTree(25, 25, 25), fatTree(40, 40, 40), fatTree(25, 25, 25, 6)]

const settingOf = (shapes: readonly Shape[]): Setting => ({
  shapes,
  load: [0.3, 0.6],
  runBits: 4e8,
  generatePs: [1e9, 3e9],
  largeFromGbps: 100,
  bufferSizes: ['2MB', '4MB', '8MB'],
  alphas: [0.125, 0.25, 0.5],
})

export interface Incident {
  readonly form: WhyForm
  readonly seed: number
  readonly base: Base
  /** With the harmless differences. */
  readonly tree: Tree
  readonly changes: readonly Change[]
}

export interface Cause extends Where {
  /** Share of the mean, the tail or the unfinished messages that its removal saves; the largest. */
  readonly saved: number
}

export interface Drawn {
  readonly incident: Incident
  readonly causes: readonly Cause[]
  readonly attempts: number
  readonly hops: number
}

const NEED_PAUSES: readonly WhyKind[] = ['wrong-cable', 'dropping-watchdog', 'pfc-off', 'class-map', 'buffer-share']
const LOSSLESS = ['none', 'dcqcn', 'hpcc', 'swift', 'timely'] as const
const LOSSY = ['irn', 'irn-dcqcn', 'ldcp'] as const

function wantedOf(kinds: readonly WhyKind[]): Wanted {
  const old = kinds.filter((kind): kind is WhyKind & Kind => (CAUSE_KINDS as readonly string[]).includes(kind))
  const wanted = old.length === 0 ? ANY : wantedFor(old)
  const only = kinds.some((kind) => NEED_PAUSES.slice(0, 4).includes(kind))
    ? LOSSLESS
    : kinds.includes('small-buffer')
      ? LOSSY
      : wanted.schemes
  const leastKb = kinds.some((kind) => kind === 'small-window' || kind === 'slow-sender') ? 128 : wanted.leastKb
  return { schemes: wanted.schemes.filter((one) => (only as readonly string[]).includes(one)), leastKb }
}

function baseFor(draw: Draw, kinds: readonly WhyKind[]): Base {
  const isTree = kinds.includes('polarised-hash') || draw.chance(0.15)
  const base = drawBase(draw, wantedOf(kinds), settingOf(isTree ? TREES : SHAPES))
  let { tree } = base
  // Crowds that fill queues belong to the healthy fabric where what goes wrong shows only then.
  if (kinds.some((kind) => NEED_PAUSES.includes(kind))) tree = withCrowd(draw, base, tree)
  if (kinds.includes('wrong-cable')) tree = { ...tree, topology: { ...tree.topology, ...longLinks(tree) } }
  if (kinds.includes('rnr'))
    tree = { ...tree, workload: tree.workload.map((one) => ({ ...one, operation: 'send', workRequests: false })) }
  if (kinds.includes('placement')) tree = { ...tree, workload: [...tree.workload, job(draw)] }
  const tags = kinds.includes('placement') ? [...base.tags, 'job'] : base.tags
  return { ...base, tree, tags, topology: topologyOf(scenarioOfTree(tree)) }
}

function longLinks({ topology }: Tree): Values {
  return topology['kind'] === 'fat-tree' ? { linkDelay: '3us' } : { fabricDelay: '3us' }
}

function withCrowd(draw: Draw, { hostRateBps, generatePs, topology }: Base, tree: Tree): Tree {
  const hosts = topology.hostPorts.length
  const total = Math.round((hostRateBps * draw.between(100e6, 300e6)) / 8e12 / 1e3)
  const crowd = {
    kind: 'incast',
    senders: Math.min(hosts - 1, 12),
    receiver: draw.whole(0, hosts - 1),
    total: `${total}KB`,
    repetitions: Math.max(1, Math.floor(generatePs / 800e6)),
    interval: '800us',
    tag: 'crowd',
  }
  return { ...tree, workload: [...tree.workload, crowd] }
}

function job(draw: Draw): Values {
  const size = draw.one(['4MB', '8MB'])
  return { kind: 'collective', operation: 'all-reduce', algorithm: 'ring', size, iterations: 2, slices: 4, tag: 'job' }
}

/** The scenario with some of what goes wrong. */
export function treeOf({ tree, seed, form }: Incident, changes: readonly Change[]): Tree {
  return { name: `${form}-${seed}`, ...changes.reduce((whole, { apply }) => apply(whole), tree) }
}

interface Seen {
  readonly victims: Victims
  readonly hops: number
}

/** Null: the scenario is refused, or the run too long. */
function seen(tree: Tree, tags: readonly string[]): Seen | null {
  try {
    const result = run(scenarioOfTree(tree))
    const hops = result.counters.packetHops
    return hops > HOPS_MAX ? null : { victims: victimsOf(result, tags), hops }
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

interface Measures {
  readonly mean: number
  readonly tail: number
}

/** All victims are under '', and those of each tag under its name. */
function measuresOf(victims: Victims, healthy: Victims): Map<string, Measures> {
  const slowdowns = new Map<string, number[]>([['', []]])
  for (const [key, { tag, spanPs, idealPs }] of victims.byKey) {
    const slowdown = spanPs / (healthy.byKey.get(key)?.idealPs ?? idealPs)
    slowdowns.get('')!.push(slowdown)
    slowdowns.set(tag, [...(slowdowns.get(tag) ?? []), slowdown])
  }
  return new Map(
    [...slowdowns]
      .filter(([tag, own]) => tag === '' || own.length >= 8)
      .map(([tag, own]) => [tag, { mean: mean(own), tail: quantile(own, own.length < 100 ? 1 : 0.99) }]),
  )
}

/** The largest share that is gone; of unfinished messages too. */
function savedBy(before: Victims, after: Victims, healthy: Victims): number {
  const [old, now] = [measuresOf(before, healthy), measuresOf(after, healthy)]
  const shares = [...old].flatMap(([tag, one]) => {
    const other = now.get(tag)
    return other === undefined ? [] : [1 - other.mean / one.mean, 1 - other.tail / one.tail]
  })
  const open = before.unfinished === 0 ? [] : [1 - after.unfinished / before.unfinished]
  return Math.max(...shares, ...open)
}

function changedBy(a: Victims, b: Victims): number {
  const [one, other] = [measuresOf(a, a).get('')!, measuresOf(b, a).get('')!]
  return Math.max(Math.abs(other.mean / one.mean - 1), Math.abs(other.tail / one.tail - 1))
}

/** The first attempt whose causes all count. @param of kinds of which to draw */
export function drawWhy(form: WhyForm, seed: number, of: readonly WhyKind[] = WHY_KINDS): Drawn {
  const isOdd = new Draw(seed, `score/why/${form}/harmless`).chance(form === 'incident' ? 0.5 : 1)
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const kindDraw = new Draw(seed, `score/why/${form}/kinds/${Math.floor(attempt / ATTEMPTS_OF_KINDS)}`)
    const kinds = form === 'incident' ? kindDraw.some(of, of.length > 1 && kindDraw.chance(0.3) ? 2 : 1) : []
    const drawn = attemptOf(form, seed, attempt, kinds, isOdd)
    if (drawn !== null) return { ...drawn, attempts: attempt + 1 }
  }
  throw new Error(`score: no ${form} of seed ${seed}`)
}

function attemptOf(
  form: WhyForm,
  seed: number,
  attempt: number,
  kinds: readonly WhyKind[],
  isOdd: boolean,
): Omit<Drawn, 'attempts'> | null {
  const draw = new Draw(seed, `score/why/${form}/${attempt}`)
  const plain = baseFor(draw, kinds)
  const own = form === 'loaded' ? loadedWorkload(draw, plain) : null
  const base: Base = own === null ? plain : { ...plain, tree: { ...plain.tree, workload: own }, tags: ['storage'] }
  const { tags } = base
  const tree = isOdd ? harmless(draw, base).reduce((whole, apply) => apply(whole), base.tree) : base.tree
  const changes = kinds.map((kind) => changeOf(kind, draw, base))
  if (changes.includes(null)) return null
  const incident: Incident = { form, seed, base, tree, changes: changes as Change[] }
  const healthy = seen(treeOf(incident, []), tags)
  if (healthy === null) return null
  if (isOdd) {
    const bare = seen(treeOf({ ...incident, tree: base.tree }, []), tags)
    if (bare === null || changedBy(bare.victims, healthy.victims) >= HARMLESS) return null
  }
  if (form !== 'incident') {
    const { tail } = measuresOf(healthy.victims, healthy.victims).get('')!
    const isFit = form === 'healthy' || tail >= LOADED
    return isFit ? { incident, causes: [], hops: healthy.hops } : null
  }
  const whole = seen(treeOf(incident, incident.changes), tags)
  if (whole === null) return null
  const causes: Cause[] = []
  for (const change of incident.changes) {
    const others = incident.changes.filter((one) => one !== change)
    const without = others.length === 0 ? healthy : seen(treeOf(incident, others), tags)
    if (without === null) return null
    const saved = savedBy(whole.victims, without.victims, healthy.victims)
    if (!(saved >= COUNTS)) return null
    causes.push({ ...change.where, saved })
  }
  return { incident, causes, hops: whole.hops }
}

/** Causes of which any may be named first. */
export function firstOf(causes: readonly Cause[]): readonly Cause[] {
  const most = Math.max(...causes.map(({ saved }) => saved))
  return causes.filter(({ saved }) => saved >= NEARLY * most)
}
