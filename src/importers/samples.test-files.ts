/**
 * Small handmade files, one run of each format, and a reader for them. For tests only.
 */
import type { ImportInput } from './importer.ts'

const CONFIG = `ENABLE_QCN 1
PACKET_PAYLOAD_SIZE 1000
TOPOLOGY_FILE mix/net.txt
FLOW_FILE mix/sends.txt
FCT_OUTPUT_FILE mix/fct.txt
SIMULATOR_STOP_TIME 2.5
CC_MODE 1
ALPHA_RESUME_INTERVAL 2
RATE_DECREASE_INTERVAL 5
CLAMP_TARGET_RATE 0
RP_TIMER 100
EWMA_GAIN 0.00390625
FAST_RECOVERY_TIMES 1
RATE_AI 30Mb/s
RATE_HAI 90Mb/s
MIN_RATE 100Mb/s
DCTCP_RATE_AI 500Mb/s
L2_ACK_INTERVAL 1
L2_BACK_TO_ZERO 0
L2_CHUNK_SIZE 4000
HAS_WIN 1
GLOBAL_T 1
VAR_WIN 0
RATE_BOUND 1
ACK_HIGH_PRIO 1
LINK_DOWN 0 0 0
KMAX_MAP 2 100000000000 400 40000000000 160
KMIN_MAP 2 100000000000 100 40000000000 40
PMAX_MAP 2 100000000000 0.2 40000000000 0.25
BUFFER_SIZE 8
`

/** Two pairs of hosts on two switches, which are nodes 2 and 5; two parallel links between the switches. */
const NETWORK = `6 2 6
5 2
0 2 40Gbps 1us 0
1 2 40Gbps 1us 0
3 5 40Gbps 1us 0
4 5 40Gbps 1us 0.001
2 5 100Gbps 1500ns 0
2 5 100Gbps 1500ns 0
that was it
`

const FLOWS = `3
0 3 3 100 5000 2
1 3 3 200 1000000 2.000013632
4 0 3 100 77 2.1
9 9 9 9 9 9
`

const ROUTES = `0 3 1:2
2 0 1:0
2 1 2:1
2 3 4:5 3:5
2 4 4:5 3:5
5 0 3:2 4:2
5 1 4:2 3:2
`

const CONWEAVE_CONFIG = CONFIG.replace('SIMULATOR_STOP_TIME 2.5\n', '').replace(
  'RATE_BOUND 1\n',
  'RATE_BOUND 1\nENABLE_PFC 1\nENABLE_IRN 0\nLB_MODE 0\nRANDOM_SEED 9\nLOAD 50\n',
)
const CONWEAVE_FLOWS = `3
0 3 3 5000 2
1 3 3 1000000 2.000013632
4 0 3 77 2.1
`

const SIMAI_NETWORK = `6 2 1 1 6 H100
5 2
0 2 40Gbps 1us 0
1 2 40Gbps 1us 0
3 5 40Gbps 1us 0
4 5 40Gbps 1us 0
2 5 100Gbps 1500ns 0
2 5 100Gbps 1500ns 0
`

const DATACENTER_NETWORK = `4 1 1 3 25000000000 25000000000
3
0 3 25000000000 2us 0
1 3 25000000000 2us 0
2 3 25000000000 2us 0
`

const LEAF_SPINE = `# four ToRs
Nodes 16
Tiers 2
Podsize 16

Tier 0
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 2
Downlink_Latency_ns 500
Oversubscribed 2

tier 1
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 800
Colour 7
`

const BUNDLES = `Nodes 8
Tiers 3
Podsize 4
Tier 0
Downlink_speed_Gbps 200
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 200
Radix_Down 2
Radix_Up 4
Downlink_Latency_ns 1000
Tier 2
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 1000
Bundle 2
`

const MATRIX = `Nodes 16
Connections 3
0->5 start 0 size 2000000
3->4 id 7 start 2.5 size 100
15->0 size 4000000 start 16
`

const FAILED = `Nodes 16
Connections 1
Failures 1
0->5 start 0 size 2000000
failure switch_type AGG switch_id 3 link_id 1
`

const CHAIN = `Nodes 16
Connections 2
Triggers 1
0->5 id 1 start 0 size 2000000 send_done_trigger 1
5->6 id 2 trigger 1 size 2000000
trigger id 1 oneshot
`

const MESSAGES = `Nodes 2
Connections 2
0->1 id 1 msg start 0 size 4086
0->1 id 1 msg start 0 size 86
`

const PERCENT = `0 0
1000 50
4000 62.5
9000 100
`

const FRACTIONS = `0 0
100 0
1000 0.5
1000 0.5
4000 1
`

/** Two layers on four GPUs, two of which share a tensor, with an expert group of two. */
const STEP = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0
2
attention -1 1000 ALLREDUCE 4096 2000 ALLGATHER 8192 3000 NONE 0 100
mlp.moe -1 500 ALLTOALL_EP 100 400 NONE 77 300 REDUCESCATTER 65536 50
`

/** The second layer's tensor group has one rank, and the file goes on behind it. */
const MICRO = `MICRO
2
micro_test	-1	1	BROADCAST	16	1	NONE	0	1	ALLREDUCE	16777216	1
micro_test	-1	1	NONE	0	1	NONE	0	1	BROADCAST	64	1
test
`

const traceOf = (rank: number): string =>
  JSON.stringify({
    workload_graph: [
      { Id: 10 + rank, Name: 'aten::mm(0)', NodeType: 4, ctrlDeps: [3], data_deps: [], runtime: 318, is_cpu_op: true },
      { Id: 20, Name: 'c10d::allreduce_', NodeType: 7, ctrlDeps: [10 + rank], runtime: 85, is_cpu_op: true },
      { Id: 21, NodeType: 7, data_deps: [20], runtime: 28, is_cpu_op: false },
      { Id: 30, Name: 'sum', NodeType: 7, data_deps: [21], comm_type: 0, comm_size: 1000, pg_name: 'tp' },
      { Id: 31, NodeType: 7, data_deps: [30], comm_type: 5, comm_size: 70 },
      { Id: 32, NodeType: 7, comm_type: 2, comm_size: 5, pg_name: `alone${rank}` },
    ],
  })

const TUNER = `# collective,min,max,algorithm,protocol,channels,nodes,ranks
allreduce,0,65536,tree,ll,2,-1,-1
broadcast,0,-1,tree,simple,-1,-1,-1
broadcast,0,-1,ring,ll128,-1,-1,-1,-1,-1
`

/** File name to text. */
export const SAMPLES: Readonly<Record<string, string>> = {
  'run/config.txt': CONFIG,
  'run/net.txt': NETWORK,
  'run/sends.txt': FLOWS,
  'run/routes.txt': ROUTES,
  'cw/config.txt': CONWEAVE_CONFIG,
  'cw/net.txt': NETWORK,
  'cw/sends.txt': CONWEAVE_FLOWS,
  'cw/env.txt': 'IRN_BDP=52000 SIM_STOP=2.4 BUF_BYTES=100000\n',
  'simai.txt': SIMAI_NETWORK,
  'datacenter.txt': DATACENTER_NETWORK,
  'leaf-spine.topo': LEAF_SPINE,
  'bundles.topo': BUNDLES,
  'some.cm': MATRIX,
  'failed.cm': FAILED,
  'chain.cm': CHAIN,
  'messages.cm': MESSAGES,
  'percent.txt': PERCENT,
  'fractions.txt': FRACTIONS,
  'step.txt': STEP,
  'micro.txt': MICRO,
  'job.0.json': traceOf(0),
  'job.1.json': traceOf(1),
  'groups.json': '{"tp": [1, 0], "alone0": [0], "alone1": [1]}',
  'nccl_tuner.conf': TUNER,
}

/** Input of an import that starts from a sample; `changes` replaces files, undefined removes one. */
export function sample(
  path: string,
  options: Readonly<Record<string, string>> = {},
  changes: Readonly<Record<string, string | undefined>> = {},
): ImportInput {
  const files: Readonly<Record<string, string | undefined>> = { ...SAMPLES, ...changes }
  return { path, options, readFile: (name) => (Object.hasOwn(files, name) ? files[name] : undefined) }
}

/** A sample's text with each `from` replaced, as a file for `changes`. */
export function edited(
  path: string,
  ...edits: readonly (readonly [string | RegExp, string])[]
): Record<string, string> {
  let text = SAMPLES[path] ?? ''
  for (const [from, to] of edits) text = text.replace(from, to)
  return { [path]: text }
}
