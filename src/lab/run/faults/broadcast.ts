/**
 * Hosts that send broadcast frames, which a switch with tables of layer 2 floods. The frames go with the control packets
 * of the NIC; a host whose frames are held back by a pause keeps BACKLOG of them and makes no more meanwhile.
 */
import { inputError } from '../../../core/base/issue.ts'
import { NEVER_PS } from '../../../core/base/params.ts'
import { BROADCAST } from '../../../core/fabric/packets.ts'
import { classTable, codepointFor } from '../../scenario/class-map.ts'
import { selectHosts } from '../../network/selection/host-selection.ts'
import type { FaultOf, FaultSite } from './site.ts'

/** Frames that wait in a NIC, at most. */
const BACKLOG = 64
/** A direction of no queue pair: numbers of queue pairs stay far below. */
const NO_PAIR = 2 ** 22

/** @throws InputError for hosts that are not there, or where no switch floods */
export function layBroadcast(values: FaultOf<'broadcast'>, { scenario, built, path }: FaultSite): void {
  const { network, topology } = built
  if (scenario.switch.layer2.kind === 'off')
    throw inputError(path, 'switch.layer2: tables, which flood broadcasts', 'switch.layer2: off')
  const codepoint = codepointFor(classTable(scenario.classes), values.class, `${path}.class`)
  for (const host of selectHosts(values.hosts, topology, `${path}.hosts`)) {
    const nic = network.nics[topology.hostPorts[host]![0]!]!
    const actor = network.addActor({
      onEvent: (nowPs) => {
        if (nowPs >= (values.until ?? NEVER_PS)) return
        network.actAt(nowPs + values.interval, actor)
        if (nic.isDown || nic.waitingControl >= BACKLOG) return
        nic.sendFrame(network.fabric.makePacket(BROADCAST, NO_PAIR, 0, values.size, codepoint), values.class)
      },
    })
    network.actAt(values.from, actor)
  }
}
