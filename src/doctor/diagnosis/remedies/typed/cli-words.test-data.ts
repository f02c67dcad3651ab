/**
 * Commands of switches with blocks, of those that the manuals have for what is changed here.
 * Sources: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide and Command Reference; Arista EOS User Manual,
 * "Quality of Service", "DCBX and Flow Control"; Dell SmartFabric OS10 User Guide, "Quality of service", "Priority flow
 * control"; Dell Enterprise SONiC User Guide, "QoS".
 */
import type { Command, Opens, Words } from './cli.test-data.ts'

const MTU: Command = { single: /^(mtu) \d+$/ }
const isDefined = (kind: string) => (name: string) => new RegExp(`^${kind} ${name}$`)
const interfaceOf = (name: string): Opens => ({
  opens: new RegExp(`^interface (?<name>${name})$`),
  kind: 'interface',
  isPort: true,
})

/** Classes that the device has by itself: "c-8q-nq3", "c-out-8q-q-default", "class-default". */
const NXOS_OWN = /^(?:class-default|c-(?:out-)?(?:4q|8q)-n?q.*)$/
const nxosClass = (kind: string): Opens => ({
  opens: /^class(?: type \S+)? (?<name>[\w.-]+)(?: insert-before (?<before>[\w.-]+))?$/,
  kind,
  needs: (name) => (NXOS_OWN.test(name) ? null : new RegExp(`^class-map(?: type \\S+)?(?: match-\\S+)? ${name}$`)),
})
const nxosPolicy = (type: string): Opens => ({
  opens: new RegExp(`^policy-map type (?<type>${type}) (?<name>[\\w.-]+)$`),
  kind: `policy ${type}`,
  isFixed: true,
})

export const NXOS: Words = {
  step: 2,
  kinds: {
    top: {
      blocks: [
        interfaceOf('Ethernet\\d+(?:/\\d+)+'),
        { opens: /^class-map type (?<type>qos) match-(?:any|all) (?<name>[\w.-]+)$/, kind: 'class-map' },
        ...['qos', 'network-qos', 'queuing'].map(nxosPolicy),
      ],
      commands: [{ single: /^(priority-flow-control watch-dog-interval) (?:on|off)$/ }],
    },
    'class-map': { blocks: [], commands: [{ adds: /^match dscp \d+$/ }] },
    'policy qos': { blocks: [nxosClass('class qos')], commands: [] },
    'policy network-qos': { blocks: [nxosClass('class network-qos')], commands: [] },
    'policy queuing': { blocks: [nxosClass('class queuing')], commands: [] },
    'class qos': { blocks: [], commands: [{ single: /^(set qos-group) [0-7]$/ }] },
    'class network-qos': {
      blocks: [],
      commands: [{ single: /^(pause) pfc-cos [0-7]$/ }, { gone: /^no (?<what>pause)$/ }, MTU],
    },
    'class queuing': {
      blocks: [],
      commands: [
        {
          single:
            /^(random-detect) minimum-threshold \d+ (?:bytes|kbytes|mbytes) maximum-threshold \d+ (?:bytes|kbytes|mbytes) drop-probability \d+ weight \d+ ecn$/,
        },
      ],
    },
    interface: {
      blocks: [],
      commands: [
        MTU,
        { single: /^(flowcontrol (?:receive|send)) (?:on|off)$/ },
        { single: /^(priority-flow-control mode) (?:on|off|auto)$/ },
        { single: /^(priority-flow-control watch-dog-interval) (?:on|off)$/ },
        {
          single: /^(service-policy type qos input) (?<name>[\w.-]+)$/,
          needs: /^policy-map type qos (?<name>\S+)$/,
        },
      ],
    },
  },
}

export const EOS: Words = {
  step: 3,
  kinds: {
    top: {
      blocks: [
        interfaceOf('Ethernet\\d+(?:/\\d+)*'),
        { opens: /^class-map type (?<type>qos) match-any (?<name>[\w.-]+)$/, kind: 'class-map' },
        { opens: /^policy-map type quality-of-service (?<name>[\w.-]+)$/, kind: 'policy', isFixed: true },
      ],
      commands: [
        { moves: 'qos map dscp {list} to traffic-class {to}' },
        { moves: 'qos map traffic-class {list} to tx-queue {to}' },
        { single: /^(priority-flow-control pause watchdog default polling-interval) \d+\.\d+$/ },
      ],
    },
    'class-map': { blocks: [], commands: [{ adds: /^match ip dscp \d+$/ }] },
    policy: {
      blocks: [
        {
          opens: /^class (?<name>[\w.-]+)(?: insert-before (?<before>[\w.-]+))?$/,
          kind: 'class',
          needs: isDefined('class-map type qos match-any'),
        },
      ],
      commands: [],
    },
    class: { blocks: [], commands: [{ single: /^(set traffic-class) [0-7]$/ }] },
    interface: {
      blocks: [{ opens: /^uc-tx-queue (?<name>[0-7])$/, kind: 'queue' }],
      commands: [
        MTU,
        { single: /^(qos trust) (?:dscp|cos)$/ },
        { single: /^(flowcontrol (?:receive|send)) (?:on|off|desired)$/ },
        { single: /^(priority-flow-control on)$/ },
        { gone: /^no (?<what>priority-flow-control)$/, only: 'priority-flow-control on' },
        { single: /^(priority-flow-control priority [0-7]) (?:no-drop|drop)$/ },
        { single: /^(priority-flow-control pause watchdog)$/ },
      ],
    },
    queue: {
      blocks: [],
      commands: [
        {
          single:
            /^(random-detect ecn) minimum-threshold \d+ (?:bytes|kbytes|mbytes|segments) maximum-threshold \d+ (?:bytes|kbytes|mbytes|segments)(?: max-mark-probability \d+)?(?: weight \d+)?$/,
        },
        { single: /^(bandwidth guaranteed) percent \d+$/ },
      ],
    },
  },
}

export const OS10: Words = {
  step: 1,
  kinds: {
    top: {
      blocks: [
        interfaceOf('ethernet\\d+/\\d+/\\d+(?::\\d+)?'),
        { opens: /^trust dscp-map (?<name>[\w.-]+)$/, kind: 'dscp map', isFixed: true },
        { opens: /^qos-map traffic-class (?<name>[\w.-]+)$/, kind: 'queue map', isFixed: true },
        { opens: /^wred (?<name>[\w.-]+)$/, kind: 'wred' },
        { opens: /^policy-map type (?<type>queuing) (?<name>[\w.-]+)$/, kind: 'policy', isFixed: true },
      ],
      commands: [],
    },
    'dscp map': { blocks: [], commands: [{ moves: 'qos-group {to} dscp {list}' }] },
    'queue map': { blocks: [], commands: [{ moves: 'queue {to} qos-group {list}' }] },
    wred: {
      blocks: [],
      commands: [
        {
          single: /^(random-detect color green) minimum-threshold \d+ maximum-threshold \d+(?: drop-probability \d+)?$/,
        },
        { single: /^(random-detect ecn)$/ },
      ],
    },
    policy: { blocks: [{ opens: /^class (?<name>[\w.-]+)$/, kind: 'class', isFixed: true }], commands: [] },
    class: {
      blocks: [],
      commands: [{ single: /^(random-detect) (?<name>[\w.-]+)$/, needs: /^wred (?<name>\S+)$/ }],
    },
    interface: {
      blocks: [],
      commands: [
        MTU,
        { single: /^(flowcontrol (?:receive|transmit)) (?:on|off)$/ },
        { single: /^(priority-flow-control mode) (?:on|off)$/ },
        { single: /^(trust-map dscp) (?<name>[\w.-]+)$/, needs: /^trust dscp-map (?<name>\S+)$/ },
        {
          single: /^(service-policy input type network-qos) (?<name>[\w.-]+)$/,
          needs: /^policy-map type network-qos (?<name>\S+)$/,
        },
      ],
    },
  },
}

export const SONIC_CLI: Words = {
  step: 1,
  kinds: {
    top: { blocks: [interfaceOf('Eth(?:ernet ?)?\\d+(?:/\\d+)*')], commands: [] },
    interface: {
      blocks: [],
      commands: [
        MTU,
        { adds: /^priority-flow-control priority [0-7]$/ },
        { gone: /^no (?<what>priority-flow-control priority [0-7])$/ },
        { adds: /^priority-flow-control asymmetric$/ },
        { gone: /^no (?<what>priority-flow-control asymmetric)$/ },
        { single: /^(cable-length) \d+m$/ },
        { single: /^(priority-flow-control watchdog on) detect-time \d+$/ },
        { single: /^(priority-flow-control watchdog restore-time) \d+$/ },
        { single: /^(qos-map dscp-tc) (?<name>[\w.-]+)$/, needs: /^qos map dscp-tc (?<name>\S+)$/ },
      ],
    },
  },
}
