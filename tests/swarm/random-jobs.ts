/** Random jobs: collectives, graphs, pipelines and mixtures of experts of a few steps, on some of the hosts or ports. */
import { defaultsOf, GBPS, NS, type ParamFields, US } from '../../src/core/base/params.ts'
import { workloads } from '../../src/core/workload/index.ts'
import { ALL_COLLECTIVES } from '../../src/core/workload/collective-names.ts'
import type { Dice } from './dice.ts'
import type { Setting, Values } from './random-scenario.ts'

/** One to three, side by side. */
export function randomJobs(dice: Dice, setting: Setting): Values[] {
  return Array.from({ length: dice.one([1, 1, 2, 3]) }, (_, i) => {
    const ranks = shuffled(dice, setting.hosts).slice(0, dice.from(1, Math.min(setting.hosts, 8)))
    const make = dice.one([randomCollective, randomGraph, randomPipeline, randomMixture])
    const own = make(dice, setting, ranks.length)
    const { params } = workloads.find(({ name }) => name === own['kind'])!
    return {
      ...defaultsOf<ParamFields>(params),
      ...own,
      group: ranks.map(String),
      placement: dice.one(['packed', 'packed', 'spread', 'random']),
      ranks: dice.one(['host', 'host', 'port']),
      insideLatency: dice.one([0, 1, 500 * NS, 2 * US]),
      insideRate: dice.one([null, 10 * GBPS, 400 * GBPS]),
      stepTime: dice.one([0, 0, 1, 2 * US]),
      rendezvous: own['kind'] === 'graph' ? null : dice.one([null, null, 0, setting.payload, 20 * setting.payload]),
      slots: dice.one([0, 0, 1, 2, 7]),
      control: dice.one([1, 64, setting.payload + 1]),
      start: dice.seldom(0, () => dice.from(0, 100 * US)),
      workRequests: dice.chance(0.2),
      trafficClass: dice.seldom<number | null>(null, () => dice.from(0, 7), 0.25),
      destinationPort: dice.seldom<number | null>(null, () => dice.from(0, 65_535), 0.2),
      tag: `j${i}`,
      recovery: null,
      congestion: null,
      qp: null,
    }
  })
}

function shuffled(dice: Dice, length: number): number[] {
  return Array.from({ length }, (_, number) => ({ number, key: dice.real() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ number }) => number)
}

/** Some bytes of a job: less than a packet, or some packets, with a rest. */
function bytesOf(dice: Dice, { payload }: Setting, unit = 1): number {
  return unit * Math.max(1, Math.floor(dice.one([1, payload, payload * dice.log(1, 60) + 1]) / unit))
}

/** Divisors of n. */
function divisors(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1).filter((each) => n % each === 0)
}

function algorithmsOf(operation: string, n: number): string[] {
  const isPower = Number.isInteger(Math.log2(n))
  const exchange = ['full', 'shift', ...(isPower ? ['pairwise'] : [])]
  switch (operation) {
    case 'all-reduce':
      return [
        'ring',
        'halving-doubling',
        'double-binary-tree',
        'hierarchical',
        ...(isPower ? ['recursive-doubling'] : []),
      ]
    case 'all-gather':
      return ['ring', ...exchange]
    case 'all-to-all':
    case 'all-to-all-v':
      return exchange
    case 'broadcast':
    case 'reduce':
      return ['binomial', 'chain']
    default:
      return ['default']
  }
}

function randomCollective(dice: Dice, setting: Setting, n: number): Values {
  const operation = dice.one(['all-reduce', 'all-reduce', ...ALL_COLLECTIVES])
  const element = dice.one([1, 4, 4, 8])
  const line = (): string => Array.from({ length: n }, () => dice.one([0, bytesOf(dice, setting, element)])).join(' ')
  return {
    kind: 'collective',
    operation,
    algorithm: dice.one(['default', ...algorithmsOf(operation, n)]),
    size: bytesOf(dice, setting, element) * n,
    element,
    matrix: operation === 'all-to-all-v' ? Array.from({ length: n }, line) : [],
    channels: dice.from(1, 3),
    slices: dice.from(1, 4),
    order: dice.one(['rotated', 'ascending']),
    nodeSize: dice.one(divisors(n)),
    iterations: dice.from(1, 3),
  }
}

/** Messages, computes and collectives that wait for earlier ones alone, so that nothing waits for ever but for a loss. */
function randomGraph(dice: Dice, setting: Setting, n: number): Values {
  const lines: string[][] = Array.from({ length: n }, () => [])
  const sizes = Array.from({ length: 4 }, () => dice.one([0, bytesOf(dice, setting)]))
  const counts = Array.from({ length: n }, () => 0)
  const add = (rank: number, operation: string): void => {
    const own = lines[rank]!
    const number = counts[rank]!++
    own.push(`o${number}: ${operation}`)
    if (number > 0 && dice.chance(0.6))
      own.push(`o${number} ${dice.one(['requires', 'irequires'])} o${dice.from(0, number - 1)}`)
  }
  for (let i = 0; i < dice.from(1, 12); i++) {
    const [from, to, tag] = [dice.from(0, n - 1), dice.from(0, n - 1), dice.from(0, 3)]
    add(from, `send ${sizes[tag]!}b to ${to} tag ${tag}`)
    add(to, `recv ${sizes[tag]!}b from ${from} tag ${tag}`)
    if (dice.chance(0.4)) add(to, `calc ${dice.from(0, 5000)} cpu ${dice.from(0, 1)}`)
    if (!dice.chance(0.2)) continue
    const joint = `${dice.one(['all-reduce', 'all-to-all', 'barrier'])} ${bytesOf(dice, setting)}b group all slices ${dice.from(1, 2)}`
    for (let rank = 0; rank < n; rank++) add(rank, joint)
  }
  const group = `group all ${Array.from({ length: n }, (_, rank) => rank).join(' ')}`
  return {
    kind: 'graph',
    goal: [`num_ranks ${n}`, group, ...lines.flatMap((own, rank) => [`rank ${rank} {`, ...own, '}'])],
    sendDone: dice.one(['acknowledged', 'posted']),
  }
}

function randomPipeline(dice: Dice, setting: Setting, n: number): Values {
  const stages = dice.from(1, n)
  return {
    kind: 'pipeline',
    schedule: dice.one(['gpipe', '1f1b']),
    stages,
    width: dice.from(1, Math.floor(n / stages)),
    microbatches: dice.from(1, 5),
    forward: dice.from(0, 5 * US),
    backward: dice.from(0, 10 * US),
    activation: dice.one([0, bytesOf(dice, setting)]),
    gradient: dice.one([0, bytesOf(dice, setting)]),
    iterations: dice.from(1, 2),
  }
}

function randomMixture(dice: Dice, { payload }: Setting, n: number): Values {
  const experts = n * dice.from(1, 4)
  const groups = dice.one(divisors(experts))
  const topGroups = dice.from(1, groups)
  const open = (experts / groups) * topGroups
  const topK = dice.from(1, Math.min(4, open))
  const hot = { kind: 'hot', times: (experts / topK) * dice.real(), expert: dice.from(0, experts - 1) }
  return {
    kind: 'moe',
    tokens: dice.log(1, 30),
    hidden: dice.log(1, payload),
    experts,
    topK,
    groups,
    topGroups,
    dispatchElement: 1,
    combineElement: dice.from(1, 2),
    skew: dice.one([
      { kind: 'none' },
      { kind: 'zipf', exponent: dice.one([0.5, 1, 3]) },
      ...(topK < open ? [hot] : []),
    ]),
    forward: dice.one(['none', 'node']),
    nodeSize: dice.one(divisors(n)),
    algorithm: dice.one(['full', 'shift']),
    slices: dice.from(1, 3),
    layerTime: dice.from(0, 5 * US),
    callTime: dice.from(0, 100 * NS),
    layers: dice.from(1, 2),
    iterations: dice.from(1, 2),
  }
}
