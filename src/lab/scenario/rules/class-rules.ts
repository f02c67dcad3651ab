/**
 * Rules over traffic classes: one row per class where rows belong to classes, no class twice in a list, and a codepoint
 * for each class in use.
 */
import { dscpTable, hostTable, unmapped } from '../class-map.ts'
import type { Rule } from '../text/parse-tree.ts'
import { issue, repeated, SOUND, thrown } from './rule-issue.ts'
import type { Scenario } from '../scenario.ts'
import { isClassSound } from './scheme-needs.ts'

/** One pause time per class. */
export const pauseTimes: Rule<Scenario> = {
  reads: ['pfc.byClass'],
  check: ({ pfc: { byClass } }) =>
    repeated(byClass.map((row) => row.class)).map((i) =>
      issue(`pfc.byClass.${i}.class`, 'each class once', `${byClass[i]?.class ?? ''} again`),
    ),
}

/** One pair of alphas per class. */
export const classAlphas: Rule<Scenario> = {
  reads: ['switch.buffer'],
  check: ({ switch: { buffer } }) =>
    buffer.kind !== 'shared-buffer'
      ? []
      : repeated(buffer.byClass.map((row) => row.class)).map((i) =>
          issue(`switch.buffer.byClass.${i}.class`, 'each class once', `${buffer.byClass[i]?.class ?? ''} again`),
        ),
}

/** Lists of classes are sets. */
export const classSets: readonly Rule<Scenario>[] = [
  classSet('pfc.classes', ({ pfc }) => pfc.classes),
  classSet('switch.ecn.classes', (scenario) => scenario.switch.ecn.classes),
  classSet('switch.wred.classes', (scenario) => scenario.switch.wred.classes),
  classSet('switch.trimming.classes', (scenario) => scenario.switch.trimming.classes),
  classSet('switch.qcn.classes', (scenario) => scenario.switch.qcn.classes),
  classSet('switch.strictClasses', (scenario) => scenario.switch.strictClasses),
]

function classSet(path: string, classesOf: (scenario: Scenario) => readonly number[]): Rule<Scenario> {
  return {
    reads: [],
    partsOf: [path],
    check: (scenario, isSound) => {
      const classes = classesOf(scenario)
      const sound = repeated(classes).filter((i) => isSound(`${path}.${i}`))
      return sound.map((i) => issue(`${path}.${i}`, 'each class once', `${classes[i] ?? ''} again`))
    },
  }
}

export const schedulerWeights: Rule<Scenario> = {
  reads: ['switch.weights'],
  check: ({ switch: { weights } }) =>
    weights.length === 8 ? SOUND : [issue('switch.weights', '8 weights, one for each class', `${weights.length}`)],
}

export const dscpMap: Rule<Scenario> = {
  reads: ['classes.dscpMap'],
  check: ({ classes }) => thrown('', () => dscpTable(classes)),
}

/** Every class that is sent has a codepoint. */
export const codepoints: Rule<Scenario> = {
  reads: ['classes.dscpMap', 'classes.classify', 'switch.vlan.ports'],
  partsOf: ['classes', 'workload', 'switch.trimming', 'nic.trafficClasses'],
  check: (scenario, isSound) => {
    if (dscpMap.check(scenario, isSound).length > 0) return SOUND
    const { classes, workload } = scenario
    const { trimming } = scenario.switch
    const known = new Set(hostTable(scenario))
    if (known.size === 8) return SOUND
    const data = workload.flatMap((source, i) => (isClassSound(i, isSound) ? dataClasses(source, i) : []))
    return [
      ...(data.some(([, c]) => c === null) ? [['classes.data', classes.data] as const] : []),
      ['classes.ackAtSwitch', classes.ackAtSwitch] as const,
      ['classes.cnpAtSwitch', classes.cnpAtSwitch] as const,
      ...(trimming.of === 'none' ? [] : [['switch.trimming.class', trimming.class] as const]),
      ...data,
      ...scenario.nic.trafficClasses.map((line, i) => [`nic.trafficClasses.${i}`, classOfLine(line)] as const),
    ].flatMap(([path, c]) => {
      if (c === null || known.has(c) || !isSound(path)) return SOUND
      const { expected, received, hint } = unmapped(c, path)
      return [issue(path, expected, received, hint)]
    })
  },
}

/** Class at the end of "PORT: CLASS"; null where the line cannot be read. */
function classOfLine(line: string): number | null {
  const found = /:\s*([0-7])\s*$/.exec(line)?.[1]
  return found === undefined ? null : Number(found)
}

/** Paths and traffic classes of a workload's data; null stands for the scenario's class. */
function dataClasses(source: Scenario['workload'][number], i: number): (readonly [path: string, c: number | null])[] {
  if ('trafficClass' in source) return [[`workload.${i}.trafficClass`, source.trafficClass]]
  return source.flows.map((line, k) => {
    const given = /\sclass=([0-7])(?:\s|$)/.exec(line)?.[1]
    return [`workload.${i}.flows.${k}`, given === undefined ? null : Number(given)]
  })
}
