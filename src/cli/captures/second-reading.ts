/**
 * Second readings of a capture: when it is known which directions belong together, the file is read again for the story of a
 * connection, a page, or a table of packets. So memory does not follow the length of the file.
 */
import { closeSync, writeSync } from 'node:fs'
import path from 'node:path'
import { isOfData } from '../../live/answers/decoded-text.ts'
import {
  type ConnectionFacts,
  type Decoded,
  type FollowedConnection,
  Following,
  isOf,
  PacketRows,
} from '../../live/decode/index.ts'
import type { Finding, Suppressed } from '../../core/findings/index.ts'
import { ParquetStream } from '../../core/results/index.ts'
import type { Context } from '../context.ts'
import { openNew, writeFailure } from '../files/files.ts'
import { pageAssets } from '../report/page-assets.ts'
import { type CaptureInput, decodedFile } from './decoded-file.ts'

/** Connections that a page draws. */
const DRAWN_MAX = 24

/** The connection of the gravest finding; without one, that with the most bytes of data. */
export function mostNotable({ connections }: Decoded, findings: readonly Finding[]): ConnectionFacts | undefined {
  return notable(connections, findings)[0]
}

export function storiesOf(
  context: Context,
  input: CaptureInput,
  decoded: Decoded,
  connections: readonly ConnectionFacts[],
): FollowedConnection[] {
  const following = new Following(connections)
  decodedFile(context, input, following)
  return following.end(decoded)
}

/** @param findings those that are not suppressed */
export async function pageOf(
  context: Context,
  input: CaptureInput,
  decoded: Decoded,
  findings: readonly Finding[],
  suppressed: readonly Suppressed[],
): Promise<string> {
  const stories = storiesOf(context, input, decoded, notable(decoded.connections, findings).slice(0, DRAWN_MAX))
  // Loaded on demand: figures load the plotting library.
  const { capturePage } = await import('../../live/answers/page/capture-page.ts')
  return capturePage({ name: path.basename(input.name), decoded, findings, suppressed, stories }, pageAssets())
}

/** Packets of these connections as a Parquet file, group by group. */
export function writePackets(
  context: Context,
  input: CaptureInput,
  connections: readonly ConnectionFacts[],
  file: string,
): void {
  const descriptor = openNew(context.directory, file)
  const write = (bytes: Uint8Array): void => {
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
    } catch (error) {
      throw writeFailure(error, file, 'a file that can be written')
    }
  }
  try {
    const stream = new ParquetStream(PacketRows.empty())
    const rows = new PacketRows(connections, (table) => write(stream.add(table)))
    decodedFile(context, input, rows)
    rows.end()
    write(stream.end())
  } finally {
    closeSync(descriptor)
  }
}

/** Those with findings, the gravest first, then the others: data before connection managers. */
function notable(connections: readonly ConnectionFacts[], findings: readonly Finding[]): ConnectionFacts[] {
  const found = findings.flatMap(({ subject }) => connections.find((one) => isOf(subject, one)) ?? [])
  return [...new Set([...found, ...connections.filter(isOfData), ...connections])]
}
