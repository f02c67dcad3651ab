/**
 * Random networks of hosts with several ports, for the contract of ports: rails, planes and graphs with unequal ports and
 * rates, ports that go down and come back, losses.
 */
import { Dice } from '../swarm/dice.ts'

const PORT_CHOICES = ['bound', 'spray', 'least-queue']
/** Work requests have the frames of plain messages, but with IRN, whose headers they have packet by packet. */
const SAME_FRAMES = ['go-back-n', 'go-back-0', 'send-twice', 'check-epsn', 'improved-gbn', 'iwarp']

interface Drawn {
  readonly topology: string
  /** Links of ports, as faults name them. */
  readonly ports: readonly string[]
  readonly hosts: number
}

function drawRails(dice: Dice): Drawn {
  const [rails, groups, perGroup] = [dice.from(2, 4), dice.from(1, 2), dice.from(2, 3)]
  const spines = dice.from(groups - 1, 2)
  const rates = `hostRate: ${dice.one([25, 100])}Gbps, fabricRate: ${dice.one([25, 100, 400])}Gbps`
  const hosts = groups * perGroup
  return {
    topology: `{kind: rails, rails: ${rails}, groups: ${groups}, hostsPerGroup: ${perGroup}, spines: ${spines}, ${rates}}`,
    ports: portNames(hosts, rails, 'rail'),
    hosts,
  }
}

function drawPlanes(dice: Dice): Drawn {
  const [planes, leaves, perLeaf] = [dice.from(2, 4), dice.from(1, 2), 2]
  const rate = `hostRate: ${dice.one([25, 100])}Gbps`
  const hosts = leaves * perLeaf
  return {
    topology: `{kind: planes, planes: ${planes}, leaves: ${leaves}, spines: ${dice.from(1, 2)}, hostsPerLeaf: ${perLeaf}, ${rate}}`,
    ports: portNames(hosts, planes, 'plane'),
    hosts,
  }
}

/** Hosts with one to three ports of unequal rates on two or three switches, and now and then a link between two hosts. */
function drawGraph(dice: Dice): Drawn {
  const [hosts, switches] = [dice.from(2, 4), dice.from(2, 3)]
  const link = (a: number, b: number): string =>
    `"${a} ${b} ${dice.one([10, 40, 100])}Gbps ${dice.one(['0ps', '1us', '3us'])}"`
  const counts = Array.from({ length: hosts }, () => dice.from(1, 3))
  counts[dice.from(0, hosts - 1)] = dice.from(2, 3)
  const links = Array.from({ length: switches - 1 }, (_, s) => link(hosts + s, hosts + s + 1))
  counts.forEach((count, host) => {
    for (let port = 0; port < count; port++) links.push(link(host, hosts + dice.from(0, switches - 1)))
  })
  if (dice.chance(0.3)) {
    links.push(link(0, 1))
    for (const host of [0, 1]) counts[host]!++
  }
  return {
    topology: `{kind: graph, nodes: ${hosts + switches}, switches: [${Array.from({ length: switches }, (_, s) => hosts + s).join(', ')}], links: [${links.join(', ')}]}`,
    ports: counts.flatMap((count, host) =>
      Array.from({ length: count }, (_, port) => (count === 1 ? `host ${host}` : `host ${host} port ${port + 1}`)),
    ),
    hosts,
  }
}

function portNames(hosts: number, ports: number, word: string): string[] {
  return Array.from({ length: hosts * ports }, (_, i) => `host ${Math.floor(i / ports)} ${word} ${i % ports}`)
}

/** Losses, and ports that go down, some from the start, and mostly come back. */
function drawFaults(dice: Dice, { ports }: Drawn): string[] {
  const faults: string[] = []
  if (dice.chance(0.4))
    faults.push(
      `{kind: bernoulli, probability: ${dice.one([0.001, 0.01, 0.05])}, packets: ${dice.one(['data', 'control', 'both'])}}`,
    )
  for (let count = dice.one([0, 0, 1, 2, 4]); count > 0; count--) {
    const downUs = dice.one([0, dice.from(1, 60)])
    const up = dice.chance(0.85) ? `, up: ${downUs + dice.from(1, 100)}us` : ''
    const converge = dice.chance(0.5) ? `, converge: ${dice.from(1, 50)}us` : ''
    faults.push(`{kind: link-down, links: ${dice.one(ports)}, down: ${downUs}us${up}${converge}}`)
  }
  return faults
}

function drawWorkload(dice: Dice, { hosts }: Drawn): string {
  const operation = dice.one(['write', 'send'])
  // A verbs packet is padded to a multiple of four bytes.
  const size = dice.one([4, 1000, 1024, 1028, 5000, 20_000, 100_000])
  const messages = dice.from(1, size > 20_000 ? 4 : 12)
  const labels = `operation: ${operation}, messageSize: ${size}B, messages: ${messages}, outstanding: ${dice.from(1, 4)}`
  const pairs = Array.from({ length: dice.from(1, 4) }, () => {
    const from = dice.from(0, hosts - 1)
    return `"${from} ${(from + dice.from(1, hosts - 1)) % hosts}"`
  })
  return dice.chance(0.3)
    ? `kind: permutation, ${labels}`
    : `kind: closed-loop, pairs: [${pairs.join(', ')}], ${labels}`
}

export interface PortsCase {
  readonly text: string
  readonly isSame: boolean
}

/** The case of a seed. */
export function drawPortsCase(seed: number): PortsCase {
  const dice = new Dice(seed ^ 0x90475)
  const drawn = dice.one([drawRails, drawPlanes, drawGraph])(dice)
  const isSame = dice.chance(0.7)
  const recovery = isSame ? dice.one(SAME_FRAMES) : dice.one(['irn', 'irn', 'mp-rdma'])
  const own: Record<string, string> = { 'mp-rdma': 'mp-rdma', iwarp: 'none' }
  const congestion = own[recovery] ?? dice.one(['none', 'none', 'dctcp', 'dcqcn'])
  const nic = `portChoice: ${dice.one(PORT_CHOICES)}, portDown: ${dice.one(['move', 'move', 'stay'])}, portUp: ${dice.one(['return', 'stay'])}`
  const timeout = dice.one(['off', '40us', '200us'])
  const echo = congestion === 'dctcp' || recovery === 'mp-rdma' ? ', ecnEcho: ack' : ''
  const text = `name: ports
seed: ${seed}
topology: ${drawn.topology}
recovery: ${recovery}
congestion: ${congestion}
nic: {${nic}}
qp: {ackTimeout: ${timeout}, retryLimit: ${dice.one(['off', '7'])}${echo}}
verbs: {credits: false, receives: 512}
faults: [${drawFaults(dice, drawn).join(', ')}]
workload: [{${drawWorkload(dice, drawn)}}]
measure: {stop: 10ms}
`
  return { text, isSame }
}
