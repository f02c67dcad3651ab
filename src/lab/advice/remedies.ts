/**
 * Remedies: for a cause of slow flows the overrides of its scenario (`--set`) that take it away or show what its cure would
 * bring: the settings of the others, a link without losses, a class of its own, a watchdog, faster links.
 */
import { InputError } from '../../core/base/issue.ts'
import { formatQuantity } from '../../core/base/units.ts'
import type { Finding, Loud } from '../../core/findings/index.ts'
import { DeviceValues, linksThatMatch, selectNodes } from '../index.ts'
import { numbersOf, type Result, textsOf } from '../../core/results/index.ts'
import { printAt } from '../scenario/changes.ts'
import { dataClasses, paramsOf, printScenario, type Scenario, scenarioOf, schemesOf } from '../scenario/index.ts'
import { applyOverrides } from '../scenario/text/overrides.ts'
import { roleOf, type Topology } from '../../core/topology/index.ts'

/** A pipeline that stands still for so long while it pauses is in a storm. */
const WATCHDOG_PS = 100e6
const CLASSES = 8
/** Parts of a flow whose receiver has no Receive WQEs. */
const WANT_OF_RECEIVES: ReadonlySet<string> = new Set(['rnrPs', 'creditsPs'])
/** Longer lists of faults are no command to paste. */
const TEXT_MAX = 600
/** Uplinks of a switch with less than this share of what others have are fewer or slower than theirs. */
const FEWER = 0.75

/** Parameters of the rates between a tier and the next, by kind of topology. */
const UPLINK_RATES: Readonly<Record<string, readonly string[]>> = {
  'leaf-spine': ['fabricRate'],
  rails: ['fabricRate'],
  planes: ['fabricRate'],
  'fat-tree': ['edgeAggregationRate', 'aggregationCoreRate'],
  'clos-podset': ['torLeafRate', 'leafSpineRate'],
}

export class Remedies {
  readonly #scenario: Scenario
  readonly #topology: Topology
  #tree: unknown = undefined
  #values: DeviceValues | undefined = undefined

  constructor(scenario: Scenario, topology: Topology) {
    this.#scenario = scenario
    this.#topology = topology
  }

  /** Overrides "path=value" that the scenario accepts; none where nothing is known to try. */
  of(cause: Finding, result: Result): readonly string[] {
    for (const sets of this.#candidates(cause, result)) if (sets.length > 0 && this.#isAccepted(sets)) return sets
    return []
  }

  /** The best first. */
  #candidates(cause: Finding, result: Result): readonly (readonly string[])[] {
    const { id, subject, values } = cause
    const node = this.#topology.names.indexOf(subject.device ?? '')
    const peer = this.#topology.names.indexOf(subject.port ?? '')
    if (node < 0) return []
    const { watchdog } = this.#scenario.nic
    switch (id) {
      case 'slow-receiver':
        return this.#fasterReceiver(node, subject.device!, values['parts'] as readonly { readonly part: string }[])
      case 'pause-storm':
        return watchdog !== null && watchdog <= WATCHDOG_PS
          ? []
          : [[`nic.watchdog=${formatQuantity('duration', WATCHDOG_PS)}`]]
      case 'lossy-link':
      case 'link-was-down':
        return [this.#withoutFaults(node, peer), id === 'lossy-link' ? ['recovery=irn'] : []]
      case 'marks-unlike-others':
        return [this.#likeOthers(node, 'switch.ecn')]
      case 'thresholds-unlike-others':
        return [this.#likeOthers(node, 'switch.buffer')]
      case 'incast':
        return this.#apart(
          node,
          this.#crowdTag(node, values['fromPs'] as number, values['senders'] as number, result),
          result,
        )
      case 'busy-port':
        return this.#slowed(this.#loudTag(values['loud'] as readonly Loud[], result))
      case 'oversubscribed':
        return this.#widerUplinks(node, peer, values['downOverUp'] as number)
      default:
        return []
    }
  }

  #isAccepted(sets: readonly string[]): boolean {
    this.#tree ??= printScenario(this.#scenario)
    const { value, mistakes } = applyOverrides(paramsOf(this.#scenario), this.#tree, sets)
    if (mistakes.length > 0) return false
    try {
      const changed = scenarioOf(value, schemesOf(this.#scenario))
      for (const { nodes } of changed.changes) selectNodes(nodes, this.#topology, '')
      return JSON.stringify(printScenario(changed)) !== JSON.stringify(this.#tree)
    } catch (error) {
      if (error instanceof InputError) return false
      throw error
    }
  }

  /** Its NIC like those of the others, or as fast as its link; where Receive WQEs lack, more of them. */
  #fasterReceiver(node: number, name: string, parts: readonly { readonly part: string }[]): string[][] {
    const { changes, verbs } = this.#scenario
    const { receives, sharedReceives } = verbs
    if (WANT_OF_RECEIVES.has(parts.find(({ part }) => part !== 'behindPs')?.part ?? ''))
      return [
        [sharedReceives === null ? `verbs.receives=${4 * receives}` : `verbs.sharedReceives=${4 * sharedReceives}`],
      ]
    const isLimited = this.#lastValues().of(node).nic.receive.kind !== 'unlimited'
    return [
      this.#likeOthers(node, 'nic.receive'),
      isLimited ? [`changes.${changes.length}={path: nic.receive, nodes: ${name}, value: unlimited}`] : [],
    ]
  }

  /** Values of most other devices of its role in the changes that make this one different. */
  #likeOthers(node: number, path: string): string[] {
    const usual = this.#usual(node, path)
    if (usual === undefined) return []
    return this.#scenario.changes.flatMap((change, i) => {
      if (change.path !== path && !change.path.startsWith(`${path}.`)) return []
      const nodes = selectNodes(change.nodes, this.#topology, '')
      if (!nodes.includes(node) || nodes.includes(usual)) return []
      return [`changes.${i}.value=${flowText(printAt(this.#lastValues().of(usual), change.path))}`]
    })
  }

  /** Values of devices when all changes are in force. */
  #lastValues(): DeviceValues {
    if (this.#values === undefined) {
      this.#values = new DeviceValues(this.#scenario, this.#topology)
      for (const change of this.#values.later) this.#values.begin(change)
    }
    return this.#values
  }

  /** A device of the same role with the values that most of them have; undefined: there is none, or this one has them too. */
  #usual(node: number, path: string): number | undefined {
    const role = (one: number): string => roleOf(this.#topology, one)
    const values = this.#lastValues()
    const textOf = (one: number): string => JSON.stringify(printAt(values.of(one), path))
    const alike = [...this.#topology.tiers.keys()].filter((one) => role(one) === role(node))
    const most = alike.find((one) => 2 * alike.filter((other) => textOf(other) === textOf(one)).length > alike.length)
    return most === undefined || textOf(most) === textOf(node) ? undefined : most
  }

  /** The faults of other links. */
  #withoutFaults(node: number, peer: number): string[] {
    const { links } = this.#topology
    const own = links.flatMap(({ a, b }, i) => ((a === node && b === peer) || (a === peer && b === node) ? [i] : []))
    const { faults } = printScenario(this.#scenario, { compact: true }) as { readonly faults?: readonly unknown[] }
    const isOther = (fault: Scenario['faults'][number]): boolean =>
      !('links' in fault) || !linksThatMatch(fault.links, this.#topology).some((link) => own.includes(link))
    const kept = this.#scenario.faults.flatMap((fault, i) => (isOther(fault) ? [faults![i]] : []))
    const text = flowText(kept)
    return kept.length === this.#scenario.faults.length || text.length > TEXT_MAX ? [] : [`faults=${text}`]
  }

  /**
   * Messages of one tag in a class of their own; else a congestion control. Both spare those who send elsewhere and slow the
   * crowd, which waits for its receiver's link: where all send to that host, there is nothing to try.
   */
  #apart(node: number, tag: string | undefined, { flows }: Result): string[][] {
    const host = this.#hostOf(node)
    if (numbersOf(flows, 'destination').every((one) => one === host)) return []
    return [this.#inOwnClass(tag), this.#scenario.congestion.kind === 'none' ? ['congestion=dcqcn'] : []]
  }

  /** Messages of one tag under the congestion control of the others, or under one at all; else in a class of their own. */
  #slowed(tag: string | undefined): string[][] {
    const { workload, congestion } = this.#scenario
    if (congestion.kind === 'none') return [['congestion=dcqcn'], this.#inOwnClass(tag)]
    const index = this.#indexOf(tag)
    const isFree = workload[index]?.congestion?.kind === 'none'
    return [isFree ? [`workload.${index}.congestion=${congestion.kind}`] : [], this.#inOwnClass(tag)]
  }

  #inOwnClass(tag: string | undefined): string[] {
    const { workload, pfc, classes, switch: device } = this.#scenario
    const index = this.#indexOf(tag)
    const one = workload[index]
    if (one === undefined || workload.length === 1 || !('trafficClass' in one)) return []
    const { data, ackAtHost, ackAtSwitch, cnpAtHost, cnpAtSwitch } = classes
    const used = new Set([...dataClasses(this.#scenario), ackAtHost, ackAtSwitch, cnpAtHost, cnpAtSwitch])
    const free = Array.from({ length: CLASSES }, (_, i) => i).find((each) => each > data && !used.has(each))
    if (free === undefined) return []
    const present = one.trafficClass ?? data
    const alike = (path: string, list: readonly number[]): string[] =>
      list.includes(present) && !list.includes(free) ? [`${path}=[${[...list, free].join(',')}]`] : []
    return [
      ...alike('pfc.classes', pfc.classes),
      ...alike('switch.ecn.classes', device.ecn.classes),
      ...alike('switch.wred.classes', device.wred.classes),
      `workload.${index}.trafficClass=${free}`,
    ]
  }

  /** The one workload with this tag; -1: there is none, or there are several. */
  #indexOf(tag: string | undefined): number {
    const { workload } = this.#scenario
    return workload.filter((one) => one.tag === tag).length === 1 ? workload.findIndex((one) => one.tag === tag) : -1
  }

  /** Tag of most of the flows of a crowd. */
  #crowdTag(node: number, fromPs: number, senders: number, { flows }: Result): string | undefined {
    const host = this.#hostOf(node)
    const [destination, startPs] = [numbersOf(flows, 'destination'), numbersOf(flows, 'startPs')]
    const rows = [...destination.keys()]
      .filter((row) => destination[row] === host && startPs[row]! >= fromPs)
      .toSorted((a, b) => startPs[a]! - startPs[b]!)
      .slice(0, senders)
    return tagOfMost(flows, rows, () => 1)
  }

  /** Tag of most of the bytes between these hosts. */
  #loudTag(pairs: readonly Loud[], { flows }: Result): string | undefined {
    const hostNamed = (name: string): number => this.#hostOf(this.#topology.names.indexOf(name))
    const loud = new Set(pairs.map(({ from, to }) => `${hostNamed(from)} ${hostNamed(to)}`))
    const [source, destination] = [numbersOf(flows, 'source'), numbersOf(flows, 'destination')]
    const sizeBytes = numbersOf(flows, 'sizeBytes')
    const rows = [...source.keys()].filter((row) => loud.has(`${source[row]!} ${destination[row]!}`))
    return tagOfMost(flows, rows, (row) => sizeBytes[row]!)
  }

  #hostOf(node: number): number {
    const { hostPorts, endpoints } = this.#topology
    return hostPorts.findIndex((ports) => ports.some((position) => endpoints[position] === node))
  }

  /** Rates of the links up as others of its role have them, or of all such links so that nothing is oversubscribed. */
  #widerUplinks(node: number, peer: number, downOverUp: number): string[][] {
    const { tiers, links } = this.#topology
    const { topology } = this.#scenario
    const lower = tiers[node]! < tiers[peer]! ? node : peer
    const tier = tiers[lower]!
    const upOf = (one: number): { readonly peer: number; readonly rateBps: number }[] =>
      links.flatMap(({ a, b, rateBps }) => {
        const other = a === one ? b : b === one ? a : -1
        return other >= 0 && tiers[other] === tier + 1 ? [{ peer: other, rateBps }] : []
      })
    const sumOf = (one: number): number => upOf(one).reduce((sum, { rateBps }) => sum + rateBps, 0)
    const alike = [...tiers.keys()].filter((one) => tiers[one] === tier).toSorted((a, b) => sumOf(a) - sumOf(b))
    const usual = alike[Math.floor(alike.length / 2)]!
    if (sumOf(lower) < FEWER * sumOf(usual) && 'rates' in topology) {
      const rate = formatQuantity('rate', upOf(usual)[0]!.rateBps)
      const { names } = this.#topology
      const count = topology.rates.length
      return [
        upOf(lower).map(({ peer: up }, i) => `topology.rates.${count + i}=${names[lower]!}-${names[up]!}: ${rate}`),
      ]
    }
    const param = UPLINK_RATES[topology.kind]?.[tier - 1]
    if (param === undefined) return []
    const most = upOf(lower).reduce((max, { rateBps }) => Math.max(max, rateBps), 0)
    return [[`topology.${param}=${formatQuantity('rate', most * Math.ceil(downOverUp))}`]]
  }
}

function tagOfMost(
  flows: Result['flows'],
  rows: readonly number[],
  weightOf: (row: number) => number,
): string | undefined {
  const tags = textsOf(flows, 'tag')
  const weights = new Map<string, number>()
  for (const row of rows) weights.set(tags[row]!, (weights.get(tags[row]!) ?? 0) + weightOf(row))
  return [...weights].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}

/** A printed value on one line, as YAML. */
function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}: ${flowText(item)}`)
      .join(', ')}}`
  const isPlain = typeof value !== 'string' || /^[\w.%+/-]+(?: [\w.%+/-]+)*$/.test(value)
  return isPlain ? String(value) : JSON.stringify(value)
}
