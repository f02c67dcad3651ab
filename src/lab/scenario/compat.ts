/**
 * Compat: rules of other simulators that no device has, as one profile for each simulator. Importers set it.
 * This is the only place that names them: models take what is in the table as options.
 * docs/models/compat.md names the code of each rule, here and there.
 */
import { choice } from '../../core/base/params.ts'

/** Rules in which a simulator differs. */
export interface Quirks {
  /** Wake-ups of a NIC that waits for pacing, where every host has one port. */
  readonly wake: 'earliest' | 'single' | 'single-ahead'
  /** The round-robin pointer is an index, which stays when finished QPs leave the list; where every host has one port. */
  readonly isCompacting: boolean
  /** A NAK of a packet out of order is a congestion mark as well. */
  readonly marksNaks: boolean
  /** IRN's sender goes back to the oldest packet, and its receiver names packets while it holds any out of order. */
  readonly rewinds: boolean
  /** In a shared buffer, limited egress queues share a pool of their own. */
  readonly hasEgressPool: boolean
  /** Bytes that a shared buffer sets aside for the headroom of a switch's last port; null: its headroom. */
  readonly lastHeadroomBytes: number | null
}

export const PROFILES = {
  none: {
    wake: 'earliest',
    isCompacting: false,
    marksNaks: false,
    rewinds: false,
    hasEgressPool: false,
    lastHeadroomBytes: null,
  },
  /** The HPCC fork of ns-3, and its descendants ns3-datacenter, SimAI and ns-3-alibabacloud. */
  hpcc: {
    wake: 'single',
    isCompacting: true,
    marksNaks: false,
    rewinds: false,
    hasEgressPool: false,
    lastHeadroomBytes: null,
  },
  conweave: {
    wake: 'single-ahead',
    isCompacting: true,
    marksNaks: true,
    rewinds: true,
    hasEgressPool: true,
    // Its sum of all headroom runs from port 0, which no link has, to the last port but one. Port 0 keeps the default:
    // PGHeadroomLimit, 12,500 and two packets of 1048.
    lastHeadroomBytes: 14_596,
  },
} as const satisfies Readonly<Record<string, Quirks>>

export const compatParam = choice(Object.keys(PROFILES) as (keyof typeof PROFILES)[], {
  default: 'none',
  isHidden: true,
  help: 'rules of another simulator that no device has, set by importers: the HPCC fork of ns-3 and its descendants, or conweave',
  source: 'docs/models/compat.md',
})

/** The rules that hold in a scenario. */
export function quirksOf({ compat }: { readonly compat: keyof typeof PROFILES }): Quirks {
  return PROFILES[compat]
}
