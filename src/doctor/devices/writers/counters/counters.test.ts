/** Counters in the forms of vendors: what is written reads back as what it was, as far as the forms have words for it. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../../tests/support/properties.ts'
import { type DeviceFile, fabricOf } from '../../joins/index.ts'
import { ALL_PRIORITIES, counterNamed, COUNTERS } from '../../../../core/device-model/index.ts'
import { COUNTER_WRITERS, type CounterWriter, type PortCount } from './index.ts'
import { sizeText } from './nvue.ts'

const LOSSLESS = [3]
const TOTALS: Readonly<Record<string, string>> = {
  portRxBytes: 'rxBytes',
  portTxBytes: 'txBytes',
  portPfcRxFrames: 'pfcRxFrames',
  portPfcTxFrames: 'pfcTxFrames',
}
/** Sizes that are printed with two decimals of a unit. */
const ROUNDED = new Set(['sharedMax', 'queueMax'])
const WIDEST = 2 ** 64

/** The device as read back, and its counts by port, priority and name. */
function readBack(writer: CounterWriter, counts: readonly PortCount[]) {
  const files = writer.write(counts, LOSSLESS).map((file): DeviceFile => ({ ...file, timeNs: 0 }))
  const edges = [1, 2].map((number) => {
    const portA = writer.portName(number)
    return { deviceA: 'device', portA, deviceB: `peer ${number}`, portB: '1', cableM: NaN }
  })
  const device = fabricOf([['device', files]], edges).devices.get('device')!
  const values = new Map<string, { value: number; bits: number }>()
  for (const { port, priority, name, value, bits } of device.readings) {
    const isWhole = counterNamed(name)!.scope === 'device'
    values.set(`${isWhole ? '' : port} ${priority} ${TOTALS[name] ?? name}`, { value, bits })
  }
  for (const { name, settings } of device.config.ports)
    if (settings.rateBps.state !== 'unknown')
      values.set(`${name} ${ALL_PRIORITIES} rateBps`, { value: settings.rateBps.value, bits: 64 })
  return { device, values }
}

function total(counts: readonly PortCount[], port: string, name: string): number {
  return counts.reduce((sum, one) => sum + (one.port === port && one.name === name ? one.value : 0), 0)
}

/** All counters of a device of this kind at two ports; values grow, so that each is another one. */
function all(writer: CounterWriter, valueOf: (number: number) => number): PortCount[] {
  let number = 0
  const other = writer.devices === 'hosts' ? 'switches' : 'hosts'
  const own = COUNTERS.filter(({ name, devices }) => devices !== other && TOTALS[name] === undefined)
  return own.flatMap(({ name, scope }) => {
    const ports = scope === 'device' ? [''] : [writer.portName(1), writer.portName(2)]
    const priorities = scope === 'priority' ? [3, 6] : [ALL_PRIORITIES]
    return ports.flatMap((port) =>
      priorities.map((priority) => ({
        port,
        priority,
        name,
        value: name === 'rateBps' ? 4e10 : valueOf(number++),
      })),
    )
  })
}

describe.each(COUNTER_WRITERS.map((writer) => [writer.vendor, writer] as const))('%s', (_, writer) => {
  /** Counters that read back as something else. */
  const wrong = (counts: readonly PortCount[]): unknown[] => {
    const { device, values } = readBack(writer, counts)
    const odd = device.forms.flatMap(({ truncated, remainder }): unknown[] => [truncated ?? [], remainder].flat())
    return [...device.unread, ...odd].concat(
      counts.flatMap(({ port, priority, name, value }): unknown[] => {
        const saying = writer.says.get(name)
        const read = values.get(`${port} ${saying === 'total' ? ALL_PRIORITIES : priority} ${name}`)
        // Cumulus Linux has some counters of RoCE alone.
        const isOther = writer.vendor === 'nvue' && priority !== LOSSLESS[0] && priority !== ALL_PRIORITIES
        if (saying === undefined || (isOther && read === undefined)) return read === undefined ? [] : [{ name, read }]
        const shown = (saying === 'total' ? total(counts, port, name) : value) % 2 ** (read?.bits ?? 0)
        const slack = writer.vendor === 'nvue' && ROUNDED.has(name) ? 0.005 * shown : 0
        return Math.abs((read?.value ?? NaN) - shown) <= slack ? [] : [{ name, read, shown }]
      }),
    )
  }

  test('says what it says, and nothing else', () => {
    const counts = all(writer, (number) => 1_000_003 + 7919 * number)
    expect(wrong(counts)).toEqual([])
    expect(readBack(writer, counts).device.config.kind).toBe(writer.devices === 'hosts' ? 'host' : 'switch')
  })

  test('has values up to 2^64 and wraps there', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(64), (share, power) => {
        expect(wrong(all(writer, (number) => Math.floor(share * 2 ** power) + number))).toEqual([])
      }),
    )
    expect(wrong(all(writer, () => WIDEST))).toEqual([])
  })
})

describe('what vendors do not have', () => {
  const shown = (vendor: string): string => {
    const writer = COUNTER_WRITERS.find((one) => one.vendor === vendor)!
    return writer
      .write(
        all(writer, (number) => 1000 + number),
        LOSSLESS,
      )
      .map(({ text }) => text)
      .join('')
  }

  test('Intel has frames that pause and frames that resume, and no times', () => {
    expect(shown('ice')).toMatch(/rx_priority_3_xoff\.nic: \d+\n\s+rx_priority_3_xon\.nic: \d+/)
    expect(COUNTER_WRITERS.find(({ vendor }) => vendor === 'ice')!.says.has('pauseRxUs')).toBe(false)
  })

  test('frames of all priorities are the sum', () => {
    for (const vendor of ['ionic', 'eos']) {
      const { says } = COUNTER_WRITERS.find((one) => one.vendor === vendor)!
      expect([vendor, says.get('pfcRxFrames')]).toEqual([vendor, 'total'])
    }
  })

  test('times of pauses are in microseconds that SONiC estimates for what it receives', () => {
    expect(shown('sonic')).toContain('EST_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US')
    expect(shown('sonic')).not.toContain('TX_PAUSE_DURATION')
  })

  test('counters of RDMA devices of mlx5 start again at 2^32', () => {
    const writer = COUNTER_WRITERS.find(({ vendor }) => vendor === 'mlx5')!
    const counts = [{ port: '', priority: ALL_PRIORITIES, name: 'cnpSent', value: 2 ** 32 + 5 }]
    expect(readBack(writer, counts).device.readings.map(({ value, bits }) => [value, bits])).toEqual([[5, 32]])
  })
})

test('sizes have two decimals of units of 1024', () => {
  expect([1000, 1536, 3 * 1024 ** 2].map(sizeText)).toEqual(['1000 Bytes', '1.50 KB', '3.00 MB'])
})
