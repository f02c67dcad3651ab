/**
 * Real files that the project does not ship, and other layouts of outputs: they are read to their ends, with nothing left
 * that is not named here. Without them these tests are skipped, with a warning (ROCELAB_SHARED names another folder).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { DSCP_COUNT, type NicSettings, type PortSettings, type Value } from '../../../core/device-model/index.ts'
import { type Device, deviceOf } from './device.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../../shared')
const FILES = path.join(SHARED, 'data/operations')
const DOCTOR = path.join(SHARED, 'data/doctor')
const missing = !existsSync(FILES)
if (missing) console.warn(`real files: skipped, missing ${FILES}`)

const readAs = (file: string, folder: string): Device =>
  deviceOf('device', [{ file, text: readFileSync(path.join(folder, file), 'utf8'), command: '', timeNs: NaN }])

/** Metrics of node_exporter that no rule needs: those of an older generation, packets, and what is not RoCE. */
const METRICS_LEFT = new Set(
  [
    'info',
    'legacy_data_received_bytes_total',
    'legacy_data_transmitted_bytes_total',
    'legacy_multicast_packets_received_total',
    'legacy_multicast_packets_transmitted_total',
    'legacy_packets_received_total',
    'legacy_packets_transmitted_total',
    'legacy_unicast_packets_received_total',
    'legacy_unicast_packets_transmitted_total',
    'link_downed_total',
    'link_error_recovery_total',
    'multicast_packets_received_total',
    'multicast_packets_transmitted_total',
    'physical_state_id',
    'port_constraint_errors_received_total',
    'port_constraint_errors_transmitted_total',
    'port_discards_received_total',
    'port_discards_transmitted_total',
    'port_errors_received_total',
    'port_packets_received_total',
    'port_packets_transmitted_total',
    'port_transmit_wait_total',
    'rate_bytes_per_second',
    'unicast_packets_received_total',
    'unicast_packets_transmitted_total',
  ].map((name) => `node_infiniband_${name}`),
)

describe.skipIf(missing)('files of SONiC, its tests and node_exporter', () => {
  const names = missing ? [] : readdirSync(FILES).filter((name) => /\.(?:json|ini|yaml|prom)$/.test(name))

  test('there are twenty', () => {
    expect(names).toHaveLength(20)
  })

  test.each(names)('%s is of one form, whole, and without a remainder', (name) => {
    const { forms, unread, conflicts, references } = readAs(name, FILES)
    expect(unread).toEqual([])
    expect(conflicts).toEqual([])
    expect(references).toEqual([])
    expect(forms).toMatchObject([{ truncated: null, remainder: [] }])
  })

  test.each(names.filter((name) => name.endsWith('.ini')))('%s: every row is in the table', (name) => {
    const { settings } = readAs(name, FILES).config
    const rows = readFileSync(path.join(FILES, name), 'utf8').matchAll(/^\s*(\d+)\s+(\d+)m\s/gm)
    const pairs = [...rows].map(([, speed, metres]) => ({ rateBps: Number(speed) * 1e6, cableM: Number(metres) }))
    expect('headroomTable' in settings && settings.headroomTable).toMatchObject({
      value: expect.arrayContaining(pairs) as unknown,
    })
  })

  test('node_exporter: counters, states, and metrics that are left out by name', () => {
    const name = 'node_exporter-infiniband-sample.prom'
    const { readings, config } = readAs(name, FILES)
    const isActive = config.ports.map((port) => [port.name, known(port.settings.nic?.isActive)])
    expect(Object.fromEntries(isActive)).toEqual({ i40iw0: true, mlx4_0: true, 'mlx4_0/2': true })
    const used = new Set(readings.map(({ origin }) => origin.line))
    const left = readFileSync(path.join(FILES, name), 'utf8')
      .split('\n')
      .flatMap((line, i) => (used.has(i + 1) ? [] : (/^\w+/.exec(line)?.[0] ?? [])))
      .filter((metric) => metric !== 'node_infiniband_state_id')
    expect([...new Set(left)].filter((metric) => !METRICS_LEFT.has(metric))).toEqual([])
  })
})

const known = (value: Value | undefined): unknown => (value !== undefined && 'value' in value ? value.value : undefined)

describe.skipIf(missing)('other layouts', () => {
  const portOf = (file: string): PortSettings & { readonly nic: NicSettings } => {
    const [port] = readAs(file, path.join(DOCTOR, 'forms')).config.ports
    return port!.settings as PortSettings & { readonly nic: NicSettings }
  }
  const mapOf = ({ dscpToClass }: PortSettings): unknown[] => dscpToClass.map((value) => known(value))
  const shifted = Array.from({ length: DSCP_COUNT }, (_, dscp) => dscp >> 3)

  test('mlnx_qos of old releases has no buffers, and other traffic classes for 0 and 1', () => {
    const port = portOf('mlnx_qos-old.txt')
    expect([port.trust, port.pfcClasses, port.cableM, port.nic.dcbx].map(known)).toEqual(['dscp', [3], 7, 'os'])
    expect(mapOf(port)).toEqual(shifted)
    expect([port.nic.bufferBytes, port.nic.bufferOfClass].map(known)).toEqual([undefined, undefined])
    expect(port.classes.map(({ queue }) => known(queue))).toEqual([1, 0, 2, 3, 4, 5, 6, 7])
  })

  test('of a mlnx_qos that ends in the row of PFC the lines above it are known', () => {
    const port = portOf('mlnx_qos-truncated.txt')
    const { forms } = readAs('mlnx_qos-truncated.txt', path.join(DOCTOR, 'forms'))
    expect(forms[0]?.truncated).not.toBeNull()
    expect(known(port.pfcClasses)).toBeUndefined()
    expect(known(port.trust)).toBe('dscp')
    expect(mapOf(port)).toEqual(shifted)
  })

  test('dcb has the DSCPs that are set, and buffers', () => {
    const port = portOf('dcb.json')
    const map = mapOf(port)
    expect(known(port.trust)).toBe('dscp')
    expect([24, 26, 48].map((dscp) => map[dscp])).toEqual([3, 3, 6])
    // Those without an entry have the kernel's default, which an entry of a port may change.
    expect(map.filter((c, dscp) => ![24, 26, 48].includes(dscp) && c !== 0 && c !== undefined)).toEqual([])
    expect(known(port.pfcClasses)).toEqual([3])
    expect((known(port.nic.bufferOfClass) as number[])[3]).toBe(1)
    expect((known(port.nic.bufferBytes) as number[])[1]).toBe(156_096)
  })

  test('rdma statistic in one line counts the same as in many', () => {
    const countsOf = (file: string): unknown[] =>
      readAs(file, DOCTOR).readings.map(({ name, port, value }) => `${port} ${name} ${value}`)
    const counts = countsOf('forms/rdma-statistic-old.txt')
    expect(counts.length).toBeGreaterThan(3)
    expect(countsOf('pod-a/gpu01/rdma-statistic.txt')).toEqual(expect.arrayContaining(counts))
  })

  test('a fragment of Junos has what it says, and nothing that follows from absence', () => {
    const { config, isComplete, references } = readAs('junos-fragment.set', path.join(DOCTOR, 'forms'))
    expect(isComplete).toBe(false)
    expect(references.filter(({ problem }) => problem === 'unapplied')).toEqual([])
    expect(config.ports.map(({ name }) => name)).toEqual([])
  })
})
