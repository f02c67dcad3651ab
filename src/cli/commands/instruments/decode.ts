/**
 * decode FILE...: captures of real RoCEv2 packets as connections, facts and findings.
 */
import path from 'node:path'
import { decodedFindingsText, decodedJson, decodedText } from '../../../live/answers/decoded-text.ts'
import { unreadReasons } from '../../../live/answers/unread-text.ts'
import { PACKET_HEAD, packetText } from '../../../live/answers/packet-text.ts'
import { storyJson, storyText } from '../../../live/answers/story-text.ts'
import { escapeControls } from '../../../core/base/control-characters.ts'
import { inputError } from '../../../core/base/issue.ts'
import {
  type ConnectionFacts,
  connectionsTable,
  type Decoded,
  findingsTable,
  isOf,
} from '../../../live/decode/index.ts'
import { type Finding, findingSentence, sarifLog, suppress, type Suppression } from '../../../core/findings/index.ts'
import { writeCsv, writeParquet } from '../../../core/results/index.ts'
import { type CaptureInput, decodedFile } from '../../captures/decoded-file.ts'
import { mostNotable, pageOf, storiesOf, writePackets } from '../../captures/second-reading.ts'
import { command, type FlagsOf } from '../../command.ts'
import { failOnFlag, fileFlag, givenFlag, sarifFlag, suppressFlag, valueFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { endOnFindings, EXIT_INPUT } from '../../failure.ts'
import { writeBytes, writeText } from '../../files/files.ts'
import { makeFolder } from '../../files/folders.ts'
import { growHeapSlowly } from '../../heap-room.ts'
import { readSuppressionsFile } from '../../instruments/suppressions-file.ts'
import { isReport } from '../../report/site-folder.ts'
import { fileText, linkRate, wholeNumber } from '../../parsers.ts'

const FLAGS = {
  flow: valueFlag('N', wholeNumber(1), 'Show the connection of this number only'),
  packets: givenFlag('With --flow: print each packet of the connection; with --out: also write packets.parquet'),
  explain: givenFlag('Tell the story of the connection of --flow, or of the one with the gravest finding'),
  findings: givenFlag('Print all findings, with what to do'),
  irn: givenFlag('Packets are of a simulated run with IRN, and the file does not say so'),
  rate: valueFlag(
    'RATE',
    linkRate,
    'Rate of the links, for pauses that expire, where the file does not say it: 100Gbps',
  ),
  json: givenFlag('Print JSON, one line for each file'),
  sarif: sarifFlag,
  html: fileFlag('FILE', 'Write a page: findings, connections, and their packets drawn by time and PSN'),
  out: fileFlag('DIR', 'Write connections and findings to this folder, as CSV and Parquet'),
  failOn: failOnFlag,
  suppress: suppressFlag,
}
type DecodeFlags = FlagsOf<typeof FLAGS>

export const decodeCommand = command({
  brief: 'Say what a capture of RoCEv2 packets shows: connections, losses, and who noticed',
  about: [
    'FILE is a pcap or pcapng file of any size: Ethernet with tags, Linux cooked or raw IP, whole frames or their heads.',
    'Directions are joined to connections by the connection manager, by what pingpong and perftest exchange in TCP, or by',
    'PSNs that fit, which is a guess and is said. Each finding has its time, frame, PSN and rule (docs/models/captures.md).',
    '',
    'Examples:',
    '  rocelab decode trace.pcapng',
    '  rocelab decode trace.pcapng --findings --fail-on warning',
    '  rocelab decode trace.pcapng --flow 1 --packets',
    '  rocelab decode trace.pcapng --explain',
    '  rocelab decode trace.pcapng --html trace.html',
    '  rocelab decode trace.pcapng --json',
    '  tcpdump -r trace.pcap -w - udp port 4791 | rocelab decode -',
  ],
  manyArgs: { brief: 'Capture file, - for standard input', placeholder: 'FILE', parse: fileText, minimum: 1 },
  flags: FLAGS,
  run: decodeFiles,
})

/** Flags for which the file is read again. */
const AGAIN = ['packets', 'explain', 'html'] as const

async function decodeFiles(this: Context, flags: DecodeFlags, ...files: string[]): Promise<void> {
  if (flags.json === true && flags.sarif === true) throw inputError('--sarif', 'one form of output', '--json besides')
  if (flags.packets === true && flags.flow === undefined && flags.out === undefined)
    throw inputError('--packets', '--flow N or --out DIR besides', 'none')
  const again = AGAIN.find((name) => flags[name] !== undefined && flags[name] !== false)
  if (again !== undefined && files.includes('-'))
    throw inputError(`--${again}`, 'a file, which is read twice', 'standard input')
  for (const name of ['out', 'html'] as const)
    if (flags[name] !== undefined && files.length > 1) throw inputError(`--${name}`, 'one file', String(files.length))
  const accepted = flags.suppress === undefined ? [] : readSuppressionsFile(this.directory, flags.suppress)
  growHeapSlowly()
  for (const name of files)
    await decodeOne(this, flags, { name, isIrn: flags.irn === true, rateBps: flags.rate }, accepted)
}

async function decodeOne(
  context: Context,
  flags: DecodeFlags,
  given: CaptureInput,
  accepted: readonly Suppression[],
): Promise<void> {
  const { stdout } = context.process
  const { name } = given
  const [input, whole] = decodedAsIs(context, given)
  const chosen = flags.flow === undefined ? whole : ofFlow(whole, flags.flow)
  if (flags.packets === true && flags.out === undefined) return printPackets(context, input, chosen.connections[0]!)
  const { left, suppressed } = suppress(chosen.findings, accepted, new Date().toISOString().slice(0, 10))
  if (flags.explain === true) stdout.write(explained(context, flags, input, chosen, left))
  else if (flags.json === true) stdout.write(`${JSON.stringify(decodedJson(name, chosen, left))}\n`)
  else if (flags.sarif === true) stdout.write(`${JSON.stringify(sarifLog(left, suppressed, name))}\n`)
  else if (flags.findings === true) stdout.write(decodedFindingsText(left))
  else stdout.write(decodedText(name, chosen, left, context.text))
  if (flags.html !== undefined) {
    const page = await pageOf(context, input, chosen, left, suppressed)
    writeText(context.directory, flags.html, page, { force: false, isOurs: isReport })
  }
  if (flags.out !== undefined) {
    makeFolder(path.resolve(context.directory, flags.out))
    const tables = [connectionsTable(chosen), findingsTable(left, left.map(findingSentence))]
    for (const table of tables) {
      const target = path.join(flags.out, table.name)
      writeText(context.directory, `${target}.csv`, writeCsv(table), { force: false })
      writeBytes(context.directory, `${target}.parquet`, writeParquet(table))
    }
    if (flags.packets === true)
      writePackets(context, input, chosen.connections, path.join(flags.out, 'packets.parquet'))
  }
  endOnFindings(context, flags.failOn, left)
  sayUnread(context, name, whole)
}

/** A file whose ACKs are IRN's, without saying so, is read again as such. */
function decodedAsIs(context: Context, given: CaptureInput): readonly [CaptureInput, Decoded] {
  const decoded = decodedFile(context, given)
  const { irnAcks, plainAcks } = decoded.counts
  if (given.isIrn || irnAcks === 0) return [given, decoded]
  const isWhole = plainAcks === 0 && given.name !== '-'
  const what = `${escapeControls(given.name)}: ${irnAcks} ACKs have the headers of IRN`
  const advice = isWhole ? 'the file is read as IRN' : '--irn reads all packets so'
  context.process.stderr.write(`${what}${plainAcks === 0 ? '' : `, ${plainAcks} those of RoCE`}: ${advice}\n`)
  const input = { ...given, isIrn: isWhole }
  return [input, isWhole ? decodedFile(context, input) : decoded]
}

/** A file in which nothing could be read is bad input, for which there is a reason. */
function sayUnread(context: Context, name: string, decoded: Decoded): void {
  const reasons = unreadReasons(decoded)
  if (reasons.length === 0) return
  for (const reason of reasons) context.process.stderr.write(`${escapeControls(name)}: nothing is read: ${reason}\n`)
  context.process.exitCode = EXIT_INPUT
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
  const connection = mostNotable(decoded, findings)
  if (connection === undefined) throw inputError('--explain', 'a capture with RoCEv2 packets', 'one without')
  const [story] = storiesOf(context, input, decoded, [connection])
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
