/**
 * Fabric: a scenario from the files of a real fabric, and a page that says of each value where it comes from. Mistakes in
 * the files are in the scenario as far as the simulator has them; what it has not is on the page as left out.
 */
import { isOwnName } from '../../core/base/device-names.ts'
import { counted } from '../../core/findings/index.ts'
import type { Fabric } from '../../doctor/index.ts'
import type { Branch } from '../importer.ts'
import { classesOf, spreadPfc } from './classes.ts'
import { hostGroups, leftOutOfPorts, leftOutOfSwitches } from './hosts.ts'
import { networkOf } from './network.ts'
import { Page, type PageEntry } from './page.ts'
import { Spread } from './spread.ts'
import type { Asic } from '../../doctor/platforms/platforms.ts'
import { hasMarks, switchGroup } from './switches.ts'
import { type Traffic, trafficOf } from './traffic.ts'

export interface FabricOptions {
  /** Name of the scenario. */
  readonly name: string
  readonly traffic: Traffic
  /** Devices that are to take part in the traffic; others do as far as there is room. */
  readonly concerned: readonly string[]
  /** Null: hardware that is not known. */
  readonly asicOf: (platform: string) => Asic | null
}

export interface FabricScenario {
  /** Object form, for the scenario parser. */
  readonly scenario: Branch
  readonly page: readonly PageEntry[]
  /** Devices as they are printed: "host 3 (gpu3)", "switch 7". */
  readonly names: readonly { readonly name: string; readonly device: string }[]
}

/** @throws InputError where there are no two hosts that reach each other, and for a host of the traffic that is not there */
export function fabricScenario(fabric: Fabric, { name, traffic, concerned, asicOf }: FabricOptions): FabricScenario {
  const page = new Page()
  const spread = new Spread()
  const network = networkOf(fabric, page)
  const classes = classesOf(network, page, spread)
  const input = { network, classes, page, spread, asicOf }
  const pfc = spreadPfc(classes, spread)
  const switches = switchGroup(input)
  const groups = hostGroups({ ...input, hasMarks: hasMarks(input) })
  const { workload, faults, measure, receive } = trafficOf({ network, classes, groups, traffic, concerned, page })
  const devices = [...network.hosts, ...network.switches]
  leftOutOfPorts(
    devices.flatMap(({ ports }) => ports),
    page,
  )
  leftOutOfSwitches(network, page)
  for (const { path, port } of spread.merged)
    page.leftOut(`${path} of a parallel link`, port, undefined, 'links between the same two devices have one value')
  const scenario: Branch = {
    name,
    description: `from files of a fabric: ${counted(network.hosts.length, 'host')}, ${counted(network.switches.length, 'switch')}`,
    topology: network.topology,
    balance: groups.balance,
    frames: { payload: `${groups.payload}B` },
    classes: classes.groups,
    nic: { ...groups.nic, ...(receive === null ? {} : { receive }) },
    switch: switches,
    pfc,
    qp: groups.qp,
    recovery: groups.recovery,
    congestion: groups.congestion,
    workload,
    ...(faults.length === 0 ? {} : { faults }),
    changes: spread.changes,
    measure,
  }
  return {
    scenario,
    page: page.entries,
    names: devices.map(({ name: number, device }) => ({
      name: isOwnName(device) ? `${number} (${device})` : number,
      device,
    })),
  }
}
