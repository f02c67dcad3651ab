/**
 * Files that are read and written again, word for word: our own clean ones, and samples that the project does not ship. Those
 * are read from a folder beside the checkout, or from the one that ROCELAB_SHARED names; without it they are skipped, with
 * a warning. Lines may stand in another order. Lines that no value decides are listed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { host } from '../../diagnosis/rules/planted/clean.test-data.ts'
import { MIXED } from '../../diagnosis/rules/planted/mixed.test-data.ts'
import { writerOf } from './index.ts'
import { filesOf, optionsOf, readFiles } from './round-trip.test-data.ts'
import type { Peer, WrittenFile } from './writer.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../../shared')
const SAMPLES = path.join(SHARED, 'data/doctor')
const missing = !existsSync(SAMPLES)
if (missing) console.warn(`samples of writers: skipped, missing ${SAMPLES}`)

interface Sample {
  readonly files: () => readonly WrittenFile[]
  readonly language: string
  readonly variant: string
  /** Names of ports that a list of links has. */
  readonly ports?: readonly string[]
  readonly peers?: Readonly<Record<string, Peer>>
  /** By purpose. */
  readonly names?: Readonly<Record<string, string>>
  /** Files of the sample, and how the writer calls them. */
  readonly pairs: Readonly<Record<string, string>>
  /** Lines of the sample, and lines that are written, that no value decides. */
  readonly notSaid?: readonly RegExp[]
  readonly added?: readonly RegExp[]
}

const folder = (name: string) => (): WrittenFile[] =>
  readdirSync(path.join(SAMPLES, name)).map((file) => ({
    file,
    text: readFileSync(path.join(SAMPLES, name, file), 'utf8'),
  }))
const single = (name: string, file: string) => (): WrittenFile[] => folder(name)().filter((one) => one.file === file)

const NIC = {
  language: 'mlnx_qos',
  variant: 'new',
  ports: ['eth1p0'],
  names: { 'rdma-device eth1p0': 'mlx5_1' },
} as const
const QOS = { 'mlnx_qos.txt': 'mlnx_qos.txt' }
const JUNOS_NAMES = {
  'forwarding-class 3': 'NO-LOSS',
  'forwarding-class 6': 'CNP',
  'dscp-classifier': 'CL-ROCE',
  'drop-profile': 'DP-ECN',
  'congestion-notification-profile': 'PFC3',
  'scheduler-map': 'SM',
  'scheduler 3': 'S-ROCE',
  'scheduler 6': 'S-CNP',
}

const CLEAN: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(host('h1', 'leaf1', 'Ethernet0')).map(([file, text]) => [file.slice(3), text]),
)

const OWN: Readonly<Record<string, Sample>> = {
  'a host of mlx5': {
    ...NIC,
    // The interface in it that is not in the fabric would make the files name their ports.
    files: () => filesOf({ ...CLEAN, 'rdma-link.txt': CLEAN['rdma-link.txt']!.replace(/^link mlx5_0.*\n/, '') }),
    ports: ['eth1'],
    peers: { eth1: { device: 'leaf1', port: 'Ethernet0' } },
    pairs: {
      ...Object.fromEntries(Object.keys(CLEAN).map((file) => [file, file])),
      'fec.txt': 'ethtool-fec.txt',
      'tunable.txt': 'ethtool-tunable.txt',
    },
    notSaid: [/ lo: /, /^Interface: /, /^PortID: /],
    added: [/link\/ether/, /^Interface: /, /^PortID: /],
  },
  'a leaf of Junos': {
    files: () => filesOf({ 'running.conf': MIXED['leaf-j/running.conf']! }),
    language: 'junos',
    variant: 'braces',
    names: JUNOS_NAMES,
    pairs: { 'running.conf': 'running.conf' },
    // Beside a strict priority a share decides nothing.
    notSaid: [/^transmit-rate percent 5;$/],
  },
}

/** Lines with identifiers and versions, and counters. */
const IDENTIFIERS: readonly RegExp[] = [
  /hw_counters/,
  /^(?:fw_ver|node_guid|sys_image_guid|vendor_id|vendor_part_id|hw_ver|board_id|sm_lid|port_lid|port_lmc):/,
  /^(?:ChassisID|SysDescr|Capability|PortDescr):/,
]

const SHARED_SAMPLES: Readonly<Record<string, Sample>> = {
  gpu01: {
    ...NIC,
    files: folder('pod-a/gpu01'),
    peers: { eth1p0: { device: 'leaf-s', port: 'Ethernet0' } },
    pairs: {
      'mlnx_qos.txt': 'mlnx_qos-eth1p0.txt',
      'cma_roce_tos.txt': 'cma_roce_tos-eth1p0.txt',
      ...Object.fromEntries(
        [
          'ethtool-a.txt',
          'ibv_devinfo.txt',
          'lldpcli.txt',
          'nccl.env',
          'rdma-link.txt',
          'show_gids.txt',
          'sysfs.txt',
        ].map((file) => [file, file]),
      ),
    },
    notSaid: IDENTIFIERS,
    // A host with several interfaces has a command in front of each file of one; the speed is among counters there.
    added: [/^# /, /gid_attrs\/ndevs/, /eth1p0\/speed:400000$/],
  },
  gpu02: { ...NIC, files: folder('pod-a/gpu02'), pairs: { ...QOS, 'commands.sh': 'commands.sh' } },
  gpu03: {
    files: folder('pod-a/gpu03'),
    language: 'niccli',
    variant: 'usual',
    pairs: { 'niccli-qos.txt': 'niccli-qos.txt' },
    notSaid: [/^TC Rate Limit/],
    added: [/^TC Rate Limit/],
  },
  gpu04: {
    files: folder('pod-a/gpu04'),
    language: 'nicctl',
    variant: 'usual',
    pairs: { 'nicctl-qos.txt': 'nicctl-qos.txt' },
    notSaid: [/^(?:NIC|Port) :/],
    added: [/^(?:NIC|Port) :/],
  },
  gpu05: {
    files: folder('pod-a/gpu05'),
    language: 'lldptool',
    variant: 'usual',
    pairs: { 'lldptool-pfc.txt': 'lldptool-pfc.txt' },
  },
  gpu06: {
    ...NIC,
    files: folder('pod-a/gpu06'),
    pairs: { ...QOS, 'ethtool-a.txt': 'ethtool-a.txt' },
    // Releases call the room for all buffers by two names.
    notSaid: [/,total_size=/],
    added: [/,max_buffer_size=/],
  },
  gpu07: { ...NIC, files: folder('pod-a/gpu07'), pairs: { ...QOS, 'ethtool-a.txt': 'ethtool-a.txt' } },
  'old mlnx_qos': {
    ...NIC,
    files: single('forms', 'mlnx_qos-old.txt'),
    variant: 'old',
    pairs: { 'mlnx_qos-old.txt': 'mlnx_qos.txt' },
    added: [/^# /],
  },
  dcb: {
    files: single('forms', 'dcb.json'),
    language: 'host',
    variant: 'usual',
    pairs: { 'dcb.json': 'dcb.json' },
  },
  'leaf-j': {
    files: folder('pod-a/leaf-j'),
    language: 'junos',
    variant: 'braces',
    names: JUNOS_NAMES,
    peers: { 'et-0/0/63': { device: 'spine-s', port: 'Ethernet20' } },
    pairs: { 'running.conf': 'running.conf' },
    notSaid: [/^\/\*/, /^description gpu07;$/, /^transmit-rate percent 5;$/],
  },
}

const linesOf = (text: string, without: readonly RegExp[]): string[] =>
  text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '' && !without.some((pattern) => pattern.test(line)))
    .toSorted()

/** Lines of the sample, and of what is written, by file. */
function compared({ files, language, variant, ports, peers, names = {}, pairs, notSaid = [], added = [] }: Sample) {
  const sample = files()
  const options = optionsOf(variant, peers)
  const config = readFiles(language === 'junos' ? 'leaf-j' : 'gpu', sample, ports).config
  const written = writerOf(language)!.write(config, {
    ...options,
    nameOf: (purpose) => names[purpose] ?? options.nameOf(purpose),
  })
  const textOf = (all: readonly WrittenFile[], name: string): string =>
    all.find(({ file }) => file === name)?.text ?? `no ${name}`
  return {
    expected: Object.keys(pairs).map((from) => [from, ...linesOf(textOf(sample, from), notSaid)]),
    found: Object.entries(pairs).map(([from, to]) => [from, ...linesOf(textOf(written, to), added)]),
  }
}

test.each(Object.entries(OWN))('our own: %s', (_, sample) => {
  const { expected, found } = compared(sample)
  expect(found).toEqual(expected)
})

describe.skipIf(missing)('samples', () => {
  test.each(Object.entries(SHARED_SAMPLES))('%s', (_, sample) => {
    const { expected, found } = compared(sample)
    expect(found).toEqual(expected)
  })
})
