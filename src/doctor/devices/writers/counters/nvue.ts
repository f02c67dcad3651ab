/**
 * Counters of Cumulus Linux: nv show interface IF qos roce counters, and ethtool -S of the port, which has bytes and errors.
 * The unit of pause-duration is not stated, so that no time of pauses can be read back; bytes of RoCE and sizes of buffers
 * are rounded to two decimals. The forms have the classes of the RoCE preset: 3, and 6 for CNPs.
 * Source: NVIDIA Cumulus Linux User Guide, "RDMA over Converged Ethernet", "ethtool Counter Definitions".
 */
import { ethtoolStatisticsText } from '../../dialects/counters/ethtool-statistics.ts'
import { PORT_DRIVERS } from '../../dialects/counters/names.ts'
import { sayingOf, withTotals } from './hosts.ts'
import { type CounterFile, type CounterWriter, digits, type PortCounts, portsOf, saying, WIDEST } from './writer.ts'

const DRIVER = 'cumulus'
const ROCE = 3
const CNP = 6

/** Rows: key, counter, class, and whether it is a size. A group has no counter. */
const ROWS: readonly (readonly [key: string, name?: string, priority?: number, isSize?: boolean])[] = [
  ['rx-stats'],
  ['  rx-pfc-stats'],
  ['    pause-duration', 'pauseRxUs', ROCE],
  ['    pause-packets', 'pfcRxFrames', ROCE],
  ['  rx-roce-stats'],
  ['    no-buffer-discard', 'dropIn', ROCE],
  ['    pg-max-usage', 'sharedMax', ROCE, true],
  ['    roce-bytes', 'rxBytes', ROCE, true],
  ['    roce-packets', 'rxPackets', ROCE],
  ['tx-stats'],
  ['  tx-cnp-stats'],
  ['    cnp-packets', 'txPackets', CNP],
  ['    unicast-no-buffer-discard', 'dropOut', CNP],
  ['  tx-ecn-stats'],
  ['    ecn-marked-packets', 'ecnMarked', ROCE],
  ['  tx-pfc-stats'],
  ['    pause-duration', 'pauseTxUs', ROCE],
  ['    pause-packets', 'pfcTxFrames', ROCE],
  ['  tx-roce-stats'],
  ['    roce-bytes', 'txBytes', ROCE, true],
  ['    roce-packets', 'txPackets', ROCE],
  ['    tc-max-usage', 'queueMax', ROCE, true],
  ['    unicast-no-buffer-discard', 'dropOut', ROCE],
]

const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB']

/** A size as NVUE prints it, in units of 1024. */
export function sizeText(bytes: number): string {
  const unit = UNITS.findIndex((_, i) => i === UNITS.length - 1 || bytes < 1024 ** (i + 1))
  return unit === 0 ? `${Math.round(bytes)} Bytes` : `${(bytes / 1024 ** unit).toFixed(2)} ${UNITS[unit]!}`
}

function roceFile(port: PortCounts): CounterFile {
  const rows = ROWS.flatMap(([key, name, priority, isSize]) => {
    if (name === undefined) return [`${key}\n`]
    const value = port.value(name, priority)
    if (value === undefined) return []
    const shown = isSize === true ? sizeText(value % WIDEST) : digits(value)
    return [`${key.padEnd(29)}  ${shown.padEnd(29)}  ${priority === CNP ? 'CNP' : 'RoCE'} traffic\n`]
  })
  const heads = `${' '.repeat(29)}  ${'operational'.padEnd(20)}  applied  description\n`
  const rules = `${'-'.repeat(29)}  ${'-'.repeat(20)}  -------  -----------\n`
  return {
    file: `roce-counters-${port.port}.txt`,
    text: `${heads}${rules}${rows.join('')}`,
    command: `nv show interface ${port.port} qos roce counters`,
    of: 'counters',
  }
}

function configText(ports: readonly PortCounts[], lossless: readonly number[]): string {
  const speeds = ports.flatMap((port) => {
    const rateBps = port.value('rateBps')
    return rateBps === undefined ? [] : [`nv set interface ${port.port} link speed ${Math.round(rateBps / 1e9)}G\n`]
  })
  return `${speeds.join('')}nv set qos pfc default-global switch-priority ${lossless.join()}\n`
}

export const nvueCounterWriter: CounterWriter = {
  vendor: 'nvue',
  devices: 'switches',
  portName: (number) => `swp${number}`,
  says: new Map([
    ...sayingOf(PORT_DRIVERS.find(({ name }) => name === DRIVER)!.counters),
    ...saying(['dropIn', 'dropOut', 'ecnMarked', 'rxPackets', 'txPackets', 'sharedMax', 'queueMax']),
  ]),
  write(counts, lossless) {
    const ports = portsOf(counts)
    return [
      ...ports.map(roceFile),
      ...ports.map((port): CounterFile => ({
        file: `ethtool-S-${port.port}.txt`,
        text: ethtoolStatisticsText(DRIVER, withTotals(port)),
        command: `ethtool -S ${port.port}`,
        of: 'counters',
      })),
      { file: 'nvue.txt', text: configText(ports, lossless), command: 'nv config show -o commands', of: 'settings' },
    ]
  },
}
