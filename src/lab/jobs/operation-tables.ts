/**
 * Operation tables: jobs, their ranks, rounds of collectives, operations, the critical path, and operations that never began,
 * as tables of the result.
 */
import { hostName } from '../../core/base/device-names.ts'
import { hasSendCosts } from '../../core/fabric/params.ts'
import { type ColumnSpec, type Table, TableBuilder } from '../../core/results/table.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { busFactor } from '../../core/workload/collective-names.ts'
import type { OperationRow, Operations } from '../../core/workload/operations.ts'
import { idleTimes, type IdleTimes, type JobFacts, timesOf } from './idle-job.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import type { Topology } from '../../core/topology/topology.ts'
import type { Traffic } from '../run/traffic.ts'

/** A workload of operations. */
interface Job {
  readonly tag: string
  readonly index: number
  readonly operations: Operations
}

const text = (name: string): ColumnSpec => ({ name, type: 'text' })
const integer = (name: string): ColumnSpec => ({ name, type: 'integer' })
const number = (name: string): ColumnSpec => ({ name, type: 'number' })

/** Tables of all workloads, in their order; none where no workload has operations. */
export function operationTables(scenario: Scenario, built: BuiltNetwork, traffic: Traffic): Table[] {
  const jobs = traffic.sources.flatMap(({ operations }, index): Job[] =>
    operations === undefined ? [] : [{ tag: scenario.workload[index]!.tag, index, operations }],
  )
  if (jobs.length === 0) return []
  const idle = new IdleJobs(scenario, built, traffic)
  const times = jobs.map((job) => idle.timesOf(job))
  const isLogged = jobs.some(({ operations }) => operations.rowCount() > 0)
  return [
    jobTable(jobs, times, idle),
    rankTable(jobs, built),
    rounds(jobs, times),
    ...(isLogged ? [operationTable(jobs, traffic)] : []),
    criticalPath(jobs, traffic, times),
    unstarted(jobs),
  ]
}

/** Tags of workloads of operations, each once; nothing where there are none. */
export function jobsOf({ workload }: Scenario, { sources }: Traffic): { readonly jobs?: readonly string[] } {
  const tags = sources.flatMap(({ operations }, index) => (operations === undefined ? [] : [workload[index]!.tag]))
  return tags.length === 0 ? {} : { jobs: [...new Set(tags)] }
}

/** Times of the jobs of a run on an idle network. */
class IdleJobs {
  readonly #scenario: Scenario
  readonly #built: BuiltNetwork
  readonly #traffic: Traffic

  constructor(scenario: Scenario, built: BuiltNetwork, traffic: Traffic) {
    this.#scenario = scenario
    this.#built = built
    this.#traffic = traffic
  }

  timesOf(job: Job): IdleTimes {
    const own = timesOf(job.operations)
    if (this.#wasIdle()) return own
    const times = this.#run(job, 0)
    // Nothing held a run that takes no longer.
    return times.donePs > own.donePs ? { ...own, alonePs: times.donePs } : times
  }

  /** The same with links of all its hosts at the rate that is usual among them; undefined: they are. */
  evenTimesOf(job: Job): IdleTimes | undefined {
    const { operations } = job
    const rates = Array.from({ length: operations.ranks }, (_, rank) => this.#rateBps(operations.hostOf(rank)))
    const usualBps = rates.toSorted((a, b) => a - b)[rates.length >> 1]!
    return rates.some((bps) => bps < usualBps) ? this.#run(job, usualBps) : undefined
  }

  #run(job: Job, usualBps: number): IdleTimes {
    const facts: JobFacts = {
      scenario: this.#scenario,
      built: this.#built,
      paths: this.#traffic.pathsOf[job.index]!,
      rateBps: (host, port) => this.#rateBps(host, port),
    }
    return idleTimes(job, facts, usualBps)
  }

  /** The run itself was that of one job on an idle network: it need not run again. */
  #wasIdle(): boolean {
    const { congestion, workload, faults, changes, nic } = this.#scenario
    const { topology, network } = this.#built
    const { counters } = network.fabric
    const isAlone = workload.length === 1 && faults.length === 0 && changes.length === 0
    const hasControl = (workload[0]!.congestion ?? congestion).kind !== 'none'
    const hasSlowNics = nic.receive.kind !== 'unlimited' || hasSendCosts(nic.send)
    if (!isAlone || hasControl || hasSlowNics || hasInnerLinks(topology)) return false
    return counters.pauseFrames === 0 && counters.drops.every((count) => count === 0)
  }

  #rateBps(host: number, port = -1): number {
    const { network, topology, hostPorts } = this.#built
    const endpoint = topology.hostPorts[host]![port]
    return endpoint === undefined ? hostPorts.mostBps(host) : network.nics[endpoint]!.port.rateBps
  }
}

/** Some links join two switches, so that messages may share more than those of hosts. */
function hasInnerLinks({ links, tiers }: Topology): boolean {
  return links.some(({ a, b }) => tiers[a]! > 0 && tiers[b]! > 0)
}

function jobTable(jobs: readonly Job[], times: readonly IdleTimes[], idle: IdleJobs): Table {
  const table = new TableBuilder('jobs', [
    text('tag'),
    integer('ranks'),
    integer('iterations'),
    integer('messages'),
    integer('startPs'),
    number('donePs'),
    number('idealPs'),
    number('evenPs'),
    integer('isBound'),
    number('alonePs'),
  ])
  jobs.forEach((job, i) => {
    const { tag, operations } = job
    const { ranks, iterations, startPs } = operations
    const { donePs: idlePs, isBound, alonePs = idlePs } = times[i]!
    const evenPs = Math.min(idlePs, idle.evenTimesOf(job)?.donePs ?? idlePs)
    const taken = operations.taken()
    const donePs = operations.donePs()
    const all = [idlePs - startPs, evenPs - startPs, isBound ? 1 : 0, alonePs - startPs] as const
    table.add(tag, ranks, iterations, taken, startPs, donePs, ...all)
  })
  return table.build()
}

/** The first port of each rank's host is named by its switch. */
function rankTable(jobs: readonly Job[], { topology, network }: BuiltNetwork): Table {
  const table = new TableBuilder('ranks', [
    text('tag'),
    integer('rank'),
    text('rankName'),
    integer('host'),
    text('peerName'),
    integer('port'),
    number('rateBps'),
    number('computePs'),
    number('lastDonePs'),
  ])
  for (const { tag, operations } of jobs) {
    const { computePs, donePs } = operations.byRank()
    for (let rank = 0; rank < operations.ranks; rank++) {
      const host = operations.hostOf(rank)
      const { peer, rateBps } = network.nics[topology.hostPorts[host]![0]!]!.port
      const at = [topology.names[peer.node]!, peer.index] as const
      table.add(tag, rank, hostName(host), host, ...at, rateBps, computePs[rank]!, donePs[rank]!)
    }
  }
  return table.build()
}

function rounds(jobs: readonly Job[], times: readonly IdleTimes[]): Table {
  const table = new TableBuilder('collectives', [
    text('tag'),
    text('name'),
    text('operation'),
    text('algorithm'),
    integer('group'),
    integer('iteration'),
    integer('ranks'),
    integer('sizeBytes'),
    integer('elementBytes'),
    integer('startPs'),
    number('donePs'),
    number('medianDonePs'),
    integer('lastRank'),
    text('lastName'),
    number('algorithmBps'),
    number('busBps'),
    number('idealStartPs'),
    number('idealPs'),
    number('idealRatio'),
  ])
  jobs.forEach(({ tag, operations }, i) => {
    operations.rounds().forEach((round, at) => {
      const { name, operation, algorithm, group, iteration, ranks, sizeBytes } = round
      const { startPs, endPs, medianEndPs, lastRank } = round
      const sizes = [sizeBytes, round.elementBytes] as const
      // Where nothing was sent it took no time, and there is no bandwidth.
      const spanPs = endPs - startPs
      const bps = spanPs > 0 ? (sizeBytes * 8e12) / spanPs : NaN
      const last = [lastRank, hostName(operations.hostOf(lastRank))] as const
      const rates = [bps, bps * busFactor(operation, ranks)] as const
      const idle = times[i]!.rounds[at]
      const idealPs = idle === undefined ? NaN : idle.endPs - idle.startPs
      const ideals = [idle?.startPs ?? NaN, idealPs, idealPs > 0 ? spanPs / idealPs : NaN] as const
      const what = [tag, name, operation, algorithm, group, iteration, ranks] as const
      table.add(...what, ...sizes, startPs, endPs, medianEndPs, ...last, ...rates, ...ideals)
    })
  })
  return table.build()
}

/** Where an operation is in a collective: -1 where it is in none. */
function spotOf(operations: Operations, id: number): readonly [iteration: number, step: number] {
  const { iteration = -1, step = -1 } = operations.spotOf(id) ?? {}
  return [iteration, step]
}

/** Row of the flow table; NaN: it had no message in the network. */
function flowOf(traffic: Traffic, index: number, { message }: OperationRow): number {
  const row = message < 0 ? -1 : traffic.rowOf(index, message)
  return row < 0 ? NaN : row
}

/** A row for each operation that could begin. Names occur again and again: each is one text. */
function operationTable(jobs: readonly Job[], traffic: Traffic): Table {
  const table = new TableBuilder('operations', [
    text('tag'),
    integer('rank'),
    text('rankName'),
    integer('id'),
    text('kind'),
    text('operation'),
    integer('iteration'),
    integer('step'),
    integer('peer'),
    integer('sizeBytes'),
    integer('messageTag'),
    integer('stream'),
    integer('readyPs'),
    number('beginPs'),
    number('arrivedPs'),
    number('donePs'),
    integer('after'),
    integer('sendId'),
    number('flow'),
  ])
  const names = new Map<string, string>()
  const one = (name: string): string => {
    const known = names.get(name)
    if (known === undefined) names.set(name, name)
    return known ?? name
  }
  for (const { tag, index, operations } of jobs) {
    for (let at = 0; at < operations.rowCount(); at++) {
      const row = operations.rowAt(at)
      const { id, kind, rank, peer, sizeBytes, stream, readyPs, beginPs, arrivedPs, donePs, cause } = row
      const what = [id, kind, one(operations.nameOf(id)), ...spotOf(operations, id)] as const
      const size = kind === 'send' || kind === 'receive' ? [peer, sizeBytes, row.tag] : [-1, 0, -1]
      const after = cause < 0 ? -1 : operations.rowAt(cause).id
      const sendId = row.partner < 0 ? -1 : operations.rowAt(row.partner).id
      const times = [readyPs, beginPs, arrivedPs, donePs] as const
      const name = one(hostName(operations.hostOf(rank)))
      table.add(tag, rank, name, ...what, ...size, stream, ...times, after, sendId, flowOf(traffic, index, row))
    }
  }
  return table.build()
}

/**
 * Pieces in order of time. Those of messages have the message's row, what it would have taken alone in the network, and what
 * it takes in the idle run.
 */
function criticalPath(jobs: readonly Job[], traffic: Traffic, times: readonly IdleTimes[]): Table {
  const table = new TableBuilder('critical-path', [
    text('tag'),
    text('piece'),
    text('operation'),
    integer('id'),
    integer('iteration'),
    integer('step'),
    integer('rank'),
    text('rankName'),
    integer('fromPs'),
    integer('toPs'),
    number('flow'),
    number('idealPs'),
    number('idlePs'),
  ])
  jobs.forEach(({ tag, index, operations }, i) => {
    for (const { kind, operation, fromPs, toPs } of operations.criticalPath()) {
      const { id, rank } = operation
      const flow = kind === 'message' ? flowOf(traffic, index, operation) : NaN
      const idealPs = Number.isNaN(flow) ? NaN : traffic.log.get('idealPs', flow)
      const spot = [id, ...spotOf(operations, id)] as const
      const name = hostName(operations.hostOf(rank))
      const idlePs = Number.isNaN(flow) ? NaN : times[i]!.messagePs(id)
      table.add(tag, kind, operations.nameOf(id), ...spot, rank, name, fromPs, toPs, flow, idealPs, idlePs)
    }
  })
  return table.build()
}

function unstarted(jobs: readonly Job[]): Table {
  const table = new TableBuilder('unstarted', [
    text('tag'),
    integer('rank'),
    text('rankName'),
    text('operation'),
    text('waitsFor'),
    integer('id'),
  ])
  for (const { tag, operations } of jobs) {
    for (const { rank, id, waitsFor } of operations.unstarted()) {
      const names = [operations.nameOf(id), operations.nameOf(waitsFor)] as const
      table.add(tag, rank, hostName(operations.hostOf(rank)), ...names, id)
    }
  }
  return table.build()
}
