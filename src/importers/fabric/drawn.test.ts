/**
 * A drawn fabric as a scenario, by its settings and by its files: the same run. Settings that a language has no words for are
 * taken as its files are read.
 */
import { expect, test } from 'vitest'
import { headroomNeed } from '../../doctor/platforms/headroom-need.ts'
import { asicOf } from '../../doctor/platforms/platforms.ts'
import { run } from '../../lab/index.ts'
import {
  type DeviceConfig,
  type Fabric,
  fabricOfConfigs,
  fabricOfFolder,
  HOST_LANGUAGES,
  type MadeFolder,
  makeFolder,
  SWITCH_LANGUAGES,
  writerOf,
} from '../../doctor/index.ts'
import { scenarioOf } from '../../lab/scenario/index.ts'
import { fabricScenario, type FabricScenario } from './index.ts'

const TRAFFIC = { kind: 'incast', senders: 4 } as const

const made = (language: string, seed: number): MadeFolder =>
  makeFolder({ seed, hosts: 5, languages: [language], hostLanguages: HOST_LANGUAGES, faults: [], headroomNeed })

const converted = (fabric: Fabric): FabricScenario =>
  fabricScenario(fabric, { name: 'drawn', traffic: TRAFFIC, concerned: [], asicOf })

type Tree = { readonly [name: string]: unknown }
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null

/** All that was drawn and can be said, and the rest as it is read. */
function over(drawn: unknown, read: unknown, cannotSay: ReadonlySet<string>, path: string): unknown {
  if (cannotSay.has(path)) return read
  if (!isTree(drawn) || !isTree(read)) return drawn
  if ('state' in drawn) return drawn.state === 'unknown' ? read : drawn
  const names = [...new Set([...Object.keys(drawn), ...Object.keys(read)])]
  const entries = names.map((name): [string, unknown] => {
    const below = Array.isArray(drawn) ? path : path === '' ? name : `${path}.${name}`
    return [name, name in drawn ? over(drawn[name], read[name], cannotSay, below) : read[name]]
  })
  return Array.isArray(drawn) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

function withReadings(drawn: DeviceConfig, read: DeviceConfig): DeviceConfig {
  const silent = new Set(Object.keys(writerOf(drawn.language)!.cannotSay))
  // Casts: the merge has the fields of both.
  return {
    ...drawn,
    settings: over(drawn.settings, read.settings, silent, '') as DeviceConfig['settings'],
    ports: drawn.ports.map((port) => {
      const own = read.ports.find(({ name }) => name === port.name)!
      return { ...port, settings: over(port.settings, own.settings, silent, '') as typeof port.settings }
    }),
  }
}

test.each(SWITCH_LANGUAGES.flatMap((language) => [30_000, 30_001, 30_002].map((seed) => [language, seed] as const)))(
  '%s %i',
  (language, seed) => {
    const folder = made(language, seed)
    const read = fabricOfFolder(folder)
    const configs = folder.configs.map((config) => withReadings(config, read.devices.get(config.device)!.config))
    const [byFiles, bySettings] = [read, fabricOfConfigs(configs, folder.edges)].map((each) => converted(each).scenario)
    expect(bySettings).toEqual(byFiles)
  },
)

test('SONiC has words for all that a run depends on', () => {
  const folder = made('sonic', 30_003)
  const [byFiles, bySettings] = [fabricOfFolder(folder), fabricOfConfigs(folder.configs, folder.edges)].map((each) =>
    run(scenarioOf(converted(each).scenario)),
  )
  expect(bySettings!.digest).toBe(byFiles!.digest)
})
