/**
 * tshark: Wireshark's dissectors as the second opinion on frames. ROCELAB_TSHARK names the executable, or it is searched on
 * the PATH.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onPath } from '../support/on-path.ts'

/** Path of the executable; undefined if there is none. */
export const TSHARK: string | undefined = process.env['ROCELAB_TSHARK'] ?? onPath('tshark')

/** Checksums are verified; later frames of a stream are not judged by earlier ones. */
const SETTINGS = [
  'ip.check_checksum:TRUE',
  'tcp.check_checksum:TRUE',
  'eth.check_fcs:TRUE',
  'tcp.analyze_sequence_numbers:FALSE',
]

/** Fields of each frame of a capture, as tshark prints them; empty where a frame has no such field. */
export function dissect<const F extends string>(capture: Uint8Array, fields: readonly F[]): Record<F, string>[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-tshark-'))
  try {
    const file = path.join(folder, 'capture.pcapng')
    writeFileSync(file, capture)
    const args = ['-r', file, '-T', 'fields', '-E', 'occurrence=f', ...SETTINGS.flatMap((setting) => ['-o', setting])]
    const out = execFileSync(TSHARK!, [...args, ...fields.flatMap((field) => ['-e', field])], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 28,
      timeout: 100_000,
    })
    return out
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const values = line.split('\t')
        // The keys are the fields.
        return Object.fromEntries(fields.map((field, i) => [field, values[i] ?? ''])) as Record<F, string>
      })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
