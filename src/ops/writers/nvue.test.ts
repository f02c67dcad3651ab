/** NVUE as it is written says what was read, or drawn. */
import { describe, expect, test } from 'vitest'
import { deviceIn, differences, readBack, write } from './read-back.test-data.ts'
import { MIXED } from '../rules/planted/mixed.test-data.ts'
import { nvueWriter } from './nvue.ts'

describe.each(nvueWriter.variants)('%s', (variant) => {
  test('a clean leaf is read as it was', () => {
    const config = deviceIn(MIXED, 'leaf-c')
    const files = write(nvueWriter, config, variant)
    console.log(files[0]!.text)
    expect(differences(config, readBack(config, files), nvueWriter.cannotSay)).toEqual([])
  })
})
