/**
 * The scenario: all inputs of a run, as one tree of params.
 * Printing a resolved scenario and parsing it again gives the same object.
 */
import {
  anyValue,
  choice,
  count,
  duration,
  durationOrOff,
  group,
  groupLike,
  type GroupParam,
  list,
  type ParamFields,
  text,
  type ValueOf,
  variant,
  variantLike,
} from '../../core/base/params.ts'
import { balances } from '../../core/fabric/balance/index.ts'
import {
  classParams,
  faults,
  frameParams,
  nicParams,
  pfcParams,
  switchParams,
  timeParams,
} from '../../core/fabric/params.ts'
import { metrics } from '../metrics/index.ts'
import { topologies } from '../../core/topology/index.ts'
import { congestions } from '../../core/transport/congestion/index.ts'
import { endpointParams } from '../../core/transport/params.ts'
import { recoveries } from '../../core/transport/recovery/index.ts'
import { verbsParams } from '../../core/verbs/params.ts'
import { compatParam } from './compat.ts'
import { workloads } from '../../core/workload/index.ts'
import { NIC_PROFILES, SWITCH_PROFILES } from './profiles.ts'

/** Each is a whole set of values for the devices that it concerns. */
const CHANGES_MAX = 10_000

const changeParams = list(
  group(
    {
      path: text({
        help: 'path of the parameter, such as switch.buffer.alpha or pfc.classes; `rocelab list changes` shows which may differ or change',
      }),
      value: anyValue({ help: 'its value, as it is written at that path' }),
      at: duration({ default: 0, help: 'time from which it has this value; 0: from the start' }),
      nodes: text({
        default: 'all',
        help: 'devices: all, hosts, switches, or nodes by name ("host 3", "leaf 2") or id ("node 7", "7"), comma separated; a word without a number is all nodes of that name ("leaf")',
      }),
      ports: text({
        default: 'all',
        help: 'ports of these devices: all, hosts or fabric (by the other end of the link), up or down (by its tier), a rate or a length of cable or both ("400Gbps 40m"), or the nodes at the other ends, comma separated',
      }),
    },
    { help: 'another value of one parameter' },
  ),
  {
    default: [],
    maxItems: CHANGES_MAX,
    help: 'parameters with another value at some devices, or from a time on; at one instant in the order given, a later one over an earlier',
  },
)

/** The workloads that a scenario can name, each with optional schemes of its own beside its params. */
const schemeParams = {
  recovery: variantLike(recoveries, 'recovery', {
    help: "loss recovery of its queue pairs; by default the scenario's",
  }),
  congestion: variantLike(congestions, 'congestion', {
    help: "congestion control of its queue pairs; by default the scenario's",
  }),
  qp: groupLike(endpointParams.fields, 'qp', {
    retired: endpointParams.retired,
    help: "settings of its queue pairs; keys that are left out are the scenario's",
  }),
} as const

type Plain = (typeof workloads)[number]
/** A workload with the schemes that it may have in place of the scenario's. */
type Mixed<D> = D extends Plain ? Omit<D, 'params'> & { readonly params: D['params'] & typeof schemeParams } : never

/** Every workload that a scenario can name. */
const mixedWorkloads: readonly Mixed<Plain>[] = workloads.map((definition) => ({
  ...definition,
  params: { ...definition.params, ...schemeParams },
  // map() would give one type of definition with all params, not each definition with its own.
})) as unknown as readonly Mixed<Plain>[]

function withProfile<F extends ParamFields>(
  params: GroupParam<F>,
  names: readonly string[],
  help: string,
): GroupParam<F> {
  const profile = choice(names, { default: 'none', help: `${help}; docs/models/hardware.md` })
  return { ...params, shorthands: { profile } }
}

const measureParams = group(
  {
    generate: durationOrOff({
      default: null,
      help: 'open-loop workloads post no message from this time on; off: they do not end by themselves',
    }),
    warmUp: duration({ default: 0, help: 'messages that start earlier are not measured' }),
    window: durationOrOff({
      default: null,
      help: 'length of the measuring window after warm-up; off: until the end of the run',
    }),
    end: choice(['drain', 'stop'], {
      default: 'drain',
      help: 'drain: when every message is finished, or at `stop`; stop: at `stop`, or else when generation ends',
    }),
    stop: durationOrOff({
      default: null,
      help: 'simulated time at which the run ends in any case; unfinished messages are reported',
    }),
    completion: choice(['receiver', 'sender'], {
      default: 'receiver',
      help: 'completion time in the summary: last byte at the receiver, or last ACK at the sender',
    }),
    flows: choice(['all', 'operations', 'off'], {
      default: 'all',
      help: 'rows that the result keeps: one a message, one for the messages posted at one instant under one tag and for all of a job, or none; the summary counts all messages',
    }),
  },
  { help: 'measuring window, and end of the run' },
)

export const scenarioParams = group(
  {
    name: text({
      default: '',
      help: 'short name, part of the name of the result folder; if empty, the file name without its extension',
    }),
    description: text({ default: '', help: 'purpose of the scenario, in a sentence or two' }),
    seed: count({ default: 1, max: 2 ** 32 - 1, help: 'seed of all random streams' }),
    compat: compatParam,
    time: timeParams,
    topology: variant(topologies, { help: 'nodes and links' }),
    balance: variant(balances, { default: 'ecmp', help: 'choice among equal-cost paths' }),
    frames: frameParams,
    classes: classParams,
    nic: withProfile(
      nicParams,
      NIC_PROFILES,
      'the NIC that hosts have: keys that are left out are as they are known of it, `rocelab list hardware`',
    ),
    switch: withProfile(
      switchParams,
      SWITCH_PROFILES,
      'the switch as it is shipped: keys that are left out are as they are known of it',
    ),
    pfc: pfcParams,
    qp: endpointParams,
    verbs: verbsParams,
    recovery: variant(recoveries, { default: 'go-back-n', help: 'loss recovery', per: 'pair', live: true }),
    congestion: variant(congestions, { default: 'none', help: 'congestion control', per: 'pair', live: true }),
    workload: list(variant(mixedWorkloads, { help: 'a source of messages' }), {
      minItems: 1,
      help: 'traffic: who sends what to whom, and when',
    }),
    faults: list(variant(faults, { help: 'a fault' }), {
      default: [],
      help: 'losses, corruption and outages of links',
    }),
    changes: changeParams,
    measure: measureParams,
    observe: list(variant(metrics, { help: 'an observer' }), { default: [], help: 'series to record' }),
  },
  { help: 'a complete experiment' },
)

/** A resolved scenario: all values present, in base units. */
export type Scenario = ValueOf<typeof scenarioParams>
