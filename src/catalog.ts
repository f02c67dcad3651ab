/**
 * Catalogue: every registered topology, workload, scheme, fault, metric and tool format with its parameters, for `list`.
 */
import type { Definition } from './core/base/params.ts'
import { absentSchemes } from './papers/survey/absent-schemes.ts'
import { experiments } from './papers/index.ts'
import { type Survey, surveyOf } from './papers/survey/schemes.ts'
import { exporters } from './exporters/index.ts'
import { balances } from './core/fabric/balance/index.ts'
import { buffers, faults } from './core/fabric/params.ts'
import { humanValue } from './core/base/format.ts'
import { type Known, type NicProfile, nics, type SwitchProfile, switches } from './core/hardware/index.ts'
import { importers } from './importers/index.ts'
import { metrics } from './lab/metrics/index.ts'
import { describeParam, type ParamRow, scenarioParams } from './lab/scenario/index.ts'
import { topologies } from './core/topology/index.ts'
import { congestions } from './core/transport/congestion/index.ts'
import { recoveries } from './core/transport/recovery/index.ts'
import type { Needs, SchemeDefinition } from './core/transport/scheme.ts'
import { sizeDistributions, workloads } from './core/workload/index.ts'

export interface Entry {
  readonly kind: string
  readonly name: string
  readonly help: string
  readonly source: string
  readonly params: readonly ParamRow[]
  /** Recoveries and congestion controls only. */
  readonly needs?: Needs
  /** Description in the terms of [Survey]'s tables; undefined where there is none. */
  readonly survey?: Survey | undefined
  /** Why a scheme of kind `absent` is not modelled. */
  readonly reason?: string
}

/** One kind of entry. `usage` shows the scenario key that selects an entry, with NAME for its name; empty if none does. */
export interface Kind {
  readonly name: string
  readonly usage: string
  readonly entries: readonly Entry[]
}

/** All kinds, in the order in which a scenario is usually written. */
export function catalog(): readonly Kind[] {
  return [
    definitionKind('topology', 'topology: {kind: NAME, ...}', topologies),
    definitionKind('workload', 'workload: [{kind: NAME, ...}]', workloads),
    definitionKind('sizes', 'workload: [{kind: poisson, sizes: {kind: NAME, ...}}]', sizeDistributions),
    definitionKind('balance', 'balance: {kind: NAME, ...}', balances),
    schemeKind('recovery', 'recovery: {kind: NAME, ...}', recoveries),
    schemeKind('congestion', 'congestion: {kind: NAME, ...}', congestions),
    definitionKind('buffer', 'switch: {buffer: {kind: NAME, ...}}', buffers),
    definitionKind('fault', 'faults: [{kind: NAME, ...}]', faults),
    definitionKind('metric', 'observe: [{kind: NAME, ...}]', metrics),
    { name: 'group', usage: '', entries: groups() },
    {
      name: 'importer',
      usage: '',
      entries: importers.map((importer) => ({
        kind: 'importer',
        name: importer.name,
        help: importer.help,
        source: importer.source,
        params: [
          ...(importer.dialects === undefined
            ? []
            : [option('dialect', 'the simulator that wrote the files', importer.dialects, importer.dialects[0])]),
          ...importer.options.map((each) => option(each.name, each.help, each.choices)),
        ],
      })),
    },
    {
      name: 'experiment',
      usage: '',
      entries: experiments.map(({ name, title, source, plan, sizes }) => ({
        kind: 'experiment',
        name,
        help: title,
        source,
        params: sizes.map((size) => option(`size ${size}`, plan.sizes[size])),
      })),
    },
    {
      name: 'exporter',
      usage: '',
      entries: exporters.map(({ name, help, source }) => ({ kind: 'exporter', name, help, source, params: [] })),
    },
    { name: 'hardware', usage: '', entries: [...nics, ...switches].map(deviceEntry) },
    { name: 'absent', usage: '', entries: absentSchemes.map((scheme) => ({ kind: 'absent', ...scheme, params: [] })) },
  ]
}

/** A NIC or switch as it is known: each value with its status and source. */
function deviceEntry({ name, help, ...values }: NicProfile | SwitchProfile): Entry {
  const params = Object.entries(values).map(
    ([field, { value, status, source }]: [string, Known<unknown>]): ParamRow => {
      const shown = typeof value === 'number' ? humanValue(field, value) : JSON.stringify(value)
      return { ...option(field, status, [], shown), source }
    },
  )
  return {
    kind: 'hardware',
    name,
    help,
    source: '',
    params: params.map((row) => ({ ...row, path: row.path.slice(2) })),
  }
}

/** Entries with their needs and their description in the terms of [Survey]'s tables. */
function schemeKind(kind: string, usage: string, schemes: readonly SchemeDefinition[]): Kind {
  const { entries } = definitionKind(kind, usage, schemes)
  const declared = schemes.map(({ name, needs }) => ({ needs, survey: surveyOf(name) }))
  return { name: kind, usage, entries: entries.map((entry, i) => ({ ...entry, ...declared[i] })) }
}

function definitionKind(kind: string, usage: string, definitions: readonly Definition[]): Kind {
  const entries = definitions.map(({ name, help, source = '', params }) => ({
    kind,
    name,
    help,
    source,
    params: describeParam({ type: 'group', fields: params, help }),
  }))
  return { name: kind, usage, entries }
}

/** Sections that every scenario has, given or by default: "switch", "pfc", "qp". */
function groups(): Entry[] {
  return Object.entries(scenarioParams.fields).flatMap(([name, param]) =>
    param.type === 'group'
      ? [{ kind: 'group', name, help: param.help, source: param.source ?? '', params: describeParam(param) }]
      : [],
  )
}

function option(name: string, help: string, choices: readonly string[] = [], standard = ''): ParamRow {
  return {
    path: `--${name}`,
    type: choices.length > 0 ? 'choice' : 'text',
    unit: '',
    default: standard,
    range: choices.join(', '),
    help,
    source: '',
    per: '',
    live: false,
  }
}
