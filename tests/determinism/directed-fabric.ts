/**
 * Directed scenarios of lossless fabrics: effects of the parameters of layer 2, VLANs, receive pipelines, watchdogs, memory
 * managers, host delays, and faults of hosts, that random scenarios seldom show.
 */
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'

/** Four senders to one host, in two lossless classes and a lossy one. */
const managed = (buffer: string, more = ''): Scenario =>
  parseScenario(`
name: managed
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 1us}
pfc: {classes: [3, 4]}
switch: {buffer: {kind: memory-manager, size: 650KB, ${buffer.includes('headroom:') ? '' : 'headroom: 15KB, '}${buffer}}}
qp: {ackTimeout: 100us}
${more}
workload:
  - {kind: trace, flows: ["0 4 120KB 0us", "1 4 120KB 0us"]}
  - {kind: trace, flows: ["2 4 120KB 0us class=4", "3 4 120KB 0us class=0", "1 4 60KB 5us class=1"]}
`)
const limits = 'lossy: {reserve: 2KB, alpha: 1/8}, queues: [{classes: [0, 1], reserve: 1KB, alpha: 1/4}]'
const profile = (more: string): string =>
  `profiles: [{rate: 40Gbps, delay: 1us, classes: [3], reserve: 1KB, headroom: 20KB, xon: 2KB, xonOffset: 4KB, ${more}}]`

/** Two leaves and a spine; hosts send across, and MAC entries age within the run. */
const tables = (layer2: string, faults = ''): Scenario =>
  parseScenario(`
name: tables
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 10Gbps, fabricRate: 10Gbps}
switch: {layer2: {kind: tables, ${layer2}}}
qp: {ackTimeout: 60us, retryLimit: 3}
faults: [${faults}]
workload: [{kind: trace, flows: ["0 2 60KB 0us", "1 3 60KB 20us", "2 1 60KB 150us", "3 0 20KB 150us class=1", "0 3 60KB 300us"]}]
measure: {stop: 900us}
`)

/** Four hosts below two switches, in one network or two. */
const vlans = (switches: string, more = ''): Scenario =>
  parseScenario(`
name: vlans
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 10Gbps, fabricRate: 10Gbps}
switch: {${switches}, buffer: {kind: shared-buffer, size: 300KB}}
qp: {ackTimeout: 200us, retryLimit: 2}
${more}
workload: [{kind: trace, flows: ["0 2 60KB 0us", "1 2 60KB 0us", "3 2 60KB 0us class=1"]}]
`)

/** A NIC that is slower than its link, with caches that miss. */
const received = (receive: string, more = ''): Scenario =>
  parseScenario(`
name: received
topology: {kind: star, hosts: 3, linkRate: 40Gbps}
nic: {receive: {kind: pipeline, ${receive}}}
${more}
workload:
  - {kind: trace, flows: ["0 2 150KB 0us", "1 2 150KB 0us", "0 2 30KB 10us class=1"]}
  - {kind: closed-loop, pairs: ["0-1 2"], messageSize: 3KB, messages: 5}
`)

/** Hosts of two ports, which post and read their messages in some time. */
const sent = (send: string): Scenario =>
  parseScenario(`
name: sent
topology: {kind: rails, rails: 2, groups: 1, hostsPerGroup: 2, spines: 0, hostRate: 40Gbps}
nic: {send: {${send}}}
workload: [{kind: closed-loop, pairs: ["0 1"], qpsPerPair: 2, messageSize: 3KB, outstanding: 4, messages: 10}]
`)

/** Host 2 pauses its switch, which pauses the senders. */
const stormed = (watchdog: string, storm = '', more = ''): Scenario =>
  parseScenario(`
name: stormed
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 10Gbps, fabricRate: 10Gbps}
pfc: {classes: [3, 4], quanta: 1000}
switch: {buffer: {kind: shared-buffer, size: 600KB}, watchdog: {${watchdog}}}
qp: {ackTimeout: 200us, retryLimit: off}
${more}
faults: [{kind: pause-storm, hosts: host 2, from: 20us, until: 400us, ${storm}}]
workload:
  - {kind: trace, flows: ["0 2 500KB 0us", "1 3 500KB 0us", "1 2 200KB 5us class=4"]}
  - {kind: closed-loop, pairs: ["3 0"], messageSize: 10KB, messages: 20}
measure: {stop: 900us}
`)
const TIMES = 'pollInterval: 20us, detectionTime: 40us, restorationTime: 60us'

/** Servers die while others send to them. */
const died = (link: string): Scenario =>
  parseScenario(`
name: died
topology: {kind: star, hosts: 3, linkRate: 10Gbps}
qp: {ackTimeout: 50us, retryLimit: 1}
faults: [{kind: server-down, hosts: host 1, down: 30us, up: 90us, link: ${link}}]
workload: [{kind: trace, flows: ["0 1 100KB 0us", "1 2 100KB 0us", "0 1 10KB 120us", "2 1 10KB 60us"]}]
`)

const delayed = (hostDelay: string): Scenario =>
  parseScenario(`
name: delayed
topology: {kind: star, hosts: 2}
qp: {hostDelay: {${hostDelay}}}
workload: [{kind: closed-loop, pairs: ["0 1"], messageSize: 10KB, messages: 40}]
`)

const losses = (fault: string): Scenario =>
  parseScenario(`
name: losses
topology: {kind: star, hosts: 2, linkRate: 10Gbps}
qp: {ackTimeout: 50us}
faults: [{${fault}, from: 40us}]
workload: [{kind: trace, flows: ["0 1 400KB 0us"]}]
`)

const boots = parseScenario(`
name: boots
topology: {kind: star, hosts: 4, linkRate: 10Gbps}
qp: {ackInterval: 1}
workload: [{kind: boot, server: 0, hosts: [1, 2], image: 50KB, start: 5us, operation: send}]
`)

/** Plain messages and a class of their own, in three scopes. */
const probed = (hostLatency: string): Scenario =>
  parseScenario(`
name: probed
topology: {kind: clos-podset, podsets: 2, leaves: 2, tors: 2, serversPerTor: 2, spines: 2}
workload: [{kind: pingmesh, interval: 20us, hostLatency: {${hostLatency}}}]
measure: {generate: 100us, stop: 200us}
`)

const believed = parseScenario(`
name: believed
topology: {kind: star, hosts: 4, linkRate: 40Gbps, linkDelay: 2us}
switch: {buffer: {kind: shared-buffer, size: 400KB, believedDelay: 100ns}}
workload: [{kind: incast, senders: 3, receiver: 3, total: 600KB}]
`)

/** Steps that wait for each other. */
const collected = (workload: string, topology = '{kind: star, hosts: 4, linkRate: 40Gbps}'): Scenario =>
  parseScenario(`
name: collected
topology: ${topology}
qp: {ackInterval: 1}
workload: [{${workload}}]
`)
/** Hosts with two ports each. */
const TWO_RAILS = '{kind: rails, rails: 2, groups: 1, hostsPerGroup: 2, spines: 1}'
/** A collective in a graph. */
const JOINED = [
  'num_ranks 4',
  'group all 0 1 2 3',
  ...[0, 1, 2, 3].flatMap((rank) => [`rank ${rank} {`, 'all-reduce 40000b group all slices 4', '}']),
]
const GOAL = `num_ranks 2
rank 0 {
a: send 9000b to 1
b: send 5000b to 1
b requires a
recv 100b from 1
}
rank 1 {
recv 9000b from 0
x: recv 5000b from 0
y: send 100b to 0
y requires x
}`.split('\n')

export const DIRECTED_FABRIC: readonly Scenario[] = [
  managed(`alpha: 1/16, ${limits}`),
  managed(`dynamicTh: -3, lossy: {dynamicTh: -2}, queues: [{classes: [0, 1], dynamicTh: -2}]`),
  managed(`staticTh: 10KB, lossy: {staticTh: 20KB}, queues: [{classes: [0, 1], staticTh: 10KB}]`),
  managed(
    `headroomPool: 30KB, headroom: 20KB, ingressPool: 100KB, ingressLossyPool: 20KB, egressPool: 100KB, egressLossyPool: 15KB`,
  ),
  managed('queues: [{classes: [0, 1], reserve: 1KB, alpha: 1/64}]'),
  managed('staticTh: 5KB, xon: 3KB, xonOffset: 4KB'),
  managed('groups: [0, 0, 2, 3, 4, 5, 6, 7], lossy: {alpha: 1/64}'),
  managed(`groups: [0, 0, 2, 3, 4, 5, 6, 7], egressAlpha: 1/16, xon: 10KB, xonOffset: 1KB`),
  managed(profile('alpha: 1/32')),
  managed(profile('dynamicTh: -5')),
  managed(profile('staticTh: 5KB')),
  tables('macMissing: host 2, resolveTime: 30us'),
  tables('macMissing: all, onIncomplete: cpu, cpuRate: 200000, cpuQueue: 3, resolveTime: 20us'),
  tables('arpSeconds: 100, macSeconds: 50, timeScale: 1e-6, floodClass: 1, resolveTime: 20us'),
  tables(
    'arpSeconds: 40, macSeconds: 400, timeScale: 1e-6, resolveTime: 10us, cpuRate: 1000000',
    '{kind: server-down, hosts: host 2, down: 30us}',
  ),
  tables('macMissing: host 2, headDrop: frame-time'),
  tables('resolveTime: 20us', '{kind: link-down, links: host 2, down: 30us, up: 50us}'),
  tables(
    'macMissing: none',
    '{kind: broadcast, hosts: host 1, interval: 5us, size: 200B, class: 3, from: 10us, until: 200us}',
  ),
  vlans('vlan: {ports: trunk, layer3At: leaf, untaggedClass: 1}', 'classes: {classify: pcp}'),
  vlans('vlan: {ports: access}', 'nic: {vlan: as-port, trust: pcp}'),
  vlans('vlan: {ports: hybrid, untaggedClass: 2}', 'nic: {vlan: untagged}\nclasses: {classify: pcp}'),
  vlans('mtu: 1090B', 'nic: {mtu: 1090B}'),
  vlans('vlan: {ports: access}', 'nic: {trafficClasses: ["0-9: 1"]}'),
  received('buffer: 60KB, xoff: 20KB, xonOffset: 2KB, packetTime: 300ns, translations: 8, workingSet: 1MB'),
  received('buffer: 120KB, sharing: per-class, busRate: 10Gbps, contexts: 1, contextPenalty: 2us, workingSetOf: pair'),
  received('buffer: 60KB, pageSize: 4KB, translations: 8, missPenalty: 2us, workingSet: 1MB, access: sequential'),
  sent('workRequestGap: 3us'),
  sent('readRate: 30Gbps'),
  sent('postTime: 1us'),
  sent('messageGap: 2us'),
  stormed(`kind: broadcom, ${TIMES}`, 'mode: frames, interval: 15us, quanta: 2000, classes: [3]'),
  stormed(
    `kind: nvidia, ${TIMES}, ports: fabric`,
    'mode: pipeline-stopped',
    'nic: {receive: {kind: pipeline, buffer: 40KB}}',
  ),
  ...['generic', 'teralynx', 'cisco', 'paper'].map((kind) =>
    stormed(`kind: ${kind}, ${TIMES}, profile: switch`, 'mode: frames, interval: 15us'),
  ),
  stormed(`kind: broadcom, ${TIMES}, countsWithoutPfc: true, action: forward`, 'mode: frames, interval: 15us'),
  stormed('kind: off', 'mode: pipeline-stopped', 'nic: {receive: {kind: pipeline, buffer: 40KB}, watchdog: 100us}'),
  died('stays-up'),
  died('goes-down'),
  delayed('kind: exponential, least: 1us, mean: 2us'),
  delayed('kind: lognormal, least: 1us, median: 3us, p99: 9us, most: 10us'),
  delayed('kind: quantiles, points: ["0 1us", "50 4us", "100 30us"]'),
  losses('kind: every-nth, n: 20'),
  losses('kind: ip-id, lowByte: 60'),
  boots,
  probed('kind: exponential, least: 1us, mean: 2us'),
  probed('kind: lognormal, least: 1us, median: 3us, p99: 9us, most: 10us'),
  probed('kind: quantiles, points: ["0 1us", "50 4us", "100 30us"]'),
  believed,
  collected('kind: collective, size: 40KB, iterations: 2, stepTime: 3us'),
  collected('kind: collective, size: 40KB, tuner: ["allreduce,0,-1,tree,ll,2,-1,-1"]'),
  collected('kind: collective, operation: all-to-all, size: 40KB, group: ["0-3"]'),
  collected(`kind: graph, goal: ${JSON.stringify(GOAL)}, group: ["0-1"], stepTime: 3us`),
  collected(`kind: graph, goal: ${JSON.stringify(GOAL)}, group: ["0-3"], nics: 2`),
  ...['collective, size: 40KB', `graph, goal: ${JSON.stringify(GOAL)}`].map((job) =>
    collected(`kind: ${job}, ranks: port, insideLatency: 1us, insideRate: 10Gbps`, TWO_RAILS),
  ),
  collected('kind: collective, size: 40KB, ranks: port, channelsBy: nccl', TWO_RAILS),
  ...['collective, size: 40KB, slices: 4', `graph, goal: ${JSON.stringify(JOINED)}`].map((job) =>
    collected(`kind: ${job}, rendezvous: 3KB, slots: 2`),
  ),
]
