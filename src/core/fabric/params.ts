/**
 * Parameters of the modelled hardware: time, frames, classes, NIC, switch, PFC. Buffers are in buffer-params.ts, faults
 * in fault-params.ts, congestion signals of switches in signal-params.ts.
 * Declarations only; the files that implement each group read the values under the same names.
 */
import {
  choice,
  count,
  countOrOff,
  definition,
  duration,
  flag,
  group,
  list,
  MS,
  ratio,
  size,
  text,
  US,
  variant,
} from '../base/params.ts'
import { buffers } from './buffer-params.ts'
import { layer2Param } from './layer2-params.ts'
import { FAMILY_NAMES } from './headroom/families.ts'
import { mtuParam, nicTrafficClassesParam, nicTrustParam, nicVlanParam, switchVlanParams } from './vlan/params.ts'
import { nicWatchdogParam, receiveParam } from './nic/receive/receive-params.ts'
import { sendParam } from './nic/send/send-params.ts'
import { ecnParams, qcnParams, telemetryParams, trimmingParams, wredParams } from './signal-params.ts'
import { watchdogRules } from './switch/watchdog/rules.ts'

/** Parameters of forwarding: when a frame may leave a switch. Declarations only; link/cut-through.ts implements it. */
const storeAndForward = definition({
  name: 'store-and-forward',
  help: 'a frame may leave when its last bit is in',
  params: {},
})

const cutThrough = definition({
  name: 'cut-through',
  help: 'a frame may leave when its header is in, through an idle port that is no faster than the one it came by; else it is stored',
  source: 'Cisco white paper C11-465436; Dell SmartFabric OS10 guide, cut-through switching mode',
  params: {
    header: size({
      default: 64,
      min: 14,
      max: 9216,
      help: 'bytes of a frame that must be in before it can leave',
      source: 'own: Ethernet, IPv4, UDP and BTH are 54; chips look at whole cells or words',
    }),
  },
})

const forwardingParam = variant([storeAndForward, cutThrough], {
  default: 'store-and-forward',
  help: 'when a frame may leave a switch',
})

/**
 * Parameters of the PFC watchdog of switches. Declarations only; switch/watchdog/ holds the mechanism and its rules.
 */
const off = definition({ name: 'off', help: 'no watchdog', params: {} })

const watchdogParam = variant([off, ...watchdogRules], {
  default: 'off',
  help: 'PFC watchdog: takes a class that is paused without end out of service; the kind is its rule of detection',
  source: '[MS-Scale] 4.3; sonic-swss PFC watchdog',
  per: 'switch',
  live: true,
})

const oneClass = (help: string, standard: number) => count({ default: standard, max: 7, help })

export const timeParams = group(
  {
    quantum: duration({
      default: 1,
      min: 1,
      max: 1 * US,
      help: 'step of the clock: serialization times and pacing gaps are rounded to it; at most the time of 84 bytes, the smallest frame and its gap, on the fastest link',
      source: 'own; ns-3 forks run at 1ns',
    }),
    rounding: choice(['nearest', 'truncate-q64'], {
      default: 'nearest',
      help: 'nearest step, or the truncation of 64.64 fixed-point seconds (a whole number of steps comes out one step lower)',
      source: 'ns-3.17 nstime',
    }),
  },
  { help: 'the clock' },
)

export const frameParams = group(
  {
    payload: size({
      default: 1024,
      min: 1,
      max: 9216,
      help: 'payload of a full data packet (path MTU)',
      source: '[IGBN] Table I, [MS-Scale] 5.4',
    }),
    dataOverhead: size({
      default: 62,
      max: 512,
      help: 'headers and trailers of a data frame: Ethernet 14+4, IPv4 20, UDP 8, BTH 12, ICRC 4',
      source: 'IBTA annex A17; [MS-Scale] 5.4: 1086 = 1024 + 62',
    }),
    writeOverhead: size({ default: 16, max: 64, help: 'RETH in the first packet of a WRITE', source: 'IBTA 9.3' }),
    everyOverhead: size({
      default: 0,
      max: 512,
      help: 'bytes added to every data packet (timestamps, telemetry)',
      source: '[IRN] 6.3: 16 in the overhead study',
    }),
    ack: size({ default: 66, min: 1, max: 512, help: 'ACK and NAK frame: BTH and AETH', source: 'IBTA' }),
    readRequest: size({ default: 78, min: 1, max: 512, help: 'READ request frame: BTH and RETH', source: 'IBTA' }),
    cnp: size({
      default: 78,
      min: 1,
      max: 512,
      help: 'congestion notification packet: BTH and 16 reserved bytes',
      source: 'IBTA annex A17',
    }),
    cnm: size({
      default: 46,
      min: 1,
      max: 512,
      help: 'congestion notification message of a switch (QCN): Ethernet 14+4, CN-TAG 4, PDU 24, nothing of the frame',
      source: '802.1Qau 33.3; our sum',
    }),
    telemetry: size({
      default: 42,
      max: 512,
      help: 'room for the telemetry that switches write, in each data packet and in the ACKs and NAKs that return it; only with a congestion control that needs telemetry',
      source: 'HPCC fork: 2 bytes, and 8 for each of 5 hops',
    }),
    rttProbe: size({
      default: 78,
      min: 1,
      max: 512,
      help: 'RTT request and response: BTH and 16 bytes for a time and a number',
      source: 'ours, as a CNP; [LDCP] 3.2 gives none',
    }),
    pfc: size({ default: 64, min: 1, max: 512, help: 'PFC frame', source: '802.1Qbb' }),
    gap: size({
      default: 20,
      max: 64,
      help: 'preamble, start delimiter and inter-packet gap on the wire',
      source: '802.3',
    }),
    vlanTag: size({
      default: 4,
      max: 8,
      help: '802.1Q tag: with switch.vlan.ports on tagged links, otherwise in every frame if classes come from the PCP; never in PFC frames',
      source: '802.1Q',
    }),
    minimum: size({
      default: 64,
      max: 128,
      help: 'shortest frame on the wire; shorter ones are padded',
      source: '802.3',
    }),
  },
  { help: 'frame sizes and overheads, bytes' },
)

export const classParams = group(
  {
    data: oneClass('class of data packets', 3),
    ackAtHost: countOrOff({
      default: null,
      max: 7,
      help: 'class of ACKs, NAKs, READ and RTT requests in the NIC: a pause of that class holds them back; off: the class of their flow',
      source: 'of the flow: own, what RoCE does; HPCC fork: 0 or 3',
    }),
    ackAtSwitch: countOrOff({
      default: null,
      max: 7,
      help: 'class of ACKs, NAKs, READ and RTT requests in switches; off: the class of their flow',
      source: 'of the flow: own, what RoCE does, and the HPCC fork',
    }),
    cnpAtHost: oneClass('class of CNPs in the NIC', 6),
    cnpAtSwitch: oneClass('class of CNPs and of QCN messages in switches', 6),
    classify: choice(['dscp', 'pcp'], {
      default: 'dscp',
      per: 'switch',
      help: 'header field that switches read the class from; single switches may read another where ports have VLANs (switch.vlan.ports)',
      source: '[MS-Scale] section 3',
    }),
    dscpMap: list(text({ help: '"DSCP: CLASS" or "FROM-TO: CLASS"' }), {
      default: [],
      per: 'switch',
      live: true,
      help: 'DSCP to class; unlisted: 0..7 to themselves, 48 to 6, others to 0. Hosts send class i as DSCP i, CNPs as 48; where that maps to another class, as the lowest DSCP that maps to theirs',
      source: '[MS-Scale] section 3: DSCP i to priority i',
    }),
  },
  { help: 'traffic classes 0..7 (priorities)' },
)

export const nicParams = group(
  {
    packetsPerTurn: count({
      default: 1,
      min: 1,
      max: 1_000_000,
      help: 'packets that a QP may send before the next QP is served; the next is served at once when the QP has no packet that is due',
      source: 'own: [IRN] 4.1 has QPs poll for the link and gives no burst length; one packet each is the fairest',
    }),
    portChoice: choice(['bound', 'spray', 'least-queue'], {
      default: 'bound',
      help: 'ports of a QP where hosts have several. bound: one, its home: the i-th QP of a host has port i; spray: each packet takes the next port, round robin; least-queue: each packet takes the port that is free first',
      source: 'own; bound: one QP on one port of an RNIC; spray and least-queue: NICs of multi-plane fabrics',
    }),
    portDown: choice(['move', 'stay'], {
      default: 'move',
      help: 'QPs of a port whose link is down, once routes are updated (converge of link-down). move: to the next port that reaches the other host; stay: they wait for the port, or, where the link is at the other host, send until their retry limit',
      source: 'own; move: path migration of RNICs, link aggregation',
    }),
    portUp: choice(['return', 'stay'], {
      default: 'return',
      help: 'QPs that have moved, once their home port is up again and routes are updated. return: to the home port; stay: on their present port',
      source: 'own',
    }),
    send: sendParam,
    receive: receiveParam,
    watchdog: nicWatchdogParam,
    sourcePorts: choice(['random', 'per-pair', 'per-source'], {
      default: 'random',
      help: 'UDP source port of a QP: random in 49152..65535, or counted from 10000 per host pair or per source host',
      source: '[MS-Scale] section 2 (random); HPCC fork (per pair); conweave (per source)',
    }),
    firstAddress: text({
      default: '10.0.0.1',
      help: 'IPv4 address of node 0; node n has n/256 added to the second and n%256 to the third byte',
      source: 'own; HPCC fork 11.0.0.1',
    }),
    addresses: list(text({ help: '"HOST: ADDRESS", for example "1: 10.0.1.2"' }), {
      default: [],
      help: 'IPv4 addresses of single hosts, by position as in workloads; the others follow from firstAddress',
    }),
    vlan: nicVlanParam,
    trust: nicTrustParam,
    trafficClasses: nicTrafficClassesParam,
    mtu: mtuParam('host'),
  },
  { help: 'network interface of the hosts', retired: { roundRobin: 'stable', wake: 'earliest' } },
)

const classPause = group(
  {
    class: count({ max: 7, help: 'class' }),
    quanta: count({ min: 1, max: 65535, help: 'its pause time in quanta', source: '802.1Qbb: a time per class' }),
  },
  { help: 'pause time of one class' },
)

export const pfcParams = group(
  {
    classes: list(count({ max: 7, help: 'class' }), {
      default: [3],
      help: 'lossless classes; empty: PFC off',
      source: '[MS-Scale] section 2',
    }),
    quanta: count({
      default: 65535,
      min: 1,
      max: 65535,
      help: 'pause time in quanta of 512 bit times',
      source: '802.1Qbb',
    }),
    byClass: list(classPause, { default: [], help: 'pause times of single classes, instead of quanta' }),
    expiry: flag({
      default: true,
      help: 'a pause ends by itself when its quanta have passed; false: it lasts until resumed',
    }),
    refresh: ratio({
      default: 0.5,
      max: 1,
      help: 'pause frames are sent again after this share of the pause time while above XON; 0: never',
      source: 'own',
    }),
    repeat: flag({
      default: false,
      help: 'a new pause frame for every packet that arrives above XOFF',
      source: 'conweave',
    }),
    reactionTime: duration({
      default: 0,
      max: 1 * MS,
      help: 'from the arrival of a pause or resume frame until the port obeys; the pause time counts from there',
      source: '802.1Qbb; [IRN]: 0',
    }),
    sendDelay: duration({
      default: 0,
      max: 1 * MS,
      help: 'pipeline: from the packet that crosses a threshold until its pause or resume frame is ready to be sent',
      source: 'ours: the pipeline latency in headroom formulas of switches',
    }),
  },
  { help: 'priority flow control, 802.1Qbb', per: 'port', live: true, howToDisable: 'pfc.classes: [] turns it off' },
)

export const switchParams = group(
  {
    buffer: variant(buffers, { default: 'shared-buffer', help: 'buffer architecture' }),
    family: choice(['off', ...FAMILY_NAMES], {
      default: 'off',
      per: 'switch',
      help: 'hardware that the switch stands for: check compares headroom with what it needs, and headroomFormula=hardware gives it that',
      source: 'docs/models/headroom.md; rocelab headroom prints the sums',
    }),
    forwarding: forwardingParam,
    layer2: layer2Param,
    latency: duration({ default: 0, max: 1 * MS, help: 'from the last bit in, or the header, to the egress queue' }),
    release: choice(['start', 'end'], {
      default: 'start',
      help: 'buffer bytes are freed when transmission starts or ends',
      source: 'HPCC fork: start',
    }),
    strictClasses: list(count({ max: 7, help: 'class' }), {
      per: 'port',
      live: true,
      default: [6, 7],
      help: 'classes served before all others, highest number first',
      source: 'CNP class strict: vendor guides',
    }),
    scheduler: choice(['round-robin', 'dwrr'], {
      per: 'port',
      live: true,
      default: 'round-robin',
      help: 'among the other classes: one packet each, or deficit weighted round robin',
    }),
    weights: list(ratio({ max: 1000, help: 'weight of class i' }), {
      per: 'port',
      live: true,
      default: [1, 1, 1, 1, 1, 1, 1, 1],
      help: 'DWRR weights of classes 0..7; bytes per round in units of dwrrQuantum',
    }),
    dwrrQuantum: size({
      per: 'port',
      live: true,
      default: 1600,
      min: 64,
      help: 'bytes that a class of weight 1 may send per round',
    }),
    ecn: ecnParams,
    wred: wredParams,
    trimming: trimmingParams,
    qcn: qcnParams,
    telemetry: telemetryParams,
    watchdog: watchdogParam,
    vlan: switchVlanParams,
    mtu: mtuParam('port'),
  },
  { help: 'every switch' },
)

export { buffers, inputQueued, OPEN_SIZES, sharedBuffer } from './buffer-params.ts'
export { pipelineReceive } from './nic/receive/receive-params.ts'
export { hasSendCosts } from './nic/send/send-params.ts'
export { faults, type FaultValues } from './fault-params.ts'
export { watchdogRules } from './switch/watchdog/rules.ts'
export { LAYER3_TIERS } from './vlan/params.ts'
