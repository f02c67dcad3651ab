/**
 * Switches that fail and reboot: their links go down, so that frames on them, stored packets and pauses are gone, and
 * tables that they have learned, and their watchdogs' state; both ends of each link start anew when the switch is up again.
 */
import { inputError } from '../../../core/base/issue.ts'
import { DROP_SWITCH_DOWN } from '../../../core/fabric/counters.ts'
import { ALL_CLASSES } from '../../../core/fabric/link/port-records.ts'
import { Layer2Switch } from '../../../core/fabric/switch/layer2-switch.ts'
import { selectNodes } from '../../network/selection/node-selection.ts'
import type { FaultOf, FaultSite } from './site.ts'

export function laySwitchDown(values: FaultOf<'switch-down'>, { built, links: states, path }: FaultSite): void {
  const { network, topology } = built
  const nodes = new Set(selectNodes(values.switches, topology, `${path}.switches`))
  for (const node of nodes) {
    if (network.switches[node] !== null) continue
    throw inputError(`${path}.switches`, 'switches', topology.names[node]!, 'servers die with the fault server-down')
  }
  const links = topology.links.flatMap(({ a, b }, link) => (nodes.has(a) || nodes.has(b) ? [link] : []))
  const down = network.addActor({
    onEvent: (nowPs) => {
      for (const node of nodes) {
        const at = network.switches[node]!
        for (const port of at.ports) if (port !== undefined) at.flush(port, ALL_CLASSES, DROP_SWITCH_DOWN)
        built.watchdogs.halt(node)
        if (at instanceof Layer2Switch) at.forgetAll()
      }
      states.cut(links)
      states.reroute(nowPs, values.converge)
    },
  })
  network.actAt(values.down, down)
  if (values.up === null) return
  const up = network.addActor({
    onEvent: (nowPs) => {
      states.restore(links)
      for (const node of nodes) built.watchdogs.resume(node)
      states.reroute(nowPs, values.converge)
    },
  })
  network.actAt(values.up, up)
}
