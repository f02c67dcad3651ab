/**
 * Generator: the incidents, healthy and loaded runs by which proved causes are scored.
 */
import { Draw } from '../../../src/core/base/draw.ts'
import { run } from '../../../src/lab/index.ts'
import { ANY, type Base, drawBase, fatTree, leafSpine, LOSSY, SCHEME_NAMES, type Setting, USUAL } from '../base.ts'
import type { Generator } from '../incident.ts'
import { hostsOf, incastSource, portTo, wantedFor } from '../injections.ts'
import type { Form } from '../seeds.ts'
import { scenarioOfTree, type Tree, type Values } from '../tree.ts'
import { type Kind, WHY_KINDS } from '../truth.ts'
import { mean, p99, slowdownsOf, victimsOf } from '../victims.ts'
import { withDifferences } from './harmless.ts'
import { injectWhy } from './injections.ts'

/** Most have 16 to 36 hosts. */
const SHAPES = [...USUAL.shapes, fatTree(25, 25, 25, 6), leafSpine(8, 4, 8, [25, 100]), fatTree(25, 25, 25, 8)]
/** All tiers can just carry the load of the hosts. */
const TIGHT = [
  leafSpine(4, 2, 8, [25, 100]),
  leafSpine(4, 4, 4, [40, 40]),
  leafSpine(4, 2, 4, [40, 80]),
  leafSpine(8, 4, 8, [25, 50]),
  fatTree(40, 40, 40),
  fatTree(25, 25, 25, 6),
]
const TIGHT_TREES = [fatTree(40, 40, 40), fatTree(25, 25, 25), fatTree(25, 25, 25, 6), fatTree(25, 25, 25, 8)]
const THIN = [leafSpine(4, 2, 8, [25, 25]), leafSpine(4, 1, 6, [25, 50]), leafSpine(3, 2, 8, [40, 40])]
const LONG = SHAPES.filter(({ topology }) => topology.kind === 'leaf-spine').map((shape) => ({
  ...shape,
  topology: { ...shape.topology, fabricDelay: '4us' },
}))

const SETTING: Setting = { ...USUAL, shapes: SHAPES, runBits: 4e8, generatePs: [0.4e9, 3e9] }
const tight: Partial<Setting> = { shapes: TIGHT, load: [0.45, 0.7] }
/** Bursts that PFC stops, and the buffer of a switch holds. */
const bursts: Partial<Setting> = {
  bufferSizes: ['1MB', '2MB'],
  beside: (draw, { hosts, hostGbps }, generatePs) => [
    {
      ...incastSource(
        draw,
        { hostRateBps: hostGbps * 1e9, generatePs },
        {
          lengthPs: draw.scaled(100e6, 300e6),
          use: draw.between(0.3, 0.7),
          senders: () => draw.whole(6, Math.min(14, hosts - 1)),
        },
      ),
      receiver: 'off',
      tag: 'beside',
    },
  ],
}

/** Kinds that do harm in some of these fabrics alone. */
interface Plan {
  readonly setting: Partial<Setting>
  readonly isLossless?: boolean
}
const PLANS: Partial<Readonly<Record<Kind, Plan>>> = {
  'failed-uplink': { setting: tight },
  'dead-switch': { setting: tight },
  'slow-link': { setting: tight },
  'polarised-hash': { setting: { shapes: TIGHT_TREES, load: [0.5, 0.75] } },
  placement: { setting: { shapes: THIN, load: [0.08, 0.15] } },
  'wrong-cable': {
    setting: { ...bursts, shapes: LONG, alphas: [1 / 64, 1 / 32], bufferSizes: ['3MB', '4MB'] },
    isLossless: true,
  },
  'pfc-off': { setting: bursts, isLossless: true },
  'class-map': { setting: bursts, isLossless: true },
  'dropping-watchdog': { setting: { ...bursts, alphas: [1 / 64, 1 / 32] }, isLossless: true },
  'buffer-share': { setting: bursts },
  'small-buffer': { setting: { load: [0.45, 0.7] }, isLossless: false },
}
/** Kinds of which two would hide each other. */
const RIVALS: readonly (readonly Kind[])[] = [
  ['failed-uplink', 'dead-switch', 'slow-link', 'polarised-hash', 'oversubscription', 'placement', 'wrong-cable'],
  ['rnr', 'mtu', 'lossy-link', 'wrong-marking', 'placement'],
  ['wrong-marking', 'pfc-off', 'class-map', 'dropping-watchdog', 'wrong-cable'],
  ['slow-sender', 'rate-cap'],
]

function mayMeet(a: Kind, b: Kind): boolean {
  const isLossless = [a, b].map((kind) => PLANS[kind]?.isLossless)
  const isBoth = isLossless.includes(true) && isLossless.includes(false)
  return a !== b && !isBoth && !RIVALS.some((kinds) => kinds.includes(a) && kinds.includes(b))
}

/** Incidents with two injections. */
const TWO = 0.3
/** Fabrics of incidents with harmless differences. */
const DIFFERENT = 0.5

function baseOf(draw: Draw, kinds: readonly Kind[], form: Form): Base {
  const plans = kinds.flatMap((kind) => PLANS[kind] ?? [])
  const setting = plans.reduce<Setting>((whole, plan) => ({ ...whole, ...plan.setting }), SETTING)
  const wanted = kinds.length === 0 ? ANY : wantedFor(kinds)
  const schemes = plans.reduce(
    (left, { isLossless }) =>
      isLossless === undefined ? left : left.filter((scheme) => LOSSY.includes(scheme) !== isLossless),
    wanted.schemes.filter((scheme) => SCHEME_NAMES.includes(scheme)),
  )
  // Only persistent queue pairs run out of Receive WQEs; their messages may be small.
  const isRnr = kinds.includes('rnr')
  const asked = { ...wanted, schemes, ...(isRnr && { leastKb: 0 }) }
  const drawOne = (): Base => (form === 'loaded' ? drawLoaded(draw) : drawBase(draw, asked, setting))
  let base = drawOne()
  if (isRnr) {
    while (!base.isClosed) base = drawOne()
    base = withWorkload(base, { operation: 'send' })
  }
  // Neither is for work requests: their Receive WQEs are posted otherwise, and their queue pairs cannot be lost.
  if (isRnr || kinds.includes('dead-server')) base = withWorkload(base, { workRequests: false })
  if (kinds.includes('placement')) base = withJob(draw, base)
  if (kinds.includes('broadcast')) base = flooding(base)
  return kinds.length === 0 || draw.chance(DIFFERENT) ? withDifferences(draw, base) : base
}

const withWorkload = (base: Base, values: Values): Base => ({
  ...base,
  tree: { ...base.tree, workload: base.tree.workload.map((source) => ({ ...source, ...values })) },
})

/** Switches that know where hosts are by tables, and flood what is for all. */
const flooding = (base: Base): Base => ({
  ...base,
  tree: { ...base.tree, switch: { ...(base.tree.switch as Values), layer2: 'tables' } },
})

const JOB = 'job'

/** A job that passes data around the hosts of one rack. */
function withJob(draw: Draw, base: Base): Base {
  const rack = portTo(base, 0).node
  const order = draw.some(hostsOf(base), hostsOf(base).length).filter((host) => portTo(base, host).node === rack)
  const sizeKb = draw.one([250, 500, 1000])
  const job = {
    kind: 'closed-loop',
    pairs: order.map((host, i) => `${host} ${order[(i + 1) % order.length]!}`),
    messageSize: `${sizeKb}KB`,
    outstanding: 2,
    messages: Math.max(2, Math.round((base.hostRateBps * base.generatePs) / 8e15 / sizeKb)),
    tag: JOB,
  }
  const tree = { ...base.tree, workload: [...base.tree.workload, job] }
  return { ...base, tree, tags: [...base.tags, JOB], movable: JOB }
}

/** Too much traffic, and nothing else: at all hosts, or all to one. */
function drawLoaded(draw: Draw): Base {
  const setting: Setting = { ...SETTING, ...tight, load: [0.8, 0.95] }
  const base = drawBase(draw, { ...ANY, leastKb: 1 }, setting)
  if (draw.chance(0.6)) return base
  const hosts = hostsOf(base).length
  const size = `${draw.one([16, 32, 64])}KB`
  const shuffle = draw.chance(0.5)
    ? {
        kind: 'closed-loop',
        pairs: [`0-${hosts - 1} 0-${hosts - 1}`],
        messageSize: size,
        messages: Math.max(1, Math.round(1000 / hosts / hosts)),
      }
    : {
        kind: 'incast',
        senders: hosts - 1,
        receiver: draw.one(hostsOf(base)),
        sizeEach: size,
        repetitions: draw.whole(4, 12),
      }
  const workload = [{ ...shuffle, tag: 'shuffle' }]
  return { ...base, tree: { ...base.tree, workload }, tags: ['shuffle'], isClosed: true }
}

/** A difference is harmless if it changes the victims' slowdowns by less than this. */
const HARMLESS = 0.1
/** Slowdown, 99th percentile, from which on a run is loaded. */
const LOADED = 4

/** Slowdowns of all victims by both measures, with ideal times of the same run: those of other rates are other ones. */
function allOf(tree: Tree, base: Base): readonly number[] {
  const victims = victimsOf(run(scenarioOfTree(tree)), base)
  return WHY.measures.map((measure) => slowdownsOf(victims, victims, measure).get('')!)
}

export const WHY: Generator = {
  prefix: 'why/',
  kinds: WHY_KINDS,
  // In turn, so that each kind has its share of any range of seeds.
  kindsOf(draw, seed, of) {
    const kind = of[seed % of.length]!
    const others = of.filter((one) => mayMeet(kind, one))
    // By the seed alone: pairs of which an attempt was refused are drawn anew, and stay pairs.
    const isTwo = new Draw(seed, 'score/why/two').chance(TWO)
    return others.length > 0 && isTwo ? [kind, draw.one(others)] : [kind]
  },
  baseOf,
  inject: injectWhy,
  observe: [],
  isHealthy({ base }, { victims }) {
    if (victims.unfinished > 0) return false
    if (base.plain === undefined) return true
    const [plain, now] = [
      allOf(base.plain, base),
      this.measures.map((measure) => slowdownsOf(victims, victims, measure).get('')!),
    ]
    return plain.every((before, i) => Math.abs(now[i]! / before - 1) < HARMLESS)
  },
  measures: [p99, mean],
  leastSaved: 0.2,
  packetHopsMax: 2e6,
}

/** Whether a run without an injection is slow by its load. */
export const isLoaded = (p99Slowdown: number): boolean => p99Slowdown >= LOADED
