/**
 * Pause storms: the receive pipeline of a NIC stops. The server neither sends nor receives packets any more; its NIC sends
 * pause frames, because its buffer is full or whatever it holds, until its watchdog or a power cycle ends that.
 * Source: [MS-Scale] 4.3, 6.2.
 */
import { hostWord } from '../../../core/base/device-names.ts'
import { inputError } from '../../../core/base/issue.ts'
import { NEVER_PS } from '../../../core/base/params.ts'
import type { Nic } from '../../../core/fabric/nic/nic.ts'
import { classBits } from '../../network/device-options.ts'
import { receiveOf } from '../../network/nics/nic-receive.ts'
import { selectNodes } from '../../network/selection/node-selection.ts'
import type { FaultOf, FaultSite } from './site.ts'

export function layPauseStorm(values: FaultOf<'pause-storm'>, { built, random, links, hosts, path }: FaultSite): void {
  const { network, topology } = built
  const nics = nicsOf(values.hosts, built, `${path}.hosts`)
  const pipelines = nics.map((nic) => receiveOf(nic, built, random))
  const untilPs = values.until ?? NEVER_PS
  const stop = network.addActor({
    onEvent: () => {
      nics.forEach((nic, i) => {
        if (hosts.beginStorm(nic, values.until === null)) pipelines[i]!.stop()
        if (values.mode === 'pipeline-stopped') return
        const classes = values.classes.length === 0 ? nic.port.lossless : classBits(values.classes)
        pipelines[i]!.storm(classes, values.quanta, values.interval, untilPs)
      })
    },
  })
  network.actAt(values.from, stop)
  if (values.until === null) return
  const nodes = new Set(nics.map(({ node }) => node))
  const hostLinks = topology.links.flatMap(({ a, b }, link) => (nodes.has(a) || nodes.has(b) ? [link] : []))
  const repair = network.addActor({
    onEvent: () => {
      links.cut(hostLinks)
      for (const nic of nics) hosts.endStorm(nic)
      links.restore(hostLinks)
      for (const nic of nics) hosts.announce(nic)
    },
  })
  network.actAt(values.until, repair)
}

/** @throws InputError for a switch */
function nicsOf(text: string, { network, topology }: FaultSite['built'], path: string): Nic[] {
  return selectNodes(text, topology, path, hostWord).map((node) => {
    const nic = network.nics.find((each) => each.node === node)
    if (nic !== undefined) return nic
    throw inputError(path, 'hosts', topology.names[node]!, 'only NICs of hosts have a receive pipeline')
  })
}
