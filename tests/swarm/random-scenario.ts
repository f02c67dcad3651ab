/**
 * Random scenarios for the swarm: tiny networks with every feature of a scenario, run in milliseconds.
 * Values are drawn in base units around a default scenario, printed, and parsed again, so that all rules have passed.
 * Scenarios that only the build can refuse (a buffer too small for its headroom) are drawn again by the caller.
 */
import { defaultsOf, GBPS, KB, MS, NS, type ParamFields, US } from '../../src/core/base/params.ts'
import { InputError } from '../../src/core/base/issue.ts'
import { topologyOf } from '../../src/lab/index.ts'
import { checkScenario, parseScenario, printScenario, type Scenario } from '../../src/lab/scenario/index.ts'
import { topologies } from '../../src/core/topology/index.ts'
import { Dice } from './dice.ts'
import { randomAdditions } from './random-fabric.ts'
import { randomChanges, withTimes } from './random-incidents.ts'
import { randomJobs } from './random-jobs.ts'
import { randomCongestion, randomQp, randomRecovery, randomTrimmed, withTcp } from './random-transport.ts'
import { randomWatchdog } from './random-watchdog.ts'
import { randomVerbs, randomWorkload } from './random-workload.ts'

/** Values of a scenario before they are checked by parsing; rules take them by a cast, as they look for mistakes in them. */
export type Values = Record<string, unknown>

/** Properties that the parts of a scenario must agree on. */
export interface Setting {
  readonly hosts: number
  /** Node ids of both ends of each link. */
  readonly links: readonly (readonly [number, number])[]
  /** Host positions by rack. */
  readonly racks: readonly number[][]
  readonly payload: number
  readonly slowestBps: number
  /** Dice of their own for work requests, so that all else is drawn as without them. */
  readonly work: Dice
  /** Share of workloads that post work requests. */
  readonly workShare: number
}

/** Shares of a swarm's scenarios, 0..1. */
export interface World {
  /** Those whose hosts may have several ports. */
  readonly ports: number
  /** Workloads that post work requests. */
  readonly work: number
  /** Worlds with several ports: graphs whose hosts have one to three, at unequal rates. */
  readonly unequal: number
  /** Scenarios with jobs, whose messages wait for each other; without other traffic in `jobsAlone` of them. */
  readonly jobs: number
  readonly jobsAlone: number
}

export const ANY_WORLD: World = { ports: 0.2, work: 0.3, unequal: 0, jobs: 0, jobsAlone: 0 }
/** Work requests on several ports, with whatever else there is. */
export const PORTS_WORLD: World = { ports: 1, work: 0.7, unequal: 0.3, jobs: 0, jobsAlone: 0 }
/** Jobs side by side, mostly without other traffic. */
export const JOBS_WORLD: World = { ports: 0.4, work: 0.3, unequal: 0.3, jobs: 1, jobsAlone: 0.7 }

const DEFAULTS = parseScenario('{name: swarm, topology: star, workload: [permutation]}')
const RATES = [1, 10, 25, 40, 100, 400].map((gbps) => gbps * GBPS)
const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7]

/** The scenario of a seed. Throws InputError now and then: draw the next one. */
export function randomScenario(seed: number, world: World = ANY_WORLD): Scenario {
  const dice = new Dice(seed)
  const several = new Dice(seed ^ 0x9047)
  const single = randomTopology(dice)
  const hasPorts = several.chance(world.ports)
  const isUnequal = hasPorts && new Dice(seed ^ 0x9048).chance(world.unequal)
  const ports = isUnequal ? randomUnequal(several) : hasPorts ? randomPorts(several) : single
  const topology = withRates(ports, new Dice(seed ^ 0x7a7e5))
  const payload = dice.one([1, 64, 256, 1000, 1024, 1024, 1024, 4096, 9000])
  const setting = settingOf(topology, payload, new Dice(seed ^ 0x5eed), world.work)
  const classes = dice.seldom(DEFAULTS.classes as Values, () => randomClasses(dice))
  const pfc = randomPfc(dice, classes)
  const measure = randomMeasure(dice)
  const congestion = randomCongestion(dice)
  const qp = randomQp(dice, congestion['kind'] as string, payload)
  // All else is drawn as without it.
  const trims = new Dice(seed ^ 0x7217)
  const values: Values = {
    ...DEFAULTS,
    name: `swarm-${seed}`,
    seed,
    time: dice.seldom(DEFAULTS.time as Values, () => ({
      quantum: dice.one([1, 1 * NS, 800, 7]),
      rounding: dice.one(['nearest', 'truncate-q64']),
    })),
    topology,
    balance: randomBalance(dice, setting, new Dice(seed ^ 0x9a7)),
    frames: randomFrames(dice, payload),
    classes,
    ...randomNic(dice, randomPortRules(several, hasPorts), setting),
    switch: {
      ...randomSwitch(dice, classes, payload, congestion['kind'] === 'ldcp'),
      trimming: randomTrimming(trims, classes),
      forwarding: randomForwarding(new Dice(seed ^ 0xc07)),
      watchdog: randomWatchdog(new Dice(seed ^ 0xd06)),
    },
    pfc,
    qp,
    recovery: randomTrimmed(trims, randomRecovery(dice, qp, congestion['kind'] as string)),
    congestion,
    workload: withJobs(randomWorkload(dice, setting), setting, world, new Dice(seed ^ 0x10b5)),
    verbs: randomVerbs(setting.work),
    faults: dice.chance(0.6) ? randomFaults(dice, setting) : [],
    changes: [],
    measure,
    observe: [],
  }
  fill(values, DEFAULTS as unknown as Values)
  // A congestion control that needs ACKs needs those of READs too.
  const issues = checkScenario(values as unknown as Scenario)
  if (issues.some(({ path }) => path.join('.') === 'qp.readAcks')) qp['readAcks'] = true
  const plain = withIncidents(mixed(values, seed, payload), seed)
  const hosts = withHosts(plain, seed)
  const isSound = checkScenario(hosts as unknown as Scenario).length === 0
  const added = withAdditions(isSound ? hosts : plain, setting, seed)
  return parseScenario(JSON.stringify(printScenario(added as unknown as Scenario)))
}

/** Workloads with jobs beside them, or in their place; by dice of their own, so that all else is drawn as without. */
function withJobs(workload: Values[], setting: Setting, { jobs, jobsAlone }: World, dice: Dice): Values[] {
  if (!dice.chance(jobs)) return workload
  const own = randomJobs(dice, setting)
  return dice.chance(jobsAlone) ? own : [...workload, ...own]
}

/** Settings of NICs, and in every third scenario the rules of another simulator. */
function randomNic(dice: Dice, ports: Values, setting: Setting): Values {
  // Two draws, so that all else is drawn as by earlier versions.
  const isOther = dice.one([true, false])
  const packetsPerTurn = dice.seldom(1, () => dice.one([2, 16, 1000]))
  const compat = dice.one(['none', 'hpcc', 'conweave'])
  const sourcePorts = dice.one(['random', 'per-pair', 'per-source'])
  const nic = { ...ports, packetsPerTurn, sourcePorts, ...randomAddresses(dice, setting) }
  return { nic, compat: isOther ? compat : 'none' }
}

/** Mechanisms of lossless fabrics, each where the scenario is valid with it. */
function withAdditions(values: Values, { hosts }: Setting, seed: number): Values {
  const { names, tiers } = topologyOf(values as unknown as Scenario)
  const switches = names.filter((_, node) => tiers[node] !== 0)
  return randomAdditions(new Dice(seed ^ 0x52fa), { hosts, switches }).reduce((before, add) => {
    const after = add(before)
    return checkScenario(after as unknown as Scenario).length === 0 ? after : before
  }, values)
}

/** Faults for a time, and changes of parameters, where the scenario is valid with them. */
function withIncidents(values: Values, seed: number): Values {
  const dice = new Dice(seed ^ 0x5a7)
  const topology = topologyOf(values as unknown as Scenario)
  const names = topology.names.filter((_, node) => topology.tiers[node] !== 0)
  const timed = { ...values, changes: [], faults: withTimes(dice, values['faults'] as Values[], names) }
  const changed = { ...timed, changes: randomChanges(dice, values, names) }
  const read = parseScenario.bind(null, JSON.stringify(printScenario(changed as unknown as Scenario)))
  try {
    read()
    return changed
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return timed
  }
}

/** Settings for TCP, from dice of their own, so that earlier cases stay the same. */
function withHosts(values: Values, seed: number): Values {
  const dice = new Dice(seed ^ 0x7c9)
  const workload = (values['workload'] as Values[]).map((source) =>
    (source['recovery'] ?? null) === null ? source : withTcp(dice, source),
  )
  return { ...withTcp(dice, values), workload }
}

/** Some workloads with schemes of their own, where these get what they need. */
function mixed(values: Values, seed: number, payload: number): Values {
  const dice = new Dice(seed ^ 0x3171)
  const trims = new Dice(seed ^ 0x7218)
  const withSchemes = (source: Values): Values => {
    if (dice.chance(0.6)) return source
    const congestion = randomCongestion(dice)
    const qp = { ...DEFAULTS.qp, ...randomQp(dice, congestion['kind'] as string, payload), readAcks: true }
    return {
      ...source,
      congestion,
      qp,
      recovery: randomTrimmed(trims, randomRecovery(dice, qp, congestion['kind'] as string)),
    }
  }
  const mix = { ...values, workload: (values['workload'] as Values[]).map(withSchemes) }
  return checkScenario(mix as unknown as Scenario).length === 0 ? mix : values
}

/** @param own dice for port-dependent choices, so that all else is drawn as without them */
function randomBalance(dice: Dice, setting: Setting, own: Dice): Values {
  const plain = dice.one<Values>([
    randomEcmp(dice, setting),
    { kind: 'spray', pick: dice.one(['random', 'round-robin']) },
  ])
  const gap = own.one([0, 1, 100 * NS, 1 * US, 5 * US, 100 * US])
  const entries = own.one([1, 2, 7, 65_536, 131_072])
  return own.one<Values>([
    plain,
    plain,
    { kind: 'flowlet', gap, entries, pick: own.one(['random', 'least-queue']) },
    {
      kind: 'adaptive',
      per: own.one(['packet', 'packet', 'flowlet', 'flow']),
      gap,
      entries,
      step: own.one([0, 0, 1 * KB, 20 * KB]),
      refresh: own.one([0, 0, 100 * NS, 2 * US, 50 * US]),
    },
  ])
}

/** @param own dice for rates of single links, so that all else is drawn as without them */
function withRates(topology: Values, own: Dice): Values {
  const rate = (): string => `${own.one(RATES)}bps`
  const isTiered = own.one([true, false, false])
  const tiers: Record<string, readonly string[]> = {
    'fat-tree': ['hostRate', 'edgeAggregationRate', 'aggregationCoreRate'],
    'clos-podset': ['serverRate', 'torLeafRate', 'leafSpineRate'],
  }
  const kind = String(topology['kind'])
  const { params } = topologies.find(({ name }) => name === kind)!
  const names = isTiered ? (tiers[kind] ?? []) : []
  const more = kind === 'fat-tree' && own.one([true, false]) ? { hostsPerEdge: own.from(1, 3) } : {}
  const single = kind === 'graph' || own.one([true, true, false]) ? {} : { rates: [`${own.from(0, 2)}: ${rate()}`] }
  return {
    ...defaultsOf<ParamFields>(params),
    ...topology,
    ...Object.fromEntries(names.map((name) => [name, own.one(RATES)])),
    ...more,
    ...single,
  }
}

function randomTopology(dice: Dice): Values {
  const rate = (): number => dice.one(RATES)
  const delay = (): number => dice.one([0, 1, 100 * NS, 500 * NS, 1 * US, 3 * US])
  switch (dice.from(0, 6)) {
    case 0:
    case 1:
      return { kind: 'star', hosts: dice.from(2, 6), linkRate: rate(), linkDelay: delay() }
    case 2:
      return {
        kind: 'dumbbell',
        leftHosts: dice.from(1, 3),
        rightHosts: dice.from(1, 3),
        hostRate: rate(),
        hostDelay: delay(),
        bottleneckRate: rate(),
        bottleneckDelay: delay(),
      }
    case 3:
      return {
        kind: 'leaf-spine',
        leaves: dice.from(1, 3),
        spines: dice.from(1, 3),
        hostsPerLeaf: dice.from(2, 3),
        hostRate: rate(),
        fabricRate: rate(),
        hostDelay: delay(),
        fabricDelay: delay(),
      }
    case 4:
      return { kind: 'fat-tree', arity: dice.one([2, 4]), linkRate: rate(), linkDelay: delay() }
    case 5: {
      const leaves = dice.from(1, 2)
      return {
        kind: 'clos-podset',
        podsets: dice.from(1, 2),
        leaves,
        tors: dice.from(1, 2),
        serversPerTor: dice.from(2, 3),
        spines: leaves * dice.from(1, 2),
        linkRate: rate(),
        serverDelay: delay(),
        torLeafDelay: delay(),
        leafSpineDelay: delay(),
      }
    }
    default:
      return randomGraph(dice)
  }
}

/** Hosts with several ports, as many each on rails and planes, and one or two on two switches of a graph. */
function randomPorts(dice: Dice): Values {
  const rates = { hostRate: dice.one(RATES), fabricRate: dice.one(RATES) }
  const delays = { hostDelay: dice.one([0, 500 * NS, 1 * US]), fabricDelay: dice.one([0, 1 * US]) }
  const groups = dice.from(1, 2)
  const spines = dice.from(groups - 1, 2)
  switch (dice.from(0, 2)) {
    case 0:
      return {
        kind: 'rails',
        rails: dice.from(2, 4),
        groups,
        hostsPerGroup: dice.from(2, 3),
        spines,
        ...rates,
        ...delays,
      }
    case 1:
      return {
        kind: 'planes',
        planes: dice.from(2, 3),
        leaves: dice.from(1, 2),
        spines: dice.from(1, 2),
        hostsPerLeaf: 2,
        ...rates,
        ...delays,
      }
    default: {
      const hosts = dice.from(2, 4)
      const link = (a: number, b: number): string =>
        `${a} ${b} ${dice.one([10, 40, 100])}Gbps ${dice.one(['0ps', '1us'])}`
      const links = [link(hosts, hosts + 1)]
      for (let host = 0; host < hosts; host++) {
        const first = dice.from(0, 1)
        links.push(link(host, hosts + first))
        if (dice.chance(0.7)) links.push(link(hosts + 1 - first, host))
      }
      return { kind: 'graph', nodes: hosts + 2, switches: [hosts, hosts + 1], links, routes: [] }
    }
  }
}

/** Hosts with one to three ports on two or three switches, and now and then a link between two hosts. */
function randomUnequal(dice: Dice): Values {
  const [hosts, switches] = [dice.from(2, 4), dice.from(2, 3)]
  const link = (a: number, b: number): string =>
    `${a} ${b} ${dice.one([10, 40, 100])}Gbps ${dice.one(['0ps', '1us', '3us'])}`
  const links = Array.from({ length: switches - 1 }, (_, s) => link(hosts + s, hosts + s + 1))
  const most = dice.from(0, hosts - 1)
  for (let host = 0; host < hosts; host++) {
    const ports = host === most ? dice.from(2, 3) : dice.from(1, 3)
    for (let port = 0; port < ports; port++) links.push(link(host, hosts + dice.from(0, switches - 1)))
  }
  if (dice.chance(0.3)) links.push(link(0, 1))
  return {
    kind: 'graph',
    nodes: hosts + switches,
    switches: Array.from({ length: switches }, (_, s) => hosts + s),
    links,
    routes: [],
  }
}

function randomPortRules(dice: Dice, hasPorts: boolean): Values {
  if (!hasPorts) return { portChoice: 'bound', portDown: 'move', portUp: 'return' }
  return {
    portChoice: dice.one(['bound', 'spray', 'least-queue']),
    portDown: dice.one(['move', 'move', 'stay']),
    portUp: dice.one(['return', 'stay']),
  }
}

/** A ring or chain of switches with a host or two on each, links all different, some lossy, some doubled. */
function randomGraph(dice: Dice): Values {
  const switches = dice.from(1, 4)
  const hosts = Math.max(2, switches * dice.from(1, 2))
  const link = (a: number, b: number): string => {
    const loss = dice.seldom('', () => ` loss=${dice.one([0.001, 0.02])}`, 0.15)
    return `${a} ${b} ${dice.one([10, 25, 40, 100])}Gbps ${dice.one(['0ps', '500ns', '1us', '2us'])}${loss}`
  }
  const links: string[] = []
  for (let host = 0; host < hosts; host++) links.push(link(host, hosts + (host % switches)))
  for (let s = 1; s < switches; s++) links.push(link(hosts + s - 1, hosts + s))
  if (switches > 2 && dice.chance(0.5)) links.push(link(hosts, hosts + switches - 1))
  if (switches > 1 && dice.chance(0.4)) links.push(link(hosts, hosts + 1))
  return {
    kind: 'graph',
    nodes: hosts + switches,
    switches: Array.from({ length: switches }, (_, s) => hosts + s),
    links,
    routes: [],
  }
}

/** Hash seeds of each kind, at times with one given by hand. */
function randomEcmp(dice: Dice, { links }: Setting): Values {
  const seed = dice.one(['node', 'random', 'same'])
  // Hosts come first: the highest node is a switch.
  const last = Math.max(...links.flat())
  return { kind: 'ecmp', seed, seeds: seed === 'same' ? [`${last}: 7`] : [] }
}

function randomAddresses(dice: Dice, { hosts }: Setting): Values {
  const firstAddress = dice.one(['10.0.0.1', '192.168.255.0'])
  return { firstAddress, addresses: firstAddress === '10.0.0.1' ? [] : ['0: 10.9.8.7', `${hosts - 1}: 10.9.8.6`] }
}

function settingOf(topology: Values, payload: number, work: Dice, workShare: number): Setting {
  // topologyOf() reads the topology only.
  const { endpoints, hostPorts, links } = topologyOf({ topology } as never)
  const racks = new Map<number, number[]>()
  hostPorts.forEach(([first], position) => {
    const host = endpoints[first!]!
    const link = links.find(({ a, b }) => a === host || b === host)
    const above = link?.a === host ? link.b : (link?.a ?? -1)
    racks.set(above, [...(racks.get(above) ?? []), position])
  })
  return {
    hosts: hostPorts.length,
    links: links.map(({ a, b }) => [a, b] as const),
    racks: [...racks.values()],
    payload,
    slowestBps: Math.min(...links.map(({ rateBps }) => rateBps)),
    work,
    workShare,
  }
}

function randomClasses(dice: Dice): Values {
  const data = dice.from(0, 7)
  const near = (): number => dice.seldom(data, () => dice.from(0, 7), 0.5)
  const asData = (): number | null => dice.seldom<number | null>(null, () => dice.from(0, 7), 0.5)
  return {
    data,
    ackAtHost: asData(),
    ackAtSwitch: asData(),
    cnpAtHost: near(),
    cnpAtSwitch: near(),
    classify: dice.one(['dscp', 'pcp']),
    dscpMap: dice.seldom<string[]>([], () => [dice.one(['0-63: 3', '46: 6', '5: 0', '1-4: 2'])], 0.3),
  }
}

function randomPfc(dice: Dice, classes: Values): Values {
  return {
    classes: dice.seldom([classes['data']], () => dice.some(CLASSES, 0, 8), 0.4),
    ...randomQuanta(dice, classes),
    expiry: dice.chance(0.6),
    refresh: dice.one([0, 0.5, 0.5, 1]),
    repeat: dice.chance(0.2),
    reactionTime: dice.seldom(0, () => dice.from(1, 2 * US), 0.3),
  }
}

/** Every second time the class of data has half of the others'. */
function randomQuanta(dice: Dice, classes: Values): Values {
  const quanta = dice.log(20, 65_535)
  return { quanta, byClass: quanta % 2 === 0 ? [{ class: classes['data'], quanta: quanta / 2 }] : [] }
}

function randomFrames(dice: Dice, payload: number): Values {
  const standard = { ...DEFAULTS.frames, payload }
  if (dice.chance(0.6)) return standard
  return {
    ...standard,
    dataOverhead: dice.from(0, 100),
    writeOverhead: dice.from(0, 64),
    everyOverhead: dice.one([0, 8, 42]),
    ack: dice.from(1, 90),
    readRequest: dice.from(1, 90),
    cnp: dice.from(1, 90),
    cnm: dice.from(1, 130),
    telemetry: dice.one([0, 42, 200]),
    rttProbe: dice.from(1, 90),
    pfc: dice.from(1, 64),
    gap: dice.one([0, 20]),
    vlanTag: dice.one([0, 4]),
    minimum: dice.one([0, 64, 128]),
  }
}

function randomSwitch(dice: Dice, classes: Values, payload: number, hasWred: boolean): Values {
  const ecnClasses = [...new Set([classes['data'] as number, ...dice.some(CLASSES, 0, 2)])]
  const kmin = dice.one([0, 5 * KB, dice.from(0, 60 * KB)])
  return {
    buffer: dice.chance(0.45) ? randomInputQueued(dice, payload) : randomShared(dice, classes),
    latency: dice.seldom(0, () => dice.from(1, 1 * US), 0.3),
    release: dice.one(['start', 'end']),
    strictClasses: dice.some(CLASSES, 0, 3),
    scheduler: dice.one(['round-robin', 'dwrr']),
    weights: CLASSES.map(() => dice.one([0, 0.1, 1, 1, 2, 5])),
    dwrrQuantum: dice.one([64, 1600, 9000]),
    ecn: {
      classes: ecnClasses,
      kmin,
      kmax: kmin + dice.one([0, dice.from(0, 100 * KB)]),
      pmax: dice.one([0, 0.01, 0.2, 1]),
      byRate: dice.seldom<Values[]>([], () => [{ rate: 100 * GBPS, kmin: 2 * KB, kmax: 9 * KB, pmax: 0.5 }], 0.2),
      at: dice.one(['enqueue', 'dequeue']),
      compare: dice.one(['at-least', 'above']),
    },
    qcn: {
      classes: [...new Set([classes['data'] as number, ...dice.some(CLASSES, 0, 2)])],
      setPoint: dice.one([33 * KB, dice.log(1, 60 * KB)]),
      weight: dice.one([0, 2, 2, 10]),
      sampleBase: dice.log(1, 150 * KB),
      jitter: dice.one([0, 0.15, 1]),
    },
    telemetry: {
      timeUnit: dice.one([1, 1 * NS, 100 * NS]),
      sentUnit: dice.one([1, 128, 5000]),
      queueUnit: dice.one([1, 80, 5000]),
    },
    wred: {
      classes: [
        ...new Set([
          ...(hasWred ? [classes['data'] as number] : []),
          ...dice.seldom<number[]>([], () => dice.some(CLASSES, 1, 5), 0.35),
        ]),
      ],
      threshold: dice.from(0, 20 * KB),
    },
  }
}

/** Trimming in every second case; headers mostly go before the data, in a class of their own. */
function randomTrimming(dice: Dice, classes: Values): Values {
  return {
    of: dice.one(['none', 'lossy', 'listed']),
    classes: [...new Set([classes['data'] as number, ...dice.some(CLASSES, 0, 2)])],
    size: dice.one([64, 64, 100, 1000]),
    // The default map, and those that are drawn, lead to these.
    class: dice.one([3, 6, 7]),
    early: dice.chance(0.7),
  }
}

/** Every third time cut-through; drawn by dice of its own, so that all else is as without it. */
function randomForwarding(dice: Dice): Values {
  const header = dice.one([14, 64, 64, 128, dice.log(14, 9216)])
  return dice.seldom<Values>({ kind: 'store-and-forward' }, () => ({ kind: 'cut-through', header }), 0.33)
}

/** Input-queued buffers, from one packet to more than most cases ever store. */
function randomInputQueued(dice: Dice, payload: number): Values {
  const portBuffer = (payload + 100) * dice.log(2, 80)
  const xoff = Math.floor(portBuffer * dice.one([1, 0.9, 0.7, 0.3]))
  return { kind: 'input-queued', portBuffer, xoff, xonOffset: Math.floor(xoff * dice.one([0, 0, 0.1, 0.9])) }
}

function randomShared(dice: Dice, classes: Values): Values {
  const headroom = dice.seldom<number | null>(null, () => dice.log(1, 20 * KB), 0.7)
  const size = dice.log(20 * KB, (headroom === null ? 2000 : 300) * KB)
  return {
    kind: 'shared-buffer',
    size,
    reserve: dice.one([0, 1000, 4096]),
    reservedClasses: dice.one([0, 1, 1, 8]),
    alpha: dice.one([1 / 64, 1 / 64, 1 / 16, 1 / 8, 1, 4]),
    alphaScaling: dice.one(['none', 'double-per-rate']),
    // No draws of their own, so that all else stays the same.
    ingressLimit: size % 3 === 0 ? 'pool' : size % 3 === 1 ? 'threshold' : 'total',
    byClass: size % 4 === 0 ? [{ class: classes['data'], alpha: 2, egressAlpha: size % 8 === 0 ? 0.2 : null }] : [],
    egressAlpha: dice.one([0.1, 1, 8]),
    egressReserve: dice.one([0, 0, 1049]),
    egressLimit: dice.one(['lossy', 'lossy', 'all']),
    headroom,
    headroomFormula: dice.one(['strict', 'delay-rate']),
    headroomFactor: dice.one([0, 2, 3]),
    headroomExtra: dice.one([0, 2096]),
    headroomPer: dice.one(['class', 'port']),
    xonOffset: dice.one([0, 1, 3072, 20 * KB]),
    pool: dice.one(['after-reserves', 'whole']),
  }
}

/** Mostly one fault, at times several: losses of every kind, and links that go down and come back. */
function randomFaults(dice: Dice, setting: Setting): Values[] {
  return Array.from({ length: dice.one([1, 1, 1, 2, 3]) }, () => randomFault(dice, setting))
}

function randomFault(dice: Dice, { links }: Setting): Values {
  const [a, b] = dice.one(links)
  const selector = {
    links: dice.one(['all', 'all', 'hosts', 'fabric', `${a}-${b}`, `${a}>${b}`, `${b}>${a}`]),
    packets: dice.one(['data', 'data', 'both', 'control']),
  }
  switch (dice.from(0, 6)) {
    case 0:
      return { kind: 'bernoulli', probability: dice.one([1e-3, 0.01, 0.1, 0.3, 1]), ...selector }
    case 1:
      return { kind: 'every-nth', n: dice.log(2, 60), offset: dice.from(0, 9), ...selector }
    case 2:
      return { kind: 'ip-id', lowByte: dice.from(0, 40), ...selector }
    case 3: {
      const chain = { toBad: dice.one([0.01, 0.1]), toGood: dice.one([0.1, 0.5, 1]) }
      return {
        kind: 'gilbert-elliott',
        ...chain,
        lossGood: dice.one([0, 0.01]),
        lossBad: dice.one([0.5, 1]),
        ...selector,
      }
    }
    case 4:
      return { kind: 'corruption', bitErrorRatio: dice.one([1e-6, 1e-5, 1e-4]), links: selector.links }
    default: {
      const down = dice.log(1, 300) * US
      const up = dice.seldom<number | null>(null, () => down + dice.log(1, 200) * US, 0.75)
      return {
        kind: 'link-down',
        links: `${a}-${b}`,
        down,
        up,
        converge: dice.seldom(0, () => dice.log(1, 200) * US, 0.5),
      }
    }
  }
}

/** Most runs end by the clock; some only when everything is finished, or when it is clear that nothing more will be. */
function randomMeasure(dice: Dice): Values {
  const stop = dice.seldom<number | null>(null, () => dice.log(50, 4000) * US, 0.97)
  return {
    ...DEFAULTS.measure,
    generate: dice.seldom<number | null>(1 * MS, () => dice.log(10, 2000) * US, 0.3),
    end: stop !== null && dice.chance(0.2) ? 'stop' : 'drain',
    stop,
  }
}

/** Gives groups the keys that are not drawn, with their defaults; a variant of another kind stays as it is. */
function fill(values: Values, defaults: Values): void {
  for (const [key, standard] of Object.entries(defaults)) {
    const value = values[key]
    if (value === undefined) values[key] = standard
    else if (isGroup(value) && isGroup(standard) && value['kind'] === standard['kind']) fill(value, standard)
  }
}

function isGroup(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
