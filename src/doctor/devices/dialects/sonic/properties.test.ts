/** Damaged files of SONiC are read without an error, and in time. */
import { expect, test } from 'vitest'
import { fc } from '../../../../../tests/support/properties.ts'
import { readFile } from '../index.ts'

const PROFILES = { BUFFER_POOL: { in: { type: 'ingress', size: '1', xoff: '1' } } }
const CONFIG = JSON.stringify(
  {
    DEVICE_METADATA: { localhost: { hostname: 'a', hwsku: 'Mellanox-1' } },
    PORT: { Ethernet0: { speed: '100000' } },
    PORT_QOS_MAP: { Ethernet0: { dscp_to_tc_map: 'D', tc_to_pg_map: 'G', pfc_enable: '3' }, global: {} },
    DSCP_TO_TC_MAP: { D: { '26': '3' } },
    BUFFER_PG: { 'Ethernet0|3-4': { profile: '[BUFFER_PROFILE|p]' } },
    BUFFER_PROFILE: { p: { pool: 'in', size: '0', dynamic_th: '0' } },
    PFC_WD: { Ethernet0: { action: 'drop' }, GLOBAL: { POLL_INTERVAL: '200' } },
    ...PROFILES,
  },
  undefined,
  1,
)
const TEXTS = [
  CONFIG,
  JSON.stringify(PROFILES),
  '{"COUNTERS_PORT_NAME_MAP": {"Ethernet0": "oid:0x1"}, "COUNTERS:oid:0x1": {"SAI_PORT_STAT_IF_IN_OCTETS": "1"}}',
  '  Port Rx    PFC0    PFC1\n---------  ------  ------\nEthernet0       1       2\n',
  '      QUEUE    STATUS    STORM DETECTED/RESTORED\n-----------  --------  -------------------------\nEthernet0:3   stormed                        1/0\n',
  '     PORT    ACTION    DETECTION TIME\n---------  --------  ----------------\nEthernet0      drop               600\n',
  'LocalPort    RemoteDevice    RemotePortID\n-----------  --------------  --------------\nEthernet0    a               b\n',
  '# speed cable size xon xoff threshold\n 100000  5m 1248 2288 165568 0\n',
]

const mutated = fc
  .record({
    text: fc.constantFrom(...TEXTS),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
    order: fc.array(fc.nat({ max: 60 }), { maxLength: 60 }),
    at: fc.nat({ max: 1500 }),
    noise: fc.string({ unit: 'binary', maxLength: 20 }),
    mutation: fc.constantFrom('cut', 'shuffle', 'noise', 'double'),
  })
  .map(({ text, cut, order, at, noise, mutation }) => {
    const lines = text.split('\n')
    if (mutation === 'cut') return text.slice(0, Math.round(cut * text.length))
    if (mutation === 'shuffle') return order.map((i) => lines[i % lines.length]).join('\n')
    if (mutation === 'double') return lines.flatMap((line, i) => (i % 7 === at % 7 ? [line, line] : [line])).join('\n')
    return text.slice(0, at) + noise + text.slice(at)
  })

test('a text that is cut, shuffled, doubled or disturbed is read to its end', () => {
  fc.assert(
    fc.property(mutated, (text) => {
      for (const { facts } of readFile('any', text).parts)
        for (const { line } of facts.counts) expect(line.number).toBeGreaterThan(0)
    }),
    { numRuns: 400 },
  )
})

test.each([
  ['brackets', '{"PORT": '.repeat(100_000)],
  ['a string without an end', `{"PORT_QOS_MAP": "${'a\\'.repeat(400_000)}`],
  ['ranges', `{"BUFFER_PG": {"${'Ethernet0,'.repeat(50_000)}|0-999999999": {"profile": "p"}, "a|0-15": {}}}`],
  ['dashes', `  Port Rx  PFC0\n${'-- '.repeat(300_000)}\n${'- '.repeat(300_000)}`],
  ['spaces', `IFACE    STATE    RX_OK${' '.repeat(900_000)}x`],
  [
    'members',
    `{"VLAN_MEMBER": {${Array.from({ length: 20_000 }, (_, i) => `"Vlan${i}|PortChannel1": {"tagging_mode": "tagged"}`).join()}},
    "PORT_QOS_MAP": {}}`,
  ],
])('hostile: a megabyte of %s does not hang', (_, text) => {
  const begin = performance.now()
  readFile('any', text)
  expect(performance.now() - begin).toBeLessThan(20_000)
})
