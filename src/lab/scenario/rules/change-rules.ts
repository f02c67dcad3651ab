/**
 * Rules of `changes`: the path exists and may vary as the change asks, and the scenario with it is valid too.
 */
import { variationOf, withChanges } from '../changes.ts'
import { scenarioParams, type Scenario } from '../scenario.ts'
import type { Rule, RuleIssue } from '../text/parse-tree.ts'
import { quote } from '../text/wording.ts'
import { codepoints } from './class-rules.ts'
import { issue, thrown } from './rule-issue.ts'

/** @param others the rules that the scenario has to keep with its changes, too */
export function changeRule(others: readonly Rule<Scenario>[]): Rule<Scenario> {
  return {
    // The whole scenario is printed and read again with each change.
    reads: Object.keys(scenarioParams.fields),
    check: (scenario) => {
      // The rules on changes themselves are asked for the scenario as it is written.
      const unchanged = { ...scenario, changes: [] }
      const before = new Set(scenario.changes.length === 0 ? [] : broken(unchanged, others))
      return scenario.changes.flatMap((_, index) => issuesOf(scenario, index, others, before))
    },
  }
}

/** @param before what is wrong without any change */
function issuesOf(
  scenario: Scenario,
  index: number,
  others: readonly Rule<Scenario>[],
  before: ReadonlySet<string>,
): readonly RuleIssue[] {
  const { path, at, nodes, ports } = scenario.changes[index]!
  const where = `changes.${index}`
  let changed = scenario
  const unread = thrown('', () => (changed = withChanges(scenario, [index])))
  if (unread.length > 0) return unread
  const { per, live } = variationOf(path, scenario)
  if (per === null) {
    const hint = 'it has one value everywhere and always; `rocelab list changes` shows which may vary'
    return [issue(`${where}.path`, 'a parameter that may differ between devices', quote(path), hint)]
  }
  if (at > 0 && !live)
    return [issue(`${where}.at`, '0', 'a later time', `${path} may differ by ${per}, but not change during a run`)]
  if (per === 'pair' && at === 0)
    return [issue(`${where}.at`, 'a time after the start', '0', `set ${path} itself to have it from the start`)]
  if (per === 'pair' && (nodes !== 'all' || ports !== 'all'))
    return [issue(`${where}.nodes`, 'all', quote(nodes), `${path} belongs to queue pairs, not to devices`)]
  if (per !== 'port' && ports !== 'all')
    return [issue(`${where}.ports`, 'all', quote(ports), `${path} may differ by ${per}, not by port`)]
  // A device with another map is what a change is for: hosts go on writing the codepoints of the scenario's own map.
  const rules = others.filter((rule) => !(path.startsWith('classes.') && rule === codepoints))
  const received = `${path} = ${scenario.changes[index]!.value}`
  return broken({ ...changed, changes: [] }, rules)
    .filter((text) => !before.has(text))
    .map((text) => issue(`${where}.value`, text, received))
}

/** What is wrong with a scenario by these rules, as sentences. */
function broken(scenario: Scenario, rules: readonly Rule<Scenario>[]): string[] {
  const found = rules.flatMap((rule) => rule.check(scenario, () => true))
  return found.map(({ path, expected, received }) => `${path.join('.')} to be ${expected}, not ${received}`)
}
