/**
 * A clean fabric as texts, on which no rule finds an error or a warning: two leaves and a spine of SONiC, four hosts of mlx5.
 * Tests change single lines of it.
 */
/** Texts by "device/file", and "edges.csv". */
export type Files = Readonly<Record<string, string>>

/** A table of config_db.json: rows of fields by key. */
type Table = Readonly<Record<string, Readonly<Record<string, string>>>>

/** JSON with one row of a table in each line. */
function jsonOf(tables: Readonly<Record<string, Table>>): string {
  const blocks = Object.entries(tables).map(([name, rows]) => {
    const lines = Object.entries(rows).map(([key, fields]) => `  ${JSON.stringify(key)}: ${JSON.stringify(fields)}`)
    return ` ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n }`
  })
  return `{\n${blocks.join(',\n')}\n}\n`
}

const ofClasses = (special: Readonly<Record<number, number>>, usual: (c: number) => number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 8 }, (_, c) => [c, String(special[c] ?? usual(c))]))

const DSCPS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 64 }, (_, dscp) => [dscp, dscp === 26 ? '3' : dscp === 48 ? '6' : '1']),
)
const PORT_MAPS = { dscp_to_tc_map: 'M', tc_to_pg_map: 'M', tc_to_queue_map: 'M', pfc_to_queue_map: 'M' }

type Wire = readonly [port: string, peer: string, peerPort: string, metres: number]

function sonic(hostname: string, wires: readonly Wire[]): string {
  const each = (fields: (wire: Wire) => Readonly<Record<string, string>>, key = ''): Table =>
    Object.fromEntries(wires.map((wire) => [`${wire[0]}${key}`, fields(wire)]))
  const profile = (metres: number, xoff: string): Table => ({
    [`pg_lossless_400000_${metres}m_profile`]: {
      pool: 'ingress_lossless_pool',
      size: '1792',
      xon: '0',
      xon_offset: '3584',
      xoff,
      dynamic_th: '-3',
    },
  })
  return jsonOf({
    DEVICE_METADATA: { localhost: { hostname, hwsku: 'generic-64x400', buffer_model: 'traditional' } },
    PORT: each(([port]) => ({
      lanes: port.slice(8),
      speed: '400000',
      mtu: '9100',
      admin_status: 'up',
      fec: 'rs',
      pfc_asym: 'off',
    })),
    CABLE_LENGTH: { AZURE: Object.fromEntries(wires.map(([port, , , metres]) => [port, `${metres}m`])) },
    DEVICE_NEIGHBOR: each(([, name, port]) => ({ name, port })),
    DSCP_TO_TC_MAP: { M: DSCPS },
    TC_TO_PRIORITY_GROUP_MAP: { M: ofClasses({ 3: 3 }, () => 0) },
    TC_TO_QUEUE_MAP: { M: ofClasses({}, (c) => c) },
    MAP_PFC_PRIORITY_TO_QUEUE: { M: ofClasses({}, (c) => c) },
    PORT_QOS_MAP: each(() => ({ ...PORT_MAPS, pfc_enable: '3', pfcwd_sw_enable: '3' })),
    BUFFER_POOL: {
      ingress_lossless_pool: { type: 'ingress', mode: 'dynamic', size: '60000000', xoff: '16000000' },
      egress_lossless_pool: { type: 'egress', mode: 'static', size: '76000000' },
      egress_lossy_pool: { type: 'egress', mode: 'dynamic', size: '50000000' },
    },
    BUFFER_PROFILE: {
      ...profile(5, '240000'),
      ...profile(40, '300000'),
      ingress_lossy_profile: { pool: 'ingress_lossless_pool', size: '0', dynamic_th: '3' },
      egress_lossless_profile: { pool: 'egress_lossless_pool', size: '0', static_th: '76000000' },
      egress_lossy_profile: { pool: 'egress_lossy_pool', size: '1792', dynamic_th: '0' },
    },
    DEFAULT_LOSSLESS_BUFFER_PARAMETER: { AZURE: { over_subscribe_ratio: '2' } },
    BUFFER_PG: {
      ...each(([, , , metres]) => ({ profile: `pg_lossless_400000_${metres}m_profile` }), '|3'),
      ...each(() => ({ profile: 'ingress_lossy_profile' }), '|0'),
    },
    BUFFER_QUEUE: {
      ...each(() => ({ profile: 'egress_lossless_profile' }), '|3'),
      ...each(() => ({ profile: 'egress_lossy_profile' }), '|0-2'),
    },
    WRED_PROFILE: {
      ECN: {
        ecn: 'ecn_all',
        wred_green_enable: 'true',
        green_min_threshold: '1000000',
        green_max_threshold: '2000000',
        green_drop_probability: '5',
      },
    },
    SCHEDULER: { W3: { type: 'DWRR', weight: '60' }, S6: { type: 'STRICT' } },
    QUEUE: {
      ...each(() => ({ scheduler: 'W3', wred_profile: 'ECN' }), '|3'),
      ...each(() => ({ scheduler: 'S6' }), '|6'),
    },
    PFC_WD: {
      GLOBAL: { POLL_INTERVAL: '200' },
      ...each(() => ({ action: 'drop', detection_time: '400', restoration_time: '400' })),
    },
  })
}

const TABLE =
  '# speed cable size xon xoff threshold xon_offset\n400000 5m 1792 0 240000 -3 3584\n400000 40m 1792 0 300000 -3 3584\n'

const TWO_DIGITS = (dscp: number): string => String(dscp).padStart(2, '0')
const mlnxQos = `DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
${Array.from({ length: 8 }, (_, c) => `\tprio:${c} dscp:${Array.from({ length: 8 }, (_each, i) => TWO_DIGITS(8 * c + 7 - i)).join(',')},\n`).join('')}default priority:
Receive buffer size (bytes): 20016,156096,0,0,0,0,0,0,max_buffer_size=4063232
Cable len: 5
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0   
\tbuffer      0   0   0   1   0   0   0   0   
tc: 0 ratelimit: unlimited, tsa: ets, bw: 50%
\t priority:  0
\t priority:  1
\t priority:  2
\t priority:  4
\t priority:  5
\t priority:  7
tc: 3 ratelimit: unlimited, tsa: ets, bw: 50%
\t priority:  3
tc: 6 ratelimit: unlimited, tsa: strict
\t priority:  6
`

/** Files of a host whose second interface is in the fabric. */
export function host(name: string, leaf: string, leafPort: string): Record<string, string> {
  const rule = `${'-'.repeat(79)}\n`
  const enabled = ['np', 'rp'].flatMap((half) =>
    Array.from({ length: 8 }, (_, c) => `/sys/class/net/eth1/ecn/roce_${half}/enable/${c}:1\n`),
  )
  const files: Record<string, string> = {
    'mlnx_qos.txt': mlnxQos,
    'ethtool-a.txt': 'Pause parameters for eth1:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n',
    'ethtool.txt':
      'Settings for eth1:\n\tSpeed: 400000Mb/s\n\tDuplex: Full\n\tAuto-negotiation: off\n\tLink detected: yes\n',
    'fec.txt':
      'FEC parameters for eth1:\nSupported/Configured FEC encodings: Auto Off RS BaseR\nActive FEC encoding: RS\n',
    'tunable.txt': 'pfc-prevention-tout: 100\n',
    'ip-link.txt':
      '1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000\n3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000\n',
    'ibv_devinfo.txt':
      'hca_id:\tmlx5_1\n\ttransport:\t\t\tInfiniBand (0)\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t4096 (5)\n\t\t\tlink_layer:\t\tEthernet\n\n',
    'rdma-link.txt':
      'link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0 \nlink mlx5_1/1 state ACTIVE physical_state LINK_UP netdev eth1 \n',
    'show_gids.txt':
      'DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\nmlx5_1\t1\t1\tfe80:0000:0000:0000:0200:5eff:fe00:5301\t\t\tv2\teth1\nmlx5_1\t1\t2\t0000:0000:0000:0000:0000:ffff:0a00:0101\t10.0.1.1  \tv1\teth1\nmlx5_1\t1\t3\t0000:0000:0000:0000:0000:ffff:0a00:0101\t10.0.1.1  \tv2\teth1\nn_gids_found=3\n',
    'cma_roce_tos.txt': '104\n',
    'sysfs.txt': `${enabled.join('')}/sys/class/net/eth1/ecn/roce_np/cnp_802p_prio:6
/sys/class/net/eth1/ecn/roce_np/cnp_dscp:48
/sys/class/infiniband/mlx5_1/tc/1/traffic_class:Global tclass=104
`,
    'nccl.env': 'NCCL_IB_HCA==mlx5_1\nNCCL_IB_GID_INDEX=3\nNCCL_IB_TC=104\nNCCL_IB_TIMEOUT=20\nNCCL_IB_RETRY_CNT=7\n',
    'lldpcli.txt': `${rule}LLDP neighbors:\n${rule}Interface:    eth1, via: LLDP, RID: 1, Time: 1 day, 03:14:15\n  Chassis:     \n    SysName:      ${leaf}\n  Port:        \n    PortID:       ifname ${leafPort}\n    TTL:          120\n${rule}`,
  }
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]))
}

/** @param rows "h1,eth1,leaf1,Ethernet0,5" */
export const edgesOf = (rows: readonly string[]): string =>
  `device_a,port_a,device_b,port_b,cable_m\n${rows.join('\n')}\n`

export const SONIC: Files = {
  'edges.csv': edgesOf([
    'h1,eth1,leaf1,Ethernet0,5',
    'h2,eth1,leaf1,Ethernet4,5',
    'h3,eth1,leaf2,Ethernet0,5',
    'h4,eth1,leaf2,Ethernet4,5',
    'leaf1,Ethernet64,spine,Ethernet0,40',
    'leaf2,Ethernet64,spine,Ethernet4,40',
  ]),
  ...host('h1', 'leaf1', 'Ethernet0'),
  ...host('h2', 'leaf1', 'Ethernet4'),
  ...host('h3', 'leaf2', 'Ethernet0'),
  ...host('h4', 'leaf2', 'Ethernet4'),
  'leaf1/config_db.json': sonic('leaf1', [
    ['Ethernet0', 'h1', 'eth1', 5],
    ['Ethernet4', 'h2', 'eth1', 5],
    ['Ethernet64', 'spine', 'Ethernet0', 40],
  ]),
  'leaf1/pg_profile_lookup.ini': TABLE,
  'leaf2/config_db.json': sonic('leaf2', [
    ['Ethernet0', 'h3', 'eth1', 5],
    ['Ethernet4', 'h4', 'eth1', 5],
    ['Ethernet64', 'spine', 'Ethernet4', 40],
  ]),
  'leaf2/pg_profile_lookup.ini': TABLE,
  'spine/config_db.json': sonic('spine', [
    ['Ethernet0', 'leaf1', 'Ethernet64', 40],
    ['Ethernet4', 'leaf2', 'Ethernet64', 40],
  ]),
  'spine/pg_profile_lookup.ini': TABLE,
}
