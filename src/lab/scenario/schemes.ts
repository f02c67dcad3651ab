/**
 * Schemes from outside: loss recoveries and congestion controls that a program brings along. A scenario that was read with
 * them knows them by its values of `recovery` and `congestion` (choicesOf); nothing is registered anywhere.
 */
import { inputError } from '../../core/base/issue.ts'
import { choicesOf, type Definition, extended, type VariantParam } from '../../core/base/params.ts'
import { type CongestionDefinition, congestions } from '../../core/transport/congestion/index.ts'
import { recoveries, type RecoveryDefinition } from '../../core/transport/recovery/index.ts'
import { type Scenario, scenarioParams } from './scenario.ts'

/** Schemes besides those of the program. */
export interface Schemes {
  readonly recoveries?: readonly RecoveryDefinition[]
  readonly congestions?: readonly CongestionDefinition[]
}

type ScenarioParams = typeof scenarioParams

/** The loss recoveries that a scenario could choose from. */
export function recoveriesOf({ recovery }: Pick<Scenario, 'recovery'>): readonly RecoveryDefinition[] {
  return choicesOf<RecoveryDefinition>(recovery, recoveries)
}

/** The congestion controls that a scenario could choose from. */
export function congestionsOf({ congestion }: Pick<Scenario, 'congestion'>): readonly CongestionDefinition[] {
  return choicesOf<CongestionDefinition>(congestion, congestions)
}

/** Params of scenarios that may name these schemes too. Throws InputError for schemes without a name of their own. */
export function paramsWith(schemes: Schemes): ScenarioParams {
  const { recoveries: recovery = [], congestions: congestion = [] } = schemes
  if (recovery.length === 0 && congestion.length === 0) return scenarioParams
  const more = {
    recovery: added('recoveries', recoveries, recovery),
    congestion: added('congestions', congestions, congestion),
  }
  const withMore = (fields: Readonly<Record<keyof typeof more, VariantParam<Definition>>>): object => ({
    recovery: extended(fields.recovery, more.recovery),
    congestion: extended(fields.congestion, more.congestion),
  })
  const { fields } = scenarioParams
  const definitions = fields.workload.item.definitions.map((one) => ({
    ...one,
    params: { ...one.params, ...withMore(one.params) },
  }))
  const workload = { ...fields.workload, item: { ...fields.workload.item, definitions } }
  // The type of a scenario has the program's schemes: those from outside are known when it is read, not before.
  return { ...scenarioParams, fields: { ...fields, ...withMore(fields), workload } } as unknown as ScenarioParams
}

/** The schemes from outside that a scenario was read with. */
export function schemesOf(scenario: Pick<Scenario, 'recovery' | 'congestion'>): Schemes {
  return {
    recoveries: recoveriesOf(scenario).slice(recoveries.length),
    congestions: congestionsOf(scenario).slice(congestions.length),
  }
}

/** Params of a scenario with the schemes that it was read with. */
export function paramsOf(scenario: Pick<Scenario, 'recovery' | 'congestion'>): ScenarioParams {
  return paramsWith(schemesOf(scenario))
}

/** Further schemes, each with a name that no other has. */
function added(list: keyof Schemes, own: readonly Definition[], more: readonly Definition[]): readonly Definition[] {
  const names = new Set(own.map(({ name }) => name))
  for (const { name, params } of more) {
    if (!/^[a-z][a-z0-9-]*$/.test(name))
      throw inputError(list, 'names of small letters, digits and dashes', JSON.stringify(name))
    if (names.has(name)) throw inputError(list, 'a name that no other scheme has', JSON.stringify(name))
    if (Object.hasOwn(params, 'kind'))
      throw inputError(`${list}: ${name}`, 'params without one of the name kind', 'kind')
    names.add(name)
  }
  return more
}
