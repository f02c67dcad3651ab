/** VLANs, MTUs and classes by port: which mechanisms they meet, and which they refuse to. */
import { expect, test } from 'vitest'
import { InputError } from '../../../core/base/issue.ts'
import { parseScenario } from '../index.ts'

/** Mistakes of a scenario with these lines, as "path: expected". */
function mistakes(more: string): string[] {
  try {
    parseScenario(`name: vlans\ntopology: star\n${more.includes('workload') ? '' : 'workload: [permutation]\n'}${more}`)
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path, expected }) => `${path}: ${expected}`)
  }
}

test.each([
  ['switch: {vlan: {ports: trunk}, layer2: tables}', ['switch.vlan.ports: off with switch.layer2']],
  [
    'switch: {vlan: {ports: access}, forwarding: cut-through}',
    ['switch.vlan.ports: off with switch.forwarding=cut-through'],
  ],
  ['switch: {vlan: {ports: hybrid}, trimming: {of: lossy}}', ['switch.vlan.ports: off with switch.trimming']],
  ['switch: {vlan: {ports: trunk}}\ncongestion: qcn', ['switch.vlan.ports: off with congestion=qcn']],
  [
    'switch: {vlan: {ports: trunk}}\nworkload: [{kind: permutation, congestion: qcn}]',
    ['switch.vlan.ports: off with congestion=qcn'],
  ],
])('%s: VLANs are off with what makes, cuts or copies frames', (more, expected) => {
  expect(mistakes(more)).toEqual(expected)
})

test('each of these is valid without VLANs, and VLANs are valid by themselves', () => {
  for (const more of [
    'switch: {layer2: tables}',
    'switch: {forwarding: cut-through}',
    'congestion: qcn',
    ...['access', 'trunk', 'hybrid'].map((ports) => `switch: {vlan: {ports: ${ports}}}`),
    'switch: {layer2: tables, mtu: 1500B}',
  ])
    expect(mistakes(more), more).toEqual([])
})

test.each(['switch: {mtu: 1500B, forwarding: cut-through}', 'switch: {forwarding: cut-through}\nnic: {mtu: 1500B}'])(
  '%s: a port that forwards a frame before it is whole does not know its length',
  (more) => {
    expect(mistakes(more)).toEqual([
      `${more.startsWith('switch: {mtu') ? 'switch' : 'nic'}.mtu: off with switch.forwarding=cut-through`,
    ])
  },
)

test.each([
  '{path: nic.vlan, value: tagged, nodes: hosts}',
  '{path: switch.vlan.ports, value: trunk, nodes: switches}',
])('%s needs VLANs in the whole network', (change) => {
  expect(mistakes(`changes: [${change}]`)[0]).toMatch(/^changes\.0\.path: VLANs/)
  expect(mistakes(`changes: [${change}]\nswitch: {vlan: {ports: access}}`)).toEqual([])
})

test('a single port may be a trunk among access ports, and not without VLANs', () => {
  const change = (value: string): string =>
    `switch: {vlan: {ports: access}}\nchanges: [{path: switch.vlan.ports, value: ${value}, nodes: switches}]`
  expect(mistakes(change('trunk'))).toEqual([])
  expect(mistakes(change('off'))).toEqual(['changes.0.value: access, trunk or hybrid'])
})

test.each(['"80"', '"80: 9"', '"90-80: 3"', '"70000: 3"'])('a class by port that is written %s is refused', (line) => {
  expect(mistakes(`nic: {trafficClasses: [${line}]}`)[0]).toMatch(/^nic\.trafficClasses\.0/)
  expect(mistakes('nic: {trafficClasses: ["80: 1", "100-200: 3"]}')).toEqual([])
})
