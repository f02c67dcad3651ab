/** Mistakes in buffers and marking, for each rule about them. */
import { SONIC } from './clean.test-data.ts'
import { MIXED } from './mixed.test-data.ts'
import type { Edit, Planted } from './planted.test-data.ts'
import { all, ECX, JUNOS, LEAF, LEAF_2, NO_PFC, QUEUE_0, SWITCHES } from './switches.test-data.ts'

const NVUE = 'leaf-c/nvue.yaml'
const toHosts = (severity: string): string[] => all(severity).slice(0, 2)
const PG_0 = '"Ethernet0|3": {"profile":"pg_lossless_400000_5m_profile"}'
const OTHER_PLATFORM: Edit = [LEAF, 'generic-64x400', 'generic-32x800']

export const BUFFER_FAULTS: readonly Planted[] = [
  {
    rule: 'buf01',
    files: SONIC,
    edits: [[LEAF, '"xoff":"240000"', '"xoff":"90000"']],
    at: toHosts('error'),
    silent: [[LEAF, '"xoff":"90000"', '"xoff":"105000"']],
  },
  {
    rule: 'buf01',
    files: SONIC,
    edits: [[LEAF, '"xoff":"240000"', '"xoff":"900000"']],
    at: toHosts('warning'),
    silent: [[LEAF, '"xoff":"900000"', '"xoff":"700000"']],
  },
  {
    rule: 'buf11',
    files: SONIC,
    edits: [[LEAF, `${PG_0},\n`, '']],
    at: ['error leaf1 Ethernet0'],
    silent: [[LEAF, '"BUFFER_PG": {', '"BUFFER_PG": { "Ethernet0|3": {"profile":"NULL"},']],
  },
  {
    rule: 'buf02',
    files: SONIC,
    edits: [[LEAF, '"Ethernet0":"5m"', '"Ethernet0":"4m"']],
    at: ['error leaf1 Ethernet0'],
    silent: [[LEAF, '"traditional"', '"dynamic"']],
  },
  {
    rule: 'buf02',
    files: SONIC,
    edits: [['leaf1/pg_profile_lookup.ini', '400000 5m', '400000 6m']],
    at: toHosts('error'),
    silent: [['leaf1/pg_profile_lookup.ini', '', '']],
  },
  {
    rule: 'buf05',
    files: SONIC,
    edits: [LEAF, LEAF_2].flatMap((file): Edit[] => [
      [file, '"dynamic_th":"-3"', '"dynamic_th":"-5"'],
      [file, '"green_max_threshold":"2000000"', '"green_max_threshold":"1500000"'],
    ]),
    at: [...all('warning'), ...all('warning').map((spot) => spot.replace('leaf1', 'leaf2'))],
    silent: [LEAF, LEAF_2].map((file): Edit => [file, '"dynamic_th":"-5"', '"static_th":"2000000"']),
  },
  {
    rule: 'buf06',
    files: SONIC,
    edits: [[LEAF, '"xoff":"16000000"', '"xoff":"310000"']],
    at: ['warning leaf1'],
    silent: [[LEAF, '"over_subscribe_ratio":"2"', '"over_subscribe_ratio":"3"']],
  },
  {
    rule: 'buf06',
    files: SONIC,
    edits: [
      [LEAF, '"size":"60000000","xoff":"16000000"', '"size":"700000"'],
      ...SWITCHES.map((file): Edit => [
        file,
        '"green_min_threshold":"1000000","green_max_threshold":"2000000"',
        '"green_min_threshold":"10000","green_max_threshold":"20000"',
      ]),
    ],
    at: ['warning leaf1'],
    silent: [[LEAF, '"size":"700000"', '"size":"800000"']],
  },
  {
    rule: 'buf07',
    files: SONIC,
    edits: [[LEAF, '"static_th":"76000000"', '"static_th":"1000000"']],
    at: all('error'),
    silent: [[LEAF, '"mode":"static","size":"76000000"', '"mode":"static","size":"1000000"']],
  },
  {
    rule: 'buf08',
    files: SONIC,
    edits: [[LEAF, '"xon_offset":"3584"', '"xon_offset":"0"']],
    at: all('error'),
    silent: [[LEAF, '"xon":"0"', '"xon":"18432"']],
  },
  {
    rule: 'buf08',
    files: MIXED,
    edits: [
      [
        NVUE,
        '    interface:\n',
        `      pfc:\n        P:\n          switch-priority:\n            '3': {}\n          xoff-threshold: 60000\n          xon-threshold: 0\n    interface:\n`,
      ],
      [
        NVUE,
        '        qos:\n          pfc-watchdog',
        '        qos:\n          pfc:\n            profile: P\n          pfc-watchdog',
      ],
    ],
    at: ['error leaf-c swp1', 'error leaf-c swp31'],
    silent: [[NVUE, 'xon-threshold: 0', 'xon-threshold: 2000']],
  },
  {
    rule: 'buf10',
    files: SONIC,
    edits: [
      [LEAF, 'generic-64x400', 'ACS-MSN4700'],
      [LEAF, ',"xoff":"16000000"', ''],
      [LEAF, '"xon":"0","xon_offset":"3584"', '"xon":"19456","xon_offset":"0"'],
    ],
    at: all('warning'),
    silent: [[LEAF, 'ACS-MSN4700', 'generic-64x400']],
  },
  {
    rule: 'buf12',
    files: MIXED,
    edits: [
      [JUNOS, '                cable-length 40;\n', ''],
      ['edges.csv', 'Ethernet4/1,40', 'Ethernet4/1,150'],
    ],
    at: ['note leaf-j et-0/0/63'],
    silent: [['edges.csv', 'Ethernet4/1,150', 'Ethernet4/1,90']],
  },
  {
    rule: 'ecn01',
    files: SONIC,
    edits: [
      [
        LEAF,
        '"green_min_threshold":"1000000","green_max_threshold":"2000000"',
        '"green_min_threshold":"7000000","green_max_threshold":"9000000"',
      ],
    ],
    at: all('error'),
    silent: [[LEAF, '"dynamic_th":"-3"', '"dynamic_th":"0"']],
  },
  {
    rule: 'ecn02',
    files: SONIC,
    edits: [[LEAF, '"green_max_threshold":"2000000"', '"green_max_threshold":"9000000"']],
    at: all('warning'),
    silent: [[LEAF, '"dynamic_th":"-3"', '"dynamic_th":"0"']],
  },
  {
    rule: 'ecn03',
    files: SONIC,
    edits: [[LEAF, QUEUE_0, '"Ethernet0|3": {"scheduler":"W3"}']],
    at: ['error leaf1 Ethernet0'],
    silent: [NO_PFC],
  },
  {
    rule: 'ecn03',
    files: SONIC,
    edits: [[LEAF, QUEUE_0, '"Ethernet0|3": {"scheduler":"W3"}']],
    at: ['error leaf1 Ethernet0'],
    silent: [['h4/mlxconfig.txt', '', 'USER_PROGRAMMABLE_CC   True(1)\n']],
  },
  {
    rule: 'ecn03',
    files: MIXED,
    edits: [[JUNOS, '            explicit-congestion-notification;\n', '']],
    at: ['error leaf-j et-0/0/10', 'error leaf-j et-0/0/63'],
    silent: [[JUNOS, '            congestion-notification-profile PFC3;\n', '']],
  },
  {
    rule: 'ecn07',
    files: SONIC,
    edits: [[LEAF, QUEUE_0, '"Ethernet0|3": {"scheduler":"W3"}']],
    at: ['error leaf1 Ethernet0'],
    silent: SWITCHES.map((file): Edit => [file, '"ecn":"ecn_all"', '"ecn":"ecn_none"']),
    under: 'ecn03',
  },
  {
    rule: 'buf04',
    files: SONIC,
    edits: [
      [LEAF, PG_0, '"Ethernet0|3": {"profile":"own"}'],
      [
        LEAF,
        '"BUFFER_PROFILE": {',
        '"BUFFER_PROFILE": { "own": {"pool":"ingress_lossless_pool","size":"1792","xon":"0","xon_offset":"3584","xoff":"240000","dynamic_th":"0"},',
      ],
    ],
    at: ['error leaf1 Ethernet0'],
    silent: [OTHER_PLATFORM],
  },
  {
    rule: 'ecn04',
    files: SONIC,
    edits: [
      [LEAF, QUEUE_0, QUEUE_0.replace('"ECN"', '"ECX"')],
      [LEAF, '"WRED_PROFILE": {', `"WRED_PROFILE": { ${ECX},`],
    ],
    at: ['warning leaf1 Ethernet0'],
    silent: [OTHER_PLATFORM],
  },
]
