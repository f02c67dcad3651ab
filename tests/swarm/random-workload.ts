/** Random workloads of a few dozen packets to a few thousand, of every kind, operation and class. */
import { US } from '../../src/core/base/params.ts'
import type { Dice } from './dice.ts'
import type { Setting, Values } from './random-scenario.ts'

export function randomWorkload(dice: Dice, setting: Setting): Values[] {
  return Array.from({ length: dice.one([1, 1, 2, 3]) }, (_, i) => ({
    ...randomSource(dice, setting),
    recovery: null,
    congestion: null,
    qp: null,
    tag: `w${i}`,
  }))
}

/** Bytes of a message: mostly some packets, at times one byte, at times an awkward rest. */
function sizeOf(dice: Dice, { payload }: Setting): number {
  return Math.max(
    1,
    dice.one([
      1,
      payload,
      payload * dice.from(20, 60),
      payload * dice.log(1, 150) - dice.from(0, 1),
      payload * dice.from(1, 9) + 1,
    ]),
  )
}

function randomSource(dice: Dice, setting: Setting): Values {
  const { hosts, racks, work, workShare } = setting
  const operation = operationOf(dice.one(['write', 'write', 'send', 'send', 'read']), work)
  const workRequests = work.chance(workShare)
  const isAtomic = ATOMICS.includes(operation)
  const sizeHere = (): number => (isAtomic ? ATOMIC_BYTES : sizeOf(dice, setting))
  const labels = {
    operation,
    workRequests,
    trafficClass: dice.seldom<number | null>(null, () => dice.from(0, 7), 0.25),
    destinationPort: dice.seldom<number | null>(null, () => dice.from(0, 65_535), 0.2),
    start: dice.seldom(0, () => dice.from(0, 100 * US), 0.3),
  }
  const loop = {
    ...labels,
    messageSize: sizeHere(),
    outstanding: dice.from(1, 4),
    messages: dice.from(1, 8),
    qpsPerPair: dice.from(1, 3),
  }
  const pairable = racks.length % 2 === 0 && new Set(racks.map((rack) => rack.length)).size === 1
  switch (dice.from(0, pairable ? 6 : 5)) {
    case 0:
      return {
        ...labels,
        kind: 'poisson',
        load: dice.one([0.2, 0.7, 1.5]),
        loadBasis: dice.one(['payload', 'wire']),
        sizes: isAtomic ? { kind: 'fixed', size: ATOMIC_BYTES } : randomSizes(dice, setting),
        destinations: destinationsFor(dice, setting),
        flows: dice.log(4, 60),
      }
    case 1:
    case 2: {
      const senders = dice.from(1, hosts - 1)
      const connections = dice.seldom(1, () => dice.from(2, 4), 0.2)
      return {
        ...labels,
        kind: 'incast',
        senders,
        receiver: dice.seldom<number | null>(null, () => dice.from(0, hosts - 1), 0.5),
        total: sizeHere() * senders + dice.from(0, 5),
        sizeEach: isAtomic
          ? ATOMIC_BYTES * connections
          : dice.seldom<number | null>(null, () => sizeOf(dice, setting), 0.5),
        connections,
        repetitions: dice.from(1, 4),
        interval: dice.seldom<number | null>(null, () => dice.log(1, 100) * US, 0.5),
      }
    }
    case 3:
      return { ...loop, kind: 'permutation' }
    case 4:
      return { ...loop, kind: 'closed-loop', pairs: pairsOf(dice, setting) }
    case 5:
      return { kind: 'trace', origin: 0, workRequests, flows: traceOf(dice, setting, operation), tag: 'trace' }
    default:
      return {
        ...loop,
        kind: 'tor-pairs',
        serversPerRack: dice.from(1, Math.min(...racks.map((rack) => rack.length))),
        bidirectional: dice.chance(0.5),
      }
  }
}

const ATOMICS = ['compare-and-swap', 'fetch-and-add']
const ATOMIC_BYTES = 8

/** The plain one mostly. */
function operationOf(plain: string, work: Dice): string {
  return work.chance(0.75) ? plain : work.one(['write-immediate', 'send-immediate', 'send-invalidate', ...ATOMICS])
}

/** Work requests: small queues now and then, so that each of their limits holds something back. */
export function randomVerbs(dice: Dice): Values {
  return {
    sendDepth: dice.one([1, 2, 16, 128]),
    receives: dice.one([1, 2, 8, 512]),
    sharedReceives: dice.seldom<number | null>(null, () => dice.from(1, 20), 0.2),
    signalEvery: dice.seldom(1, () => dice.from(2, 9), 0.3),
    reads: dice.one([1, 2, 16]),
    credits: dice.chance(0.7),
    queuePairs: dice.seldom<number | null>(null, () => dice.from(1, 4), 0.3),
  }
}

function randomSizes(dice: Dice, { payload }: Setting): Values {
  return dice.one<Values>([
    { kind: 'fixed', size: payload * dice.from(1, 20) },
    { kind: 'uniform', min: 1, max: payload * 30 },
    { kind: 'cdf', points: ['0 0', `${payload} 50`, `${payload * 40} 100`] },
  ])
}

function destinationsFor(dice: Dice, { racks }: Setting): string {
  const kinds = ['uniform', ...(racks.length > 1 ? ['other-rack'] : [])]
  return dice.one(racks.every((rack) => rack.length > 1) ? [...kinds, 'same-rack'] : kinds)
}

/** Two different hosts. */
function twoOf(dice: Dice, { hosts }: Setting): readonly [number, number] {
  const source = dice.from(0, hosts - 1)
  return [source, (source + dice.from(1, hosts - 1)) % hosts]
}

function pairsOf(dice: Dice, setting: Setting): string[] {
  if (dice.chance(0.2)) return [`0-${setting.hosts - 1} ${dice.from(0, setting.hosts - 1)}`]
  return Array.from({ length: dice.from(1, 3) }, () => twoOf(dice, setting).join(' '))
}

function traceOf(dice: Dice, setting: Setting, operation: string): string[] {
  const [source, destination] = twoOf(dice, setting)
  return Array.from({ length: dice.log(1, 24) }, () => {
    const time = `${dice.from(0, 200)}us`
    const sizeFor = (name: string): string => (ATOMICS.includes(name) ? '8B' : `${sizeOf(dice, setting)}B`)
    // Messages of one connection follow each other on one QP.
    if (dice.chance(0.3)) {
      return `${source} ${destination} ${sizeFor(operation)} ${time} op=${operation} connection=7`
    }
    const [from, to] = twoOf(dice, setting)
    const own = operationOf(dice.one(['write', 'send', 'read']), setting.work)
    return `${from} ${to} ${sizeFor(own)} ${time} op=${own} class=${dice.from(0, 7)}`
  })
}
