/**
 * Notes on a scenario: settings that are valid but perhaps not intended. Each is asked of the values in force: everywhere,
 * at each device, at each of its ports, from each time at which something changes, and for each workload with schemes of
 * its own. So it makes no difference where and how a value is written.
 */
import { DeviceConfigs, DeviceValues, headroomPlan, type HeadroomPlan, type LostMessages } from '../../index.ts'
import { type Scenario, schemeSets } from '../../scenario/index.ts'
import type { BufferCircle, Topology } from '../../../core/topology/index.ts'
import { headroomNotes } from './headroom-notes.ts'
import { FabricNotes } from './fabric-notes.ts'
import { bufferNotes, circleNotes, classNotes, grownNotes, silentNotes } from './network-notes.ts'
import { type Finding, FINDING_KINDS, type FindingKind, Gathering, type Subject } from '../../../core/findings/index.ts'
import { reachNotes } from './reach-notes.ts'
import { RoleNotes } from './role-notes.ts'
import { pairNotes, signalNotes } from './scheme-notes.ts'
import { watchdogNotes } from './watchdog-notes.ts'

/** Properties of the network that a scenario describes. */
export interface NetworkFacts {
  readonly topology: Topology
  /** In an idle network. */
  readonly longestRttPs: number
  /** A cyclic buffer dependency of the routes, or null. */
  readonly circle: BufferCircle | null
  readonly headroom: HeadroomPlan | null
  /** Messages without a path; null: there are none, or they are not known. */
  readonly lost: LostMessages | null
  /** Hosts that messages go to and none comes from. */
  readonly receivingOnly: readonly number[]
}

export function scenarioFindings(scenario: Scenario, facts: NetworkFacts): Finding[] {
  const { topology, lost, receivingOnly } = facts
  const gathering = new Gathering()
  gathering.add(reachNotes(scenario, topology, lost))
  gathering.add(silentNotes(scenario, topology, receivingOnly))
  gathering.add(grownNotes(scenario, topology))
  const values = new DeviceValues(scenario, topology)
  new Instants(scenario, facts, values, gathering).run()
  return gathering.findings()
}

/** Groups whose values decide on headroom, and on what switches have to share. */
const HEADROOM_PATHS = /^(?:pfc|switch\.(?:buffer|family|mtu))(?:\.|$)/
/** Parameters of a buffer that limit its use, and leave its parts as they are. */
const LIMIT_PATHS =
  /^switch\.buffer\.(?:alpha|byClass|egressAlpha|dynamicTh|staticTh|xon|xonOffset|xoff|queues|lossy)(?:\.|$)/

/** Where a set of values holds: at all devices, at one, or at one of its ports. */
type Reach = 'everywhere' | 'device' | 'port'

/** One set of values in force, of which a check is asked. */
interface Asked {
  readonly own: Scenario
  readonly reach: Reach
  readonly topology: Topology
  readonly facts: NetworkFacts
}

interface Check {
  /** Kinds of findings defined in the file of the check, which the catalogue does not list. */
  readonly kinds?: readonly FindingKind[]
  readonly find: (at: Asked) => readonly Finding[]
}

const pairs: Check = {
  find: ({ own, topology, reach, facts }) =>
    reach === 'everywhere' ? pairNotes(own, topology, facts.longestRttPs) : [],
}
const signals: Check = { find: ({ own, topology }) => signalNotes(own, topology) }
const circles: Check = {
  find: ({ own, reach, facts }) => (reach === 'everywhere' ? circleNotes(own, facts.circle) : []),
}
const classes: Check = { find: ({ own, topology }) => classNotes(own, topology) }
// Ports have no buffer and no watchdog of their own.
const buffers: Check = { find: ({ own, topology, reach }) => (reach === 'port' ? [] : bufferNotes(own, topology)) }
const watchdogs: Check = { find: ({ own, reach }) => (reach === 'port' ? [] : watchdogNotes(own)) }

/** Asked of each set of schemes. */
const SCHEME_CHECKS: readonly Check[] = [pairs, signals]
/** Asked of all values in force. */
const CHECKS: readonly Check[] = [circles, classes, buffers, watchdogs]

/** Goes through the times at which values come into force. */
class Instants {
  readonly #scenario: Scenario
  readonly #facts: NetworkFacts
  readonly #values: DeviceValues
  readonly #gathering: Gathering
  readonly #configs: DeviceConfigs
  readonly #fabric: FabricNotes
  /** Null: no device has values of its own. */
  readonly #roles: RoleNotes | null
  /** By node: names of the nodes at the other ends. */
  readonly #peers: readonly (readonly number[])[]
  #plan: HeadroomPlan | null
  /** By the values that were asked. */
  readonly #known = new Map<Scenario, readonly Finding[]>()

  constructor(scenario: Scenario, facts: NetworkFacts, values: DeviceValues, gathering: Gathering) {
    const { topology } = facts
    this.#scenario = scenario
    this.#facts = facts
    this.#values = values
    this.#gathering = gathering
    const configs = new DeviceConfigs(topology, values)
    this.#configs = configs
    const isUniform = scenario.changes.length === 0
    this.#fabric = new FabricNotes(topology, configs, isUniform)
    this.#roles = isUniform ? null : new RoleNotes(topology, configs)
    const peers: number[][] = topology.names.map(() => [])
    for (const { a, b } of topology.links) {
      peers[a]!.push(b)
      peers[b]!.push(a)
    }
    this.#peers = peers
    this.#plan = facts.headroom
  }

  run(): void {
    const { changes } = this.#scenario
    const { later } = this.#values
    this.#look(
      this.#facts.topology.names.map((_, node) => node),
      0,
      true,
    )
    for (let i = 0; i < later.length;) {
      const atPs = changes[later[i]!]!.at
      const nodes = new Set<number>()
      let isHeadroom = false
      for (; i < later.length && changes[later[i]!]!.at === atPs; i++) {
        const { path } = changes[later[i]!]!
        for (const node of this.#values.begin(later[i]!)) nodes.add(node)
        isHeadroom ||= HEADROOM_PATHS.test(path) && !LIMIT_PATHS.test(path)
      }
      this.#look(
        [...nodes].toSorted((a, b) => a - b),
        atPs,
        isHeadroom,
      )
    }
  }

  /** @param nodes whose values have come into force @param isHeadroom headroom may be another than before */
  #look(nodes: readonly number[], atPs: number, isHeadroom: boolean): void {
    const { topology } = this.#facts
    const when: Subject = atPs === 0 ? {} : { atPs }
    const add = (findings: readonly Finding[], where: Subject = {}): void =>
      this.#gathering.add(findings, { ...when, ...where })
    if (isHeadroom) {
      if (atPs > 0) this.#plan = headroomPlan(this.#scenario, topology, this.#values)
      this.#configs.poolBytes = this.#plan?.poolBytes ?? null
      add(headroomNotes(this.#values.ofPairs(), atPs === 0 ? this.#plan : this.#planAt(nodes)))
    }
    this.#ask(this.#values.ofPairs(), when, 'everywhere')
    for (const node of nodes) {
      if (topology.tiers[node] === 0) continue
      const device = topology.names[node]!
      this.#ask(this.#values.of(node), { ...when, device }, 'device')
      for (const index of this.#values.portsOf(node)) {
        const port = topology.names[this.#peers[node]![index - 1]!]!
        this.#ask(this.#values.ofPort(node, index), { ...when, device, port }, 'port')
      }
    }
    const ofFabric = this.#fabric.now()
    add(ofFabric)
    // A value that does not go with the other end of a link has been said, at one of both.
    const said = new Set(
      ofFabric.flatMap(({ subject: { device, port, path } }) => [`${device} ${path}`, `${port} ${path}`]),
    )
    const ofRoles = this.#roles?.at(nodes) ?? []
    add(ofRoles.filter(({ subject: { device, path } }) => !said.has(`${device} ${path}`)))
  }

  /** The kinds of ports that have an end at these nodes. */
  #planAt(nodes: readonly number[]): HeadroomPlan | null {
    const { names } = this.#facts.topology
    const concerned = new Set(nodes.map((node) => names[node]))
    return this.#plan === null
      ? null
      : {
          ...this.#plan,
          kinds: this.#plan.kinds.filter(({ node, peer }) => concerned.has(node) || concerned.has(peer)),
        }
  }

  #ask(own: Scenario, where: Subject, reach: Reach): void {
    let known = this.#known.get(own)
    if (known === undefined) this.#known.set(own, (known = this.#findingsOf(own, reach)))
    this.#gathering.add(known, where)
  }

  #findingsOf(own: Scenario, reach: Reach): Finding[] {
    const { topology } = this.#facts
    const at = {
      own,
      topology,
      reach,
      facts: this.#facts,
    }
    const sets = schemeSets(own)
    const ofSchemes = sets.flatMap(({ scenario, isOwn }) => {
      const tags = scenario.workload.map(({ tag }) => tag).join(', ')
      const common: Subject = sets.length > 1 || isOwn ? { workload: tags } : {}
      const found = SCHEME_CHECKS.flatMap(({ find }) => find({ ...at, own: scenario }))
      return found.map((each) => ({ ...each, subject: { ...each.subject, ...common } }))
    })
    return [...ofSchemes, ...CHECKS.flatMap(({ find }) => find(at))]
  }
}

/** Ids of all findings, by themselves and by ids that they had before. */
export const findingIds = (): ReadonlyMap<string, string> =>
  new Map(findingKinds().flatMap(({ id, formerIds = [] }) => [id, ...formerIds].map((each) => [each, id])))

/** Kinds of all findings of this program, in the order in which they are shown. */
export function findingKinds(): readonly FindingKind[] {
  return [...new Set([...FINDING_KINDS, ...[...SCHEME_CHECKS, ...CHECKS].flatMap(({ kinds = [] }) => kinds)])]
}
