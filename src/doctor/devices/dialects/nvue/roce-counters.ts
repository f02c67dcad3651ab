/**
 * nv show interface IF qos roce counters: what a port has counted of RoCE and of CNPs, which are the priorities 3 and 6 of
 * the preset.
 * Source: NVIDIA Cumulus Linux User Guide, "RDMA over Converged Ethernet"; its sizes are in units of 1024.
 */
import type { Dialect } from '../dialect.ts'
import { countIn } from '../words.ts'
import { stateOf, tablesOf, valuesOf } from './columns.ts'
import { sizeOf } from './names.ts'

const ROCE = 3
const CNP = 6
const LAST = 'tx-stats/tx-roce-stats/unicast-no-buffer-discard'

const NAMES: readonly (readonly [key: string, name: string, priority: number])[] = [
  ['rx-stats/rx-pfc-stats/pause-packets', 'pfcRxFrames', ROCE],
  ['rx-stats/rx-roce-stats/no-buffer-discard', 'dropIn', ROCE],
  ['rx-stats/rx-roce-stats/pg-max-usage', 'sharedMax', ROCE],
  ['rx-stats/rx-roce-stats/roce-packets', 'rxPackets', ROCE],
  ['tx-stats/tx-cnp-stats/cnp-packets', 'txPackets', CNP],
  ['tx-stats/tx-cnp-stats/unicast-no-buffer-discard', 'dropOut', CNP],
  ['tx-stats/tx-ecn-stats/ecn-marked-packets', 'ecnMarked', ROCE],
  ['tx-stats/tx-pfc-stats/pause-packets', 'pfcTxFrames', ROCE],
  ['tx-stats/tx-roce-stats/roce-packets', 'txPackets', ROCE],
  ['tx-stats/tx-roce-stats/tc-max-usage', 'queueMax', ROCE],
  [LAST, 'dropOut', ROCE],
]

export const nvueRoceCounters: Dialect = {
  name: 'nvue-roce-counters',
  language: 'nvue',
  title: 'nv show interface IF qos roce counters',
  command: 'nv show interface IF qos roce counters',
  leavesOut: [
    'pause-duration, whose unit is not known',
    'bytes, which are rounded',
    'traffic that is not RoCE',
    'RoCE on another priority than 3, CNPs on another than 6',
  ],
  recognises: ({ text }) => /^ {2}rx-pfc-stats\s/m.test(text) || /^ {2}rx-roce-stats\s/m.test(text),
  read({ lines, command }, facts) {
    facts.kind = 'switch'
    const port = /interface\s+(\S+)/.exec(command)?.[1] ?? ''
    facts.port(port)
    const table = stateOf(tablesOf(lines))
    const values = table === undefined ? undefined : valuesOf(table)
    const last = lines.findLast((line) => line.text.trim() !== '')
    for (const [key, name, priority] of NAMES) {
      const found = values?.get(key)
      // Behind a number that the file ends with, more digits may be missing.
      if (found === undefined || (found.row.line === last && found.row.cells.slice(2).join('') === '')) continue
      facts.count(port, priority, name, countIn(found.value) ?? sizeOf(found.value), found.row.line)
    }
    if (values?.has(LAST) !== true) facts.cut(lines.at(-1)!, 'tx-roce-stats')
  },
}
