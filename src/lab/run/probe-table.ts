/** Probe table: the logs of workloads of probes as a table of the result, and how a completion status reads in them. */
import { hostName } from '../../core/base/device-names.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { type Table, TableBuilder } from '../../core/results/table.ts'
import { PortClasses } from '../scenario/class-map.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { FLUSHED, RETRY_EXCEEDED, RNR_RETRY_EXCEEDED, type Status } from '../../core/verbs/index.ts'
import type { Failure, Probe } from '../../core/workload/probe.ts'
import type { Source } from '../../core/workload/workload.ts'

/** Name of the table, and its kind. */
export const PROBE_TABLE = 'pingmesh'

/**
 * How the first unfinished message of a queue pair ended.
 * @param status of its completion; not given for plain messages, which only their retry limit or a lost server ends
 */
export function failureOf({ isReset }: QueuePair, status: Status | undefined): Failure {
  if (status === undefined) return isReset ? 'flushed' : 'retry-exceeded'
  if (status === RETRY_EXCEEDED) return 'retry-exceeded'
  if (status === RNR_RETRY_EXCEEDED) return 'rnr-exceeded'
  return status === FLUSHED ? 'flushed' : 'error'
}

/** Reports to a workload that a queue pair has failed on these messages, in their order: those behind the first are flushed. */
export function reportFailed(nowPs: number, source: Source, numbers: readonly number[], failure: Failure): void {
  numbers.forEach((number, i) => source.onFailed?.(nowPs, number, i === 0 ? failure : 'flushed'))
}

/** The logs of all workloads of probes, as one table in order of time; none where there is no such workload. */
export function probeTables(scenario: Scenario, sources: readonly Source[], nowPs: number): Table[] {
  const logs = sources.flatMap((source) => source.probes?.(nowPs) ?? [])
  return sources.some((source) => source.probes !== undefined) ? [probeTable(scenario, logs)] : []
}

function probeTable(scenario: Scenario, logs: readonly Probe[]): Table {
  const classes = new PortClasses(scenario)
  const table = new TableBuilder(PROBE_TABLE, [
    { name: 'timePs', type: 'integer' },
    { name: 'sourceName', type: 'text' },
    { name: 'destinationName', type: 'text' },
    { name: 'scope', type: 'text' },
    { name: 'sourcePort', type: 'integer' },
    { name: 'trafficClass', type: 'integer' },
    { name: 'rttPs', type: 'number' },
    { name: 'status', type: 'text' },
    { name: 'agePs', type: 'integer' },
  ])
  for (const probe of logs.toSorted((a, b) => a.startPs - b.startPs)) {
    const { startPs, source, destination, scope, sourcePort, destinationPort, trafficClass } = probe
    const ofProbe = trafficClass < 0 ? classes.of(destinationPort) : trafficClass
    const names = [hostName(source), hostName(destination)] as const
    table.add(startPs, ...names, scope, sourcePort, ofProbe, probe.rttPs, probe.status, probe.agePs)
  }
  return table.build()
}
