/** Redacted fabrics: no name is left, and rules say the same of them. */
import { describe, expect, test } from 'vitest'
import { BUFFER_FAULTS } from '../rules/planted/buffers.test-data.ts'
import { type Files, SONIC } from '../rules/planted/clean.test-data.ts'
import { HOST_FAULTS } from '../rules/planted/hosts.test-data.ts'
import { MIXED } from '../rules/planted/mixed.test-data.ts'
import { diagnosisOfFabric, edgesIn, edited, fabricFrom } from '../rules/planted/planted.test-data.ts'
import { SWITCH_FAULTS } from '../rules/planted/switches.test-data.ts'
import type { Edge } from '../model/index.ts'
import { devicesNamedIn, Redactor } from './redactor.ts'

const FABRICS: readonly (readonly [string, Files])[] = [
  ['SONiC', SONIC],
  ['other languages', MIXED],
  ...[...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS].map(
    ({ rule, files, edits }, i) => [`${rule} (${i})`, edited(files, edits)] as const,
  ),
]

interface Redacted {
  readonly files: Files
  readonly edges: readonly Edge[]
  readonly redactor: Redactor
}

function redacted(files: Files): Redacted {
  const edges = edgesIn(files)
  const texts = Object.entries(files).filter(([file]) => file.includes('/'))
  const devices = [
    ...texts.map(([file]) => file.split('/')[0]!),
    ...edges.flatMap(({ deviceA, deviceB }) => [deviceA, deviceB]),
  ]
  const named = texts.flatMap(([file, text]) => devicesNamedIn(file, text, ''))
  const redactor = new Redactor(devices, named)
  return {
    files: Object.fromEntries(
      texts.flatMap(([file, text]) => {
        const made = redactor.text(file, text, '')
        const [device = '', ...rest] = file.split('/')
        return made === undefined ? [] : [[`${redactor.device(device)}/${redactor.path(rest.join('/'))}`, made]]
      }),
    ),
    edges: edges.map(({ deviceA, portA, deviceB, portB, cableM }) => ({
      deviceA: redactor.device(deviceA),
      portA: redactor.words(portA),
      deviceB: redactor.device(deviceB),
      portB: redactor.words(portB),
      cableM,
    })),
    redactor,
  }
}

/** All that rules say, with the names of the copy, each with its file and line. */
function said(files: Files, edges: readonly Edge[], named: Pick<Redactor, 'device' | 'words' | 'path'>): string[] {
  const { findings, missing, held } = diagnosisOfFabric(fabricFrom(files, {}, edges))
  const placeOf = (file: string): string => {
    const [device = '', ...rest] = file.split('/')
    return `${named.device(device)}/${named.path(rest.join('/'))}`
  }
  return [
    ...findings.flatMap((finding) =>
      [finding, ...finding.also].map(({ subject: { device = '', interface: port = '', file = '', line = 0 } }) =>
        [finding.severity, finding.id, named.device(device), named.words(port), file && placeOf(file), line].join(' '),
      ),
    ),
    ...missing.flatMap(({ form, devices, rules }) => devices.map((one) => `${form} ${named.device(one)} ${rules.join()}`)),
    ...Object.entries(held).map(([rule, count]) => `${rule} ${count}`),
  ].sort()
}

const SAME = { device: (name: string): string => name, words: (text: string): string => text, path: (text: string): string => text }

test.each(FABRICS)('%s says the same when it is redacted', (_name, files) => {
  const copy = redacted(files)
  expect(said(copy.files, copy.edges, SAME)).toEqual(said(files, edgesIn(files), copy.redactor))
})
