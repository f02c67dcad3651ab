/**
 * Where a scenario and the simulator whose files were imported differ, what was said in another form, and what was assumed:
 * a sentence for each, by the word that a finding has as `what`. "that simulator" is the one that the files belong to.
 */
import { formatQuantity } from '../../base/units.ts'
import { counted } from '../words.ts'

/** A sentence of these tables; its parameter is the values that it needs. */
export type SentenceOf = (values: never) => string

const bytesText = (count: number): string => formatQuantity('size', count)
const rateText = (rateBps: number): string => formatQuantity('rate', rateBps)
const timeText = (ps: number): string => formatQuantity('duration', ps)

const CONTROL = 'ACKs and NAKs take a path by ECMP there, and one by the same scheme as data here'

/** The scenario behaves otherwise. */
export const DIFFERENCES = {
  // Paths and ports.
  'next-hop-order': () =>
    'no routes.txt: next hops of equal cost are in the order of their ports, while that simulator orders them by heap addresses',
  'routes-to-several-ports': ({ rows }: { rows: number }) =>
    `${counted(rows, 'row')} to hosts with several ports not used: routes of that simulator lead to a host, those of rocelab to each of its ports, and are computed`,
  'parallel-links': () =>
    'parallel links: each is a separate link in rocelab, while that simulator keeps only the last one of a pair',
  drill: () =>
    `LB_MODE 2 (DRILL): balance adaptive compares the queues of all ports in the class of the packet; that simulator compares all classes of two random ports and of the last port taken to the same host; ${CONTROL}`,
  letflow: () =>
    `LB_MODE 6 (LetFlow): balance flowlet has that simulator's timeout of 100us; there the sender's ToR chooses a whole path at random for each flowlet, here every switch chooses a port; ${CONTROL}`,
  'host-ports': ({ hosts, first, last }: { hosts: number; first: string; last: string }) =>
    `${counted(hosts, 'host')} with several links (${hosts === 1 ? first : `${first} to ${last}`}), each of which is a port: in that simulator a QP takes one of ` +
    'the ports that begin a shortest path, by a hash of its addresses and UDP ports, its ACKs likewise, and switches ' +
    'send its packets to any port of the other host; in rocelab the QPs of a host take its ports in turn (nic.portChoice: ' +
    'bound), to the port of the same number at the other host, or the next one that can be reached, and ACKs follow ' +
    'the same rule from the port at which their packet came in',
  'host-addresses': () =>
    'a host with several ports has one address in that simulator, and one for each port in rocelab: ECMP hashes differ for all but its first port',
  'nearest-ports': () =>
    'if the ports of a host are not equally far from another host, that simulator uses only the nearest, and rocelab all',
  'longer-paths': ({ flows, of }: { flows: number; of: number }) =>
    `${counted(flows, 'flow')} of ${of} ${flows === 1 ? 'takes' : 'take'} a longer path in rocelab: no shortest path joins the ports that ${flows === 1 ? 'its QP has' : 'their QPs have'}`,
  'port-down': ({ hosts }: { hosts: readonly string[] }) =>
    `LINK_DOWN takes down a port of ${hosts.join(' and of ')}: that simulator hashes all QPs anew over the remaining ports; in rocelab those of this port move to the next, and the others stay (nic.portDown: move)`,
  nvlinks: ({ links, gpusPerServer, flows, flowsWithin }: Nvlinks) =>
    `${counted(links, 'link')} to NVSwitches left out, as the hosts also have links to the network: in that simulator flows ` +
    `between the ${gpusPerServer} GPUs of a server use the NVSwitch and all others the network, while in rocelab the QPs of a host take its ports in ` +
    `turn, whatever their destination; ${nvlinkFlows(flows, flowsWithin)}`,
  nvswitches: ({ switches }: { switches: number }) =>
    `${counted(switches, 'NVSwitch')} treated as ordinary Ethernet switches`,
  'lost-pfc-frames': () =>
    'links that lose packets lose PFC frames as often in that simulator; in rocelab they lose data, ACKs and NAKs only (faults of kind corruption lose PFC frames too)',
  // NICs.
  'nic-wake-ups': () =>
    'with several ports on a host NICs wake at the earliest deadline, and a finished QP does not change the order of the others; in that simulator a port has one wake-up, and the round-robin order shifts',
  'coalesced-congestion-control': () =>
    'NicCoalesceMethod PER_IP has one congestion control for all QPs to a host; in rocelab each has its own',
  'acks-ignored': () =>
    'L2_ACK_INTERVAL 0: senders of that simulator ignore ACKs, and no flow finishes; in rocelab flows finish',
  'ack-interval': ({ intervalBytes, chunkBytes, shortFlows }: AckInterval) => {
    const chunks = chunkBytes > 0 ? `, except at multiples of L2_CHUNK_SIZE ${chunkBytes}` : ''
    const unfinished =
      shortFlows > 0 ? `; ${counted(shortFlows, 'shorter flow')} would never finish in that simulator` : ''
    return `L2_ACK_INTERVAL ${intervalBytes}: that simulator sends no ACK before byte ${intervalBytes} of a flow${chunks}, and one for every packet from then on; rocelab sends one for every packet from the first${unfinished}`
  },
  'go-back-0-unit': ({ chunkBytes, packets }: { chunkBytes: number; packets: number }) =>
    `L2_CHUNK_SIZE ${chunkBytes} is not a whole number of packets; in the scenario go-back-0 restarts units of ${counted(packets, 'packet')}`,
  // Windows and congestion control.
  'command-line-overrides': () =>
    'CC_MODE and HAS_WIN, and VAR_WIN of the burst program, have no effect in that simulator: --algorithm (default 3) and --windowCheck (default 1) override them; the import reads the configuration, so it has to hold the values of the run',
  'power-tcp': () => 'CC_MODE 3 is PowerTCP in that simulator unless it runs with --wien=false; the scenario has HPCC',
  'windows-of-senders': ({ windowBytes }: { windowBytes: number }) =>
    `that simulator computes windows from each sender's link rate; in the scenario all have that of the fastest, ${bytesText(windowBytes)}`,
  'windows-of-pairs': ({ windowBytes }: { windowBytes: number }) =>
    `GLOBAL_T 0 gives each pair of hosts a window of its own; in the scenario all have the largest, ${bytesText(windowBytes)}`,
  'base-rtts-of-pairs': () =>
    'GLOBAL_T 0 gives each pair of hosts a base round trip of its own; in the scenario all have the longest',
  'least-rate': ({ minRateBps }: { minRateBps: number }) =>
    `MIN_RATE 0 is no lower bound in that simulator; the scenario has the least one it accepts, ${rateText(minRateBps)}`,
  'telemetry-rates': ({ knownBps, reportedAsBps, rateBps }: TelemetryRates) =>
    `that simulator's telemetry knows links of ${knownBps.map((rate) => rate / 1e9).join(', ')}Gbps only, and reports those of ${rateBps.map(rateText).join(', ')} as ${rateText(reportedAsBps)}; rocelab reports their actual rates`,
  'hpcc-window': ({ windowBytes, baseRttPs }: { windowBytes: number; baseRttPs: number }) =>
    `that simulator divides queues by the largest window, ${bytesText(windowBytes)}; rocelab by the host link's rate times ${timeText(baseRttPs)}, which differs`,
  // Buffers, marks and pauses.
  'class-0-unbuffered': () =>
    'flows of pg 0: that simulator charges its queue 0 to no buffer, so that it loses nothing; in rocelab class 0 has a ' +
    'buffer like any other, and no PFC',
  'buffer-per-port': ({ portBytes, ports, isUneven }: { portBytes: number; ports: number; isUneven: boolean }) =>
    `BUFFER_SIZE 0 is ${portBytes}B for each port of a switch in that simulator; in rocelab ${ports} times that for every switch${isUneven ? ', more than switches with fewer ports have in that simulator' : ''}`,
  'datacenter-thresholds': () =>
    'ns3-datacenter counts a packet before it compares with the threshold, keeps a queue in headroom until that is empty, pauses only for headroom, and resumes below 1248B whatever the threshold; the scenario has the rules of the HPCC fork, which differ by a packet or two',
  'datacenter-egress-limit': () =>
    "ns3-datacenter's fairness and workload programs also limit an egress queue to the free part of the buffer (alpha 1); the scenario has no such limit, as its burst program",
  'conweave-pauses': ({ packetBytes }: { packetBytes: number }) =>
    `conweave pauses once a queue is one packet (${packetBytes}B) beyond its reserve of ${packetBytes}B and the dynamic threshold, which counts reserved bytes too; in rocelab that packet is not granted, and reserved bytes do not count`,
  'headroom-without-pfc': () =>
    'without PFC switches of that simulator keep their headroom, in which packets beyond a threshold are stored; in rocelab lossy classes have the whole pool, up to egressAlpha of what is free',
  'pause-of-slow-links': ({ pausePs, fastestBps }: { pausePs: number; fastestBps: number }) =>
    `a pause lasts ${timeText(pausePs)} on links of ${rateText(fastestBps)} and longer on slower ones, as it is in units of 512 bit times`,
  // Triggers.
  'trigger-order': ({ triggers }: { triggers: number }) =>
    `${counted(triggers, 'trigger')} ${triggers === 1 ? 'starts' : 'start'} several connections at once: in the order of the file here, the last one first in that simulator`,
  'receive-triggers': ({ connections }: { connections: number }) =>
    `${counted(connections, 'recv_done_trigger')} ${connections === 1 ? 'fires' : 'fire'} at the last byte, as in most binaries of that simulator; its RoCE and HPCC binaries ignore them`,
  // Programs.
  'goal-times': () =>
    'o, g and G of LogGOPSim are not taken, as the network has those times; a send is done when it is acknowledged (sendDone: posted is what LogGOPSim does up to 65535 bytes)',
  'goal-empty-messages': ({ messages }: { messages: number }) =>
    `${counted(messages, 'message')} of no bytes ${messages === 1 ? 'takes' : 'take'} no time here; ATLAHS and LogGOPSim send one byte`,
  // Programs of AI training.
  'simai-forward-floor': ({ collectives }: { collectives: number }) =>
    `${counted(collectives, 'collective')} of forward passes below 4096 bytes: SimAI raises them to 4096, here they have their size`,
  'simai-micro': ({ rows }: { rows: number }) =>
    `all ${rows} rows of MICRO run, one after another; SimAI runs the first only`,
  'simai-broadcast': ({ collectives }: { collectives: number }) =>
    `${counted(collectives, 'broadcast')} from the first rank of the group, which SimAI leaves out`,
}

interface Nvlinks {
  readonly links: number
  readonly gpusPerServer: number
  /** Null without a flow file. */
  readonly flows: number | null
  readonly flowsWithin: number | null
}

function nvlinkFlows(flows: number | null, within: number | null): string {
  if (flows === null || within === null) return 'flows within a server use the network'
  if (within === 0) return `none of the ${counted(flows, 'flow')} is within a server, so no NVLink would be used`
  return `${counted(within, 'flow')} of ${flows} within a server ${within === 1 ? 'uses' : 'use'} the network, at its rates and delays`
}

interface AckInterval {
  readonly intervalBytes: number
  readonly chunkBytes: number
  readonly shortFlows: number
}

interface TelemetryRates {
  readonly knownBps: readonly number[]
  readonly reportedAsBps: number
  readonly rateBps: readonly number[]
}

interface GoalRanks {
  readonly layout: string
  readonly isGiven: boolean
  readonly ranks: number
  readonly nics: number
  readonly cpus: number
}

/** The scenario says the same in another form. */
export const ADAPTATIONS = {
  'time-origin': ({ originPs }: { originPs: number }) =>
    `scenario time 0 is ${timeText(originPs)} of that simulator; exported files have its times again`,
  'truncated-starts': ({ flows, of }: { flows: number; of: number }) =>
    `start times are truncated to whole nanoseconds as in that simulator: ${counted(flows, 'flow')} of ${of} by up to 1ns`,
  'conweave-marks': ({ reserveBytes }: { reserveBytes: number }) =>
    `conweave marks by the bytes of a queue beyond its reserve of ${reserveBytes}; thresholds are ${reserveBytes}B higher in the scenario, which is equivalent`,
  'datacenter-marks': ({ packetBytes }: { packetBytes: number }) =>
    `ns3-datacenter marks a packet when it is queued, and counts it; thresholds are a full packet, ${packetBytes}B, lower in the scenario, which is equivalent for full packets (its older versions mark when a packet leaves)`,
  'marks-off': ({ congestion }: { congestion: string }) =>
    `ENABLE_QCN 0 with ${congestion}, which needs marks: it runs without any, as in that simulator; thresholds are the whole buffer, which no queue exceeds`,
  bundles: () => 'bundles become parallel links, each of which is a next hop like any other of equal cost',
  'failed-links': ({ links }: { links: number }) =>
    `${counted(links, 'failed link')} down from the start; link_id counts the uplinks of its AGG switch in port order`,
  'several-messages': ({ connections }: { connections: number }) =>
    `${counted(connections, 'connection')} of several messages: one queue pair each, in order`,
  'groups-of-one': ({ collectives }: { collectives: number }) =>
    `${counted(collectives, 'collective')} of a group of one rank: nothing is sent`,
  'chakra-wrappers': ({ nodes }: { nodes: number }) =>
    `${counted(nodes, 'collective')} of the host without comm_size only wrap others: host work, and no traffic`,
}

interface SimaiServers {
  readonly hosts: number
  readonly ports: number
  readonly rateBps: number
  readonly latencyPs: number
}

interface SimaiPipeline {
  readonly stages: number
  readonly chunks: number
  readonly microbatches: number
  readonly sizeBytes: number
  readonly vpp: number
}

/** The importer chose it. */
export const ASSUMPTIONS = {
  topology: ({ hosts, rateBps, delayPs }: { hosts: number; rateBps: number; delayPs: number }) =>
    `no topology given: as in htsim, a fat tree for ${counted(hosts, 'host')}, links of ${rateText(rateBps)} and ${timeText(delayPs)}`,
  transport: ({ congestion, payloadBytes, pfcClass }: { congestion: string; payloadBytes: number; pfcClass: number }) =>
    `the transport is chosen by the importer: go-back-N, PFC on class ${pfcClass}, congestion control ${congestion}, packets of ${payloadBytes}B payload, and defaults otherwise`,
  workload: ({ messageBytes }: { messageBytes: number }) =>
    `no flows given: the workload is a permutation, one message of ${bytesText(messageBytes)} from every host to another`,
  'goal-ranks': ({ layout, isGiven, ranks, nics, cpus }: GoalRanks) =>
    `${counted(ranks, 'rank')}, ${counted(nics, 'NIC')}, ${counted(cpus, 'CPU')}: a rank is a ${layout === 'gpu' ? 'GPU, which is one host' : 'node, each NIC of which is a host'} (${isGiven ? 'given' : 'guessed as ATLAHS does; --ranks says otherwise'})`,
  star: ({ hosts, rateBps, delayPs }: { hosts: number; rateBps: number; delayPs: number }) =>
    `the network is chosen by the importer: a star of ${counted(hosts, 'host')}, links of ${rateText(rateBps)} and ${timeText(delayPs)}`,
  'simai-servers': ({ hosts, ports, rateBps, latencyPs }: SimaiServers) =>
    `${counted(hosts, 'server')}: a host each, with a port for each of ${counted(ports, 'GPU')}; messages inside a server take ${timeText(latencyPs)} and go at ${rateText(rateBps)}, as the links to NVSwitches say`,
  'simai-pipeline': ({ stages, chunks, microbatches, sizeBytes, vpp }: SimaiPipeline) =>
    `a pipeline of ${counted(stages, 'stage')} with ${counted(microbatches, 'microbatch')} in the schedule 1F1B${chunks > 1 ? `, interleaved over ${counted(chunks, 'chunk')} of each stage` : ''}; messages of ${bytesText(sizeBytes)} between stages${chunks === vpp ? '' : `; vpp ${vpp} is left out, as the rows of a stage do not divide into as many equal chunks, or the microbatches into rounds of all stages`}`,
  arrivals: ({ load, generatePs }: { load: number; generatePs: number }) =>
    `the arrivals are chosen by the importer: Poisson at load ${load} for ${timeText(generatePs)}`,
  'share-column': ({ last }: { last: number }) =>
    `the second column is read as ${last === 100 ? 'percent' : 'fractions'}, as it ends at ${last}`,
  'no-stop-time': () => 'no stop time: the run ends when every flow is finished',
  'stop-time-beyond-clock': ({ stop }: { stop: string }) =>
    `SIMULATOR_STOP_TIME ${stop} is beyond the range of the clock: the run ends when every flow is finished`,
  'first-is-root': ({ collectives }: { collectives: number }) =>
    `the root of ${counted(collectives, 'collective')} (broadcast, reduce, gather, scatter) is the first rank of the group`,
  'step-latency': ({
    protocol,
    others,
    stepLatencyPs,
  }: {
    protocol: string
    others: readonly string[]
    stepLatencyPs: number
  }) =>
    `stepLatency ${timeText(stepLatencyPs)}, of the protocol ${protocol}${others.length === 0 ? '' : `, for collectives of ${others.join(', ')} too`}`,
}
