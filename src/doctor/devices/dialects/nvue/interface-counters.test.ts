/** Counters of a port as nv show prints them. */
import { expect, test } from 'vitest'
import { readFile } from '../index.ts'

const INTERFACE_COUNTERS = `                     operational  applied
-------------------  -----------  -------
carrier-transitions  4

Detailed Counters
====================
    Counter            Receive  Transmit
    -----------------  -------  --------
    Broadcast Packets  7        8
    Total Octets       5000     6000
    Total Packets      50       60

Drop Counters
================
    Counter          Receive  Transmit
    ---------------  -------  --------
    Buffer Drops     3        n/a
    Queue Drops      n/a      2
    Total Drops      4        2

Error Counters
=================
    Counter           Receive  Transmit
    ----------------  -------  --------
    FCS Errors        1        n/a
    Total Errors      1        0

PFC Statistics
=================
    switch-priority  rx-pause-frames  rx-pause-duration  tx-pause-frames  tx-pause-duration
    ---------------  ---------------  -----------------  ---------------  -----------------
    0                0                0                  0                0
    3                9                1                  11               2
`

test('nv show interface IF counters: totals of the port, and pauses of each priority', () => {
  const { parts } = readFile('f', INTERFACE_COUNTERS, 'nv show interface swp1 counters')
  expect(parts.map(({ dialect, facts }) => [dialect.name, facts.truncated, facts.remainder])).toEqual([
    ['nvue-interface-counters', null, []],
  ])
  const plain = parts[0]!.facts.counts.map(({ port, priority, name, value }) => `${port} ${priority} ${name} ${value}`)
  expect(plain).toEqual([
    'swp1 -1 portRxBytes 5000',
    'swp1 -1 portTxBytes 6000',
    'swp1 -1 rxPackets 50',
    'swp1 -1 txPackets 60',
    'swp1 -1 dropInPort 4',
    'swp1 -1 dropOut 2',
    'swp1 -1 crcErrors 1',
    'swp1 0 pfcRxFrames 0',
    'swp1 0 pfcTxFrames 0',
    'swp1 3 pfcRxFrames 9',
    'swp1 3 pfcTxFrames 11',
  ])
  const old = `                     operational  applied
-------------------  -----------  -------
carrier-transitions  4
in-bytes             3.37 MB
in-drops             17
in-pkts              29025
out-drops            5
`
  const counts = readFile('f', old, 'nv show interface swp1 counters').parts[0]!.facts.counts
  expect(counts.map(({ name, value }) => `${name} ${value}`)).toEqual(['dropInPort 17', 'rxPackets 29025', 'dropOut 5'])
})
