/**
 * Every param of a scenario, with access to its value, so that a test can change them one by one.
 * Paths are written as in `rocelab list`: "switch.buffer[shared-buffer].alpha", "faults[bernoulli].links".
 */
import { isLike, type Param } from '../../src/core/base/params.ts'
import { scenarioParams, type Scenario } from '../../src/lab/scenario/index.ts'

type Scalar = Exclude<Param, { type: 'group' | 'variant' }>
type Tree = Record<string, unknown>

export interface Location {
  readonly path: string
  readonly param: Scalar
  /** The group that holds the value in this scenario, and its key there; undefined where the scenario has none. */
  readonly find: (scenario: Scenario) => { readonly holder: Tree; readonly key: string } | undefined
}

/** All params that hold a value of their own; lists of values count as one, lists of groups by their first fitting item. */
export function everyParam(): Location[] {
  const locations: Location[] = []
  // A scenario's type has no index signature.
  visit(scenarioParams, '', (scenario) => scenario as unknown as Tree, locations)
  return locations
}

function visit(param: Param, path: string, locate: (scenario: Scenario) => unknown, locations: Location[]): void {
  // An override has the params of the key that it overrides.
  if (isLike(param)) return
  if (param.type === 'group') {
    visitFields(param.fields, path, (scenario) => locate(scenario) as Tree | undefined, locations)
  } else if (param.type === 'variant') {
    for (const { name, params } of param.definitions) {
      visitFields(params, `${path}[${name}]`, (scenario) => withKind(locate(scenario), name), locations)
    }
  } else if (param.type === 'list') {
    const inner = param.item
    if (inner.type === 'variant') {
      for (const { name, params } of inner.definitions) {
        const item = (scenario: Scenario): Tree | undefined =>
          (locate(scenario) as Tree[] | undefined)?.find((each) => each['kind'] === name)
        visitFields(params, `${path}[${name}]`, item, locations)
      }
    } else if (inner.type === 'group') {
      visitFields(inner.fields, `${path}[]`, (scenario) => (locate(scenario) as Tree[] | undefined)?.[0], locations)
    }
  }
}

function visitFields(
  fields: Readonly<Record<string, Param>>,
  path: string,
  locate: (scenario: Scenario) => Tree | undefined,
  locations: Location[],
): void {
  for (const [key, param] of Object.entries(fields)) {
    const below = path === '' ? key : `${path}.${key}`
    visit(param, below, (scenario) => locate(scenario)?.[key], locations)
    if (param.type === 'group' || param.type === 'variant') continue
    if (param.type === 'list' && (param.item.type === 'group' || param.item.type === 'variant')) continue
    locations.push({
      path: below,
      param,
      find: (scenario) => {
        const holder = locate(scenario)
        return holder === undefined ? undefined : { holder, key }
      },
    })
  }
}

function withKind(value: unknown, kind: string): Tree | undefined {
  const tree = value as Tree | undefined
  return tree?.['kind'] === kind ? tree : undefined
}
