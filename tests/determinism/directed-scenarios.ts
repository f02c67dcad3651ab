/**
 * Directed scenarios: effects of parameters that random scenarios seldom show.
 */
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'

/** Two senders at one output, over marks that go and come back, long enough for all steps of increase. */
const increasing = (kind: string): Scenario =>
  parseScenario(`
name: increasing
topology: {kind: star, hosts: 3}
frames: {payload: 4096B}
switch: {ecn: {kmin: 5KB, kmax: 20KB, pmax: 0.5}}
congestion: {kind: ${kind}, g: 0.9, cnpInterval: 4us, rateInterval: 3us, alphaInterval: 300us, byteCounter: 20KB,
  decreaseInterval: 4us, fastRecovery: 2, additiveRate: 1Gbps, hyperRate: 3Gbps, minRate: 20Gbps, maxCut: 1}
workload: [{kind: trace, flows: ["0 2 8MB 0us", "1 2 1MB 0us", "1 2 200KB 100us"]}]
`)
/** The same, cut again and again at checks before any step of increase. */
const cutting = (kind: string): Scenario =>
  parseScenario(`
name: cutting
topology: {kind: star, hosts: 3}
switch: {ecn: {kmin: 5KB, kmax: 20KB, pmax: 0.5}}
congestion: {kind: ${kind}, g: 0.9, cnpInterval: 4us, cut: windowed, decreaseInterval: 4us, alphaInterval: 3us,
  rateInterval: 30us, byteCounter: off, fastRecovery: 1, minRate: 1Gbps}
workload: [{kind: trace, flows: ["0 2 2MB 0us", "1 2 1MB 0us", "1 2 200KB 100us"]}]
`)
const withAcks = (congestion: string, window = 'off', ackTimeout = 'off'): Scenario =>
  parseScenario(`
name: acks
topology: {kind: star, hosts: 3}
switch: {ecn: {kmin: 5KB, kmax: 20KB, pmax: 0.5}}
qp: {ecnEcho: ack, window: ${window}, ackTimeout: ${ackTimeout}}
congestion: {${congestion}}
workload: [{kind: trace, flows: ["0 2 1MB 0us", "1 2 1MB 0us", "1 2 200KB 100us"]}]
`)
/** Bursts into a queue that drops early what cannot be marked, on connections that are silent for a while; READs too. */
const early = (congestion: string, qp: string, senders = 2): Scenario =>
  parseScenario(`
name: early
topology: {kind: star, hosts: ${senders + 1}}
switch: {ecn: {kmin: 5KB, kmax: 20KB, pmax: 0.5}, wred: {classes: [3], threshold: 10KB}}
qp: {ackTimeout: 200us, ${qp}}
congestion: {${congestion}}
workload:
  - {kind: closed-loop, pairs: ["0-${senders - 1} ${senders}"], messageSize: 300KB, messages: 2}
  - {kind: trace, flows: ["0 1 20KB 0us connection=1", "0 1 40KB 90us connection=1", "0 1 40KB 300us connection=1"]}
  - {kind: closed-loop, pairs: ["1 0"], messageSize: 200KB, messages: 2, operation: read}
`)
/** Two links between the switches 3 and 4, and node 5 on one link. */
export const GRAPH_LINKS = [
  '0 3 40Gbps 1us',
  '1 3 40Gbps 1us',
  '2 4 40Gbps 1us',
  '3 4 10Gbps 1us',
  '3 4 10Gbps 1us',
  '3 5 40Gbps 1us',
]
const drawn = parseScenario(`
name: drawn
topology: {kind: graph, nodes: 6, switches: [3, 4, 5], links: ${JSON.stringify(GRAPH_LINKS)}}
balance: {kind: ecmp, seed: node}
workload: [{kind: permutation, messageSize: 100KB}]
`)
/** Two senders into a buffer most of which is the headroom of a kind of hardware. */
const familyHeadroom = parseScenario(`
name: hardware
topology: {kind: star, hosts: 3}
switch: {family: spc1, buffer: {kind: shared-buffer, size: 1MB, headroomFormula: hardware}}
workload: [{kind: trace, flows: ["0 2 1MB 0us", "1 2 1MB 0us"]}]
`)
/** Four senders, more than the buffer holds, in two classes; SENDs that wait for receivers. */
const crowded = (more: string): Scenario =>
  parseScenario(`
name: crowded
topology: {kind: star, hosts: 5}
qp: {ackTimeout: 50us, receiveQueue: 1, receiveRepost: 3us, rnrTimer: 2, window: 64KB, windowVariable: true}
switch:
  buffer: {kind: shared-buffer, size: 200KB, headroomFormula: delay-rate, headroomFactor: 1.5, headroomExtra: 2KB,
    egressLimit: all, egressReserve: 1049B, egressAlpha: 0.5, xonOffset: 2KB,
    byClass: [{class: 2, alpha: 0.25, egressAlpha: 0.25}]}
  wred: {classes: [2, 3], threshold: 20KB}
  ecn: {byRate: [{rate: 100Gbps, kmin: 4KB, kmax: 30KB, pmax: 0.3}]}
${more}
workload:
  - {kind: closed-loop, pairs: ["0-1 4"], messageSize: 40KB, messages: 3, outstanding: 2}
  - {kind: closed-loop, pairs: ["2-3 4"], messageSize: 40KB, messages: 3, operation: send, trafficClass: 2}
`)
/** A buffer that pauses for longer than the pauses of class 3 are. */
const shortPauses = parseScenario(`
name: short-pauses
topology: {kind: star, hosts: 5}
pfc: {byClass: [{class: 3, quanta: 200}]}
switch: {buffer: {kind: shared-buffer, size: 600KB}}
workload: [{kind: incast, senders: 4, receiver: 0, total: 2MB}]
`)
/** Headroom for two lossless classes leaves less to share. */
const twoLossless = parseScenario(`
name: two-lossless
topology: {kind: star, hosts: 5}
pfc: {classes: [2, 3]}
switch: {buffer: {kind: shared-buffer, size: 600KB}}
workload: [{kind: incast, senders: 4, receiver: 0, total: 400KB}]
`)
/** Messages one after the other over a link that loses a fifth of everything. */
const lossy = (recovery: string, qp = ''): Scenario =>
  parseScenario(`
name: lossy
topology: {kind: star, hosts: 2}
recovery: {kind: ${recovery}, nakInterval: 20us}
qp: {ackTimeout: 500us, ackInterval: 256, retryLimit: off${qp}}
faults: [{kind: bernoulli, probability: 0.2, links: all, packets: both}]
workload: [{kind: closed-loop, pairs: ["0 1"], messageSize: 20KB, messages: 30}]
`)
/** The same with selective repeat, messages long enough to fill the line. */
const lossyIrn = (recovery: string, congestion = 'none', messages = 20): Scenario =>
  parseScenario(`
name: lossy-irn
topology: {kind: star, hosts: 2}
recovery: {kind: irn, ${recovery}}
congestion: {${congestion === 'none' ? 'kind: none' : congestion}}
qp: {ackTimeout: 500us, ackInterval: 1, retryLimit: off}
faults: [{kind: bernoulli, probability: 0.1, links: all, packets: both}]
workload:
  - {kind: closed-loop, pairs: ["0 1"], messageSize: 100KB, messages: ${messages}}
  - {kind: closed-loop, pairs: ["1 0"], messageSize: 3KB, messages: ${messages}}
`)
/** And with TCP. */
const lossyTcp = (recovery: string): Scenario =>
  parseScenario(`
name: lossy-tcp
topology: {kind: star, hosts: 2}
recovery: {kind: iwarp, ${recovery}}
qp: {retryLimit: off}
faults: [{kind: bernoulli, probability: 0.03, links: all, packets: both}]
workload:
  - {kind: closed-loop, pairs: ["0 1"], messageSize: 100KB, messages: 20}
  - {kind: closed-loop, pairs: ["1 0"], messageSize: 3KB, messages: 20}
`)
/** Two leaves and four spines, the path over one of them slow, and a link that loses packets. */
const manyPaths = parseScenario(`
name: many-paths
topology: {kind: graph, nodes: 10, switches: [4, 5, 6, 7, 8, 9], links: [
  0 4 40Gbps 1us, 1 4 40Gbps 1us, 2 5 40Gbps 1us, 3 5 40Gbps 1us, 4 6 40Gbps 1us, 4 7 40Gbps 1us, 4 8 40Gbps 1us,
  4 9 40Gbps 1us, 5 6 40Gbps 1us, 5 7 40Gbps 2us, 5 8 40Gbps 1us, 5 9 5Gbps 1us]}
switch: {ecn: {kmin: 20KB, kmax: 20KB, pmax: 1}}
qp: {ecnEcho: ack, ackTimeout: 100us}
recovery: {kind: mp-rdma, synchronise: sends}
congestion: {kind: mp-rdma, minWindow: 2}
workload:
  - {kind: trace, flows: ["0 2 400KB 0us", "1 3 300KB 0us"]}
  - {kind: closed-loop, pairs: ["0 3"], messageSize: 30KB, messages: 6, outstanding: 2, operation: send}
faults: [{kind: bernoulli, probability: 0.02, links: "6>5", packets: both}]
`)
/** Nine hosts over three spines, with queues, gaps and more flows than entries. */
const chosen = (balance: string): Scenario =>
  parseScenario(`
name: chosen
topology: {kind: leaf-spine, leaves: 3, spines: 3, hostsPerLeaf: 3, hostRate: 40Gbps, fabricRate: 25Gbps}
balance: {${balance}}
recovery: {kind: irn, nackThreshold: 20}
qp: {ackTimeout: 500us}
workload:
  - {kind: permutation, messageSize: 60KB}
  - {kind: closed-loop, pairs: ["0 4", "1 5", "2 8"], messageSize: 10KB, messages: 8}
`)
/** Two hosts that are overrun and overrun another, so that they are paused while they have CNPs to send. */
const crossed = parseScenario(`
name: crossed
topology: {kind: star, hosts: 4}
switch: {buffer: {kind: shared-buffer, size: 160KB}, ecn: {kmin: 5KB, kmax: 20KB, pmax: 1}}
congestion: dcqcn
workload: [{kind: trace, flows: ["0 2 300KB 0us", "1 2 300KB 0us", "2 3 300KB 0us", "3 1 300KB 0us", "0 3 300KB 0us", "2 1 300KB 0us"]}]
`)
/** Three senders at one output over a queue that is sampled often, so that messages come, and stop, and come. */
const reported = (more: string): Scenario =>
  parseScenario(`
name: cnms
topology: {kind: star, hosts: 4}
pfc: {classes: []}
switch: {qcn: {setPoint: 20KB, sampleBase: 5KB}}
congestion: {kind: qcn, rateInterval: 20us, byteCounter: 30KB, additiveRate: 500Mbps, hyperRate: 2Gbps, ${more}}
workload: [{kind: trace, flows: ["0 3 1MB 0us", "1 3 1MB 0us", "2 3 300KB 50us"]}]
`)
/** Four senders on short links, which less than one packet each fills. */
const tight = (congestion: string, qp: string): Scenario =>
  parseScenario(`
name: tight
topology: {kind: star, hosts: 5, linkDelay: 10ns}
switch: {ecn: {kmin: 2KB, kmax: 4KB, pmax: 1}, wred: {classes: [3], threshold: 10KB}}
qp: {ackTimeout: 200us, ${qp}}
congestion: {${congestion}}
workload: [{kind: closed-loop, pairs: ["0-3 4"], messageSize: 60KB, messages: 3}]
`)
/** Connections of one packet that is often lost before a round trip is known. */
const firstLost = parseScenario(`
name: first-lost
topology: {kind: star, hosts: 2}
recovery: {kind: iwarp, rtoMin: 50us}
qp: {retryLimit: off}
faults: [{kind: bernoulli, probability: 0.4, links: all, packets: both}]
workload: [{kind: trace, flows: ["0 1 1KB 0us", "0 1 1KB 1us", "0 1 1KB 2us", "0 1 1KB 3us", "1 0 1KB 4us", "1 0 1KB 5us"]}]
`)
/** SENDs that find no Receive WQE again and again. */
const fewReceives = parseScenario(`
name: few-receives
topology: {kind: star, hosts: 2}
qp: {receiveRepost: 1ms, rnrTimer: 1}
verbs: {receives: 1, credits: false}
workload: [{kind: closed-loop, pairs: ["0 1"], operation: send, workRequests: true, messageSize: 1KB, messages: 3}]
`)
/** Data of two classes over sampled queues. */
const twoClasses = parseScenario(`
name: two-classes
topology: {kind: star, hosts: 5}
pfc: {classes: []}
switch: {qcn: {classes: [2, 3], setPoint: 20KB, sampleBase: 5KB}}
congestion: qcn
workload:
  - {kind: trace, flows: ["0 4 400KB 0us", "1 4 400KB 0us"]}
  - {kind: closed-loop, pairs: ["2-3 4"], messageSize: 400KB, messages: 1, trafficClass: 2}
`)
/** Rates so low that a bit per second shows in the gap of a packet. */
const slow = parseScenario(`
name: slow
topology: {kind: star, hosts: 3, linkRate: 10Mbps}
switch: {ecn: {kmin: 1KB, kmax: 2KB, pmax: 1}}
congestion: {kind: dcqcn, minRate: 100Kbps, cnpInterval: 0us, alphaStart: 0.7}
workload: [{kind: trace, flows: ["0 2 30KB 0us", "1 2 30KB 0us"]}]
`)
/** Four senders into a shallow buffer that trims what it has no room for. */
const trimmed = (schemes: string): Scenario =>
  parseScenario(`
name: trimmed
topology: {kind: star, hosts: 5}
pfc: {classes: []}
switch: {buffer: {kind: shared-buffer, size: 40KB}, trimming: {of: lossy}}
qp: {ackTimeout: 100us, ecnEcho: ack, retryLimit: off}
${schemes}
workload: [{kind: incast, senders: 4, receiver: 4, total: 200KB}]
`)
const cut = parseScenario(`
name: cut
topology: {kind: star, hosts: 3}
qp: {ackTimeout: 50us}
faults: [{kind: link-down, links: "1-3", down: 5us, up: 60us}]
workload: [{kind: trace, flows: ["0 2 100KB 0us", "1 2 100KB 0us"]}]
`)
/** A switch that reboots, a link that flaps, and parameters that differ or change. */
const incidents = (changes: string): Scenario =>
  parseScenario(`
name: incidents
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 10Gbps, fabricRate: 10Gbps}
qp: {ackTimeout: 50us}
switch: {buffer: {kind: shared-buffer, size: 300KB, alpha: 1}, ecn: {classes: []}}
faults:
  - {kind: switch-down, switches: spine 0, down: 20us, up: 60us, converge: 5us}
  - {kind: link-flap, links: leaf 0-spine 1, from: 80us, down: 5us, interval: 20us, until: 150us, converge: 2us}
changes: [${changes}]
workload: [{kind: trace, flows: ["0 2 300KB 0us", "1 2 300KB 0us", "3 2 300KB 0us"]}]
`)
/** Scenarios for what chance seldom shows. */
/** Queue pairs over leaves of two planes, and a link of one that is down for a while. */
const severalPorts = parseScenario(`
name: ports
topology: {kind: planes, planes: 2, hostsPerLeaf: 2}
qp: {ackTimeout: 50us}
faults: [{kind: link-down, links: host 0 plane 0, down: 20us, up: 60us}]
workload: [{kind: trace, flows: ["0 3 1MB 0us", "0 3 1MB 0us", "0 2 1MB 0us", "1 2 1MB 0us"]}]
`)
/** Windows that are cut now and then, and grow for round trips of milliseconds. */
const lossyCubic = (congestion: string): Scenario =>
  parseScenario(`
name: cubic
topology: {kind: star, hosts: 3, linkRate: 10Gbps, linkDelay: 500us}
pfc: {classes: []}
recovery: {kind: tcp, rtoMin: 5ms, delayedAck: off}
congestion: {kind: cubic, ${congestion}}
workload: [{kind: closed-loop, pairs: ["0 1", "2 1"], messageSize: 3MB, messages: 1}]
faults: [{kind: every-nth, n: 150, links: "0", packets: data}]
`)

export const DIRECTED: readonly Scenario[] = [
  incidents('{path: switch.buffer.alpha, value: 1/64, at: 30us, nodes: switches, ports: hosts}'),
  incidents('{path: switch.buffer.alpha, value: 1/64, nodes: leaf}'),
  severalPorts,
  lossyCubic('c: 1e6, renoFriendly: false'),
  lossyCubic('c: 1e-6'),
  crowded('pfc: {refresh: 0.5, quanta: 100}'),
  crowded('congestion: dcqcn'),
  crowded('pfc: {classes: []}'),
  familyHeadroom,
  twoLossless,
  shortPauses,
  increasing('dcqcn'),
  increasing('dcqcn-connectx4'),
  increasing('dcqcn-hpcc'),
  cutting('dcqcn'),
  cutting('dcqcn-connectx4'),
  cutting('dcqcn-hpcc'),
  drawn,
  lossy('check-epsn'),
  lossy('improved-gbn'),
  crossed,
  tight('kind: ldcp, minWindow: 0.2', 'ecnEcho: ack'),
  tight('kind: ldcp-pcc, minWindow: 0.5, cnpInterval: 0us, beta: 1', 'ackInterval: 1'),
  tight('kind: l2dct, minWindow: 3', 'ecnEcho: ack'),
  firstLost,
  twoClasses,
  slow,
  cut,
  chosen('kind: flowlet, gap: 2us, entries: 2'),
  chosen('kind: adaptive, step: 4KB, refresh: 2us'),
  chosen('kind: adaptive, per: flowlet, gap: 2us, entries: 2, step: 4KB, refresh: 2us'),
  trimmed('recovery: irn'),
  trimmed('recovery: improved-gbn'),
  trimmed('recovery: send-twice'),
  trimmed('recovery: mp-rdma\ncongestion: mp-rdma'),
  tight('kind: l2dct, initialWindow: 10, minWindow: 2', 'ecnEcho: ack'),
  manyPaths,
  lossyIrn('rtoLow: 50us'),
  lossyIrn('rtoLow: 20us', 'kind: timely, minRate: 2Gbps, tLow: 0us, tHigh: 1us'),
  lossyIrn('rtoLow: 50us, timeout: dynamic'),
  ...['timely', 'patched-timely', 'dcqcn', 'dcqcn-connectx4', 'dcqcn-hpcc'].map((kind) =>
    lossyIrn('rtoLow: 50us, resend: go-back-n', `kind: ${kind}, lossCut: 0.5`, 4),
  ),
  lossyIrn(
    'cap: 3, rtoLow: 50us',
    'kind: swift, baseTarget: 1us, hops: 1, hopDelay: 1us, scalingRange: 4us, minWindow: 0.5',
  ),
  lossy('go-back-n', ', retry: {kind: steps, steps: [100us, 300us], floor: 400us, factor: 2}'),
  lossyTcp('rtoInitial: 100us, rtoMin: 20us'),
  lossyTcp('flavour: newreno, delayedAck: 20us, rtoInitial: 100us, rtoMin: 20us'),
  withAcks(
    'kind: timely, minRate: 30Gbps, tLow: 10us, tHigh: 40us, additiveRate: 1Gbps, hyperRate: 3Gbps, hyperAfter: 2',
  ),
  withAcks('kind: dctcp-rate, minRate: 30Gbps', '40KB'),
  withAcks('kind: aimd, initialWindow: 3, minWindow: 2'),
  withAcks('kind: dctcp, initialWindow: 10, minWindow: 2, slowStart: true'),
  withAcks('kind: d2tcp, initialWindow: 10, minWindow: 2, slowStart: true, deadline: 500us'),
  withAcks('kind: l2dct, initialWindow: 10, minWindow: 2, slowStart: true'),
  withAcks('kind: l2dct, initialWindow: 4, minWindow: 3, g: 1'),
  withAcks(
    'kind: timely, minRate: 5Gbps, tLow: 9us, tHigh: 10us, additiveRate: 1Gbps, hyperRate: 3Gbps, hyperAfter: 1',
  ),
  withAcks(
    'kind: patched-timely, minRate: 10Gbps, tLow: 10us, tHigh: 40us, beta: 0.5, referenceRtt: 15us, additiveRate: 1Gbps',
  ),
  withAcks('kind: patched-timely, minRate: 15Gbps, tLow: 10us, tHigh: 20us, beta: 0.9, additiveRate: 1Gbps'),
  withAcks('kind: dx'),
  withAcks('kind: newreno, ecn: true'),
  withAcks('kind: swift, baseTarget: 6us, hops: 1'),
  withAcks('kind: swift, baseTarget: 1us, hops: 1, hopDelay: 1us, scalingRange: 4us, minWindow: 0.5'),
  withAcks('kind: swift, resetAfter: 1, minWindow: 0.2', 'off', '3us'),
  withAcks('kind: hpcc'),
  withAcks('kind: hpcc, minRate: 30Gbps, maxStage: 1'),
  withAcks('kind: hpcc, limit: rate, additiveRate: 1Gbps', '40KB'),
  reported('fastRecovery: 1'),
  reported('fastRecovery: 2, gd: 1/64, minRate: 20Gbps'),
  reported('fastRecovery: 2, gd: 1/32'),
  early(
    'kind: ldcp, initialWindow: 12, idleAfter: 20us',
    'ecnEcho: ack, ackCoalescing: 2, ackDelay: 3us, readAcks: true',
  ),
  early('kind: none', 'window: 20KB, readAcks: true'),
  early('kind: ldcp-pcc, initialWindow: 1, beta: 1, minWindow: 0.9', 'ackInterval: 0', 8),
  fewReceives,
  early('kind: ldcp-pcc, minRate: 20Gbps, requestTimeout: 1, cnpInterval: 4us', 'ackInterval: 0', 4),
]
