/**
 * decode FILE...: captures of real RoCEv2 packets as connections, facts and findings.
 */
import path from 'node:path'
import { buildCommand } from '@stricli/core'
import { decodedFindingsText, decodedJson, decodedText, isOf, isOfData } from '../../../advice/decode/decoded-text.ts'
import { PACKET_HEAD, packetText } from '../../../advice/decode/packet-text.ts'
import { storyJson, storyText } from '../../../advice/decode/story-text.ts'
import { inputError } from '../../../base/issue.ts'
import {
  type ConnectionFacts,
  connectionsTable,
  type Decoded,
  findingsTable,
  Following,
} from '../../../decode/index.ts'
import {
  type Finding,
  findingSentence,
  isAtLeast,
  sarifLog,
  type Severity,
  suppress,
  type Suppression,
} from '../../../findings/index.ts'
import { writeCsv } from '../../../results/index.ts'
import { type CaptureInput, decodedFile } from '../../captures/decoded-file.ts'
import type { Context } from '../../context.ts'
import { EXIT_FINDINGS, guarded } from '../../failure.ts'
import { writeText } from '../../files/files.ts'
import { makeFolder } from '../../files/folders.ts'
import { readSuppressionsFile } from '../../instruments/suppressions-file.ts'
import { failOnFlag, givenFlag } from '../../flags.ts'
import { fileText, linkRate, wholeNumber } from '../../parsers.ts'

interface DecodeFlags {
  readonly flow?: number
  readonly packets?: boolean
  readonly explain?: boolean
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
      explain: givenFlag('Tell the story of the connection of --flow, or of the one with the gravest finding'),
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
  const again = flags.packets === true ? '--packets' : flags.explain === true ? '--explain' : undefined
  if (again !== undefined && files.includes('-'))
    throw inputError(again, 'a file, which is read twice', 'standard input')
  if (flags.out !== undefined && files.length > 1) throw inputError('--out', 'one file', String(files.length))
  const accepted = flags.suppress === undefined ? [] : readSuppressionsFile(this.directory, flags.suppress)
  for (const name of files) decodeOne(this, flags, { name, isIrn: flags.irn === true, rateBps: flags.rate }, accepted)
}

function decodeOne(context: Context, flags: DecodeFlags, input: CaptureInput, accepted: readonly Suppression[]): void {
  const { stdout } = context.process
  const { name } = input
  const whole = decodedFile(context, input)
  const chosen = flags.flow === undefined ? whole : ofFlow(whole, flags.flow)
  if (flags.packets === true) return printPackets(context, input, chosen.connections[0]!)
  const { left, suppressed } = suppress(chosen.findings, accepted, new Date().toISOString().slice(0, 10))
  if (flags.explain === true) stdout.write(explained(context, flags, input, chosen, left))
  else if (flags.json === true) stdout.write(`${JSON.stringify(decodedJson(name, chosen, left))}\n`)
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

/** The story of the connection that the gravest finding is of; without one, of that with the most bytes. */
function explained(
  context: Context,
  flags: DecodeFlags,
  input: CaptureInput,
  decoded: Decoded,
  findings: readonly Finding[],
): string {
  const { connections } = decoded
  const notable = findings.flatMap(({ subject }) => connections.find((one) => isOf(subject, one)) ?? [])
  const connection = notable[0] ?? connections.find(isOfData) ?? connections[0]
  if (connection === undefined) throw inputError('--explain', 'a capture with RoCEv2 packets', 'one without')
  const following = new Following([connection])
  decodedFile(context, input, following)
  const [story] = following.end(decoded)
  const own = findings.filter(({ subject }) => isOf(subject, connection))
  return flags.json === true
    ? `${JSON.stringify(storyJson(input.name, story!, own))}\n`
    : storyText(input.name, story!, own, context.text)
}

/** The file is read again, now that it is known which directions belong together. */
function printPackets(context: Context, input: CaptureInput, { startPs, endPs, directions }: ConnectionFacts): void {
  const keys = directions.map((one) => `${one.source}|${one.destination}|${one.destinationQp}`)
  const { stdout } = context.process
  stdout.write(PACKET_HEAD)
  decodedFile(context, input, {
    onPacket: (packet, key, note) => {
      const direction = keys.indexOf(key)
      // Queue pairs may have been connected before, or again.
      const isOwn = direction >= 0 && startPs <= packet.timePs && packet.timePs <= endPs
      if (isOwn) stdout.write(packetText(packet, direction === 1, note))
    },
  })
}
