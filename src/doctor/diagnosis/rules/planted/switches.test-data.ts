/** Mistakes at switches, on paths and within a role, for each rule about them. */
import { SONIC } from './clean.test-data.ts'
import { MIXED } from './mixed.test-data.ts'
import type { Edit, Planted } from './planted.test-data.ts'

export const LEAF = 'leaf1/config_db.json'
export const LEAF_2 = 'leaf2/config_db.json'
const SPINE = 'spine/config_db.json'
export const SWITCHES = [LEAF, LEAF_2, SPINE] as const
const HOSTS = ['h1', 'h2', 'h3', 'h4'] as const
const MIXED_HOSTS = ['h1', 'h2', 'h3', 'h4', 'h5'] as const
/** A NIC that takes packets in their order only. */
const IN_ORDER =
  'Field Name | Data\n==========\nroce_adp_retrans_en | 0x00000001\nadaptive_routing_forced_en | 0x00000000\n==========\n'
const NXOS = 'leaf-n/running-config.cfg'
export const JUNOS = 'leaf-j/running.conf'

/** At all ports of a leaf, and at those of hosts. */
export const all = (severity: string): string[] =>
  ['Ethernet0', 'Ethernet4', 'Ethernet64'].map((port) => `${severity} leaf1 ${port}`)

const MAPS = '{"dscp_to_tc_map":"M","tc_to_pg_map":"M","tc_to_queue_map":"M","pfc_to_queue_map":"M"'
export const NO_PFC: Edit = [LEAF, `"Ethernet0": ${MAPS},"pfc_enable":"3"`, `"Ethernet0": ${MAPS},"pfc_enable":""`]
export const QUEUE_0 = '"Ethernet0|3": {"scheduler":"W3","wred_profile":"ECN"}'
export const ECX =
  '"ECX": {"ecn":"ecn_all","green_min_threshold":"900000","green_max_threshold":"2000000","green_drop_probability":"5"}'
const WATCHED_0 = '"Ethernet0": {"action":"drop","detection_time":"400","restoration_time":"400"}'
/** All its priorities at a port of a switch and its host. */
const THREE_CLASSES: readonly Edit[] = [
  [
    LEAF,
    `"Ethernet0": ${MAPS},"pfc_enable":"3","pfcwd_sw_enable":"3"`,
    `"Ethernet0": ${MAPS},"pfc_enable":"3-5","pfcwd_sw_enable":"3-5"`,
  ],
  [LEAF, '"3":"3","4":"0","5":"0"', '"3":"3","4":"4","5":"5"'],
  [LEAF, '"Ethernet0|3"', '"Ethernet0|3-5"'],
  ['h1/mlnx_qos.txt', 'enabled     0   0   0   1   0   0', 'enabled     0   0   0   1   1   1'],
  ['h1/mlnx_qos.txt', 'buffer      0   0   0   1   0   0', 'buffer      0   0   0   1   1   1'],
]

/** Neither LLDP nor the table of the leaf tells of its hosts. */
const UNLINKED: readonly Edit[] = [
  ['h1/lldpcli.txt', '', ''],
  ['h2/lldpcli.txt', '', ''],
  [LEAF, '"name":"h1"', '"name":"x1"'],
  [LEAF, '"name":"h2"', '"name":"x2"'],
]

const watched = (values: string): string => `"Ethernet0": {${values}}`
/** Ports of a leaf whose times or actions are not all the same. */
const WATCHDOGS_OF_PORTS: readonly Planted[] = [
  {
    rule: 'wd02',
    files: SONIC,
    edits: [[LEAF, WATCHED_0, watched('"action":"drop","detection_time":"190","restoration_time":"400"')]],
    at: ['error leaf1 Ethernet0'],
    silent: [[LEAF, '"detection_time":"190"', '"detection_time":"200"']],
    under: 'wd0',
  },
  {
    rule: 'wd03',
    files: SONIC,
    edits: [[LEAF, WATCHED_0, watched('"action":"forward","detection_time":"400","restoration_time":"400"')]],
    at: ['warning leaf1 Ethernet0'],
    silent: [...UNLINKED, ['edges.csv', 'h1,eth1,leaf1,Ethernet0,5\n', '']],
  },
  {
    rule: 'wd04',
    files: SONIC,
    edits: [[LEAF, WATCHED_0, watched('"action":"drop","detection_time":"400"')]],
    at: ['warning leaf1 Ethernet0'],
    silent: [[LEAF, watched('"action":"drop","detection_time":"400"'), WATCHED_0]],
  },
  {
    rule: 'wd05',
    files: SONIC,
    edits: [[LEAF, WATCHED_0, watched('"action":"drop","detection_time":"400","restoration_time":"800"')]],
    at: ['warning leaf1 Ethernet0'],
    silent: [
      [
        LEAF,
        WATCHED_0.replace('Ethernet0', 'Ethernet4'),
        WATCHED_0.replace('Ethernet0', 'Ethernet4').replace('restoration_time":"400', 'restoration_time":"800'),
      ],
    ],
  },
]

export const SWITCH_FAULTS: readonly Planted[] = [
  {
    rule: 'lnk01',
    files: SONIC,
    edits: [['edges.csv', 'leaf1,Ethernet0,', 'leaf1,Ethernet2,']],
    at: ['error leaf1 Ethernet2'],
    silent: [['leaf1/config_db.json', '', '']],
  },
  {
    rule: 'ref01',
    files: SONIC,
    edits: [[LEAF, QUEUE_0, QUEUE_0.replace('"ECN"', '"ECX"')]],
    at: ['error leaf1 Ethernet0'],
    silent: [[LEAF, '"WRED_PROFILE": {', `"WRED_PROFILE": { ${ECX},`]],
  },
  {
    rule: 'ref01',
    files: MIXED,
    edits: [
      [
        'leaf-o/running-config.cfg',
        '1/1/1\n no switchport\n mtu 9216\n flowcontrol receive off\n flowcontrol transmit off\n priority-flow-control mode on\n service-policy input type network-qos PM-PFC',
        '1/1/1\n no switchport\n mtu 9216\n flowcontrol receive off\n flowcontrol transmit off\n priority-flow-control mode on\n service-policy input type network-qos PM-RDMA',
      ],
    ],
    at: ['error leaf-o ethernet1/1/1'],
    silent: [
      [
        'leaf-o/running-config.cfg',
        'policy-map type network-qos PM-PFC',
        'policy-map type network-qos PM-RDMA\n !\n class CM-Q3\n  pause\n  pfc-cos 3\n!\npolicy-map type network-qos PM-PFC',
      ],
    ],
  },
  {
    rule: 'pfc02',
    files: SONIC,
    edits: [
      [
        LEAF,
        '"Ethernet0|0": {"profile":"ingress_lossy_profile"}',
        '"Ethernet0|0": {"profile":"pg_lossless_400000_5m_profile"}',
      ],
    ],
    at: ['error leaf1 Ethernet0'],
    silent: [NO_PFC],
  },
  {
    rule: 'pfc03',
    files: SONIC,
    edits: [
      [
        LEAF,
        '"MAP_PFC_PRIORITY_TO_QUEUE": {\n  "M": {"0":"0","1":"1","2":"2","3":"3"',
        '"MAP_PFC_PRIORITY_TO_QUEUE": {\n  "M": {"0":"0","1":"1","2":"2","3":"4"',
      ],
    ],
    at: all('error'),
    silent: [
      [
        LEAF,
        '"TC_TO_QUEUE_MAP": {\n  "M": {"0":"0","1":"1","2":"2","3":"3"',
        '"TC_TO_QUEUE_MAP": {\n  "M": {"0":"0","1":"1","2":"2","3":"4"',
      ],
    ],
  },
  {
    rule: 'pfc03',
    files: MIXED,
    edits: [[JUNOS, 'flow-control-queue 4', 'flow-control-queue 3']],
    at: ['error leaf-j et-0/0/10', 'error leaf-j et-0/0/63'],
    silent: [[JUNOS, 'NO-LOSS queue-num 4', 'NO-LOSS queue-num 3']],
  },
  {
    rule: 'pfc04',
    files: SONIC,
    edits: THREE_CLASSES,
    at: ['warning leaf1 Ethernet0'],
    silent: [[LEAF, '"3-5","pfcwd', '"3-4","pfcwd']],
  },
  {
    rule: 'pfc05',
    files: SONIC,
    edits: [
      [
        LEAF,
        '"TC_TO_QUEUE_MAP": {\n  "M": {"0":"0","1":"1","2":"2"',
        '"TC_TO_QUEUE_MAP": {\n  "M": {"0":"0","1":"1","2":"3"',
      ],
      [LEAF, '"10":"1"', '"10":"2"'],
    ],
    at: all('error'),
    silent: [[LEAF, '"10":"2"', '"10":"1"']],
  },
  {
    rule: 'pfc05',
    files: SONIC,
    edits: [
      [LEAF, '"M": {"0":"0","1":"0","2":"0","3":"3"', '"M": {"0":"0","1":"0","2":"3","3":"3"'],
      [LEAF, '"10":"1"', '"10":"2"'],
    ],
    at: all('error'),
    silent: [[LEAF, '"10":"2"', '"10":"1"']],
  },
  {
    rule: 'map04',
    files: MIXED,
    edits: [
      [
        NXOS,
        '1/1\n  no switchport\n  mtu 9216\n  priority-flow-control mode on\n  priority-flow-control watch-dog-interval on\n  service-policy type qos input P-IN',
        '1/1\n  no switchport\n  mtu 9216\n  priority-flow-control mode on\n  priority-flow-control watch-dog-interval on',
      ],
    ],
    at: ['error leaf-n Ethernet1/1'],
    silent: [[NXOS, 'system qos\n', 'system qos\n  service-policy type qos input P-IN\n']],
  },
  {
    rule: 'map04',
    files: SONIC,
    edits: [[LEAF, '"26":"3"', '"26":"1"']],
    at: all('error'),
    silent: [[LEAF, '"27":"1"', '"27":"3"']],
  },
  {
    rule: 'map05',
    files: SONIC,
    edits: [[LEAF, '"46":"1"', '"46":"3"']],
    at: all('warning'),
    silent: [[LEAF, '"46":"3",', '']],
  },
  {
    rule: 'cnp01',
    files: SONIC,
    edits: [[LEAF, '"S6": {"type":"STRICT"}', '"S6": {"type":"DWRR","weight":"10"}']],
    at: all('warning'),
    silent: HOSTS.map((name): Edit => [`${name}/sysfs.txt`, 'cnp_dscp:48', 'cnp_dscp:10']),
  },
  {
    rule: 'wd01',
    files: SONIC,
    edits: [[LEAF, `${WATCHED_0},\n`, '']],
    at: ['error leaf1 Ethernet0'],
    silent: [NO_PFC],
  },
  {
    rule: 'wd01',
    files: SONIC,
    edits: [[SPINE, '"pfcwd_sw_enable":"3"', '"pfcwd_sw_enable":""']],
    at: ['warning spine Ethernet0', 'warning spine Ethernet4'],
    silent: [[SPINE, '"pfcwd_sw_enable":""', '"pfcwd_sw_enable":"three"']],
  },
  {
    rule: 'wd01',
    files: MIXED,
    edits: [['leaf-e/running-config.cfg', '      bandwidth guaranteed percent 10\n', '']],
    at: ['error leaf-e Ethernet1/1', 'warning leaf-e Ethernet31/1'],
    silent: [['leaf-e/running-config.cfg', 'priority-flow-control on', 'no priority-flow-control']],
  },
  {
    rule: 'wd02',
    files: SONIC,
    edits: [[LEAF, '"POLL_INTERVAL":"200"', '"POLL_INTERVAL":"500"']],
    at: ['error leaf1'],
    silent: [[LEAF, '"POLL_INTERVAL":"500"', '"POLL_INTERVAL":"400"']],
  },
  {
    rule: 'wd03',
    files: SONIC,
    edits: [[LEAF, '"action":"drop"', '"action":"forward"']],
    at: ['warning leaf1'],
    silent: [[LEAF, '"action":"forward",', '']],
  },
  {
    rule: 'wd04',
    files: SONIC,
    edits: [[LEAF, ',"restoration_time":"400"', '']],
    at: ['warning leaf1'],
    silent: [[LEAF, '"hostname":"leaf1",', '']],
  },
  {
    rule: 'fld01',
    files: SONIC,
    edits: [
      [LEAF, 'generic-64x400', 'Mellanox-SN5600'],
      [LEAF, '"CABLE_LENGTH"', '"VLAN_MEMBER": {"Vlan2|Ethernet0": {"tagging_mode":"untagged"}},\n "CABLE_LENGTH"'],
    ],
    at: ['error leaf1'],
    silent: [[LEAF, 'Mellanox-SN5600', 'generic-64x400']],
  },
  {
    rule: 'fld03',
    files: MIXED,
    edits: [[JUNOS, 'global-mac-table-aging-time 600', 'global-mac-table-aging-time 200']],
    at: ['warning leaf-j'],
    silent: [[JUNOS, 'aging-timer 5', 'aging-timer 2']],
  },
  {
    rule: 'sch01',
    files: SONIC,
    edits: [[LEAF, '"W3": {"type":"DWRR","weight":"60"}', '"W3": {"type":"STRICT"}']],
    at: all('warning'),
    silent: [[LEAF, '"scheduler":"W3",', '']],
  },
  {
    rule: 'map01',
    files: SONIC,
    edits: [[SPINE, '"26":"3","27":"1"', '"26":"1","27":"3"']],
    at: ['error spine Ethernet0', 'error spine Ethernet4'],
    silent: HOSTS.flatMap((name): Edit[] => [
      [`${name}/sysfs.txt`, 'tclass=104', 'tclass=112'],
      [`${name}/cma_roce_tos.txt`, '104', '112'],
      [`${name}/nccl.env`, 'TC=104', 'TC=112'],
    ]),
  },
  {
    rule: 'adr01',
    files: MIXED,
    edits: [[JUNOS, 'assigned-flow;', 'per-packet;']],
    at: ['warning leaf-j'],
    silent: [[JUNOS, 'per-packet;', '']],
  },
  {
    rule: 'adr01',
    files: MIXED,
    edits: [
      [JUNOS, 'assigned-flow;', 'per-packet;'],
      ...MIXED_HOSTS.map((name): Edit => [`${name}/mlxreg.txt`, '', IN_ORDER]),
    ],
    at: ['error leaf-j'],
    silent: MIXED_HOSTS.map((name): Edit => [`${name}/mlxreg.txt`, 'forced_en | 0x00000000', 'forced_en | 0x00000001']),
  },
  {
    rule: 'wd05',
    files: SONIC,
    edits: [[LEAF, '"detection_time":"400"', '"detection_time":"600"']],
    at: ['warning leaf1'],
    silent: [...UNLINKED, ['edges.csv', 'h1,eth1,leaf1,Ethernet0,5\nh2,eth1,leaf1,Ethernet4,5\n', '']],
  },
  ...WATCHDOGS_OF_PORTS,
  {
    rule: 'los00',
    files: SONIC,
    edits: [
      ...SWITCHES.map((file): Edit => [file, '"pfc_enable":"3"', '"pfc_enable":""']),
      ...HOSTS.map((name): Edit => [`${name}/mlnx_qos.txt`, 'enabled     0   0   0   1', 'enabled     0   0   0   0']),
      ['h1/mlnx_qos.txt', '', ''],
    ],
    at: ['note'],
    silent: [['h2/mlnx_qos.txt', 'enabled     0   0   0   0', 'enabled     0   0   0   1']],
  },
]
