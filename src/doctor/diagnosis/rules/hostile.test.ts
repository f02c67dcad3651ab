/** Files that nobody has written by hand: the doctor reads them all, quickly, whatever names are in them. */
import { fc } from '../../../../tests/support/properties.ts'
import { describe, expect, test } from 'vitest'
import { diagnosisOf, diagnosisOfFabric, edgesIn, edited, fabricFrom, spotsOf } from './planted/planted.test-data.ts'
import { type Files, SONIC } from './planted/clean.test-data.ts'
import { HOST_FAULTS } from './planted/hosts.test-data.ts'
import { MIXED } from './planted/mixed.test-data.ts'

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'a\u0007b\u001B[31m',
  '\u202Eleaf',
  ' ',
  '"',
  '%s',
  '0',
  '-1',
  '1e999',
]

describe('texts that are cut, mixed and repeated', () => {
  const lines = fc.tuple(fc.nat(), fc.nat(), fc.nat())
  const mutation = fc.oneof(
    lines.map(
      ([at]) =>
        (text: string) =>
          text.slice(0, at % (text.length + 1)),
    ),
    lines.map(([a, b]) => (text: string) => {
      const all = text.split('\n')
      const [i, j] = [a % all.length, b % all.length]
      const [one, other] = [all[i]!, all[j]!]
      all[i] = other
      all[j] = one
      return all.join('\n')
    }),
    lines.map(([a, count]) => (text: string) => {
      const all = text.split('\n')
      const at = a % all.length
      return [...all.slice(0, at), ...Array.from({ length: count % 50 }, () => all[at]!), ...all.slice(at)].join('\n')
    }),
    fc.tuple(fc.nat(), fc.constantFrom(...NAMES)).map(([a, name]) => (text: string) => {
      const words = [...text.matchAll(/[\w-]+/g)].map(([word]) => word)
      const word = words[a % Math.max(words.length, 1)]
      return word === undefined ? name : text.replaceAll(word, () => name)
    }),
    fc.tuple(fc.nat(), fc.string({ unit: 'binary', maxLength: 20 })).map(([a, noise]) => (text: string) => {
      const at = a % (text.length + 1)
      return text.slice(0, at) + noise + text.slice(at)
    }),
  )
  const edits = fc.array(fc.tuple(fc.nat(), mutation), { minLength: 1, maxLength: 6 })

  test.each([
    ['SONiC', SONIC],
    ['other languages', MIXED],
  ])('%s', (_name, clean) => {
    const names = Object.keys(clean).filter((file) => file !== 'edges.csv')
    fc.assert(
      fc.property(edits, (all) => {
        const files: Record<string, string> = { ...clean }
        for (const [which, change] of all) {
          const file = names[which % names.length]!
          files[file] = change(files[file]!)
        }
        const { findings } = diagnosisOf(files)
        expect(JSON.stringify(findings)).not.toContain('[object')
      }),
      { numRuns: 150 },
    )
  })
})

describe.each(['__proto__', 'constructor', 'hasOwnProperty', 'a\u0007b'])('the name %j', (name) => {
  const inJson = JSON.stringify(name).slice(1, -1)
  const renamed = (files: Files, old: string): Files =>
    Object.fromEntries(
      Object.entries(files).map(([file, text]) => [
        file.replace(`${old}/`, () => `${name}/`),
        text.replaceAll(new RegExp(`(?<![\\w-])${old}(?![\\w-])`, 'g'), () => (file.endsWith('.json') ? inJson : name)),
      ]),
    )
  const said = (files: Files): string[] => spotsOf(diagnosisOf(files).findings)
  const planted = HOST_FAULTS.filter(({ rule }) => rule === 'mtu01' || rule === 'pfc01').map(({ edits }) => edits)
  const faulty = edited(edited(SONIC, planted[0]!), planted.at(-1)!)

  test.each(['M', 'ECN', 'W3', 'egress_lossless_profile', 'ingress_lossless_pool'])(
    'is as good as %s in maps and profiles',
    (old) => {
      expect(said(renamed(faulty, old))).toEqual(said(faulty))
    },
  )

  test.each(['P-ROCE', 'P-IN', 'PM-PFC', 'PFC3', 'SM', 'NO-LOSS'])('is no danger as %s', (old) => {
    expect(() => said(renamed(MIXED, old))).not.toThrow()
  })

  test.each(['leaf1', 'h1'])('is as good as the device %s', (old) => {
    const nameOf = (device: string): string => (device === old ? name : device)
    const edges = edgesIn(SONIC).map((edge) => ({
      ...edge,
      deviceA: nameOf(edge.deviceA),
      deviceB: nameOf(edge.deviceB),
    }))
    const { findings } = diagnosisOfFabric(fabricFrom(renamed(faulty, old), {}, edges))
    expect(spotsOf(findings)).toEqual(
      said(faulty)
        .map((spot) => spot.replace(new RegExp(` ${old}(?= |$)`), () => ` ${name}`))
        .sort(),
    )
  })
})

test('a switch with thousands of names that lead nowhere is read in no time', () => {
  const ports = Array.from({ length: 64 }, (_, i) => `Ethernet${8 * i}`)
  const rows = (count: number, field: string): Record<string, unknown> =>
    Object.fromEntries(
      ports.flatMap((port) => Array.from({ length: count }, (_, i) => [`${port}|${i}`, { [field]: `${port} ${i}` }])),
    )
  const json = JSON.stringify({
    DEVICE_METADATA: { localhost: { hostname: 'leaf1' } },
    PORT: Object.fromEntries(ports.map((port) => [port, { speed: '400000' }])),
    PORT_QOS_MAP: Object.fromEntries(
      ports.map((port) => [port, { tc_to_pg_map: 'M', tc_to_queue_map: 'M', pfc_enable: '3' }]),
    ),
    TC_TO_PRIORITY_GROUP_MAP: { M: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [i, i])) },
    TC_TO_QUEUE_MAP: { M: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [i, i])) },
    BUFFER_PG: rows(8, 'profile'),
    BUFFER_QUEUE: rows(8, 'profile'),
    QUEUE: rows(8, 'wred_profile'),
    WRED_PROFILE: Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`P${i}`, { ecn: 'ecn_all' }])),
  })
  const start = performance.now()
  const { findings } = diagnosisOf({ 'leaf1/config_db.json': json })
  expect(findings.filter(({ id }) => id === 'ref01').length).toBeGreaterThan(5000)
  expect(performance.now() - start).toBeLessThan(20_000)
})
