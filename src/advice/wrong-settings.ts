/**
 * Wrong settings: devices that are set otherwise than the other end of a link, or than the others of their tier. Each
 * finding names the device and the port, what is expected and found there, and what will happen.
 * Source: [MS-Scale] 5.1 (configurations that drift from the desired ones).
 */
import { DeviceValues, PortChecks, portsByNode, type PortOf } from '../lab/index.ts'
import { humanBytes, humanDuration } from '../report/index.ts'
import { dataClasses, dscpTable, hostTable, type Scenario, usesVlans } from '../scenario/index.ts'
import type { Topology } from '../topology/index.ts'

export interface WrongSetting {
  readonly device: string
  /** Node at the other end of the link; empty: the whole device. */
  readonly towards: string
  readonly expected: string
  readonly found: string
  readonly effect: string
}

/** Findings of one kind are shown up to this number; more are counted. */
const SHOWN = 3

/** @returns one sentence for each finding */
export function wrongSettingNotes(scenario: Scenario, topology: Topology): string[] {
  const found = wrongSettings(scenario, topology)
  const byEffect = new Map<string, WrongSetting[]>()
  for (const each of found) byEffect.set(each.effect, [...(byEffect.get(each.effect) ?? []), each])
  return [...byEffect.values()].flatMap((alike) => {
    const rest = alike.length - SHOWN
    return alike
      .slice(0, SHOWN)
      .map((each, i) => sentence(each) + (i === SHOWN - 1 && rest > 0 ? ` (${rest} more like this)` : ''))
  })
}

function sentence({ device, towards, expected, found, effect }: WrongSetting): string {
  return `${device}${towards === '' ? '' : `, port to ${towards}`}: ${found}, where ${expected}: ${effect}`
}

export function wrongSettings(scenario: Scenario, topology: Topology): WrongSetting[] {
  const values = new DeviceValues(scenario, topology)
  const checks = new PortChecks(scenario, topology, values)
  const context: Checked = { scenario, topology, values, checks }
  const links = linkEnds(topology)
  return [
    ...links.flatMap((ends) => pfcFindings(context, ends)),
    ...links.flatMap((ends) => lengthFindings(context, ends)),
    ...links.flatMap((ends) => mtuFindings(context, ends)),
    ...(usesVlans(scenario) ? links.flatMap((ends) => vlanFindings(context, ends)) : []),
    ...trustFindings(context),
    ...mapFindings(context),
  ]
}

interface Checked {
  readonly scenario: Scenario
  readonly topology: Topology
  readonly values: DeviceValues
  readonly checks: PortChecks
}

/** Both ends of a link, with its delay. */
interface LinkEnds {
  readonly ends: readonly [PortOf, PortOf]
  readonly delayPs: number
}

function linkEnds(topology: Topology): LinkEnds[] {
  const next = topology.names.map(() => 0)
  const ports = portsByNode(topology)
  return topology.links.map(({ a, b, delayPs }) => ({
    ends: [ports[a]![next[a]!++]!, ports[b]![next[b]!++]!],
    delayPs,
  }))
}

/** PFC on at one end only. */
function pfcFindings({ topology, values }: Checked, { ends }: LinkEnds): WrongSetting[] {
  return [ends, ends.toReversed() as [PortOf, PortOf]].flatMap(([own, other]) => {
    const here = values.ofPort(own.node, own.index).pfc.classes
    const there = values.ofPort(other.node, other.index).pfc.classes
    const missing = there.filter((c) => !here.includes(c))
    if (missing.length === 0) return []
    const classes = `class ${missing.join(', ')}`
    const [name, far] = [topology.names[own.node]!, topology.names[other.node]!]
    const drops =
      topology.tiers[own.node] === 0
        ? ''
        : `; and ${name} drops these classes when its buffer is full, instead of pausing ${far}`
    return [
      {
        device: name,
        towards: far,
        expected: `${far} has PFC for ${classes}`,
        found: `no PFC for ${classes}`,
        effect: `pause frames of ${far} are ignored and its headroom overflows: packets of ${classes} are lost there${drops}`,
      },
    ]
  })
}

/** Headroom for another cable than the link has. */
function lengthFindings({ topology, values }: Checked, { ends, delayPs }: LinkEnds): WrongSetting[] {
  return ends.flatMap(({ node, index, peer }) => {
    const own = values.ofPort(node, index)
    const { buffer } = own.switch
    if (topology.tiers[node] === 0 || own.pfc.classes.length === 0 || buffer.kind !== 'shared-buffer') return []
    const { believedDelay: believedPs } = buffer
    if (believedPs === null || believedPs === delayPs) return []
    const effect =
      believedPs < delayPs
        ? 'more arrives after XOFF than headroom holds: lossless packets are lost under congestion, and only then'
        : 'headroom is larger than it need be and the shared pool smaller: it pauses earlier than necessary'
    return [
      {
        device: topology.names[node]!,
        towards: topology.names[peer]!,
        expected: `the link has ${humanDuration(delayPs)}`,
        found: `headroom for a cable of ${humanDuration(believedPs)}`,
        effect,
      },
    ]
  })
}

/** Different longest frames at the ends of a link, or one shorter than the frames of the scenario. */
function mtuFindings({ scenario, topology, values }: Checked, { ends }: LinkEnds): WrongSetting[] {
  const { frames } = scenario
  const longestBytes = frames.payload + frames.dataOverhead + frames.everyOverhead + frames.writeOverhead - 18
  return ends.flatMap(({ node, index, peer }) => {
    const own = values.ofPort(node, index)
    const mtuBytes = topology.tiers[node] === 0 ? own.nic.mtu : own.switch.mtu
    if (mtuBytes === null || mtuBytes >= longestBytes) return []
    return [
      {
        device: topology.names[node]!,
        towards: topology.names[peer]!,
        expected: `packets have up to ${humanBytes(longestBytes)}`,
        found: `an MTU of ${humanBytes(mtuBytes)}`,
        effect:
          'full packets that arrive there are dropped as oversize: connections open and short messages pass, long ones never end',
      },
    ]
  })
}

/** Frames with a tag that the other end does not take, or without one that it expects. */
function vlanFindings({ topology, values, checks }: Checked, { ends }: LinkEnds): WrongSetting[] {
  const kindOf = (isTagged: boolean): string => (isTagged ? 'tagged' : 'untagged')
  const sends = ({ node, index, peer }: PortOf): boolean =>
    topology.tiers[node] === 0 ? checks.isTagged(node) : checks.vlanOf({ node, index, peer }).sendsTagged
  const takes = (port: PortOf, isTagged: boolean): boolean => {
    if (topology.tiers[port.node] === 0) return checks.isTagged(port.node) === isTagged
    const vlan = checks.vlanOf(port)
    return isTagged ? vlan.takesTagged : vlan.takesUntagged
  }
  return [ends, ends.toReversed() as [PortOf, PortOf]].flatMap(([from, to]) => {
    const isTagged = sends(from)
    if (takes(to, isTagged)) return []
    const [device, towards] = [topology.names[to.node]!, topology.names[from.node]!]
    const mode =
      topology.tiers[to.node] === 0 ? 'a NIC' : `a port in mode ${values.ofPort(to.node, to.index).switch.vlan.ports}`
    return [
      {
        device,
        towards,
        expected: `${towards} sends ${kindOf(isTagged)} frames`,
        found: `${mode} that takes ${kindOf(!isTagged)} frames only`,
        effect: 'every frame is dropped there; a host that boots over the network (PXE) never gets an answer',
      },
    ]
  })
}

/** NICs and switches that read the class from different fields. */
function trustFindings({ topology, values, checks }: Checked): WrongSetting[] {
  const ports = portsByNode(topology)
  return topology.endpoints.flatMap((node) => {
    if (!checks.isOneClass(node)) return []
    const { peer, index } = ports[node]![0]!
    const lossless = values.ofPort(node, index).pfc.classes
    return [
      {
        device: topology.names[node]!,
        towards: topology.names[peer]!,
        expected: 'its frames have no tag and switches read the DSCP',
        found: 'a NIC that trusts the PCP',
        effect: `all its packets are class 0 in the NIC: pauses of class ${lossless.join(', ')} do not hold them back, and ${topology.names[peer]} loses lossless packets`,
      },
    ]
  })
}

/** Switches with another class for the codepoints of data. */
function mapFindings({ scenario, topology, values }: Checked): WrongSetting[] {
  const table = hostTable(scenario)
  return topology.tiers.flatMap((tier, node) => {
    if (tier === 0) return []
    const own = values.of(node)
    if (own === scenario || own.classes === scenario.classes) return []
    const device = topology.names[node]!
    if (own.classes.classify !== scenario.classes.classify) {
      const field = (of: Scenario): string => of.classes.classify.toUpperCase()
      const effect = 'it puts packets into other classes than its neighbours: what is lossless there may be lossy here'
      return [
        {
          device,
          towards: '',
          expected: `the others read the ${field(scenario)}`,
          found: `it reads the ${field(own)}`,
          effect,
        },
      ]
    }
    if (own.classes.classify === 'pcp') return []
    const there = dscpTable(own.classes)
    return dataClasses(scenario).flatMap((c) => {
      const dscp = table[c] === c ? c : table.indexOf(c)
      const found = there[dscp]
      if (found === undefined || found === c) return []
      const lossless = own.pfc.classes
      const effect =
        lossless.includes(c) && !lossless.includes(found)
          ? `packets of class ${c} are lossy there: it drops them when its buffer is full, and pauses nobody`
          : `packets of class ${c} wait, and are paused, with those of class ${found} there`
      return [
        {
          device,
          towards: '',
          expected: `the others map DSCP ${dscp} to class ${c}`,
          found: `DSCP ${dscp} is class ${found}`,
          effect,
        },
      ]
    })
  })
}
