/**
 * Reads fault scripts: YAML, a list of rules, or a map with the list as `faults` and perhaps `seed` and `peer`.
 * Every mistake is reported, each with its position.
 */
import { InputError, type Issue } from '../../core/base/issue.ts'
import { readYaml, type TreePath } from '../../core/notation/index.ts'
import { CONNECTION_MESSAGES } from '../../core/wire/index.ts'
import { readAction } from './read-action.ts'
import {
  type Action,
  type ActionKind,
  type Choice,
  type FaultRule,
  type FaultScript,
  type Fit,
  PACKET_KINDS,
} from './script.ts'

/** Actions that change what follows act once, unless a rule says how often. */
const ONCE: readonly ActionKind[] = ['vanish', 'pause', 'close']
const COUNT_MAX = 1e9

/** Keys of a rule whose value is a whole number, with its range. */
const NUMBERS = {
  qp: [0, 2 ** 24 - 1],
  psn: [0, 2 ** 24 - 1],
  opcode: [0, 255],
  nth: [1, COUNT_MAX],
  every: [1, COUNT_MAX],
  from: [1, COUNT_MAX],
  to: [1, COUNT_MAX],
  after: [0, COUNT_MAX],
  times: [1, COUNT_MAX],
} as const
const KEYS: readonly string[] = ['match', 'do', 'direction', 'last', 'chance', ...Object.keys(NUMBERS)]
/** Pairs of which one has no meaning beside the other. */
const EXCLUSIVE = ['every', 'from', 'to', 'after', 'times', 'chance'] as const
const SCRIPT_KEYS: readonly string[] = ['faults', 'seed', 'peer']
const SEED_MAX = 2 ** 32 - 1

type Wrong = (path: TreePath, expected: string, found: unknown, hint?: string) => void
type Given = Readonly<Record<string, unknown>>

/** @param file as the user named it. @throws InputError with every mistake */
export function readFaultScript(text: string, file: string): FaultScript {
  const yaml = readYaml(text)
  const issues: Issue[] = yaml.issues.map(({ position, path, expected, received, hint }) => ({
    path: path.join('.'),
    file,
    ...position,
    expected,
    received,
    hint,
  }))
  const wrong: Wrong = (path, expected, found, hint = '') => {
    const received = found === undefined ? 'nothing' : (JSON.stringify(found) ?? 'nothing').slice(0, 60)
    issues.push({ path: path.join('.'), file, ...yaml.locate(path, 'value'), expected, received, hint })
  }
  const lineOf = (path: TreePath): number => yaml.locate(path, 'value')?.line ?? 0
  const script = yaml.readable ? scriptOf(yaml.value, wrong, lineOf) : undefined
  if (issues.length > 0 || script === undefined) throw new InputError(issues)
  return script
}

function scriptOf(value: unknown, wrong: Wrong, lineOf: (path: TreePath) => number): FaultScript {
  const isList = Array.isArray(value)
  const map: Given = isList ? { faults: value } : isMap(value) ? value : {}
  const { faults, seed = 1, peer } = map
  for (const key of Object.keys(map))
    if (!SCRIPT_KEYS.includes(key)) wrong([key], `one of ${SCRIPT_KEYS.join(', ')}`, key)
  if (!isWhole(seed, 0, SEED_MAX)) wrong(['seed'], `a whole number from 0 to ${SEED_MAX}`, seed)
  const above = isList ? [] : ['faults']
  if (!Array.isArray(faults) || faults.length === 0) {
    wrong(
      isMap(value) && faults !== undefined ? above : [],
      'a list of rules',
      faults ?? value,
      'such as - {match: data, nth: 3, do: drop}',
    )
    return { seed: 1, rules: [], peer }
  }
  const rules = faults.flatMap((rule: unknown, at) => ruleOf(rule, [...above, at], wrong, lineOf) ?? [])
  return { seed: Number(seed), rules, peer }
}

function ruleOf(
  value: unknown,
  path: TreePath,
  wrong: Wrong,
  lineOf: (path: TreePath) => number,
): FaultRule | undefined {
  if (!isMap(value)) {
    wrong(path, 'a rule, a map with match and do', value)
    return undefined
  }
  for (const key of Object.keys(value)) if (!KEYS.includes(key)) wrong([...path, key], `one of ${KEYS.join(', ')}`, key)
  const fit = fitOf(value, path, wrong)
  const choice = choiceOf(value, path, wrong)
  if (value['do'] === undefined) {
    wrong([...path, 'do'], 'what the rule does, such as do: drop', undefined)
    return undefined
  }
  const action = readAction(value['do'])
  if (!isAction(action)) {
    for (const { path: below, expected, found } of action) wrong([...path, 'do', ...below], expected, found)
    return undefined
  }
  const needed = NEEDED[action.kind]
  if (needed !== undefined && !needed.includes(fit.kind))
    wrong([...path, 'match'], `a match that ${action.kind} can answer: ${needed.join(', ')}`, fit.kind)
  const times = choice.times ?? (ONCE.includes(action.kind) || isLasting(action) ? 1 : Infinity)
  return { fit, choice: { ...choice, times }, action, line: lineOf(path) }
}

/** Kinds of packet that some actions answer; others do to any. */
const REQUESTS: readonly Fit['kind'][] = ['data', 'request', 'read-request', 'atomic', 'any']
const NEEDED: Readonly<Partial<Record<ActionKind, readonly Fit['kind'][]>>> = {
  rnr: REQUESTS,
  nak: REQUESTS,
  reject: ['mad', 'any'],
}

const isLasting = (action: Action): boolean => action.kind === 'cnp' && action.durationPs > 0

function fitOf(value: Given, path: TreePath, wrong: Wrong): Fit {
  const { match = 'any', direction, last } = value
  const named = isMap(match) && Object.keys(match).length === 1 ? match['mad'] : undefined
  const mad = CONNECTION_MESSAGES.find((name) => name === named)
  const kind = mad !== undefined ? 'mad' : PACKET_KINDS.find((each) => each === match)
  const names = CONNECTION_MESSAGES.join(', ')
  if (kind === undefined)
    wrong([...path, 'match'], `one of ${PACKET_KINDS.join(', ')}, or {mad: NAME} with a name of ${names}`, match)
  if (direction !== undefined && direction !== 'in' && direction !== 'out')
    wrong([...path, 'direction'], 'in or out', direction)
  if (last !== undefined && last !== true) wrong([...path, 'last'], 'true', last)
  return {
    kind: kind ?? 'any',
    ...(mad === undefined ? {} : { mad }),
    ...(direction === 'in' || direction === 'out' ? { direction } : {}),
    ...(last === true ? { last } : {}),
    ...numbersOf(value, ['qp', 'psn', 'opcode'], path, wrong),
  }
}

function choiceOf(value: Given, path: TreePath, wrong: Wrong): Partial<Choice> {
  const { chance } = value
  if (chance !== undefined && !(typeof chance === 'number' && chance > 0 && chance <= 1))
    wrong([...path, 'chance'], 'a probability above 0, up to 1', chance)
  const numbers = numbersOf(value, ['nth', 'every', 'from', 'to', 'after', 'times'], path, wrong)
  if (numbers.nth !== undefined)
    for (const key of EXCLUSIVE)
      if (value[key] !== undefined) wrong([...path, key], `nth alone: it chooses one frame`, value[key])
  if (numbers.from !== undefined && numbers.to !== undefined && numbers.from > numbers.to)
    wrong([...path, 'to'], `at least ${numbers.from}, as from says`, numbers.to)
  return { ...numbers, ...(typeof chance === 'number' ? { chance } : {}) }
}

function numbersOf<K extends keyof typeof NUMBERS>(
  value: Given,
  keys: readonly K[],
  path: TreePath,
  wrong: Wrong,
): Partial<Record<K, number>> {
  const numbers: Partial<Record<K, number>> = {}
  for (const key of keys) {
    const found = value[key]
    const [min, max] = NUMBERS[key]
    if (found === undefined) continue
    if (isWhole(found, min, max)) numbers[key] = found
    else wrong([...path, key], `a whole number from ${min} to ${max}`, found)
  }
  return numbers
}

const isAction = (action: ReturnType<typeof readAction>): action is Action => !Array.isArray(action)

const isMap = (value: unknown): value is Given => typeof value === 'object' && value !== null && !Array.isArray(value)

const isWhole = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max
