/**
 * Parameters of link faults. Declarations only; link/fault.ts holds the mechanisms.
 */
import {
  choice,
  count,
  duration,
  durationOrOff,
  ratio,
  size,
  text,
  type Definition,
  type ParamFields,
  type ValueOf,
} from '../base/params.ts'

/** Gives a plain definition its type. */
function define<const N extends string, F extends ParamFields>(d: Definition<N, F>): Definition<N, F> {
  return d
}

const linkSelector = {
  links: text({
    default: 'all',
    help: 'links: all, hosts, fabric, or "A-B" between two nodes, "A>B" one direction of these, "A" all of a node, comma separated; nodes by number or name ("leaf 2")',
  }),
}
const packetSelector = {
  packets: choice(['data', 'control', 'both'], {
    default: 'data',
    help: 'data packets, control packets (ACK, NAK, CNP, READ request), or both',
  }),
}

const bernoulliLoss = define({
  name: 'bernoulli',
  help: 'each packet is lost with the same probability, independently',
  params: { probability: ratio({ help: 'loss probability per packet' }), ...linkSelector, ...packetSelector },
})
const everyNthLoss = define({
  name: 'every-nth',
  help: 'every n-th packet on each selected link direction is lost',
  params: {
    n: count({ min: 1, help: 'period' }),
    offset: count({ default: 0, help: 'packets let through before counting starts' }),
    ...linkSelector,
    ...packetSelector,
  },
})
const ipIdLoss = define({
  name: 'ip-id',
  help: 'packets whose IP identification has this low byte are lost; NICs number packets one by one',
  source: '[MS-Scale] 4.1',
  params: {
    lowByte: count({ default: 0xff, max: 0xff, help: 'low byte of the IP identification' }),
    ...linkSelector,
    ...packetSelector,
  },
})
const gilbertElliottLoss = define({
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
  },
})
const corruptionLoss = define({
  name: 'corruption',
  help: 'bit errors: a frame is found bad by its FCS and dropped by the receiver, with probability 1-(1-ber)^bits; PFC frames too',
  source: '802.3 FCS',
  params: { bitErrorRatio: ratio({ help: 'bit error ratio' }), ...linkSelector },
})
const linkDownFault = define({
  name: 'link-down',
  help: 'a link goes down, and up again when `up` is given; routes are computed again `converge` after each',
  params: {
    links: text({
      help: '"A-B" between two nodes, "A" all of a node, comma separated; nodes by number or name ("leaf 2"), as check shows them',
    }),
    down: duration({ help: 'when it goes down' }),
    up: durationOrOff({ default: null, help: 'when it comes up again' }),
    converge: duration({
      default: 0,
      help: 'time from each change until all switches use the new routes; until then packets that are sent into a link that is down are lost',
      source: 'ours; 0 is what simulators do, and no real network',
    }),
  },
})

const serverDownFault = define({
  name: 'server-down',
  help: 'servers die, and come back when `up` is given: they send nothing and drop what arrives; their queue pairs are lost, on both sides, and never work again',
  source: '[MS-Scale] 4.2: dead servers',
  params: {
    hosts: text({
      help: 'all, or hosts by number or name ("host 3"), comma separated; a switch stands for the hosts at it',
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
const broadcastFault = define({
  name: 'broadcast',
  help: 'hosts send broadcast frames at regular times, which their switch floods; multicast without snooping is flooded in the same way',
  source: '[MS-Scale] 4.2',
  params: {
    hosts: text({ help: 'all, or hosts by number or name ("host 3"), comma separated' }),
    interval: duration({ min: 1, help: 'from one frame to the next of each host' }),
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

export const faults = [
  bernoulliLoss,
  everyNthLoss,
  ipIdLoss,
  gilbertElliottLoss,
  corruptionLoss,
  linkDownFault,
  serverDownFault,
  broadcastFault,
] as const

export type FaultValues = { [I in keyof typeof faults]: FaultOf<(typeof faults)[I]> }[number]
type FaultOf<D> =
  D extends Definition<infer N, infer F> ? { readonly kind: N } & { readonly [K in keyof F]: ValueOf<F[K]> } : never
