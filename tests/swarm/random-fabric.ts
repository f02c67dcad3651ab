/**
 * Mechanisms of lossless fabrics in random scenarios: tables of layer 2, VLANs and MTUs, buffers as hardware accounts for
 * them, receive pipelines of NICs, host delays, hosts that boot, servers that die, broadcasts and pause storms. From dice
 * of their own, so that the other parts of earlier cases stay the same; each is kept where the scenario is valid with it.
 */
import { defaultsOf, KB, KIB, MS, NS, type ParamFields, US } from '../../src/core/base/params.ts'
import { buffers, pipelineReceive } from '../../src/core/fabric/params.ts'
import { layer2Tables } from '../../src/core/fabric/layer2-params.ts'
import { hostDelays } from '../../src/core/transport/host-delay/index.ts'
import type { Dice } from './dice.ts'
import { randomLiveChange } from './random-changes.ts'
import type { Values } from './random-scenario.ts'

/** The hosts of a scenario, and names of its switches. */
export interface Sites {
  readonly hosts: number
  readonly switches: readonly string[]
}

/** A scenario with one more mechanism. */
export type Addition = (values: Values) => Values

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7]

/** What to add, in this order; mostly nothing. */
export function randomAdditions(dice: Dice, sites: Sites): Addition[] {
  const additions: Addition[] = []
  const sometimes = (probability: number, addition: Addition): void => {
    if (dice.chance(probability)) additions.push(addition)
  }
  sometimes(0.08, (values) => inSwitch(values, { buffer: randomMemoryManager(dice, values) }))
  sometimes(0.1, (values) => withBelievedDelay(dice, values))
  sometimes(0.12, (values) => inSwitch(values, { layer2: randomLayer2(dice, sites) }))
  sometimes(0.08, (values) => withVlans(dice, values))
  sometimes(0.05, (values) => withMtu(dice, values))
  sometimes(0.12, (values) => inNic(values, { receive: randomReceive(dice) }))
  sometimes(0.1, (values) => inNic(values, { watchdog: dice.log(5 * US, 2 * MS) }))
  sometimes(0.06, (values) => inNic(values, { trust: dice.one(['dscp', 'pcp']) }))
  sometimes(0.06, (values) => inNic(values, { trafficClasses: [`0-${dice.from(0, 65_535)}: ${dice.from(0, 7)}`] }))
  sometimes(0.08, (values) => ({ ...values, qp: { ...(values['qp'] as Values), hostDelay: randomHostDelay(dice) } }))
  sometimes(0.06, (values) => withMore(values, 'workload', [randomBoot(dice, sites)]))
  sometimes(0.12, (values) => withMore(values, 'faults', randomHostFaults(dice, sites)))
  // One by one: a mistaken change leaves the others.
  if (dice.chance(0.2)) {
    for (let n = dice.from(1, 4); n > 0; n--)
      additions.push((values) => withMore(values, 'changes', [randomLiveChange(dice, values, sites)]))
  }
  return additions
}

function inSwitch(values: Values, more: Values): Values {
  return { ...values, switch: { ...(values['switch'] as Values), ...more } }
}

function inNic(values: Values, more: Values): Values {
  return { ...values, nic: { ...(values['nic'] as Values), ...more } }
}

function withMore(values: Values, key: 'workload' | 'faults' | 'changes', more: readonly Values[]): Values {
  return { ...values, [key]: [...(values[key] as readonly Values[]), ...more] }
}

function defaults(params: ParamFields): Values {
  return defaultsOf<ParamFields>(params)
}

function limit(dice: Dice): Values {
  return {
    alpha: null,
    dynamicTh: null,
    staticTh: null,
    ...dice.one<Values>([
      {},
      { alpha: dice.one([1 / 64, 1 / 4, 2]) },
      { dynamicTh: dice.from(-8, 3) },
      { staticTh: dice.log(1, 200) * KB },
    ]),
  }
}

function randomMemoryManager(dice: Dice, { classes }: Values): Values {
  const { data } = classes as { readonly data: number }
  const pool = (): number | null => dice.seldom<number | null>(null, () => dice.log(10, 500) * KB)
  return {
    ...defaults(buffers[2].params),
    kind: 'memory-manager',
    size: dice.log(60, 3000) * KB,
    cell: dice.one([1, 80, 208, 256]),
    groups: dice.chance(0.7) ? CLASSES : CLASSES.map((c) => (c === data ? 3 : 0)),
    ingressPool: pool(),
    ingressLossyPool: pool(),
    headroomPool: pool(),
    egressPool: pool(),
    egressLossyPool: pool(),
    reserve: dice.one([0, 1248, 4096]),
    headroom: dice.seldom<number | null>(null, () => dice.log(1, 20 * KB), 0.7),
    xon: dice.one([0, 1248, 20 * KB]),
    xonOffset: dice.one([0, 2496, 20 * KB]),
    ...limit(dice),
    lossy: { reserve: dice.one([0, 2000]), ...limit(dice) },
    profiles: dice.chance(0.3)
      ? [
          {
            rate: null,
            delay: null,
            classes: [],
            reserve: null,
            headroom: dice.log(1, 20 * KB),
            xon: null,
            xonOffset: null,
            ...limit(dice),
          },
        ]
      : [],
    egressAlpha: dice.one([0.1, 1, 8]),
    queues: dice.chance(0.3) ? [{ classes: dice.some(CLASSES, 1, 3), reserve: 0, ...limit(dice) }] : [],
  }
}

function withBelievedDelay(dice: Dice, values: Values): Values {
  const { buffer } = values['switch'] as { readonly buffer: Values }
  if (buffer['kind'] !== 'shared-buffer') return values
  return inSwitch(values, { buffer: { ...buffer, believedDelay: dice.one([0, 1 * NS, 5 * US]) } })
}

/** Entries age within a run. */
function randomLayer2(dice: Dice, { hosts }: Sites): Values {
  return {
    ...defaults(layer2Tables.params),
    kind: 'tables',
    arpSeconds: dice.one([4 * 3600, 300, 100]),
    macSeconds: dice.one([300, 300, 100]),
    timeScale: dice.one([1, 1e-6, 3e-7, 1e-7]),
    macMissing: dice.one(['none', 'all', `${dice.from(0, hosts - 1)}`]),
    onIncomplete: dice.one(['flood', 'flood', 'drop-lossless', 'cpu', 'drop']),
    floodPorts: dice.one(['all', 'all', 'hosts']),
    headDrop: dice.one(['at-once', 'frame-time']),
    floodClass: dice.seldom<number | null>(null, () => dice.from(0, 7)),
    forgetOnLinkDown: dice.chance(0.7),
    cpuRate: dice.one([200, 100_000, 10_000_000]),
    cpuQueue: dice.one([1, 20, 200]),
    resolveTime: dice.one([0, 1 * US, 50 * US, 1 * MS]),
  }
}

function withVlans(dice: Dice, values: Values): Values {
  const vlan = {
    ports: dice.one(['access', 'trunk', 'trunk', 'hybrid']),
    layer3At: dice.one(['tor', 'leaf', 'spine', 'none']),
    untaggedClass: dice.from(0, 7),
  }
  return inNic(inSwitch(values, { vlan }), { vlan: dice.one(['as-port', 'as-port', 'as-port', 'tagged', 'untagged']) })
}

/** Full frames pass mostly; others never arrive. */
function withMtu(dice: Dice, values: Values): Values {
  const { payload } = values['frames'] as { readonly payload: number }
  const mtu = Math.max(64, payload + dice.one([400, 400, 400, -1]))
  return dice.chance(0.5) ? inSwitch(values, { mtu }) : inNic(values, { mtu })
}

/** Buffers with room for a few packets, and caches that miss. */
function randomReceive(dice: Dice): Values {
  return {
    ...defaults(pipelineReceive.params),
    kind: 'pipeline',
    buffer: dice.one([60, 256, 1024]) * KIB,
    sharing: dice.one(['shared', 'per-class']),
    xoff: dice.seldom<number | null>(null, () => dice.log(1, 50) * KB, 0.4),
    xonOffset: dice.seldom<number | null>(null, () => dice.log(1, 20) * KB, 0.4),
    packetTime: dice.one([0, 30 * NS, 500 * NS]),
    busRate: dice.seldom<number | null>(null, () => dice.one([1e9, 64e9]), 0.4),
    translations: dice.one([1, 64, 2048]),
    pageSize: dice.one([64, 4 * KIB, 2048 * KIB]),
    missPenalty: dice.one([0, 1 * US]),
    contexts: dice.seldom<number | null>(null, () => dice.from(1, 4), 0.4),
    contextPenalty: dice.one([0, 1 * US]),
    workingSet: dice.one([1, 64 * KB, 8 * 1024 * KIB]),
    workingSetOf: dice.one(['host', 'pair']),
    access: dice.one(['random', 'sequential']),
  }
}

function randomHostDelay(dice: Dice): Values {
  const { name, params } = dice.one(hostDelays)
  return {
    ...defaults(params),
    kind: name,
    ...(name === 'exponential' ? { least: dice.one([0, 1 * US]), mean: dice.one([0, 5 * US]) } : {}),
    ...(name === 'lognormal' ? { median: 3 * US, p99: 40 * US, most: 200 * US } : {}),
    ...(name === 'quantiles' ? { points: ['0 1us', '90 3us', '100 90us'] } : {}),
  }
}

function randomBoot(dice: Dice, { hosts }: Sites): Values {
  const server = dice.from(0, hosts - 1)
  const others = Array.from({ length: hosts }, (_, host) => host).filter((host) => host !== server)
  return {
    kind: 'boot',
    server,
    hosts: dice.some(others, 1, 3),
    request: 300,
    image: dice.log(1, 60) * KB,
    start: dice.seldom(0, () => dice.from(0, 50 * US)),
    operation: dice.one(['write', 'send']),
    workRequests: dice.chance(0.2),
    trafficClass: dice.seldom<number | null>(null, () => dice.from(0, 7)),
    destinationPort: null,
    recovery: null,
    congestion: null,
    qp: null,
    tag: 'boot',
  }
}

/** One to three faults of hosts, which may overlap. */
function randomHostFaults(dice: Dice, sites: Sites): Values[] {
  return Array.from({ length: dice.one([1, 1, 2, 3]) }, () => randomHostFault(dice, sites))
}

function randomHostFault(dice: Dice, { hosts }: Sites): Values {
  const some = dice.seldom('all', () => `${dice.from(0, hosts - 1)}`, 0.9)
  const from = dice.seldom(0, () => dice.log(1, 200) * US, 0.8)
  const until = dice.seldom<number | null>(null, () => from + dice.log(1, 300) * US, 0.7)
  switch (dice.from(0, 3)) {
    case 0:
      return {
        kind: 'broadcast',
        hosts: some,
        interval: dice.log(500 * NS, 50 * US),
        size: dice.one([64, 64, 1500]),
        class: dice.from(0, 7),
        from,
        until,
      }
    case 1:
      return { kind: 'server-down', hosts: some, down: from, up: until, link: dice.one(['stays-up', 'goes-down']) }
    default:
      return {
        kind: 'pause-storm',
        hosts: some === 'all' ? 'hosts' : some,
        from,
        until,
        mode: dice.one(['pipeline-stopped', 'frames']),
        quanta: dice.log(1, 65_535),
        interval: dice.log(1 * US, 400 * US),
        classes: dice.seldom<number[]>([], () => dice.some(CLASSES, 1, 8)),
      }
  }
}
