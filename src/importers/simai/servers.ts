/**
 * Servers of a SimAI topology: the GPUs of one are the ports of a host, each with its link to the network; links to NVSwitches
 * give the time and rate of messages inside.
 * Source: topology files of aliyun/SimAI ("nodes gpus_per_server nvswitches switches links gpu_type").
 */
import { idName } from '../../core/base/device-names.ts'
import { formatQuantity } from '../../core/base/units.ts'
import { importFindings } from '../../core/findings/index.ts'
import type { Branch } from '../importer.ts'
import { type Ns3Topology, readNs3Topology } from '../ns3/topology.ts'
import type { ImportLog } from '../text-input.ts'

/** A network for a program of GPUs, and parameters of the program that go with it. */
export interface Servers {
  readonly topology: Branch
  readonly params: Branch
}

/** undefined after an issue. */
export function readServers(file: string, text: string, gpus: number, log: ImportLog): Servers | undefined {
  const read = readNs3Topology(file, text, 'simai', log)
  if (read === undefined || log.any) return undefined
  const { hosts, gpusPerServer: ports, nvlink } = read
  if (hosts.length < gpus || hosts.length % ports !== 0) {
    const received = `${hosts.length} GPUs, ${ports} a server`
    log.issue({ file, line: 1, column: 1 }, 'nodes', `whole servers with a GPU for each of ${gpus} ranks`, received)
    return undefined
  }
  const topology = joined(read, log)
  if (log.any) return undefined
  if (nvlink === null) return { topology, params: { ranks: 'port' } }
  const latencyPs = 2 * nvlink.delayPs
  const { rateBps } = nvlink
  log.note(
    importFindings.assumed('simai-servers', { hosts: hosts.length / ports, ports, rateBps, latencyPs }, { file }),
  )
  const inside = {
    insideLatency: formatQuantity('duration', latencyPs),
    insideRate: formatQuantity('rate', rateBps),
  }
  return { topology, params: { ranks: 'port', ...inside } }
}

/** The graph with a node for each server, whose ports are its GPUs in order. */
function joined({ hosts, switches, links, gpusPerServer, file }: Ns3Topology, log: ImportLog): Branch {
  const linked = new Set(links.flatMap(({ a, b }) => [a, b]))
  const kept = switches.filter((node) => linked.has(node))
  const servers = hosts.length / gpusPerServer
  const nodeOf = new Map(kept.map((node, index) => [node, servers + index]))
  const gpuOf = new Map(hosts.map((node, gpu) => [node, gpu]))
  const line = (from: number, to: number, { rateBps, delayPs }: Ns3Topology['links'][number]): string =>
    `${from} ${to} ${formatQuantity('rate', rateBps)} ${formatQuantity('duration', delayPs)}`
  const ofGpus: string[] = []
  const others: string[] = []
  for (const link of links) {
    const [gpu, other] = gpuOf.has(link.a) ? [link.a, link.b] : [link.b, link.a]
    const number = gpuOf.get(gpu)
    if (number === undefined) others.push(line(nodeOf.get(link.a)!, nodeOf.get(link.b)!, link))
    else if (gpuOf.has(other) || ofGpus[number] !== undefined)
      log.issue(undefined, file, `one link of ${idName(gpu)}, a GPU, to a switch of the network`, 'another link')
    else ofGpus[number] = line(Math.floor(number / gpusPerServer), nodeOf.get(other)!, link)
  }
  const nodes = servers + kept.length
  return { kind: 'graph', nodes, switches: kept.map((_, index) => servers + index), links: [...ofGpus, ...others] }
}
