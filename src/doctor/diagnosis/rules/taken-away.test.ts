/**
 * Taken away: of drawn folders with mistakes one file, line or name is missing. A mistake that was found is found still, or
 * its rule is named as not judged, or other files decide it; silence is none of these. ROCELAB_BUDGET=25 takes a thousand
 * folders, ROCELAB_SEED others.
 */
import { expect, test } from 'vitest'
import { headroomNeed } from '../../platforms/headroom-need.ts'
import { Draw } from '../../../core/base/draw.ts'
import type { FabricKind, Finding, Values } from '../../../core/findings/index.ts'
import { type Fabric, otherEnd } from '../../devices/joins/index.ts'
import { diagnose, type MissingFile } from '../doctor.ts'
import { edgesText, fabricOfFolder, FAULTS, HOST_LANGUAGES, makeFolder, SWITCH_LANGUAGES } from '../make/index.ts'
import { fieldsOf } from '../../../core/device-model/index.ts'
import { RULES } from './index.ts'
import type { Files } from './planted/clean.test-data.ts'
import { fabricFrom } from './planted/planted.test-data.ts'
import { type Fired, Saying, type Spot } from './saying.ts'

const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FOLDERS = 40 * BUDGET
const CASES_PER_FOLDER = 6
const FIRST_SEED = Number(process.env['ROCELAB_SEED'] ?? 60_000)

/** About the sources themselves: without one of them there is nothing to be said. */
const OF_SOURCES = ['trn01', 'src01', 'lld01', 'lnk01']

/** Notes at which all a rule holds. */
class Recording extends Saying {
  readonly all = new Set<string>()

  override holds(spot: Spot): void {
    this.all.add(`${spot.device} ${spot.port}`)
    super.holds(spot)
  }

  override fires<V extends Values>(kind: FabricKind<V>, spot: Spot, fired: Fired<V>): void {
    this.all.add(`${spot.device} ${spot.port}`)
    super.fires(kind, spot, fired)
  }
}

interface FoundSpot {
  readonly rule: string
  readonly device: string
  readonly port: string
  /** The device at the other end, where the port has one. */
  readonly peers: readonly string[]
}

function findingSpots(findings: readonly Finding[], fabric: Fabric): FoundSpot[] {
  return findings.flatMap((finding) =>
    [finding, ...finding.also].map(({ subject: { device = '', interface: port = '' } }) => ({
      rule: finding.id,
      device,
      port,
      peers: fabric
        .linksOf(device)
        .flatMap((link) =>
          link.ends
            .filter((end) => end.device === device && end.port === port)
            .map((end) => otherEnd(link, end).device),
        ),
    })),
  )
}

/** Known values of a device, by port and field. */
function knownIn(fabric: Fabric, device: string): Map<string, string> {
  const config = fabric.devices.get(device)?.config
  const known = new Map<string, string>()
  if (config === undefined) return known
  for (const { name, settings } of [{ name: '', settings: config.settings }, ...config.ports])
    for (const field of fieldsOf(settings))
      if (field.value.state !== 'unknown')
        known.set(`${name} ${field.name} ${field.slot}`, JSON.stringify(field.value.value))
  return known
}

interface Case {
  readonly what: string
  readonly files: Files
  /** Whose files changed; '': the list of links. */
  readonly device: string
  readonly kind: 'file' | 'line' | 'name'
}

function cases(files: Files, draw: Draw): Case[] {
  const names = Object.keys(files)
  return Array.from({ length: CASES_PER_FOLDER }, (): Case => {
    const file = draw.chance(0.25) ? 'edges.csv' : draw.one(names)
    const device = file.includes('/') ? file.slice(0, file.indexOf('/')) : ''
    const { [file]: text = '', ...others } = files
    if (draw.chance(0.5)) return { what: `without ${file}`, files: others, device, kind: 'file' }
    const lines = text.trimEnd().split('\n')
    const at = draw.whole(Math.min(1, lines.length - 1), lines.length - 1)
    if (file === 'edges.csv' && draw.chance(0.5)) {
      const column = draw.whole(0, 3)
      const fields = lines[at]!.split(',')
      const gone = fields[column]!
      fields[column] = draw.one(column % 2 === 0 ? ['nobody', `${gone}.example.com`] : ['nowhere7', gone.toUpperCase()])
      lines[at] = fields.join(',')
      const changed = { ...others, [file]: `${lines.join('\n')}\n` }
      return { what: `${gone} as ${fields[column]}, line ${at + 1} of ${file}`, files: changed, device, kind: 'name' }
    }
    if (file !== 'edges.csv' && draw.chance(0.3)) {
      // At one place of several: what it names is there no more, or nobody names it.
      const words = lines[at]!.match(/[A-Za-z][\w-]{3,}/g) ?? []
      const word = words.length === 0 ? '' : draw.one(words)
      if (text.split(word).length > 2) {
        const renamed = { ...others, [file]: `${lines.with(at, lines[at]!.replace(word, `${word}x`)).join('\n')}\n` }
        return {
          what: `${word} as ${word}x, line ${at + 1} of ${file}: ${lines[at]!}`,
          files: renamed,
          device,
          kind: 'line',
        }
      }
    }
    const changed = { ...others, [file]: `${lines.toSpliced(at, 1).join('\n')}\n` }
    return { what: `without line ${at + 1} of ${file}: ${lines[at]!}`, files: changed, device, kind: 'line' }
  })
}

/** Places at which one rule judges. */
function judgedBy(rule: string, fabric: Fabric): Set<string> {
  const own = RULES.find(({ kinds }) => kinds.some(({ id }) => id === rule))!
  const say = new Recording(rule.toUpperCase())
  own.check({ fabric, headroomNeed }, say)
  return say.all
}

function isSaid(own: FoundSpot, before: Fabric, after: Fabric, missing: readonly MissingFile[], one: Case): boolean {
  const { rule, device, port, peers } = own
  const now = after.linksOf(device).flatMap(({ ends }) => ends.map((end) => end.device))
  const farther = peers.flatMap((peer) =>
    after.linksOf(peer).flatMap(({ ends }) => ends.filter(({ at }) => at === null).map((end) => end.device)),
  )
  const devices = [device, ...peers, ...now.filter((name) => !after.devices.has(name)), ...farther]
  if (
    missing.some(
      ({ rules, device: lacking }) =>
        rules.includes(rule.toUpperCase()) && (devices.includes(lacking) || device === ''),
    )
  )
    return true
  const spots = [...judgedBy(rule, after)]
  // A link is judged at either end.
  if (spots.some((spot) => spot === `${device} ${port}` || peers.some((peer) => spot.startsWith(`${peer} `))))
    return true
  // Another line makes another configuration: with other lossless classes, or of which all is known.
  if (one.kind !== 'line' || one.device === '') return false
  const left = knownIn(after, one.device)
  const classes = left.get(`${port} pfcClasses null`)
  if (classes !== undefined && classes !== knownIn(before, one.device).get(`${port} pfcClasses null`)) return true
  return [...knownIn(before, one.device).keys()].every((key) => left.has(key))
}

test('nothing that was found becomes silence', () => {
  const silent: string[] = []
  let [found, named] = [0, 0]
  for (let i = 0; i < FOLDERS; i++) {
    const seed = FIRST_SEED + i
    const draw = new Draw(seed, 'taken away')
    const folder = makeFolder({
      seed,
      hosts: draw.whole(2, 6),
      languages: SWITCH_LANGUAGES,
      hostLanguages: HOST_LANGUAGES,
      faults: draw.some(FAULTS, draw.whole(1, 4)),
      headroomNeed,
    })
    const files: Files = {
      'edges.csv': edgesText(folder),
      ...Object.fromEntries(folder.files.map(({ file, text }) => [file, text])),
    }
    const before = fabricFrom(files)
    const all = findingSpots(diagnose({ fabric: before, headroomNeed }).findings, before).filter(
      ({ rule }) => !OF_SOURCES.includes(rule),
    )
    for (const one of cases(files, draw)) {
      const after = fabricFrom(one.files)
      const { findings, missing } = diagnose({ fabric: after, headroomNeed })
      const now = new Set(findingSpots(findings, after).map(({ rule, device, port }) => `${rule} ${device} ${port}`))
      for (const own of all) {
        found++
        const { rule, device, port } = own
        if (now.has(`${rule} ${device} ${port}`) || now.has(`lnk01 ${device} ${port}`)) continue
        // Another name of a port is its name where no file has one, and else a mistake.
        const isThere = (id: string): boolean => [...now].some((each) => each.startsWith(`${id} ${device} `))
        if (one.kind === 'name' && (isThere(rule) || isThere('lnk01'))) continue
        if (!isSaid(own, before, after, [], one)) named++
        if (isSaid(own, before, after, missing, one)) continue
        silent.push(`seed ${seed}, ${one.what}: ${rule} ${device} ${port}`)
      }
    }
  }
  if (BUDGET > 1) console.info(`${FOLDERS} folders, ${found} findings looked for`)
  expect(silent).toEqual([])
  expect(found).toBeGreaterThan(FOLDERS)
  // Without the list of rules that are not judged there would be silence.
  expect(named).toBeGreaterThan(0)
}, 3_600_000)

test('of a whole folder only that is named which no file of it tells', () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + 10 * BUDGET; seed++) {
    const languages = { languages: SWITCH_LANGUAGES, hostLanguages: HOST_LANGUAGES }
    const whole = fabricOfFolder(makeFolder({ seed, hosts: 4, ...languages, faults: [], headroomNeed }))
    const { missing } = diagnose({ fabric: whole, headroomNeed })
    // Folders are drawn without counters; headroom and watchdogs of some languages are in no form.
    const others = missing.filter(({ form }) => !form.includes('counters'))
    const named = others.flatMap(({ form, rules }) => rules.map((rule) => `${form} ${rule}`))
    expect([...new Set(named)].filter((one) => one !== ' BUF11' && one !== ' WD01')).toEqual([])
  }
})
