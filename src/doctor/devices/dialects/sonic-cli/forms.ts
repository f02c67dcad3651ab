/**
 * Forms of sonic-cli: commands of Enterprise SONiC (Broadcom, Dell, Edgecore) that decide about QoS.
 * Sources: sonic-mgmt-framework, industry_standard_cli; ROCm documentation, "Dell Z9664f-O64"; Ansible collection
 * dellemc.enterprise_sonic (sonic_qos_*, sonic_roce).
 */
import type { Form } from '../cli/entries.ts'
import { PORT_FORMS } from '../cli/interfaces.ts'

/** Maps by the word that names them, and what stands in them. */
export const MAPS = {
  'dscp-tc': /^dscp (\S+) traffic-class ([0-7])$/,
  'dot1p-tc': /^dot1p (\S+) traffic-class ([0-7])$/,
  'tc-queue': /^traffic-class (\S+) queue (\d{1,2})$/,
  'tc-pg': /^traffic-class (\S+) (?:priority-group|pg) ([0-7])$/,
  'pfc-priority-queue': /^pfc-priority (\S+) queue (\d{1,2})$/,
  'pfc-priority-pg': /^pfc-priority (\S+) (?:priority-group|pg) ([0-7])$/,
  'tc-dscp': /^traffic-class (\S+) dscp (\d{1,2})$/,
  'tc-dot1p': /^traffic-class (\S+) dot1p ([0-7])$/,
} as const
export type MapKind = keyof typeof MAPS
export const MAP_KINDS = Object.keys(MAPS) as readonly MapKind[]

export const FORMS: readonly Form[] = [
  { kind: 'hostname', is: /^hostname (\S+)$/ },
  ...MAP_KINDS.map((kind): Form => ({
    kind,
    is: new RegExp(`^qos map ${kind} (\\S+)$`),
    inside: [{ kind: 'row', is: MAPS[kind] }],
  })),
  {
    kind: 'wred',
    is: /^qos wred-policy (\S+)$/,
    inside: [
      {
        kind: 'green',
        is: /^green minimum-threshold (\d+) maximum-threshold (\d+)(?: drop-probability (\d+))?$/,
      },
      { kind: 'colour', is: /^(?:yellow|red) / },
      { kind: 'ecn', is: /^(no )?ecn(?: (green|all|none))?$/ },
    ],
  },
  {
    kind: 'scheduler',
    is: /^qos scheduler-policy (\S+)$/,
    inside: [
      {
        kind: 'queue',
        is: /^queue (\d{1,2})$/,
        inside: [
          { kind: 'type', is: /^type (\S+)$/ },
          { kind: 'weight', is: /^weight (\d+)$/ },
          { kind: 'rate', is: /^(?:cir|pir|cbs|pbs|meter-type) / },
        ],
      },
      { kind: 'port', is: /^port$/ },
    ],
  },
  { kind: 'poll', is: /^priority-flow-control watchdog polling-interval (\d+)$/ },
  { kind: 'counter poll', is: /^(?:no )?priority-flow-control watchdog counter-poll$/ },
  { kind: 'roce', is: /^(?:no )?roce \S/ },
  { kind: 'buffer', is: /^(?:no )?(?:qos )?buffer / },
  {
    kind: 'interface',
    is: /^interface (.+)$/,
    inside: [
      { kind: 'access', is: /^switchport access Vlan /i },
      { kind: 'vlan mode', is: /^switchport (trunk) allowed Vlan /i },
      ...PORT_FORMS,
      { kind: 'fec', is: /^fec (\S+)$/ },
      { kind: 'cable', is: /^cable-length (\d+)m$/ },
      { kind: 'wred', is: /^queue (\d{1,2}) wred-policy (\S+)$/, key: 0 },
      { kind: 'scheduler', is: /^scheduler-policy (\S+)$/ },
      { kind: 'map', is: new RegExp(`^qos-map (${MAP_KINDS.join('|')}) (\\S+)$`), key: 0 },
      { kind: 'priority', is: /^(no )?priority-flow-control priority ([0-7](?:[,-][0-7])*)$/, key: 1 },
      { kind: 'asymmetric', is: /^(no )?priority-flow-control asymmetric$/ },
      { kind: 'action', is: /^priority-flow-control watchdog action (\S+)$/ },
      { kind: 'watchdog', is: /^priority-flow-control watchdog (on|off)(?: detect-time (\d+))?$/ },
      { kind: 'detection', is: /^priority-flow-control watchdog detect-time (\d+)$/ },
      { kind: 'restoration', is: /^priority-flow-control watchdog restore-time (\d+)$/ },
      { kind: 'buffer', is: /^buffer / },
    ],
  },
]
