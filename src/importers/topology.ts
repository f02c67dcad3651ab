/**
 * A topology file of the HPCC family, alone or with a flow file: the network becomes a graph, everything else is chosen
 * here, with notes. Whole runs are imported from their configuration (hpcc/).
 */
import { formatQuantity } from '../base/units.ts'
import { defineImporter, type Branch, type ImportInput, type Imported } from './importer.ts'
import { readNs3Flows, sizeBitsOption } from './ns3/flows.ts'
import {
  describeHosts,
  graphTopology,
  NS3_DIALECTS,
  readNs3Topology,
  type Ns3Dialect,
  type Ns3Topology,
} from './ns3/topology.ts'
import { noteHostPorts } from './ns3/ports.ts'
import { congestionOption, roceTransport } from './roce-defaults.ts'
import { baseNameOf, Findings, nameOf, plural, readRequired } from './text-input.ts'
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
  const findings = new Findings()
  const dialect = NS3_DIALECTS.find((name) => name === input.options['dialect']) ?? NS3_DIALECTS[0]
  const text = readRequired(input, input.path, findings, 'a topology file') ?? findings.stop()
  const network = readNs3Topology(input.path, text, dialect, findings) ?? findings.stop()
  findings.note(
    `dialect ${dialect}: ${describeHosts(network)}, ${plural(network.switches.length, 'switch', 'switches')}, ${plural(network.links.length, 'link')}`,
  )
  const scenario: Branch = {
    name: nameOf(input.path),
    description: `imported from ${baseNameOf(input.path)} (${dialect})`,
    topology: graphTopology(network, 0, [], findings),
    ...roceTransport(input, findings),
    workload: [mapFlows(input, network, dialect, findings)],
    measure: { end: 'drain' },
  }
  findings.stopIfAny()
  return { scenario, notes: findings.notes }
}

function mapFlows(input: ImportInput, network: Ns3Topology, dialect: Ns3Dialect, findings: Findings): Branch {
  const path = input.options['flows']
  if (path === undefined) {
    noteHostPorts(network, undefined, findings)
    return permutation(findings)
  }
  const text = readRequired(input, path, findings, 'a flow file') ?? findings.stop()
  const flows = readNs3Flows(path, text, dialect, network, findings, input.options['size-bits'] === '64')
  if (flows.length === 0 && !findings.any) findings.issue(undefined, path, 'at least one flow', 'none')
  noteHostPorts(network, flows, findings)
  findings.note('all flows use class 3, whatever their pg')
  return {
    kind: 'trace',
    flows: flows.map((flow) => {
      const start = formatQuantity('duration', flow.startNs * 1000)
      return `${flow.source} ${flow.destination} ${formatQuantity('size', flow.sizeBytes)} ${start} dport=${flow.destinationPort}`
    }),
  }
}
