/**
 * Keys of configurations of the HPCC family, with the number of their values and, if they have no effect on a scenario, the
 * reason. ns3-alibabacloud also sets attributes of classes, "ns3::Class::Attribute value", many of which stand for such keys.
 * Source: readers of the simulators; config_map of ns3-alibabacloud.
 */
import { NS3_DIALECTS, type Ns3Dialect } from './topology.ts'

export interface Key {
  readonly dialects: readonly Ns3Dialect[]
  /** Number of values; 'map': a count, and two values for each. */
  readonly values: number | 'map'
  /** Reason why it has no effect; absent if it is mapped. */
  readonly inert?: string
}

const OUTPUT = 'names an output file'
const MONITOR = 'time or interval of measurements; choose observers in the scenario instead'
const PINT_ONLY = 'read only with CC_MODE 10'

const everyone = (values: number | 'map', inert?: string): Key => key(NS3_DIALECTS, values, inert)
const conweave = (values: number, inert?: string): Key => key(['conweave'], values, inert)
/** SimAI, and the simulator that it has become part of. */
const simai = (values: number, inert?: string): Key => key(['simai', 'ns3-alibabacloud'], values, inert)
const alibaba = (values: number, inert?: string): Key => key(['ns3-alibabacloud'], values, inert)

function key(dialects: readonly Ns3Dialect[], values: number | 'map', inert?: string): Key {
  return { dialects, values, ...(inert === undefined ? {} : { inert }) }
}

const VERBS_ONLY = 'belongs to its verbs interface, which a flow file does not use'
const CONWEAVE_ONLY = 'belongs to ConWeave load balancing (LB_MODE 9), which rocelab does not have'

const KEYS: Readonly<Record<string, Key>> = {
  ENABLE_QCN: everyone(1),
  USE_DYNAMIC_PFC_THRESHOLD: everyone(1, 'that simulator does not read it: PFC thresholds are always dynamic'),
  PACKET_PAYLOAD_SIZE: everyone(1),
  TOPOLOGY_FILE: everyone(1),
  FLOW_FILE: everyone(1),
  TRACE_FILE: everyone(1, 'chooses the nodes of a packet trace; choose observers in the scenario instead'),
  TRACE_OUTPUT_FILE: everyone(1, OUTPUT),
  FCT_OUTPUT_FILE: everyone(1, OUTPUT),
  PFC_OUTPUT_FILE: everyone(1, OUTPUT),
  QLEN_MON_FILE: everyone(1, OUTPUT),
  QLEN_MON_START: everyone(1, MONITOR),
  QLEN_MON_END: everyone(1, MONITOR),
  SIMULATOR_STOP_TIME: everyone(1),
  CC_MODE: everyone(1),
  ALPHA_RESUME_INTERVAL: everyone(1),
  RATE_DECREASE_INTERVAL: everyone(1),
  CLAMP_TARGET_RATE: everyone(1),
  RP_TIMER: everyone(1),
  EWMA_GAIN: everyone(1),
  FAST_RECOVERY_TIMES: everyone(1),
  RATE_AI: everyone(1),
  RATE_HAI: everyone(1),
  MIN_RATE: everyone(1),
  DCTCP_RATE_AI: everyone(1),
  ERROR_RATE_PER_LINK: everyone(1),
  L2_CHUNK_SIZE: everyone(1),
  L2_ACK_INTERVAL: everyone(1),
  L2_BACK_TO_ZERO: everyone(1),
  HAS_WIN: everyone(1),
  GLOBAL_T: everyone(1),
  VAR_WIN: everyone(1),
  FAST_REACT: everyone(1),
  U_TARGET: everyone(1),
  MI_THRESH: everyone(1),
  INT_MULTI: everyone(1),
  MULTI_RATE: everyone(1),
  SAMPLE_FEEDBACK: everyone(1),
  PINT_LOG_BASE: everyone(1, PINT_ONLY),
  PINT_PROB: everyone(1, PINT_ONLY),
  RATE_BOUND: everyone(1),
  ACK_HIGH_PRIO: everyone(1),
  LINK_DOWN: everyone(3),
  ENABLE_TRACE: everyone(1, 'switches a packet trace on; choose observers in the scenario instead'),
  KMAX_MAP: everyone('map'),
  KMIN_MAP: everyone('map'),
  PMAX_MAP: everyone('map'),
  BUFFER_SIZE: everyone(1),
  PAUSE_TIME: everyone(1),
  DATA_RATE: everyone(1, 'that simulator does not use it'),
  LINK_DELAY: everyone(1, 'that simulator does not use it'),
  ENABLE_PFC: conweave(1),
  ENABLE_IRN: conweave(1),
  LB_MODE: conweave(1),
  RANDOM_SEED: conweave(1),
  FLOWGEN_START_TIME: conweave(1, 'start of flows for its monitors only; the flow file has the exact times'),
  FLOWGEN_STOP_TIME: conweave(1, 'end of flows for its monitors only'),
  LOAD: conweave(1, 'a label: the load is in the flow file'),
  FLOW_INPUT_FILE: conweave(1, OUTPUT),
  CNP_OUTPUT_FILE: conweave(1, OUTPUT),
  VOQ_MON_FILE: conweave(1, OUTPUT),
  VOQ_MON_DETAIL_FILE: conweave(1, OUTPUT),
  UPLINK_MON_FILE: conweave(1, OUTPUT),
  CONN_MON_FILE: conweave(1, OUTPUT),
  EST_ERROR_MON_FILE: conweave(1, OUTPUT),
  SW_MONITORING_INTERVAL: conweave(1, MONITOR),
  CONWEAVE_TX_EXPIRY_TIME: conweave(1, CONWEAVE_ONLY),
  CONWEAVE_REPLY_TIMEOUT_EXTRA: conweave(1, CONWEAVE_ONLY),
  CONWEAVE_PATH_PAUSE_TIME: conweave(1, CONWEAVE_ONLY),
  CONWEAVE_EXTRA_VOQ_FLUSH_TIME: conweave(1, CONWEAVE_ONLY),
  CONWEAVE_DEFAULT_VOQ_WAITING_TIME: conweave(1, CONWEAVE_ONLY),
  BW_MON_FILE: simai(1, OUTPUT),
  RATE_MON_FILE: simai(1, OUTPUT),
  CNP_MON_FILE: simai(1, OUTPUT),
  MON_START: simai(1, MONITOR),
  MON_END: simai(1, MONITOR),
  QP_MON_INTERVAL: simai(1, MONITOR),
  BW_MON_INTERVAL: simai(1, MONITOR),
  QLEN_MON_INTERVAL: simai(1, MONITOR),
  NIC_TOTAL_PAUSE_TIME: simai(1, MONITOR),
  SEND_OUTPUT_FILE: alibaba(1, OUTPUT),
  'ns3::SwitchNode::PfcEnabled': alibaba(1),
  'ns3::SwitchNode::ForwardDelay': alibaba(1),
  'ns3::RdmaHw::NACKGenerationInterval': alibaba(1),
  'ns3::RdmaHw::NicCoalesceMethod': alibaba(1),
  'ns3::MellanoxDcqcn::RateOnFirstCnp': alibaba(1),
  'ns3::RdmaHw::GPUsPerServer': alibaba(1, 'the topology file has this number too'),
  'ns3::RdmaHw::TotalPauseTimes': alibaba(
    1,
    'pauses that stand for a slow PCIe; faults of kind slow-receiver and pause-storm are similar',
  ),
  'ns3::RdmaHw::NVLS_enable': alibaba(1, 'rocelab has no reductions in switches'),
  'ns3::RdmaHw::CnpInterval': alibaba(1, 'not read with CC_MODE 1'),
  'ns3::Hpcc::UtilHigh': alibaba(1, 'not read with CC_MODE 3'),
  'ns3::IbvInterface::PollTimeInterval': alibaba(1, VERBS_ONLY),
  'ns3::IbvInterface::SendLatency': alibaba(1, VERBS_ONLY),
  ...Object.fromEntries(
    ['EwmaGain', 'F', 'RateUpdateDelay', 'AlphaUpdateDelay', 'BytesThreshold', 'Clamp'].map((attribute) => [
      `ns3::RealDcqcn::${attribute}`,
      alibaba(1, 'read only with CC_MODE 12'),
    ]),
  ),
}

/** Attributes of classes that stand for keys of the family, in ns3-alibabacloud (its config_map). */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  'ns3::QbbNetDevice::QcnEnabled': 'ENABLE_QCN',
  'ns3::QbbNetDevice::DynamicThreshold': 'USE_DYNAMIC_PFC_THRESHOLD',
  'ns3::QbbNetDevice::PauseTime': 'PAUSE_TIME',
  'ns3::RdmaHw::CcMode': 'CC_MODE',
  'ns3::RdmaHw::Mtu': 'PACKET_PAYLOAD_SIZE',
  'ns3::RdmaHw::L2ChunkSize': 'L2_CHUNK_SIZE',
  'ns3::RdmaHw::L2AckInterval': 'L2_ACK_INTERVAL',
  'ns3::RdmaHw::L2BackToZero': 'L2_BACK_TO_ZERO',
  'ns3::RdmaHw::RateAI': 'RATE_AI',
  'ns3::RdmaHw::RateHAI': 'RATE_HAI',
  'ns3::RdmaHw::MinRate': 'MIN_RATE',
  'ns3::RdmaHw::VarWin': 'VAR_WIN',
  'ns3::RdmaHw::RateBound': 'RATE_BOUND',
  'ns3::RdmaHw::TotalPauseTime': 'NIC_TOTAL_PAUSE_TIME',
  'ns3::MellanoxDcqcn::AlphaResumInterval': 'ALPHA_RESUME_INTERVAL',
  'ns3::MellanoxDcqcn::RPTimer': 'RP_TIMER',
  'ns3::MellanoxDcqcn::EwmaGain': 'EWMA_GAIN',
  'ns3::MellanoxDcqcn::RateDecreaseInterval': 'RATE_DECREASE_INTERVAL',
  'ns3::MellanoxDcqcn::FastRecoveryTimes': 'FAST_RECOVERY_TIMES',
  'ns3::MellanoxDcqcn::ClampTargetRate': 'CLAMP_TARGET_RATE',
  'ns3::Dctcp::DctcpRateAI': 'DCTCP_RATE_AI',
  'ns3::Hpcc::MiThresh': 'MI_THRESH',
  'ns3::Hpcc::FastReact': 'FAST_REACT',
  'ns3::Hpcc::MultiRate': 'MULTI_RATE',
  'ns3::Hpcc::SampleFeedback': 'SAMPLE_FEEDBACK',
  'ns3::Hpcc::TargetUtil': 'U_TARGET',
  'ns3::HpccPint::PintProb': 'PINT_PROB',
}

/** Keys of other programs that began as one of these simulators, which the four do not read: what they set there. */
const FORK_KEYS: Readonly<Record<string, string>> = {
  NO_CC_NODE: 'hosts that send without congestion control',
  PACKET_LEVEL_ECMP: 'choice of paths in ns3-rdma',
  FLOW_LEVEL_ECMP: 'choice of paths in ns3-rdma',
  CNP_INTERVAL: 'DCQCN of ns3-rdma',
  NP_SAMPLING_INTERVAL: 'DCQCN of ns3-rdma',
  CLAMP_TARGET_RATE_AFTER_TIMER: 'DCQCN of ns3-rdma',
  BYTE_COUNTER: 'DCQCN of ns3-rdma',
  DCTCP_GAIN: 'DCQCN of ns3-rdma',
  KMAX: 'marking in ns3-rdma',
  KMIN: 'marking in ns3-rdma',
  PMAX: 'marking in ns3-rdma',
  L2_WAIT_FOR_ACK: 'loss recovery in ns3-rdma',
  SEND_IN_CHUNKS: 'loss recovery in ns3-rdma',
  TCP_FLOW_FILE: 'flows of ns3-rdma',
  APP_START_TIME: 'times of flows in ns3-rdma',
  APP_STOP_TIME: 'times of flows in ns3-rdma',
}

/** The key that an attribute stands for, or the name itself. */
export const plainName = (name: string): string => (Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name]! : name)

/** The setting of an unknown key in a fork that reads it; undefined: no such fork is known. */
export const forkMeaning = (name: string): string | undefined =>
  Object.hasOwn(FORK_KEYS, name) ? FORK_KEYS[name] : undefined

export const knownKey = (name: string): Key | undefined => (Object.hasOwn(KEYS, name) ? KEYS[name] : undefined)
