/**
 * Parameters of the tables of layer 2 in switches. Declarations only; switch/layer2-switch.ts implements them.
 */
import {
  choice,
  count,
  countOrOff,
  duration,
  flag,
  MS,
  ratio,
  SECOND,
  text,
  variant,
  definition,
} from '../base/params.ts'

const off = definition({
  name: 'off',
  help: 'switches know the port of every host at all times, and flood nothing',
  params: {},
})

export const layer2Tables = definition({
  name: 'tables',
  help: 'switches with hosts look up the MAC address of a destination, and the port of that address; both entries age',
  source: '[MS-Scale] 4.2',
  params: {
    arpSeconds: ratio({
      default: 4 * 3600,
      min: 1e-9,
      max: 24 * 3600,
      help: 'age in seconds at which an entry of the ARP table (IP to MAC address) is asked for again; without an answer it is removed',
      source: '[MS-Scale] 4.2: 4 hours',
    }),
    macSeconds: ratio({
      default: 300,
      min: 1e-9,
      max: 24 * 3600,
      help: 'age in seconds at which an entry of the MAC table (MAC address to port) is removed; each packet from the host renews it',
      source: '[MS-Scale] 4.2: 5 minutes',
    }),
    timeScale: ratio({
      default: 1,
      min: 1e-9,
      help: 'both ages are multiplied by it, so that entries age within a short run: 1e-6 makes 300 s of 300 us',
      source: 'own',
    }),
    macMissing: text({
      default: 'none',
      help: 'hosts whose MAC entry has aged out when the run begins: none, all, or hosts by number as in workloads or name ("host 3"), comma separated. All other entries are new then',
      source: 'own: a host that has been silent for more than macSeconds',
    }),
    onIncomplete: choice(['flood', 'drop-lossless', 'cpu', 'drop'], {
      default: 'flood',
      help: 'packets whose ARP entry is there and whose MAC entry is not. flood: a copy to every other port; drop-lossless: packets of lossless classes are dropped, others flooded; cpu: to the CPU of the switch, which asks for the address; drop: all are dropped. Without an ARP entry packets go to the CPU in any case',
      source: '[MS-Scale] 4.2: flood is the standard behaviour; its options 3 and 1',
    }),
    floodPorts: choice(['all', 'hosts'], {
      default: 'all',
      help: 'ports that get a copy, besides the one where the packet came in. all: also those to other switches, where a copy waits like any packet and is dropped at the head of the queue; hosts: only those with hosts',
      source: '[MS-Scale] 4.2: "flooded to the rest ports of T1 including p4"',
    }),
    headDrop: choice(['at-once', 'frame-time'], {
      default: 'at-once',
      help: 'how long a copy at the head of a queue towards another switch keeps the port: not at all, or as long as the frame would take on the link',
      source: '[MS-Scale] 4.2 says that it is dropped there; own: at once',
    }),
    floodClass: countOrOff({
      default: null,
      max: 7,
      help: 'class in this switch of packets that are flooded: broadcast, multicast, unknown unicast; off: the class they have',
      source: '[MS-Scale] 4.2: not in lossless classes',
    }),
    forgetOnLinkDown: flag({
      default: true,
      help: 'the MAC entries of a port are removed when its link goes down',
      source: 'own: what switches do',
    }),
    cpuRate: count({
      default: 200,
      min: 1,
      max: 1_000_000_000,
      help: 'packets per second that the CPU takes from its queue',
      source: 'SONiC, copp_cfg.j2: 200 for neighbor_miss',
    }),
    cpuQueue: count({
      default: 200,
      min: 1,
      max: 1_000_000,
      help: 'packets that wait for the CPU, at most; more are dropped',
      source: 'SONiC, copp_cfg.j2: burst of 200 for neighbor_miss',
    }),
    resolveTime: duration({
      default: 1 * MS,
      max: 10 * SECOND,
      help: 'from an ARP request of the CPU until the answer of a host that is up is in both tables',
      source: 'own',
    }),
  },
})

export const layer2Param = variant([off, layer2Tables], {
  default: 'off',
  help: 'layer 2 at switches with hosts',
})
