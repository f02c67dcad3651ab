/**
 * Switches as SONiC ships their buffers: what it may use of the chip, not the chip. Latencies are not in these files.
 * Sources: sonic-buildimage, by path; pools are of one SKU each, and others of the same chip have other ones.
 */
import { code, type Known } from './known.ts'

export interface SwitchProfile {
  readonly name: string
  readonly help: string
  /** Name under which headroom is computed. */
  readonly family?: Known<string>
  readonly cellBytes?: Known<number>
  /** Pools that priority groups share, beside their reserves, and for what arrives after XOFF. */
  readonly sharedPoolBytes?: Known<number>
  readonly headroomPoolBytes?: Known<number>
  /** Limits as powers of two of what is free: of lossless priority groups, of lossy egress queues. */
  readonly losslessTh?: Known<number>
  readonly lossyEgressAlpha?: Known<number>
  readonly kminBytes?: Known<number>
  readonly kmaxBytes?: Known<number>
  readonly pmax?: Known<number>
}

const TH = 'device/common/profiles/th, RDMA-CENTRIC, t1'
const TH5 = 'device/arista 7060x6, O128S2, t1'
const TD3 = 'device/arista 7050cx3, t0'
const SN4700 = 'sonic-buildimage#12151, SN4700 A96V16'
const SN5600 = 'device/mellanox nvidia_sn5600, C224O8'

/** AZURE_LOSSLESS, of which a platform may ship its own. */
const marks = {
  kminBytes: code(1_048_576, 'qos_config.j2, AZURE_LOSSLESS'),
  kmaxBytes: code(2_097_152, 'qos_config.j2, AZURE_LOSSLESS'),
  pmax: code(0.05, 'qos_config.j2, AZURE_LOSSLESS'),
}

export const switches: readonly SwitchProfile[] = [
  {
    name: 'tomahawk',
    help: 'Broadcom Tomahawk as SONiC ships it',
    ...marks,
    kminBytes: code(250_000, 'sonic-buildimage#4564'),
    family: code('th', TH),
    cellBytes: code(208, TH),
    sharedPoolBytes: code(10_875_072, TH),
    headroomPoolBytes: code(4_194_112, TH),
    lossyEgressAlpha: code(8, TH),
  },
  {
    name: 'tomahawk-5',
    help: 'Broadcom Tomahawk 5 as SONiC ships it',
    ...marks,
    family: code('th5', TH5),
    cellBytes: code(254, TH5),
    sharedPoolBytes: code(165_660_324, TH5),
    headroomPoolBytes: code(29_423_360, TH5),
    losslessTh: code(0, TH5),
    lossyEgressAlpha: code(1, TH5),
  },
  {
    name: 'trident-3',
    help: 'Broadcom Trident 3 as SONiC ships it',
    ...marks,
    sharedPoolBytes: code(32_689_152, TD3),
    headroomPoolBytes: code(2_058_240, TD3),
    lossyEgressAlpha: code(8, TD3),
  },
  {
    name: 'spectrum-3',
    help: 'NVIDIA Spectrum-3 as SONiC ships it',
    ...marks,
    family: code('spc3', SN4700),
    cellBytes: code(144, SN4700),
    sharedPoolBytes: code(47_149_056, SN4700),
    headroomPoolBytes: code(1_249_280, SN4700),
  },
  {
    name: 'spectrum-4',
    help: 'NVIDIA Spectrum-4 as SONiC ships it without lossless classes',
    ...marks,
    family: code('spc4', SN5600),
    cellBytes: code(192, SN5600),
    sharedPoolBytes: code(133_643_264, SN5600),
  },
]
