/** Mistakes in files, at hosts and at the ends of links, for each rule about them. */
import { SONIC } from './clean.test-data.ts'
import { LINK_FAULTS, tclass } from './links.test-data.ts'
import { MIXED } from './mixed.test-data.ts'
import type { Edit, Planted } from './planted.test-data.ts'

const SONIC_HOSTS = ['h1', 'h2', 'h3', 'h4'] as const

const QOS = 'h1/mlnx_qos.txt'
const ENABLED = 'enabled     0   0   0   1   0   0   0   0'
const PRIORITY_4 = 'enabled     0   0   0   0   1   0   0   0'
const LEAF = 'leaf1/config_db.json'
const MAPS_0 = '"Ethernet0": {"dscp_to_tc_map":"M"'

export const HOST_FAULTS: readonly Planted[] = [
  {
    rule: 'trn01',
    files: SONIC,
    edits: [['h1/ethtool-a.txt', 'TX:\t\toff\n', '']],
    at: ['warning h1'],
    silent: [['h1/ethtool-a.txt', '', '']],
  },
  {
    rule: 'src01',
    files: SONIC,
    edits: [['h1/ip.txt', '', '3: eth1: <BROADCAST,UP,LOWER_UP> mtu 8000 qdisc mq state UP mode DEFAULT qlen 1000\n']],
    at: ['warning h1 eth1'],
    silent: [['h1/ip.txt', 'mtu 8000', 'mtu 9000']],
  },
  {
    rule: 'lld01',
    files: SONIC,
    edits: [['h1/lldpcli.txt', 'leaf1', 'leaf2.example.net']],
    at: ['warning h1 eth1'],
    silent: [['h1/lldpcli.txt', 'leaf2.example.net', 'a-switch-without-files']],
  },
  {
    rule: 'map03',
    files: SONIC,
    edits: [[QOS, 'trust state: dscp', 'trust state: pcp']],
    at: ['error h1 eth1'],
    silent: [
      [LEAF, MAPS_0, '"Ethernet0": {"dot1p_to_tc_map":"D"'],
      [
        LEAF,
        '"DSCP_TO_TC_MAP"',
        '"DOT1P_TO_TC_MAP": {"D": {"3":"3"}}, "VLAN_MEMBER": {"Vlan2|Ethernet0": {"tagging_mode":"tagged"}}, "DSCP_TO_TC_MAP"',
      ],
    ],
  },
  {
    rule: 'map06',
    files: SONIC,
    edits: tclass('h1', 128),
    at: ['error h1 eth1'],
    silent: [[QOS, ENABLED, 'enabled     0   0   0   0   0   0   0   0']],
  },
  {
    rule: 'map06',
    files: SONIC,
    edits: [
      [QOS, '31,30,29,28,27,26,25,24', '31,30,29,28,27,25,24'],
      [QOS, '39,38,37,36,35,34,33,32', '39,38,37,36,35,34,33,32,26'],
    ],
    at: ['error h1 eth1'],
    silent: [[QOS, ENABLED, PRIORITY_4]],
  },
  {
    rule: 'hst05',
    files: SONIC,
    edits: [['h1/nccl.env', 'NCCL_IB_TC=104', 'NCCL_GIN_TYPE=3']],
    at: ['error h1 eth1'],
    silent: [['h1/nccl.env', 'NCCL_GIN_TYPE=3', 'NCCL_GIN_TYPE=3\nNCCL_GIN_IB_TC=104']],
  },
  {
    rule: 'hst05',
    files: SONIC,
    edits: [
      ['h1/nccl.env', 'NCCL_IB_TC=104', 'NCCL_IB_TC=0'],
      ['h1/cma_roce_tos.txt', '', ''],
    ],
    at: ['warning h1 eth1'],
    silent: [['h1/sysfs.txt', '/sys/class/infiniband/mlx5_1/tc/1/traffic_class:Global tclass=104\n', '']],
  },
  {
    rule: 'pfc06',
    files: SONIC,
    edits: [['h1/ethtool-a.txt', 'RX:\t\toff', 'RX:\t\ton']],
    at: ['error h1 eth1'],
    silent: [['h1/ethtool-a.txt', 'TX:\t\toff', 'TX:\t\toff\nRX negotiated: off\nTX negotiated: off']],
  },
  {
    rule: 'pfc06',
    files: MIXED,
    edits: [
      [
        'leaf-o/running-config.cfg',
        '1/1/1\n no switchport\n mtu 9216\n flowcontrol receive off',
        '1/1/1\n no switchport\n mtu 9216\n flowcontrol receive on',
      ],
    ],
    at: ['error leaf-o ethernet1/1/1'],
    silent: [['leaf-o/running-config.cfg', 'flowcontrol receive on', 'shutdown']],
  },
  {
    rule: 'hst03',
    files: MIXED,
    edits: [[QOS, 'OS controlled', 'Firmware controlled']],
    at: ['warning h1 eth1'],
    silent: [[QOS, 'DCBX mode: Firmware controlled\n', '']],
  },
  {
    rule: 'hst03',
    files: SONIC,
    edits: [[QOS, 'DCBX mode', 'Warning: lldpad service is running\nDCBX mode']],
    at: ['warning h1 eth1'],
    silent: [[QOS, 'Warning: lldpad service is running', '']],
  },
  {
    rule: 'hst02',
    files: SONIC,
    edits: [[QOS, 'buffer      0   0   0   1   0', 'buffer      0   0   0   1   1']],
    at: ['warning h1 eth1'],
    silent: [[QOS, 'Receive buffer size (bytes): 20016,156096,0,0,0,0,0,0,max_buffer_size=4063232\n', '']],
  },
  {
    rule: 'hst02',
    files: SONIC,
    edits: [[QOS, '20016,156096', '20016,60000']],
    at: ['warning h1 eth1'],
    silent: [['h1/ethtool.txt', '\tSpeed: 400000Mb/s\n', '']],
  },
  {
    rule: 'hst02',
    files: SONIC,
    edits: [
      [QOS, '20016,156096', '20016,896'],
      ['h1/ethtool.txt', '', ''],
      ['h1/ip-link.txt', '', ''],
    ],
    at: ['warning h1 eth1'],
    silent: [[QOS, '20016,896', '20016,30016']],
  },
  {
    rule: 'hst08',
    files: SONIC,
    edits: [['h1/nccl.env', 'GID_INDEX=3', 'GID_INDEX=2']],
    at: ['warning h1 eth1'],
    silent: [['h1/nccl.env', 'GID_INDEX=2', 'GID_INDEX=-1']],
  },
  {
    rule: 'hst08',
    files: SONIC,
    edits: [['h1/nccl.env', 'GID_INDEX=3', 'GID_INDEX=1']],
    at: ['warning h1 eth1'],
    silent: [['h1/show_gids.txt', '', '']],
  },
  {
    rule: 'hst08',
    files: SONIC,
    edits: [['h1/nccl.env', 'NCCL_IB_GID_INDEX=3', 'NVSHMEM_IB_GID_INDEX=2']],
    at: ['warning h1 eth1'],
    silent: [['h1/nccl.env', 'NVSHMEM_IB_GID_INDEX=2', 'NVSHMEM_IB_GID_INDEX=3']],
  },
  {
    rule: 'hst09',
    files: SONIC,
    edits: [['h1/nccl.env', '==mlx5_1', '==mlx5_7']],
    at: ['warning h1'],
    silent: [['h1/nccl.env', '==mlx5_7', '=^mlx5_7']],
  },
  {
    rule: 'hst09',
    files: SONIC,
    edits: [['h1/nccl.env', '==mlx5_1', '=mlx5_1:2']],
    at: ['warning h1'],
    silent: [['h1/nccl.env', 'mlx5_1:2', 'mlx5_1:1']],
  },
  {
    rule: 'hst09',
    files: SONIC,
    edits: [['h1/nccl.env', '==mlx5_1', '==mlx5_10,mlx5_11']],
    at: ['warning h1'],
    silent: [['h1/nccl.env', '==mlx5_10,mlx5_11', '=mlx5']],
  },
  {
    rule: 'hst09',
    files: SONIC,
    edits: [
      ['h1/nccl.env', '==mlx5_1', '==mlx5_1,mlx5_2'],
      ['h1/more.txt', '', 'link mlx5_2/1 state DOWN physical_state DISABLED netdev eth2\n'],
    ],
    at: ['warning h1'],
    silent: [['h1/more.txt', 'DOWN physical_state DISABLED', 'ACTIVE physical_state LINK_UP']],
  },
  {
    rule: 'hst09',
    files: SONIC,
    edits: [['h1/nccl.env', 'NCCL_IB_HCA==mlx5_1', 'UCX_NET_DEVICES=mlx5_1:1,mlx5_9:1']],
    at: ['warning h1'],
    silent: [['h1/nccl.env', 'mlx5_9:1', 'eth7']],
  },
  {
    rule: 'hst09',
    files: SONIC,
    edits: [['h1/nccl.env', 'NCCL_IB_HCA==mlx5_1', 'NVSHMEM_ENABLE_NIC_PE_MAPPING=1\nNVSHMEM_HCA_LIST=mlx5_9']],
    at: ['warning h1'],
    silent: [['h1/nccl.env', 'NVSHMEM_ENABLE_NIC_PE_MAPPING=1\n', '']],
  },
  {
    rule: 'hst11',
    files: SONIC,
    edits: (['h2', 'h3', 'h4'] as const).flatMap((host): Edit[] => [
      [`${host}/nccl.env`, '==mlx5_1', '=mlx5'],
      [`${host}/more.txt`, '', 'link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev eth2\n'],
    ]),
    at: ['warning h1'],
    silent: [
      ['h1/more.txt', '', 'link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev eth2\n'],
      ['h1/nccl.env', '==mlx5_1', '=mlx5'],
    ],
  },
  {
    rule: 'hst10',
    files: SONIC,
    edits: [['h1/nccl.env', 'TIMEOUT=20\nNCCL_IB_RETRY_CNT=7', 'TIMEOUT=14\nNCCL_IB_RETRY_CNT=1']],
    at: ['warning h1 eth1'],
    silent: [['leaf1/config_db.json', '"detection_time":"400","restoration_time":"400"', '"restoration_time":"20"']],
  },
  {
    rule: 'hst10',
    files: SONIC,
    edits: [['h1/nccl.env', 'TIMEOUT=20', 'TIMEOUT=22']],
    at: ['warning h1 eth1'],
    silent: [['h1/nccl.env', 'RETRY_CNT=7', 'RETRY_CNT=2']],
  },
  {
    rule: 'hst10',
    files: SONIC,
    edits: [['h1/nccl.env', 'NCCL_IB_RETRY_CNT=7\n', 'NCCL_IB_RETRY_CNT=7\nUCX_RC_TIMEOUT=50ms\n']],
    at: ['warning h1 eth1'],
    silent: [['h1/nccl.env', '50ms', '100ms']],
  },
  {
    rule: 'ecn06',
    files: SONIC,
    edits: [['h1/sysfs.txt', 'roce_rp/enable/3:1', 'roce_rp/enable/3:0']],
    at: ['warning h1 eth1'],
    silent: [['h1/sysfs.txt', '/sys/class/net/eth1/ecn/roce_rp/enable/0:1\n', '']],
  },
  {
    rule: 'ecn06',
    files: SONIC,
    edits: [['h1/sysfs.txt', 'roce_rp/enable/3:1', 'roce_rp/enable/3:0']],
    at: ['warning h1 eth1'],
    silent: [['h1/mlxconfig.txt', '', 'USER_PROGRAMMABLE_CC   True(1)\n']],
  },
  {
    rule: 'cnp02',
    files: SONIC,
    edits: [['h1/sysfs.txt', 'cnp_dscp:48', 'cnp_dscp:56']],
    at: ['note h1 eth1'],
    silent: SONIC_HOSTS.slice(1).map((name): Edit => [`${name}/sysfs.txt`, 'cnp_dscp:48', 'cnp_dscp:56']),
  },
  {
    rule: 'wd06',
    files: SONIC,
    edits: [['h1/tunable.txt', '100', '0']],
    at: ['note h1 eth1'],
    silent: [['h1/tunable.txt', 'tout: 0', 'tout: auto']],
  },
  {
    rule: 'wd06',
    files: SONIC,
    edits: [['h1/tunable.txt', '100', '8000']],
    at: ['note h1 eth1'],
    silent: [['h1/tunable.txt', '', '']],
  },
  ...LINK_FAULTS,
]
