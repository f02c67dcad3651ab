/**
 * Strangers: languages of configurations that are not read, by lines that only they have. A text of theirs is named so, and is
 * not read as a language that has some of their words.
 * Sources: command references of the vendors.
 */

/** By name, the more telling first. */
const STRANGERS: readonly (readonly [language: string, marks: RegExp])[] = [
  [
    'Cisco IOS XR',
    /^[ \t]*(?:!! IOS XR Configuration|end-(?:class-map|policy-map|policy|set)[ \t]*$|interface (?:preconfigure )?\w+ ?\d+\/\w+\/\d+\/\d+(?:\/\d+)*[ \t]*$|hw-module profile priority-flow-control |RP\/\d+\/\w+\/CPU\d+:)/m,
  ],
  [
    'Cisco IOS or IOS XE',
    /^(?:boot-(?:start|end)-marker|version 1[1-7]\.\d+[ \t]*$|service timestamps (?:debug|log) |switch \d+ provision |interface (?:TwentyFiveGigE|FiftyGigE|TwoGigabitEthernet|FiveGigabitEthernet)\d)/m,
  ],
  [
    'H3C Comware',
    /^[ \t]*(?:version [57]\.[\d.]+, (?:Release|Feature|ESS|Alpha|Beta)|port link-mode (?:bridge|route)|priority-flow-control no-drop dot1p |qos map-table |irf (?:mac-address|member) )/m,
  ],
  [
    'Huawei VRP',
    /^[ \t]*(?:!Software Version V\d{3}R\d{3}|undo portswitch|dcb pfc(?:[ \t]|$)|diffserv domain |interface \d+GE\d+\/\d+\/\d+|device transceiver |drop-profile \S)/m,
  ],
  [
    'Dell FTOS 9 (OS9)',
    /^[ \t]*(?:! Version 9\.|priority-pgid(?: [0-7]){8}|priority-group \d+ bandwidth \d+ pfc (?:on|off)|stack-unit \d+ |interface (?:GigabitEthernet|TenGigabitEthernet|twentyFiveGigE|fortyGigE|fiftyGigE|hundredGigE) \d+\/\d+|pfc no-drop queues )/m,
  ],
  [
    'NVIDIA Onyx (MLNX-OS)',
    /^[ \t]*(?:## Running database|(?:no )?dcb priority-flow-control (?:enable|priority|mode)|(?:no )?(?:interface \S+ [\d/]+ )?(?:dcb priority-flow-control mode|traffic-class \d congestion-control|qos trust (?:L2|L3|both)\b)|traffic pool \S|roce lossless)/m,
  ],
  [
    'Cumulus Linux traffic.conf',
    /^[ \t]*(?:traffic\.(?:packet_priority|cos_\d|priority_group)|pfc\.\w+\.port_set|ecn_red\.\w)/m,
  ],
  ['MikroTik RouterOS', /^(?:# .*\bby RouterOS \d|\/(?:interface|ip|system|queue|qos|export)(?: [\w-]+)*[ \t]*$)/m],
  ['Nokia SR Linux', /^[ \t]*(?:set \/ ?(?:interface|qos|system)\b|interface ethernet-\d+\/\d+)/m],
  ['Nokia SR OS', /^# TiMOS-|^[ \t]*echo "(?:System|Port|QoS\w*|Card) Configuration"/m],
  ['Extreme EXOS', /^(?:# Module \w+ configuration\.|(?:create|configure) qosprofile )/m],
  ['Brocade NOS', /^[ \t]*(?:cee-map \S|fcoeport default)/m],
  ['Aruba AOS-CX', /^!Version (?:ArubaOS-CX|AOS-CX)/m],
  ['Ruijie RGOS', /^(?:version RGOS|version \w+_RGOS| *pfc (?:enable|priority)[ \t]*$)/m],
  [
    'Windows (PowerShell)',
    /^[ \t]*(?:PriorityValue8021Action[ \t]*:|New-NetQos(?:Policy|TrafficClass)\b|(?:En|Dis)able-NetQosFlowControl\b|(?:Get|Set|Enable)-NetAdapter(?:Qos|Rdma|AdvancedProperty)\b)/m,
  ],
]

/** Name of the language that the text is in; undefined: none of these, as far as is known. */
export function strangerIn(text: string): string | undefined {
  return STRANGERS.find(([, marks]) => marks.test(text))?.[0]
}
