/**
 * Who paused it: in networks with one cause of pauses, drawn anew for each seed, the set of origins that flows name is that
 * cause and nothing else. ROCELAB_SEED is the first seed.
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { Dice } from '../swarm/dice.ts'

const FIRST = Number(process.env['ROCELAB_SEED'] ?? 1)
const SEEDS = Array.from({ length: 20 }, (_, i) => FIRST + i)
const [LEAVES, PER_LEAF] = [4, 6]
const HOSTS = LEAVES * PER_LEAF

interface Drawn {
  readonly target: number
  readonly senders: readonly number[]
  /** Each from and to a host of its own, none of them the target. */
  readonly victims: readonly (readonly [from: number, to: number])[]
}

/** The target has `senders` senders from other leaves; each sender has a victim flow, too, to the target's leaf or another. */
function draw(dice: Dice, senderCount: number): Drawn {
  const target = dice.from(0, HOSTS - 1)
  const hosts = Array.from({ length: HOSTS }, (_, host) => host)
  const leafOf = (host: number): number => Math.floor(host / PER_LEAF)
  const senders = dice.some(
    hosts.filter((host) => leafOf(host) !== leafOf(target)),
    senderCount,
    senderCount,
  )
  const others = dice.some(
    hosts.filter((host) => host !== target && !senders.includes(host)),
    senderCount,
    senderCount,
  )
  return { target, senders, victims: others.map((to, i) => [senders[i]!, to]) }
}

/** Links between switches have room for all hosts: only the cause makes pauses. */
const NETWORK = `
topology: {kind: leaf-spine, leaves: ${LEAVES}, spines: 2, hostsPerLeaf: ${PER_LEAF}, hostRate: 10Gbps, fabricRate: 100Gbps, hostDelay: 500ns, fabricDelay: 500ns}
congestion: none
qp: {ackTimeout: off}
switch: {buffer: {kind: shared-buffer, size: 600KB, alpha: 1/8}}
observe: [autopsy]
`

const flowsText = (flows: readonly string[]): string =>
  `workload: [{kind: trace, flows: [${flows.map((flow) => `"${flow}"`).join(', ')}]}]\n`

/** Origins named by flows, with the number of flows that are not the cause's own and name one. */
function originsOf(text: string, seed: number, target: number): { origins: string[]; victims: number } {
  const result = run(parseScenario(`name: origins\nseed: ${seed}\n${text}`), { check: true })
  const named = textsOf(result.flows, 'pausedBy')
  const to = numbersOf(result.flows, 'destination')
  return {
    origins: [...new Set(named.filter((name) => name !== ''))],
    victims: named.filter((name, flow) => name !== '' && to[flow] !== target).length,
  }
}

describe.each(SEEDS)('seed %i', (seed) => {
  test('an incast: the port to its receiver', () => {
    const { target, senders, victims } = draw(new Dice(seed), 8)
    const flows = [
      ...senders.map((host) => `${host} ${target} 500KB 0us`),
      ...victims.map(([from, to]) => `${from} ${to} 50KB 100us`),
    ]
    const found = originsOf(`${NETWORK}${flowsText(flows)}`, seed, target)
    const leaf = Math.floor(target / PER_LEAF)
    expect(found.origins).toHaveLength(1)
    expect(found.origins[0]).toMatch(new RegExp(`^leaf ${leaf} port \\d+ to host ${target}$`))
    expect(found.victims).toBeGreaterThan(0)
  })

  test('a pause storm: the host that stands still', () => {
    const { target, senders, victims } = draw(new Dice(seed), 4)
    const storm = `faults: [{kind: pause-storm, hosts: host ${target}, from: 50us, until: 1ms}]\n`
    const flows = [
      ...senders.map((host) => `${host} ${target} 600KB 0us`),
      ...victims.map(([from, to]) => `${from} ${to} 50KB 200us`),
    ]
    const found = originsOf(`${NETWORK}${storm}${flowsText(flows)}measure: {stop: 1ms}\n`, seed, target)
    expect(found.origins).toContain(`host ${target}`)
    // Before the host stands still, and while its queue drains, its port is the origin of the incast that it has.
    const leaf = Math.floor(target / PER_LEAF)
    const own = new RegExp(`^(host ${target}|leaf ${leaf} port \\d+ to host ${target})$`)
    for (const name of found.origins) expect(name).toMatch(own)
    expect(found.victims).toBeGreaterThan(0)
  })

  test('a slow receiver: its host', () => {
    const { target, senders, victims } = draw(new Dice(seed), 4)
    const pipeline = '{kind: pipeline, packetTime: 3us, buffer: 64KB, missPenalty: 0ns}'
    const slow = `changes: [{path: nic.receive, value: "${pipeline}", at: 0ps, nodes: host ${target}}]\n`
    const flows = [
      // One at a time: less than its link, and more than its pipeline takes.
      ...senders.slice(0, 1).map((host) => `${host} ${target} 2MB 0us`),
      ...victims.slice(0, 1).map(([from, to]) => `${from} ${to} 50KB 2ms`),
    ]
    const found = originsOf(`${NETWORK}${slow}${flowsText(flows)}`, seed, target)
    expect(found.origins).toEqual([`host ${target}`])
    expect(found.victims).toBeGreaterThan(0)
  })
})
