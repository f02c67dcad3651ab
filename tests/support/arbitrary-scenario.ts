/**
 * Random scenarios that keep all rules, for property tests of texts and as a start for swarm runs.
 * They are valid, not small: a swarm overrides values that make a run long.
 */
import { fc } from './properties.ts'
import { defaultsOf, MS, SECOND } from '../../src/core/base/params.ts'
import { checkScenario } from '../../src/lab/scenario/rules/rules.ts'
import { scenarioParams, type Scenario } from '../../src/lab/scenario/scenario.ts'
import { sizeDistributions } from '../../src/core/workload/index.ts'
import { arbitraryOf, type Overrides } from './arbitrary-values.ts'

const classes = fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 3 })

/** Distributions with their defaults; those that read texts or need values are given some. */
const sizes = sizeDistributions
  .map((definition) => ({
    kind: definition.name,
    ...defaultsOf(definition.params),
    ...(definition.name === 'cdf' ? { points: ['0 0', '10KB 100'] } : {}),
  }))
  .filter((value) => Object.values(value).every((field) => field !== undefined))

/** Texts that models read, and combinations that rules rarely let pass. */
const READABLE: Overrides = {
  'classes.dscpMap': fc.array(fc.constantFrom('8-63: 3', '46: 6', '26 : 3'), { maxLength: 2 }),
  'nic.firstAddress': fc.ipV4(),
  'nic.addresses': fc.constantFrom([], ['1: 10.9.8.7', ' 0 : 1.2.3.4']),
  'topology.rates': fc.constantFrom([], ['0: 40Gbps', 'leaf 0 - spine 1 : 1Kbps']),
  'balance.seeds': fc.constantFrom([], ['1: 7', '2 : 4294967295']),
  'pfc.classes': classes,
  'pfc.byClass': fc.constantFrom([], [{ class: 3, quanta: 7 }]),
  'switch.ecn.classes': fc.constant([3]),
  'switch.wred.classes': classes,
  'switch.qcn.classes': fc.constant([3]),
  'switch.strictClasses': classes,
  'switch.weights': fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 8, maxLength: 8 }),
  'qp.ackInterval': fc.constant(1),
  'workload.qp.ackInterval': fc.constant(1),
  'workload.qp.windowVariable': fc.constant(false),
  'faults.links': fc.constantFrom('0-1', '0-1, 2-1'),
  'topology.links': fc.constant(['0 1 40Gbps 2us', '1 2 40Gbps 2us loss=1e-4']),
  'topology.nodes': fc.constant(3),
  'topology.switches': fc.constant([1]),
  'topology.routes': fc.constantFrom([], ['1: 0 via 1']),
  'workload.trafficClass': fc.constant(null),
  'workload.sizes': fc.constantFrom(...sizes),
  'measure.warmUp': fc.integer({ min: 0, max: SECOND }),
  'measure.window': fc.constantFrom(null, MS),
}

/** Random valid scenarios; `overrides` by path as for arbitraryOf. */
export function arbitraryScenario(overrides: Overrides = {}): fc.Arbitrary<Scenario> {
  return arbitraryOf(scenarioParams, { ...READABLE, ...overrides })
    .map(restored)
    .filter((scenario) => checkScenario(scenario).length === 0)
}

/** The scenario with pairs of values such as minimum and maximum in order. */
function restored(scenario: Scenario): Scenario {
  const { ecn, buffer, watchdog } = scenario.switch
  return {
    ...scenario,
    // None that is read is empty.
    name: withoutControls(scenario.name) || 'unnamed',
    description: withoutControls(scenario.description),
    workload: scenario.workload.map((source) => ({ ...source, tag: withoutControls(source.tag) })),
    switch: {
      ...scenario.switch,
      buffer: restoredBuffer(buffer),
      watchdog: watchdog.kind === 'off' ? watchdog : withPolls(watchdog),
      ecn: {
        ...ecn,
        kmax: Math.max(ecn.kmin, ecn.kmax),
        byRate: ecn.byRate.slice(0, 1).map((row) => ({ ...row, kmax: Math.max(row.kmin, row.kmax) })),
      },
    },
    qp: { ...scenario.qp, windowVariable: scenario.qp.windowVariable && scenario.qp.window !== null },
    faults: scenario.faults.map((fault) => (fault.kind === 'link-down' ? { ...fault, up: null } : fault)),
    measure: {
      ...scenario.measure,
      generate: scenario.measure.generate ?? MS,
      stop: scenario.measure.stop === null ? null : scenario.measure.warmUp + 1,
    },
  }
}

type Watchdog = Exclude<Scenario['switch']['watchdog'], { readonly kind: 'off' }>

function withPolls(watchdog: Watchdog): Watchdog {
  const { pollInterval, detectionTime, restorationTime } = watchdog
  return {
    ...watchdog,
    action: 'drop',
    detectionTime: Math.max(pollInterval, detectionTime),
    restorationTime: restorationTime === null ? null : Math.max(pollInterval, restorationTime),
  }
}

function restoredBuffer(buffer: Scenario['switch']['buffer']): Scenario['switch']['buffer'] {
  switch (buffer.kind) {
    case 'input-queued':
      return {
        ...buffer,
        xoff: Math.min(buffer.xoff, buffer.portBuffer),
        xonOffset: Math.min(buffer.xonOffset, buffer.xoff, buffer.portBuffer),
      }
    case 'shared-buffer':
      if (buffer.size === null) return buffer
      return {
        ...buffer,
        reserve: Math.min(buffer.reserve, buffer.size),
        egressReserve: Math.min(buffer.egressReserve, buffer.size),
        headroom: buffer.headroom === null ? null : Math.min(buffer.headroom, buffer.size),
      }
    default:
      return {
        ...buffer,
        ...oneLimit,
        groups: [0, 1, 2, 3, 4, 5, 6, 7],
        lossy: { ...buffer.lossy, ...oneLimit },
        profiles: buffer.profiles.map((row) => ({ ...row, ...oneLimit })),
        queues: buffer.queues.map((row) => ({ ...row, ...oneLimit })),
      }
  }
}

/** At most one way to write a limit. */
const oneLimit = { alpha: null, dynamicTh: null }

function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, '')
}
