/** Mistakes in files, at the ends of links, for each rule about them. */
import { SONIC } from './clean.test-data.ts'
import { MIXED } from './mixed.test-data.ts'
import type { Edit, Planted } from './planted.test-data.ts'

const SONIC_HOSTS = ['h1', 'h2', 'h3', 'h4'] as const
const QOS = 'h1/mlnx_qos.txt'
const ENABLED = 'enabled     0   0   0   1   0   0   0   0'
const PRIORITY_4 = 'enabled     0   0   0   0   1   0   0   0'
const LEAF = 'leaf1/config_db.json'
const PORT_0 = '"Ethernet0": {"lanes":"0",'
const MAPS_0 = '"Ethernet0": {"dscp_to_tc_map":"M"'
const EOS_PORT = 'interface Ethernet1/1\n   mtu 9214\n   no switchport\n   qos trust dscp'

/** Another traffic class by all sources of a host. */
export const tclass = (host: string, value: number): Edit[] => [
  [`${host}/sysfs.txt`, 'tclass=104', `tclass=${value}`],
  [`${host}/cma_roce_tos.txt`, '104', `${value}`],
  [`${host}/nccl.env`, 'NCCL_IB_TC=104', `NCCL_IB_TC=${value}`],
]

export const LINK_FAULTS: readonly Planted[] = [
  {
    rule: 'pfc01',
    files: SONIC,
    edits: [
      [QOS, ENABLED, PRIORITY_4],
      [QOS, 'buffer      0   0   0   1   0', 'buffer      0   0   0   0   1'],
    ],
    at: ['error h1 eth1'],
    silent: [
      ['h1/ip-link.txt', 'LOWER_UP> mtu 9000 qdisc mq state UP', 'UP> mtu 9000 qdisc mq state DOWN'],
      ['h1/ethtool.txt', '', ''],
    ],
  },
  {
    rule: 'pfc01',
    files: SONIC,
    edits: [
      [
        LEAF,
        `${MAPS_0},"tc_to_pg_map":"M","tc_to_queue_map":"M","pfc_to_queue_map":"M","pfc_enable":"3"`,
        `${MAPS_0},"tc_to_pg_map":"M","tc_to_queue_map":"M","pfc_to_queue_map":"M","pfc_enable":""`,
      ],
    ],
    at: ['error leaf1 Ethernet0'],
    silent: [
      [
        LEAF,
        `${PORT_0}"speed":"400000","mtu":"9100","admin_status":"up"`,
        `${PORT_0}"speed":"400000","mtu":"9100","admin_status":"down"`,
      ],
    ],
  },
  {
    rule: 'pfc08',
    files: MIXED,
    edits: [['leaf-e/running-config.cfg', '   priority-flow-control priority 3 no-drop\n', '']],
    at: ['error leaf-e Ethernet1/1', 'error leaf-e Ethernet31/1'],
    silent: [['leaf-e/running-config.cfg', '   priority-flow-control on\n', '']],
  },
  {
    rule: 'pfc08',
    files: MIXED,
    edits: [
      [
        'leaf-n/running-config.cfg',
        '1/1\n  no switchport\n  mtu 9216\n  priority-flow-control mode on',
        '1/1\n  no switchport\n  mtu 9216',
      ],
    ],
    at: ['warning leaf-n Ethernet1/1'],
    silent: [
      [
        'leaf-n/running-config.cfg',
        '1/1\n  no switchport\n  mtu 9216',
        '1/1\n  no switchport\n  mtu 9216\n  priority-flow-control mode off',
      ],
      [QOS, ENABLED, 'enabled     0   0   0   0   0   0   0   0'],
    ],
  },
  {
    rule: 'pfc07',
    files: SONIC,
    edits: [
      [
        'spine/config_db.json',
        `${PORT_0}"speed":"400000","mtu":"9100","admin_status":"up","fec":"rs","pfc_asym":"off"`,
        `${PORT_0}"speed":"400000","mtu":"9100","admin_status":"up","fec":"rs","pfc_asym":"on"`,
      ],
    ],
    at: ['warning spine Ethernet0'],
    silent: [[LEAF, '"pfc_asym":"off"', '"pfc_asym":"on"']],
  },
  {
    rule: 'map02',
    files: SONIC,
    edits: tclass('h1', 108),
    at: ['error h1 eth1'],
    silent: [[LEAF, '"27":"1"', '"27":"3"']],
  },
  {
    rule: 'vln01',
    files: MIXED,
    edits: [['leaf-e/running-config.cfg', EOS_PORT, EOS_PORT.replace('trust dscp', 'trust cos')]],
    at: ['error leaf-e Ethernet1/1'],
    silent: [
      [
        'leaf-e/running-config.cfg',
        'mtu 9214\n   no switchport\n   qos trust cos',
        'mtu 9214\n   switchport mode trunk\n   qos trust cos',
      ],
    ],
  },
  {
    rule: 'vln02',
    files: MIXED,
    edits: [['leaf-j/running.conf', '    et-0/0/63 {\n', '    et-0/0/63 {\n        vlan-tagging;\n']],
    at: ['error leaf-j et-0/0/63', 'error spine Ethernet4/1'],
    silent: [['leaf-j/running.conf', '        vlan-tagging;\n', '        flexible-vlan-tagging;\n']],
  },
  {
    rule: 'mtu01',
    files: SONIC,
    edits: [[LEAF, `${PORT_0}"speed":"400000","mtu":"9100"`, `${PORT_0}"speed":"400000","mtu":"4096"`]],
    at: ['error leaf1 Ethernet0'],
    silent: SONIC_HOSTS.map((name): Edit => [
      `${name}/ibv_devinfo.txt`,
      'active_mtu:\t\t4096 (5)',
      'active_mtu:\t\t2048 (4)',
    ]),
  },
  {
    rule: 'mtu01',
    files: SONIC,
    edits: [
      [LEAF, `${PORT_0}"speed":"400000","mtu":"9100"`, `${PORT_0}"speed":"400000","mtu":"1500"`],
      ['h1/ibv_devinfo.txt', '', ''],
      ['h1/ip-link.txt', '', ''],
    ],
    at: ['warning leaf1 Ethernet0'],
    silent: [
      ['h1/later.txt', '', '3: eth1: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT qlen 1000\n'],
    ],
  },
  {
    rule: 'mtu03',
    files: MIXED,
    edits: [['leaf-n/running-config.cfg', 'nq3\n    mtu 9216', 'nq3\n    mtu 2240']],
    at: ['warning leaf-n Ethernet1/1', 'warning leaf-n Ethernet1/33'],
    silent: [['leaf-n/running-config.cfg', 'nq3\n    mtu 2240', 'nq3\n    mtu 4200']],
  },
  {
    rule: 'mtu02',
    files: SONIC,
    edits: [['h1/ibv_devinfo.txt', 'active_mtu:\t\t4096 (5)', 'active_mtu:\t\t1024 (3)']],
    at: ['warning h1 eth1'],
    silent: [['h1/ibv_devinfo.txt', 'PORT_ACTIVE (4)', 'PORT_DOWN (1)']],
  },
  {
    rule: 'buf03',
    files: SONIC,
    edits: [[QOS, 'Cable len: 5', 'Cable len: 3']],
    at: ['warning h1 eth1'],
    silent: [['edges.csv', 'leaf1,Ethernet0,5', 'leaf1,Ethernet0,3.5']],
  },
  {
    rule: 'spd01',
    files: SONIC,
    edits: [['h1/ethtool.txt', '400000Mb/s', '200000Mb/s']],
    at: ['warning h1 eth1'],
    silent: [['h1/ethtool.txt', '', '']],
  },
  {
    rule: 'spd01',
    files: SONIC,
    edits: [
      ['h1/fec.txt', 'encoding: RS', 'encoding: Off'],
      ['h1/ethtool.txt', '', ''],
    ],
    at: ['warning h1 eth1'],
    silent: [['h1/ethtool.txt', '', 'Settings for eth1:\n\tSpeed: 400000Mb/s\n\tLink detected: yes\n']],
  },
]
