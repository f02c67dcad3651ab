/**
 * Captures of Linux programs that the project does not ship: counts as another program counted them, and the story of each
 * file. They are read from a folder beside the checkout, or from the one that ROCELAB_SHARED names; without it these tests are
 * skipped, with a warning.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { CaptureReader } from '../wire/index.ts'
import type { Decoded, DirectionFacts } from './decoded.ts'
import { Decoder } from './decoder.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared')
const CAPTURES = path.join(SHARED, 'live/captures')
const missing = !existsSync(CAPTURES)
if (missing) console.warn(`captures of Linux programs: skipped, missing ${CAPTURES}`)

interface Expected {
  readonly rocePackets: number
  readonly badIcrc: number
  readonly directions: readonly Readonly<Record<keyof DirectionFacts, unknown>>[]
}

const expectedOf = (): Readonly<Record<string, Expected>> =>
  JSON.parse(readFileSync(path.join(CAPTURES, 'expected.json'), 'utf8'))

function decoded(file: string): Decoded {
  const decoder = new Decoder()
  const reader = new CaptureReader((record) => decoder.add(record))
  reader.push(readFileSync(path.join(CAPTURES, file)))
  return decoder.end(reader.end())
}

/** "timeout 4b321b" for each finding that says what happened; findings on configuration are of every file. */
function storyOf(file: string): string[] {
  const everywhere = ['dscp-zero', 'not-ect', 'classes-differ']
  return decoded(file)
    .findings.map(({ id, values }) => [id.replace('capture-', ''), values['psn'] ?? null] as const)
    .filter(([id]) => !everywhere.includes(id))
    .map(([id, psn]) => (psn === null ? id : `${id} ${JSON.stringify(psn).slice(1, -1)}`))
    .toSorted()
}

/** What README of the captures tells of each file. */
const STORIES: Readonly<Record<string, readonly string[]>> = {}

describe.skipIf(missing)('captures of Linux programs', () => {
  const expected = missing ? {} : expectedOf()

  test.each(Object.keys(expected))('%s has the counts of another program', (file) => {
    const { counts, connections } = decoded(file)
    const wanted = expected[file]!
    expect([counts.rocePackets, counts.badIcrc]).toEqual([wanted.rocePackets, wanted.badIcrc])
    const found = connections.flatMap(({ directions }) => directions)
    const keyOf = (one: Pick<DirectionFacts, 'source' | 'destination' | 'destinationQp'>): string =>
      `${one.source} ${one.destination} ${one.destinationQp}`
    const byKey = new Map(found.map((one) => [keyOf(one), one]))
    expect(byKey.size).toBe(wanted.directions.length)
    for (const direction of wanted.directions) {
      const key = `${String(direction.source)} ${String(direction.destination)} ${String(direction.destinationQp)}`
      expect({ key, ...byKey.get(key) }).toMatchObject({ key, ...direction })
    }
  })

  test.each(Object.entries(STORIES))('%s tells its story', (file, story) => {
    expect(storyOf(file)).toEqual(story)
  })

  test('both directions of every reliable connection are joined, and none wrongly', () => {
    const lone = Object.keys(expected).flatMap((file) =>
      decoded(file)
        .connections.filter(({ service, directions }) => service === 'rc' && directions.length < 2)
        .map(({ directions: [one] }) => `${file} ${one!.destinationQp}`),
    )
    expect(lone).toEqual(['x'])
  })
})
