/**
 * Mistakes in settings of NX-OS, EOS and OS10 outlive the writing: the doctor finds in a fabric that is written anew what it
 * finds in its own texts.
 */
import { expect, test } from 'vitest'
import type { Finding } from '../../../../core/findings/index.ts'
import type { Files } from '../../../diagnosis/rules/planted/clean.test-data.ts'
import { BUFFER_FAULTS } from '../../../diagnosis/rules/planted/buffers.test-data.ts'
import { HOST_FAULTS } from '../../../diagnosis/rules/planted/hosts.test-data.ts'
import { MIXED } from '../../../diagnosis/rules/planted/mixed.test-data.ts'
import { diagnosisOf, edited, spotsOf } from '../../../diagnosis/rules/planted/planted.test-data.ts'
import { SWITCH_FAULTS } from '../../../diagnosis/rules/planted/switches.test-data.ts'
import { eosWriter } from '../eos.ts'
import { nxosWriter } from '../nx-os.ts'
import { os10Writer } from '../os10.ts'
import { OPTIONS, readDevice } from './round-trip.test-data.ts'

const WRITERS = [nxosWriter, eosWriter, os10Writer]
const CONFIG = 'running-config.cfg'

/** The files with the configurations of switches written anew. @param layout number of the variant */
function rewrittenFiles(files: Files, layout: number): Files {
  const written: Record<string, string> = { ...files }
  for (const [file, text] of Object.entries(files)) {
    const [device = '', name] = file.split('/')
    if (name !== CONFIG) continue
    const { config } = readDevice(device, [{ file, text }])
    const writer = WRITERS.find(({ language }) => language === config.language)!
    written[file] = writer.write(config, { ...OPTIONS, variant: writer.variants[layout]! })[0]!.text
  }
  return written
}

const isMistake = ({ severity }: Finding): boolean => severity !== 'note'

const mistakesIn = (files: Files): string[] => spotsOf(diagnosisOf(files).findings, isMistake)

test.each([0, 1])('a clean fabric is clean in layout %i', (layout) => {
  expect(mistakesIn(rewrittenFiles(MIXED, layout))).toEqual([])
})

/** Mistakes in these languages; a name that nothing defines is one of the text and not of the settings. */
const FAULTS = [...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS].filter(
  ({ rule, edits }) => rule !== 'ref01' && edits.some(([file]) => file.endsWith(`/${CONFIG}`)),
)

test.each(FAULTS.map((fault) => [`${fault.rule} ${fault.edits.map(([file]) => file).join()}`, fault] as const))(
  '%s is found in both layouts',
  (_name, { rule, files, edits }) => {
    const broken = edited(files, edits)
    const expected = mistakesIn(broken)
    expect(expected.some((spot) => spot.includes(rule))).toBe(true)
    for (const layout of [0, 1]) expect(mistakesIn(rewrittenFiles(broken, layout))).toEqual(expected)
  },
)
