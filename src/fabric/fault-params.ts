/**
 * Parameters of link faults. Declarations only; link/fault.ts holds the mechanisms.
 */
import {
  choice,
  count,
  duration,
  durationOrOff,
  ratio,
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

const bernoulliLoss = define({
  name: 'bernoulli',
  help: 'each packet is lost with the same probability, independently',
  params: {
    probability: ratio({ help: 'loss probability per packet' }),
    ...linkSelector,
    ...packetSelector,
    ...lossTimes,
  },
})
const everyNthLoss = define({
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
const ipIdLoss = define({
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
    ...lossTimes,
  },
})
const corruptionLoss = define({
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
const linkDownFault = define({
  name: 'link-down',
  help: 'a link goes down, and up again when `up` is given; routes are computed again `converge` after each',
  params: {
    links: text({
      help: '"A-B" between two nodes, "A" all of a node, comma separated; nodes by number or name ("leaf 2"), as check shows them',
    }),
    down: duration({ help: 'when it goes down' }),
    up: durationOrOff({ default: null, help: 'when it comes up again' }),
    converge,
  },
})
const linkFlapFault = define({
  name: 'link-flap',
  help: 'a link goes down and up again, at regular times, as with a bad transceiver; routes are computed again `converge` after each change',
  params: {
    links: text({
      help: '"A-B" between two nodes, "A" all of a node, comma separated; nodes by number or name ("leaf 2"), as check shows them',
    }),
    from: duration({ help: 'when it goes down first' }),
    down: duration({ min: 1, help: 'how long it is down each time' }),
    interval: duration({ min: 2, help: 'from one time it goes down to the next' }),
    until: durationOrOff({ default: null, help: 'it does not go down from then on; off: to the end of the run' }),
    converge,
  },
})
const switchDownFault = define({
  name: 'switch-down',
  help: 'switches fail, and are up again when `up` is given (a reboot): their links go down, stored packets are lost, and all that they have learned; routes are computed again `converge` after each',
  params: {
    switches: text({
      help: 'switches by name or number, comma separated; a word without a number is all switches of that name ("leaf")',
    }),
    down: duration({ help: 'when they go down' }),
    up: durationOrOff({ default: null, help: 'when they are up again; off: never' }),
    converge,
  },
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
] as const

export type FaultValues = { [I in keyof typeof faults]: FaultOf<(typeof faults)[I]> }[number]
type FaultOf<D> =
  D extends Definition<infer N, infer F> ? { readonly kind: N } & { readonly [K in keyof F]: ValueOf<F[K]> } : never
