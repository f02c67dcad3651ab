/**
 * Two doors: a fabric by its files, and by the scenario that is made of them, is judged alike, but for what a scenario does
 * not hold, and for values that no file gives and the scenario assumes.
 */
import { hostNamesWithIds } from '../../../core/base/device-names.ts'
import { expect, test } from 'vitest'
import { InputError } from '../../../core/base/issue.ts'
import { FABRIC_FINDINGS, fabricCounts, type Finding } from '../../../core/findings/index.ts'
import { fabricScenario, type FabricScenario } from '../../../importers/fabric/index.ts'
import { createSimulation, topologyOf } from '../../index.ts'
import {
  diagnose,
  type Fabric,
  fabricOfFolder,
  FAULTS,
  HOST_LANGUAGES,
  makeFolder,
  SWITCH_LANGUAGES,
} from '../../../doctor/index.ts'
import { scenarioOf } from '../../scenario/index.ts'
import type { Topology } from '../../../core/topology/index.ts'
import { headroomNeed } from '../../../doctor/platforms/headroom-need.ts'
import { asicOf } from '../../../doctor/platforms/platforms.ts'
import { type Outline, outlineOf } from '../outline.ts'
import { isOfScenarios } from './fabric-notes.ts'

const FABRICS = Math.ceil(50 * Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FIRST_SEED = 40_000
/** Rules of fabrics; notes on schemes and on the simulation are of scenarios alone. */
const RULES: ReadonlySet<string> = new Set(FABRIC_FINDINGS.map(({ id }) => id))

/** Settings that scenarios do not have, by rule. */
const NOT_HELD: Readonly<Record<string, string>> = {
  trn01: 'files that end early',
  src01: 'files that disagree',
  lld01: 'neighbours that disagree',
  lnk01: 'ports that are not there',
  ref01: 'names without a definition',
  map02: 'a DSCP of one host',
  map05: 'classes of packets that are not RoCE',
  map06: 'a host whose only RoCE is lossy: the note on classes without data',
  hst02: 'receive buffers of NICs',
  hst03: 'DCBX and daemons',
  hst05: 'sources of traffic classes',
  hst08: 'GIDs',
  hst09: 'adapters of a job',
  hst10: 'retries by library',
  hst11: 'rails of a job',
  mtu02: 'payloads by NIC',
  mtu03: 'MTUs by class',
  pfc02: 'groups with headroom',
  pfc03: 'queues that a pause stops',
  pfc05: 'groups and queues of classes',
  pfc06: 'pauses of the whole link',
  pfc07: 'pauses in one direction',
  pfc08: 'settings that are not in force',
  map04: 'bindings of maps to ports',
  vln01: 'trust by port',
  spd01: 'FEC and negotiation',
  buf02: 'profiles by name',
  buf03: 'the length of a cable beside a headroom in bytes',
  buf06: 'sums over groups',
  buf07: 'limits of egress queues',
  buf10: 'reserves by vendor',
  buf11: 'groups without headroom',
  buf12: 'lengths that nobody set',
  cnp01: 'the queue of CNPs',
  cnp02: 'CNPs by NIC',
  ecn03: 'marks by port',
  ecn06: 'the points of DCQCN by priority',
  ecn07: 'marks by port',
  fld01: 'floods by class',
  fld03: 'ages of tables',
  adr01: 'reordering by NIC: the note on schemes',
  wd01: 'ports that are watched',
  wd06: 'watchdogs of NICs that are off',
  sch01: 'schedules by port',
  los00: 'a fabric without PFC is written as one',
}
/** Rules on sizes of pools, lengths and maps, which are assumed where no file gives them. */
const ASSUMED: readonly string[] = ['ecn01', 'ecn02', 'ecn04', 'map04', 'map02', 'buf03']

/** Null: the scenario is refused, as a watchdog is whose times are below its poll. */
function judged(scenario: FabricScenario['scenario']): { outline: Outline; topology: Topology } | null {
  try {
    const parsed = scenarioOf(scenario)
    const simulation = createSimulation(parsed)
    const outline = outlineOf(parsed, simulation)
    simulation.close()
    return { outline, topology: topologyOf(parsed) }
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

interface Said {
  readonly rule: string
  readonly severity: string
  /** '': all devices that have such values. */
  readonly device: string
}

const saidBy = (findings: readonly Finding[]): Said[] =>
  findings.flatMap(({ id, severity, subject, also }) =>
    [subject, ...also.map((spot) => spot.subject)].map(({ device = '' }) => ({ rule: id, severity, device })),
  )

const isAmong = (all: readonly Said[], { rule, severity, device }: Said): boolean =>
  all.some(
    (one) =>
      one.rule === rule && one.severity === severity && (device === '' || one.device === '' || one.device === device),
  )

test('each rule is asked of scenarios, or has a reason why it is not', () => {
  const unasked = FABRIC_FINDINGS.filter(({ id }) => !isOfScenarios(id)).map(({ id }) => id)
  // Counters are of runs.
  const counted = new Set(Object.values(fabricCounts).map(({ id }) => id))
  expect(unasked.filter((id) => NOT_HELD[id] === undefined && !counted.has(id))).toEqual([])
})

test(`${FABRICS} drawn fabrics have the same ids, places and severities at both doors`, () => {
  const different: string[] = []
  const both = new Set<string>()
  for (let i = 0; i < FABRICS; i++) {
    const language = SWITCH_LANGUAGES[i % SWITCH_LANGUAGES.length]!
    const faults = [FAULTS[i % FAULTS.length]!]
    const options = { hosts: 4, languages: [language], hostLanguages: HOST_LANGUAGES, faults, headroomNeed }
    const fabric: Fabric = fabricOfFolder(makeFolder({ seed: FIRST_SEED + i, ...options }))
    const { scenario, names }: FabricScenario = fabricScenario(fabric, {
      name: 'drawn',
      traffic: { kind: 'incast', senders: 3 },
      concerned: [],
      asicOf,
    })
    const found = judged(scenario)
    if (found === null) continue
    // Hosts with several ports are a node for each.
    const { names: nodes, hostPorts, endpoints } = found.topology
    const hostOf = new Map(
      hostPorts.flatMap((ports, host) =>
        ports.map((port) => [nodes[endpoints[port]!]!, hostNamesWithIds(found.topology)[host]!]),
      ),
    )
    const nameOf = new Map(names.map(({ name, device }) => [device, name]))
    const byFiles = saidBy(diagnose({ fabric, headroomNeed }).findings).map((said) => ({
      ...said,
      device: nameOf.get(said.device) ?? said.device,
    }))
    // The rest of a file that ends early is assumed.
    if (byFiles.some(({ rule }) => rule === 'trn01')) continue
    const byScenario = saidBy(found.outline.findings)
      .filter(({ rule }) => RULES.has(rule))
      .map((said) => ({ ...said, device: hostOf.get(said.device) ?? said.device }))
    const note = (door: string, { rule, severity, device }: Said): void => {
      different.push(`${FIRST_SEED + i} ${language}, ${door} alone: ${rule} ${severity} ${device}`)
    }
    for (const said of byFiles)
      if (isAmong(byScenario, said)) both.add(said.rule)
      else if (NOT_HELD[said.rule] === undefined) note('doctor', said)
    for (const said of byScenario) if (!isAmong(byFiles, said) && !ASSUMED.includes(said.rule)) note('check', said)
  }
  expect(different).toEqual([])
  expect(both.size).toBeGreaterThan(5)
})
