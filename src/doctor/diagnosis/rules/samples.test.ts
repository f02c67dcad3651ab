/**
 * The doctor on a whole fabric of samples that the project does not ship: they are read from a folder beside the checkout, or
 * from the one that ROCELAB_SHARED names. Without it these tests are skipped, with a warning.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../core/findings/index.ts'
import { otherEnd } from '../../devices/joins/index.ts'
import { readCollected } from '../../devices/tables/index.ts'
import type { Files } from './planted/clean.test-data.ts'
import { diagnosisOf, spotsOf, type Diagnosed } from './planted/planted.test-data.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../../shared')
const POD = path.join(SHARED, 'data/doctor/pod-a')
const missing = !existsSync(POD)
if (missing) console.warn(`samples of the doctor: skipped, missing ${POD}`)

/** Rules about counters, which are not rules about configurations. */
const COUNTERS: readonly string[] = []
const SEVERITIES: Readonly<Record<string, string>> = { E: 'error', W: 'warning', I: 'note' }

const read = (file: string): string => readFileSync(path.join(POD, file), 'utf8')

function filesOf(): Files {
  const files: Record<string, string> = { 'edges.csv': read('edges.csv') }
  for (const entry of readdirSync(POD, { withFileTypes: true }))
    if (entry.isDirectory())
      for (const name of readdirSync(path.join(POD, entry.name))) {
        const file = `${entry.name}/${name}`
        files[file] = read(file)
      }
  return files
}

function timesOf(): Record<string, number> {
  const collected = readCollected('collected.tsv', read('collected.tsv'))
  return Object.fromEntries([...collected].map(([file, { timeNs }]) => [file, timeNs]))
}

interface Expected {
  readonly rule: string
  readonly severity: string
  readonly device: string
  readonly ports: readonly string[]
}

const expectedOf = (): Expected[] =>
  read('expected.tsv')
    .split('\n')
    .filter((row) => row !== '' && !row.startsWith('#') && !row.startsWith('rule\t'))
    .map((row) => {
      const [rule = '', severity = '', device = '', ports = ''] = row.split('\t')
      return { rule: rule.toLowerCase(), severity: SEVERITIES[severity] ?? '', device, ports: ports.split(',') }
    })

/** "device port" of all spots of a finding, and of the other ends of their links. */
function spotsWithPeers({ fabric }: Diagnosed, finding: Finding): string[] {
  return [finding, ...finding.also].flatMap(({ subject: { device = '', interface: port = '' } }) => {
    const peers = fabric.linksOf(device).flatMap((link) => {
      const end = link.ends.find((each) => each.device === device && each.port === port)
      return end === undefined ? [] : [otherEnd(link, end)]
    })
    return [{ device, port }, ...peers].map((spot) => `${spot.device} ${spot.port}`)
  })
}

function isAt(spots: readonly string[], { device, ports }: Expected): boolean {
  return ports.every((port) =>
    spots.some((spot) =>
      port.endsWith('*') ? spot.startsWith(`${device} ${port.slice(0, -1)}`) : spot === `${device} ${port}`,
    ),
  )
}

describe.skipIf(missing)('a fabric of samples', () => {
  const files = missing ? {} : filesOf()
  const times = missing ? {} : timesOf()
  const found = missing ? undefined : diagnosisOf(files, times)
  const expected = missing ? [] : expectedOf().filter(({ rule }) => !COUNTERS.includes(rule))

  test.each(expected.map((each) => [`${each.rule} ${each.device} ${each.ports.join()}`, each] as const))(
    '%s is found',
    (_name, each) => {
      const same = found!.findings.filter(({ id, severity }) => id === each.rule && severity === each.severity)
      expect(
        isAt(
          same.flatMap((finding) => spotsWithPeers(found!, finding)),
          each,
        ),
      ).toBe(true)
    },
  )

  test('nothing else is a mistake', () => {
    const isExpected = (finding: Finding): boolean => {
      const spots = spotsWithPeers(found!, finding)
      return expected.some(
        ({ rule, device }) => rule === finding.id && spots.some((one) => one.startsWith(`${device} `)),
      )
    }
    const rest = found!.findings.filter(
      (finding) => finding.severity !== 'note' && !found!.causes.has(finding) && !isExpected(finding),
    )
    expect(spotsOf(rest)).toEqual([])
  })

  test('without one of its files there are no more errors', () => {
    const errorsOf = (all: Files): string[] =>
      spotsOf(diagnosisOf(all, times).findings, ({ severity }) => severity === 'error')
    const before = errorsOf(files)
    for (const file of Object.keys(files).filter((name) => name !== 'edges.csv')) {
      const { [file]: _gone, ...others } = files
      expect([file, ...errorsOf(others).filter((spot) => !before.includes(spot))]).toEqual([file])
    }
  })
})
