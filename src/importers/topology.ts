/**
 * A topology file of the HPCC family, alone or with a flow file: the network becomes a graph, everything else is chosen
 * here, with notes. Whole runs are imported from their configuration (hpcc/).
 */
import { formatQuantity } from '../core/base/units.ts'
import { foundAt, importFindings } from '../core/findings/index.ts'
import { defineImporter, type Branch, type ImportInput, type Imported } from './importer.ts'
import { readNs3Flows, sizeBitsOption } from './ns3/flows.ts'
import { graphTopology, NS3_DIALECTS, readNs3Topology, type Ns3Dialect, type Ns3Topology } from './ns3/topology.ts'
import { noteHostPorts } from './ns3/ports.ts'
import { congestionOption, roceTransport } from './roce-defaults.ts'
import { baseNameOf, ImportLog, nameOf, readRequired } from './text-input.ts'
import { permutation } from './workload-defaults.ts'

export const topology = defineImporter({
  name: 'topology',
  help: 'a topology file of the HPCC family (topology.txt), with or without a flow file',
  source: 'alibaba-edu/High-Precision-Congestion-Control mix/topology.txt and its dialects',
  dialects: NS3_DIALECTS,
  options: [
    { name: 'flows', help: 'flow file; without it every host sends one message to another', file: true },
    sizeBitsOption,
    congestionOption,
  ],
  import: importTopology,
})

function importTopology(input: ImportInput): Imported {
  const log = new ImportLog()
  const dialect = NS3_DIALECTS.find((name) => name === input.options['dialect']) ?? NS3_DIALECTS[0]
  const text = readRequired(input, input.path, log, 'a topology file') ?? log.stop()
  const network = readNs3Topology(input.path, text, dialect, log) ?? log.stop()
  log.note(
    foundAt(
      importFindings.importRead,
      {},
      {
        dialect,
        counts: { host: network.hosts.length, switch: network.switches.length, link: network.links.length },
        hostIds: [network.hosts[0] ?? 0, network.hosts.at(-1) ?? 0],
      },
    ),
  )
  const scenario: Branch = {
    name: nameOf(input.path),
    description: `imported from ${baseNameOf(input.path)} (${dialect})`,
    topology: graphTopology(network, 0, [], log),
    ...roceTransport(input, log),
    workload: [mapFlows(input, network, dialect, log)],
    measure: { end: 'drain' },
  }
  log.stopIfAny()
  return { scenario, findings: log.findings }
}

function mapFlows(input: ImportInput, network: Ns3Topology, dialect: Ns3Dialect, log: ImportLog): Branch {
  const path = input.options['flows']
  if (path === undefined) {
    noteHostPorts(network, undefined, log)
    return permutation(log)
  }
  const text = readRequired(input, path, log, 'a flow file') ?? log.stop()
  const flows = readNs3Flows(path, text, dialect, network, log, input.options['size-bits'] === '64')
  if (flows.length === 0 && !log.any) log.issue(undefined, path, 'at least one flow', 'none')
  noteHostPorts(network, flows, log)
  log.note(foundAt(importFindings.importNotCarriedOver, {}, { names: ['pg'], instead: 'all flows use class 3' }))
  return {
    kind: 'trace',
    flows: flows.map((flow) => {
      const start = formatQuantity('duration', flow.startNs * 1000)
      return `${flow.source} ${flow.destination} ${formatQuantity('size', flow.sizeBytes)} ${start} dport=${flow.destinationPort}`
    }),
  }
}
