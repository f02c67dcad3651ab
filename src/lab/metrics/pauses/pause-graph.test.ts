/** Pause graph, tree and circles of an instant against naive twins, in networks that pause a lot. */
import { describe, expect, test } from 'vitest'
import { Tester } from '../../../../tests/conformance/bench-watchdog.ts'
import { MS } from '../../../core/base/params.ts'
import { createRandomStreams, type RandomStream } from '../../../core/base/random.ts'
import type { Network } from '../../../core/fabric/network.ts'
import type { QueuePair } from '../../../core/fabric/pairs/queue-pair.ts'
import { Mistakes } from '../../network/mistakes.ts'
import { buildNetwork } from '../../network/network-builder.ts'
import { Traffic } from '../../run/traffic.ts'
import { parseScenario } from '../../scenario/index.ts'
import { pairsHeldBy, type PauseCircleFound, pauseCirclesOf } from './pause-circles.ts'
import { heldUpBy, type PauseGraph, pauseGraphOf } from './pause-graph.ts'
import { pauseTreeOf } from './pause-tree.ts'

function networkOf(text: string): Network {
  const scenario = parseScenario(`name: pauses\n${text}`)
  const random = createRandomStreams(scenario.seed)
  const mistakes = new Mistakes()
  const traffic = new Traffic(scenario)
  const built = buildNetwork(scenario, random, traffic, { reported: mistakes })
  traffic.start(built, random, mistakes)
  mistakes.settle()
  return built.network
}

const BUFFERS = [
  'kind: shared-buffer, size: 400KB',
  'kind: shared-buffer, size: 1MB',
  'kind: input-queued, portBuffer: 200KB, xoff: 60KB',
]

/** A ring of switches in which some hosts send one or two hops clockwise, or a leaf-spine with incasts; two classes. */
function randomText(random: RandomStream): string {
  const buffer = BUFFERS[random.below(3)]!
  const more = `switch: {buffer: {${buffer}}}\ncongestion: none\npfc: {classes: [3, 4]}\nseed: ${random.below(1000)}\nmeasure: {stop: 3ms}`
  const isMixed = random.below(3) === 0
  const flow = (from: number, to: number): string =>
    `${from} ${to} 6MB ${random.below(3)}us class=${isMixed ? 3 + random.below(2) : 3}`
  const quoted = (flows: readonly string[]): string => `workload: [{kind: trace, flows: ${JSON.stringify(flows)}}]`
  if (random.below(2) === 0) {
    const count = 4 + random.below(3)
    const at = (k: number): number => count + (k % count)
    const links = Array.from({ length: count }, (_, k) => [
      `${k} ${at(k)} 100Gbps 1us`,
      `${at(k)} ${at(k + 1)} 100Gbps 1us`,
    ])
    const switches = Array.from({ length: count }, (_, k) => count + k)
    // Ports: 1 host, then in the order of the links: at all but the first switch 2 leads back and 3 on.
    const routes = switches.map((node, k) => `${node}: ${(k + 1) % count},${(k + 2) % count} via ${k === 0 ? 2 : 3}`)
    const flows = Array.from({ length: count }, (_, k) => flow(k, (k + (random.below(9) === 0 ? 1 : 2)) % count))
    // Two hosts of their own go on, whatever happens in the ring.
    const apart = `${2 * count} ${2 * count + 1} 100Gbps 1us`
    const all = [...links.map(([own]) => own!), ...links.map(([, next]) => next!), apart]
    return `topology: {kind: graph, nodes: ${2 * count + 2}, switches: ${JSON.stringify(switches)}, links: ${JSON.stringify(all)}, routes: ${JSON.stringify(routes)}}\n${quoted([...flows, flow(count, count + 1)])}\n${more}`
  }
  const hosts = 24
  const flows = Array.from({ length: 40 }, () => {
    const to = random.below(3)
    return flow(3 + random.below(hosts - 3), to)
  })
  return `topology: {kind: leaf-spine, leaves: 6, spines: 2, hostsPerLeaf: 4, hostRate: 100Gbps, fabricRate: 100Gbps}\n${quoted(flows)}\n${more}`
}

test('at many instants of 30 networks: graph, circles and tree are what naive twins find', () => {
  const random = createRandomStreams(5).stream('pauses')
  const seen = { pauses: 0, deep: 0, circles: 0, draining: 0 }
  for (let k = 0; k < 30; k++) {
    const text = randomText(random)
    const network = networkOf(text)
    // In a deadlock nothing more happens, which is looked at, too.
    for (let look = 0, isGoing = true; look < 12 && isGoing; look++) {
      isGoing = network.advance(500 + random.below(8000), 3e9)
      const graph = pauseGraphOf(network)
      expectGraph(network, graph)
      expectCircles(network, graph)
      for (const circle of pauseCirclesOf(network, graph)) expectHeld(network, graph, circle)
      expectTree(network, graph)
      seen.pauses += graph.pauses.length
      seen.draining += graph.pauses.filter(({ drainingBytes }) => drainingBytes > 0).length
      seen.circles += pauseCirclesOf(network, graph).length
      seen.deep += pauseTreeOf(network, graph).pauses.filter(({ depth }) => depth > 2).length
    }
    network.fabric.memory.release()
  }
  expect(seen.pauses).toBeGreaterThan(2000)
  expect(seen.draining).toBeGreaterThan(200)
  expect(seen.circles).toBeGreaterThan(4)
  expect(seen.deep).toBeGreaterThan(200)
}, 120_000)

test('in 500 random graphs: circles and tree are what naive twins find, with several circles and roots', () => {
  const random = createRandomStreams(6).stream('graphs')
  const hostOf = Int32Array.from({ length: 12 }, (_, k) => k)
  // The tree and the circles read nothing but the hosts of a network, and of ports what is written here.
  const network = { hostOf } as unknown as Network
  let several = 0
  for (let k = 0; k < 500; k++) {
    const count = 1 + random.below(12)
    const pauses = Array.from({ length: count }, (_, id) => {
      const waits = new Set(Array.from({ length: random.below(3) }, () => random.below(count)))
      const nic = random.below(3) === 0 ? { position: id } : null
      const peer =
        random.below(3) === 0
          ? { at: null, nic: {}, node: 100 + id }
          : { at: {}, nic: null, node: 50 + random.below(4) }
      return {
        port: { id, nic, peer },
        trafficClass: 3,
        sincePs: random.below(1000),
        waitsFor: [...waits]
          .map((pause) => ({ pause, bytes: 1 + random.below(5) }))
          .sort((a, b) => b.bytes - a.bytes || a.pause - b.pause),
        drainingBytes: 0,
      }
    })
    // As above.
    const graph = { timePs: 0, pauses } as unknown as PauseGraph
    expectCircles(network, graph)
    expectTree(network, graph)
    if (pauseTreeOf(network, graph).roots.filter(({ kind }) => kind === 'circle').length > 1) several++
  }
  expect(several).toBeGreaterThan(3)
})

/** Every paused port and class, and for each the paused ports of the device behind it that hold packets from it. */
function expectGraph({ ports, switches }: Network, { pauses }: PauseGraph): void {
  const keys = pauses.map(({ port, trafficClass }) => `${port.id} ${trafficClass}`)
  const expected = ports.flatMap((port) =>
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((c) => ((port.pausedMask & (1 << c)) === 0 ? [] : [`${port.id} ${c}`])),
  )
  expect(keys).toEqual(expected)
  for (const { port, trafficClass, sincePs, waitsFor, drainingBytes } of pauses) {
    expect(sincePs).toBe(port.pausedSincePs(trafficClass))
    const behind = switches[port.peer.node]?.ports ?? []
    const holding = behind.filter((next) => {
      const inputs = new Set<number>()
      next?.queue.visit(trafficClass, (input) => inputs.add(input))
      return inputs.has(port.peer.index)
    })
    const isPaused = (next: (typeof holding)[number]): boolean => (next!.pausedMask & (1 << trafficClass)) !== 0
    const waits = holding.filter(isPaused).map((next) => keys.indexOf(`${next!.id} ${trafficClass}`))
    expect(waitsFor.map(({ pause }) => pause).toSorted((a, b) => a - b)).toEqual(waits.toSorted((a, b) => a - b))
    expect(drainingBytes > 0).toBe(holding.some((next) => !isPaused(next)))
    const bytes = waitsFor.map((wait) => wait.bytes)
    expect(bytes).toEqual(bytes.toSorted((a, b) => b - a))
  }
  // What all inputs of a queue have in it is the queue.
  for (const at of switches) {
    for (const port of at?.ports ?? []) {
      if (port === undefined) continue
      let count = 0
      for (const c of [0, 1, 2, 3, 4, 5, 6, 7]) {
        let sum = 0
        port.queue.visit(c, (input, sizeBytes) => {
          if (at!.ports[input] === undefined) count = NaN
          sum += sizeBytes
          count++
        })
        expect(sum).toBe(port.queue.bytesOf(c))
      }
      expect(count).toBe(port.queue.packetCount)
    }
  }
}

/** By pause: those that it waits for in any number of steps. */
function reachOf({ pauses }: PauseGraph): Set<number>[] {
  const reach = pauses.map(({ waitsFor }) => new Set(waitsFor.map(({ pause }) => pause)))
  for (const from of reach) for (const by of from) for (const { pause } of pauses[by]!.waitsFor) from.add(pause)
  return reach
}

function expectCircles(network: Network, graph: PauseGraph): void {
  const reach = reachOf(graph)
  const parts = new Set<string>()
  reach.forEach((from, index) => {
    if (from.has(index))
      parts.add(
        [...from]
          .filter((other) => reach[other]!.has(index))
          .sort((a, b) => a - b)
          .join(' '),
      )
  })
  const found = pauseCirclesOf(network, graph)
  expect(new Set(found.map(({ members }) => members.join(' ')))).toEqual(parts)
  for (const { circle, members, victims, hosts, sincePs, trafficClass } of found) {
    circle.forEach((index, k) => {
      const next = circle[(k + 1) % circle.length]!
      expect(graph.pauses[index]!.waitsFor.map(({ pause }) => pause)).toContain(next)
      expect(members).toContain(index)
      expect(graph.pauses[index]!.trafficClass).toBe(trafficClass)
    })
    expect(sincePs).toBe(Math.max(...circle.map((index) => graph.pauses[index]!.sincePs)))
    const waiting = reach.flatMap((from, index) => (members.some((member) => from.has(member)) ? [index] : []))
    expect(victims).toEqual(waiting.filter((index) => !members.includes(index)))
    expect(heldUpBy(graph, members)).toEqual(waiting)
    const expected = waiting.flatMap((index) => graph.pauses[index]!.port.nic?.position ?? [])
    expect(hosts).toEqual([...new Set(expected)].sort((a, b) => a - b))
  }
}

/** Queue pair by queue pair: it has a packet in a queue that the circle holds, or something to send that it keeps in the NIC. */
function expectHeld(network: Network, graph: PauseGraph, circle: PauseCircleFound): void {
  const held = [...circle.members, ...circle.victims].map((index) => graph.pauses[index]!)
  const isHeld = ({ id, source, trafficClass, sender }: QueuePair): boolean =>
    held.some((pause) => {
      let isStored = false
      pause.port.queue.visit(pause.trafficClass, (_input, _sizeBytes, direction) => {
        if (direction >> 1 === id) isStored = true
      })
      const isKept = pause.port.nic?.position === source && pause.trafficClass === trafficClass
      return isStored || (isKept && !sender.isIdle && !sender.isFailed)
    })
  const expected = [...network.pairs].filter(isHeld).map(({ id }) => id)
  expect(pairsHeldBy(network, graph, circle)).toEqual(expected.toSorted((a, b) => a - b))
}

function expectTree(network: Network, graph: PauseGraph): void {
  const { pauses, roots } = pauseTreeOf(network, graph)
  const reach = reachOf(graph)
  const isStart = (index: number): boolean => graph.pauses[index]!.waitsFor.length === 0
  const hosts = roots.map(() => new Set<number>())
  const wrong: number[] = []
  pauses.forEach(({ parent, depth, root }, index) => {
    const { nic } = graph.pauses[index]!.port
    if (nic !== null) hosts[root]!.add(nic.position)
    const isRight = parent === -1 ? isFirst(index, depth, root) : isBelow(index, parent, depth, root)
    if (!isRight) wrong.push(index)
  })
  expect(wrong).toEqual([])
  roots.forEach((root, at) => {
    expect(root.hosts).toEqual([...hosts[at]!].sort((a, b) => a - b))
    const of = pauses.filter((pause) => pause.root === at)
    expect(root.depth).toBe(Math.max(...of.map(({ depth }) => depth)))
    expect(root.pauses).toBe(of.filter(({ parent }) => parent === -1).length)
  })

  function isFirst(index: number, depth: number, root: number): boolean {
    const { peer } = graph.pauses[index]!.port
    const { kind, node } = roots[root]!
    // Nothing but itself could end a circle.
    const isCircle = reach[index]!.has(index) && [...reach[index]!].every((other) => reach[other]!.has(index))
    if (kind === 'circle') return depth === 1 && isCircle
    return depth === 1 && isStart(index) && node === peer.node && kind === (peer.nic === null ? 'switch' : 'host')
  }

  function isBelow(index: number, parent: number, depth: number, root: number): boolean {
    // A pause that no root reaches stands under circles alone.
    const leadsToStart = (pause: number): boolean => isStart(pause) || [...reach[pause]!].some(isStart)
    const { waitsFor } = graph.pauses[index]!
    const counted = waitsFor.filter(({ pause }) => leadsToStart(pause) || !leadsToStart(index))
    const nearest = Math.min(...counted.map(({ pause }) => pauses[pause]!.depth))
    const near = counted.filter(({ pause }) => pauses[pause]!.depth === nearest)
    const bytes = near.find(({ pause }) => pause === parent)?.bytes
    const isNearest = depth === nearest + 1 && depth === pauses[parent]!.depth + 1 && root === pauses[parent]!.root
    return isNearest && bytes === Math.max(...near.map((wait) => wait.bytes))
  }
}

describe('stories', () => {
  test('an incast at a leaf begins at its switch and reaches the senders behind other leaves', () => {
    const flows = Array.from({ length: 12 }, (_, k) => `${4 + k} 0 5MB 0us`)
    const network = networkOf(
      `topology: {kind: leaf-spine, leaves: 4, spines: 1, hostsPerLeaf: 4, hostRate: 100Gbps, fabricRate: 400Gbps}
congestion: none
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: 1MB}}
workload: [{kind: trace, flows: ${JSON.stringify(flows)}}]`,
    )
    network.advance(2 ** 30, 200e6)
    const { roots, pauses } = pauseTreeOf(network, pauseGraphOf(network))
    // Hosts 0 to 15, leaves 16 to 19, spine 20.
    expect(roots).toMatchObject([{ kind: 'switch', node: 16, depth: 3, pauses: 1 }])
    expect(roots[0]!.hosts).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    expect(pauses.filter(({ depth }) => depth === 2)).toHaveLength(3)
    network.fabric.memory.release()
  })
})

describe('a class that a watchdog has taken out of service', () => {
  /** Ports that are paused at 190 ms, before the storm of host 1 is detected, and at 990 ms. */
  const pausedAt = (action: string): string[][] => {
    const text = `switch: {watchdog: {kind: broadcom, action: ${action}, detectionTime: 200ms, pollInterval: 100ms}, buffer: {kind: shared-buffer, size: 1MB, alpha: 1/64}}`
    const tester = new Tester({ text })
    for (const from of [0, 2]) tester.stream({ from, to: 1, load: 0.5 })
    tester.storm({ host: 1, fromPs: 100 * MS, toPs: 2000 * MS })
    return [190, 990].map((ms) => {
      tester.run(ms * MS)
      const { network } = tester.built
      return pauseGraphOf(network).pauses.map(({ port }) => (port.nic === null ? 'switch' : `host ${port.node}`))
    })
  }

  test.each(['drop', 'forward'])('waits for nothing, and nothing waits for it (action %s)', (action) => {
    const [before, after] = pausedAt(action)
    expect(before!.toSorted()).toEqual(['host 0', 'host 2', 'switch'])
    expect(after).toEqual([])
  })

  test('is paused as before where the watchdog only reports it', () => {
    expect(pausedAt('alert')[1]!.toSorted()).toEqual(['host 0', 'host 2', 'switch'])
  })
})
