/**
 * Parameters of faults. Declarations only; link/fault.ts and lab/run/faults/ hold the mechanisms.
 */
import {
  choice,
  count,
  duration,
  durationOrOff,
  list,
  ratio,
  size,
  text,
  NS,
  US,
  type Definition,
  type ValueOf,
  definition,
} from '../base/params.ts'

const linkSelector = {
  links: text({
    default: 'all',
    help: 'links: all, hosts, fabric, or "A-B" between two nodes, "A>B" one direction of these, "A" all of a node, comma separated; nodes by name ("leaf 2", "host 5") or id ("node 7", "7")',
  }),
}
const lossTimes = {
  from: duration({ default: 0, help: 'time from which packets are lost' }),
  until: durationOrOff({ default: null, help: 'no packet is lost from then on; off: to the end of the run' }),
}
const packetSelector = {
  packets: choice(['data', 'control', 'both'], {
    default: 'data',
    help: 'data packets, control packets (ACK, NAK, CNP, READ request), or both',
  }),
}

const bernoulliLoss = definition({
  name: 'bernoulli',
  help: 'each packet is lost with the same probability, independently',
  params: {
    probability: ratio({ help: 'loss probability per packet' }),
    ...linkSelector,
    ...packetSelector,
    ...lossTimes,
  },
})
const everyNthLoss = definition({
  name: 'every-nth',
  help: 'every n-th packet on each selected link direction is lost',
  params: {
    n: count({ min: 1, help: 'period' }),
    offset: count({ default: 0, help: 'packets let through before counting starts' }),
    ...linkSelector,
    ...packetSelector,
    ...lossTimes,
  },
})
const ipIdLoss = definition({
  name: 'ip-id',
  help: 'packets whose IP identification has this low byte are lost; NICs number packets one by one',
  source: '[MS-Scale] 4.1',
  params: {
    lowByte: count({ default: 0xff, max: 0xff, help: 'low byte of the IP identification' }),
    ...linkSelector,
    ...packetSelector,
    ...lossTimes,
  },
})
const gilbertElliottLoss = definition({
  name: 'gilbert-elliott',
  help: 'bursts: a two-state chain stepped once per packet on each link direction',
  source: 'Gilbert 1960, Elliott 1963',
  params: {
    toBad: ratio({ help: 'probability per packet of going from good to bad' }),
    toGood: ratio({ help: 'probability per packet of going from bad to good' }),
    lossGood: ratio({ default: 0, help: 'loss probability in the good state' }),
    lossBad: ratio({ default: 1, help: 'loss probability in the bad state' }),
    ...linkSelector,
    ...packetSelector,
    ...lossTimes,
  },
})
const corruptionLoss = definition({
  name: 'corruption',
  help: 'bit errors: a frame is found bad by its FCS and dropped by the receiver, with probability 1-(1-ber)^bits; PFC frames too',
  source: '802.3 FCS',
  params: { bitErrorRatio: ratio({ help: 'bit error ratio' }), ...linkSelector, ...lossTimes },
})
const converge = duration({
  default: 0,
  help: 'time from each change until all switches use the new routes; until then packets that are sent into a link that is down are lost',
  source: 'ours; 0 is what simulators do, and no real network',
})
const linkDownFault = definition({
  name: 'link-down',
  help: 'a link goes down, and up again when `up` is given; routes are computed again `converge` after each',
  params: {
    links: text({
      help: '"A-B" between two nodes, "A" all of a node, comma separated; nodes by name ("leaf 2", "host 5") or id ("node 7", "7"), as check shows them',
    }),
    down: duration({ help: 'when it goes down' }),
    up: durationOrOff({ default: null, help: 'when it comes up again' }),
    converge,
  },
})
const linkFlapFault = definition({
  name: 'link-flap',
  help: 'a link goes down and up again, at regular times, as with a bad transceiver; routes are computed again `converge` after each change',
  params: {
    links: text({
      help: '"A-B" between two nodes, "A" all of a node, comma separated; nodes by name ("leaf 2", "host 5") or id ("node 7", "7"), as check shows them',
    }),
    from: duration({ help: 'when it goes down first' }),
    down: duration({ min: 1, help: 'how long it is down each time' }),
    interval: duration({ min: 1 * US, help: 'from one time it goes down to the next' }),
    until: durationOrOff({ default: null, help: 'it does not go down from then on; off: to the end of the run' }),
    converge,
  },
})
const switchDownFault = definition({
  name: 'switch-down',
  help: 'switches fail, and are up again when `up` is given (a reboot): their links go down, stored packets are lost, and all that they have learned; routes are computed again `converge` after each',
  params: {
    switches: text({
      help: 'switches by name ("leaf 2", in a graph "switch 7" by its id) or id ("7"), comma separated; a word without a number is all switches of that name ("leaf")',
    }),
    down: duration({ help: 'when they go down' }),
    up: durationOrOff({ default: null, help: 'when they are up again; off: never' }),
    converge,
  },
})
const pauseStormFault = definition({
  name: 'pause-storm',
  help: 'the receive pipeline of NICs stands still: they neither send nor receive packets, and pause their switch without end',
  source: '[MS-Scale] 4.3',
  params: {
    hosts: text({ help: 'all, or hosts by number as in workloads or name ("host 3"), comma separated' }),
    from: duration({ default: 0, help: 'when their pipelines stop' }),
    until: durationOrOff({
      default: null,
      help: 'power cycle, after which they work again; off: never',
      source: '[MS-Scale] 4.3: tens of minutes, 6.2',
    }),
    mode: choice(['pipeline-stopped', 'frames'], {
      default: 'pipeline-stopped',
      help: 'pipeline-stopped: the receive buffer fills, and the NIC pauses while it is full; frames: the NIC sends pause frames at regular times whatever its buffer holds',
      source: 'pipeline-stopped: [MS-Scale] 4.3',
    }),
    quanta: count({
      default: 65535,
      max: 65535,
      help: 'pause time of a frame, in mode frames; 0: frames that end a pause (XON), which switches count as PFC frames too',
    }),
    interval: duration({
      default: 400 * US,
      min: 1 * US,
      help: 'time between two frames of a class, in mode frames',
      source: '[MS-Scale] 6.2: more than 2000 per second',
    }),
    classes: list(count({ max: 7, help: 'class' }), {
      default: [],
      help: 'classes that are paused in mode frames; empty: the lossless ones of the port',
    }),
  },
})

const serverDownFault = definition({
  name: 'server-down',
  help: 'servers die, and come back when `up` is given: they send nothing and drop what arrives; their queue pairs are lost, on both sides, and never work again',
  source: '[MS-Scale] 4.2: dead servers',
  params: {
    hosts: text({
      help: 'all, or hosts by number as in workloads or name ("host 3"), comma separated; a switch stands for the hosts at it',
    }),
    down: duration({ help: 'when they die' }),
    up: durationOrOff({ default: null, help: 'when they are up again, without queue pairs; off: never' }),
    link: choice(['stays-up', 'goes-down'], {
      default: 'stays-up',
      help: 'stays-up: the link stays up and the server is silent (hung); it goes down and up for an instant when the server restarts; goes-down: the link is down from `down` to `up`',
      source: 'own',
    }),
  },
})
const broadcastFault = definition({
  name: 'broadcast',
  help: 'hosts send broadcast frames at regular times, which their switch floods; multicast without snooping is flooded in the same way',
  source: '[MS-Scale] 4.2',
  params: {
    hosts: text({ help: 'all, or hosts by number as in workloads or name ("host 3"), comma separated' }),
    interval: duration({ min: 1 * NS, help: 'from one frame to the next of each host' }),
    size: size({
      default: 64,
      min: 64,
      max: 9216,
      help: 'size of a frame, FCS included',
      source: '802.3: an ARP request',
    }),
    class: count({ default: 0, max: 7, help: 'class of the frames' }),
    from: duration({ default: 0, help: 'time of the first frame' }),
    until: durationOrOff({ default: null, help: 'no frame from then on; off: to the end of the run' }),
  },
})

const noFault = definition({
  name: 'none',
  help: 'no fault: stands for one that is taken away, so that those behind it keep their numbers and random streams',
  params: {},
})

export const faults = [
  bernoulliLoss,
  everyNthLoss,
  ipIdLoss,
  gilbertElliottLoss,
  corruptionLoss,
  linkDownFault,
  linkFlapFault,
  switchDownFault,
  serverDownFault,
  broadcastFault,
  pauseStormFault,
  noFault,
] as const

export type FaultValues = { [I in keyof typeof faults]: FaultOf<(typeof faults)[I]> }[number]
type FaultOf<D> =
  D extends Definition<infer N, infer F> ? { readonly kind: N } & { readonly [K in keyof F]: ValueOf<F[K]> } : never
