/**
 * Lines of logs, pagers, prompts and sessions inside configurations and outputs change nothing of what they say, wherever they
 * stand. ROCELAB_BUDGET=10 disturbs a thousand configurations, ROCELAB_SEED takes others.
 */
import { expect, test } from 'vitest'
import { headroomNeed } from '../../platforms/headroom-need.ts'
import { Draw } from '../../../core/base/draw.ts'
import { diagnose } from '../doctor.ts'
import { FOREIGN_LINES } from '../../devices/dialects/foreign-lines.test-data.ts'
import { readFiles, troublesOf } from '../../devices/writers/round-trip.test-data.ts'
import { fabricOfFolder, HOST_LANGUAGES, makeFolder, type MadeFolder, SWITCH_LANGUAGES } from './index.ts'

const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FIRST_SEED = Number(process.env['ROCELAB_SEED'] ?? 21_000)
const CONFIGURATIONS = Math.round(100 * BUDGET)
const LINES = 25

/** In languages of blocks: commands that have lost their place, comments, and answers to commands. */
const IN_BLOCKS = [
  '!',
  '! saved by the night job',
  '!Time: Sun Nov 29 03:12:44 2026',
  'ip address 10.0.0.1/31',
  'spanning-tree port type edge',
  'logging host 10.0.0.7',
  'vrf member blue',
  'load-interval 30',
  'cdp enable',
  'lldp transmit',
  'ip ospf network point-to-point',
  'no ip redirects',
  'nothing that a switch would say',
  "% Invalid input detected at '^' marker.",
  'Copy complete, now saving to disk (please wait).',
]
const BLOCK_LANGUAGES = ['nx-os', 'eos', 'os10']
/** Above what a switch prints. */
const BANNER = [
  '*'.repeat(70),
  '*  Authorized access only. All activity is monitored and recorded!  *',
  '*'.repeat(70),
  'Debian GNU/Linux 12 leaf1 ttyS0',
  '',
]

function disturbed(text: string, language: string, draw: Draw): string {
  const lines = text.split('\n')
  const kinds = BLOCK_LANGUAGES.includes(language) ? [...FOREIGN_LINES, ...IN_BLOCKS] : FOREIGN_LINES
  for (let i = 0; i < LINES; i++) lines.splice(draw.whole(0, lines.length - 1), 0, draw.one(kinds))
  if (SWITCH_LANGUAGES.includes(language) && draw.chance(0.2)) lines.unshift(...BANNER)
  return lines.join(draw.chance(0.3) ? '\r\n' : '\n')
}

const spots = (of: MadeFolder): string[] =>
  diagnose({ fabric: fabricOfFolder(of), headroomNeed })
    .findings.flatMap((finding) =>
      [finding, ...finding.also].map(({ subject }) => `${finding.id} ${JSON.stringify(subject)}`),
    )
    .toSorted()

test(`${LINES} lines in each of ${CONFIGURATIONS} configurations`, () => {
  const counts = new Map<string, number>([...SWITCH_LANGUAGES, ...HOST_LANGUAGES].map((language) => [language, 0]))
  let done = 0
  for (let seed = FIRST_SEED; done < CONFIGURATIONS; seed++) {
    const draw = new Draw(seed, 'foreign')
    // One language after the other, so that all have as many.
    const languages = [SWITCH_LANGUAGES[seed % SWITCH_LANGUAGES.length]!]
    const hostLanguages = [HOST_LANGUAGES[seed % HOST_LANGUAGES.length]!]
    const folder = makeFolder({ seed, hosts: draw.whole(2, 6), languages, hostLanguages, faults: [], headroomNeed })
    let files = folder.files
    for (const { device, language } of folder.configs) {
      const isOwn = ({ file }: { readonly file: string }): boolean => file.startsWith(`${device}/`)
      files = files.map((one) => (isOwn(one) ? { ...one, text: disturbed(one.text, language, draw) } : one))
      const [before, after] = [folder.files, files].map((all) => readFiles(device, all.filter(isOwn)))
      const where = `seed ${seed}, ${device}, ${language}`
      // A greeting may be named as not understood.
      const troubles = troublesOf(after!).filter(
        (one) => !BANNER.some((line) => line !== '' && String(one).endsWith(line)),
      )
      expect(troubles, where).toEqual([])
      expect(withoutOrigins(after!.config), where).toEqual(withoutOrigins(before!.config))
      counts.set(language, counts.get(language)! + 1)
      done++
    }
    expect(spots({ ...folder, files }), `seed ${seed}`).toEqual(spots(folder))
  }
  if (BUDGET > 1) console.info([...counts].map(([language, count]) => `${language} ${count}`).join(', '))
  expect(Math.min(...counts.values())).toBeGreaterThan(0)
}, 3_600_000)

test('a line that no log has is a trouble: what is planted is found', () => {
  const folder = makeFolder({
    seed: 1,
    hosts: 2,
    languages: ['eos'],
    hostLanguages: ['mlnx_qos'],
    faults: [],
    headroomNeed,
  })
  const found = folder.configs.filter(({ device }) => {
    const own = folder.files.filter(({ file }) => file.startsWith(`${device}/`))
    const files = own.map(({ file, text }) => ({ file, text: text.replace('\n', '\n{"pfc": "?\n') }))
    const config = withoutOrigins(readFiles(device, own).config)
    const after = readFiles(device, files)
    return troublesOf(after).length > 0 || JSON.stringify(withoutOrigins(after.config)) !== JSON.stringify(config)
  })
  expect(found.length).toBeGreaterThan(0)
})

function withoutOrigins(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOrigins)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (name === 'origin' ? [] : [[name, withoutOrigins(each)]])),
  )
}
