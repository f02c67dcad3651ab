/** Mistakes in settings are found in what is written of them, too; clean fabrics stay clean. */
import { expect, test } from 'vitest'
import { deviceOf } from '../joins/device.ts'
import { BUFFER_FAULTS } from '../../diagnosis/rules/planted/buffers.test-data.ts'
import { type Files, SONIC } from '../../diagnosis/rules/planted/clean.test-data.ts'
import { HOST_FAULTS } from '../../diagnosis/rules/planted/hosts.test-data.ts'
import { MIXED } from '../../diagnosis/rules/planted/mixed.test-data.ts'
import { diagnosisOf, edited, spotsOf } from '../../diagnosis/rules/planted/planted.test-data.ts'
import { SWITCH_FAULTS } from '../../diagnosis/rules/planted/switches.test-data.ts'
import { nvueWriter } from './nvue.ts'
import { write } from './read-back.test-data.ts'
import { sonicWriter } from './sonic.ts'

const WRITTEN = /^([^/]+)\/(?:config_db\.json|pg_profile_lookup\.ini|nvue\.yaml)$/

/** The fabric with the files of SONiC and NVUE written anew. */
function rewritten(files: Files): Files {
  const texts: Record<string, string> = { ...files }
  const names = new Set(Object.keys(files).flatMap((file) => WRITTEN.exec(file)?.slice(1) ?? []))
  for (const name of names) {
    const own = Object.entries(files).filter(([file]) => WRITTEN.exec(file)?.[1] === name)
    const { config, neighbours } = deviceOf(
      name,
      own.map(([file, text]) => ({ file, text, command: '', timeNs: NaN })),
    )
    const peers = new Map(
      neighbours.map(({ port, peerDevice, peerPort }) => [port, { device: peerDevice, port: peerPort }]),
    )
    const writer = config.language === 'sonic' ? sonicWriter : nvueWriter
    for (const [file] of own) delete texts[file]
    for (const { file, text } of write(writer, config, writer.variants[0]!, undefined, peers))
      texts[`${name}/${file}`] = text
  }
  return texts
}

/** About names that lead nowhere, which are no settings. */
const OF_NAMES = ['ref01']
const FAULTS = [...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS].filter(
  ({ rule, edits }) => !OF_NAMES.includes(rule) && edits.some(([file]) => WRITTEN.test(file)),
)

test.each([
  ['SONiC', SONIC],
  ['other languages', MIXED],
])('a clean fabric of %s has what it had', (_name, files) => {
  expect(spotsOf(diagnosisOf(rewritten(files)).findings)).toEqual(spotsOf(diagnosisOf(files).findings))
})

test.each(FAULTS.map((fault, index) => [`${fault.rule}, mistake ${index + 1}`, fault] as const))(
  '%s is found as it was',
  (_name, { files, edits }) => {
    const faulty = edited(files, edits)
    expect(spotsOf(diagnosisOf(rewritten(faulty)).findings)).toEqual(spotsOf(diagnosisOf(faulty).findings))
  },
)
