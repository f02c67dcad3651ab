/** Doors: everything that reads what a stranger has written, one row each. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { headroomNeed } from '../../../src/doctor/platforms/headroom-need.ts'
import { Draw } from '../../../src/core/base/draw.ts'
import { createRandomStreams } from '../../../src/core/base/random.ts'
import { TAR_XZ, zipOf } from '../../../src/cli/doctor/packed.test-data.ts'
import { Script } from '../../../src/live/decode/script.test-data.ts'
import { encoded as encodedGoal } from '../../../src/importers/goal/encode.test-data.ts'
import { importers } from '../../../src/importers/index.ts'
import { SAMPLES } from '../../../src/importers/samples.test-files.ts'
import { readFaultScript } from '../../../src/live/index.ts'
import { LineReader, readLine } from '../../../src/live/tools/lines.ts'
import { readOffer, readRecords } from '../../../src/live/tools/perf-offer.ts'
import { readMesh } from '../../../src/live/tools/ping-summary.ts'
import { edgesText, HOST_LANGUAGES, makeFolder, SWITCH_LANGUAGES } from '../../../src/doctor/diagnosis/make/index.ts'
import { parseScenario } from '../../../src/lab/scenario/index.ts'
import { drawFrame } from '../../../src/core/wire/drawn-frames.test-data.ts'
import { type CapturedFrame, dissect, readConnectionMad, readFrame, writePcapng } from '../../../src/core/wire/index.ts'
import { ENCAPSULATIONS, pcapOf } from '../../capture/encapsulations.ts'
import { HOSTILE_NAMES, LEAVING_NAMES } from './spoil.ts'

export type Files = Readonly<Record<string, Uint8Array>>

interface Base {
  readonly name: string
  /** Inputs of a hundred thousand. */
  readonly share: number
  /** How a file is spoilt; both: one or the other. */
  readonly spoil: 'text' | 'bytes' | 'both'
  /** As they should be. */
  readonly files: (seed: number) => Files | Promise<Files>
  /** Whether some are refused as they should be: with entries that lead out. */
  readonly mayRefuse?: boolean
  /** Which of them are spoilt; absent: all. */
  readonly victims?: RegExp
}
/** A command, in a folder with the files; VICTIM stands for the file that is spoilt. */
export interface CommandDoor extends Base {
  readonly runs: readonly (readonly string[])[]
  /** Files and folders that it may write. */
  readonly writes?: readonly string[]
  /** Whether files get names of strangers, too. */
  readonly renames?: boolean
}
/** A function that gets the file. */
export interface FunctionDoor extends Base {
  readonly read: (bytes: Uint8Array, files: Files, file: string) => void
}
export type Door = CommandDoor | FunctionDoor

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..')
const encoded = (text: string): Uint8Array => Buffer.from(text)
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const fileIn = (...names: readonly string[]): Uint8Array => readFileSync(path.join(ROOT, ...names))
/** Files of a folder of the project below a name. */
const below = (name: string, folder: string, ending = ''): Files =>
  Object.fromEntries(
    readdirSync(path.join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
      .map((entry) => [`${name}${entry.name}`, fileIn(folder, entry.name)]),
  )

/** A drawn fabric as files of its devices. */
function drawn(seed: number): Record<string, Uint8Array> {
  const languages = [SWITCH_LANGUAGES[seed % SWITCH_LANGUAGES.length]!]
  const hostLanguages = [HOST_LANGUAGES[seed % HOST_LANGUAGES.length]!]
  const folder = makeFolder({ seed, hosts: 2, languages, hostLanguages, faults: [], headroomNeed })
  return {
    'in/edges.csv': encoded(edgesText(folder)),
    'in/collected.tsv': encoded(`path\ttime\tcommand\n${folder.files[0]!.file}\t2026-11-29T03:12:44Z\tshow run\n`),
    ...Object.fromEntries(folder.files.map(({ file, text }) => [`in/${file}`, encoded(text)])),
  }
}

/** A drawn fabric as an archive of each kind, with entries that lead out of it. */
async function archives(seed: number): Promise<Files> {
  const draw = new Draw(seed, 'archives')
  const entries = Object.entries(drawn(seed)).map(([file, bytes]) => [file.slice('in/'.length), textOf(bytes)] as const)
  const strange = draw.one([...HOSTILE_NAMES, ...LEAVING_NAMES])
  const link = draw.one(['symlink', 'link', 'fifo', 'character-device', 'directory'] as const)
  const files = Object.fromEntries([...entries, ...(draw.chance(0.5) ? [[strange, 'x'] as const] : [])])
  const tar = await packTar([
    ...Object.entries(files).map(([name, body]) => ({ header: { name, size: Buffer.byteLength(body) }, body })),
    ...(draw.chance(0.5)
      ? [{ header: { name: draw.one([strange, 'gpu1/x']), size: 0, type: link, linkname: draw.one(LEAVING_NAMES) } }]
      : []),
  ])
  return {
    'in.zip': zipOf(files),
    'in.tar': tar,
    'in.tar.gz': gzipSync(tar),
    'in.tar.xz': Buffer.from(TAR_XZ, 'base64'),
    'in.gz': gzipSync(entries.find(([file]) => file.includes('/'))![1]),
  }
}

const FRAMES = new Script()
  .write(1)
  .write(2)
  .ack(2, 2)
  .write(3)
  .ack(3, 2, 0x60)
  .write(3)
  .read(5, 512)
  .answer(16, 5, { aeth: { syndrome: 0x1f, msn: 5 } }, { bytes: 512 })
  .write(6)
  .ack(6, 5, 0x62)
  .records.map(({ bytes }) => bytes)

/** Captures in all outer headers, and in both formats. */
function captures(seed: number): Files {
  const picked = ENCAPSULATIONS.filter((_, i) => i % 8 === seed % 8)
  const seen = FRAMES.length
  const port = { name: 'a', rateBps: 1e11, snapBytes: 0, fcsBytes: 0, seen, leftOut: 0 }
  const head = { application: 'rocelab 1', comment: 'x', interfaces: [port] }
  const frameAt = (i: number): CapturedFrame => {
    const bytes = FRAMES[i]!
    const direction = i % 2 === 0 ? 'in' : 'out'
    return { port: 0, timePs: i * 1e7, direction, hasCrcError: false, sizeBytes: bytes.length, bytes, comment: '' }
  }
  return {
    ...Object.fromEntries(picked.map(({ link = 1, wrap }, i) => [`${i}.pcap`, pcapOf(link, FRAMES.map(wrap))])),
    'a.pcapng': writePcapng(head, seen, frameAt),
  }
}

const EDGES = 'device_a,port_a,device_b,port_b,cable_m\na,1,b,1,5\nb,2,c,1,5\nc,2,d,1,5\n'
const COUNTERS = `device,port,priority,name,value,time_ns\n${['a', 'b', 'c', 'd']
  .flatMap((device, i) =>
    [0, 1e6, 2e6].flatMap((time) =>
      ['txBytes', 'rxBytes', 'pfcRxFrames', 'pfcTxFrames', 'pauseRxUs', 'dropOut'].map(
        (name, j) => `${device},${1 + (j % 2)},3,${name},${time * (i + j)},${time}`,
      ),
    ),
  )
  .join('\n')}\n`
const PROBES = `time_ns,source,destination,scope,status,rtt_ns\n${Array.from({ length: 60 }, (_, i) => `${i * 1000},host ${i % 4},host ${(i + 1) % 4},${i % 2 === 0 ? 'tor' : 'fabric'},${i % 9 === 0 ? 'retry-exceeded' : 'ok'},${5000 + i}`).join('\n')}\n`

const IMPORTS: readonly (readonly [string, string, Record<string, string>, RegExp])[] = [
  ['hpcc', 'run/config.txt', {}, /^run\//],
  ['hpcc', 'cw/config.txt', { dialect: 'conweave' }, /^cw\//],
  ['topology', 'simai.txt', { dialect: 'simai' }, /^simai.txt/],
  ['topology', 'datacenter.txt', { dialect: 'ns3-datacenter' }, /^datacenter.txt/],
  ['htsim', 'leaf-spine.topo', {}, /^leaf-spine/],
  ['htsim', 'bundles.topo', {}, /^bundles/],
  ['htsim', 'chain.cm', {}, /^chain/],
  ['htsim', 'messages.cm', {}, /^messages/],
  ['cdf', 'percent.txt', {}, /^percent/],
  ['simai', 'step.txt', {}, /^step/],
  ['simai', 'micro.txt', { gpus: '4', tuner: 'nccl_tuner.conf' }, /^(?:micro|nccl)/],
  ['chakra', 'job', { groups: 'groups.json' }, /^(?:job|groups)/],
  ['goal', 'ring.goal', {}, /^ring.goal/],
  ['goal', 'ring.bin', {}, /^ring.bin/],
]

/** Input of an importer, from memory. */
const importDoor = ([name, at, options, victims]: (typeof IMPORTS)[number]): FunctionDoor => ({
  name: `import ${name}: ${at}`,
  share: 2000,
  spoil: at.endsWith('.bin') ? 'bytes' : 'both',
  victims,
  files: () => ({
    ...Object.fromEntries(Object.entries(SAMPLES).map(([file, text]) => [file, encoded(text)])),
    'ring.goal': fileIn('scenarios/ccl/ring-in-turn.goal'),
    'ring.bin': encodedGoal(textOf(fileIn('scenarios/ccl/ring-in-turn.goal'))),
  }),
  read: (bytes, files, file) => {
    const all: Files = { ...files, [file]: bytes }
    const readBytes = (asked: string): Uint8Array | undefined => (Object.hasOwn(all, asked) ? all[asked] : undefined)
    const readFile = (asked: string): string | undefined => readBytes(asked) && textOf(readBytes(asked)!)
    importers.find((one) => one.name === name)!.import({ path: at, options, readFile, readBytes })
  },
})

const frames = (): Files => {
  const random = createRandomStreams(7).stream('frames')
  const wrapped = ENCAPSULATIONS.map(({ wrap }, i) => [`${i}`, wrap(FRAMES[i % FRAMES.length]!)] as const)
  return Object.fromEntries([
    ...Array.from({ length: 60 }, (_, i) => [`drawn ${i}`, drawFrame(random).bytes] as const),
    ...wrapped,
  ])
}
const LINES: Files = {
  ping: encoded('{"rocelab":"ping","version":1,"port":5000,"qp":17,"psn":0}\n'),
  perf: encoded(
    '{"rocelab":"perf","version":1,"program":"ib_write_bw","pairs":1,"iterations":10,"size":64,"mtu":1024,"recovery":"go-back-n","congestion":"none","rateBps":1000000000,"records":[{"qp":17,"psn":0,"key":1,"address":4096}]}\n',
  ),
}

export const DOORS: readonly Door[] = [
  {
    name: 'doctor: folder',
    share: 5000,
    spoil: 'both',
    files: drawn,
    renames: true,
    runs: [
      ['doctor', 'in'],
      ['doctor', 'in', '--format', 'json'],
      ['doctor', 'in', '--format', 'sarif'],
    ],
  },
  {
    name: 'doctor: page, redacted copy',
    share: 300,
    spoil: 'both',
    files: drawn,
    renames: true,
    writes: ['out', 'out.html'],
    runs: [
      ['doctor', 'in', '--format', 'html', '--out', 'out.html'],
      ['doctor', 'in', '--redact', 'out'],
    ],
  },
  {
    name: 'doctor: archive',
    share: 5000,
    spoil: 'bytes',
    files: archives,
    mayRefuse: true,
    runs: [
      ['doctor', 'VICTIM'],
      ['doctor', 'VICTIM', '--format', 'json'],
    ],
  },
  {
    name: 'doctor: accepted findings',
    share: 500,
    spoil: 'text',
    files: (seed) => ({ ...drawn(seed), 'accepted.yaml': encoded('- id: MTU01\n  reason: known\n  device: gpu1\n') }),
    victims: /^accepted/,
    runs: [['doctor', 'in', '--suppress', 'accepted.yaml']],
  },
  {
    name: 'doctor: edges.csv, collected.tsv',
    share: 2000,
    spoil: 'text',
    files: drawn,
    victims: /^in\/(?:edges|collected)/,
    runs: [['doctor', 'in']],
  },
  {
    name: 'drift',
    share: 1000,
    spoil: 'both',
    files: drawn,
    renames: true,
    runs: [
      ['drift', 'in'],
      ['drift', 'in', '--json'],
    ],
  },
  {
    name: 'scenario --from',
    share: 1000,
    spoil: 'both',
    files: drawn,
    renames: true,
    runs: [['scenario', '--from', 'in']],
  },
  {
    name: 'counters, locate',
    share: 1500,
    spoil: 'both',
    files: () => ({ 'in/edges.csv': encoded(EDGES), 'in/counters.csv': encoded(COUNTERS) }),
    runs: [
      ['counters', 'in', '--all'],
      ['locate', 'in'],
      ['locate', 'in', '--json'],
      ['counters', 'in', '--json'],
    ],
  },
  {
    name: 'pingmesh',
    share: 1200,
    spoil: 'both',
    files: () => ({ 'a.csv': encoded(PROBES) }),
    runs: [
      ['pingmesh', 'a.csv'],
      ['pingmesh', 'a.csv', '--json'],
    ],
  },
  ...IMPORTS.map(importDoor),
  {
    name: 'scenario: text',
    share: 8000,
    spoil: 'text',
    files: () => below('', 'scenarios', '.yaml'),
    read: (bytes) => void parseScenario(textOf(bytes)),
  },
  {
    name: 'check',
    share: 100,
    spoil: 'text',
    files: () => below('', 'scenarios', '.yaml'),
    runs: [['check', 'VICTIM']],
  },
  {
    name: 'decode',
    share: 2000,
    spoil: 'bytes',
    files: captures,
    runs: [
      ['decode', 'VICTIM'],
      ['decode', 'VICTIM', '--json'],
      ['decode', 'VICTIM', '--explain'],
      ['decode', 'VICTIM', '--findings'],
    ],
  },
  {
    name: 'result folder',
    share: 400,
    spoil: 'both',
    files: () => ({}),
    victims: /^res\//,
    writes: ['page.html', 'figures'],
    runs: [
      ['explain', 'res'],
      ['explain', 'res', '--json'],
      ['compare', 'res', 'res'],
      ['report', 'res', '--out', 'page.html'],
      ['plot', 'res', '--out', 'figures'],
    ],
  },
  {
    name: 'fault script',
    share: 12_000,
    spoil: 'text',
    files: () => below('', 'scenarios/faults', '.yaml'),
    read: (bytes) => void readFaultScript(textOf(bytes), 'f'),
  },
  {
    name: 'frames',
    share: 20_000,
    spoil: 'bytes',
    files: frames,
    read: (bytes) => {
      readFrame(bytes)
      for (const link of ['ethernet', 'ip', 'cooked', 'cooked-2', 'loopback', 'ppp', 'hdlc'] as const)
        dissect(bytes, link)
      readConnectionMad(bytes)
      readConnectionMad(bytes.subarray(Math.max(0, bytes.length - 260)))
    },
  },
  {
    name: 'lines of ping and perf',
    share: 8000,
    spoil: 'both',
    files: () => LINES,
    read: (bytes) => {
      for (const line of new LineReader().take(bytes) ?? []) {
        const fields = readLine(line)
        if (fields === null) continue
        readOffer(fields)
        readRecords(fields, 1)
      }
    },
  },
  {
    name: 'mesh of ping',
    share: 4000,
    spoil: 'both',
    files: () => ({ mesh: encoded('a 10.0.0.1 tor1\nb fe80::1 tor2\n# x\nc 10.0.0.3\n') }),
    read: (bytes) => void readMesh(textOf(bytes)),
  },
]
