/** The remedy of an error takes it away, and brings nothing new. */
import { expect, test } from 'vitest'
import type { Finding } from '../../findings/index.ts'
import { BUFFER_FAULTS } from '../rules/planted/buffers.test-data.ts'
import { HOST_FAULTS } from '../rules/planted/hosts.test-data.ts'
import { diagnosisOf, edited, headroomNeed, spotsOf, diagnosisOfFabric } from '../rules/planted/planted.test-data.ts'
import { SWITCH_FAULTS } from '../rules/planted/switches.test-data.ts'
import { RULES } from '../rules/index.ts'
import { changed, REMEDIES, remedyFor } from './index.ts'

const FAULTS = [...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS]
const isMistake = ({ severity }: Finding): boolean => severity !== 'note'

/** Settings cure neither counters, nor a map that names a port which its device does not have. */
const isBeyondSettings = (id: string): boolean => id.startsWith('ctr') || id === 'lnk01'

test('every rule of files that finds errors has one', () => {
  const kinds = RULES.flatMap((rule) => rule.kinds)
  const errors = kinds.filter(({ severity, id }) => severity === 'error' && !isBeyondSettings(id))
  expect(errors.map(({ id }) => id).filter((id) => !(id in REMEDIES))).toEqual([])
})

test.each(FAULTS.map((fault, i) => [`${fault.rule} (${i})`, fault] as const))('%s', (_name, { files, edits, rule }) => {
  const before = diagnosisOf(edited(files, edits))
  const found = before.findings.filter(({ id, severity }) => id === rule && severity === 'error')
  for (const finding of found) {
    const changes = remedyFor({ fabric: before.fabric, headroomNeed }, finding)
    expect(changes === null).toBe(isBeyondSettings(rule))
    if (changes === null) continue
    const after = diagnosisOfFabric(changed(before.fabric, changes))
    const gone = spotsOf([finding])
    const left = spotsOf(after.findings, isMistake)
    expect(left.filter((spot) => gone.includes(spot))).toEqual([])
    const old = spotsOf(before.findings, isMistake)
    expect(left.filter((spot) => !old.includes(spot))).toEqual([])
  }
})
