/**
 * Switches as they are shipped are not called wrong: every row of every table of headroom that the samples have, as a port
 * with its own profile. Without the samples these tests are skipped, with a warning (ROCELAB_SHARED names another folder).
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { fabricOf, diagnose } from '../index.ts'
import { headroomNeed } from './headroom-need.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared')
const TABLES = path.join(SHARED, 'data/operations')
const missing = !existsSync(TABLES)
if (missing) console.warn(`tables of headroom: skipped, missing ${TABLES}`)

/** Hardware that each table is of. */
const MODELS = [
  ['spc1-msn2700', 'ACS-MSN2700'],
  ['spc2-msn3700', 'ACS-MSN3700'],
  ['spc3-msn4700', 'ACS-MSN4700'],
  ['spc3-sn4600c-d24c52-shp', 'Mellanox-SN4600C-D24C52'],
  ['spc4-sn5600', 'ACS-SN5600'],
  ['td2-gen', 'Force10-S6000'],
  ['th-gen', 'Force10-S6100'],
  ['th2-arista7260', 'Arista-7260CX3-D108C8'],
  ['th3-dell-z9332f', 'DellEMC-Z9332f-O32'],
  ['th5-arista7060x6', 'Arista-7060X6-64PE-B-O128'],
] as const

/** A switch with a port for each row; with shared headroom where the table is for it. */
function configOf(hwsku: string, table: string, isShared: boolean): string {
  const rows = table.split('\n').flatMap((line, i) => {
    const [speed = '', length = '', size = '', xon = '', xoff = '', threshold = '', offset] = line.trim().split(/\s+/)
    return /^\d+$/.test(speed) ? [{ port: `Ethernet${4 * i}`, speed, length, size, xon, xoff, threshold, offset }] : []
  })
  const each = <T>(of: (row: (typeof rows)[number]) => T, key = ''): Record<string, T> =>
    Object.fromEntries(rows.map((row) => [`${row.port}${key}`, of(row)]))
  const nameOf = ({ speed, length }: (typeof rows)[number]): string => `pg_lossless_${speed}_${length}_profile`
  return JSON.stringify({
    DEVICE_METADATA: { localhost: { hostname: 'leaf', hwsku, buffer_model: 'traditional' } },
    PORT: each(({ speed }) => ({ speed, mtu: '9100', admin_status: 'up' })),
    CABLE_LENGTH: { AZURE: each(({ length }) => length) },
    PORT_QOS_MAP: each(() => ({ pfc_enable: '3' })),
    BUFFER_POOL: {
      ingress_lossless_pool: {
        type: 'ingress',
        mode: 'dynamic',
        size: '30000000',
        ...(isShared ? { xoff: '9000000' } : {}),
      },
    },
    BUFFER_PROFILE: Object.fromEntries(
      rows.map((row) => {
        const { size, xon, xoff, threshold, offset } = row
        const sizes = {
          size,
          xon,
          xoff,
          dynamic_th: threshold,
          ...(offset === undefined ? {} : { xon_offset: offset }),
        }
        return [nameOf(row), { pool: 'ingress_lossless_pool', ...sizes }]
      }),
    ),
    BUFFER_PG: each((row) => ({ profile: nameOf(row) }), '|3'),
  })
}

describe.skipIf(missing)('rules about buffers', () => {
  test.each(MODELS)('hold for %s at %s', (table, hwsku) => {
    const text = readFileSync(path.join(TABLES, `pg_profile_lookup.${table}.ini`), 'utf8')
    const files = [
      { file: 'config_db.json', text: configOf(hwsku, text, table.endsWith('shp')), command: '', timeNs: NaN },
      { file: 'pg_profile_lookup.ini', text, command: '', timeNs: NaN },
    ]
    const fabric = fabricOf([['leaf', files]], [])
    const { findings, held } = diagnose({ fabric, headroomNeed })
    const ofBuffers = findings.filter(({ id }) => id.startsWith('buf'))
    expect(ofBuffers.map(({ id, severity, values }) => ({ id, severity, values }))).toEqual([])
    expect(held['BUF01']).toBeGreaterThan(8)
    expect(held['BUF02']).toBeGreaterThan(8)
  })
})
