/**
 * Writers of NX-OS, EOS and OS10: what they write reads as what was written.
 */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../../tests/support/properties.ts'
import type { Device } from '../../joins/index.ts'
import {
  type DeviceConfig,
  type PortSettings,
  UNKNOWN,
  UNKNOWN_CLASS,
  UNKNOWN_SWITCH,
} from '../../../../core/device-model/index.ts'
import { MIXED } from '../../../diagnosis/rules/planted/mixed.test-data.ts'
import { eosWriter } from '../eos.ts'
import { nxosWriter } from '../nx-os.ts'
import { os10Writer } from '../os10.ts'
import { switchFor } from './settings.test-data.ts'
import { differences, mistakesOf, OPTIONS, readDevice, rewritten } from './round-trip.test-data.ts'
import type { WriteOptions, Writer } from '../writer.ts'

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

/** A clean device whose ports from the second on have other settings. */
function changed(device: string, change: (settings: PortSettings) => Partial<PortSettings>): DeviceConfig {
  const { config } = cleanOf(device)
  const [first, ...others] = config.ports
  const own = others.map((port) => ({ ...port, settings: { ...port.settings, ...change(port.settings) } }))
  return { ...config, ports: [first!, ...own] }
}

/** With a DSCP in another class. */
const remapped =
  (dscp: number, index: number) =>
  ({ dscpToClass }: PortSettings): Partial<PortSettings> => ({
    dscpToClass: dscpToClass.map((value, i) => (i === dscp ? { state: 'set', value: index } : value)),
  })

/** Without marks in a class. */
const unmarked =
  (index: number) =>
  ({ classes }: PortSettings): Partial<PortSettings> => ({
    classes: classes.map((each, i) =>
      i === index
        ? { ...UNKNOWN_CLASS, group: each.group, queue: each.queue, marks: { state: 'set', value: false } }
        : each,
    ),
  })

const OFF: Partial<PortSettings> = { pfcMode: { state: 'set', value: 'off' }, pfcClasses: { state: 'set', value: [] } }

describe('one port that is not like the others', () => {
  test.each(CASES)('%s has its own lines for it', (name, writer, variant) => {
    for (const change of [remapped(26, 5), remapped(0, 4), unmarked(3), () => OFF, () => ({ classifies: UNKNOWN })]) {
      const config = changed(name, change)
      const again = rewritten(writer, config, variant)
      expect(differences(config, again.config, writer)).toEqual([])
      expect(mistakesOf(again)).toEqual([])
    }
  })

  test('the lossless classes of NX-OS are those of the first port', () => {
    const set = { state: 'set', value: [4] } as const
    const { config } = rewritten(
      nxosWriter,
      changed('leaf-n', () => ({ pfcWritten: set, pfcClasses: set })),
      'single',
    )
    expect(config.ports.map(({ settings }) => settings.pfcClasses)).toMatchObject([{ value: [3] }, { value: [3] }])
  })

  test('EOS has a profile for ports that are alike, and none for one of its own', () => {
    const spine = changed('spine', () => ({}))
    const last = spine.ports.at(-1)!
    const odd = { ...spine, ports: [...spine.ports.slice(0, -1), { ...last, settings: { ...last.settings, ...OFF } }] }
    expect(textsOf(eosWriter, odd, 'profiles').match(/service-profile /g)).toHaveLength(4)
    expect(textsOf(eosWriter, odd, 'interfaces')).not.toContain('profile')
  })
})

/** Files of a device as one text. */
function textsOf(
  writer: Writer,
  config: DeviceConfig,
  variant: string,
  peers: WriteOptions['peers'] = new Map(),
): string {
  const files = writer.write(config, { ...OPTIONS, variant, peers })
  return files.map(({ text }) => text).join('')
}

describe('names and layouts', () => {
  test('maps and policies have the names that are asked for', () => {
    const nameOf = (purpose: string): string => `X-${purpose.replaceAll(' ', '_')}-Y`
    for (const [name, writer, variant] of CASES) {
      const { config } = cleanOf(name)
      const text = writer.write(config, { ...OPTIONS, variant, nameOf })[0]!.text
      const names = text.match(/X-\w[\w-]*-Y/g) ?? []
      expect(names.length > 0).toBe(variant !== 'interfaces')
      expect(mistakesOf(readDevice(name, [{ file: 'a', text }]))).toEqual([])
    }
  })

  test('a range names ports that are alike, one after the other', () => {
    const numbered = (device: string, name: (number: number) => string): DeviceConfig => {
      const { config } = cleanOf(device)
      const { settings } = config.ports[0]!
      const down: PortSettings = { ...settings, isUp: { state: 'set', value: false } }
      const ports = [1, 2, 3, 4, 5, 6, 9].map((number) => ({
        ...config.ports[0]!,
        name: name(number),
        settings: number === 4 ? down : settings,
      }))
      return { ...config, ports }
    }
    const headsOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('interface '))
    expect(
      headsOf(
        textsOf(
          nxosWriter,
          numbered('leaf-n', (n) => `Ethernet1/${n}`),
          'ranges',
        ),
      ),
    ).toEqual(['interface Ethernet1/1-1/3,Ethernet1/5-1/6,Ethernet1/9', 'interface Ethernet1/4'])
    expect(
      headsOf(
        textsOf(
          os10Writer,
          numbered('leaf-o', (n) => `ethernet1/1/${n}`),
          'ranges',
        ),
      ),
    ).toEqual(['interface range ethernet1/1/1-1/1/3,ethernet1/1/5-1/1/6,ethernet1/1/9', 'interface ethernet1/1/4'])
  })

  test.each(CASES)('%s says who is at its ports, also with a long name', (name, writer, variant) => {
    const { config } = cleanOf(name)
    const [first, second] = config.ports.map((port) => port.name)
    const peers = new Map([
      [first!, { device: 'gpu01', port: 'eth1' }],
      [second!, { device: 'spine-with-a-very-long-name', port: 'Ethernet1/1' }],
    ])
    const read = readDevice(name, writer.write(config, { ...OPTIONS, variant, peers }))
    expect(mistakesOf(read)).toEqual([])
    expect(read.neighbours.map(({ port, peerDevice, peerPort }) => [port, peerDevice, peerPort])).toEqual([
      [first, 'gpu01', 'eth1'],
      [second, 'spine-with-a-very-long-name', 'Ethernet1/1'],
    ])
  })

  test('settings that a language has no words for are in none of its files', () => {
    const { config } = cleanOf('leaf-n')
    const silent = changed('leaf-n', () => ({ fec: { state: 'set', value: 'rs' }, cableM: { state: 'set', value: 5 } }))
    expect(textsOf(nxosWriter, silent, 'single')).toBe(textsOf(nxosWriter, config, 'single'))
  })

  test('a switch without ports or settings is written, too', () => {
    const { config } = cleanOf('leaf-n')
    for (const writer of [nxosWriter, eosWriter, os10Writer])
      expect(textsOf(writer, { ...config, ports: [], settings: UNKNOWN_SWITCH }, writer.variants[0]!)).toContain(
        'leaf-n',
      )
  })
})

describe('any settings', () => {
  test.each([nxosWriter, eosWriter, os10Writer].map((writer) => [writer.language, writer] as const))(
    '%s reads the same after they are written, in each layout',
    (language, writer) => {
      fc.assert(
        fc.property(switchFor(language), (config) => {
          const read = writer.variants.map((variant) => rewritten(writer, config, variant))
          for (const again of read) {
            expect(differences(config, again.config, writer)).toEqual([])
            expect(mistakesOf(again)).toEqual([])
          }
          const [first, second] = read
          expect(differences(first!.config, second!.config, writer)).toEqual([])
        }),
      )
    },
  )
})
