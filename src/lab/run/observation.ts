/**
 * Observation: attaches the scenario's observers to a network; without observers it has no cost.
 */
import { InputError, inputError } from '../../core/base/issue.ts'
import { createRandomStreams } from '../../core/base/random.ts'
import { metrics } from '../metrics/index.ts'
import type { MetricContext, MetricDefinition, Observer } from '../metrics/metric.ts'
import { DROP_REASONS } from '../../core/fabric/counters.ts'
import type { Watch } from '../../core/fabric/watch.ts'
import type { Attachment } from '../../core/results/result.ts'
import type { Table } from '../../core/results/table.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { definitionOf } from '../network/definitions.ts'
import type { Mistakes } from '../network/mistakes.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { FrameEncoder } from '../capture/frame-encoder.ts'
import { PROBE_TABLE } from './probe-table.ts'
import type { Traffic } from './traffic.ts'

/** Names of the tables of jobs, which are their kinds. */
const OPERATION_TABLES = ['jobs', 'ranks', 'collectives', 'operations', 'critical-path', 'unstarted'] as const

/** Rows an observer may keep when its own parameter does not say. */
const MAX_ROWS = 200_000

export class Observation {
  readonly #observers: readonly Observer[]
  /** By observer. */
  readonly #kinds: string[] = []

  /** @param checking watches of laws */
  constructor(
    scenario: Scenario,
    built: BuiltNetwork,
    traffic: Traffic,
    mistakes: Mistakes,
    checking: readonly Watch[] = [],
  ) {
    const { network, topology } = built
    const names = new Set([...OPERATION_TABLES, PROBE_TABLE])
    const random = createRandomStreams(scenario.seed)
    const packets = new FrameEncoder(scenario, built)
    this.#observers = scenario.observe.flatMap((values, i) => {
      const definition = definitionOf<MetricDefinition>(metrics, values)
      const context: MetricContext = {
        network,
        topology,
        maxRows: MAX_ROWS,
        completion: scenario.measure.completion,
        dropReasons: DROP_REASONS,
        packets,
        random,
        watchPairs: (opened) => built.pairWatches.push(opened),
      }
      const made = mistakes.attempt(() => {
        const observer = observed(`observe.${i}`, () => definition.create(values, context))
        const { name } = observer
        if (names.has(name))
          throw inputError(`observe.${i}`, 'a table name of its own', `"${name}" again`, 'set its `table`')
        names.add(name)
        this.#kinds.push(definition.tableKind ?? definition.name)
        return observer
      })
      return made === undefined ? [] : [made]
    })
    const observing = this.#observers.flatMap((observer) => (observer.watch === undefined ? [] : [observer.watch]))
    const watches = [...observing, ...checking]
    if (watches.length > 0) network.fabric.watch = watches.length === 1 ? watches[0]! : everyone(watches)
    const listeners = this.#observers.filter((observer) => observer.onDelivered !== undefined)
    if (listeners.length > 0) {
      traffic.onMessage = (nowPs, pair, message) => {
        for (const listener of listeners) listener.onDelivered!(nowPs, pair, message)
      }
    }
    const settled = this.#observers.filter((observer) => observer.onAcknowledged !== undefined)
    if (settled.length > 0) {
      traffic.onSettled = (nowPs, pair, message) => {
        for (const listener of settled) listener.onAcknowledged!(nowPs, pair, message)
      }
    }
    for (const observer of this.#observers) {
      const { intervalPs } = observer
      if (intervalPs === undefined || observer.sample === undefined) continue
      const actor = network.addActor({
        onEvent(nowPs) {
          observer.sample!(nowPs)
          network.actAt(nowPs + intervalPs, actor)
        },
      })
      network.actAt(0, actor)
    }
  }

  /** The flow table with the columns that observers add to it. */
  withColumns(flows: Table, nowPs: number): Table {
    const added = this.#observers.flatMap((observer) => observer.flowColumns?.(flows, nowPs) ?? [])
    return added.length === 0 ? flows : { ...flows, columns: [...flows.columns, ...added] }
  }

  /** The tables of the observers, in their order. @param only observers of this kind; @param isLast the run ends here */
  tables(nowPs: number, isLast: boolean, only?: string): Table[] {
    return this.#observers.flatMap((observer, i) =>
      only !== undefined && only !== this.#kinds[i]
        ? []
        : [{ ...tableOf(observer, nowPs, isLast), kind: this.#kinds[i]! }, ...(observer.others?.(nowPs) ?? [])],
    )
  }

  /** Files of the observers that make one. */
  files(): Attachment[] {
    return this.#observers.flatMap((observer) => observer.file?.() ?? [])
  }
}

const tableOf = (observer: Observer, nowPs: number, isLast: boolean): Table =>
  isLast && observer.lastTable !== undefined ? observer.lastTable(nowPs) : observer.table(nowPs)

/** Replaces the kind of the observer, with which its issue paths begin, by its path in the scenario. */
function observed(path: string, make: () => Observer): Observer {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(error.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^[^.]*/, path) })))
  }
}

function everyone(watches: readonly Watch[]): Watch {
  return {
    onPfcReceived(nowPs, portId, classVector, pause) {
      for (const watch of watches) watch.onPfcReceived(nowPs, portId, classVector, pause)
    },
    onPauseChanged(nowPs, portId, trafficClass, isPaused) {
      for (const watch of watches) watch.onPauseChanged(nowPs, portId, trafficClass, isPaused)
    },
    onDrop(nowPs, nodeId, reason, direction, sizeBytes, packet) {
      for (const watch of watches) watch.onDrop(nowPs, nodeId, reason, direction, sizeBytes, packet)
    },
    onLinkLoss(portId, reason, packet) {
      for (const watch of watches) watch.onLinkLoss?.(portId, reason, packet)
    },
    onLink(nowPs, portId, isUp) {
      for (const watch of watches) watch.onLink?.(nowPs, portId, isUp)
    },
    onWatchdog(nowPs, event, rule, row) {
      for (const watch of watches) watch.onWatchdog?.(nowPs, event, rule, row)
    },
  }
}
