/**
 * Writers of NX-OS, EOS and OS10: what they write reads as what was written.
 */
import { describe, expect, test } from 'vitest'
import type { Device } from '../devices/index.ts'
import { MIXED } from '../rules/planted/mixed.test-data.ts'
import { eosWriter } from './eos.ts'
import { nxosWriter } from './nx-os.ts'
import { os10Writer } from './os10.ts'
import { differences, mistakesOf, OPTIONS, readDevice, rewritten } from './cli-round-trip.test-data.ts'
import type { Writer } from './writer.ts'

const textOf = (file: string): string => MIXED[file]!
const cleanOf = (device: string): Device =>
  readDevice(device, [{ file: 'running-config.cfg', text: textOf(`${device}/running-config.cfg`) }])

const CASES: readonly (readonly [string, Writer, string])[] = [
  ['leaf-n', nxosWriter],
  ['leaf-e', eosWriter],
  ['spine', eosWriter],
  ['leaf-o', os10Writer],
].flatMap(([device, writer]) =>
  (writer as Writer).variants.map((variant) => [device as string, writer as Writer, variant] as const),
)

describe('a clean configuration', () => {
  test.each(CASES)('%s reads the same after it is written', (name, writer, variant) => {
    const clean = cleanOf(name)
    const again = rewritten(writer, clean.config, variant)
    expect(mistakesOf(again)).toEqual([])
    expect(differences(clean.config, again.config, writer)).toEqual([])
    expect(again.config.language).toBe(writer.language)
  })
})
