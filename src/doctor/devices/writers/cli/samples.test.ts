/**
 * Writers of NX-OS, EOS and OS10 against texts: what they write has the lines of the text, in any order. Samples that the
 * project does not ship are read from a folder beside the checkout, or from the one that ROCELAB_SHARED names. Without it
 * their tests are skipped, with a warning.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { MIXED } from '../../../diagnosis/rules/planted/mixed.test-data.ts'
import { eosWriter } from '../eos.ts'
import { nxosWriter } from '../nx-os.ts'
import { os10Writer } from '../os10.ts'
import { OPTIONS, readDevice } from './round-trip.test-data.ts'
import type { Writer } from '../writer.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../../../shared')
const POD = path.join(SHARED, 'data/doctor/pod-a')
const missing = !existsSync(POD)
if (missing) console.warn(`samples of switches: skipped, missing ${POD}`)

/** Names in the texts, by purpose. */
const NAMES: Readonly<Record<string, string>> = {
  'class-map 3': 'C-RDMA',
  'class-map 6': 'C-CNP',
  'input-policy': 'P-IN',
  profile: 'P-ROCE',
  wred: 'W-ECN',
  'network-class-map 3': 'CM-Q3',
  'queuing-class-map 3': 'CM-T3',
  'queuing-class-map 6': 'CM-T6',
  'dscp-map': 'TM-ROCE',
  'queue-map': 'QM',
}
const POLICIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'nx-os': { 'network-qos-policy': 'P-NQ', 'queuing-policy': 'P-OUT' },
  os10: { 'network-qos-policy': 'PM-PFC', 'queuing-policy': 'PM-ETS' },
}

/** Comments, texts and releases, on which no field depends. */
const NO_FIELD = /^(?:!(?! ?(?:device|Command):)|description |feature |version |line vty$|end$)/

/** Lines without their blanks, sorted. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '' && !NO_FIELD.test(line))
    .toSorted()

/** Lines of what is written for the settings that a text has. */
function rewrittenLines(device: string, text: string, writer: Writer): string[] {
  const { config } = readDevice(device, [{ file: 'running-config.cfg', text }])
  const own = POLICIES[writer.language] ?? {}
  const nameOf = (purpose: string): string => own[purpose] ?? NAMES[purpose] ?? `no name for ${purpose}`
  const [written] = writer.write(config, { ...OPTIONS, variant: writer.variants[0]!, nameOf })
  return linesOf(written!.text)
}

test.each([
  ['leaf-n', nxosWriter],
  ['leaf-e', eosWriter],
  ['spine', eosWriter],
  ['leaf-o', os10Writer],
] as const)('what is written for %s has the lines of its text', (device, writer) => {
  const text = MIXED[`${device}/running-config.cfg`]!
  expect(rewrittenLines(device, text, writer)).toEqual(linesOf(text))
})

describe.skipIf(missing)('samples', () => {
  test.each([
    ['leaf-n', nxosWriter, []],
    ['leaf-e', eosWriter, []],
    // A policy that nothing defines is none.
    ['leaf-d', os10Writer, ['service-policy input type network-qos PM-RDMA']],
  ] as const)('what is written for %s has the lines of the sample', (device, writer, lost) => {
    const text = readFileSync(path.join(POD, device, 'running-config.cfg'), 'utf8')
    expect([...rewrittenLines(device, text, writer), ...lost].toSorted()).toEqual(linesOf(text))
  })
})
