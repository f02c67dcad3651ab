/**
 * Damage: what a collector brings home of the counters of a run, as drawn: which it has, and which are lost, late, begin
 * anew or come from nobody.
 */
import type { Base } from '../base.ts'
import { Draw } from '../../../src/core/base/draw.ts'
import type { Form } from '../seeds.ts'
import { microseconds, type Values } from '../tree.ts'
import { ORIGIN_KINDS } from '../truth.ts'
import { INTERVAL_PS } from './fabrics.ts'
import { drawVendors, type Vendors } from './vendors.ts'

export interface Damage {
  /** Share of the polls that are lost. */
  readonly lost: number
  /** A device without any counters; null: none. */
  readonly silent: string | null
  readonly hosts: (typeof HOSTS)[number]
  readonly switches: (typeof SWITCHES)[number]
  readonly hasWatermarks: boolean
  /** Alphas of the switches are known. */
  readonly hasSettings: boolean
  /** By device, where the readings are written in the forms of vendors. */
  readonly vendors?: Vendors
  /** The observer that makes it. */
  readonly observe: Values
}

const LOST = [0, 0.1, 0.3] as const
const HOSTS = ['all', 'mlx5', 'bnxt', 'ionic', 'ice'] as const
const SWITCHES = ['all', 'sonic', 'nxos', 'nvue'] as const
const SILENT = 0.2
const REBOOT = 0.05

export function drawDamage(form: Form, seed: number, { topology: { names } }: Base): Damage {
  const draw = new Draw(seed, `score/origin/damage/${form}`)
  // In turn for the incidents of each kind, which come in turn themselves.
  const lost = LOST[Math.floor(seed / ORIGIN_KINDS.length) % LOST.length]!
  const silent = draw.chance(SILENT) ? draw.one(names) : null
  const [hosts, switches] = [draw.one(HOSTS), draw.one(SWITCHES)]
  const [hasWatermarks, hasSettings] = [draw.chance(0.5), draw.chance(0.5)]
  const observe = {
    kind: 'counters',
    interval: microseconds(INTERVAL_PS),
    watermarks: hasWatermarks,
    hosts,
    switches,
    aged: true,
    lost,
    late: Number(draw.between(0, 1).toFixed(3)),
    // About one device of such a run.
    reset: draw.chance(REBOOT) ? Number((1 / names.length).toFixed(4)) : 0,
    clockOff: microseconds(draw.scaled(1e6, 2 * INTERVAL_PS)),
    silent: silent ?? 'off',
  }
  return { lost, silent, hosts, switches, hasWatermarks, hasSettings, observe }
}

/** The same damage of all counters, which are then written in the forms of each device's vendor. */
export function drawVendorDamage(form: Form, seed: number, base: Base): Damage {
  const damage = drawDamage(form, seed, base)
  const [hosts, switches] = ['all', 'all'] as const
  const observe = { ...damage.observe, hosts, switches }
  return { ...damage, hosts, switches, observe, vendors: drawVendors(form, seed, base) }
}
