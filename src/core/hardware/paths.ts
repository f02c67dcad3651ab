/** Parts between a NIC and the memory it reads and writes, and around it. */
import { derived, type Known, measured, vendor } from './known.ts'

/** Per lane and direction, before encoding, bit/s. Later generations send flits, whose overhead is not published as a form. */
const LANE_BPS: Readonly<Record<number, number>> = { 3: 8e9, 4: 16e9, 5: 32e9 }
/** Header and framing of a write, bytes. */
const WRITE_OVERHEAD_BYTES = 24
/** Share left by acknowledgements and credits of the link layer. */
export const PCIE_EFFICIENCY: Known<number> = derived(
  0.971,
  'capetron/gb10-cluster-guide: Gen5 x4 carries 111.86 Gb/s; Gen5 x16 of a ConnectX-8 440 of 447.6 (torchcomms#3054)',
)

/**
 * Payload rate of a slot, bit/s; undefined: a generation without a form.
 * @param maxPayloadBytes of LnkCap in lspci -vv: 128, 256, 512
 */
export function pcieBps(generation: number, lanes: number, maxPayloadBytes: number): number | undefined {
  const lane = LANE_BPS[generation]
  if (lane === undefined) return undefined
  const payload = maxPayloadBytes / (maxPayloadBytes + WRITE_OVERHEAD_BYTES)
  return lane * lanes * (128 / 130) * payload * PCIE_EFFICIENCY.value
}

/** Paths of nvidia-smi topo -m that go through the host bridge or a link between processors. */
export const THROUGH_HOST = new Set(['PHB', 'NODE', 'SYS'])
export const HOST_BRIDGE_BPS: Known<number> = measured(234e9, 'nccl#2310: one H100 server, also shared by two NICs')

/** A crossing of a switch with its cable. */
export const SWITCH_CROSSING_NS: Known<number> = measured(
  269,
  'IBM/tulips: SX6030, from 1,632 to 2,170 ns there and back',
)

/** Time of a small message there and back, between two hosts at one switch. */
export const ROUND_TRIP_NS: Known<readonly [from: number, to: number]> = measured(
  [1600, 2200],
  'IBM/tulips: ConnectX-5, direct and through a switch',
)

/** Work requests that one core posts in a second, with lists of 128. */
export const POSTS_PER_SECOND: Known<number> = measured(7.5e6, 'perftest#273: 8 bytes, post list 128, its NIC unknown')

/** Share of a trunk that NICs carry over it where loss, and nothing else, slows them: each loss halves the rate. */
export const LOSSY_TRUNK_SHARE: Known<readonly [from: number, to: number]> = derived(
  [0.82, 0.88],
  'runs of two flows with DCQCN of ConnectX and a cut by half for each loss, buffers of 256 KiB to 16 MiB; measured: 0.835',
)

/** Rings of NCCL inside a server of eight H100, and with reductions in its switches. */
export const INSIDE_H100_BPS: Known<readonly [ring: number, nvls: number]> = vendor(
  [370 * 8e9, 480 * 8e9],
  'nccl-tests#212',
)
