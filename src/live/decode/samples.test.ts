/**
 * Captures of Linux programs that the project does not ship: counts as another program counted them, and the story of each
 * file. They are read from a folder beside the checkout, or from the one that ROCELAB_SHARED names; without it these tests are
 * skipped, with a warning.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { CaptureReader } from '../../core/wire/index.ts'
import type { Decoded, DirectionFacts } from './decoded.ts'
import { Decoder } from './decoder.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared')
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

/** Story of each file: findings with the PSN of the first place. */
const STORIES: Readonly<Record<string, readonly string[]>> = {
  'atomic-lat.pcapng': [],
  'bad-icrc.pcapng': ['icrc-wrong 636c20', 'retransmission-nak 636c20'],
  'ce-mark.pcapng': ['ce', 'ce-without-cnp'],
  'delay-nak.pcapng': ['loss-after d17f50', 'retransmission-nak d17f50'],
  'drop-atomic-response.pcapng': [
    'atomic-answered-again f739ea',
    'atomic-repeated f739ea',
    'retransmission-answered f739ea',
  ],
  'drop-last-ack.pcapng': ['retransmission-answered 4b321b'],
  'drop-last-data.pcapng': ['retransmission-timeout 5b9f69'],
  'drop-nak.pcapng': ['loss-after 6c8263', 'retransmission-answered 6c8261'],
  'drop-read-request.pcapng': ['read-repeated c07232', 'retransmission-timeout c07232'],
  'drop-read-response.pcapng': ['read-repeated 17110b', 'retransmission-answered 17110b'],
  'drop-write-third.pcapng': ['loss-after 7f28ec', 'retransmission-nak 7f28ec'],
  'duplicate-atomic-request.pcapng': ['atomic-answered-again 5798c1'],
  'netem-duplicate.pcapng': ['duplicated ebd2f2'],
  'netem-loss.pcapng': ['loss-before b42006', 'retransmission-nak b42006'],
  'netem-reorder.pcapng': [
    'loss-after ad36c8',
    'loss-before ad36c3',
    'reordered ad36c4',
    'retransmission-answered ad36c3',
    'retransmission-nak ad36c3',
  ],
  'pingpong-v4.pcapng': [],
  'pingpong-v6.pcapng': [],
  'read-lat.pcapng': [],
  'reorder-write.pcapng': ['loss-after 0cfd03', 'retransmission-nak 0cfd03'],
  'rping-no-listener.pcapng': ['cm-rejected'],
  'rping-req-lost.pcapng': ['cm-repeated'],
  'rping-rtu-lost.pcapng': ['cm-ready-lost'],
  'rping-v4.pcapng': [],
  'send-bw-rnr.pcapng': ['retransmission-rnr 288da6', 'rnr 288da6'],
  'uc-pingpong.pcapng': [],
  'ud-pingpong.pcapng': [],
  'verbs-all.pcapng': [],
  'verbs-bad-key.pcapng': ['nak-remote-access 0001f5'],
  'verbs-beyond-region.pcapng': ['nak-remote-access 000258'],
  'verbs-many-reads.pcapng': [],
  'verbs-retry-exceeded.pcapng': ['peer-silent 000320', 'retransmission-timeout 000320'],
  'verbs-rnr-exceeded.pcapng': ['retransmission-rnr 000384', 'rnr 000384', 'rnr-last 000384'],
  'verbs-send-too-long.pcapng': ['nak-remote-operation 0002bc'],
  'verbs-window.pcapng': ['retransmission-answered 0003e8'],
  'write-bw.pcapng': [],
  'write-bw-2qp.pcapng': [],
  'write-bw-cm.pcapng': [],
  'write-lat.pcapng': [],
}

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
    expect(lone).toEqual(['verbs-retry-exceeded.pcapng 22'])
  })
})
