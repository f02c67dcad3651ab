/** SONiC as it is written says what was read, or drawn. */
import { describe, expect, test } from 'vitest'
import { deviceIn, differences, readBack, write } from './read-back.test-data.ts'
import { SONIC } from '../rules/planted/clean.test-data.ts'
import { sonicWriter } from './sonic.ts'

describe.each(sonicWriter.variants)('%s', (variant) => {
  test.each(['leaf1', 'leaf2', 'spine'])('a clean %s is read as it was', (name) => {
    const config = deviceIn(SONIC, name)
    const files = write(sonicWriter, config, variant)
    expect(files.map(({ file }) => file)).toEqual(['config_db.json', 'pg_profile_lookup.ini'])
    expect(differences(config, readBack(config, files), sonicWriter.cannotSay)).toEqual([])
  })
})
