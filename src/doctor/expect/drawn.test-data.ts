/**
 * Drawn fabrics with one planted limit, and the logs that they would give, with noise. Written from the sources alone: the sums
 * of ../wire.ts and its neighbours are not used here.
 */

/** Numbers from 0 to 1 (a Weyl sequence, mixed). */
export function randomOf(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let z = state
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32
  }
}

export interface Drawn {
  readonly planted: string
  readonly fabric: string
  readonly groups: readonly (readonly { readonly file: string; readonly text: string }[])[]
  /** Log whose answer is scored. */
  readonly file: string
  /** Parts that may be named first; empty: nothing may. */
  readonly parts: readonly string[]
  readonly isOpen: boolean
  /** Parts that are known to be healthy. */
  readonly healthy: readonly string[]
}

const NOISE = 0.02
type Random = () => number
const noisy = (random: Random, value: number): number => value * (1 + NOISE * (2 * random() - 1))
const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!

/** Gb/s of payload on RoCE over IPv4, untagged. */
const onLink = (gbps: number, bytes: number, mtu: number): number =>
  (gbps * bytes) / (bytes + 82 * Math.ceil(bytes / mtu) + 16)

/** The print of ib_write_bw --report_gbits. */
export function perftestLog(gbps: number, bytes: number, mtu: number, pairs: number, device = 'mlx5_0'): string {
  const line = '-'.repeat(87)
  const rate = (gbps * 1e9) / 8 / bytes / 1e6
  return `${line}
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : ${device}
 Number of qps   : ${pairs}		Transport type : IB
 Connection type : RC		Using SRQ      : OFF
 PCIe relax order: ON
 TX depth        : 128
 CQ Moderation   : 100
 Mtu             : ${mtu}[B]
 Link type       : Ethernet
${line}
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 ${bytes}      5000             0.00               ${gbps.toFixed(2)}             ${rate.toFixed(6)}
${line}
`
}

interface NcclRow {
  readonly bytes: number
  readonly busGBs: number
  readonly wrong?: number
}

/** The print of all_reduce_perf. */
export function ncclLog(ranks: number, perServer: number, gpu: string, rows: readonly NcclRow[]): string {
  const factor = (2 * (ranks - 1)) / ranks
  const head = Array.from(
    { length: ranks },
    (_, i) =>
      `#  Rank ${`${i}`.padStart(2)} Group  0 Pid ${4000 + i} on  node${Math.floor(i / perServer)} device  ${i % perServer} [0000:18:00] ${gpu}`,
  )
  const lines = rows.map(({ bytes, busGBs, wrong = 0 }) => {
    const us = (bytes * factor) / busGBs / 1e3
    const shown = us < 100 ? us.toFixed(2) : us < 10_000 ? us.toFixed(1) : us.toFixed(0)
    const [algorithm, bus] = [bytes / Number(shown) / 1e3, (bytes / Number(shown) / 1e3) * factor]
    const group = `${shown.padStart(9)} ${algorithm.toFixed(2).padStart(7)} ${bus.toFixed(2).padStart(7)} ${`${wrong}`.padStart(7)}`
    return `${`${bytes}`.padStart(12)} ${`${bytes / 4}`.padStart(13)}     float     sum      -1${group}${group}`
  })
  const mean = rows.reduce((sum, { busGBs }) => sum + busGBs, 0) / rows.length
  return [...head, ...lines, '# Out of bounds values : 0 OK', `# Avg bus bandwidth    : ${mean.toFixed(4)}`, ''].join(
    '\n',
  )
}

type Story = (random: Random) => Drawn
const one = (
  planted: string,
  fabric: string,
  gbps: number,
  bytes: number,
  mtu: number,
  pairs: number,
  rest: Partial<Drawn> = {},
): Drawn => ({
  planted,
  fabric,
  file: 'w.log',
  parts: [],
  isOpen: false,
  healthy: [],
  groups: [
    [
      {
        file: 'w.log',
        text: perftestLog(gbps, bytes, mtu, pairs),
      },
    ],
  ],
  ...rest,
})

const RATES = [100, 200, 400] as const
const MTUS = [1024, 2048, 4096] as const
const LONG = [65_536, 131_072, 1_048_576] as const
/** Gb/s of a slot with MaxPayload 256, before what its link layer takes. */
const SLOTS = [
  ['Gen3 x8', 57.6],
  ['Gen4 x8', 115.2],
  ['Gen5 x4', 115.2],
  ['Gen4 x16', 230.4],
  ['Gen3 x16', 115.2],
] as const

const linkLimits: Story = (random) => {
  const [rate, mtu, bytes] = [pick(random, RATES), pick(random, MTUS), pick(random, LONG)]
  const gbps = noisy(random, onLink(rate, bytes, mtu) * 0.995)
  return one('link', `${rate}G RoCE, MTU ${mtu}, PCIe Gen5 x16`, gbps, bytes, mtu, 8, {
    parts: ['link'],
    healthy: ['pcie', 'queue-pair'],
  })
}

const slotLimits: Story = (random) => {
  const [slot, raw] = pick(random, SLOTS)
  const rate = raw < 100 ? 100 : raw < 200 ? 200 : 400
  const bytes = pick(random, LONG)
  return one('slot', `${rate}G RoCE port, PCIe ${slot}`, noisy(random, raw * 0.965), bytes, 4096, 4, {
    parts: ['pcie'],
    healthy: ['link', 'queue-pair'],
  })
}

const pairLimits: Story = (random) => {
  const bytes = pick(random, [4096, 8192, 16_384])
  const gbps = Math.min((bytes * 8) / 344.9, onLink(400, bytes, 4096))
  return one('queue pair', '400G RoCE ConnectX-7, MTU 4096, PCIe Gen5 x16', noisy(random, gbps), bytes, 4096, 1, {
    parts: ['queue-pair'],
    healthy: ['pcie', 'link'],
  })
}

const bridgeLimits: Story = (random) => {
  const isShared = random() < 0.5
  const logs = (isShared ? ['a', 'b'] : ['a']).map((name, i) => ({
    file: `${name}.log`,
    text: perftestLog(noisy(random, isShared ? 117 : 234), 1_048_576, 4096, 8, `mlx5_${i}`),
  }))
  const fabric = '400G RoCE, GPU memory; mlx5_0 PHB, mlx5_1 PHB'
  return {
    planted: 'bridge',
    fabric,
    groups: [logs],
    file: 'a.log',
    parts: ['host-path'],
    isOpen: false,
    healthy: ['link'],
  }
}

const trunkLimits: Story = (random) => {
  const rate = pick(random, [200, 400])
  const [count, isLossy] = [pick(random, [2, 3]), random() < 0.5]
  const fair = onLink(rate, 131_072, 4096) / count
  const gbps = noisy(random, isLossy ? fair * (0.83 + 0.04 * random()) : fair)
  const names = ['a', 'b', 'c'].slice(0, count)
  const protection = isLossy ? 'no PFC, no ECN; ConnectX-7, roce_slow_restart_en 1' : 'PFC, ECN'
  return {
    planted: isLossy ? 'lossy trunk' : 'trunk',
    fabric: `${rate}G RoCE, MTU 4096, two switches, one trunk of ${rate}G; ${protection}`,
    groups: [
      names.map((name) => ({
        file: `${name}.log`,
        text: perftestLog(gbps, 131072, 4096, 4),
      })),
    ],
    file: 'a.log',
    parts: [isLossy ? 'trunk-loss' : 'trunk'],
    isOpen: false,
    healthy: ['pcie', 'queue-pair', 'link'],
  }
}

const receiverShared: Story = (random) => {
  const [rate, isCollapse] = [pick(random, [25, 100, 200]), random() < 0.5]
  const full = onLink(rate, 65_536, 1024)
  const each = isCollapse ? full * (0.02 + 0.2 * random()) : full / 2
  const text = (gbps: number): string => perftestLog(noisy(random, gbps), 65_536, 1024, 4)
  return {
    planted: isCollapse ? 'loss at the receiver' : 'port of the receiver',
    fabric: `3 hosts with ${rate}G RoCE, one switch, ${isCollapse ? 'no PFC, no ECN' : 'PFC, ECN'}`,
    groups: [
      [
        {
          file: 'alone.log',
          text: text(full * 0.998),
        },
      ],
      [
        {
          file: 'a.log',
          text: text(each),
        },
        {
          file: 'b.log',
          text: text(each),
        },
      ],
    ],
    file: 'a.log',
    parts: [isCollapse ? 'receiver-loss' : 'receiver-port'],
    isOpen: false,
    healthy: ['pcie', 'queue-pair', 'link'],
  }
}

const slowedNic: Story = (random) => {
  const rate = pick(random, RATES)
  return one('slowed NIC', `${rate}G RoCE, PCIe Gen5 x16, no switch`, rate * (0.05 + 0.3 * random()), 65_536, 4096, 8, {
    parts: ['nic'],
    healthy: ['pcie', 'link', 'trunk'],
  })
}

/** Something that no log shows: nothing may be named. */
const unexplained: Story = (random) => {
  const rate = pick(random, RATES)
  const gbps = onLink(rate, 1_048_576, 4096) * (0.55 + 0.35 * random())
  return one('unexplained', `${rate}G RoCE, MTU 4096, two switches`, gbps, 1_048_576, 4096, 8, {
    healthy: ['link', 'queue-pair', 'pcie', 'trunk'],
  })
}

const withheld: Story = (random) => {
  const rate = pick(random, RATES)
  return one('withheld', 'RoCE, MTU 4096', noisy(random, onLink(rate, 65_536, 4096)), 65_536, 4096, 8, {
    isOpen: true,
  })
}

const SIZES = Array.from({ length: 8 }, (_, i) => 2 ** (27 + i))
const collective = (
  planted: string,
  random: Random,
  shareOf: (bytes: number) => number,
  rest: Partial<Drawn>,
  wrong = 0,
): Drawn => {
  const [nics, servers] = [pick(random, [4, 8]), pick(random, [2, 3, 4])]
  const full = nics * 50 * (4096 / (4096 + 82))
  const rows = SIZES.map((bytes) => ({ bytes, busGBs: noisy(random, full * shareOf(bytes)), wrong }))
  const text = ncclLog(nics * servers, nics, 'NVIDIA H100 80GB HBM3', rows)
  return {
    planted,
    fabric: `${nics}x400G RoCE x ${servers} servers`,
    groups: [
      [
        {
          file: 'nccl.log',
          text,
        },
      ],
    ],
    file: 'nccl.log',
    parts: [],
    isOpen: false,
    healthy: [],
    ...rest,
  }
}
/** A healthy ring by the size: time of a call beside its bytes. */
const healthyShare = (bytes: number): number => 0.955 * Math.min(1, bytes / (bytes + 12e6))

const STORIES: readonly Story[] = [
  linkLimits,
  slotLimits,
  pairLimits,
  bridgeLimits,
  trunkLimits,
  receiverShared,
  slowedNic,
  unexplained,
  withheld,
  (random) =>
    collective('ring', random, healthyShare, { parts: ['link', 'nccl'], healthy: ['nics-used', 'algorithm'] }),
  (random) => {
    const share = 0.9 + 0.05 * random()
    return collective('one NIC', random, () => share / 8, { parts: ['nics-used'], healthy: ['link', 'algorithm'] })
  },
  (random) => {
    const at = pick(random, SIZES.slice(2, 5))
    const shareOf = (bytes: number): number => healthyShare(bytes) * (bytes === at ? 0.55 : 1)
    return collective('dip', random, shareOf, { parts: ['algorithm'], healthy: ['link', 'nics-used'] })
  },
  (random) => {
    const at = pick(random, SIZES.slice(2, 5))
    const shareOf = (bytes: number): number => healthyShare(bytes) * (bytes >= at ? 0.1 : 1)
    return collective('collapse', random, shareOf, { parts: ['protocol'], healthy: ['link', 'nics-used'] })
  },
  (random) => collective('wrong values', random, healthyShare, { isOpen: true }, 3),
  (random) => ({ ...collective('fabric withheld', random, healthyShare, { isOpen: true }), fabric: 'unknown' }),
]

/** The case of a seed: stories in turn. */
export function drawCase(seed: number): Drawn {
  const random = randomOf(seed)
  const drawn = STORIES[seed % STORIES.length]!(random)
  // A rate of an eighth of the NICs is one NIC of eight, and half a NIC of four.
  return drawn.planted === 'one NIC' && drawn.fabric.startsWith('4x') ? drawCase(seed + 1000 * STORIES.length) : drawn
}
