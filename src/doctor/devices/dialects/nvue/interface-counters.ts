/**
 * nv show interface IF counters: totals of a port, drops and errors of both directions, and PFC frames of each priority.
 * Older releases have a list of keys in place of the tables.
 * Source: NVIDIA Cumulus Linux User Guide, "Monitoring Interfaces and Transceivers with NVUE" and "Quality of Service".
 */
import { ALL_PRIORITIES, CLASS_COUNT } from '../../../../core/device-model/index.ts'
import type { Dialect } from '../dialect.ts'
import type { Line } from '../text.ts'
import { countIn } from '../words.ts'
import { tablesOf } from './columns.ts'

/** Rows of totals, and the counters that their columns are. */
const TOTALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Total Packets': { Receive: 'rxPackets', Transmit: 'txPackets' },
  'Total Octets': { Receive: 'portRxBytes', Transmit: 'portTxBytes' },
  'Total Drops': { Receive: 'dropInPort', Transmit: 'dropOut' },
  'FCS Errors': { Receive: 'crcErrors' },
  'Symbol Errors': { Receive: 'symbolErrors' },
  'in-pkts': { operational: 'rxPackets' },
  'out-pkts': { operational: 'txPackets' },
  'in-drops': { operational: 'dropInPort' },
  'out-drops': { operational: 'dropOut' },
}
/** Columns of the table whose rows are priorities. */
const OF_PRIORITIES: Readonly<Record<string, string>> = {
  'rx-pause-frames': 'pfcRxFrames',
  'tx-pause-frames': 'pfcTxFrames',
}

export const nvueInterfaceCounters: Dialect = {
  name: 'nvue-interface-counters',
  language: 'nvue',
  title: 'nv show interface IF counters',
  command: 'nv show interface IF counters',
  leavesOut: ['drops by reason, sizes of packets', 'discards in bytes', 'times of pauses', 'rounded numbers of bytes'],
  recognises: ({ text }) =>
    /^[ \t]*Counter[ \t]+Receive[ \t]+Transmit[ \t]*$/m.test(text) ||
    /^[ \t]*switch-priority[ \t]+rx-pause-frames\b/m.test(text) ||
    (/^carrier-transitions\s/m.test(text) && /^in-drops\s/m.test(text)),
  read({ lines, command, endsInLine }, facts) {
    facts.kind = 'switch'
    const port = /interface\s+(\S+)/.exec(command)?.[1] ?? ''
    facts.port(port)
    const last = endsInLine === true ? lines.at(-1) : undefined
    const push = (name: string | undefined, priority: number, text: string, line: Line): void => {
      if (name !== undefined && text !== 'n/a') facts.count(port, priority, name, countIn(text), line)
    }
    for (const { columns, rows } of tablesOf(lines))
      for (const { cells, line } of rows) {
        const [first = ''] = cells
        const priority = columns[0] === 'switch-priority' ? countIn(first) : undefined
        const names = priority === undefined ? TOTALS[first] : OF_PRIORITIES
        // Digits may be missing from the last number of a file.
        if (names === undefined || line === last || (priority ?? 0) >= CLASS_COUNT) continue
        for (const [i, column] of columns.entries())
          if (Object.hasOwn(names, column)) push(names[column], priority ?? ALL_PRIORITIES, cells[i] ?? '', line)
      }
    if (last !== undefined) facts.cut(last, 'the rest of the line')
    else if (facts.counts.length === 0) facts.cut(lines.at(-1)!, 'rows of counters')
  },
}
