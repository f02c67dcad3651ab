/**
 * Fingerprints: results that must be the same wherever and however a scenario is run.
 * Also a program: it reads a JSON list of scenario texts and prints a line for each. Another Node runs it from source,
 * so it imports nothing but our own files.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { run } from '../../src/lab/index.ts'
import type { Result } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

/** Digest of all events, and a hash over everything in the result but how many events were run to get it. */
export function fingerprintOf(result: Result): string {
  const { counters, ...rest } = result
  const text = JSON.stringify({ ...rest, counters: { ...counters, events: 0 } }, (_key, value: unknown) =>
    value instanceof Float64Array ? Array.from(value, (x) => (Number.isFinite(x) ? x : String(x))) : value,
  )
  return `${result.digest} ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const texts = JSON.parse(readFileSync(0, 'utf8')) as string[]
  for (const text of texts) console.log(fingerprintOf(run(parseScenario(text))))
}
