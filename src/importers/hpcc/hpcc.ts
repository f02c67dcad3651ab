/**
 * Scenarios of the HPCC ns-3 fork and its descendants (conweave, ns3-datacenter, SimAI): CONFIG, topology.txt, flow.txt.
 * The scenario keeps that simulator's conventions: clock, frame sizes, buffer rules, when ACKs and NAKs are sent.
 * Scenario time 0 is 2 s if no flow starts earlier, as in all sample runs.
 * Source: readers and models of the simulators named; where a model here differs, a finding of the import says so.
 */
import { idName } from '../../core/base/device-names.ts'
import { foundAt, importFindings } from '../../core/findings/index.ts'
import { BALANCES, mapBalance } from './balance.ts'
import { bytes, commonClass, ORIGIN_NS, time, type Run } from './run.ts'
import { mapFrames, mapPfc, mapSwitch } from './switch.ts'
import { chooseScheme, mapCongestion, mapQp, mapRecovery, noteCommandLine } from './transport.ts'
import { defineImporter, type Branch, type ImportInput, type Imported, type Tree } from '../importer.ts'
import { Ns3Config } from '../ns3/config.ts'
import { readCompanion, readEnvironment, readNamed, refuseCollective } from '../ns3/files.ts'
import { readNs3Flows, sizeBitsOption } from '../ns3/flows.ts'
import { hostsOfSeveralPorts, noteHostPorts } from '../ns3/ports.ts'
import { readRoutes } from '../ns3/routes.ts'
import { graphTopology, neighboursOf, NS3_DIALECTS, readNs3Topology } from '../ns3/topology.ts'
import { baseNameOf, ImportLog, nameOf, readRequired } from '../text-input.ts'

export const hpcc = defineImporter({
  name: 'hpcc',
  help: 'a run of the HPCC ns-3 simulator or a descendant of it: config.txt with the files it names',
  source:
    'alibaba-edu/High-Precision-Congestion-Control, conweave-project/conweave-ns3, inet-tub/ns3-datacenter, aliyun/SimAI, aliyun/ns-3-alibabacloud',
  dialects: NS3_DIALECTS,
  options: [
    { name: 'topology', help: 'topology file in place of TOPOLOGY_FILE', file: true },
    { name: 'flows', help: 'flow file in place of FLOW_FILE', file: true },
    {
      name: 'routes',
      help: 'dump of the next hops of each switch, in hash order; by default routes.txt beside the configuration, if it exists; none: compute the routes',
      file: true,
    },
    {
      name: 'env',
      help: 'settings made outside the configuration (conweave: IRN_BDP, SIM_STOP, BUF_BYTES); by default env.txt beside the configuration, if it exists; none: ignore it',
      file: true,
    },
    {
      name: 'rounding',
      help: 'clock: truncate as in the published simulators (default), or nearest as in builds with rounded serialization times',
      choices: ['truncate', 'nearest'],
    },
    sizeBitsOption,
    { name: 'balance', help: 'choice of paths in place of LB_MODE', choices: BALANCES },
    { name: 'congestion', help: 'congestion control in place of CC_MODE', choices: ['none', 'dcqcn'] },
    { name: 'recovery', help: 'loss recovery in place of ENABLE_IRN 1', choices: ['go-back-n'] },
  ],
  import: importHpcc,
})

function importHpcc(input: ImportInput): Imported {
  const log = new ImportLog()
  const given = NS3_DIALECTS.find((dialect) => dialect === input.options['dialect'])
  const dialect = given ?? NS3_DIALECTS[0]
  const text = readRequired(input, input.path, log, 'the configuration (config.txt)') ?? log.stop()
  refuseCollective(input.path, text, log)
  const config = new Ns3Config(input.path, text, dialect, given !== undefined, log)
  log.stopIfAny()
  const topologyFile = readNamed(input, config, 'topology', 'TOPOLOGY_FILE', dialect, log)
  const flowFile = readNamed(input, config, 'flows', 'FLOW_FILE', dialect, log)
  const scheme = chooseScheme(input, config, dialect, log)
  if (topologyFile === undefined || flowFile === undefined) return log.stop()
  const topology = readNs3Topology(topologyFile.path, topologyFile.text, dialect, log) ?? log.stop()
  const flows = readNs3Flows(flowFile.path, flowFile.text, dialect, topology, log, input.options['size-bits'] === '64')
  if (flows.length === 0) {
    if (!log.any) log.issue(undefined, flowFile.path, 'at least one flow', 'none')
    return log.stop()
  }
  // Between hosts without a link there are no paths, and looking for them takes the square of their number.
  const neighbours = neighboursOf(topology)
  if (topology.hosts.some((host) => neighbours[host]!.length === 0)) return log.stop()
  const scenario = mapScenario({
    input,
    dialect,
    log,
    config,
    topology,
    flows,
    env: readEnvironment(input, dialect, log),
    payloadBytes: config.whole('PACKET_PAYLOAD_SIZE', 1000, 1, 9216),
    originNs: flows.every((flow) => flow.startNs >= ORIGIN_NS) ? ORIGIN_NS : 0,
    scheme,
  })
  config.noteDefaults()
  log.stopIfAny()
  return { scenario, findings: log.findings }
}

function mapScenario(run: Run): Branch {
  const { dialect, topology, input } = run
  if (run.flows.some(({ trafficClass }) => trafficClass === 0)) {
    run.log.note(importFindings.differs('class-0-unbuffered', {}))
  }
  if (run.originNs > 0) run.log.note(importFindings.adapted('time-origin', { originPs: run.originNs * 1000 }))
  noteCommandLine(run)
  noteHostPorts(topology, run.flows, run.log)
  const routes = mapRoutes(run)
  return {
    name: nameOf(input.path),
    description: `imported from ${baseNameOf(input.path)} (${dialect})`,
    seed: dialect === 'conweave' ? run.config.whole('RANDOM_SEED', 1, 0, 2 ** 32 - 1) : 1,
    compat: dialect === 'conweave' ? 'conweave' : 'hpcc',
    time: mapTime(run),
    topology: graphTopology(topology, run.config.real('ERROR_RATE_PER_LINK', 0, 0, 1), routes, run.log),
    balance: mapBalance(run),
    frames: mapFrames(run),
    classes: mapClasses(run),
    nic: mapNic(run),
    switch: mapSwitch(run),
    pfc: mapPfc(run),
    qp: mapQp(run),
    recovery: mapRecovery(run),
    congestion: mapCongestion(run),
    workload: [mapWorkload(run)],
    faults: mapFaults(run),
    measure: mapMeasure(run),
  }
}

function mapRoutes(run: Run): string[] {
  const file = readCompanion(run.input, 'routes', 'routes.txt', run.log)
  if (file !== undefined) return readRoutes(file.path, file.text, run.topology, run.log)
  const several = run.topology.switches.length > 1
  if (several) run.log.note(importFindings.differs('next-hop-order', {}))
  return []
}

function mapNic({ dialect, topology, log }: Run): Branch {
  // src/lab/network/device-options.ts, nicQuirks().
  if (hostsOfSeveralPorts(topology).length > 0) log.note(importFindings.differs('nic-wake-ups', {}))
  return { sourcePorts: dialect === 'conweave' ? 'per-source' : 'per-pair', firstAddress: '11.0.0.1' }
}

function mapTime(run: Run): Branch {
  const nearest = run.input.options['rounding'] === 'nearest'
  return { quantum: '1ns', rounding: nearest ? 'nearest' : 'truncate-q64' }
}

function mapClasses(run: Run): Branch {
  const highPriority = run.dialect === 'conweave' || run.config.flag('ACK_HIGH_PRIO', false)
  // A NIC has one queue for the ACKs of all flows (ack_q_idx).
  const atHost = highPriority ? 0 : 3
  // HPCC's switches ignore ACK_HIGH_PRIO and put ACKs into the queue of their flow; conweave's always prioritize ACKs.
  const isConweave = run.dialect === 'conweave'
  const data = commonClass(run) ?? 3
  return {
    data,
    ackAtHost: atHost,
    ackAtSwitch: isConweave ? 0 : 'off',
    cnpAtHost: atHost,
    cnpAtSwitch: isConweave ? 0 : data,
  }
}

function mapWorkload(run: Run): Branch {
  const sameClass = commonClass(run) !== undefined
  const flows = run.flows.map((flow) => {
    const parts = [flow.source, flow.destination, bytes(flow.sizeBytes), time(flow.startNs - run.originNs)]
    if (!sameClass) parts.push(`class=${flow.trafficClass}`)
    parts.push(`dport=${flow.destinationPort}`)
    return parts.join(' ')
  })
  return { kind: 'trace', origin: time(run.originNs), flows }
}

/** LINK_DOWN t a b: t in microseconds after 2 s, 0 for never. */
function mapFaults(run: Run): Tree[] {
  const [us, a, b] = run.config.triple('LINK_DOWN') ?? [0, 0, 0]
  if (us === 0) return []
  const neighbours = neighboursOf(run.topology)[a] ?? []
  if (!neighbours.includes(b)) {
    run.log.issue(run.config.location('LINK_DOWN'), 'LINK_DOWN', 'two nodes with a link between them', `${a} ${b}`)
    return []
  }
  const moved = hostsOfSeveralPorts(run.topology).filter((host) => host === a || host === b)
  if (moved.length > 0) run.log.note(importFindings.differs('port-down', { hosts: moved.map(idName) }))
  return [{ kind: 'link-down', links: `${idName(a)}-${idName(b)}`, down: time(ORIGIN_NS - run.originNs + us * 1000) }]
}

function mapMeasure(run: Run): Branch {
  const { config, log, env, flows } = run
  if (run.dialect === 'ns3-alibabacloud') {
    config.noteWithoutEffect(['SIMULATOR_STOP_TIME'], 'that simulator runs until every flow is finished')
    return { completion: 'sender', end: 'drain' }
  }
  const written = run.dialect === 'conweave' && !config.has('SIMULATOR_STOP_TIME')
  if (written && env.stopNs === undefined) {
    log.note(importFindings.assumed('no-stop-time', {}))
    return { completion: 'sender', end: 'drain' }
  }
  const stopNs = env.stopNs ?? config.secondsNs('SIMULATOR_STOP_TIME', 3.01)
  if (stopNs === undefined || stopNs - run.originNs > Number.MAX_SAFE_INTEGER / 1000) {
    log.note(importFindings.assumed('stop-time-beyond-clock', { stop: config.text('SIMULATOR_STOP_TIME') ?? '' }))
    return { completion: 'sender', end: 'drain' }
  }
  if (stopNs <= run.originNs) {
    log.issue(
      config.location('SIMULATOR_STOP_TIME'),
      'SIMULATOR_STOP_TIME',
      'a time after the first flow starts',
      time(stopNs),
    )
    return { completion: 'sender', end: 'drain' }
  }
  const late = flows.filter((flow) => flow.startNs >= stopNs).length
  if (late > 0) log.note(foundAt(importFindings.importFlowsLate, {}, { flows: late, of: flows.length }))
  return { completion: 'sender', end: 'stop', stop: time(stopNs - run.originNs), warmUp: '0ps' }
}
