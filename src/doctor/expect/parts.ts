/** Parts of a path that limit a rate, and what would confirm that one does: data, with the words of people. */
import type { Status } from '../../core/hardware/index.ts'
import type { FactName } from './fabric-line.ts'

interface Confirm {
  readonly command: string
  /** Meaning of its answers. */
  readonly means: string
}

interface Part {
  readonly name: string
  readonly confirm: readonly Confirm[]
}

const DROPS: Confirm = {
  command: 'rdma statistic before and after: packet_seq_err, out_of_sequence, local_ack_timeout_err',
  means: 'growth: packets are lost on the way; none: no loss',
}
const REGISTER: Confirm = {
  command: 'mlxreg -d DEVICE --reg_name ROCE_ACCL --get',
  means: 'roce_slow_restart_en 1: each loss halves the rate; 0: losses cost far more',
}
const ALONE: Confirm = {
  command: 'the same run alone',
  means: 'full rate: it is what they share; less: the path of this one',
}
const LOCAL: Confirm = {
  command: 'the same run once more, pinned to the processor of the NIC (numactl), with --use_hugepages',
  means: 'faster: memory or processor; the same: the NIC or the path',
}

/** In the order of a path. */
export const PARTS = {
  posting: {
    name: 'posting of work requests by a core',
    confirm: [
      {
        command: 'the same with -q 8, then with two processes',
        means: 'twice the rate with two: a core posts no faster',
      },
      { command: 'the same with --post_list 64', means: 'more: each call costs' },
    ],
  },
  'queue-pair': {
    name: 'work requests of a queue pair',
    confirm: [{ command: 'the same with -q 8', means: 'the rate of the link: one queue pair issues no faster' }],
  },
  depth: {
    name: 'requests outstanding',
    confirm: [{ command: 'the same with -t 512', means: 'more: too few were outstanding for the round trip' }],
  },
  pcie: {
    name: 'PCIe slot',
    confirm: [
      { command: 'lspci -vv: LnkSta, MaxPayload of the NIC', means: 'width and speed below LnkCap: the slot limits' },
      { command: 'mlxlink -d DEVICE --port_type PCIE -c', means: 'errors: the slot repeats' },
    ],
  },
  'host-path': {
    name: 'path through the host bridge',
    confirm: [
      { command: 'nvidia-smi topo -m', means: 'PIX or PXB to the NIC: a better one is there' },
      { command: 'lspci -vv | grep ACSCtl', means: 'SrcValid+: traffic between devices goes through the processor' },
      { command: 'one NIC at a time', means: 'twice the rate: they share the bridge' },
    ],
  },
  nic: {
    name: 'the NIC itself, or its host',
    confirm: [
      { command: 'dmesg | grep -iE "power|thermal|temperature"', means: 'a limit of power or heat: the NIC is slowed' },
      { command: 'mlxlink -d DEVICE -m; ethtool -i of both ends', means: 'another firmware or a hot NIC at one end' },
      { command: 'the same with sender and receiver swapped', means: 'it moves with one host: that one' },
    ],
  },
  link: {
    name: 'link of the NIC',
    confirm: [
      {
        command: 'ethtool DEVICE: Speed; ibv_devinfo: active_width, active_mtu',
        means: 'another rate or MTU than given',
      },
    ],
  },
  trunk: { name: 'trunk between the switches', confirm: [ALONE] },
  'trunk-loss': {
    name: 'loss on the trunk',
    confirm: [
      {
        command: 'rdma statistic: roce_slow_restart_cnps, packet_seq_err, rp_cnp_handled',
        means: 'all rise together: each loss cuts the rate',
      },
      { command: 'drops of the trunk port, at the switch', means: 'growth: its queue overflows' },
    ],
  },
  'receiver-port': { name: 'port of the receiver, shared', confirm: [ALONE] },
  'receiver-loss': {
    name: "loss at the receiver's port",
    confirm: [
      DROPS,
      REGISTER,
      { command: 'drops of the egress port, at the switch', means: 'growth: its queue overflows' },
    ],
  },
  receiver: { name: 'host of the receiver', confirm: [] },
  'nics-used': {
    name: 'NICs that NCCL uses, and how',
    confirm: [
      { command: 'NCCL_DEBUG=INFO: lines "NET/IB : Using"', means: 'fewer than all NICs: the rest is idle' },
      {
        command: 'NCCL_DEBUG=INFO: /GDRDMA on every channel; lsmod | grep peermem',
        means: 'missing: data go through the memory of the host',
      },
      { command: 'port_xmit_data of each device during a run', means: 'one grows and others do not: one is used' },
    ],
  },
  'one-nic': { name: 'one NIC, if NCCL used no other', confirm: [] },
  inside: { name: 'links inside a server', confirm: [] },
  nccl: {
    name: "NCCL's own model of its steps",
    confirm: [{ command: 'NCCL_DEBUG_SUBSYS=TUNING', means: 'which algorithm and protocol it takes for each size' }],
  },
  algorithm: {
    name: 'choice of algorithm by size',
    confirm: [
      { command: 'NCCL_DEBUG_SUBSYS=TUNING', means: 'another algorithm or protocol from the size of the dip on' },
      {
        command: 'NCCL_ALGO=Ring and NCCL_ALGO=Tree (NVLSTree), three sizes each',
        means: 'one of them without the dip: force it there',
      },
    ],
  },
  protocol: {
    name: 'longer messages from a size on',
    confirm: [
      {
        command: 'NCCL_PROTO=Simple -b 8M -e 128M',
        means: 'smaller sizes fall, too: long messages are the trouble, not the size',
      },
      DROPS,
      { command: 'rx_prioN_pause and tx_prioN_pause of both ends, before and after', means: 'growth: they are paused' },
    ],
  },
} as const satisfies Readonly<Record<string, Part>>
export type PartId = keyof typeof PARTS

export const UNEXPLAINED: readonly Confirm[] = [LOCAL]
export type { Confirm }

/** The rate that a part allows: between two rates where something is not known to a number; unknown altogether without them. */
export interface Ceiling {
  readonly part: PartId
  /** Bit/s of payload. */
  readonly fromBps: number | null
  readonly toBps: number | null
  /** The sum, with its numbers. */
  readonly form: string
  /** exact: from sizes of headers alone. assumed: by a value of other hardware. */
  readonly status: Status | 'exact' | 'assumed'
  readonly source: string
  /** Facts that would make it known. */
  readonly needs: readonly FactName[]
}

export const unknownPart = (part: PartId, needs: readonly FactName[], form = ''): Ceiling => ({
  part,
  fromBps: null,
  toBps: null,
  form,
  status: 'guess',
  source: '',
  needs,
})
