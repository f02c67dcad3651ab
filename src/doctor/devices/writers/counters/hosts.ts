/**
 * Counters of hosts: ethtool -S of each port, rdma statistic of its RDMA device, and the speed by ethtool. Names, widths and
 * what a driver does not count are in the tables of its readers (dialects/counters/names.ts).
 */
import { ethtoolStatisticsText } from '../../dialects/counters/ethtool-statistics.ts'
import { PORT_DRIVERS, RDMA_DRIVERS, type VendorCounter } from '../../dialects/counters/names.ts'
import { rdmaStatisticText } from '../../dialects/counters/rdma-statistic.ts'
import { ALL_PRIORITIES, counterNamed } from '../../../../core/device-model/index.ts'
import { type CounterFile, type CounterWriter, type PortCounts, type PortCount, portsOf, saying } from './writer.ts'

/** Drivers, and names of their RDMA devices. */
const DRIVERS = [
  ['mlx5', 'mlx5_0'],
  ['bnxt', 'bnxt_re0'],
  ['ionic', 'ionic_0'],
  ['ice', 'irdma0'],
] as const

/** Counters of all priorities, and those that they are the sum of. */
const TOTALS: Readonly<Record<string, string>> = {
  portRxBytes: 'rxBytes',
  portTxBytes: 'txBytes',
  portPfcRxFrames: 'pfcRxFrames',
  portPfcTxFrames: 'pfcTxFrames',
}

/** With the sums that drivers without counters by priority have. */
export function withTotals(port: PortCounts): PortCount[] {
  const totals = Object.entries(TOTALS).flatMap(([name, of]): PortCount[] => {
    const value = port.value(name) === undefined ? port.total(of) : undefined
    return value === undefined ? [] : [{ port: port.port, priority: ALL_PRIORITIES, name, value }]
  })
  return [...port.counts, ...totals]
}

export function sayingOf(counters: readonly VendorCounter[]): ReturnType<typeof saying> {
  const own = counters.map(({ name }) => name)
  const total = own.flatMap((name) => TOTALS[name] ?? []).filter((name) => !own.includes(name))
  return saying([...own, 'rateBps'], total)
}

function speedFile({ port, value }: PortCount): CounterFile {
  const megabits = Math.round(value / 1e6)
  const text = `Settings for ${port}:\n\tSpeed: ${megabits}Mb/s\n\tDuplex: Full\n\tAuto-negotiation: off\n\tLink detected: yes\n`
  return { file: `ethtool-${port}.txt`, text, command: `ethtool ${port}`, of: 'settings' }
}

const hostWriter = (driver: string, device: string): CounterWriter => {
  const ofPorts = PORT_DRIVERS.find(({ name }) => name === driver)!.counters
  const ofDevice = RDMA_DRIVERS.find(({ name }) => name === driver)!.counters
  return {
    vendor: driver,
    devices: 'hosts',
    portName: (number) => `eth${number}`,
    says: sayingOf([...ofPorts, ...ofDevice]),
    write(counts) {
      const whole = counts.filter(({ name }) => counterNamed(name)?.scope === 'device')
      const files = portsOf(counts).map((port): CounterFile => ({
        file: `ethtool-S-${port.port}.txt`,
        text: ethtoolStatisticsText(driver, withTotals(port)),
        command: `ethtool -S ${port.port}`,
        of: 'counters',
      }))
      const rdma = rdmaStatisticText(driver, device, whole)
      if (whole.length > 0)
        files.push({ file: 'rdma-statistic.txt', text: rdma, command: 'rdma statistic', of: 'counters' })
      return [...files, ...counts.filter(({ name }) => name === 'rateBps').map(speedFile)]
    },
  }
}

export const HOST_COUNTER_WRITERS: readonly CounterWriter[] = DRIVERS.map(([driver, device]) =>
  hostWriter(driver, device),
)
