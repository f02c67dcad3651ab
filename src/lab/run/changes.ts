/**
 * Changes: puts the scenario's changes into force at their times. A parameter that may change during a run (`live` in its
 * declaration) has an entry in APPLIED, which brings the devices up to date; a test compares the two.
 * Nothing that is in flight is touched: stored packets stay charged where they are, and a pause that was sent lasts as
 * its frame says. docs/models/changes.md tells what each change does to packets, pauses and queue pairs.
 */
import { InputError, inputError } from '../../core/base/issue.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { hasWorkRequests } from '../scenario/rules/operations.ts'
import { withChanges } from '../scenario/changes.ts'
import { schemeSets } from '../scenario/mix.ts'
import { congestionNeeds, hasPaths } from '../network/definitions.ts'
import { frameLimitsOf } from '../network/frames.ts'
import type { DeviceValues } from '../network/device-values.ts'
import type { Mistakes } from '../network/mistakes.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { withBufferSize } from '../network/buffer-size.ts'
import { bufferOptions } from '../network/switch-buffers.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import type { Traffic } from './traffic.ts'

/** Brings a node up to date with the values in force there now. */
type Apply = (built: BuiltNetwork, node: number) => void

interface Applied {
  /** Paths of parameters, with everything below them. */
  readonly paths: readonly string[]
  readonly apply: Apply
}

const SCHEDULER = ['scheduler', 'weights', 'dwrrQuantum', 'strictClasses'].map((key) => `switch.${key}`)
/** Paths whose values belong to queue pairs: they hold for those that open afterwards. */
export const PAIR_PATHS: readonly string[] = ['recovery', 'congestion', 'qp']

export const APPLIED: readonly Applied[] = [
  { paths: ['pfc'], apply: applyPfc },
  { paths: ['switch.buffer'], apply: applyBuffer },
  { paths: ['switch.ecn'], apply: applyMarking },
  { paths: SCHEDULER, apply: applyScheduler },
  { paths: ['classes.dscpMap'], apply: applyClasses },
  { paths: ['switch.watchdog'], apply: ({ watchdogs }, node) => watchdogs.apply(node) },
]

/**
 * Schedules all changes that do not hold from the start.
 * @param traffic whose queue pairs follow changes of their schemes
 */
export function scheduleChanges(scenario: Scenario, built: BuiltNetwork, traffic: Traffic, mistakes: Mistakes): void {
  scenario.changes.forEach(({ path, at }, index) => {
    const ofPairs = isBelow(path, PAIR_PATHS)
    if (ofPairs) mistakes.attempt(() => expectPairs(scenario, built, index))
    if (at === 0) return
    const { network, values } = built
    const applied = APPLIED.find(({ paths }) => isBelow(path, paths))
    const actor = network.addActor({
      onEvent: (nowPs) => {
        network.fabric.digest.add(nowPs, CHANGE - index, 0)
        const nodes = values.begin(index)
        if (ofPairs) traffic.useSchemes(values.ofPairs())
        else for (const node of nodes) applied!.apply(built, node)
      },
    })
    network.actAt(at, actor)
  })
  mistakes.attempt(() => expectTogether(scenario, built))
}

/** Marks changes in the digest of a run: change i is CHANGE - i. */
const CHANGE = -1000

export function isBelow(path: string, paths: readonly string[]): boolean {
  return paths.some((above) => path === above || path.startsWith(`${above}.`))
}

/**
 * Tries all changes in the order of their times, before the run begins. Where nodes of changes do not exist, that has
 * been reported, and the values of the network have no changes.
 * @throws InputError for the first that does not go with those before it, or leaves a switch too little room
 */
function expectTogether(scenario: Scenario, built: BuiltNetwork): void {
  const values = built.values.restarted()
  for (const index of values.later) {
    const { path, value } = scenario.changes[index]!
    const nodes = values.begin(index)
    if (!isBelow(path, ['pfc', 'switch.buffer'])) continue
    for (const node of nodes) {
      if (built.network.switches[node] === null) continue
      try {
        bufferOptionsAt(built, values, node)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        throw new InputError(
          error.issues.map((issue) => ({
            path: `changes.${index}.value`,
            expected: `${issue.path} to be ${issue.expected}, not ${issue.received}`,
            received: `${path} = ${value}`,
            hint: issue.hint,
          })),
        )
      }
    }
  }
}

/** @throws InputError for schemes that the network was not built for */
function expectPairs(scenario: Scenario, built: BuiltNetwork, index: number): void {
  const at = `changes.${index}`
  if (hasWorkRequests(scenario)) {
    throw inputError(`${at}.path`, 'a parameter of devices', 'one of queue pairs', 'work requests keep their schemes')
  }
  const changed = withChanges(scenario, [index])
  const missing = needsOf(changed).filter((need) => !needsOf(scenario).includes(need))
  if (missing.length > 0) {
    const expected = 'a scheme that needs nothing of the network which the first does not need'
    throw inputError(`${at}.value`, expected, `one that needs ${missing.join(' and ')}`)
  }
  const { anyBytes } = frameLimitsOf(changed)
  const limits = built.frameLimits
  if (anyBytes > limits.anyBytes) {
    const hint = 'give a workload that starts later the scheme of its own instead'
    throw new InputError([
      {
        path: `${at}.value`,
        expected: `frames of at most ${limits.anyBytes} bytes, as before`,
        received: `frames of ${anyBytes} bytes`,
        hint,
      },
    ])
  }
}

/** Parts of the network that exist only where a scheme needs them. */
function needsOf(scenario: Scenario): string[] {
  const needs = schemeSets(scenario).map((set) => congestionNeeds(set.scenario))
  return [
    ...(needs.some(({ telemetry }) => telemetry === true) ? ['telemetry'] : []),
    ...(needs.some(({ qcn }) => qcn === true) ? ['qcn'] : []),
    ...(hasPaths(scenario) ? ['virtual paths'] : []),
  ]
}

function applyPfc(built: BuiltNetwork, node: number): void {
  for (const port of portsOf(built, node))
    port.usePfc(built.devices.pfc(built.values.ofPort(node, port.index), port.isOneClass))
  applyBuffer(built, node)
}

function applyBuffer(built: BuiltNetwork, node: number): void {
  const at = built.network.switches[node]
  if (at === null || at === undefined) return
  at.buffer.configure(bufferOptionsAt(built, built.values, node))
}

/** Options of the buffer of a switch, by these values. */
function bufferOptionsAt(built: BuiltNetwork, values: DeviceValues, node: number): ReturnType<typeof bufferOptions> {
  const { slowestHostBps, frameLimits: limits } = built
  const ports = portsOf(built, node).map(({ index, rateBps, delayPs }) => ({
    rateBps,
    delayPs,
    values: values.ofPort(node, index),
  }))
  // A buffer has the size that was chosen for it, whatever changes.
  const sized = withBufferSize(values.of(node), built.bufferSizes[node]!)
  return bufferOptions(sized, { node, ports, slowestHostBps, limits })
}

function applyMarking(built: BuiltNetwork, node: number): void {
  if (built.network.switches[node] === null) return
  for (const port of portsOf(built, node))
    port.useMarking(built.devices.marking(built.values.ofPort(node, port.index), port.rateBps))
}

function applyScheduler(built: BuiltNetwork, node: number): void {
  const { devices, values, network } = built
  if (network.switches[node] === null) return
  for (const port of portsOf(built, node))
    port.useScheduler(devices.scheduler(values.ofPort(node, port.index), network.fabric, true))
}

function applyClasses({ network, devices, values }: BuiltNetwork, node: number): void {
  const at = network.switches[node] ?? null
  if (at !== null) at.classOf = devices.classes(values.of(node)).classOf
}

function portsOf({ network }: BuiltNetwork, node: number): readonly Port[] {
  const at = network.switches[node]!
  // The first index of a switch's ports is 1.
  return at === null ? network.nics.filter((nic) => nic.node === node).map(({ port }) => port) : at.ports.slice(1)
}
