/**
 * decode FILE...: captures of real RoCEv2 packets as connections, facts and findings.
 */
import path from 'node:path'
import { buildCommand } from '@stricli/core'
import { decodedFindingsText, decodedJson, decodedText, isOf } from '../../../advice/decode/decoded-text.ts'
import { PACKET_HEAD, packetText } from '../../../advice/decode/packet-text.ts'
import { inputError } from '../../../base/issue.ts'
import { connectionsTable, type Decoded, Decoder, type DecoderOptions, findingsTable } from '../../../decode/index.ts'
import {
  findingSentence,
  isAtLeast,
  sarifLog,
  type Severity,
  suppress,
  type Suppression,
} from '../../../findings/index.ts'
import { writeCsv } from '../../../results/index.ts'
import type { Context } from '../../context.ts'
import { EXIT_FINDINGS, guarded } from '../../failure.ts'
import { readCapture } from '../../files/capture-file.ts'
import { writeText } from '../../files/files.ts'
import { makeFolder } from '../../files/folders.ts'
import { growHeapSlowly } from '../../heap-room.ts'
import { readSuppressionsFile } from '../../instruments/suppressions-file.ts'
import { failOnFlag, givenFlag } from '../../flags.ts'
import { fileText, linkRate, wholeNumber } from '../../parsers.ts'
import { percent, ProgressLine } from '../../progress-line.ts'

interface DecodeFlags {
  readonly flow?: number
  readonly packets?: boolean
  readonly findings?: boolean
  readonly irn?: boolean
  readonly rate?: number
  readonly json?: boolean
  readonly sarif?: boolean
  readonly out?: string
  readonly failOn?: Severity
  readonly suppress?: string
}

const file = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: fileText, optional: true, placeholder, brief }) as const

export const decodeCommand = buildCommand<DecodeFlags, string[], Context>({
  docs: {
    brief: 'Say what a capture of RoCEv2 packets shows: connections, losses, and who noticed',
    fullDescription: [
      'FILE is a pcap or pcapng file of any size: Ethernet with tags, Linux cooked or raw IP, whole frames or their heads.',
      'Directions are joined to connections by the connection manager, by what pingpong and perftest exchange in TCP, or by',
      'PSNs that fit, which is a guess and is said. Each finding has its time, frame, PSN and rule (docs/models/captures.md).',
      '',
      'Examples:',
      '  rocelab decode trace.pcapng',
      '  rocelab decode trace.pcapng --findings --fail-on warning',
      '  rocelab decode trace.pcapng --flow 1 --packets',
      '  rocelab decode trace.pcapng --json',
      '  tcpdump -r trace.pcap -w - udp port 4791 | rocelab decode -',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'array',
      parameter: { brief: 'Capture file, - for standard input', placeholder: 'FILE', parse: fileText },
      minimum: 1,
    },
    flags: {
      flow: {
        kind: 'parsed',
        parse: wholeNumber(1),
        optional: true,
        placeholder: 'N',
        brief: 'Show the connection of this number only',
      },
      packets: givenFlag('With --flow: print each packet of the connection, PSN by PSN'),
      findings: givenFlag('Print all findings, with what to do'),
      irn: givenFlag('Packets are of a simulated run with IRN, and the file does not say so'),
      rate: {
        kind: 'parsed',
        parse: linkRate,
        optional: true,
        placeholder: 'RATE',
        brief: 'Rate of the links, for pauses that expire, where the file does not say it: 100Gbps',
      },
      json: givenFlag('Print JSON, one line for each file'),
      sarif: givenFlag('Print the findings as SARIF'),
      out: file('DIR', 'Write connections.csv and findings.csv to this folder'),
      failOn: failOnFlag,
      suppress: file('FILE', 'Leave out the findings that a file lists, each with a reason'),
    },
  },
  func: guarded(decodeFiles),
})

function decodeFiles(this: Context, flags: DecodeFlags, ...files: string[]): void {
  if (flags.json === true && flags.sarif === true) throw inputError('--sarif', 'one form of output', '--json besides')
  if (flags.packets === true && flags.flow === undefined) throw inputError('--packets', '--flow N besides', 'none')
  if (flags.packets === true && files.includes('-'))
    throw inputError('--packets', 'a file, which is read twice', 'standard input')
  if (flags.out !== undefined && files.length > 1) throw inputError('--out', 'one file', String(files.length))
  const accepted = flags.suppress === undefined ? [] : readSuppressionsFile(this.directory, flags.suppress)
  growHeapSlowly()
  for (const one of files) decodeFile(this, flags, one, accepted)
}

function decodeFile(context: Context, flags: DecodeFlags, name: string, accepted: readonly Suppression[]): void {
  const { stdout } = context.process
  const whole = decoded(context, flags, name, {})
  const chosen = flags.flow === undefined ? whole : ofFlow(whole, flags.flow)
  if (flags.packets === true) return printPackets(context, flags, name, chosen)
  const { left, suppressed } = suppress(chosen.findings, accepted, new Date().toISOString().slice(0, 10))
  if (flags.json === true) stdout.write(`${JSON.stringify(decodedJson(name, chosen, left))}\n`)
  else if (flags.sarif === true) stdout.write(`${JSON.stringify(sarifLog(left, suppressed, name))}\n`)
  else if (flags.findings === true) stdout.write(decodedFindingsText(left))
  else stdout.write(decodedText(name, chosen, left, context.text))
  if (flags.out !== undefined) {
    makeFolder(path.resolve(context.directory, flags.out))
    const tables = [connectionsTable(chosen), findingsTable(left, left.map(findingSentence))]
    for (const table of tables)
      writeText(context.directory, path.join(flags.out, `${table.name}.csv`), writeCsv(table), { force: false })
  }
  const { failOn } = flags
  if (failOn !== undefined && left.some(({ severity }) => isAtLeast(severity, failOn)))
    context.process.exitCode = EXIT_FINDINGS
}

function decoded(context: Context, flags: DecodeFlags, name: string, options: DecoderOptions): Decoded {
  const decoder = new Decoder({
    ...options,
    isIrn: flags.irn === true,
    ...(flags.rate === undefined ? {} : { rateBps: flags.rate }),
  })
  const progress = new ProgressLine(context.terminal)
  try {
    const facts = readCapture(
      context.directory,
      name,
      (record, application) => decoder.add(record, application),
      (share) => progress.update(() => `decode ${name}: ${percent(share)}`),
    )
    return decoder.end(facts)
  } finally {
    progress.clear()
  }
}

/** One connection, and the findings of its directions. */
function ofFlow(whole: Decoded, number: number): Decoded {
  const connection = whole.connections.find((one) => one.number === number)
  if (connection === undefined) {
    const known = whole.connections.map((one) => one.number).toSorted((a, b) => a - b)
    throw inputError('--flow', `the number of a connection (${known.slice(0, 20).join(', ')})`, String(number))
  }
  return {
    ...whole,
    connections: [connection],
    findings: whole.findings.filter(({ subject }) => isOf(subject, connection)),
  }
}

/** The file is read again, now that it is known which directions belong together. */
function printPackets(context: Context, flags: DecodeFlags, name: string, { connections }: Decoded): void {
  const { startPs, endPs } = connections[0]!
  const keys = connections[0]!.directions.map((one) => `${one.source}|${one.destination}|${one.destinationQp}`)
  const { stdout } = context.process
  stdout.write(PACKET_HEAD)
  decoded(context, flags, name, {
    onPacket: (packet, key, note) => {
      const direction = keys.indexOf(key)
      // Queue pairs may have been connected before, or again.
      const isOwn = direction >= 0 && startPs <= packet.timePs && packet.timePs <= endPs
      if (isOwn) stdout.write(packetText(packet, direction === 1, note))
    },
  })
}
